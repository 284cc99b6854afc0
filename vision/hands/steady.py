"""A cheap look at every picture: does anything move, and has anything changed since the last one that was read?"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.light.flatten import Image, Numbers

#: Pictures are compared at a quarter of their size: a cube (15 px) is still four pixels wide, noise is a quarter.
SHRINK = 4

#: A pixel differs if it changed by more grey levels than this, on top of the change of the whole picture (a lamp
#: flickers), of what is next to it in the other picture, and of this share of its contrast: a camera that trembles by
#: half a pixel moves pixels of a quarter of the size by up to a quarter.
LEVELS, TREMBLE = 14.0, 0.3

#: Fewer differing pixels than this are noise; a cube has about sixteen.
PIXELS = 6

#: This many pictures in a row must be alike before they count as still; their mean is then read.
STILL_FRAMES = 3

_NEIGHBOURS = np.ones((3, 3), np.uint8)
_NONE = np.zeros(3)


@dataclass(frozen=True, slots=True)
class Motion:
    """`is_still`: like several pictures before; `has_changed`: unlike the one that was read last."""

    is_still: bool
    has_changed: bool


@dataclass(frozen=True, slots=True)
class _Look:
    """A picture ready to be compared: small, and the least and the most that each pixel may become by trembling."""

    small: Image
    least: Image
    most: Image

    @classmethod
    def of(cls, image: Image, given: Image | None) -> _Look:
        size = (max(1, image.shape[1] // SHRINK), max(1, image.shape[0] // SHRINK))
        small = given
        if small is None or small.shape[1::-1] != size:
            small = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
        least, most = cv2.erode(small, _NEIGHBOURS), cv2.dilate(small, _NEIGHBOURS)
        contrast = cv2.subtract(most, least)
        return cls(
            small,
            np.asarray(cv2.addWeighted(least, 1, contrast, -TREMBLE, 0), np.uint8),
            np.asarray(cv2.addWeighted(most, 1, contrast, TREMBLE, 0), np.uint8),
        )


class Steadier:
    """Compares each picture with those before and with the last one read. Belongs to the thread that calls it."""

    def __init__(self) -> None:
        self._run: deque[Image] = deque(maxlen=STILL_FRAMES)
        self._first: _Look | None = None
        self._before: _Look | None = None
        self._read: _Look | None = None
        self._outline: Numbers | None = None
        self._within: NDArray[np.uint8] | None = None

    def look(self, image: Image, small: Image | None = None) -> Motion:
        """Return how the picture (H, W, 3; blue, green, red) differs; the very first is neither still nor known.

        `small` is the same picture at a quarter of its size, if the camera gives one: it need not be made then.
        """
        now = _Look.of(image, small)
        if self._within is not None and self._within.shape != now.small.shape[:2]:
            self._within = _mask(self._outline, now.small)
        is_alike = not (self._differ(self._before, now) or self._differ(self._first, now))
        if not is_alike:
            self._run.clear()
            self._first = now
        self._run.append(image)
        self._before = now
        return Motion(len(self._run) == STILL_FRAMES, self._differ(self._read, now))

    def picture(self, most: int | None = None) -> Image:
        """Return the mean of the pictures that were alike, the newest included: a still table with less noise.

        `most` limits how many of them are used, 1 or more; None: all.
        """
        alike = list(self._run)[-(most or STILL_FRAMES) :]
        if len(alike) == 1:
            return alike[0]
        total = np.zeros(alike[0].shape, np.float32)
        for image in alike:
            cv2.accumulate(image, total)
        return np.asarray(cv2.convertScaleAbs(total, alpha=1 / len(alike)), np.uint8)

    def keep(self, outline: Numbers | None = None) -> None:
        """Note that this picture is being read; `outline` (N, 2), in its pixels, is the part that matters from now on.

        Anything that moves outside it moves beside the table. None: all of the picture matters.
        """
        self._read = self._before
        if outline is not None and self._before is not None:
            self._outline = outline
            self._within = _mask(outline, self._before.small)

    def _differ(self, one: _Look | None, other: _Look) -> bool:
        if one is None or one.small.shape != other.small.shape:
            return True
        if one is other:
            return False
        levels = other.small[::8, ::8].astype(np.int16) - one.small[::8, ::8]
        whole = np.median(levels, axis=(0, 1))
        # A thing that came differs from all that was there before, and a thing that went from all that is there now.
        return self._count(other, one, whole) >= PIXELS or self._count(one, other, -whole) >= PIXELS

    def _count(self, late: _Look, early: _Look, whole: Numbers) -> int:
        """Return how many pixels are brighter or darker than all that was there, `whole` being what all changed by."""
        brighter = cv2.subtract(late.small, early.most)
        darker = cv2.subtract(early.least, late.small)
        alike = cv2.bitwise_and(
            cv2.inRange(brighter, _NONE, np.maximum(LEVELS + whole, 0)),
            cv2.inRange(darker, _NONE, np.maximum(LEVELS - whole, 0)),
        )
        differing = cv2.bitwise_not(alike)
        if self._within is not None:
            differing = cv2.bitwise_and(differing, self._within)
        return int(cv2.countNonZero(differing))


def _mask(outline: Numbers | None, small: Image) -> NDArray[np.uint8] | None:
    """Return 255 within the outline, in a picture as large as the small one."""
    if outline is None:
        return None
    hull = cv2.convexHull(np.rint(outline / SHRINK).astype(np.int32))
    return np.asarray(cv2.fillConvexPoly(np.zeros(small.shape[:2], np.uint8), hull, 255), np.uint8)
