"""Lenses that bend straight lines: one estimated from the board alone, one calibrated beforehand.

The latter comes from photographs of a printed ChArUco board, a chessboard whose white squares carry ArUco markers:
https://docs.opencv.org/4.x/df/d4a/tutorial_charuco_detection.html; the corners of the squares need not all be seen.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from companion.board import BadInputError

Points = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Lens:
    """Radial distortion: a point at distance r from the centre is seen at r (1 + k1 r² + k2 r⁴).

    The unit of r is half the picture's diagonal, so r = 1 in the corners. One plane cannot separate focal length from
    perspective (the homography absorbs both), so no focal length is needed: this unit does as well.
    """

    width_px: int
    height_px: int
    k1: float = 0.0
    k2: float = 0.0

    @property
    def is_plausible(self) -> bool:
        """True if distance as seen grows with true distance all over the picture, as in any real lens."""
        # Seen radii up to 1 come from true radii up to about 1.3 for the strongest lens we would believe.
        r2 = np.linspace(0.0, 1.3, 27) ** 2
        return bool(np.all(1 + 3 * self.k1 * r2 + 5 * self.k2 * r2 * r2 > 0.05))

    def distort(self, points_px: ArrayLike) -> Points:
        """Return where points (N, 2) of the straight picture are seen, in pixels."""
        centre, radius_px = self._unit
        offset = (np.asarray(points_px, dtype=np.float64) - centre) / radius_px
        r2 = np.sum(offset * offset, axis=-1, keepdims=True)
        return np.asarray(centre + offset * (1 + r2 * (self.k1 + self.k2 * r2)) * radius_px)

    def undistort(self, points_px: ArrayLike) -> Points:
        """Return where points (N, 2) as seen would be in the straight picture, in pixels."""
        centre, radius_px = self._unit
        offset = (np.asarray(points_px, dtype=np.float64) - centre) / radius_px
        seen_r = np.sqrt(np.sum(offset * offset, axis=-1, keepdims=True))
        r = seen_r.copy()
        for _ in range(6):  # Newton: six steps reach 1e-9 px for |k1| up to 0.3
            r2 = r * r
            slope = np.maximum(1 + r2 * (3 * self.k1 + 5 * self.k2 * r2), 0.05)
            r -= (r * (1 + r2 * (self.k1 + self.k2 * r2)) - seen_r) / slope
        scale = np.divide(r, seen_r, out=np.ones_like(seen_r), where=seen_r > 1e-12)
        return np.asarray(centre + offset * scale * radius_px)

    @property
    def _unit(self) -> tuple[Points, float]:
        """The picture's centre, pixel centres at whole numbers, and half its diagonal, in pixels."""
        return np.array([self.width_px - 1, self.height_px - 1]) / 2, math.hypot(self.width_px, self.height_px) / 2


@dataclass(frozen=True, slots=True)
class CalibratedLens:
    """A camera's own lens as OpenCV calibrates it: camera matrix and distortion, all in pixels of that picture size.

    The straight picture is what a pinhole camera with the same focal lengths and centre would see.
    https://docs.opencv.org/4.x/d9/d0c/group__calib3d.html has the model. Raises BadInputError if the lens would fold
    the picture over itself.
    """

    width_px: int
    height_px: int
    fx: float
    fy: float
    cx: float
    cy: float
    k1: float = 0.0
    k2: float = 0.0
    p1: float = 0.0
    p2: float = 0.0
    k3: float = 0.0

    def __post_init__(self) -> None:
        numbers = (self.fx, self.fy, self.cx, self.cy, self.k1, self.k2, self.p1, self.p2, self.k3)
        if not all(map(math.isfinite, numbers)) or min(self.fx, self.fy) <= 0:
            raise BadInputError(f"the lens has focal lengths {self.fx:g} and {self.fy:g}; they should be positive")
        rim = _rim(self.width_px, self.height_px)
        if not np.abs(self.distort(self.undistort(rim)) - rim).max() < _ROUND_TRIP_PX:
            raise BadInputError(
                f"the lens (k1 {self.k1:g}, k2 {self.k2:g}, k3 {self.k3:g}) folds the picture of "
                f"{self.width_px} x {self.height_px} pixels over itself; calibrate it again"
            )

    @property
    def is_plausible(self) -> bool:
        """True: an implausible lens is refused when it is made."""
        return True

    @property
    def camera_matrix(self) -> NDArray[np.float64]:
        """OpenCV's camera matrix (3, 3)."""
        return np.array([[self.fx, 0, self.cx], [0, self.fy, self.cy], [0, 0, 1]])

    @property
    def distortion(self) -> NDArray[np.float64]:
        """OpenCV's distortion coefficients (5,): k1, k2, p1, p2, k3."""
        return np.array([self.k1, self.k2, self.p1, self.p2, self.k3])

    def distort(self, points_px: ArrayLike) -> Points:
        """Return where points (..., 2) of the straight picture are seen, in pixels."""
        straight = (np.asarray(points_px, np.float64) - (self.cx, self.cy)) / (self.fx, self.fy)
        x, y = straight[..., 0], straight[..., 1]
        r2 = x * x + y * y
        radial = 1 + r2 * (self.k1 + r2 * (self.k2 + r2 * self.k3))
        bent_x = x * radial + 2 * self.p1 * x * y + self.p2 * (r2 + 2 * x * x)
        bent_y = y * radial + self.p1 * (r2 + 2 * y * y) + 2 * self.p2 * x * y
        return np.stack([bent_x * self.fx + self.cx, bent_y * self.fy + self.cy], axis=-1)

    def undistort(self, points_px: ArrayLike) -> Points:
        """Return where points (..., 2) as seen would be in the straight picture, in pixels."""
        points = np.asarray(points_px, np.float64)
        matrix = self.camera_matrix
        straight = cv2.undistortPointsIter(
            points.reshape(-1, 1, 2), matrix, self.distortion, np.eye(3), matrix, _UNDISTORTION
        )
        return np.asarray(straight, np.float64).reshape(points.shape)


AnyLens = Lens | CalibratedLens

#: OpenCV's search for the straight point ends after this many steps, or when it is this near.
_UNDISTORTION = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 60, 1e-10)
#: A point of the picture's rim, straightened and bent again, must come back this near to where it was.
_ROUND_TRIP_PX = 0.05


def _rim(width_px: int, height_px: int) -> Points:
    """Return points (N, 2) round the picture's rim, corners included."""
    shares = np.linspace(0, 1, 9)
    rim = [(x, y) for x in shares for y in shares if x in (0, 1) or y in (0, 1)]
    return np.array(rim) * (width_px - 1, height_px - 1)


#: The printed board: squares across and down, and a marker's side as a share of its square's. It may be printed at any
#: size. Its markers are from another dictionary than those on a table's frame.
_SQUARES, _MARKER_SHARE = (7, 10), 0.74
_DICTIONARY = cv2.aruco.DICT_5X5_100
#: Pixels to a square, and of margin round the board, when it is written for printing: 300 dots to an inch at 24 mm to a
#: square, on A4.
_SQUARE_PX, _MARGIN_PX = 284, 200

#: Photographs with fewer corners of squares than this, out of 54, do not count; this many photographs must count.
_LEAST_CORNERS, _LEAST_PHOTOS = 12, 6
#: The corners of all photographs together must span this share of the picture: the lens is a guess beyond them.
_SPAN_SHARE = 0.5
#: At least two photographs must show the sheet tilted against each other by this much: views from straight above alone
#: say nothing about the focal length.
_LEAST_TILT_DEGREES = 15.0
#: k3 is fitted only if that brings the corners' distance (rms) below this share of what it is without k3: beyond the
#: corners seen it bends the picture arbitrarily.
_WORTH_K3 = 0.9
#: The farthest that corners may be from where the lens has them (rms), in px of a picture 1640 wide: with a flat sheet
#: in sharp photographs it is 0.2 to 0.5.
_MOST_RMS_PX, _USUAL_WIDTH_PX = 1.0, 1640


@dataclass(frozen=True, slots=True)
class LensCalibration:
    """A lens, how far corners are from where it has them (rms), and the number of photographs and corners used."""

    lens: CalibratedLens
    rms_px: float
    photos: int
    corners: int


@dataclass(frozen=True, slots=True)
class _SheetCorners:
    """Corners of squares on one photograph: on the board (N, 1, 3), in squares, and in the picture (N, 1, 2)."""

    on_board: NDArray[np.float32]
    in_picture: NDArray[np.float32]


def charuco_sheet() -> NDArray[np.uint8]:
    """Return the board to print (H, W), black on white, with a white margin."""
    columns, rows = _SQUARES
    size = columns * _SQUARE_PX + 2 * _MARGIN_PX, rows * _SQUARE_PX + 2 * _MARGIN_PX
    return np.asarray(_board().generateImage(size, marginSize=_MARGIN_PX), np.uint8)


def calibrate_lens(photos: Mapping[str, NDArray[np.uint8]], size_px: tuple[int, int] | None = None) -> LensCalibration:
    """Return the lens of the camera that took these photographs (H, W, 3) of the printed board, by their names.

    Raises BadInputError if they differ in size, or from `size_px` (width, height); if too few show enough of the board,
    or all show it alike; or if no lens explains them.
    """
    size_px = _common_size(photos, size_px)
    corners_of = {name: _corners(image) for name, image in photos.items()}
    counted = [corners for corners in corners_of.values() if len(corners.in_picture) >= _LEAST_CORNERS]
    if len(counted) < _LEAST_PHOTOS:
        of_each = (f"{name} {len(corners.in_picture)}" for name, corners in corners_of.items())
        counts = ", ".join(of_each) or "none was given"
        raise BadInputError(
            f"{len(counted)} photographs show at least {_LEAST_CORNERS} corners of the ChArUco board, "
            f"{_LEAST_PHOTOS} must ({counts}); photograph the sheet of `strada lens --sheet`, flat, sharp and large, "
            "from different sides"
        )
    hull = cv2.convexHull(np.concatenate([corners.in_picture for corners in counted]))
    share = cv2.contourArea(hull) / (size_px[0] * size_px[1])
    if share < _SPAN_SHARE:
        raise BadInputError(
            f"the ChArUco board was seen in {share:.0%} of the picture, it should be in {_SPAN_SHARE:.0%} at least; "
            "photograph it near the picture's sides and corners too"
        )
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


def _corners(image: NDArray[np.uint8]) -> _SheetCorners:
    board = _board()
    gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    # OpenCV's types do not say that it returns None if it finds nothing.
    corners, numbers, _, _ = cast(
        "tuple[NDArray[np.float32] | None, NDArray[np.int32] | None, object, object]",
        cv2.aruco.CharucoDetector(board).detectBoard(gray),
    )
    if corners is None or numbers is None:
        return _SheetCorners(np.zeros((0, 1, 3), np.float32), np.zeros((0, 1, 2), np.float32))
    on_board, in_picture = board.matchImagePoints(cast("Sequence[NDArray[np.float32]]", corners), numbers)
    return _SheetCorners(np.asarray(on_board, np.float32), np.asarray(in_picture, np.float32))


def _calibrated(counted: Sequence[_SheetCorners], size_px: tuple[int, int]) -> LensCalibration:
    fitted, finer = (_fitted(counted, size_px, flags) for flags in (cv2.CALIB_FIX_K3, 0))
    rms_px, numbers, tilt_degrees = finer if finer[0] < _WORTH_K3 * fitted[0] else fitted
    most_px = _MOST_RMS_PX * max(size_px[0] / _USUAL_WIDTH_PX, 0.25)
    if not rms_px <= most_px:
        raise BadInputError(
            f"corners of the ChArUco board lie {rms_px:.2f} px (rms) from where the lens has them, at most "
            f"{most_px:.2f} px will do; lay the sheet flat, hold the camera still, and photograph again"
        )
    if not tilt_degrees >= _LEAST_TILT_DEGREES:
        raise BadInputError(
            f"the photographs show the ChArUco board too much alike: tilted by {tilt_degrees:.0f} degrees "
            f"against each other, {_LEAST_TILT_DEGREES:.0f} at least would do; tilt the sheet, or the camera, to "
            "every side"
        )
    corners = sum(len(corners.in_picture) for corners in counted)
    return LensCalibration(CalibratedLens(*size_px, *numbers), rms_px, len(counted), corners)


def _fitted(counted: Sequence[_SheetCorners], size_px: tuple[int, int], flags: int) -> tuple[float, list[float], float]:
    """Return OpenCV's fit: its rms, the lens's numbers, and the most that two sheets are tilted against each other."""
    try:
        rms_px, matrix, distortion, turns, _ = cv2.calibrateCamera(
            [corners.on_board for corners in counted],
            [corners.in_picture for corners in counted],
            size_px,
            np.eye(3),
            np.zeros(5),
            flags=flags,
        )
    except cv2.error:
        raise BadInputError("no lens explains the photographs of the ChArUco board; take them again") from None
    normals = np.array([np.asarray(cv2.Rodrigues(turn)[0])[:, 2] for turn in turns])
    tilt = float(np.degrees(np.arccos(np.clip(normals @ normals.T, -1, 1))).max())
    numbers = [*np.asarray(matrix)[[0, 1, 0, 1], [0, 1, 2, 2]], *np.ravel(distortion)[:5]]
    return float(rms_px), [float(number) for number in numbers], tilt
