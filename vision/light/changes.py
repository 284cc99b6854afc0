"""The cells of a photograph that differ from what was expected by more than noise and light do.

A cell may show what was last seen there, only in another light: a hand's shade, or a lamp in another place. A shade
falls over a cell in one piece: medians over more than two strips or two cubes keep its edges and lose anything that
came or went on the board. The shade is taken out of the ratio to what was last seen. What is left is noise if nothing
changed, and a strip's or a cube's tones if something did.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import HexBoard, HexCell
from vision.light.flatten import SIDE_PX, Floats, hexagon, sample_hexagon

#: A cell changed if its mean difference from what was expected, or its largest one over a cube's width, exceeds both a
#: floor (tones) and this many times the picture's usual one: noise differs from table to table.
_MEAN_FLOOR, _MEAN_TIMES = 0.016, 1.9
_PEAK_FLOOR, _PEAK_TIMES = 0.035, 2.2
#: No picture is believed to be noisier than this, even if most of its cells changed at once.
_MOST_USUAL_MEAN, _MOST_USUAL_PEAK = 0.016, 0.03
#: Many cells may have changed: the cell at this quantile shows how much the unchanged ones differ.
_USUAL = 0.3


@dataclass(frozen=True)
class Changes:
    """Each cell's mean difference from what was expected and its largest over a cube's width, (cells,), in tones.

    `noise` is the mean difference that cells show where nothing changed, `has_moved` whether each shows more.
    """

    mean: Floats
    peak: Floats
    noise: float
    has_moved: NDArray[np.bool_]

    @classmethod
    def between(cls, shown: Floats, expected: Floats, board: HexBoard, hands: Collection[HexCell]) -> Changes:
        """Return the changes from the board's samples (cells, ...); `hands` are the cells where a hand was found."""
        count = len(shown)
        # All in one picture for OpenCV, which takes the mean over the colours faster than numpy.
        off = cv2.absdiff(shown.reshape(1, -1, 3), expected.reshape(1, -1, 3))
        off = cv2.transform(off, np.full((1, 3), 1 / 3, np.float32)).reshape(shown.shape[:3])
        blurred = np.array([cv2.blur(one, (5, 5)) for one in off], np.float32).reshape(count, -1)
        middle, inside = (np.flatnonzero(sample_hexagon(inset).ravel()) for inset in (0.15, 0.1))
        mean = np.asarray(off.reshape(count, -1).take(inside, axis=1).mean(axis=1), np.float32)
        peak = blurred.take(middle, axis=1).max(axis=1)
        visible = np.array([cell not in hands for cell in board.cells])
        usual_mean = usual_peak = 0.0
        if visible.any():
            usual_mean = min(float(np.quantile(mean[visible], _USUAL)), _MOST_USUAL_MEAN)
            usual_peak = min(float(np.quantile(peak[visible], _USUAL)), _MOST_USUAL_PEAK)
        has_moved = (mean > max(_MEAN_FLOOR, _MEAN_TIMES * usual_mean)) | (
            peak > max(_PEAK_FLOOR, _PEAK_TIMES * usual_peak)
        )
        return cls(mean, peak, usual_mean, np.asarray(has_moved))


#: The width of the medians, in cell sides: more than two cubes', less than the board's lattice.
_MEDIAN_CELLS = 0.87
#: Medians are taken of bytes: how many levels to a unit of the logarithm of tones, and how far down they reach.
_LEVELS, _DARKEST = 100.0, 1.6
#: No tone counts as darker than this when its logarithm is taken.
_LEAST = 0.02
#: The cell as last seen may be off by this many flat pixels.
_SHIFT_PX = 1
#: Differences are weighed over squares of this many flat pixels: noise is much smaller, a strip is as wide.
_NOISE_PX, _PIECE_PX, _SMOOTH_PX = 3, 9, 5
_SIZE_PX = 2 * SIDE_PX + 1
_STEPS = range(2 * _SHIFT_PX + 1)
_PLACES = [np.s_[down : down + _SIZE_PX, right : right + _SIZE_PX] for down in _STEPS for right in _STEPS]
#: The mean difference in tones, and the largest over a piece, at which a cell is as likely changed as the same. Of the
#: rendered tables' unchanged cells that had to be looked at, 19 in 20 show less than 1.4 times this; of the changed
#: ones, the least shows 1.56 times.
_MEAN, _PEAK = 0.016, 0.05
#: A cell that differs by less than this many times as much is more likely the same than something not understood.
RATHER = 1.35
#: A shade this deep (a logarithm of tones) is more than the light changes by itself between two photographs.
_DEEP = 0.12


@dataclass(frozen=True)
class Sameness:
    """How much a cell differs from what was last seen there in any shade (the same below 1), and how deep the shade is.

    The depth is the greatest departure of the shade's light, as a logarithm of tones.
    """

    otherness: float
    depth: float

    @property
    def is_in_shade(self) -> bool:
        """Whether it is so much darker or lighter that its look will hardly stay."""
        return self.depth > _DEEP


def sameness(shown: Floats, expected: Floats) -> Sameness:
    """Return how a cell's window compares with what was last seen there.

    Both are tones, `shown` (2 SIDE_PX + 1) square, `expected` wider by a flat pixel on every side.
    """
    smooth, below = _smooth(shown), _smooth(expected)
    logs, logs_below = _logs(smooth), _logs(below)
    place = _likeliest_place(_grey(logs), _grey(logs_below))
    ratio, inside = np.asarray(cv2.subtract(logs, logs_below[place]), np.float32), _inside(0.1)
    shade = _shade(ratio)
    tinted = cv2.subtract(ratio, cv2.merge([shade] * 3)).reshape(-1, 3).take(inside, axis=0).T
    # This is the median: a hexagon has a pixel in its middle and pairs round it, so their number is odd.
    tint = np.partition(tinted, len(inside) // 2, axis=1)[:, len(inside) // 2]
    light = cv2.merge([shade + value for value in tint])
    off = _grey(cv2.absdiff(smooth, cv2.multiply(below[place], cv2.exp(light))))
    peak = cv2.blur(off, (_PIECE_PX, _PIECE_PX)).ravel().take(_inside(0.15)).max()
    otherness = max(float(off.ravel().take(inside).mean()) / _MEAN, float(peak) / _PEAK)
    return Sameness(otherness, float(np.abs(shade.ravel().take(inside)).max()))


@cache
def _inside(inset_cells: float) -> NDArray[np.int64]:
    """Return the places, in a cell's flattened window, of the pixels this far inside its edges."""
    return np.flatnonzero(hexagon(SIDE_PX, inset_cells))


def _shade(ratio: Floats) -> Floats:
    """Return the part of a ratio's logarithm that is in one piece, (size, size)."""
    grey = np.clip((_grey(ratio) + _DARKEST) * _LEVELS, 0, 255).astype(np.uint8)
    medians = cv2.medianBlur(grey, round(_MEDIAN_CELLS * SIDE_PX) | 1).astype(np.float32) / _LEVELS - _DARKEST
    return np.asarray(cv2.blur(medians, (_SMOOTH_PX, _SMOOTH_PX)), dtype=np.float32)


def _smooth(tone: Floats) -> Floats:
    return np.asarray(cv2.blur(tone, (_NOISE_PX, _NOISE_PX)), dtype=np.float32)


def _logs(tone: Floats) -> Floats:
    return np.asarray(cv2.log(np.maximum(tone, _LEAST)), dtype=np.float32)


def _grey(picture: NDArray[Any]) -> Floats:
    """Return the mean over the colours, which OpenCV finds faster than numpy."""
    return np.asarray(cv2.transform(picture, np.full((1, 3), 1 / 3, np.float32)), dtype=np.float32)


def _likeliest_place(grey: Floats, below: Floats) -> tuple[slice, slice]:
    """Return where in the wider picture the other one is: the ratio of both differs least from pixel to pixel there."""
    steps, steps_below = (
        (cv2.subtract(one[1:], one[:-1]), cv2.subtract(one[:, 1:], one[:, :-1])) for one in (grey, below)
    )

    def roughness(place: tuple[slice, slice]) -> float:
        rows, columns = place
        down, right = slice(rows.start, rows.stop - 1), slice(columns.start, columns.stop - 1)
        return cv2.norm(steps[0], steps_below[0][down, columns], cv2.NORM_L1) + cv2.norm(
            steps[1], steps_below[1][rows, right], cv2.NORM_L1
        )

    return min(_PLACES, key=roughness)
