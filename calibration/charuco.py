"""A camera's lens from photographs of a printed ChArUco board: a chessboard whose white squares carry ArUco markers.

https://docs.opencv.org/4.x/df/d4a/tutorial_charuco_detection.html; the corners of the squares need not all be seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.lens import CalibratedLens
from companion.board import BadInputError

#: The printed board: squares across and down, and a marker's side as a share of its square's. How large it is printed
#: does not matter. Its markers are of another dictionary than those on a table's frame.
_SQUARES, _MARKER_SHARE = (7, 10), 0.74
_DICTIONARY = cv2.aruco.DICT_5X5_100
#: Pixels a square and round the board when it is written for printing: 300 dots an inch at 24 mm a square, on A4.
_SQUARE_PX, _MARGIN_PX = 284, 200

#: Photographs with fewer corners of squares, of 54, do not count; and so many must count.
_LEAST_CORNERS, _LEAST_PHOTOS = 12, 6
#: The corners of all photographs together must span this share of the picture: where none was, the lens is a guess.
_SPAN_SHARE = 0.5
#: Two photographs at least must show the sheet tilted against each other by so much: views from straight above alone
#: say nothing of the focal length.
_LEAST_TILT_DEGREES = 15.0
#: k3 is fitted only if corners then lie nearer than this share of what they do without: beyond the corners seen it
#: bends the picture anyhow.
_WORTH_K3 = 0.9
#: The most that corners may lie from where the lens has them, in px of a picture 1640 wide: a flat sheet in sharp
#: photographs has 0.2 to 0.5.
_MOST_RMS_PX, _USUAL_WIDTH_PX = 1.0, 1640


@dataclass(frozen=True, slots=True)
class LensCalibration:
    """A lens, how far corners lie from where it has them (rms), and from how many photographs and corners it is."""

    lens: CalibratedLens
    rms_px: float
    photos: int
    corners: int


@dataclass(frozen=True, slots=True)
class _Seen:
    """Corners of squares on one photograph: on the board (N, 1, 3), in squares, and in the picture (N, 1, 2)."""

    on_board: NDArray[np.float32]
    in_picture: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Fitted:
    """What OpenCV found: k1, k2, p1, p2, k3, and how far at most two sheets are tilted against each other."""

    rms_px: float
    matrix: NDArray[np.float64]
    distortion: list[float]
    tilt_degrees: float


def charuco_sheet() -> NDArray[np.uint8]:
    """Return the board to print (H, W), black on white, with a white margin."""
    columns, rows = _SQUARES
    size = columns * _SQUARE_PX + 2 * _MARGIN_PX, rows * _SQUARE_PX + 2 * _MARGIN_PX
    return np.asarray(_board().generateImage(size, marginSize=_MARGIN_PX), np.uint8)


def calibrate_lens(photos: Mapping[str, NDArray[np.uint8]], size_px: tuple[int, int] | None = None) -> LensCalibration:
    """Return the lens of the camera that took these photographs (H, W, 3) of the printed board, by their names.

    Raises BadInputError where they differ in size, or from `size_px` (width, height); where too few show enough of the
    board, or all show it alike; or where no lens explains them.
    """
    size_px = _common_size(photos, size_px)
    seen = {name: _corners(image) for name, image in photos.items()}
    counted = [corners for corners in seen.values() if len(corners.in_picture) >= _LEAST_CORNERS]
    if len(counted) < _LEAST_PHOTOS:
        found = ", ".join(f"{name} {len(corners.in_picture)}" for name, corners in seen.items()) or "none was given"
        raise BadInputError(
            f"{len(counted)} photographs show at least {_LEAST_CORNERS} corners of the ChArUco board, "
            f"{_LEAST_PHOTOS} must ({found}); photograph the sheet of `strada lens --sheet`, flat, sharp and large, "
            "from different sides"
        )
    _refuse_narrow(counted, size_px)
    return _calibrated(counted, size_px)


def _board() -> cv2.aruco.CharucoBoard:
    return cv2.aruco.CharucoBoard(_SQUARES, 1.0, _MARKER_SHARE, cv2.aruco.getPredefinedDictionary(_DICTIONARY))


def _common_size(photos: Mapping[str, NDArray[np.uint8]], size_px: tuple[int, int] | None) -> tuple[int, int]:
    wanted = "the table was set up with" if size_px else "the first has"
    for name, image in photos.items():
        height, width = image.shape[:2]
        size_px = size_px or (width, height)
        if (width, height) != size_px:
            raise BadInputError(
                f"{name} has {width} x {height} pixels, {wanted} {size_px[0]} x {size_px[1]}; "
                "take all photographs with the camera mode of the set-up"
            )
    return size_px or (0, 0)


def _corners(image: NDArray[np.uint8]) -> _Seen:
    board = _board()
    gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    # OpenCV's types leave out that it returns None for nothing.
    corners, numbers, _, _ = cast(
        "tuple[NDArray[np.float32] | None, NDArray[np.int32] | None, object, object]",
        cv2.aruco.CharucoDetector(board).detectBoard(gray),
    )
    if corners is None or numbers is None:
        return _Seen(np.zeros((0, 1, 3), np.float32), np.zeros((0, 1, 2), np.float32))
    on_board, in_picture = board.matchImagePoints(cast("Sequence[NDArray[np.float32]]", corners), numbers)
    return _Seen(np.asarray(on_board, np.float32), np.asarray(in_picture, np.float32))


def _refuse_narrow(counted: Sequence[_Seen], size_px: tuple[int, int]) -> None:
    hull = cv2.convexHull(np.concatenate([corners.in_picture for corners in counted]))
    share = cv2.contourArea(hull) / (size_px[0] * size_px[1])
    if share < _SPAN_SHARE:
        raise BadInputError(
            f"the ChArUco board was seen in {share:.0%} of the picture, it should be in {_SPAN_SHARE:.0%} at least; "
            "photograph it near the picture's sides and corners too"
        )


def _calibrated(counted: Sequence[_Seen], size_px: tuple[int, int]) -> LensCalibration:
    fitted = _fitted(counted, size_px, cv2.CALIB_FIX_K3)
    finer = _fitted(counted, size_px, 0)
    if finer.rms_px < _WORTH_K3 * fitted.rms_px:
        fitted = finer
    most_px = _MOST_RMS_PX * max(size_px[0] / _USUAL_WIDTH_PX, 0.25)
    if not fitted.rms_px <= most_px:
        raise BadInputError(
            f"corners of the ChArUco board lie {fitted.rms_px:.2f} px (rms) from where the lens has them, at most "
            f"{most_px:.2f} px will do; lay the sheet flat, hold the camera still, and photograph again"
        )
    if not fitted.tilt_degrees >= _LEAST_TILT_DEGREES:
        raise BadInputError(
            f"the photographs show the ChArUco board too much alike: tilted by {fitted.tilt_degrees:.0f} degrees "
            f"against each other, {_LEAST_TILT_DEGREES:.0f} at least would do; tilt the sheet, or the camera, to "
            "every side"
        )
    m = fitted.matrix
    k1, k2, p1, p2, k3 = fitted.distortion
    lens = CalibratedLens(*size_px, float(m[0, 0]), float(m[1, 1]), float(m[0, 2]), float(m[1, 2]), k1, k2, p1, p2, k3)
    return LensCalibration(lens, fitted.rms_px, len(counted), sum(len(seen.in_picture) for seen in counted))


def _fitted(counted: Sequence[_Seen], size_px: tuple[int, int], flags: int) -> _Fitted:
    try:
        rms_px, matrix, distortion, turns, _ = cv2.calibrateCamera(
            [seen.on_board for seen in counted],
            [seen.in_picture for seen in counted],
            size_px,
            np.eye(3),
            np.zeros(5),
            flags=flags,
        )
    except cv2.error:
        raise BadInputError("no lens explains the photographs of the ChArUco board; take them again") from None
    normals = np.array([np.asarray(cv2.Rodrigues(turn)[0])[:, 2] for turn in turns])
    tilt = float(np.degrees(np.arccos(np.clip(normals @ normals.T, -1, 1))).max())
    return _Fitted(float(rms_px), np.asarray(matrix, np.float64), np.ravel(distortion)[:5].tolist(), tilt)
