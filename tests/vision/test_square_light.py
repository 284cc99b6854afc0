"""The light on a square board is measured on what is known: its rim, and bare cells."""

import cv2
import numpy as np
import pytest

from companion.board import SquareBoard
from vision.light.flatten import Floats
from vision.square.fitting import CELL_PX, evened, extent_of, middle_px

BOARD = SquareBoard(6)
SIZE = round(2 * extent_of(BOARD) * CELL_PX / 4)


def bare() -> Floats:
    rough = np.random.default_rng(1).uniform(0.3, 0.7, (SIZE, SIZE, 3)).astype(np.float32)
    return np.asarray(cv2.GaussianBlur(rough, (0, 0), 2), np.float32)


def lit(tones: Floats) -> Floats:
    """Return warmer tones that grow darker towards the right."""
    fall = np.linspace(1.0, 0.7, SIZE, dtype=np.float32)[None, :, None]
    return np.asarray(tones * fall * np.array([0.8, 1.0, 1.15], np.float32), np.float32)


def test_cells_lie_where_the_picture_says() -> None:
    first, last = middle_px(BOARD.cells[0]), middle_px(BOARD.cells[-1])
    assert last[0] - first[0] == 5 * CELL_PX
    assert first[0] + last[0] == pytest.approx(SIZE - 1, abs=1)


def test_another_light_is_taken_out() -> None:
    assert np.abs(evened(lit(bare()), bare(), BOARD) - bare()).max() < 0.02


def test_what_lies_on_the_cells_does_not_pull_the_light() -> None:
    laid = bare()
    for cell in BOARD.cells[::2]:
        x, y = (round(value) for value in middle_px(cell))
        laid[y - 20 : y + 20, x - 20 : x + 20] = (0.15, 0.5, 0.2)
    found = evened(lit(laid), bare(), BOARD)
    rim = np.ones((SIZE, SIZE), bool)
    inside = round((extent_of(BOARD) - BOARD.half) * CELL_PX / 4)
    rim[inside:-inside, inside:-inside] = False
    assert np.abs(found - bare())[rim].mean() < 0.02
    x, y = (round(value) for value in middle_px(BOARD.cells[0]))
    assert found[y, x] == pytest.approx([0.15, 0.5, 0.2], abs=0.03)
