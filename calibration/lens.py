"""A lens that bends straight lines: radial distortion about the picture's centre."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
