"""Whether squares still show their bare ground, as the learnt nets compare them, on a made-up board."""

import numpy as np
import pytest

from companion.board import SquareBoard, SquareCell
from vision.light.flatten import Floats
from vision.square.light import CELL_PX, extent_of, middle_px
from vision.square.reader import Bareness

BOARD = SquareBoard(4)
CELLS = list(BOARD.cells)
#: How sure a reader must be.
SURE = 0.95


@pytest.fixture(scope="module")
def tones() -> Floats:
    """An empty board: every square has a print of its own, of stripes, on a bright rim."""
    rng = np.random.default_rng(3)
    size = round(2 * extent_of(BOARD) * CELL_PX / 4)
    picture = np.full((size, size, 3), 0.7, np.float32)
    for cell in CELLS:
        column, row = (round(value) for value in middle_px(cell))
        stripes = np.repeat(rng.uniform(0.2, 0.6, (CELL_PX // 6, 1, 3)), 6, axis=0).repeat(CELL_PX, axis=1)
        half = CELL_PX // 2
        picture[row - half : row + half, column - half : column + half] = stripes
    return picture


def with_tile(tones: Floats, cell: SquareCell) -> Floats:
    """The same with a pale tile on a square, a dark cross on it."""
    found = tones.copy()
    column, row = (round(value) for value in middle_px(cell))
    for reach, across, tone in ((20, 20, 0.75), (3, 16, 0.1), (16, 3, 0.1)):
        found[row - reach : row + reach, column - across : column + across] = tone
    return found


def bareness(tones: Floats) -> Bareness:
    return Bareness(tones, [middle_px(cell) for cell in CELLS])


def test_bare_ground_stays_itself_in_shade_and_noise(tones: Floats) -> None:
    rng = np.random.default_rng(4)
    shade = np.linspace(0.8, 1.1, len(tones), dtype=np.float32)[:, None, None]
    shown = np.asarray(tones * shade + rng.normal(0, 0.015, tones.shape), np.float32)
    assert bareness(tones).probabilities(shown, range(len(CELLS))).min() >= SURE


def test_a_tile_is_no_bare_ground_and_its_neighbours_are(tones: Floats) -> None:
    laid = SquareCell(1, 2, 4)
    likely = dict(
        zip(CELLS, bareness(tones).probabilities(with_tile(tones, laid), range(len(CELLS))).tolist(), strict=True)
    )
    assert likely.pop(laid) < 0.5
    assert min(likely.values()) >= SURE


def test_the_ground_of_another_square_is_not_its_own(tones: Floats) -> None:
    first, second, *_ = (middle_px(cell) for cell in CELLS)
    swapped = Bareness(tones, [second])
    there = Bareness(tones, [first])
    assert there.probabilities(tones, [0])[0] >= SURE
    moved = np.roll(tones, round(second[0] - first[0]), axis=1)
    assert swapped.probabilities(moved, [0])[0] <= 1 - SURE


def test_cells_are_told_the_same_one_by_one_and_together_and_none_are_none(tones: Floats) -> None:
    shown, asked = with_tile(tones, CELLS[3]), [5, 3, 0]
    one_by_one = [float(bareness(tones).probabilities(shown, [place])[0]) for place in asked]
    assert bareness(tones).probabilities(shown, asked).tolist() == pytest.approx(one_by_one, abs=1e-4)
    assert bareness(tones).probabilities(shown, []).shape == (0,)
