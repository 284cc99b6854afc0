"""Lenses that bend straight lines: one estimated from the board alone, one calibrated beforehand."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from companion.board import BadInputError

Points = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Lens:
    """Radial distortion: a point at distance r from the centre is seen at r (1 + k1 r² + k2 r⁴).

    The unit of r is half the picture's diagonal, so r = 1 in the corners. One plane cannot tell focal length
    from perspective (the homography takes up both), so no focal length is asked for: this unit serves as well.
    """

    width_px: int
    height_px: int
    k1: float = 0.0
    k2: float = 0.0

    @property
    def centre_px(self) -> tuple[float, float]:
        """The picture's centre, pixel centres at whole numbers."""
        return (self.width_px - 1) / 2, (self.height_px - 1) / 2

    @property
    def radius_px(self) -> float:
        """Half the picture's diagonal."""
        return math.hypot(self.width_px, self.height_px) / 2

    @property
    def is_plausible(self) -> bool:
        """True where distance as seen grows with true distance all over the picture, as in any real lens."""
        # Seen radii up to 1 come from true radii up to about 1.3 for the strongest lens we would believe.
        r2 = np.linspace(0.0, 1.3, 27) ** 2
        return bool(np.all(1 + 3 * self.k1 * r2 + 5 * self.k2 * r2 * r2 > 0.05))

    def distort(self, points_px: ArrayLike) -> Points:
        """Return where points (N, 2) of the straight picture are seen, in pixels."""
        centre = np.asarray(self.centre_px)
        offset = (np.asarray(points_px, dtype=np.float64) - centre) / self.radius_px
        r2 = np.sum(offset * offset, axis=-1, keepdims=True)
        seen: Points = centre + offset * (1 + r2 * (self.k1 + self.k2 * r2)) * self.radius_px
        return seen

    def undistort(self, points_px: ArrayLike) -> Points:
        """Return where points (N, 2) as seen would lie in the straight picture, in pixels."""
        centre = np.asarray(self.centre_px)
        offset = (np.asarray(points_px, dtype=np.float64) - centre) / self.radius_px
        seen = np.sqrt(np.sum(offset * offset, axis=-1, keepdims=True))
        r = seen.copy()
        for _ in range(6):  # Newton: six steps reach 1e-9 px for |k1| up to 0.3
            r2 = r * r
            slope = np.maximum(1 + r2 * (3 * self.k1 + 5 * self.k2 * r2), 0.05)
            r -= (r * (1 + r2 * (self.k1 + self.k2 * r2)) - seen) / slope
        scale = np.divide(r, seen, out=np.ones_like(seen), where=seen > 1e-12)
        straight: Points = centre + offset * scale * self.radius_px
        return straight


@dataclass(frozen=True, slots=True)
class CalibratedLens:
    """A camera's own lens as OpenCV calibrates it: camera matrix and distortion, all in pixels of that picture size.

    The straight picture is what a pinhole camera of the same focal lengths and centre would see.
    https://docs.opencv.org/4.x/d9/d0c/group__calib3d.html has the model. Raises BadInputError where it would fold the
    picture over itself.
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
        """True: what is not plausible is refused when it is made."""
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
        """Return where points (..., 2) as seen would lie in the straight picture, in pixels."""
        seen = np.asarray(points_px, np.float64)
        matrix = self.camera_matrix
        straight = cv2.undistortPointsIter(
            seen.reshape(-1, 1, 2), matrix, self.distortion, np.eye(3), matrix, _UNDISTORTION
        )
        return np.asarray(straight, np.float64).reshape(seen.shape)


AnyLens = Lens | CalibratedLens

#: OpenCV's search for the straight point ends after so many steps, or when it is this near.
_UNDISTORTION = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 60, 1e-10)
#: A point of the picture's rim, straightened and bent again, comes back this near.
_ROUND_TRIP_PX = 0.05


def _rim(width_px: int, height_px: int) -> Points:
    """Return points (N, 2) round the picture's rim, corners included."""
    across, down = np.linspace(0, width_px - 1, 9), np.linspace(0, height_px - 1, 9)
    sides = [np.stack([across, np.full(9, y)], axis=1) for y in (0.0, height_px - 1.0)]
    sides += [np.stack([np.full(9, x), down], axis=1) for x in (0.0, width_px - 1.0)]
    return np.concatenate(sides)
