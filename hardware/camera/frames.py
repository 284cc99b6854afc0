"""The protocol of every camera: a picture and when it was taken, and one way to say that there is none."""

from __future__ import annotations

import enum
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

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
