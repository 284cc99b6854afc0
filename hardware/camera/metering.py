"""When a camera that is metering has settled, and how a USB camera is then held."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import Any

import cv2
import numpy as np

from hardware.camera.frames import Image

#: A camera that has not settled by then is held as it is.
METER_S = 4.0

#: How many pictures in a row must agree, each figure within this share of the one before: automatic exposure moves
#: every second or third picture, and a still scene's mean varies by less (a lamp's flicker is 2 %).
ALIKE, SHARE = 6, 0.03

#: A picture whose mean differs from that before the hold by more than this shows a camera that cannot be held.
JUMP = 0.15

#: (automatic, its value for on, its value for off, what it sets), by OpenCV's names for Video4Linux's controls.
#: Exposure: V4L2_EXPOSURE_APERTURE_PRIORITY and V4L2_EXPOSURE_MANUAL.
AUTOMATICS: Sequence[tuple[int, float, float, tuple[int, ...]]] = (
    (cv2.CAP_PROP_AUTO_EXPOSURE, 3, 1, (cv2.CAP_PROP_EXPOSURE, cv2.CAP_PROP_GAIN)),
    (cv2.CAP_PROP_AUTO_WB, 1, 0, (cv2.CAP_PROP_WB_TEMPERATURE,)),
    (cv2.CAP_PROP_AUTOFOCUS, 1, 0, (cv2.CAP_PROP_FOCUS,)),
)

_log = logging.getLogger(__name__)


class Settling:
    """Watches figures of successive pictures until they stay alike, or `limit_s` is over."""

    def __init__(self, limit_s: float = METER_S, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._until_s = clock, clock() + limit_s
        self._last: tuple[float, ...] | None = None
        self._alike = 0

    @property
    def is_late(self) -> bool:
        """Whether the time is over."""
        return self._clock() >= self._until_s

    def look(self, figures: Sequence[float]) -> bool:
        """Note a picture's figures, all positive; whether they have settled or the time is over."""
        now = tuple(figures)
        same = self._last is not None and all(
            abs(new - old) <= SHARE * max(new, old) for new, old in zip(now, self._last, strict=True)
        )
        self._alike = self._alike + 1 if same else 0
        self._last = now
        return self._alike >= ALIKE or self.is_late


class UsbMetering:
    """Lets a USB camera's automatics run and holds their results; they run on if holding changes the picture.

    Some cameras do not report what their automatics found: once held, their picture turns bright or dark at once.
    """

    def __init__(self, capture: Any, clock: Callable[[], float] = time.monotonic) -> None:
        self._capture, self._clock = capture, clock
        self._settling: Settling | None = None
        self._checking: Settling | None = None
        self._before: float = 0.0
        self._can_hold = True
        self.was_held = False

    def begin(self) -> None:
        """Let the automatics run."""
        self._automatic()
        self._settling, self._checking = Settling(METER_S, self._clock), None

    def look(self, small: Image) -> None:
        """Look at each picture: hold the camera once it has settled, and let go if holding made it worse."""
        level = 1.0 + float(np.mean(small))
        means = [1.0 + float(mean) for mean in cv2.mean(small)[:3]]
        if self._settling is not None and self._settling.look(means):
            self._settling, self.was_held = None, True
            if self._can_hold:
                self._hold()
                self._before, self._checking = level, Settling(1.0, self._clock)
        elif self._checking is not None and self._checking.look(means):
            self._checking = None
            if abs(level - self._before) > JUMP * self._before:
                _log.warning("this USB camera cannot be held: its automatic exposure and white balance stay on")
                self._can_hold = False
                self._automatic()

    def _automatic(self) -> None:
        for automatic, on, _, _ in AUTOMATICS:
            if self._capture.get(automatic) >= 0:  # -1: it has no such control
                self._capture.set(automatic, on)

    def _hold(self) -> None:
        for automatic, _, off, values in AUTOMATICS:
            if self._capture.get(automatic) < 0:
                continue
            controls = [(value, self._capture.get(value)) for value in values]
            self._capture.set(automatic, off)
            for value, amount in controls:
                if amount >= 0:
                    self._capture.set(value, amount)
