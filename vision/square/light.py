"""A square board from straight above, in the light of the empty board's photograph.

Tones are levels as photographed, 0 to 1, B G R. The picture is a square round the board's middle. It holds the cells
and the nearest part of the rim round them, `CELL_PX` pixels a cell.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.view import SquareView
from companion.board import QUARTERS, SquareBoard, SquareCell
from vision.light.flatten import GAMMA, SIDE_PX, Floats, Image, Numbers, from_above

#: How far beyond the cells the picture reaches, in quarters of a side: a rim is believed to be this wide (SquareView).
RIM = 1.5
#: Pixels of a cell's side.
CELL_PX = SIDE_PX * QUARTERS // 2
_UNIT_PX = SIDE_PX // 2

#: A patch whose light differs from the rest of the surface by this much (natural logarithm) counts a quarter.
_OFF = 0.1
#: Cells may hold anything, but the rim is as it was: a cell's patches count this much against the rim's.
_CELL_WEIGHT = 0.15
#: Light added before a logarithm is taken, so that black pixels count little.
_FLOOR = 0.03
#: A sensor's end, less the grain that is left in a mean over four pixels.
_FULL = 0.97


def tones_from_above(image: Image, view: SquareView) -> Floats:
    """Return the board's plane as tones (size, size, 3)."""
    flat = from_above(image, view, extent_of(view.board))
    half = cv2.resize(flat, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    return np.asarray(half, np.float32) / np.float32(255)


def full_places(tones: Floats) -> Floats | None:
    """Return 1 where, and in which colour, the sensor was at its end in such a picture, else 0; None: nowhere."""
    full = np.asarray(tones > _FULL, np.float32)
    return full if full.any() else None


def extent_of(board: SquareBoard) -> float:
    """Return how far from the board's middle such a picture reaches, in quarters of a cell's side."""
    return board.half + RIM


def middle_px(cell: SquareCell) -> tuple[float, float]:
    """Return where a cell's middle is in such a picture (column, row), pixel middles at whole numbers."""
    extent = extent_of(SquareBoard(cell.side))
    x, y = cell.centre
    # Each pixel is the mean of two by two pixels; the first of them is at the edge.
    return (x + extent) * _UNIT_PX - 0.25, (y + extent) * _UNIT_PX - 0.25


@cache
def _patches(board: SquareBoard) -> tuple[Numbers, Numbers]:
    """Return the light's patches: their terms of a quadratic surface (patches, 6), and their weights."""
    extent = extent_of(board)
    axis = (np.arange(int(2 * extent)) + 0.5) - extent
    x, y = (values.ravel() for values in np.meshgrid(axis, axis))
    on_rim = np.maximum(np.abs(x), np.abs(y)) > board.half
    x, y = x / extent, y / extent
    terms = np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=-1)
    return terms, np.where(on_rim, 1.0, _CELL_WEIGHT)


def _ratios(tones: Floats, bare: Floats, board: SquareBoard) -> Floats:
    """Return the logarithm by which each patch is brighter than on the bare board, (patches, 3)."""
    count = int(2 * extent_of(board))
    ratios = np.log((tones + _FLOOR) / (bare + _FLOOR))
    return np.asarray(cv2.resize(ratios, (count, count), interpolation=cv2.INTER_AREA).reshape(-1, 3))


def brightness(tones: Floats, bare: Floats, board: SquareBoard) -> float:
    """Return how many steps of doubled light the rim is brighter than on the bare board: its middle patch."""
    _, weights = _patches(board)
    return float(np.median(_ratios(tones, bare, board)[weights == 1]) * GAMMA / np.log(2))


def evened(tones: Floats, bare: Floats, board: SquareBoard) -> Floats:
    """Return the tones in the light of the bare board's photograph.

    For each colour the light's ratio is a quadratic surface through the rim and the cells that look as when bare:
    robust least squares (Cauchy's weights) over patches a quarter of a cell's side wide.
    """
    terms, by_place = _patches(board)
    means = _ratios(tones, bare, board).astype(np.float64)
    weights: NDArray[Any] = by_place
    surface: NDArray[Any] = np.zeros((6, 3))
    for _ in range(8):
        weighed = terms * weights[:, None]
        surface = np.linalg.solve(weighed.T @ terms + 1e-6 * np.eye(6), weighed.T @ means)
        off = np.linalg.norm(means - terms @ surface, axis=1) / _OFF
        weights = by_place / (1 + off * off) ** 2
    count = int(2 * extent_of(board))
    coarse = (terms @ surface).reshape(count, count, 3).astype(np.float32)
    gain = np.exp(cv2.resize(coarse, tones.shape[1::-1], interpolation=cv2.INTER_LINEAR))
    return np.asarray((tones + _FLOOR) / gain - _FLOOR, np.float32)
