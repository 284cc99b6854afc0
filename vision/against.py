"""One cell held against what should be seen there: the same print, perhaps a little aside, in another light."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import EDGE_PAIRS, HexCell
from vision.flatten import SIDE_PX, Floats, to_flat
from vision.masks import disc, hexagon
from vision.samples import Mask, strip_distance
from vision.samples import hexagon as sample_hexagon

#: A piece or a tile may have been pushed by this many flat pixels, on top of how well the view is known.
_SHIFT_PX = 1
#: How far a lamp's haze may lower or raise a cell's contrast, and shift its tones.
_LEAST_CONTRAST, _MOST_CONTRAST, _MOST_SHIFT = 0.5, 1.25, 0.15
#: No pixel counts for more than this while shifts are compared; and this share of the pixels fits the light.
_CAP, _TRIMMED = 0.12, 0.7
#: A tone that differs by this is news for sure.
_NEWS = 0.12
#: More than this is not taken for noise, however much of the cell shows it.
_MOST_USUAL = 0.05


@dataclass(frozen=True)
class Against:
    """A cell's window, (2 SIDE_PX + 1) square, and the look below it brought to the same place and light."""

    seen: Floats
    look: Floats

    @cached_property
    def news(self) -> NDArray[np.float32]:
        """How far each place differs from the look over a cube's top, 0 (not) to 1 (surely)."""
        off = np.asarray(np.abs(self.seen - self.look).max(axis=2), dtype=np.float32)
        # What half of the cell shows anyway is noise and print a little aside; it tells nothing.
        usual = min(float(np.median(off[hexagon(SIDE_PX, 0.1)])), _MOST_USUAL)
        off = np.clip((off - usual) / np.float32(_NEWS), 0, 1)
        return np.asarray(cv2.filter2D(off, -1, disc(0.175)), dtype=np.float32)

    def left(self, hidden: Mask) -> float:
        """Return the mean difference over the cell, sample pixels (25 x 25) in `hidden` left out."""
        off = cv2.blur(self.seen - self.look, (3, 3))[::2, ::2]
        inside = hexagon(SIDE_PX, 0.1)[::2, ::2] & ~hidden
        return float(np.abs(off[inside]).mean()) if inside.sum() >= 60 else 0.0

    @cached_property
    def strip(self) -> float:
        """How much the best-lying road's strip differs from what lies beside it, as a mean tone over the channels."""
        off = cv2.blur(self.seen - self.look, (3, 3))[::2, ::2].reshape(-1, 3)
        inside, beside = _strips()
        return float(np.abs(inside @ off - beside @ off).mean(axis=1).max())


@cache
def _strips() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return weights (edge pairs, sample pixels) of every road's strip and of what lies beside it."""
    inside, beside = [], []
    for pair in EDGE_PAIRS:
        distance = strip_distance(pair)
        inside.append((sample_hexagon(0.12) & (distance < 0.16)).ravel())
        beside.append((sample_hexagon(0.12) & (distance > 0.3)).ravel())
    weights = [np.array(masks, np.float32) for masks in (inside, beside)]
    first, second = (mask / mask.sum(axis=1, keepdims=True) for mask in weights)
    return first, second


def against(tone: Floats, look: Floats, cell: HexCell) -> Against:
    """Return a cell of a flat picture against its look, both as tones."""
    column, row = (round(value) for value in to_flat(cell.centre))
    seen = _cut(tone, column, row)
    inside = hexagon(SIDE_PX, 0.1)
    best, least = None, np.inf
    for down in range(-_SHIFT_PX, _SHIFT_PX + 1):
        for right in range(-_SHIFT_PX, _SHIFT_PX + 1):
            moved = _cut(look, column + right, row + down)
            cost = float(np.minimum(np.abs(seen - moved)[inside], _CAP).mean()) + 1e-4 * (abs(right) + abs(down))
            if cost < least:
                best, least = moved, cost
    assert best is not None
    return Against(seen, _lit(seen, best, inside))


def _cut(picture: Floats, column: int, row: int) -> Floats:
    return picture[row - SIDE_PX : row + SIDE_PX + 1, column - SIDE_PX : column + SIDE_PX + 1]


def _lit(seen: Floats, look: Floats, inside: Mask) -> Floats:
    """Return the look with the contrast, and the shift of each channel, that bring most of it to what is seen."""
    a, b = look[inside], seen[inside]
    best, least = look, _trimmed_mean(np.abs(b - a).max(axis=1))
    keep = np.ones(len(a), dtype=bool)
    for _ in range(2):
        x, y = a[keep], b[keep]
        x_mean, y_mean = x.mean(axis=0), y.mean(axis=0)
        # Held to 1 where the look has no contrast of its own.
        slack = 1e-3 * len(x)
        spread = float(((x - x_mean) ** 2).sum())
        free = float((((x - x_mean) * (y - y_mean)).sum() + slack) / (spread + slack))
        shift = np.clip(y_mean - x_mean, -_MOST_SHIFT, _MOST_SHIFT)
        for contrast in (1.0, float(np.clip(free, _LEAST_CONTRAST, _MOST_CONTRAST))):
            lit = contrast * (a - x_mean) + x_mean + shift
            off = np.abs(b - lit).max(axis=1)
            cost = _trimmed_mean(off)
            if cost < least:
                least = cost
                best = np.asarray(contrast * (look - x_mean) + x_mean + shift, dtype=np.float32)
                nearest = off <= np.quantile(off, _TRIMMED)
        if best is look:
            return look
        keep = nearest
    return best


def _trimmed_mean(off: NDArray[np.float32]) -> float:
    """Return the mean of the smaller part of the differences: cubes cover the rest."""
    return float(np.sort(off)[: int(_TRIMMED * len(off))].mean())
