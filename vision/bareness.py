"""Whether cells still show the bare ground that was taught there, as the learnt nets compare them, whatever the light.

For boards of squares: of each the hexagon in its middle is compared, which is as high as the square. The nets know no
printing, and no tiles are needed to ask them.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.exemplars import Array, Embedded, Exemplars, compared
from vision.flatten import SIDE_PX, Floats
from vision.patches import PATCH_CELLS, PATCH_PX

#: Flat pixels to one of a patch's.
_SCALE = PATCH_CELLS * SIDE_PX / PATCH_PX


class Bareness:
    """A board's bare cells, as the nets see them. Not to be shared by threads: what was asked about is kept."""

    def __init__(self, bare: Floats, middles: Sequence[tuple[float, float]]) -> None:
        """`bare` are the tones of the bare board, 2 * SIDE_PX to a square; `middles` the squares' middles in it."""
        self._middles = middles
        self._patches = _cut(bare, middles)
        self._exemplars = Exemplars.of_ground(self._patches)
        self._kept: dict[int, Embedded] = {}

    def probabilities(self, tones: Floats, places: Sequence[int]) -> Array:
        """Return how likely cells, by their places, show their bare ground, (n,), in a picture evened out like it."""
        if not len(places):
            return np.zeros(0, np.float32)
        seen = self._exemplars.embedded(_cut(tones, [self._middles[place] for place in places]))
        if new := [place for place in places if place not in self._kept]:
            found = self._exemplars.embedded(self._patches[new])
            self._kept |= {place: found[[number]] for number, place in enumerate(new)}
        ground = Embedded.joined([self._kept[place] for place in places])
        odds, _ = compared(list(seen.features), list(ground.features))
        return np.asarray(1 / (1 + np.exp(-odds)), np.float32)


def _cut(tones: Floats, middles: Sequence[tuple[float, float]]) -> Array:
    found = np.empty((len(middles), PATCH_PX, PATCH_PX, 3), np.float32)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    for patch, (right, down) in zip(found, middles, strict=True):
        first = _SCALE * (PATCH_PX - 1) / 2
        motion = np.array([[_SCALE, 0, right - first], [0, _SCALE, down - first]])
        cv2.warpAffine(tones, motion, (PATCH_PX, PATCH_PX), patch, flags, cv2.BORDER_REPLICATE)
    return found
