"""Devices that the camera's own process opens in tests: a file, which the test changes, says what they do.

There are also helpers that take pictures until a device has settled, or until one is as it should be.
"""

import ctypes
import itertools
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np

from hardware.camera import CameraLostError, Device, Frame, ProcessCamera, Trouble

Settling = TypeVar("Settling", bound=Device)


class Switched:
    """Gives uniform pictures, each a level brighter, while the file says "on", or anything that is not named below."""

    is_settled = True

    def __init__(self, switch: str, size_px: tuple[int, int] = (64, 48), frames_per_s: float = 50.0) -> None:
        self._switch, self._size_px, self._period_s = Path(switch), size_px, 1 / frames_per_s
        self._levels = itertools.cycle(range(1, 200))
        self._is_metered = False
        if self._word() == "gone":
            raise CameraLostError("it is not there", Trouble.MISSING)
        if self._word() == "block at once":
            time.sleep(600)

    def _word(self) -> str:
        return self._switch.read_text()

    def frame(self, timeout_s: float) -> Frame:
        time.sleep(self._period_s)
        match self._word():
            case "gone":
                raise CameraLostError("it gives no picture", Trouble.SILENT)
            case "block":
                time.sleep(600)
            case "block holding everything":
                ctypes.PyDLL(None).sleep(600)  # without letting the process's other threads run
            case "crash":
                os.abort()
            case "fail":
                raise RuntimeError("the driver is cross")
            case "larger":
                self._size_px = (128, 96)
        level = 250 if self._is_metered else next(self._levels)
        width, height = self._size_px
        image = np.full((height, width, 3), level, np.uint8)
        return Frame(image, time.monotonic(), image[::4, ::4].copy())

    def meter(self) -> None:
        self._is_metered = True

    def close(self) -> None:
        if self._word() == "block":
            time.sleep(600)


class Unsettled(Switched):
    """Settles at its third picture."""

    is_settled = False

    def frame(self, timeout_s: float) -> Frame:
        frame = super().frame(timeout_s)
        self.is_settled = int(frame.image[0, 0, 0]) >= 3
        return frame


class OneSize(Switched):
    """Gives no small pictures."""

    def frame(self, timeout_s: float) -> Frame:
        frame = super().frame(timeout_s)
        return Frame(frame.image, frame.taken_s)


def settled(device: Settling) -> Settling:
    """Take pictures until the device holds exposure and white balance."""
    for _ in range(60):
        device.frame(1.0)
        if device.is_settled:
            return device
    raise AssertionError("it did not settle")


def first_frame(camera: ProcessCamera) -> Frame:
    """Return the first picture, however long the process takes to start."""
    return until(camera, lambda frame: True)


def until(camera: ProcessCamera, is_so: Callable[[Frame], bool], limit_s: float = 10.0) -> Frame:
    deadline_s = time.monotonic() + limit_s
    while time.monotonic() < deadline_s:
        try:
            frame = camera.frame(0.5)
        except CameraLostError:
            continue
        if is_so(frame):
            return frame
    raise AssertionError("no such picture came")
