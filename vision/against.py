"""One cell held against what should be seen there: the same print, perhaps a little aside, in another light."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import EDGE_PAIRS, HexCell
from vision.flatten import SIDE_PX, Floats, extent_cells, to_flat
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
    column, row = (round(value) for value in to_flat(cell.centre, extent_cells(tone)))
    seen = _cut(tone, column, row)
    best, least = seen, np.inf
    for down in range(-_SHIFT_PX, _SHIFT_PX + 1):
        for right in range(-_SHIFT_PX, _SHIFT_PX + 1):
            moved = _cut(look, column + right, row + down)
            off = cv2.threshold(cv2.absdiff(seen, moved), _CAP, 0, cv2.THRESH_TRUNC)[1]
            cost = float(off.ravel() @ _weights()) + 1e-4 * (abs(right) + abs(down))
            if cost < least:
                best, least = moved, cost
    return Against(seen, _lit(seen, best))


def _cut(picture: Floats, column: int, row: int) -> Floats:
    return picture[row - SIDE_PX : row + SIDE_PX + 1, column - SIDE_PX : column + SIDE_PX + 1]


@cache
def _inside() -> NDArray[np.int64]:
    """Return the indices of the window's pixels that lie in the cell."""
    return np.flatnonzero(hexagon(SIDE_PX, 0.1).ravel())


@cache
def _weights() -> NDArray[np.float32]:
    """Return for each tone of a window its weight in the mean over the cell."""
    weights = np.repeat(hexagon(SIDE_PX, 0.1).ravel(), 3).astype(np.float32)
    return np.asarray(weights / weights.sum(), dtype=np.float32)


def _lit(seen: Floats, look: Floats) -> Floats:
    """Return the look with the contrast, and the shift of each channel, that bring most of it to what is seen."""
    # A row a channel: numpy is several times faster along rows than across three columns.
    a, b = (np.ascontiguousarray(picture.reshape(-1, 3).take(_inside(), axis=0).T) for picture in (look, seen))
    most = int(_TRIMMED * (a.shape[1] - 1))
    best, least = None, _least_part(cv2.absdiff(a, b).max(axis=0), most)[0]
    x, y = a, b
    for _ in range(2):
        x_mean, y_mean = x.mean(axis=1, keepdims=True), y.mean(axis=1, keepdims=True)
        x, y = x - x_mean, y - y_mean
        # Held to 1 where the look has no contrast of its own.
        slack = 1e-3 * x.shape[1]
        free = (float(np.vdot(x, y)) + slack) / (float(np.vdot(x, x)) + slack)
        shift = np.clip(y_mean - x_mean, -_MOST_SHIFT, _MOST_SHIFT)
        keep = None
        for contrast in (1.0, float(np.clip(free, _LEAST_CONTRAST, _MOST_CONTRAST))):
            light = np.float32(contrast), x_mean + shift - np.float32(contrast) * x_mean
            off = cv2.absdiff(b, light[0] * a + light[1]).max(axis=0)
            cost, limit = _least_part(off, most)
            if cost < least:
                least, best = cost, light
                keep = off <= limit
        if keep is None:
            break
        kept = np.flatnonzero(keep)
        x, y = a.take(kept, axis=1), b.take(kept, axis=1)
    if best is None:
        return look
    return np.asarray(cv2.transform(look, np.hstack([best[0] * np.eye(3, dtype=np.float32), best[1]])), np.float32)


def _least_part(off: NDArray[np.float32], most: int) -> tuple[float, float]:
    """Return the mean of the smaller part of the differences, and the largest of them: cubes cover the rest."""
    parted = np.partition(off, most)
    return float(parted[: int(_TRIMMED * len(off))].mean()), float(parted[most])
