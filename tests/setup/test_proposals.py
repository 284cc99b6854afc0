"""What is proposed for a printing that nobody has shown before: drawn boards, and the photographed ones."""

from pathlib import Path

import numpy as np
import pytest

from bench.proposals import lesson, measured
from calibration import TableFolder, align
from companion.board import Color, Road, Terrain
from companion.setup.draft import Draft
from companion.setup.empty_board import EmptyBoard
from companion.setup.features import PALETTE, ink_of
from companion.setup.ground import propose_terrain
from companion.setup.nets import kind_of
from companion.setup.propose import guess
from simulator import write_table
from tests.setup.conftest import Drawn, lying
from vision.board.layout import BoardLook
from vision.light.flatten import Flat, Floats


def test_terrain_of_a_drawn_board_is_proposed_with_few_mistakes(drawn: Drawn, flats: tuple[Floats, Floats]) -> None:
    board = drawn.folder.setup.board
    found = propose_terrain(flats[0], board)
    assert set(found) == set(board.cells)
    assert sum(found[cell] is not drawn.empty_truth.cells[cell].terrain for cell in board.cells) <= 3


@pytest.mark.long
def test_sites_of_a_smaller_board_are_those_that_stand_apart(tmp_path: Path) -> None:
    write_table(tmp_path, 4, rings=5, width=1230, height=924, fiducials=False)
    table = TableFolder.open(tmp_path)
    image, truth = table.load_empty()
    ground = EmptyBoard.of(image, table.setup.clicks, align(image, table.setup.clicks, table.setup.board.rings))
    sites = {cell for cell, read in truth.cells.items() if read.site}
    assert len(ground.sites ^ sites) <= len(sites) // 4


@pytest.mark.long
def test_most_of_what_lies_on_a_drawn_board_is_proposed_rightly(
    drawn: Drawn, components: Flat, look: BoardLook
) -> None:
    found = guess(components, look)
    cells = lying(drawn.truth)
    right = sum(found.contents(cell) == drawn.truth.contents(cell) for cell in cells)
    assert right / len(cells) > 0.7
    bare = [cell for cell in drawn.truth.board.cells if cell not in set(cells)]
    assert sum(kind_of(found.contents(cell)) != "bare" for cell in bare) <= 4


@pytest.mark.long
def test_only_colours_in_play_are_proposed(components: Flat, look: BoardLook) -> None:
    found = guess(components, look, (Color.BLACK, Color.RED))
    colors = {
        color
        for read in found.cells.values()
        for color in (*read.contents.merchants.counts, getattr(read.contents.tile, "color", Color.RED))
    }
    assert colors <= {Color.BLACK, Color.RED}


@pytest.mark.long
def test_where_nothing_but_roads_lies_nothing_else_is_proposed(components: Flat, look: BoardLook) -> None:
    found = guess(components, look, (Color.RED,), only_roads=True)
    tiles = [read.contents.tile for read in found.cells.values() if read.contents.tile is not None]
    assert tiles
    assert all(isinstance(tile, Road) and tile.color is Color.RED for tile in tiles)


def test_a_tone_is_of_the_colour_that_it_is_nearest_to() -> None:
    for color, tone in PALETTE.items():
        assert ink_of(np.array(tone, np.float32) * np.float32(0.9)) is color


@pytest.mark.long
def test_the_photographed_tables_are_proposed_as_their_bench_says(tables: Path) -> None:
    right = measured(lesson(tables / "elm"))
    assert right["terrain_right"] == right["cells"]
    assert right["sites_right"] == right["sites"]
    assert right["tile_right"] / right["lying"] > 0.7


def test_a_photograph_of_another_size_is_refused(drawn: Drawn, ground: EmptyBoard) -> None:
    with pytest.raises(ValueError, match="leave the camera's mode as it is"):
        Draft(ground).taught(drawn.shown[::2, ::2])


def test_several_cells_are_painted_at_once(ground: EmptyBoard) -> None:
    row = [ground.view.board.cell(name) for name in ("A1", "A2", "A3")]
    painted = ground.painted(row, Terrain.HILL)
    assert {painted.terrain[cell] for cell in row} == {Terrain.HILL}
    assert painted.corrected == ground.corrected.union(row)
    assert painted.told == ground.told, "nobody spoke of their sites"
    assert painted.sites == ground.sites
