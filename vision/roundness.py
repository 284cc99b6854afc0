"""A disc or a strip: what tells a workshop, however many cubes cover it, from a road of its colour.

A road leaves most of a ring about the cell's middle to the ground; a workshop's mark fills all of it, and cubes of its
colour that stand on it do not change that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from companion.board import Color, Road, Tile, Workshop
from vision.flatten import Floats
from vision.samples import Mask, hexagon, offsets

#: The ring, in cell sides: within a workshop's mark, beside a road's strip; and where the ground is seen.
_RING, _GROUND = (0.36, 0.56), 0.72
_SECTORS = 12
#: A straight leaves eight sectors of the ring to the ground, a bend fewer: on a road the third barest is ground.
_BARE_SECTOR = 2


@dataclass(frozen=True)
class Roundness:
    """How full of a colour's mark the ring is, on the taught road tiles and workshops of each colour."""

    roads: Mapping[Color, float]
    workshops: Mapping[Color, float]

    def disc_share(self, sample: Floats, color: Color) -> float | None:
        """Return 0 for a ring as on that colour's roads, 1 for one as on its workshop; None where not taught."""
        return self.share_of(fullness(sample), color)

    def share_of(self, full: float, color: Color) -> float | None:
        """Return the same by the sample's `fullness`, which is one for all colours."""
        if color not in self.roads or color not in self.workshops:
            return None
        strip, disc = self.roads[color], self.workshops[color]
        if disc <= strip:
            return None
        return min(max((full - strip) / (disc - strip), 0.0), 1.0)


def teach_roundness(tiles: Sequence[tuple[Tile, Floats]]) -> Roundness:
    """Return what the taught tiles' samples teach: the barest of a colour's roads, the mean of its workshops.

    A taught road may carry cubes, which fill its ring.
    """
    roads: dict[Color, list[float]] = {}
    workshops: dict[Color, list[float]] = {}
    for tile, sample in tiles:
        if isinstance(tile, Road):
            roads.setdefault(tile.color, []).append(fullness(sample))
        elif isinstance(tile, Workshop):
            workshops.setdefault(tile.color, []).append(fullness(sample))
    return Roundness(
        {color: min(found) for color, found in roads.items()},
        {color: sum(found) / len(found) for color, found in workshops.items()},
    )


def fullness(sample: Floats) -> float:
    """Return how far the ring's third barest sector is from the ground round it, as a tone."""
    inner, outer = _sectors()
    pixels = sample.reshape(-1, 3)
    ground = np.median(outer @ pixels, axis=0)
    away = np.sort(np.linalg.norm(inner @ pixels - ground, axis=1))
    return float(away[_BARE_SECTOR])


@cache
def _sectors() -> tuple[Floats, Floats]:
    """Return weights (sectors, sample pixels) of the ring's sectors and of the ground's."""
    x, y = offsets()
    radius = np.hypot(x, y)
    sector = np.floor(np.degrees(np.arctan2(-y, x)) % 360 / (360 / _SECTORS))
    inner = [(radius > _RING[0]) & (radius < _RING[1]) & (sector == k) for k in range(_SECTORS)]
    outer = [(radius > _GROUND) & hexagon(0.03) & (sector == k) for k in range(_SECTORS)]
    return _means(inner), _means([mask for mask in outer if mask.sum() >= 3])


def _means(masks: Sequence[Mask]) -> Floats:
    weights = np.array(masks, np.float32).reshape(len(masks), -1)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), dtype=np.float32)
