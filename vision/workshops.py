"""Whose a workshop is: the colours of its mark, ring by ring, whatever way it is turned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from companion.board import Workshop
from vision.flatten import GAMMA, Floats
from vision.roads import glare
from vision.samples import Mask, hexagon, offsets

#: Rings about the tile's middle, in cell sides: four through the mark, one over the ground round it.
_RINGS = ((0.0, 0.2), (0.2, 0.35), (0.35, 0.5), (0.5, 0.62), (0.72, 0.95))
_SPREAD = 0.05
_CAP = 16.0
#: White light that a lamp's reflection may add (white paper is 1), and what the most of it costs.
_HAZES = (0.0, 0.04, 0.1, 0.2, 0.4)
_HAZE_COST = 0.4


#: The mark's own colour is the usual tone of a ring in which its art is little; what one unlike it costs, at most.
_MARK_CELLS, _MARK_SPREAD, _MARK_MOST = (0.36, 0.56), 0.1, 2.0
#: A taught mark may have lain in a lamp's reflection itself.
_MARK_HAZES = (-0.1, -0.05, *_HAZES)


@dataclass(frozen=True)
class WorkshopLooks:
    """Each taught workshop with the mean tones of its rings, (rings, 3), and its mark's and ground's usual tones."""

    rings: Sequence[tuple[Workshop, NDArray[np.float32]]]
    marks: NDArray[np.float32]

    @cached_property
    def hazed(self) -> NDArray[np.float32]:
        """Each under each strength of a lamp's reflection, (workshops, hazes, rings, 3)."""
        return np.array([[_hazed(rings, haze) for haze in _HAZES] for _, rings in self.rings], np.float32)

    @cached_property
    def hazed_marks(self) -> NDArray[np.float32]:
        """Each mark's usual tone, as it would lie under each strength of a reflection, (workshops, hazes, 3)."""
        return np.array([[_hazed(mark, haze)[0] for haze in _MARK_HAZES] for mark in self.marks], np.float32)


@cache
def _masks() -> list[Mask]:
    x, y = offsets()
    radius = np.hypot(x, y)
    return [np.asarray((radius >= a) & (radius < b) & hexagon(0.08)) for a, b in _RINGS]


@cache
def _mark_mask() -> Mask:
    radius = np.hypot(*offsets())
    return np.asarray((radius >= _MARK_CELLS[0]) & (radius < _MARK_CELLS[1]))


@cache
def _shares() -> NDArray[np.float32]:
    sizes = np.array([mask.sum() for mask in _masks()], np.float32)
    return np.asarray((sizes / sizes.sum())[None, None, :, None], dtype=np.float32)


def _ring_means(sample: Floats, covered: Mask | None = None) -> NDArray[np.float32]:
    means = []
    for mask in _masks():
        seen = mask if covered is None or (mask & ~covered).sum() < 5 else mask & ~covered
        means.append(sample[seen].mean(axis=0))
    return np.array(means, np.float32)


def teach_workshops(tiles: Sequence[tuple[Workshop, Floats, Mask]]) -> WorkshopLooks:
    """Return the looks of workshops from samples, each with a mask of what cubes cover."""
    marks = [_mark(sample, covered) for _, sample, covered in tiles]
    return WorkshopLooks(
        [(tile, _ring_means(sample, covered)) for tile, sample, covered in tiles],
        np.array(marks, np.float32).reshape(-1, 2, 3),
    )


def fit_workshops(sample: Floats, looks: WorkshopLooks) -> dict[Workshop, float]:
    """Return how badly a sample fits each taught workshop's rings and mark: squared deviations, halved; 0 fits."""
    if not looks.rings:
        return {}
    seen, models = _ring_means(sample)[None, None], looks.hazed
    contrast, offset, penalty = glare(seen, models, _shares() / np.float32(_SPREAD**2))
    off = (seen - contrast * models - offset) / _SPREAD
    squared = (_shares() * 0.5 * np.minimum(off * off, _CAP)).sum(axis=2).mean(axis=2)
    found = (squared + penalty + _HAZE_COST * np.array(_HAZES)).min(axis=1) + _unlike_marks(_mark(sample), looks)
    costs: dict[Workshop, float] = {}
    for (tile, _), cost in zip(looks.rings, found.tolist(), strict=True):
        costs[tile] = min(cost, costs.get(tile, np.inf))
    return costs


def _mark(sample: Floats, covered: Mask | None = None) -> NDArray[np.float32]:
    """Return the usual tones of the mark and of the ground round it, (2, 3)."""
    tones = []
    for mask in (_mark_mask(), _masks()[-1]):
        seen = mask if covered is None or (mask & ~covered).sum() < 5 else mask & ~covered
        tones.append(np.median(sample[seen], axis=0))
    return np.array(tones, np.float32)


def _unlike_marks(seen: NDArray[np.float32], looks: WorkshopLooks) -> NDArray[np.float32]:
    """Return how far the mark's own colour is from each taught one's, (workshops,), grounds brought together."""
    off = looks.hazed_marks * (seen[1] / np.maximum(looks.marks[:, 1], 0.05))[:, None]
    squared = 0.5 * (((seen[0] - off) / _MARK_SPREAD) ** 2).mean(axis=2)
    costs = np.minimum(squared + _HAZE_COST * np.abs(np.array(_MARK_HAZES)), _MARK_MOST).min(axis=1)
    return np.asarray(costs, dtype=np.float32)


def _hazed(rings: NDArray[np.float32], haze: float) -> NDArray[np.float32]:
    """Return the rings' tones under a lamp's reflection, (rings, 3).

    A reflection adds white light everywhere; taking the day's gain out then makes the ground (the last ring) look as
    ever, so that what is darker than the ground comes out too light, and tinted by it.
    """
    light = rings**GAMMA
    ground = light[-1]
    hazed = np.maximum(light + haze, 0.001) * ground / np.maximum(ground + haze, 0.001)
    return np.asarray(hazed ** (1 / GAMMA), dtype=np.float32)
