"""Which kind of settlement a tile is: its turned look, the tones of its rings, and its likeness to the others dealt.

The houses of villages and hamlets differ from tile to tile, so no single template is enough: what a tile shows is
compared with this table's taught tiles and, at a deal, with the other tiles dealt as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import Settlement, SettlementType
from vision.flatten import GAMMA, Floats
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
#: A tile that was taught under so much more white light than another of its kind teaches nothing but that light.
_MOST_TAUGHT_HAZE = 0.06
#: What is larger than this (a standard deviation, in sample pixels) is not fine, and what is smaller is noise.
_FINE_PX, _NOISE_PX = 2.5, 0.7
#: The ground is seen where so many pixels of it are.
_LEAST_GROUND = 15
#: What a ground's tint counts for beside the logarithms; and how far from each kind's what is not seen is.
_TINTS_WEIGH, _USUAL_TINT = 10.0, 0.1
#: A settlement's sample, and where cubes hide it.
Shown = tuple[Floats, Mask]
#: Kinds in the order of the arrays here.
KINDS = tuple(SettlementType)

Features = NDArray[np.float64]


@dataclass(frozen=True)
class SettlementLooks:
    """Taught settlements: their kinds, turned looks, and ring features (tiles, features), NaN where cubes hid all.

    `fine` are their turned looks without what is larger than a house, `tints` (tiles, 2) their grounds' tints.
    """

    kinds: tuple[SettlementType, ...]
    turned: TileLooks
    fine: TileLooks
    rings: Features
    tints: Features

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
    ground = rings[:, -1:, :3] ** GAMMA
    light = rings[:, :, :3] ** GAMMA
    means = ((light + haze) * ground / (ground + haze)) ** (1 / GAMMA)
    # A small difference of tone d shrinks as the curve's slope does: (light / hazed light) ^ (1 - 1 / GAMMA) * scale.
    slope = (np.maximum(light, 1e-3) / np.maximum(means**GAMMA, 1e-3)) ** (1 - 1 / GAMMA) * ground / (ground + haze)
    mixed = rings[:, :, 3:6] * slope
    edges = rings[:, :, 6:] * slope.mean(axis=2, keepdims=True)
    return np.concatenate([means, mixed, edges], axis=2).reshape(features.shape)


def _distances(a: Features, b: Features, spread: Features) -> Features:
    """Return the root mean squared distance of every row of `a` from every row of `b`, over what both show.

    Rows that show nothing in common are as far apart as the spread.
    """
    squared = ((a[:, None] - b[None]) / spread) ** 2
    common = np.count_nonzero(~np.isnan(squared), axis=2)
    return np.sqrt(np.where(common, np.nansum(squared, axis=2) / np.maximum(common, 1), 1.0))


def teach_settlements(tiles: Sequence[tuple[Settlement, Floats, Mask]]) -> SettlementLooks:
    """Return the looks of settlements from samples, each with a mask of what cubes cover.

    A tile in a lamp's reflection is left out where others of its kind are not.
    """
    tiles = [tile for tile, haze in zip(tiles, _taught_hazes(tiles), strict=True) if haze < _MOST_TAUGHT_HAZE]
    rings = [_ring_features(sample, covered) for _, sample, covered in tiles]
    return SettlementLooks(
        tuple(tile.type for tile, _, _ in tiles),
        teach_tiles(tiles),
        teach_tiles([(tile, _fine(sample, covered), covered) for tile, sample, covered in tiles]),
        np.array(rings).reshape(len(tiles), -1),
        np.array([_tint((sample, covered)) for _, sample, covered in tiles]).reshape(len(tiles), -1),
    )


def _taught_hazes(tiles: Sequence[tuple[Settlement, Floats, Mask]]) -> list[float]:
    """Return how much more white light each taught tile's ground shows than the darkest other of its kind."""
    lights = [_ground((sample, covered)) ** GAMMA for _, sample, covered in tiles]
    hazes = []
    for index, (tile, _, _) in enumerate(tiles):
        others = [lights[k] for k, (other, _, _) in enumerate(tiles) if k != index and other == tile]
        others = [light for light in others if np.isfinite(light).all()]
        more = lights[index] - np.min(others, axis=0) if others else np.zeros(3)
        hazes.append(float(more.min()) if np.isfinite(more).all() else 0.0)
    return hazes


def _ground(shown: Shown) -> NDArray[np.float64]:
    """Return the usual tone (3,) of the ground round a tile's houses; NaN where it is not seen."""
    seen = _masks()[-1] & ~shown[1]
    return np.full(3, np.nan) if seen.sum() < _LEAST_GROUND else np.asarray(np.median(shown[0][seen], axis=0), float)


def _tint(shown: Shown) -> NDArray[np.float64]:
    """Return the ground's tint (2,): logarithms of what one colour has of the next."""
    blue, green, red = np.maximum(_ground(shown), 1e-3)
    return np.array([np.log(red / green), np.log(green / blue)])


def _fine(sample: Floats, covered: Mask) -> Floats:
    """Return a sample without what is larger than a house: the light, and a lamp's reflection; 0 where covered."""
    seen = (~covered).astype(np.float32)
    total = cv2.GaussianBlur(sample * seen[..., None], (0, 0), _FINE_PX)
    share = np.maximum(cv2.GaussianBlur(seen, (0, 0), _FINE_PX), 1e-3)
    fine = np.where(covered[..., None], np.float32(0), sample - total / share[..., None])
    return np.asarray(cv2.GaussianBlur(fine, (0, 0), _NOISE_PX), dtype=np.float32)


def fit_kinds(shown: Shown, looks: SettlementLooks) -> dict[SettlementType, float]:
    """Return how unlike a settlement is to each taught kind, by its turned look; 0 is alike."""
    unlike = fit_tiles(shown[0], looks.turned, shown[1])
    best: dict[SettlementType, float] = {}
    for kind, value in zip(looks.kinds, unlike, strict=True):
        best[kind] = min(float(value), best.get(kind, np.inf))
    return best


@dataclass(frozen=True)
class Unlikeness:
    """How unlike settlements are to each taught kind, (settlements, 4, ways): logarithms, but for the tints.

    `alike` (settlements, settlements) is how unlike they are to each other; NaN to themselves.
    """

    to_kinds: Features
    alike: Features


def unlikeness(shown: Sequence[Shown], looks: SettlementLooks) -> Unlikeness:
    """Return how unlike settlements are to the taught kinds (of which each is taught) and to each other.

    The ways: the turned look, the rings, the fine turned look, the ground's tint.
    """
    patches, cubes = np.array([sample for sample, _ in shown]), np.array([hidden for _, hidden in shown])
    masks = cubes if cubes.any() else None
    turned = fit_samples(patches, looks.turned, masks)
    fine = fit_samples(np.array([_fine(sample, hidden) for sample, hidden in shown]), looks.fine, masks)
    rings = np.array([_ring_features(sample, hidden) for sample, hidden in shown])
    spread = np.nanstd(np.concatenate([looks.rings, rings]), axis=0) + _LEAST_SPREAD
    by_rings = np.min(
        [_distances(rings, _hazed(looks.rings, haze), spread) + _HAZE_COST * haze for haze in _HAZES], axis=0
    )
    tints = np.array([_tint(one) for one in shown])
    by_tint = np.linalg.norm(tints[:, None] - looks.tints[None], axis=2)
    by_tint = np.where(np.isfinite(by_tint), by_tint, _USUAL_TINT)
    ways = [np.log(np.maximum(turned, 0.01)), np.log(np.maximum(by_rings, 0.05)), np.log(np.maximum(fine, 0.02))]
    of_kind = [np.array([kind is other for other in looks.kinds]) for kind in KINDS]
    to_kinds = np.array([[way[:, k].min(axis=1) for k in of_kind] for way in [*ways, _TINTS_WEIGH * by_tint]])
    among = teach_tiles([(Settlement(KINDS[0]), sample, hidden) for sample, hidden in shown])
    by_turns = fit_samples(patches, among, masks)
    alike = np.sqrt(np.maximum(by_turns, 1e-6) * _distances(rings, rings, spread))
    np.fill_diagonal(alike, np.nan)
    return Unlikeness(to_kinds.T, alike)
