"""The protocol every camera keeps: a picture and when it was taken, and one way to say that there is none."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

#: A picture as OpenCV holds it: height x width x 3, blue, green, red, 8 bits.
Image = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture. `taken_s` is when its exposure began, or earlier, on this machine's `time.monotonic`.

    `small` is the same moment's picture at low resolution, blue, green, red too, where the device gives one.
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
    """The camera gives no picture that could be used; the message says what is known, for people to read."""

    def __init__(self, sentence: str, trouble: Trouble = Trouble.FAULT) -> None:
        super().__init__(sentence)
        self.trouble = trouble


@runtime_checkable
class Camera(Protocol):
    """Anything that gives pictures."""

    def frame(self, timeout_s: float) -> Frame:
        """Return a picture taken since the last call; raises CameraLostError where none comes in `timeout_s`."""

    def meter(self) -> None:
        """Expose, balance white and focus anew, then hold all three again; nothing where the device cannot.

        Returns at once: pictures go on, and differ from one another for up to some seconds.
        """

    def close(self) -> None:
        """Let go of the device. A second call does nothing."""
