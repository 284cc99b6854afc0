"""Where pictures come from: one small protocol; a folder of photographs, and a USB camera."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

#: A picture as OpenCV holds it: height x width x 3, blue, green, red, 8 bits.
Image = NDArray[np.uint8]

#: What a folder camera shows, in the order of their names.
PICTURES = (".jpg", ".jpeg", ".png")


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture; `taken_s` is when, on the clock of `time.monotonic`."""

    image: Image
    taken_s: float


class CameraLostError(Exception):
    """The camera gives no picture; the message says what is known, for people to read."""


class Camera(Protocol):
    """Anything that gives pictures."""

    def frame(self, timeout_s: float) -> Frame:
        """Return a picture taken since the last call; raises CameraLostError where none comes in `timeout_s`."""

    def close(self) -> None:
        """Let go of the device. A second call does nothing."""


class FolderCamera:
    """Shows the photographs of a folder one after the other, each for `hold_s`, and then the last one for good."""

    def __init__(
        self,
        folder: Path,
        hold_s: float = 2.0,
        frames_per_s: float = 4.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._paths: Sequence[Path] = sorted(path for path in folder.glob("*") if path.suffix.lower() in PICTURES)
        if not self._paths:
            raise CameraLostError(f"no photograph (.jpg, .png) in {folder}")
        self._hold_s, self._period_s = hold_s, 1 / frames_per_s
        self._clock, self._sleep = clock, sleep
        self._started_s: float | None = None
        self._next_s = 0.0
        self._shown: tuple[Path, Image] | None = None

    def frame(self, timeout_s: float) -> Frame:
        """Return the photograph of the moment, at most `frames_per_s` times a second."""
        now_s = self._clock()
        if self._started_s is None:
            self._started_s = self._next_s = now_s
        if self._next_s > now_s:
            self._sleep(min(self._next_s - now_s, timeout_s))
            now_s = self._clock()
        self._next_s = max(self._next_s + self._period_s, now_s)
        index = min(int((now_s - self._started_s) / self._hold_s), len(self._paths) - 1)
        return Frame(self._load(self._paths[index]), now_s)

    def _load(self, path: Path) -> Image:
        if self._shown is None or self._shown[0] != path:
            image = cv2.imread(str(path), cv2.IMREAD_COLOR)
            if image is None:
                raise CameraLostError(f"{path} is no picture")
            self._shown = path, np.asarray(image, np.uint8)
        return self._shown[1]

    def close(self) -> None:
        """Forget the picture."""
        self._shown = None


class UsbCamera:
    """A USB camera through OpenCV. A thread of its own takes pictures, the newest wins, and reopens a lost device.

    OpenCV's `read` cannot be told a time limit and may block when the cable is pulled; here only that thread blocks,
    and `frame` still raises in time.
    """

    def __init__(
        self,
        index: int = 0,
        width_px: int = 1640,
        height_px: int = 1232,
        reopen_s: float = 2.0,
        open_device: Callable[[int], Any] = cv2.VideoCapture,
    ) -> None:
        self._index, self._size_px, self._reopen_s = index, (width_px, height_px), reopen_s
        self._open_device = open_device
        self._arrived = threading.Condition()
        self._newest: Frame | None = None
        self._fault = f"camera {index} has not started yet"
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._take, name="usb-camera", daemon=True)
        self._thread.start()

    def frame(self, timeout_s: float) -> Frame:
        """Return a picture that no earlier call has returned."""
        with self._arrived:
            if not self._arrived.wait_for(lambda: self._newest is not None, timeout_s):
                raise CameraLostError(self._fault)
            frame, self._newest = self._newest, None
            assert frame is not None
            return frame

    def close(self) -> None:
        """Stop taking pictures; waits at most two seconds for the device."""
        self._closing.set()
        self._thread.join(timeout=2.0)

    def _take(self) -> None:
        while not self._closing.is_set():
            device = self._open_device(self._index)
            try:
                if device.isOpened():
                    device.set(cv2.CAP_PROP_FRAME_WIDTH, self._size_px[0])
                    device.set(cv2.CAP_PROP_FRAME_HEIGHT, self._size_px[1])
                    device.set(cv2.CAP_PROP_BUFFERSIZE, 1)
                    self._take_from(device)
                else:
                    self._fault = f"no camera {self._index}; is it plugged in?"
            finally:
                device.release()
            self._closing.wait(self._reopen_s)

    def _take_from(self, device: Any) -> None:
        while not self._closing.is_set():
            good, image = device.read()
            if not good or image is None:
                return
            with self._arrived:
                self._fault = f"camera {self._index} gives no new picture; check its cable"
                self._newest = Frame(image, time.monotonic())
                self._arrived.notify_all()
