"""A disc or a strip: what tells a workshop, however many cubes cover it, from a road of its colour.

A road leaves most of a ring about the cell's middle to the ground; a workshop's mark fills all of it, and cubes of its
colour that stand on it do not change that.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from vision.flatten import Floats
from vision.samples import Mask, hexagon, offsets

#: The ring, in cell sides: within a workshop's mark, beside a road's strip; and where the ground is seen.
_RING, _GROUND = (0.36, 0.56), 0.72
_SECTORS = 12
#: A straight leaves eight sectors of the ring to the ground, a bend fewer: on a road the third barest is ground.
_BARE_SECTOR = 2


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
