"""A table's folder may have several photographs of components: what lies on any of them is taught."""

import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration import TableFolder
from companion.board import BadInputError, Color, HexCell, Road, Terrain, Tile
from simulator.setup import write_photograph
from tests.vision.conftest import CITY, HAMLET, DrawnTable, wrong
from vision.reader import Reader
from vision.tiles.exemplars import TURNS, plain_turn
from vision.tiles.selftest import self_test

BEND = Road(Color.BLACK, Terrain.FOREST, (0, 2))


@pytest.fixture(scope="module")
def two_photographs(drawn: DrawnTable, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The drawn table with a second photograph: two hamlets, and a road that the first shows only under a merchant."""
    path = tmp_path_factory.mktemp("two") / "table"
    shutil.copytree(drawn.folder.path, path)
    rng, scene = np.random.default_rng(8), drawn.setup.empty
    for cell, tile in ((HexCell(0, 0), HAMLET), (HexCell(2, -4), HAMLET), (HexCell(-3, 1), BEND)):
        scene = scene.lay(cell, tile, rng)
    write_photograph(path / "setup" / "teach-2.jpg", drawn.camera, scene)
    return path


@pytest.fixture(scope="module")
def taught_twice(two_photographs: Path) -> Reader:
    return Reader.of(TableFolder.open(two_photographs))


def count(tiles: tuple[Tile, ...], tile: Tile) -> int:
    return sum(plain_turn(one) == tile for one in tiles)


@pytest.mark.long
def test_what_lies_on_a_further_photograph_is_taught_as_well(drawn: DrawnTable, taught_twice: Reader) -> None:
    before, now = drawn.taught, taught_twice.taught
    for tile, more in ((HAMLET, 2), (BEND, 1), (CITY, 0)):
        each = (count(taught.exemplars.tiles[:: len(TURNS)], tile) for taught in (before, now))
        assert next(each) + more == next(each)
    assert len(now.exemplars.looks) == len(now.exemplars.hidden) == len(now.exemplars.tiles)


@pytest.mark.long
def test_it_takes_the_photograph_that_was_asked_for(drawn: DrawnTable, taught_twice: Reader) -> None:
    before, now = self_test(drawn.taught), self_test(taught_twice.taught)
    assert BEND in before.under_cubes
    assert BEND in dict(before.photograph)
    assert BEND not in now.under_cubes
    assert BEND not in dict(now.photograph)


@pytest.mark.long
def test_a_game_is_read_as_before(drawn: DrawnTable, taught_twice: Reader) -> None:
    taught_twice.new_game()
    assert wrong(taught_twice.read(drawn.deal_picture(4)), drawn.dealt(4)) == {}


@pytest.mark.long
def test_what_is_wrong_with_a_further_photograph_is_named(two_photographs: Path, tmp_path: Path) -> None:
    path = tmp_path / "table"
    shutil.copytree(two_photographs, path)
    second = path / "setup" / "teach-2.jpg"
    cv2.imwrite(str(second), np.full((1232, 1640, 3), 120, np.uint8))
    with pytest.raises(BadInputError, match=r"teach-2\.jpg: .*photograph the components on the same board"):
        Reader.of(TableFolder.open(path))
    second.with_suffix(".json").unlink()
    with pytest.raises(BadInputError, match=r"teach-2\.json.*check the name"):
        Reader.of(TableFolder.open(path))
