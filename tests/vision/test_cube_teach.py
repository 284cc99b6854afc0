"""The colours of the cubes, from a photograph of which a person has said what lies where."""

from collections.abc import Mapping

import cv2
import numpy as np
import pytest

from companion.board import CellReading, Color, Contents, HexBoard, HexCell, Merchants, Reading
from tests.vision.conftest import EXTENT, SIZE_PX, VILLAGE
from vision.cubes.teach import teach_cubes
from vision.light.flatten import Floats, to_flat

BOARD = HexBoard(6)
Paint = tuple[float, float, float]
USUAL: Mapping[Color, Paint] = {
    Color.BLACK: (0.2, 0.2, 0.2),
    Color.GREY: (0.6, 0.6, 0.62),
    Color.YELLOW: (0.2, 0.7, 0.9),
    Color.RED: (0.2, 0.2, 0.7),
}
#: Where cubes of each colour stand on bare ground.
CELLS = {
    Color.BLACK: (HexCell(0, 0), HexCell(2, -1), HexCell(-2, 1)),
    Color.GREY: (HexCell(0, 3), HexCell(1, -3), HexCell(3, 0)),
    Color.YELLOW: (HexCell(-3, 0), HexCell(-3, 3), HexCell(0, -4)),
    Color.RED: (HexCell(4, -2), HexCell(-4, 1), HexCell(2, 2)),
}


def look(ground: Paint = (0.4, 0.6, 0.5)) -> Floats:
    return np.full((SIZE_PX, SIZE_PX, 3), ground, np.float32)


def paint(tone: Floats, cell: HexCell, paint: Paint | float, px: int, off: tuple[int, int] = (0, 0)) -> None:
    column, row = (round(value) for value in to_flat(cell.centre, EXTENT))
    row, column = row + off[0] - px // 2, column + off[1] - px // 2
    tone[row : row + px, column : column + px] = paint


def noisy(tone: Floats) -> Floats:
    return np.asarray(tone + np.random.default_rng(4).normal(0, 0.01, tone.shape), np.float32)


def truth(contents: Mapping[HexCell, Contents]) -> Reading:
    return Reading(BOARD, {cell: CellReading(contents.get(cell, Contents(None))) for cell in BOARD.cells})


def with_cubes(tone: Floats, colors: Mapping[Color, Paint], px: int, off: tuple[int, int]) -> Floats:
    for color, cells in CELLS.items():
        for cell in cells:
            paint(tone, cell, colors[color], px, off)
    return tone


def one_each() -> dict[HexCell, Contents]:
    return {cell: Contents(None, Merchants.of({color: 1})) for color, cells in CELLS.items() for cell in cells}


def test_a_cubes_colour_is_that_of_its_tops_not_of_the_shadows_beside_them() -> None:
    # Grey cubes on hills of nearly the same tone: their shadows differ more from the board than they do.
    bare = look((0.58, 0.6, 0.63))
    cells = {cell: color for color in (Color.GREY, Color.BLACK) for cell in CELLS[color]}
    on_tile = {HexCell(-3, 0): Color.GREY, HexCell(-3, 3): Color.BLACK}
    tone = bare.copy()
    for cell, color in [*cells.items(), *on_tile.items()]:
        if cell in on_tile:
            paint(tone, cell, (0.4, 0.6, 0.8), 38)
        column, row = (round(value) for value in to_flat(cell.centre, EXTENT))
        ground = tone[row, column].copy()
        tone[row - 2 : row + 8, column - 2 : column + 12] = 0.6 * ground
        tone[row - 6 : row + 4, column - 8 : column + 2] = (0.5, 0.52, 0.54) if color is Color.GREY else 0.2
    contents = {cell: Contents(None, Merchants.of({color: 1})) for cell, color in cells.items()}
    contents |= {cell: Contents(VILLAGE, Merchants.of({color: 1})) for cell, color in on_tile.items()}
    taught = teach_cubes(noisy(tone), bare, truth(contents))
    assert np.allclose(taught[Color.GREY], (0.5, 0.52, 0.54), atol=0.02)
    assert np.allclose(taught[Color.BLACK], 0.2, atol=0.02)


@pytest.mark.parametrize("px", [8, 10, 12])
def test_small_cubes_out_of_focus_are_not_mixed_with_the_ground_about_them(px: int) -> None:
    tone = with_cubes(look(), USUAL, px, (3, -2))
    soft = np.asarray(cv2.GaussianBlur(tone, (0, 0), 1.0), np.float32)
    taught = teach_cubes(noisy(soft), look(), truth(one_each()))
    for color, tones in USUAL.items():
        assert np.allclose(taught[color], tones, atol=0.05), color


def test_ground_in_the_sun_wherever_a_colour_lies_is_not_taken_for_its_cubes() -> None:
    # The sun falls on the cells with red cubes and on two more; how bright each cube is depends on where it is.
    tone = look((0.6, 0.65, 0.85))
    for color, cells in CELLS.items():
        for cell, bright in zip(cells, (0.88, 1.0, 1.12), strict=True):
            if color is Color.RED or cell in (CELLS[Color.GREY][0], CELLS[Color.BLACK][0]):
                paint(tone, cell, (0.66, 0.72, 0.95), 44)
            shown = np.array(USUAL[color]) * (bright if color is Color.RED else 1.0)
            paint(tone, cell, (float(shown[0]), float(shown[1]), float(shown[2])), 10)
    taught = teach_cubes(noisy(tone), look((0.6, 0.65, 0.85)), truth(one_each()))
    assert np.allclose(taught[Color.RED], USUAL[Color.RED], atol=0.15)


def test_cubes_of_other_colours_than_their_names_are_learnt_as_they_are_shown() -> None:
    others: Mapping[Color, Paint] = {
        Color.BLACK: (0.5, 0.15, 0.1),
        Color.GREY: (0.95, 0.95, 0.95),
        Color.YELLOW: (0.2, 0.5, 0.15),
        Color.RED: (0.6, 0.2, 0.5),
    }
    tone = with_cubes(look((0.5, 0.7, 0.75)), others, 10, (-4, 3))
    taught = teach_cubes(noisy(tone), look((0.5, 0.7, 0.75)), truth(one_each()))
    for color, tones in others.items():
        assert np.allclose(taught[color], tones, atol=0.03), color


def test_a_colour_that_lies_on_tiles_alone_is_left_out() -> None:
    tone = look()
    paint(tone, HexCell(0, 0), USUAL[Color.BLACK], 10)
    paint(tone, HexCell(2, -1), USUAL[Color.RED], 10)
    shown = {
        HexCell(0, 0): Contents(None, Merchants.of({Color.BLACK: 1})),
        HexCell(2, -1): Contents(VILLAGE, Merchants.of({Color.RED: 1})),
    }
    assert set(teach_cubes(noisy(tone), look(), truth(shown))) == {Color.BLACK}
    assert not teach_cubes(noisy(tone), look(), truth({}))
