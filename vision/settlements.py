"""Which kind of settlement a tile is: its turned look, the tones of its rings, and its likeness to the others dealt.

The houses of villages and hamlets differ from tile to tile, so no single template is enough: what a tile shows is
compared with this table's taught tiles and, at a deal, with the other tiles dealt as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from companion.board import HexCell, Settlement, SettlementType
from vision.flatten import Floats
from vision.inventory import totals_if
from vision.samples import Mask, hexagon, offsets
from vision.tiles import TileLooks, fit_tiles, teach_tiles

#: Rings about the tile's middle, in cell sides: each shows its mean tone, how mixed it is, and how many edges it has.
_RINGS = ((0.0, 0.22), (0.22, 0.4), (0.4, 0.55), (0.55, 0.7), (0.7, 0.9))
_INSET_CELLS = 0.1
#: Differences of tone between two tiles of a kind that no printing and no light is free of.
_LEAST_SPREAD = 0.02
#: How often the deal's tiles are compared with each other, and with how many of a kind each.
_ROUNDS, _NEAREST = 3, 2
#: Kinds in the order of the arrays here.
KINDS = tuple(SettlementType)

Features = NDArray[np.float64]


@dataclass(frozen=True)
class SettlementLooks:
    """Taught settlements: their kinds, turned looks, and ring features (tiles, features), NaN where cubes hid all."""

    kinds: tuple[SettlementType, ...]
    turned: TileLooks
    rings: Features


@cache
def _masks() -> list[Mask]:
    x, y = offsets()
    radius = np.hypot(x, y)
    return [np.asarray((radius >= a) & (radius < b) & hexagon(_INSET_CELLS)) for a, b in _RINGS]


def _ring_features(sample: Floats, covered: Mask | None = None) -> Features:
    grey = sample.mean(axis=2)
    edges = np.abs(np.diff(grey, axis=1, prepend=grey[:, :1])) + np.abs(np.diff(grey, axis=0, prepend=grey[:1]))
    features = []
    for mask in _masks():
        seen = mask if covered is None else mask & ~covered
        if seen.sum() < 4:
            features.append(np.full(7, np.nan))
        else:
            features.append(np.concatenate([sample[seen].mean(axis=0), sample[seen].std(axis=0), [edges[seen].mean()]]))
    return np.concatenate(features)


def _distances(a: Features, b: Features, spread: Features) -> Features:
    """Return the root mean squared distance of every row of `a` from every row of `b`, over what both show."""
    squared = ((a[:, None] - b[None]) / spread) ** 2
    return np.asarray(np.sqrt(np.nanmean(squared, axis=2)))


def teach_settlements(tiles: Sequence[tuple[Settlement, Floats, Mask]]) -> SettlementLooks:
    """Return the looks of settlements from samples, each with a mask of what cubes cover."""
    rings = [_ring_features(sample, covered) for _, sample, covered in tiles]
    return SettlementLooks(
        tuple(tile.type for tile, _, _ in tiles), teach_tiles(tiles), np.array(rings).reshape(len(tiles), -1)
    )


def name_deal(
    samples: Mapping[HexCell, Floats], looks: SettlementLooks, stock: Mapping[SettlementType, int]
) -> dict[HexCell, tuple[SettlementType, float, float]] | None:
    """Return for each settlement dealt its kind, how sure that is, and how much it had to bend to the stock.

    Both figures are in logarithms of unlikeness: sure 0 means another naming is as good; bent 0 that looks alone name
    it so. None where the stock has another number of tiles, or a kind was never taught.
    """
    cells = list(samples)
    if len(cells) != sum(stock.values()) or set(looks.kinds) != set(KINDS):
        return None
    by_looks, alike = _unlikeness(list(samples.values()), looks)
    count = tuple(stock[kind] for kind in KINDS)
    costs = by_looks
    totals = totals_if(costs, count)
    for _ in range(_ROUNDS):
        costs = by_looks + np.log(_to_others(alike, totals.argmin(axis=1)))
        totals = totals_if(costs, count)
    named = totals.argmin(axis=1)
    ordered = np.sort(totals, axis=1)
    sure = ordered[:, 1] - ordered[:, 0]
    bent = by_looks[np.arange(len(cells)), named] - by_looks.min(axis=1)
    return {cell: (KINDS[named[i]], float(sure[i]), float(bent[i])) for i, cell in enumerate(cells)}


def _unlikeness(samples: list[Floats], looks: SettlementLooks) -> tuple[Features, Features]:
    """Return the logarithms of how unlike each tile is to each kind, and how unlike the tiles are to each other."""
    turned = np.array([fit_tiles(sample, looks.turned) for sample in samples])
    rings = np.array([_ring_features(sample) for sample in samples])
    spread = np.nanstd(np.concatenate([looks.rings, rings]), axis=0) + _LEAST_SPREAD
    by_rings = _distances(rings, looks.rings, spread)
    of_kind = [np.array([kind is other for other in looks.kinds]) for kind in KINDS]
    least = np.array([[turned[:, k].min(axis=1), by_rings[:, k].min(axis=1)] for k in of_kind])
    by_looks = np.log(np.maximum(least, 1e-6)).sum(axis=1).T
    nothing = np.zeros(samples[0].shape[:2], dtype=bool)
    among = teach_tiles([(Settlement(KINDS[0]), sample, nothing) for sample in samples])
    by_turns = np.array([fit_tiles(sample, among) for sample in samples])
    alike = np.sqrt(np.maximum(by_turns, 1e-6) * _distances(rings, rings, spread))
    np.fill_diagonal(alike, np.nan)
    return by_looks, alike


def _to_others(alike: Features, named: NDArray[np.int64]) -> Features:
    """Return how unlike each tile is to the nearest others named each kind, (tiles, kinds)."""
    columns = []
    for k in range(len(KINDS)):
        near = np.sort(np.where(named == k, alike, np.nan), axis=1)[:, :_NEAREST]
        columns.append(np.nanmean(near, axis=1))
    return np.asarray(np.maximum(np.array(columns).T, 1e-6), dtype=np.float64)
