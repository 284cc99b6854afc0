"""How far the held exposure is off now: the light of a picture against the light right after metering."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from hardware.camera.frames import Image

#: Levels are compared block by block: a hand, a new tile or a shadow changes some blocks, a lamp changes all.
BLOCKS = (16, 12)

#: At or above this level of 255 a channel says no more how bright the place is.
CLIPPED = 250

#: Each so many pixels are looked at: 20,000 of a large picture tell a share to 0.1 %.
_LOOKED_AT = 20_000

#: Added to levels before they are compared: what is black stays comparable.
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
        """By how many steps of doubled level the picture is brighter than metered; negative where darker."""
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
