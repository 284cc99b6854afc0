"""Photographs that were taken with a phone: read from their bytes, and laid over what the table's camera sees.

A board is flat. So a photograph of it from another place can be turned into what a camera at the first place would
have seen of it: everything that lies flat is then where it should be, and what stands up leans a little.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import BadInputError
from companion.system.pictures import size_px
from vision.light.flatten import Image

Matrix = NDArray[np.float64]

#: What is said where two pictures do not show the same board.
OTHER_BOARD = "photo-elsewhere"
#: Phones take some 12 million pixels; their pages send fewer. More would take too much of a small machine's memory.
MOST_PIXELS = 16_000_000
#: With a shorter side than this a cell has too few pixels to be read.
_LEAST_PX = 600
#: An empty board's photograph is no larger, as the camera's own: a cell's side has some 36 pixels.
_LONGEST_PX = 1640
#: The containers of HEIF and AVIF: ISO/IEC 23008-12, at byte 8 of the file.
_HEIF = (b"heic", b"heix", b"hevc", b"heim", b"heis", b"mif1", b"msf1", b"avif", b"avis")
#: Features are looked for at this size, and so many of them; of those that are alike a match must be clearly the best.
_LOOK_PX, _FEATURES, _CLEARLY = 1200, 4000, 0.8
#: So many that agree on one place are no accident, each within so many pixels of that size.
_LEAST_AGREE, _AGREE_PX = 40, 3.0


def refuse_kind(head: bytes) -> None:
    """Raise BadInputError unless a file that begins so is a JPEG or PNG; it says of HEIC what to do."""
    if head[4:8] == b"ftyp" and head[8:12] in _HEIF:
        raise BadInputError("this is a HEIC photograph, which cannot be read; send a JPEG", "photo-heic")
    if not head.startswith((b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n")):
        raise BadInputError("this is no photograph that can be read; it should be a JPEG or PNG", "photo-kind")


def decoded(content: bytes) -> Image:
    """Return the photograph in a JPEG's or PNG's bytes, upright as its EXIF says; raises BadInputError for none."""
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
    """Return the photograph (H, W, 3) as it would look from where `seen` was taken, and of that one's size.

    Raises BadInputError where the two do not show the same board.
    """
    return warped(photo, place_between(photo, seen), seen)


def other_board() -> BadInputError:
    """Return what says that two pictures do not show the same board."""
    wrong = "the two pictures do not show the same board; take the whole frame into the picture, from above"
    return BadInputError(wrong, OTHER_BOARD)


def warped(photo: Image, place: Matrix, seen: Image) -> Image:
    """Return the photograph after the homography `place`, of the size of `seen`."""
    size = seen.shape[1], seen.shape[0]
    return np.asarray(cv2.warpPerspective(photo, place, size, flags=cv2.INTER_AREA), np.uint8)


def place_between(photo: Image, seen: Image) -> Matrix:
    """Return what takes pixels of one picture to those of the other that show the same place of the board's plane.

    Both must be in focus; light and camera may differ. Raises BadInputError where they do not show the same board.
    """
    (one, one_scale), (other, other_scale) = shrunk(photo, _LOOK_PX), shrunk(seen, _LOOK_PX)
    sift = cv2.SIFT.create(_FEATURES)
    none = np.zeros(0, np.uint8)
    points, looks = sift.detectAndCompute(cv2.cvtColor(one, cv2.COLOR_BGR2GRAY), none)
    others, other_looks = sift.detectAndCompute(cv2.cvtColor(other, cv2.COLOR_BGR2GRAY), none)
    if looks is None or other_looks is None or len(points) < _LEAST_AGREE or len(others) < _LEAST_AGREE:
        raise other_board()
    found = cv2.BFMatcher(cv2.NORM_L2).knnMatch(looks, other_looks, k=2)
    pairs = [best for best, second in found if best.distance < _CLEARLY * second.distance]
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
    """Return the picture with no longer side than that, and its scale."""
    scale = min(1.0, longest_px / max(image.shape[:2]))
    if scale == 1.0:
        return image, scale
    return np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8), scale
