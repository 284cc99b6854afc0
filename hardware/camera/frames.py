"""The protocol of every camera: a picture and when it was taken, and one way to say that there is none.

And any camera with its pictures checked: frozen, black or of another size they are worse than none.
"""

from __future__ import annotations

import enum
import math
import time
from collections.abc import Callable
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
