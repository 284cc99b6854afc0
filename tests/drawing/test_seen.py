"""A reading drawn over its picture lies where the camera saw the cells, tilted as the camera was."""

import re

import numpy as np

from companion.board import BARE, Color, Contents, HexBoard, HexCell, Road, Terrain, Workshop
from companion.drawing import outlines, seen
from companion.drawing.board import SIDE

BOARD = HexBoard(3)
BOX = (0, 0, 2000, 1500)
ROAD = Contents(Road(Color.RED, Terrain.PLAIN, (0, 3)))


def photographed(cell: HexCell) -> tuple[float, float]:
    """Return where a turned and tilted camera sees the centre of a cell."""
    x, y = cell.centre
    depth = 1 + 0.02 * y
    return 1000 + (50 * x - 12 * y) / depth, 700 + (14 * x + 46 * y) / depth


CENTRES = {cell: photographed(cell) for cell in BOARD.cells}


def matrix_of(markup: str) -> np.ndarray:
    (numbers,) = re.findall(r"matrix\(([^)]*)\)", markup)
    a, b, c, d, e, f = (float(number) for number in numbers.split())
    return np.array([[a, c, e], [b, d, f]])


def test_the_edges_of_a_piece_lie_on_the_edges_of_its_cell_in_the_picture() -> None:
    cell = BOARD.cell("D4")
    placing = matrix_of(seen({cell: ROAD}, CENTRES, BOX))
    for edge in range(6):
        beside = cell.neighbour(edge)
        middle = (np.array(beside.centre) - cell.centre) / 2 * SIDE
        found = placing @ [*middle, 1]
        right = (np.array(CENTRES[cell]) + CENTRES[beside]) / 2
        assert np.abs(found - right).max() < 2.0  # of about 85 from centre to centre


def test_at_the_rim_too() -> None:
    cell = BOARD.cell("A1")
    placing = matrix_of(seen({cell: ROAD}, CENTRES, BOX))
    assert np.abs(placing @ [0, 0, 1] - CENTRES[cell]).max() < 0.1
    assert abs(np.hypot(*placing[:, 0]) * SIDE - 52 / (1 + 0.02 * cell.centre[1])) < 3


def test_bare_cells_and_those_outside_the_box_are_left_out() -> None:
    cell, far = BOARD.cell("D4"), BOARD.cell("A1")
    x, y = CENTRES[cell]
    box = (round(x) - 60, round(y) - 60, 120, 120)
    drawn = seen({cell: Contents(Workshop(Color.RED)), far: ROAD, BOARD.cell("D5"): BARE}, CENTRES, box)
    assert drawn.count("matrix") == 1
    assert "workshop red" in drawn


def test_a_cell_alone_in_the_picture_cannot_be_placed() -> None:
    cell = BOARD.cell("D4")
    assert seen({cell: ROAD}, {cell: CENTRES[cell]}, BOX) == ""


def test_outlines_are_of_their_kind_and_named_where_they_are_to_be() -> None:
    cells = [BOARD.cell("D4"), BOARD.cell("A1")]
    named, plain = outlines(cells, "illegal", CENTRES, BOX, named=True), outlines(cells, "calm", CENTRES, BOX)
    assert named.count('class="mark illegal"') == 2
    assert ">D4</text>" in named
    assert "<text" not in plain
