"""A USB camera through OpenCV's Video4Linux, and how it is metered and held, for the camera's own process.

Its calls may block.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from hardware.camera.frames import METER_S, CameraLostError, Frame, Image, Pace, Settling, Trouble

#: Each camera's device node (Video4Linux).
NODE = "/dev/video{}"

#: The small picture is a quarter as wide, so a merchant's cube (15 px) is still four pixels wide.
SHRINK = 4

#: In the dark a camera lengthens its exposure to this at most, and stamps a picture after its exposure.
EXPOSURE_S = 1 / 15

#: An older stamp does not count, because not every driver uses the monotonic clock.
STAMP_S = 1.0


#: If holding a camera changes its picture's mean by more than this share, the camera cannot be held.
JUMP = 0.15

#: Each automatic: (its control, the value for on, the value for off, what it sets), in OpenCV's names for Video4Linux's
#: controls.
#: Exposure: V4L2_EXPOSURE_APERTURE_PRIORITY and V4L2_EXPOSURE_MANUAL.
AUTOMATICS: Sequence[tuple[int, float, float, tuple[int, ...]]] = (
    (cv2.CAP_PROP_AUTO_EXPOSURE, 3, 1, (cv2.CAP_PROP_EXPOSURE, cv2.CAP_PROP_GAIN)),
    (cv2.CAP_PROP_AUTO_WB, 1, 0, (cv2.CAP_PROP_WB_TEMPERATURE,)),
    (cv2.CAP_PROP_AUTOFOCUS, 1, 0, (cv2.CAP_PROP_FOCUS,)),
)

_log = logging.getLogger(__name__)


def video4linux(index: int) -> Any:
    """Return OpenCV's capture of that camera, opened or not; raises CameraLostError if there is no such camera."""
    if not Path(NODE.format(index)).exists():
        raise CameraLostError("it is not there; is it plugged in?", Trouble.MISSING)
    return cv2.VideoCapture(index, cv2.CAP_V4L2)


class UsbDevice:
    """The camera /dev/video`index`. Raises CameraLostError if it is missing, or another program has it.

    It asks for `size_px`; the driver picks the nearest size that it has.
    """

    def __init__(
        self,
        index: int = 0,
        size_px: tuple[int, int] = (1640, 1232),
        frames_per_s: float = 10.0,
        open_capture: Callable[[int], Any] = video4linux,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self._capture = open_capture(index)
        if not self._capture.isOpened():
            self._capture.release()
            raise CameraLostError("it cannot be opened; another program may have it", Trouble.BUSY)
        # USB 2 carries only five uncompressed pictures of this size a second. The format is set before the size.
        self._capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        self._capture.set(cv2.CAP_PROP_FRAME_WIDTH, size_px[0])
        self._capture.set(cv2.CAP_PROP_FRAME_HEIGHT, size_px[1])
        self._capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        self._metering = UsbMetering(self._capture, clock)
        self._metering.begin()
        self._pace = Pace(frames_per_s, clock)
        self._emptied_s = clock()

    @property
    def is_settled(self) -> bool:
        """Whether exposure, white balance and focus have been held once."""
        return self._metering.was_held

    def frame(self, timeout_s: float) -> Frame:
        """Return the first good picture that is due. Earlier ones are taken too, so that none waits in the driver."""
        deadline_s = self._clock() + timeout_s
        while self._clock() < deadline_s:
            if not self._capture.grab():
                break
            if self._pace.left_s > 0:
                self._emptied_s = self._clock()
                continue
            taken_s = self._stamp() - EXPOSURE_S
            self._emptied_s = self._clock()
            good, image = self._capture.retrieve()
            if good and image is not None:
                self._pace.next()
                return self._framed(np.asarray(image, np.uint8), taken_s)
        raise CameraLostError("it gives no picture any more; check its cable", Trouble.SILENT)

    def _framed(self, image: Image, taken_s: float) -> Frame:
        size = (image.shape[1] // SHRINK, image.shape[0] // SHRINK)
        small = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
        self._metering.look(small)
        return Frame(image, taken_s, small)

    def _stamp(self) -> float:
        """Return when the picture arrived. If the driver does not say, take when its only buffer was last emptied."""
        stamp_s = self._capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
        now_s = self._clock()
        return float(stamp_s) if now_s - STAMP_S <= stamp_s <= now_s else self._emptied_s

    def meter(self) -> None:
        """Run automatic exposure, white balance and focus again, then hold them."""
        self._metering.begin()

    def close(self) -> None:
        """Release the camera."""
        self._capture.release()


class UsbMetering:
    """Lets a USB camera's automatics run and holds their results. They run on if holding would change the picture.

    Some cameras do not report what their automatics found. Once held, their picture turns bright or dark at once.
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
        """Look at each picture. Hold the camera once it has settled; let go if holding made the picture worse."""
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
