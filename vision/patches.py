"""Cells as the learnt nets see them: square patches, cut from a flat picture and turned by sixths."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import HexCell
from vision.flatten import SIDE_PX, Floats, extent_cells

#: A patch's width in cell sides, as it reaches a fifth of a side beyond the cell's corners, and in pixels.
PATCH_CELLS, PATCH_PX = 2.4, 48
#: The level of tone 1.0; light brighter than 1.27 of it is as bright as that.
_WHITE = 200.0
#: `cv2.remap` takes no map taller than 32767.
_MOST_CUT = 600

Levels = NDArray[np.uint8]


def levels_of(tone: Floats) -> Levels:
    """Return a picture of tones as levels, 1.0 being 200."""
    return np.asarray(cv2.convertScaleAbs(np.clip(tone, 0, 255 / _WHITE), alpha=_WHITE), dtype=np.uint8)


def cut(levels: Levels, cells: Sequence[HexCell], turns: Sequence[int] = (0,)) -> Floats:
    """Return the patches (cells, turns, PATCH_PX, PATCH_PX, 3) of a flat picture, as tones.

    Turn k shows what lies there turned by k sixths anticlockwise, as edge 0 becomes edge k.
    """
    if not cells:
        return np.zeros((0, len(turns), PATCH_PX, PATCH_PX, 3), np.float32)
    columns, rows = _maps(tuple(cells), tuple(turns), extent_cells(levels))
    parts = []
    for first in range(0, len(columns), _MOST_CUT * PATCH_PX):
        part = slice(first, first + _MOST_CUT * PATCH_PX)
        parts.append(cv2.remap(levels, columns[part], rows[part], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))
    shape = (len(cells), len(turns), PATCH_PX, PATCH_PX, 3)
    return np.asarray(np.concatenate(parts).reshape(shape) / np.float32(_WHITE), dtype=np.float32)


@cache
def _maps(cells: tuple[HexCell, ...], turns: tuple[int, ...], extent: float) -> tuple[Floats, Floats]:
    steps = (np.arange(PATCH_PX) - (PATCH_PX - 1) / 2) * (PATCH_CELLS / PATCH_PX)
    x, y = np.meshgrid(steps, steps)
    columns, rows = [], []
    for cell in cells:
        right, down = cell.centre
        for turn in turns:
            cos, sin = math.cos(math.radians(60 * turn)), math.sin(math.radians(60 * turn))
            columns.append((right + cos * x - sin * y + extent) * SIDE_PX)
            rows.append((down + sin * x + cos * y + extent) * SIDE_PX)
    return np.concatenate(columns).astype(np.float32), np.concatenate(rows).astype(np.float32)
