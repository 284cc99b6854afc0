"""The protocol of every camera: a picture and when it was taken, and one way to say that there is none.

It also checks any camera's pictures: a frozen or black one, or one of another shape, is worse than none.

It also measures how far off the held exposure is by now, by comparing a picture's light with the light right after
metering. The camera meters again between turns if the light has drifted and no hand is in the way. `Settling` tells
when a camera that is metering has settled.
"""

from __future__ import annotations

import enum
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import cv2
import numpy as np
from numpy.typing import NDArray

#: A picture as OpenCV holds it: height x width x 3, blue, green, red, 8 bits.
Image = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture. On this machine's `time.monotonic`, its exposure began at `taken_s` or a little later.

    `small` is a low-resolution picture of the same moment, also blue, green, red, if the device gives one.
    """

    image: Image
    taken_s: float
    small: Image | None = None


class Trouble(enum.StrEnum):
    """What is wrong with a camera, as far as is known."""

    STARTING = "starting"  #: it has not given its first picture yet
    MISSING = "missing"  #: no such camera, or what it needs is not installed
    BUSY = "busy"  #: another program has it
    SILENT = "silent"  #: it gives no picture any more
    FROZEN = "frozen"  #: it gives the same picture over and over
    BLACK = "black"  #: its pictures are black
    SIZE = "size"  #: its pictures have another shape than the set-up's
    FAULT = "fault"  #: anything else


class CameraLostError(OSError):
    """The camera gives no usable picture. The message says what is known, for people to read."""

    def __init__(self, sentence: str, trouble: Trouble = Trouble.FAULT) -> None:
        super().__init__(sentence)
        self.trouble = trouble


@runtime_checkable
class Camera(Protocol):
    """Anything that gives pictures."""

    def frame(self, timeout_s: float) -> Frame:
        """Return a picture taken since the last call. Raises CameraLostError if none comes within `timeout_s`."""

    def meter(self) -> None:
        """Run automatic exposure, white balance and focus again, then hold all three; do nothing if the device cannot.

        Returns at once: pictures keep coming, and may change from one to the next for a few seconds.
        """

    def close(self) -> None:
        """Release the device. A second call does nothing."""


class Pace:
    """Tells when the next picture is due. Belongs to the thread that takes pictures."""

    def __init__(self, frames_per_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._period_s, self._clock = 1 / frames_per_s, clock
        self._due_s = clock()

    @property
    def left_s(self) -> float:
        """How long until the next picture is due; 0 if it is."""
        return max(0.0, self._due_s - self._clock())

    def wait(self, timeout_s: float, sleep: Callable[[float], None] = time.sleep) -> float:
        """Wait until the next picture is due, at most `timeout_s`, and note that it is taken. Return the time then."""
        if (left_s := min(self.left_s, timeout_s)) > 0:
            sleep(left_s)
        self.next()
        return self._clock()

    def next(self) -> None:
        """Note that a picture was taken. If it was late, the ones after it are not hurried."""
        self._due_s = max(self._due_s + self._period_s, self._clock())


#: A live sensor's noise makes every picture slightly different. If nothing changes for this long, the camera is frozen.
FROZEN_S = 3.0

#: A camera that stays frozen is restarted this often.
RESTART_S = 10.0

#: A picture must have hardly any light and no structure for this long: a hand over the lens is gone sooner.
BLACK_S = 2.0

#: In grey levels of 255: with its lens covered a camera gives at most 16 or so (black in limited-range video), plus as
#: much again in noise.
BLACK_LEVEL = 24.0

#: How many grey levels a picture shrunk to BLACK_SIZE_PX may vary by: shrinking averages noise away, but not a dim
#: board.
BLACK_SPREAD, BLACK_SIZE_PX = 2.5, (32, 24)

#: Aspect ratios that differ by less count as the same: 1640 x 1232 and 640 x 480 differ by 0.2 %.
SHAPE_SHARE = 0.005

#: One row in this many is compared first: in pictures of a live camera, some of them differ at once.
ROWS = 16


class WatchedCamera:
    """Gives the camera's pictures at one size. Belongs to the thread that calls `frame`; any may `meter` and `close`.

    `size_px` (width, height) is the size that the table was set up with; if None, the first picture's size is used.
    `is_live` is False for photographs, clips and drawings, which may stay the same. `restart` restarts a frozen device.
    """

    def __init__(
        self,
        camera: Camera,
        size_px: tuple[int, int] | None = None,
        *,
        is_live: bool = True,
        restart: Callable[[], object] | None = None,
    ) -> None:
        self._camera, self._size_px = camera, size_px
        self._is_live, self._restart = is_live, restart
        self._before: Image | None = None
        self._same_since_s, self._restarted_s = 0.0, -math.inf
        self._black_since_s: float | None = None

    def frame(self, timeout_s: float) -> Frame:
        """Return the camera's next picture. Raises CameraLostError also if the picture is unusable."""
        try:
            frame = self._camera.frame(timeout_s)
        except CameraLostError:
            self._before, self._black_since_s = None, None
            raise
        if self._is_live:
            self._refuse_frozen(frame)
        self._refuse_black(frame)
        return self._fitted(frame)

    def _refuse_frozen(self, frame: Frame) -> None:
        before, self._before = self._before, frame.image
        if before is None or not _is_same(before, frame.image):
            self._same_since_s = frame.taken_s
            return
        if frame.taken_s - self._same_since_s < FROZEN_S:
            return
        if self._restart is not None and frame.taken_s - self._restarted_s >= RESTART_S:
            self._restarted_s = frame.taken_s
            self._restart()
        raise CameraLostError("the camera shows the same picture over and over; check its cable", Trouble.FROZEN)

    def _refuse_black(self, frame: Frame) -> None:
        if not is_black(frame.image if frame.small is None else frame.small):
            self._black_since_s = None
            return
        if self._black_since_s is None:
            self._black_since_s = frame.taken_s
        if frame.taken_s - self._black_since_s >= BLACK_S:
            raise CameraLostError("the camera sees black; is its lens covered, or the light out?", Trouble.BLACK)

    def _fitted(self, frame: Frame) -> Frame:
        height, width = frame.image.shape[:2]
        if self._size_px is None:
            self._size_px = width, height
        wanted = self._size_px
        if wanted == (width, height):
            return frame
        if abs(width * wanted[1] - height * wanted[0]) > SHAPE_SHARE * width * wanted[1]:
            raise CameraLostError(
                f"the camera's pictures are {width} x {height} pixels, the table was set up with "
                f"{wanted[0]} x {wanted[1]}, which is another shape; use that size, or set the table up anew",
                Trouble.SIZE,
            )
        how = cv2.INTER_AREA if width > wanted[0] else cv2.INTER_LINEAR
        image = np.asarray(cv2.resize(frame.image, wanted, interpolation=how), np.uint8)
        return Frame(image, frame.taken_s, frame.small)

    def meter(self) -> None:
        """Have the camera meter again."""
        self._camera.meter()

    def close(self) -> None:
        """Close the camera."""
        self._camera.close()


def is_black(image: Image) -> bool:
    """Return whether a picture (H, W, 3) has hardly any light and no structure.

    >>> is_black(np.full((48, 64, 3), 9, np.uint8))
    True
    """
    shrunk = cv2.resize(image, BLACK_SIZE_PX, interpolation=cv2.INTER_AREA)
    means, spreads = cv2.meanStdDev(shrunk)
    return float(means.max()) < BLACK_LEVEL and float(spreads.max()) < BLACK_SPREAD


def _is_same(one: Image, other: Image) -> bool:
    if one.shape != other.shape or not np.array_equal(one[::ROWS], other[::ROWS]):
        return False
    return bool(np.array_equal(one, other))


#: Levels are compared block by block: a hand, a new tile or a shadow changes some blocks, another light changes all.
BLOCKS = (16, 12)

#: At or above this level of 255 a channel no longer says how bright the place is.
CLIPPED = 250

#: About this many pixels are looked at: 20,000 pixels of a large picture give a share to within 0.1 %.
_LOOKED_AT = 20_000

#: Added to levels before they are compared, so that black ones can be compared too.
_FLOOR = 1.0


@dataclass(frozen=True, slots=True)
class Light:
    """A picture's light: the mean level of each of BLOCKS' blocks, row by row, and the share of pixels clipped."""

    levels: tuple[float, ...]
    clipped: float


@dataclass(frozen=True, slots=True)
class LightDrift:
    """`level_ratio`: the median block's level now against then (1: as metered). `clipped`: the share clipped since."""

    level_ratio: float
    clipped: float

    @property
    def stops(self) -> float:
        """How many stops brighter the picture is than when metered; negative if darker. A stop doubles the level."""
        return math.log2(self.level_ratio)


def light_of(image: Image) -> Light:
    """Return the light of a picture (H, W, 3). A frame's small picture will do too, and is cheaper."""
    step = max(1, math.isqrt(image.shape[0] * image.shape[1] // _LOOKED_AT))
    some = np.ascontiguousarray(image[::step, ::step])
    grey = cv2.cvtColor(some, cv2.COLOR_BGR2GRAY)
    blocks = cv2.resize(grey.astype(np.float32), BLOCKS, interpolation=cv2.INTER_AREA)
    clipped = float((some.max(axis=2) >= CLIPPED).mean())
    return Light(tuple(float(level) for level in blocks.ravel()), clipped)


def light_drift(metered: Light, now: Light) -> LightDrift:
    """Return how far `now` is from the light right after metering, ignoring pieces placed and hands since then.

    >>> light_drift(Light((63.0,) * 192, 0.0), Light((127.0,) * 192, 0.03))
    LightDrift(level_ratio=2.0, clipped=0.03)
    """
    then = np.asarray(metered.levels) + _FLOOR
    ratios = (np.asarray(now.levels) + _FLOOR) / then
    return LightDrift(float(np.median(ratios)), max(0.0, now.clipped - metered.clipped))


#: How often to check the light of a calm table.
LOOK_S = 5.0

#: How long after metering the camera needs until its light is what it will be held at.
SETTLE_S = 4.0

#: It meters again if the picture's typical block is this many stops off, or this much more of the picture is clipped.
MOST_STOPS, MOST_CLIPPED = 0.5, 0.02


class CalmCamera:
    """Gives the camera's pictures. Belongs to the thread that calls it.

    Call `calm` while the table rests: no hand is in the picture and no verdict is pending.
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
        """Compare the light with that after metering, now and then. Have the camera meter again if it is far off."""
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

#: How many pictures in a row must agree, each figure within this share of the one before. Automatic exposure changes
#: with every second or third picture; the mean of a still scene varies by less than this (a lamp's flicker is 2 %).
ALIKE, SHARE = 6, 0.03


class Settling:
    """Watches a few figures of successive pictures until they stop changing, or until `limit_s` is over."""

    def __init__(self, limit_s: float = METER_S, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._until_s = clock, clock() + limit_s
        self._last: tuple[float, ...] | None = None
        self._alike = 0

    @property
    def is_late(self) -> bool:
        """Whether the time is over."""
        return self._clock() >= self._until_s

    def look(self, figures: Sequence[float]) -> bool:
        """Note a picture's figures, all positive. Return whether they have settled or the time is over."""
        now = tuple(figures)
        same = self._last is not None and all(
            abs(new - old) <= SHARE * max(new, old) for new, old in zip(now, self._last, strict=True)
        )
        self._alike = self._alike + 1 if same else 0
        self._last = now
        return self._alike >= ALIKE or self.is_late
