"""A folder of photographs, or a video file, as a camera."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import cv2
import numpy as np

from companion.system.durable import contents
from companion.system.pictures import is_sane
from hardware.camera.frames import CameraLostError, Frame, Image, Pace, Trouble

#: The files that a folder camera shows, in the order of their names.
PICTURES = (".jpg", ".jpeg", ".png")


class FolderCamera:
    """Shows the photographs of a folder one after another, each for `hold_s`, then keeps showing the last one.

    Raises CameraLostError for a folder without photographs.
    """

    def __init__(
        self,
        folder: Path,
        hold_s: float = 2.0,
        frames_per_s: float = 4.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._paths = photographs_in(folder)
        if not self._paths:
            raise CameraLostError(f"no photograph (.jpg, .png) in {folder}", Trouble.MISSING)
        self._hold_s, self._sleep = hold_s, sleep
        self._pace = Pace(frames_per_s, clock)
        self._started_s: float | None = None
        self._shown: tuple[Path, Image] | None = None

    def frame(self, timeout_s: float) -> Frame:
        """Return the current photograph, at most `frames_per_s` times a second."""
        now_s = self._pace.wait(timeout_s, self._sleep)
        if self._started_s is None:
            self._started_s = now_s
        index = min(int((now_s - self._started_s) / self._hold_s), len(self._paths) - 1)
        return Frame(self._load(self._paths[index]), now_s)

    def _load(self, path: Path) -> Image:
        if self._shown is None or self._shown[0] != path:
            image = read_photograph(path)
            if image is None:
                raise CameraLostError(f"{path} is not a picture")
            self._shown = path, image
        return self._shown[1]

    def meter(self) -> None:
        """Do nothing: photographs were exposed long ago."""

    def close(self) -> None:
        """Forget the picture."""
        self._shown = None


def photographs_in(folder: Path) -> Sequence[Path]:
    """Return the photographs of a folder, in the order of their names; none if there is no such folder."""
    return sorted(path for path in folder.glob("*") if path.suffix.lower() in PICTURES)


def read_photograph(path: Path) -> Image | None:
    """Return the photograph in that file; None if it cannot be read."""
    try:
        content = contents(path)
        image = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR) if is_sane(content) else None
    except (OSError, cv2.error):  # OpenCV is silent about some kinds of damage, and raises for others
        return None
    return None if image is None else np.asarray(image, np.uint8)


#: For a file that does not say how many pictures a second it has.
FRAMES_PER_S = 25.0


class VideoCamera:
    """Plays a clip at its own speed, then keeps showing its last picture.

    Raises CameraLostError for a file that is not a video.
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
        # Any faster than the clip changes, each picture would only be shown twice.
        self._pace, self._sleep = Pace(min(frames_per_s, self._clip_per_s), clock), sleep
        self._started_s: float | None = None
        self._index, self._ended = -1, False
        self._image: Image | None = None
        self._forward(0)
        if self._image is None:
            self.close()
            raise CameraLostError(f"{path} is not a video that can be played")

    def frame(self, timeout_s: float) -> Frame:
        """Return the clip's current picture, at most `frames_per_s` times a second."""
        now_s = self._pace.wait(timeout_s, self._sleep)
        if self._started_s is None:
            self._started_s = now_s
        # A thousandth of a picture is added, or the clock's rounding could show the previous picture.
        self._forward(int((now_s - self._started_s) * self._clip_per_s + 0.001))
        if self._image is None:
            raise CameraLostError(f"{self._path} was closed")
        return Frame(self._image, now_s)

    def _forward(self, index: int) -> None:
        """Play up to the picture with that number, or to the last one."""
        while not self._ended and self._index < index:
            good, image = self._clip.read()
            if good:
                self._image, self._index = np.asarray(image, np.uint8), self._index + 1
            else:
                self._ended = True

    def meter(self) -> None:
        """Do nothing: the clip was exposed long ago."""

    def close(self) -> None:
        """Close the file."""
        self._clip.release()
        self._image, self._ended = None, True
