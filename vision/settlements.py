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
from vision.tiles import TileLooks, fit_samples, fit_tiles, teach_tiles

#: Rings about the tile's middle, in cell sides: each shows its mean tone, how mixed it is, and how many edges it has.
_RINGS = ((0.0, 0.22), (0.22, 0.4), (0.4, 0.55), (0.55, 0.7), (0.7, 0.9))
_PER_RING = 7
_INSET_CELLS = 0.1
#: Differences of tone between two tiles of a kind that no printing and no light is free of.
_LEAST_SPREAD = 0.02
#: White light that a lamp's reflection may add (white paper is 1), and what it costs beside the features' distance.
_HAZES = (0.0, 0.05, 0.12, 0.25, 0.5)
_HAZE_COST = 0.3
#: How far looks may be bent to the stock (logarithms): between villages and hamlets, which differ in their number of
#: houses alone (right deals on 27 tables bend up to 1.0), between other kinds (0.4; a wrong deal 0.6 and more), and
#: for a tile that fits its best kind worse than tiles usually do by so much (1.9, a hamlet under a lamp's reflection).
_BENT_HOUSES, _BENT, _BENT_BAD, _BAD_FIT = 1.2, 0.55, 2.2, 0.25
#: How often the deal's tiles are compared with each other, and with how many of a kind each.
_ROUNDS, _NEAREST = 3, 2
#: A settlement's sample, and where cubes hide it.
Shown = tuple[Floats, Mask]
#: Kinds in the order of the arrays here.
KINDS = tuple(SettlementType)

Features = NDArray[np.float64]


@dataclass(frozen=True)
class SettlementLooks:
    """Taught settlements: their kinds, turned looks, and ring features (tiles, features), NaN where cubes hid all."""

    kinds: tuple[SettlementType, ...]
    turned: TileLooks
    rings: Features

    @property
    def grounds(self) -> Features:
        """The tones of the ground round each tile's houses, (tiles seen there, 3)."""
        ground = self.rings.reshape(len(self.kinds), len(_RINGS), _PER_RING)[:, -1, :3]
        return np.asarray(ground[np.isfinite(ground).all(axis=1)])


@cache
def _masks() -> list[Mask]:
    x, y = offsets()
    radius = np.hypot(x, y)
    return [np.asarray((radius >= a) & (radius < b) & hexagon(_INSET_CELLS)) for a, b in _RINGS]


def _ring_features(sample: Floats, covered: Mask | None = None) -> Features:
    grey = sample @ np.full(3, 1 / 3, np.float32)
    edges = np.abs(np.diff(grey, axis=1, prepend=grey[:, :1])) + np.abs(np.diff(grey, axis=0, prepend=grey[:1]))
    # All rings in one product: the means of tones, of their squares and of edges.
    tones = sample.reshape(-1, 3).astype(np.float64)
    values = np.hstack([tones, tones * tones, edges.reshape(-1, 1)])
    seen = np.array(_masks()).reshape(len(_RINGS), -1)
    if covered is not None:
        seen = seen & ~covered.ravel()
    count = seen.sum(axis=1, keepdims=True)
    features = seen.astype(np.float64) @ values / np.maximum(count, 1)
    features[:, 3:6] = np.sqrt(np.maximum(features[:, 3:6] - features[:, :3] ** 2, 0))
    return np.where(count < 4, np.nan, features).ravel()


def _hazed(features: Features, haze: float) -> Features:
    """Return ring features (tiles, features) as a lamp's reflection would show them.

    It adds white light; with the ground (the last ring) brought back to its own tone, means rise and contrast falls.
    """
    rings = features.reshape(len(features), len(_RINGS), _PER_RING)
    ground = rings[:, -1:, :3] ** 2.2
    light = rings[:, :, :3] ** 2.2
    means = ((light + haze) * ground / (ground + haze)) ** (1 / 2.2)
    # A small difference of tone d shrinks as the curve's slope does: (light / hazed light) ^ (1 - 1 / 2.2) * scale.
    slope = (np.maximum(light, 1e-3) / np.maximum(means**2.2, 1e-3)) ** (1 - 1 / 2.2) * ground / (ground + haze)
    mixed = rings[:, :, 3:6] * slope
    edges = rings[:, :, 6:] * slope.mean(axis=2, keepdims=True)
    return np.concatenate([means, mixed, edges], axis=2).reshape(features.shape)


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


def fit_kinds(shown: Shown, looks: SettlementLooks) -> dict[SettlementType, float]:
    """Return how unlike a settlement is to each taught kind, by its turned look; 0 is alike."""
    unlike = fit_tiles(shown[0], looks.turned, shown[1])
    best: dict[SettlementType, float] = {}
    for kind, value in zip(looks.kinds, unlike, strict=True):
        best[kind] = min(float(value), best.get(kind, np.inf))
    return best


def name_deal(
    samples: Mapping[HexCell, Shown], looks: SettlementLooks, stock: Mapping[SettlementType, int]
) -> dict[HexCell, tuple[SettlementType, float]] | None:
    """Return for each settlement dealt its kind and how sure that is, named so that the stock suffices.

    Sure is in logarithms of unlikeness: 0 means that another naming is as good. None where there are more than the
    stock has, where a kind was never taught, or where looks speak against the stock too strongly.
    """
    cells = list(samples)
    missing = sum(stock.values()) - len(cells)
    if missing < 0 or len(cells) < 2 or set(looks.kinds) != set(KINDS):
        return None
    by_looks, alike = _unlikeness(list(samples.values()), looks)
    count = tuple(stock[kind] for kind in KINDS)
    # What is not seen, under a hand say, may be of any kind.
    unseen = np.zeros((missing, len(KINDS)))
    totals = totals_if(np.vstack([by_looks, unseen]), count)[: len(cells)]
    for _ in range(_ROUNDS):
        costs = by_looks + np.log(_to_others(alike, totals.argmin(axis=1)))
        totals = totals_if(np.vstack([costs, unseen]), count)[: len(cells)]
    named = totals.argmin(axis=1)
    ordered = np.sort(totals, axis=1)
    sure = ordered[:, 1] - ordered[:, 0]
    if any(_is_bent(by_looks, i, int(kind)) for i, kind in enumerate(named)):
        return None
    return {cell: (KINDS[named[i]], float(sure[i])) for i, cell in enumerate(cells)}


def _is_bent(by_looks: Features, tile: int, named: int) -> bool:
    """Return whether naming a tile so, for the count to come out right, goes too far against its looks."""
    looks = int(by_looks[tile].argmin())
    bent = by_looks[tile, named] - by_looks[tile, looks]
    if {KINDS[looks], KINDS[named]} == {SettlementType.VILLAGE, SettlementType.HAMLET}:
        return bool(bent > _BENT_HOUSES)
    # A tile that fits no kind well, under a reflection say, has little to say.
    fits_badly = by_looks[tile].min() - np.median(by_looks.min(axis=1)) > _BAD_FIT
    return bool(bent > (_BENT_BAD if fits_badly else _BENT))


def _unlikeness(shown: list[Shown], looks: SettlementLooks) -> tuple[Features, Features]:
    """Return the logarithms of how unlike each tile is to each kind, and how unlike the tiles are to each other."""
    patches, cubes = np.array([sample for sample, _ in shown]), np.array([hidden for _, hidden in shown])
    masks = cubes if cubes.any() else None
    turned = fit_samples(patches, looks.turned, masks)
    rings = np.array([_ring_features(sample, hidden) for sample, hidden in shown])
    spread = np.nanstd(np.concatenate([looks.rings, rings]), axis=0) + _LEAST_SPREAD
    by_rings = np.min(
        [_distances(rings, _hazed(looks.rings, haze), spread) + _HAZE_COST * haze for haze in _HAZES], axis=0
    )
    of_kind = [np.array([kind is other for other in looks.kinds]) for kind in KINDS]
    least = np.array([[turned[:, k].min(axis=1), by_rings[:, k].min(axis=1)] for k in of_kind])
    by_looks = np.log(np.maximum(least, 1e-6)).sum(axis=1).T
    among = teach_tiles([(Settlement(KINDS[0]), sample, hidden) for sample, hidden in shown])
    by_turns = fit_samples(patches, among, masks)
    alike = np.sqrt(np.maximum(by_turns, 1e-6) * _distances(rings, rings, spread))
    np.fill_diagonal(alike, np.nan)
    return by_looks, alike


def _to_others(alike: Features, named: NDArray[np.int64]) -> Features:
    """Return how unlike each tile is to the nearest others named each kind, (tiles, kinds).

    Where no other is named so, as to all others on the whole.
    """
    columns = []
    for k in range(len(KINDS)):
        near = np.sort(np.where(named == k, alike, np.nan), axis=1)[:, :_NEAREST]
        found = np.isfinite(near).sum(axis=1)
        columns.append(np.where(found > 0, np.nansum(near, axis=1) / np.maximum(found, 1), np.nan))
    unlike = np.array(columns).T
    unlike = np.where(np.isfinite(unlike), unlike, np.nanmean(unlike, axis=1, keepdims=True))
    return np.asarray(np.maximum(unlike, 1e-6), dtype=np.float64)
