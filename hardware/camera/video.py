"""A video file as a camera."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np

from hardware.camera.frames import CameraLostError, Frame, Image, Trouble
from hardware.camera.pacing import Pace

#: For a file that does not say how fast it was taken.
FRAMES_PER_S = 25.0


class VideoCamera:
    """Plays a clip at its own speed, and then shows its last picture for good.

    Raises CameraLostError for a file that is no video.
    """

    def __init__(
        self,
        path: Path,
        frames_per_s: float = 10.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if not path.is_file():
            raise CameraLostError(f"there is no file {path}", Trouble.MISSING)
        self._path, self._clip = path, cv2.VideoCapture(str(path))
        fps = self._clip.get(cv2.CAP_PROP_FPS)
        self._clip_per_s = fps if math.isfinite(fps) and fps > 0 else FRAMES_PER_S
        # Asked more often than the clip changes, it would only show each picture twice.
        self._pace, self._sleep = Pace(min(frames_per_s, self._clip_per_s), clock), sleep
        self._started_s: float | None = None
        self._index, self._ended = -1, False
        self._image: Image | None = None
        self._forward(0)
        if self._image is None:
            self.close()
            raise CameraLostError(f"{path} is no video that can be played")

    def frame(self, timeout_s: float) -> Frame:
        """Return the picture of the moment, at most `frames_per_s` times a second."""
        now_s = self._pace.wait(timeout_s, self._sleep)
        if self._started_s is None:
            self._started_s = now_s
        # A thousandth of a picture: the clock's rounding must not show the picture before.
        self._forward(int((now_s - self._started_s) * self._clip_per_s + 0.001))
        if self._image is None:
            raise CameraLostError(f"{self._path} was closed")
        return Frame(self._image, now_s)

    def _forward(self, index: int) -> None:
        """Play up to the picture of that number, or to the last."""
        while not self._ended and self._index < index:
            good, image = self._clip.read()
            if good:
                self._image, self._index = np.asarray(image, np.uint8), self._index + 1
            else:
                self._ended = True

    def meter(self) -> None:
        """The clip was exposed long ago."""

    def close(self) -> None:
        """Close the file."""
        self._clip.release()
        self._image, self._ended = None, True
