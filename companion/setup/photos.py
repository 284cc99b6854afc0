"""Photographs that the table's own camera did not take: a phone's, and those of a folder.

A board is flat. So a phone's photograph of it can be turned into what a camera at another place would have seen of it:
everything that lies flat is then where it should be, and what stands up leans a little. A folder's photographs come one
at a time: the one on show stays until a step of the set-up asks for the next.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import BadInputError
from companion.system.pictures import size_px
from hardware.camera.recorded import photographs_in, read_photograph
from vision.light.flatten import Image

Matrix = NDArray[np.float64]

#: The error's code if two pictures do not show the same board.
OTHER_BOARD = "photo-elsewhere"
#: Phones take some 12 million pixels; their pages send fewer. More would take too much of a small machine's memory.
MOST_PIXELS = 16_000_000
#: If a photograph's shorter side is smaller than this, its cells have too few pixels to be read.
_LEAST_PX = 600
#: An empty board's photograph is no larger than this, like the camera's own: a cell's side has some 36 pixels.
_LONGEST_PX = 1640
#: The containers of HEIF and AVIF: ISO/IEC 23008-12, at byte 8 of the file.
_HEIF = (b"heic", b"heix", b"hevc", b"heim", b"heis", b"mif1", b"msf1", b"avif", b"avis")
#: Features are looked for at this size, and at most this many; a match must be clearly better than the next best.
_LOOK_PX, _FEATURES, _CLEARLY = 1200, 4000, 0.8
#: If this many matches agree on one place, it is no accident; each must be within this many pixels at that size.
_LEAST_AGREE, _AGREE_PX = 40, 3.0


def refuse_kind(head: bytes) -> None:
    """Raise BadInputError unless a file that begins like this is a JPEG or PNG; for HEIC it says what to do."""
    if head[4:8] == b"ftyp" and head[8:12] in _HEIF:
        raise BadInputError("this is a HEIC photograph, which cannot be read; send a JPEG", "photo-heic")
    if not head.startswith((b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n")):
        raise BadInputError("this is not a photograph that can be read; it should be a JPEG or PNG", "photo-kind")


def decoded(content: bytes) -> Image:
    """Return the photograph in a JPEG's or PNG's bytes, upright as its EXIF says; raises BadInputError without one."""
    refuse_kind(content[:12])
    size = size_px(content)
    if size is None or min(size) <= 0:
        raise BadInputError("this photograph is damaged; take it again", "photo-damaged")
    if size[0] * size[1] > MOST_PIXELS:
        most = MOST_PIXELS // 1_000_000
        raise BadInputError(f"it has more than {most} million pixels; take it with fewer", "photo-pixels", most=most)
    if min(size) < _LEAST_PX:
        wrong = f"it has {size[0]} x {size[1]} pixels, too few to read a board; take it with more"
        raise BadInputError(wrong, "photo-small", least=_LEAST_PX)
    try:
        image = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR)  # turns it as its EXIF says
    except cv2.error:
        image = None
    if image is None:
        raise BadInputError("this photograph is damaged; take it again", "photo-damaged")
    return np.asarray(image, np.uint8)


def as_ground(photo: Image) -> Image:
    """Return an empty board's photograph at the size that cameras have, at most."""
    return shrunk(photo, _LONGEST_PX)[0]


def laid_over(photo: Image, seen: Image) -> Image:
    """Return the photograph (H, W, 3) as it would look from where `seen` was taken, in the size of `seen`.

    Raises BadInputError if the two do not show the same board.
    """
    return warped(photo, place_between(photo, seen), seen)


def other_board() -> BadInputError:
    """Return the error that says that two pictures do not show the same board."""
    wrong = "the two pictures do not show the same board; take the whole frame into the picture, from above"
    return BadInputError(wrong, OTHER_BOARD)


def warped(photo: Image, place: Matrix, seen: Image) -> Image:
    """Return the photograph after the homography `place`, of the size of `seen`."""
    size = seen.shape[1], seen.shape[0]
    return np.asarray(cv2.warpPerspective(photo, place, size, flags=cv2.INTER_AREA), np.uint8)


def place_between(photo: Image, seen: Image) -> Matrix:
    """Return the map from pixels of one picture to those of the other that show the same place of the board's plane.

    Both must be in focus; light and camera may differ. Raises BadInputError if they do not show the same board.
    """
    (one, one_scale), (other, other_scale) = shrunk(photo, _LOOK_PX), shrunk(seen, _LOOK_PX)
    sift = cv2.SIFT.create(_FEATURES)
    none = np.zeros(0, np.uint8)
    points, looks = sift.detectAndCompute(cv2.cvtColor(one, cv2.COLOR_BGR2GRAY), none)
    others, other_looks = sift.detectAndCompute(cv2.cvtColor(other, cv2.COLOR_BGR2GRAY), none)
    if looks is None or other_looks is None or len(points) < _LEAST_AGREE or len(others) < _LEAST_AGREE:
        raise other_board()
    matches = cv2.BFMatcher(cv2.NORM_L2).knnMatch(looks, other_looks, k=2)
    pairs = [best for best, second in matches if best.distance < _CLEARLY * second.distance]
    if len(pairs) < _LEAST_AGREE:
        raise other_board()
    here = np.array([points[pair.queryIdx].pt for pair in pairs], np.float64)
    there = np.array([others[pair.trainIdx].pt for pair in pairs], np.float64)
    homography, agree = cv2.findHomography(here, there, cv2.RANSAC, _AGREE_PX)
    if homography is None or int(agree.sum()) < _LEAST_AGREE or not is_upright(homography, one.shape[1], one.shape[0]):
        raise other_board()
    back = np.diag([1 / other_scale, 1 / other_scale, 1.0])
    return np.asarray(back @ homography @ np.diag([one_scale, one_scale, 1.0]), np.float64)


def is_upright(homography: object, width: int, height: int) -> bool:
    """Whether a picture's corners stay in front of the camera, and in their order round it: no mirror image."""
    corners = np.array([[[0, 0], [width, 0], [width, height], [0, height]]], np.float64)
    w = corners[0] @ np.asarray(homography)[2, :2] + np.asarray(homography)[2, 2]
    if w.min() <= 0:
        return False
    moved = cv2.perspectiveTransform(corners, np.asarray(homography, np.float64))[0]
    sides = np.roll(moved, -1, axis=0) - moved
    turns = sides[:, 0] * np.roll(sides[:, 1], -1) - sides[:, 1] * np.roll(sides[:, 0], -1)
    return bool((turns > 0).all())


def shrunk(image: Image, longest_px: int) -> tuple[Image, float]:
    """Return the picture with no side longer than that, and its scale."""
    scale = min(1.0, longest_px / max(image.shape[:2]))
    if scale == 1.0:
        return image, scale
    return np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8), scale


class Roll:
    """A folder of photographs that is gone through one by one. Any thread may call it.

    The folder is read again each time, as people may put another photograph there meanwhile.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._lock = folder, threading.Lock()
        self._shown: Path | None = None
        self._read: tuple[Path, Image | None] | None = None

    @property
    def place(self) -> tuple[int, int, str]:
        """Which photograph is on show, from 0, how many there are, and its file's name; (0, 0, "") for none."""
        with self._lock:
            paths, at = self._now()
            return at, len(paths), paths[at].name if paths else ""

    def turn(self, by: int) -> None:
        """Show the photograph that comes this many later, at most the first or the last."""
        with self._lock:
            paths, at = self._now()
            if paths:
                self._shown = paths[min(max(at + by, 0), len(paths) - 1)]

    def picture(self) -> Image | None:
        """Return the photograph on show; None if there is none, or if it cannot be read."""
        with self._lock:
            paths, at = self._now()
            if not paths:
                return None
            if self._read is None or self._read[0] != paths[at] or self._read[1] is None:
                self._read = paths[at], read_photograph(paths[at])
            return self._read[1]

    def _now(self) -> tuple[Sequence[Path], int]:
        """Return the photographs that are there now, and the place of the one on show; the first, if that one is gone.

        New photographs with earlier names do not change which one is on show.
        """
        paths = photographs_in(self._folder)
        if self._shown not in paths:
            self._shown = paths[0] if paths else None
        return paths, 0 if self._shown is None else paths.index(self._shown)
