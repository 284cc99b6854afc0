import threading
import time
from pathlib import Path

import cv2
import numpy as np
import pytest

from hardware.camera import CameraLostError, FolderCamera, UsbCamera


class Clock:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds


def write(folder: Path, name: str, grey: int) -> None:
    cv2.imwrite(str(folder / name), np.full((8, 12, 3), grey, np.uint8))


def test_folder_shows_each_photograph_for_its_time_and_the_last_for_good(tmp_path: Path) -> None:
    write(tmp_path, "001.png", 20)
    write(tmp_path, "000.png", 10)
    (tmp_path / "game.json").write_text("{}")
    clock = Clock()
    camera = FolderCamera(tmp_path, hold_s=1.0, frames_per_s=2.0, clock=clock, sleep=clock.sleep)
    shown = [(round(frame.taken_s, 1), int(frame.image[0, 0, 0])) for frame in (camera.frame(1.0) for _ in range(5))]
    assert shown == [(0.0, 10), (0.5, 10), (1.0, 20), (1.5, 20), (2.0, 20)]
    camera.close()


def test_folder_without_photographs_is_named(tmp_path: Path) -> None:
    with pytest.raises(CameraLostError, match=str(tmp_path)):
        FolderCamera(tmp_path)


def test_folder_with_a_broken_photograph_names_it(tmp_path: Path) -> None:
    (tmp_path / "000.jpg").write_bytes(b"not a picture")
    with pytest.raises(CameraLostError, match=r"000\.jpg"):
        FolderCamera(tmp_path).frame(1.0)


class Device:
    """What OpenCV would open: gives `pictures`, then fails; or blocks for ever."""

    def __init__(self, pictures: int, blocks: bool = False) -> None:
        self.left, self.blocks = pictures, blocks
        self.released = threading.Event()

    def isOpened(self) -> bool:  # noqa: N802 (OpenCV's name)
        return True

    def set(self, what: int, value: float) -> bool:
        return True

    def read(self) -> tuple[bool, object]:
        if self.left:
            self.left -= 1
            return True, np.full((2, 2, 3), self.left, np.uint8)
        if self.blocks:
            self.released.wait(3)
        return False, None

    def release(self) -> None:
        self.released.set()


def test_usb_camera_gives_pictures_again_after_the_cable_was_out() -> None:
    devices = [Device(1), Device(1)]
    camera = UsbCamera(reopen_s=0.01, open_device=lambda index: devices.pop(0) if devices else Device(0))
    camera.frame(2.0)
    camera.frame(2.0)
    with pytest.raises(CameraLostError, match="camera 0"):
        camera.frame(0.05)
    camera.close()


def test_usb_camera_that_blocks_is_lost_in_time() -> None:
    device = Device(0, blocks=True)
    camera = UsbCamera(open_device=lambda index: device)
    started_s = time.monotonic()
    with pytest.raises(CameraLostError):
        camera.frame(0.05)
    assert time.monotonic() - started_s < 2.0
    device.released.set()
    camera.close()


def test_usb_camera_that_is_not_there_is_said_so() -> None:
    camera = UsbCamera(index=63, reopen_s=0.01)
    deadline_s = time.monotonic() + 3
    message = ""
    while "plugged in" not in message and time.monotonic() < deadline_s:
        with pytest.raises(CameraLostError) as lost:
            camera.frame(0.05)
        message = str(lost.value)
    assert "no camera 63" in message
    camera.close()
