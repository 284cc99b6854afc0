"""A photograph seen straight from above, in linear light: the board plane at a fixed scale.

A flat picture covers the whole frame. Its pixel (column i, row j) shows the board-plane point
(-EXTENT_CELLS + i / SIDE_PX, -EXTENT_CELLS + j / SIDE_PX), in cell sides.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.view import BoardView

Image = NDArray[np.uint8]
Floats = NDArray[np.float32]

#: Flat pixels per cell side. The cameras at hand see 36; 24 halves the noise and still leaves a cube 10 wide.
SIDE_PX = 24
#: Half the width of what is flattened, in cell sides: the frame with its day tracks.
EXTENT_CELLS = 14.0
#: Width and height of a flat picture.
SIZE_PX = round(2 * EXTENT_CELLS * SIDE_PX)

_NO_MAP = np.zeros(0, np.float32)
# sRGB's curve, near enough to undo what the camera's own processing did: light adds up only when it is linear.
_LINEAR = (np.arange(256, dtype=np.float32) / 255) ** np.float32(2.2)


def from_above(image: Image, view: BoardView) -> Image:
    """Return the board plane as (SIZE_PX, SIZE_PX, 3) levels as photographed, B G R; 0 outside the photograph."""
    both = view.flatten_map(SIDE_PX, -EXTENT_CELLS, -EXTENT_CELLS, EXTENT_CELLS, EXTENT_CELLS)
    flat = cv2.remap(image, both, _NO_MAP, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    return np.asarray(flat, dtype=np.uint8)


def flatten(image: Image, view: BoardView) -> Floats:
    """Return the board plane as (SIZE_PX, SIZE_PX, 3) linear light from 0 to 1, B G R; NaN-free, 0 outside."""
    return linear(from_above(image, view))


def linear(image: Any) -> Floats:
    """Return an 8-bit picture in linear light, 0 to 1."""
    return np.asarray(cv2.LUT(image, _LINEAR), dtype=np.float32).reshape(image.shape)


def to_flat(point_cells: tuple[float, float]) -> tuple[float, float]:
    """Return where a board-plane point lies in a flat picture (column, row), pixel centres at whole numbers."""
    x, y = point_cells
    return (x + EXTENT_CELLS) * SIDE_PX, (y + EXTENT_CELLS) * SIDE_PX


@cache
def plane(radius_px: int) -> tuple[Floats, Floats]:
    """Return board-plane offsets (right, down) in cell sides of a square window of pixels round a point."""
    steps = np.arange(-radius_px, radius_px + 1, dtype=np.float32) / SIDE_PX
    x, y = np.meshgrid(steps, steps)
    return x.astype(np.float32), y.astype(np.float32)


def window(flat: Floats, point_cells: tuple[float, float], radius_px: int) -> Floats:
    """Return the square window of a flat picture round a board-plane point, as a view where it lies inside."""
    column, row = (round(value) for value in to_flat(point_cells))
    top, left = max(row - radius_px, 0), max(column - radius_px, 0)
    return flat[top : row + radius_px + 1, left : column + radius_px + 1]
