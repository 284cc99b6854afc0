"""How far the held exposure is off now: the light of a picture against the light right after metering.

The exposure is metered again between turns, when the light has drifted and no hand is there. And when a camera that is
metering has settled.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from hardware.camera.frames import Camera, Frame, Image

#: Levels are compared block by block: a hand, a new tile or a shadow changes some blocks, a lamp changes all.
BLOCKS = (16, 12)

#: At or above this level of 255 a channel no longer says how bright the place is.
CLIPPED = 250

#: One in this many pixels is looked at: 20,000 of a large picture tell a share to 0.1 %.
_LOOKED_AT = 20_000

#: Added to levels before they are compared, so that black ones stay comparable.
_FLOOR = 1.0


@dataclass(frozen=True, slots=True)
class Light:
    """A picture's light: the mean level of each of BLOCKS' blocks, row by row, and the share of pixels clipped."""

    levels: tuple[float, ...]
    clipped: float


@dataclass(frozen=True, slots=True)
class LightDrift:
    """`level_ratio`: the middle block's level now against then, 1 is as metered. `clipped`: the share clipped since."""

    level_ratio: float
    clipped: float

    @property
    def stops(self) -> float:
        """By how many steps of doubled level the picture is brighter than metered; negative if darker."""
        return math.log2(self.level_ratio)


def light_of(image: Image) -> Light:
    """Return the light of a picture (H, W, 3); the small one of a frame serves as well, and is cheaper."""
    step = max(1, math.isqrt(image.shape[0] * image.shape[1] // _LOOKED_AT))
    some = np.ascontiguousarray(image[::step, ::step])
    grey = cv2.cvtColor(some, cv2.COLOR_BGR2GRAY)
    blocks = cv2.resize(grey.astype(np.float32), BLOCKS, interpolation=cv2.INTER_AREA)
    clipped = float((some.max(axis=2) >= CLIPPED).mean())
    return Light(tuple(float(level) for level in blocks.ravel()), clipped)


def light_drift(metered: Light, now: Light) -> LightDrift:
    """Return how far `now` is from the light right after metering, whatever was laid or reaches in meanwhile.

    >>> light_drift(Light((63.0,) * 192, 0.0), Light((127.0,) * 192, 0.03))
    LightDrift(level_ratio=2.0, clipped=0.03)
    """
    then = np.asarray(metered.levels) + _FLOOR
    ratios = (np.asarray(now.levels) + _FLOOR) / then
    return LightDrift(float(np.median(ratios)), max(0.0, now.clipped - metered.clipped))


#: How often to check the light of a calm table.
LOOK_S = 5.0

#: How long the camera needs after metering before its light is the one it will be held at.
SETTLE_S = 4.0

#: It meters again if the middle of the picture is this many steps of doubled level off, or this much more is clipped.
MOST_STOPS, MOST_CLIPPED = 0.5, 0.02


class CalmCamera:
    """Gives the camera's pictures. Belongs to the thread that calls it.

    Call `calm` while the table rests: nobody is in the picture, nothing waits for a verdict.
    """

    def __init__(self, camera: Camera, clock: Callable[[], float] = time.monotonic) -> None:
        self._camera, self._clock = camera, clock
        self._newest: Frame | None = None
        self._held: Light | None = None
        self._next_s = clock() + SETTLE_S

    def frame(self, timeout_s: float) -> Frame:
        """Return the camera's next picture."""
        self._newest = self._camera.frame(timeout_s)
        return self._newest

    def calm(self) -> None:
        """Compare the light with that after metering, now and then; have the camera meter again if it is far off."""
        now_s = self._clock()
        if self._newest is None or now_s < self._next_s:
            return
        self._next_s = now_s + LOOK_S
        light = light_of(self._newest.image if self._newest.small is None else self._newest.small)
        if self._held is None:
            self._held = light
            return
        drift = light_drift(self._held, light)
        if abs(drift.stops) > MOST_STOPS or drift.clipped > MOST_CLIPPED:
            self._held, self._next_s = None, now_s + SETTLE_S
            self._camera.meter()

    def meter(self) -> None:
        """Have the camera meter again."""
        self._held, self._next_s = None, self._clock() + SETTLE_S
        self._camera.meter()

    def close(self) -> None:
        """Close the camera."""
        self._camera.close()


#: A camera that has not settled by then is held as it is.
METER_S = 4.0

#: How many pictures in a row must agree, each figure within this share of the one before: automatic exposure moves
#: every second or third picture, and a still scene's mean varies by less (a lamp's flicker is 2 %).
ALIKE, SHARE = 6, 0.03


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
