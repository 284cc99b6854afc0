"""Boards of other sizes than the game's own: taught, recognised, and read with the game's memory and without."""

from dataclasses import replace

import numpy as np
import pytest

from calibration import TableFolder
from companion.board import Color, HexCell, Workshop
from simulator import Hand, Scene, write_table
from simulator.dealing import random_layout
from tests import dealing
from tests.once import Shelf
from tests.vision.conftest import DrawnTable, tracks_of, wrong
from vision.board.layout import compose, find_layout
from vision.hands import find_hands
from vision.light.flatten import Image, extent_cells, halved, window
from vision.light.gain import logarithm
from vision.reader import Reader

pytestmark = pytest.mark.long


@pytest.fixture(scope="module", params=[5, 7])
def table(request: pytest.FixtureRequest, shelf: Shelf, tmp_path_factory: pytest.TempPathFactory) -> DrawnTable:
    rings: int = request.param
    path = tmp_path_factory.mktemp("sizes") / f"{rings}-rings"
    setup = shelf.written(f"table-11-{rings}", path, lambda: write_table(path, 11, rings))
    folder = TableFolder.open(path)
    reader = Reader.of(folder)
    return DrawnTable(folder, setup, reader, reader.view)


@pytest.fixture(scope="module")
def dealt(table: DrawnTable) -> Scene:
    """The pieces in another layout, the settlements on their sites, three players' markers on some field."""
    scene, rng = dealing.dealt(table.camera, 4), np.random.default_rng(4)
    return scene.move_marker(Color.RED, 10, rng).move_marker(Color.BLACK, 3, rng)


@pytest.fixture(scope="module")
def played(table: DrawnTable, dealt: Scene) -> Scene:
    """The board some turns later: roads on every second free cell, workshops, merchants."""
    rng, sites = np.random.default_rng(5), table.camera.art.sites_as_laid(dealt.layout)
    free = [cell for cell in dealt.board.cells if cell not in sites]
    pairs = [(k % 3, k % 3 + 3) if k % 2 else (k % 4, k % 4 + 2) for k in range(len(free))]
    roads = {cell: (list(Color)[k % 4], pairs[k]) for k, cell in enumerate(free[::2])}
    scene = table.with_roads(dealt, roads, 5)
    for color, cell in zip(Color, free[1::12], strict=False):
        scene = scene.lay(cell, Workshop(color), rng)
    for color, cell in zip(Color, sorted(dealt.tiles), strict=False):
        scene = scene.put(cell, color, rng)
    return scene


@pytest.fixture(scope="module")
def dealt_picture(table: DrawnTable, dealt: Scene) -> Image:
    return table.camera.picture(dealt)


@pytest.fixture(scope="module")
def played_picture(table: DrawnTable, played: Scene) -> Image:
    return table.camera.picture(played)


def test_the_flat_picture_holds_the_day_tracks_and_little_more(table: DrawnTable) -> None:
    farthest = max(abs(at) for ends in table.folder.setup.tracks.values() for end in ends for at in end)
    assert farthest + 1 < extent_cells(table.taught.look.logs) < farthest + 2


def test_a_dealt_board_is_read_as_it_lies(table: DrawnTable, dealt: Scene, dealt_picture: Image) -> None:
    truth = table.camera.truth(dealt)
    for is_dealt in (True, False):
        reading = table.reader(is_dealt).read(dealt_picture)
        assert wrong(reading, dealt) == {}
        assert {cell: read.terrain for cell, read in reading.cells.items()} == {
            cell: read.terrain for cell, read in truth.cells.items()
        }
        assert reading.tracks == tracks_of(dealt)
        assert len(reading.abstained) <= 3


def test_what_is_laid_is_read_with_memory_and_alone(
    table: DrawnTable, played: Scene, dealt_picture: Image, played_picture: Image
) -> None:
    reader = table.reader()
    reader.read(dealt_picture)
    with_memory = reader.read(played_picture)
    alone = table.reader(is_dealt=False).read(played_picture)
    assert wrong(with_memory, played) == {}
    assert len(with_memory.abstained) <= 3
    assert len(wrong(alone, played)) <= 1
    assert len(alone.abstained) <= 0.15 * len(played.board.cells)


def test_a_hand_hides_its_cells(table: DrawnTable, dealt: Scene, dealt_picture: Image) -> None:
    reader = table.reader()
    reader.read(dealt_picture)
    covered = replace(dealt, hand=Hand(1.0, 2.0, 1.2, 2))
    reading, truth = reader.read(table.camera.picture(covered)), table.camera.truth(covered)
    assert len(truth.occluded) > 5
    # A cell with one corner under a fingertip may still be read, but whatever is said is right.
    assert len(truth.occluded - reading.abstained) <= 4
    assert len(reading.occluded - truth.occluded) <= 4
    assert wrong(reading, covered) == {}


def test_no_hand_is_seen_where_there_is_none(table: DrawnTable, dealt_picture: Image, played_picture: Image) -> None:
    expected, seen = (halved(table.tone(picture)) for picture in (dealt_picture, played_picture))
    assert not find_hands(seen, expected).any()


def test_three_bare_cells_of_each_piece_show_how_it_lies(table: DrawnTable) -> None:
    look, rings = table.taught.look, table.taught.board.rings
    layout = random_layout(np.random.default_rng(6), rings)
    logs, rng = compose(look, layout).logs.copy(), np.random.default_rng(7)
    bare: dict[int, list[HexCell]] = {}
    for cell, origin in layout.origin().items():
        piece = next((k for k in range(6) if origin.turned(-k).q >= 1 and origin.turned(-k).r >= 0), 0)
        bare.setdefault(piece, []).append(cell)
    for cells in bare.values():
        for index in rng.permutation(len(cells))[3:]:
            # A tile of another colour, with a print of its own.
            patch = window(logs, cells[index].centre, 21)
            patch[:] = np.log(rng.uniform(0.05, 0.6, 3)) + rng.normal(0, 0.3, patch.shape)
    found = find_layout(logarithm(np.exp(logs)), look)
    assert found.layout == layout
