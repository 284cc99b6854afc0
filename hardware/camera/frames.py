"""The protocol of every camera: a picture and when it was taken, and one way to say that there is none.

And any camera with its pictures checked: frozen, black or of another size they are worse than none.

It is also measured how far the held exposure is off now: the light of a picture against the light right after metering.
The exposure is metered again between turns, when the light has drifted and no hand is there. And when a camera that is
metering has settled.
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
    """One picture. `taken_s` is when its exposure began, or earlier, on this machine's `time.monotonic`.

    `small` is the same moment's picture at low resolution, blue, green, red too, if the device gives one.
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
    SIZE = "size"  #: its pictures have another shape than those of the table's set-up
    FAULT = "fault"  #: anything else


class CameraLostError(OSError):
    """The camera gives no usable picture; the message says what is known, for people to read."""

    def __init__(self, sentence: str, trouble: Trouble = Trouble.FAULT) -> None:
        super().__init__(sentence)
        self.trouble = trouble


@runtime_checkable
class Camera(Protocol):
    """Anything that gives pictures."""

    def frame(self, timeout_s: float) -> Frame:
        """Return a picture taken since the last call; raises CameraLostError if none comes in `timeout_s`."""

    def meter(self) -> None:
        """Expose, balance white and focus again, then hold all three again; nothing if the device cannot.

        Returns at once: pictures go on, and differ from one another for up to some seconds.
        """

    def close(self) -> None:
        """Release the device. A second call does nothing."""


class Pace:
    """Says when the next picture is due. Belongs to the thread that takes pictures."""

    def __init__(self, frames_per_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._period_s, self._clock = 1 / frames_per_s, clock
        self._due_s = clock()

    @property
    def left_s(self) -> float:
        """How long until the next picture is due; 0 if it is."""
        return max(0.0, self._due_s - self._clock())

    def wait(self, timeout_s: float, sleep: Callable[[float], None] = time.sleep) -> float:
        """Wait until the next picture is due, at most `timeout_s`, and note that it is taken; return when it is."""
        if (left_s := min(self.left_s, timeout_s)) > 0:
            sleep(left_s)
        self.next()
        return self._clock()

    def next(self) -> None:
        """Note that a picture was taken; one that came late does not hurry the ones after it."""
        self._due_s = max(self._due_s + self._period_s, self._clock())


#: A live sensor's noise makes no two pictures identical to the last bit: the same one for this long does not count.
FROZEN_S = 3.0

#: How many times a camera that stays frozen is started again.
RESTART_S = 10.0

#: Hardly any light and no structure for this long: a hand over the lens is gone sooner.
BLACK_S = 2.0

#: Grey levels of 255: a covered lens gives some 16 at most, black in video's limited range, and as much noise again.
BLACK_LEVEL = 24.0

#: How many grey levels a picture shrunk to BLACK_SIZE_PX may vary by: noise is averaged away there, a dim board is not.
BLACK_SPREAD, BLACK_SIZE_PX = 2.5, (32, 24)

#: Shapes that differ by less are the same: 1640 x 1232 and 640 x 480 differ by 0.2 %.
SHAPE_SHARE = 0.005

#: One in this many rows is compared first: a live camera's differ at once.
ROWS = 16


class WatchedCamera:
    """Gives the camera's pictures at one size. Belongs to the thread that calls `frame`; `meter` and `close` to any.

    `size_px` (width, height) is what the table was set up with, None the size of the first picture. `is_live` is
    False for photographs, clips and drawings, which may stay the same; `restart` starts a frozen device again.
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
        """Return the camera's next picture; raises CameraLostError for an unusable one too."""
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
    """Whether a picture (H, W, 3) has hardly any light, and no structure.

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
