"""Roads: strips of a taught cross-section that join two edges of a cell.

The cross-section of each colour's road (its tones by distance from the middle line) is taught on this table's own
tiles, so that bordered, striped or cobbled roads are read as surely as plain ones. What lies beside the strip is the
tile's own terrain.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from companion.board import EDGE_PAIRS, Color, Road, Terrain
from vision.flatten import Floats
from vision.samples import hexagon, strip_distance

#: Width of the bins of a cross-section, and how many: half a strip is 0.2 cell sides wide, and a little beside it.
_BIN_CELLS, _BINS = 1 / 12, 3
#: Beyond this distance from the middle line the tile shows its terrain.
_BESIDE_CELLS = 0.34
#: How far aside a strip may lie: tiles are laid by hand.
_ASIDE_CELLS = (-0.08, 0.0, 0.08)
_INSET_CELLS = 0.1
#: No pixel counts for more than this many standard deviations squared: cubes and shadows cover some.
_CAP = 9.0
#: Differences that no printing and no sensor is free of.
_LEAST_SPREAD = 0.045
#: The same for how tones stray beside a strip, where a lamp's reflection has not yet made them paler.
_LEAST_STRAY = 0.012

#: How much being unlike as a whole, and by its strip, weighs beside a road's cost; so many roads are compared so.
_UNLIKE_WEIGHT, _APART_WEIGHT, _COMPARED = 2.0, 0.5, 6

Tone = NDArray[np.float32]


@dataclass(frozen=True)
class RoadLooks:
    """What this table's road tiles look like.

    `profiles` and `profile_spreads` are (bins, 3) by colour: tones by distance from the middle line. `grounds` and
    `ground_spreads` are (3,) by terrain: the tones beside the strip. `evened` are (3, 3) by terrain: tones times it
    vary beside the strip by as much along one line as along any other.
    """

    profiles: Mapping[Color, Tone]
    profile_spreads: Mapping[Color, Tone]
    grounds: Mapping[Terrain, Tone]
    ground_spreads: Mapping[Terrain, Tone]
    evened: Mapping[Terrain, Tone]

    @cached_property
    def evening(self) -> Tone:
        """`evened` in the order of the grounds, (terrains, 3, 3)."""
        return np.array(list(map(self.evened.__getitem__, self.grounds)), np.float32)

    @cached_property
    def _all_drawn(self) -> tuple[Tone, Tone]:
        """Return every road's tones by bin, and how many pixels each is of, both (roads, asides, bins, 3)."""
        _, sizes, _ = _drawn_bins()
        tones = [[*profile, ground] for profile in self.profiles.values() for ground in self.grounds.values()]
        wide = np.repeat(np.array(tones, np.float32)[:, None], len(EDGE_PAIRS), axis=1)
        shape = (len(tones), *sizes.shape, 3)
        drawn = np.broadcast_to(wide[:, :, None], shape).reshape(-1, *shape[2:])
        return drawn, np.broadcast_to(sizes[None, ..., None], shape).reshape(-1, *shape[2:])

    @cached_property
    def drawn(self) -> tuple[Tone, Tone]:
        """Every road's tones less their mean, (roads, asides, bins x colours), and their squares' sums over pixels."""
        tones, sizes = self._all_drawn
        tones = tones - (sizes * tones).sum(axis=(2, 3), keepdims=True) / sizes.sum(axis=(2, 3), keepdims=True)
        return tones.reshape(*tones.shape[:2], -1), (sizes * tones * tones).sum(axis=(2, 3))

    @cached_property
    def drawn_evened(self) -> tuple[Tone, Tone]:
        """The same of tones less their mean in each colour, evened: by them tones that are not can be weighed."""
        tones, sizes = self._all_drawn
        tones = tones - (sizes * tones).sum(axis=2, keepdims=True) / sizes.sum(axis=2, keepdims=True)
        one = np.repeat(self.evening, len(EDGE_PAIRS), axis=0)
        evened = np.tile(one, (len(self.profiles), 1, 1))[:, None]
        lain = tones @ evened
        weighed = (lain @ evened.swapaxes(2, 3)).astype(np.float32)
        return weighed.reshape(*weighed.shape[:2], -1), (sizes * lain * lain).sum(axis=(2, 3))


def teach_roads(tiles: list[tuple[Road, Floats, NDArray[np.bool_]]]) -> RoadLooks:
    """Return the looks of road tiles from samples (SAMPLE_PX, SAMPLE_PX, 3), each with a mask of what cubes cover."""
    profiles: dict[Color, list[Tone]] = {}
    within: dict[Color, list[Tone]] = {}
    grounds: dict[Terrain, list[Tone]] = {}
    textures: dict[Terrain, list[Tone]] = {}
    strays: dict[Terrain, list[Tone]] = {}
    for road, sample, covered in tiles:
        distance = strip_distance(road.edges, _straightest(road, sample, covered))
        seen = hexagon(_INSET_CELLS) & ~covered
        bins = np.floor(distance / _BIN_CELLS + 0.5)
        if all((seen & (bins == k)).sum() >= 4 for k in range(_BINS)):
            pixels = [sample[seen & (bins == k)] for k in range(_BINS)]
            profile = np.array([np.median(p, axis=0) for p in pixels])
            profiles.setdefault(road.color, []).append(profile)
            within.setdefault(road.color, []).append(
                np.array([1.48 * np.median(np.abs(p - m), axis=0) for p, m in zip(pixels, profile, strict=True)])
            )
        beside = sample[seen & (distance > _BESIDE_CELLS)]
        grounds.setdefault(road.terrain, []).append(np.median(beside, axis=0))
        textures.setdefault(road.terrain, []).append(beside.std(axis=0))
        strays.setdefault(road.terrain, []).append(beside - beside.mean(axis=0))
    return RoadLooks(
        {color: np.median(found, axis=0).astype(np.float32) for color, found in profiles.items()},
        {color: _spread(within[color], found) for color, found in profiles.items()},
        {terrain: np.median(found, axis=0).astype(np.float32) for terrain, found in grounds.items()},
        {terrain: _spread(textures[terrain], found) for terrain, found in grounds.items()},
        {terrain: _evening(np.concatenate(found)) for terrain, found in strays.items()},
    )


def _evening(strays: Tone) -> Tone:
    """Return the matrix (3, 3) after which tones that stray so, (pixels, 3), stray by 1 along every line."""
    covariance = strays.T @ strays / len(strays) + np.eye(3) * _LEAST_STRAY**2
    lengths, axes = np.linalg.eigh(covariance)
    return np.asarray(axes / np.sqrt(lengths), dtype=np.float32)


def _straightest(road: Road, sample: Floats, covered: NDArray[np.bool_]) -> float:
    """Return how far aside a taught tile's strip lies: where its cross-section is most even along the road."""

    def unevenness(aside: float) -> float:
        bins = np.floor(strip_distance(road.edges, aside) / _BIN_CELLS + 0.5)
        inside = hexagon(_INSET_CELLS) & ~covered
        parts = [sample[inside & (bins == k)] for k in range(_BINS + 1)]
        return sum(float(np.abs(part - np.median(part, axis=0)).sum()) for part in parts if len(part))

    return min((0.0, -0.04, 0.04, -0.08, 0.08), key=unevenness)


def _spread(within: list[Tone], between: list[Tone]) -> Tone:
    middle = np.median(between, axis=0)
    tiles_differ = 1.48 * np.median(np.abs(np.array(between) - middle), axis=0)
    return np.asarray(np.sqrt(np.median(within, axis=0) ** 2 + tiles_differ**2 + _LEAST_SPREAD**2), dtype=np.float32)


@dataclass(frozen=True)
class RoadFit:
    """How cells' samples fit every road: mean negative logarithms of likelihood per pixel.

    `costs` is (cells, colours, pairs, terrains), in the order of `colors`, EDGE_PAIRS and `terrains`, each at the
    place aside that fits best.
    """

    colors: tuple[Color, ...]
    terrains: tuple[Terrain, ...]
    costs: NDArray[np.float32]


@cache
def _regions() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Region averages of every strip (pair x aside): weights (strips, regions, pixels), and sizes.

    Regions are the bins of the cross-section, then what lies beside the strip.
    """
    weights, sizes = [], []
    inside = hexagon(_INSET_CELLS)
    for pair in EDGE_PAIRS:
        for aside in _ASIDE_CELLS:
            distance = strip_distance(pair, aside)
            bins = np.floor(distance / _BIN_CELLS + 0.5)
            masks = [(inside & (bins == k)).ravel() for k in range(_BINS)]
            masks.append((inside & (distance > _BESIDE_CELLS)).ravel())
            size = np.array([mask.sum() for mask in masks], np.float32)
            weights.append(np.array(masks, np.float32) / size[:, None])
            sizes.append(size)
    return np.array(weights), np.array(sizes)


def fit_roads(sample: Floats, looks: RoadLooks) -> RoadFit:
    """Return how samples (cells, SAMPLE_PX, SAMPLE_PX, 3) fit every road.

    A strip is compared by the mean tone and the spread of its regions, after the contrast and haze that fit best: a
    lamp's glare adds white light and takes contrast away, within limits.
    """
    cells = len(sample)
    pixels = np.ascontiguousarray(sample.reshape(cells, -1, 3).transpose(1, 0, 2)).reshape(-1, cells * 3)
    weights, sizes = _regions()
    strips, regions, _ = weights.shape
    flat_weights = weights.reshape(strips * regions, -1)
    # (strips, regions x channels, cells): what is summed over lies across rows of cells, which is fast.
    shape = (strips, regions, cells, 3)
    means, squares = (
        np.ascontiguousarray((flat_weights @ values).reshape(shape).transpose(0, 1, 3, 2)).reshape(strips, -1, cells)
        for values in (pixels, pixels * pixels)
    )
    variances = np.maximum(squares - means * means, 0)
    share = np.repeat(sizes / sizes.sum(axis=1, keepdims=True), 3, axis=1)
    colors, terrains = tuple(looks.profiles), tuple(looks.grounds)
    costs = np.full((cells, len(colors), len(EDGE_PAIRS), len(terrains)), np.inf, np.float32)
    for k, color in enumerate(colors):
        for t, terrain in enumerate(terrains):
            model = np.vstack([looks.profiles[color], looks.grounds[terrain]]).ravel()
            spread = np.vstack([looks.profile_spreads[color], looks.ground_spreads[terrain]]).ravel()
            weight = share / spread**2
            contrast, haze, penalty = _light(
                (weight * model * model).sum(axis=1)[:, None],
                (weight * model).sum(axis=1)[:, None],
                weight.sum(axis=1)[:, None],
                np.einsum("sr,src->sc", weight * model, means),
                np.einsum("sr,src->sc", weight, means),
            )
            off = means - contrast[:, None] * model[:, None] - haze[:, None]
            squared = np.minimum((off * off + variances) / (spread**2)[:, None], _CAP)
            flatness = (share * np.log(spread)).sum(axis=1)[:, None]
            cost = (0.5 * np.einsum("sr,src->sc", share, squared) + flatness) / 3 + penalty
            costs[:, k, :, t] = cost.reshape(len(EDGE_PAIRS), -1, cells).min(axis=1).T
    return RoadFit(colors, terrains, costs)


def fitting(sample: Floats, costs: NDArray[np.float32], fit: RoadFit, looks: RoadLooks) -> dict[Road, float]:
    """Return how ill the likeliest roads fit a cell's sample, by its own row of the fit's costs; the best first.

    The best colour's roads are all compared as a whole too, for on pale ones the first glance knows little of where
    they lead.
    """
    if not costs.size:
        return {}
    strips, terrains = costs.min(axis=2).ravel(), costs.argmin(axis=2).ravel()
    ranks, pairs = np.argsort(strips), len(EDGE_PAIRS)
    likely = ranks[(ranks // pairs == ranks[0] // pairs) | (np.arange(len(ranks)) < _COMPARED)]
    places = (likely // pairs * costs.shape[2] + terrains[likely]) * pairs + likely % pairs
    unlike, apart = compared(sample, places, looks)
    found = {}
    for index, place in enumerate(likely.tolist()):
        color, pair = divmod(place, pairs)
        aside = float(_UNLIKE_WEIGHT * unlike[index] + _APART_WEIGHT * apart[index])
        for terrain, cost in zip(fit.terrains, costs[color, pair].tolist(), strict=True):
            found[Road(fit.colors[color], terrain, EDGE_PAIRS[pair])] = cost + aside
    return dict(sorted(found.items(), key=lambda item: item[1]))


def compared(
    sample: Floats, places: NDArray[np.int64], looks: RoadLooks
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return how unlike a cell's sample is to each of these roads, (roads,), twice: as a whole, and by its strip alone.

    A road of colour k, terrain t and edges e is at the place (k * terrains + t) * len(EDGE_PAIRS) + e, in the order of
    `looks`. As a whole: 1 less the correlation, as of samples; a drawn road is of one tone in each bin of its
    cross-section, so that sums over the bins are all that is needed. By its strip: 1 less the correlation of what
    differs from the cell's mean colour, in tones in which the ground's own print is no stronger along one line (light
    and dark, mostly) than along another. A lamp's reflection, which makes the cell paler as a whole, does not count,
    and a strip that is as light as its ground but of another colour does.
    """
    bins, sizes, inside = _drawn_bins()
    pixels = sample.reshape(-1, 3).take(inside, axis=0)
    means = np.full((1, len(pixels)), 1 / len(pixels), np.float32) @ pixels
    pixels -= means
    spread = pixels.T @ pixels
    pairs, terrains = places % len(EDGE_PAIRS), places // len(EDGE_PAIRS) % len(looks.grounds)
    sums = (bins @ pixels).reshape(*sizes.shape, 3)
    # As much as the colours' means differ from their own counts where cells are compared as a whole.
    off = means[0] - means.mean()
    whole = sums + sizes[..., None] * off
    power = float(spread.trace()) + len(pixels) * float(off @ off)
    in_grounds = ((spread @ looks.evening) * looks.evening).sum(axis=(1, 2))
    found = []
    for seen, (tones, powers), of_seen in (
        (whole, looks.drawn, power), (sums, looks.drawn_evened, in_grounds[terrains][:, None]),
    ):  # fmt: skip
        products = np.einsum("rab,rab->ra", seen.reshape(*sizes.shape[:2], -1)[pairs], tones[places])
        alike = products / np.maximum(np.sqrt(powers[places] * of_seen), np.float32(1e-12))
        found.append(np.asarray(1 - alike.max(axis=1), dtype=np.float32))
    return found[0], found[1]


@cache
def _drawn_bins() -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int64]]:
    """Return which pixels lie in each bin of each strip's cross-section, and how many.

    The first is 0 or 1, (strips x bins, pixels), the second (pairs, asides, bins); the last bin is what lies beside
    the strip. The third are the indices of those pixels in a sample.
    """
    inside = np.flatnonzero(hexagon(_INSET_CELLS).ravel())
    masks = []
    for pair in EDGE_PAIRS:
        for aside in _ASIDE_CELLS:
            bins = np.minimum(np.floor(strip_distance(pair, aside) / _BIN_CELLS + 0.5), _BINS).ravel()[inside]
            masks.append(bins == np.arange(_BINS + 1)[:, None])
    drawn = np.array(masks, np.float32)
    sizes = drawn.sum(axis=2).reshape(len(EDGE_PAIRS), len(_ASIDE_CELLS), _BINS + 1)
    return drawn.reshape(-1, len(inside)), sizes, inside


#: How far contrast and haze may stray before it costs, and what a stray by so much costs beside a pixel's deviation.
_CONTRAST_SPREAD, _HAZE_SPREAD, _PENALTY = 0.2, 0.1, 0.08


def _light(
    tt: NDArray[np.float32],
    t1: NDArray[np.float32],
    ones: NDArray[np.float32],
    nt: NDArray[np.float32],
    n1: NDArray[np.float32],
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Return contrast, haze and their cost by weighted sums: of the model squared, the model, one, the model times the
    means seen, and those means."""
    # Least squares with both parameters held to 1 and 0 by priors as strong as a few regions.
    on_contrast, on_haze = _PENALTY / _CONTRAST_SPREAD**2, _PENALTY / _HAZE_SPREAD**2
    tt, ones, nt = tt + on_contrast, ones + on_haze, nt + on_contrast
    contrast = np.clip((nt * ones - n1 * t1) / (tt * ones - t1 * t1), 0.3, 1.3)
    haze = np.clip((n1 - contrast * t1) / ones, -0.1, 0.4)
    penalty = 0.5 * (on_contrast * (contrast - 1) ** 2 + on_haze * haze**2)
    return contrast.astype(np.float32), haze.astype(np.float32), penalty.astype(np.float32)
