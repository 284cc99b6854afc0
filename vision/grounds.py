"""A tile's ground: round every mark, house and strip, a cell's rim shows it. A hand's does not."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from vision.flatten import Floats
from vision.roads import RoadLooks
from vision.samples import Mask, hexagon, offsets
from vision.settlements import SettlementLooks

#: Where the ground is seen, in cell sides from the middle.
_RIM_CELLS = 0.66
#: A tile's rim is within 0.015 of a taught ground's tint, most of a hand's and a sleeve's beyond 0.03.
_TINT = 0.045
#: A tile's tones spread by 0.03 at least, a pale road's on its ground; a sleeve's interior by half of that.
_SPREAD = 0.02


@dataclass(frozen=True)
class Grounds:
    """The tints of the grounds of all tiles that were taught, (grounds, 3): tones less their mean over the colours."""

    tints: NDArray[np.float32]

    def could_show_tile(self, sample: Floats) -> bool:
        """Return whether a cell's sample could be of a tile: a mark on a ground that was taught."""
        tint = _tints(np.median(sample[_rim()], axis=0)[None])
        near = np.linalg.norm(self.tints - tint, axis=1).min() <= _TINT
        return bool(near and sample[hexagon(0.1)].std(axis=0).mean() >= _SPREAD)


def teach_grounds(roads: RoadLooks, settlements: SettlementLooks) -> Grounds:
    """Return the grounds of taught roads and settlements, on which workshops lie too."""
    return Grounds(_tints(np.array([*roads.grounds.values(), *settlements.grounds], np.float32)))


def _tints(tones: NDArray[np.floating]) -> NDArray[np.float32]:
    return np.asarray(tones - tones.mean(axis=1, keepdims=True), dtype=np.float32)


@cache
def _rim() -> Mask:
    return np.asarray((np.hypot(*offsets()) > _RIM_CELLS) & hexagon(0.1))
