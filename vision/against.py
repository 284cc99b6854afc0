"""One cell held against what should be seen there: the same print, perhaps a little aside, in another light."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import cv2
import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from companion.board import EDGE_PAIRS, HexCell
from vision.flatten import SIDE_PX, Floats, extent_cells, to_flat
from vision.masks import disc, hexagon
from vision.samples import Mask, strip_distance
from vision.samples import hexagon as sample_hexagon

#: A piece or a tile may have been pushed by this many flat pixels, on top of how well the view is known.
_SHIFT_PX = 1
_REACH_PX = SIDE_PX + _SHIFT_PX
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
        most = cv2.reduce(cv2.absdiff(self.seen, self.look).reshape(-1, 3), 1, cv2.REDUCE_MAX)
        off = np.asarray(most, dtype=np.float32).reshape(self.seen.shape[:2])
        # What half of the cell shows anyway is noise and print a little aside; it tells nothing.
        usual = min(_median(off.take(_inside())), _MOST_USUAL)
        off = np.clip((off - usual) / np.float32(_NEWS), 0, 1)
        return np.asarray(cv2.filter2D(off, -1, disc(0.175)), dtype=np.float32)

    def left(self, hidden: Mask) -> float:
        """Return the mean difference over the cell, sample pixels (25 x 25) in `hidden` left out."""
        inside = hexagon(SIDE_PX, 0.1)[::2, ::2] & ~hidden
        count = int(np.count_nonzero(inside))
        return float(self._amounts @ inside.ravel()) / count if count >= 60 else 0.0

    @cached_property
    def _off(self) -> NDArray[np.float32]:
        """The differences from the look at each sample pixel, (sample pixels, 3)."""
        off = cv2.blur(self.seen - self.look, (3, 3))[::2, ::2]
        return np.asarray(off, dtype=np.float32).reshape(-1, 3)

    @cached_property
    def _amounts(self) -> NDArray[np.float32]:
        """How far each sample pixel differs on average over the colours."""
        return np.asarray(np.abs(self._off) @ np.full(3, 1 / 3, np.float32), dtype=np.float32)

    @cached_property
    def strip(self) -> float:
        """How much the best-lying road's strip differs from what lies beside it, as a mean tone over the channels."""
        return float(np.abs(_strips() @ self._off).mean(axis=1).max())


@cache
def _strips() -> NDArray[np.float32]:
    """Return weights (edge pairs, sample pixels) of every road's strip, less those of what lies beside it."""
    inside, beside = [], []
    for pair in EDGE_PAIRS:
        distance = strip_distance(pair)
        inside.append((sample_hexagon(0.12) & (distance < 0.16)).ravel())
        beside.append((sample_hexagon(0.12) & (distance > 0.3)).ravel())
    weights = [np.array(masks, np.float32) for masks in (inside, beside)]
    first, second = (mask / mask.sum(axis=1, keepdims=True) for mask in weights)
    return np.asarray(first - second, dtype=np.float32)


def against(tone: Floats, look: Floats, cell: HexCell) -> Against:
    """Return a cell of a flat picture against its look, both as tones."""
    column, row = (round(value) for value in to_flat(cell.centre, extent_cells(tone)))
    seen = _cut(tone, column, row)
    # All shifts at once: what is looked up again and again stays in the processor's cache.
    around = look[row - _REACH_PX : row + _REACH_PX + 1, column - _REACH_PX : column + _REACH_PX + 1]
    size, steps, (down, right, channel) = 2 * SIDE_PX + 1, 2 * _SHIFT_PX + 1, around.strides
    moved = as_strided(around, (steps, steps, size, 3 * size), (down, right, down, channel), writeable=False)
    off = moved - seen.reshape(size, 3 * size)
    np.abs(off, out=off)
    off = off.reshape(steps * steps, -1)
    costs = cv2.threshold(off, _CAP, 0, cv2.THRESH_TRUNC, dst=off)[1] @ _weights() + _pushes()
    by_down, by_right = divmod(int(costs.argmin()), steps)
    best = _cut(look, column + by_right - _SHIFT_PX, row + by_down - _SHIFT_PX)
    return Against(seen, _lit(seen, best))


@cache
def _pushes() -> NDArray[np.float64]:
    """Return what being pushed costs, by rows of shifts: of likes the nearest counts."""
    by = np.abs(np.arange(-_SHIFT_PX, _SHIFT_PX + 1))
    return np.asarray(1e-4 * np.add.outer(by, by).ravel())


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
        ones = np.full((x.shape[1], 1), 1 / x.shape[1], np.float32)
        x_mean, y_mean = x @ ones, y @ ones
        x, y = x - x_mean, y - y_mean
        # Held to 1 where the look has no contrast of its own.
        slack = 1e-3 * x.shape[1]
        free = (float(np.vdot(x, y)) + slack) / (float(np.vdot(x, x)) + slack)
        shift = np.clip(y_mean - x_mean, -_MOST_SHIFT, _MOST_SHIFT)
        keep = None
        # Both contrasts at once: on a cell's window numpy's calls cost more than its sums.
        contrasts = np.array([1.0, min(max(free, _LEAST_CONTRAST), _MOST_CONTRAST)], np.float32)[:, None, None]
        shifts = x_mean + shift - contrasts * x_mean
        off = contrasts * a
        off += shifts
        off -= b
        most_off = np.abs(off, out=off).max(axis=1)
        for index in range(2):
            cost, limit = _least_part(most_off[index], most)
            if cost < least:
                least, best = cost, (contrasts[index, 0, 0], shifts[index])
                keep = most_off[index] <= limit
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
    fewer = int(_TRIMMED * len(off))
    return float(np.add.reduce(parted[:fewer])) / fewer, float(parted[most])


def _median(values: NDArray[np.float32]) -> float:
    middle = len(values) // 2
    parted = np.partition(values, middle)
    lower = parted[middle] if len(values) % 2 else parted[:middle].max()
    return float(lower + parted[middle]) / 2
