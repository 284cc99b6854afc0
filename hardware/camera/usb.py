"""A USB camera through OpenCV's Video4Linux, for the camera's own process. Its calls may block."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from hardware.camera.frames import CameraLostError, Frame, Image, Pace, Trouble
from hardware.camera.metering import UsbMetering

#: Each camera's node (Video4Linux).
NODE = "/dev/video{}"

#: The small picture is a quarter as wide: a merchant's cube (15 px) is still four pixels wide.
SHRINK = 4

#: In the dark a camera lengthens its exposure to at most this, and stamps a picture after it.
EXPOSURE_S = 1 / 15

#: An older stamp does not count: not every driver stamps by the monotonic clock.
STAMP_S = 1.0


def video4linux(index: int) -> Any:
    """Return OpenCV's capture of that camera, opened or not; raises CameraLostError if there is no such camera."""
    if not Path(NODE.format(index)).exists():
        raise CameraLostError("it is not there; is it plugged in?", Trouble.MISSING)
    return cv2.VideoCapture(index, cv2.CAP_V4L2)


class UsbDevice:
    """The camera /dev/video`index`. Raises CameraLostError if it is missing, or another program has it.

    It is asked for `size_px`; its driver picks the nearest size that it has.
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
        # Uncompressed pictures of this size come five times a second by USB 2; the format is set before the size.
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
        """Whether exposure, white balance and focus were held once."""
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
        """Return when the picture arrived; without the driver's word, when its only buffer was last emptied."""
        stamp_s = self._capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
        now_s = self._clock()
        return float(stamp_s) if now_s - STAMP_S <= stamp_s <= now_s else self._emptied_s

    def meter(self) -> None:
        """Expose, balance white and focus again, then hold them again."""
        self._metering.begin()

    def close(self) -> None:
        """Release the camera."""
        self._capture.release()
