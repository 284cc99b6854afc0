"""A cheap look at every picture: does anything move, and has anything changed since the last one that was read?"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

#: Pictures are compared at a quarter of their size: a cube (15 px) is still four pixels wide, noise is a quarter.
SHRINK = 4

#: A pixel differs when it changed by more grey levels than this, beyond what the whole picture did (a lamp flickers).
LEVELS = 14.0

#: Fewer differing pixels than this are noise; a cube has about sixteen.
PIXELS = 6

Small = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Motion:
    """`is_still`: as the picture before; `has_changed`: not as the one that was read last."""

    is_still: bool
    has_changed: bool


class Steadier:
    """Compares each picture with the one before and with the last one read. Belongs to the thread that calls it."""

    def __init__(self) -> None:
        self._before: Small | None = None
        self._read: Small | None = None

    def look(self, image: NDArray[np.uint8]) -> Motion:
        """Return how the picture (H, W, 3; blue, green, red) differs; the very first is neither still nor known."""
        size = (image.shape[1] // SHRINK, image.shape[0] // SHRINK)
        small = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.float32)
        motion = Motion(not _differ(self._before, small), _differ(self._read, small))
        self._before = small
        return motion

    def keep(self) -> None:
        """Note that the picture looked at last is being read."""
        self._read = self._before


def _differ(one: Small | None, other: Small) -> bool:
    if one is None or one.shape != other.shape:
        return True
    change = cv2.subtract(other, one)
    whole = np.median(change[::8, ::8], axis=(0, 1)).astype(np.float64)
    alike = int(cv2.countNonZero(cv2.inRange(change, whole - LEVELS, whole + LEVELS)))
    return bool(change.shape[0] * change.shape[1] - alike >= PIXELS)
