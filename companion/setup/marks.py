"""How much the middle of each cell of an empty board looks like those that are sites, pixel by pixel.

A site's mark may be a ring of dots in the tone of another terrain. Its tones round the middle hardly distinguish it
from the ground, but it is drawn alike everywhere, turned by sixths with the piece of the board. So what stands out from
its surroundings on each site is laid over the other sites', turned as it fits best, and every cell is compared with
that picture. A site is compared with a picture that leaves it out.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board.layout import BoardLook, beside_terrain
from vision.light.flatten import Floats
from vision.tiles.patches import PATCH_PX

Array = NDArray[np.float64]

#: A mark reaches no farther than the first, in a patch's pixels, and anything wider than the second is ground. No tone
#: counts as darker than the third, and nothing stands out by more than the last (a logarithm).
_REACH_PX, _GROUND_PX, _DARK, _MOST = 12, 2.0, 0.02, 0.5
#: How often marks are laid over one another; and how many sites it takes to make a picture.
_ROUNDS, _FEWEST = 4, 3
#: Likeness differs by this much on any ground, and counts as differing by no more than this many times what is usual.
_LEAST, _MOST_LIKE = 0.02, 8.0


@dataclass(frozen=True, eq=False)
class Marks:
    """What stands out in cells' middles: `turned` (cells, 6, n) are unit vectors, one for each turn by a sixth."""

    turned: Floats

    @classmethod
    def of(cls, patches: Floats, look: BoardLook) -> Marks:
        """Return it from patches of the board's cells in even light, (cells, PATCH_PX, PATCH_PX, 3)."""
        logs = np.log(np.maximum(patches, _DARK))
        fine = np.stack([log - cv2.GaussianBlur(log, (0, 0), _GROUND_PX) for log in logs])
        fine = np.clip(beside_terrain(fine, look), -_MOST, _MOST)
        middle = (PATCH_PX - 1) / 2
        down, right = np.mgrid[:PATCH_PX, :PATCH_PX] - middle
        inside = np.hypot(down, right) <= _REACH_PX
        turns = (cv2.getRotationMatrix2D((middle, middle), 60 * turn, 1) for turn in range(6))
        each = [np.stack([cv2.warpAffine(one, turn, (PATCH_PX, PATCH_PX))[inside] for one in fine]) for turn in turns]
        turned = np.stack([one.reshape(len(fine), -1) for one in each], axis=1)
        turned -= turned.mean(axis=2, keepdims=True)
        turned /= np.linalg.norm(turned, axis=2, keepdims=True) + 1e-6
        return cls(np.asarray(turned, np.float32))

    def alike(self, likely: Array) -> Array:
        """Return how much each cell looks like the sites, in units of the usual difference; `likely` (cells,): 0 to 1.

        All are 0 if there are too few sites.
        """
        sites = np.flatnonzero(likely > 0.5)
        if len(sites) < _FEWEST:
            return np.zeros(len(likely))
        weights, rows = likely[sites, None].astype(np.float32), np.arange(len(sites))
        laid = self.turned[sites, 0]
        for _ in range(_ROUNDS):
            best = (self.turned[sites] @ laid.sum(axis=0)).argmax(axis=1)
            laid = weights * self.turned[sites, best]
        whole = laid.sum(axis=0)
        likeness = (self.turned @ _unit(whole)).max(axis=1).astype(np.float64)
        likeness[sites] = [(self.turned[sites[row]] @ _unit(whole - laid[row])).max() for row in rows]
        away = likeness - np.median(likeness)
        usual = 1.48 * np.median(np.abs(away)) + _LEAST
        return np.asarray(np.clip(away / usual, -_MOST_LIKE, _MOST_LIKE))


def _unit(vector: Floats) -> Floats:
    return np.asarray(vector / (np.linalg.norm(vector) + 1e-6), np.float32)
