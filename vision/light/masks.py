"""The place of a cell in a window of a flat picture."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

from vision.light.flatten import SIDE_PX, plane

Mask = NDArray[np.bool_]


@cache
def hexagon(radius_px: int, inset_cells: float = 0.0) -> Mask:
    """Return the pointy-top hexagon of a cell in its window, `inset_cells` smaller on every side."""
    x, y = plane(radius_px)
    inside = np.ones_like(x, dtype=bool)
    for edge in range(6):
        angle = math.radians(60 * edge)
        inside &= x * math.cos(angle) - y * math.sin(angle) <= math.sqrt(3) / 2 - inset_cells
    return inside


@cache
def disc(radius_cells: float) -> NDArray[np.float32]:
    """Return a disc that sums to 1, for `cv2.filter2D` on flat pictures."""
    x, y = plane(math.ceil(radius_cells * SIDE_PX))
    inside = (np.hypot(x, y) <= radius_cells).astype(np.float32)
    return np.asarray(inside / inside.sum(), dtype=np.float32)


@cache
def ring(inner_cells: float, outer_cells: float) -> NDArray[np.float32]:
    """Return a ring that sums to 1, for `cv2.filter2D` on flat pictures."""
    x, y = plane(math.ceil(outer_cells * SIDE_PX))
    radius = np.hypot(x, y)
    inside = ((radius >= inner_cells) & (radius <= outer_cells)).astype(np.float32)
    return np.asarray(inside / inside.sum(), dtype=np.float32)
