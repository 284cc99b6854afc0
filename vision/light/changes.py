"""The cells of a photograph that differ from what was expected by more than noise and light do."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import HexBoard, HexCell
from vision.light.flatten import Floats
from vision.light.samples import hexagon

#: A cell changed if its mean difference from what was expected, or its largest one over a cube's width, exceeds both a
#: floor (tones) and this many times the picture's usual one: noise differs from table to table.
_MEAN_FLOOR, _MEAN_TIMES = 0.016, 1.9
_PEAK_FLOOR, _PEAK_TIMES = 0.035, 2.2
#: No picture is believed to be noisier than this, even if most of its cells changed at once.
_MOST_USUAL_MEAN, _MOST_USUAL_PEAK = 0.016, 0.03
#: Many cells may have changed: this share of them says how much the unchanged ones show.
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
        middle, inside = (np.flatnonzero(hexagon(inset).ravel()) for inset in (0.15, 0.1))
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
