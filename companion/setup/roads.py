"""Roads of any printing: strips of a known cross-section that join two edges of a cell.

What lies beside the strip is the tile's own terrain. The reader looks along a road's way instead, beside this table's
taught roads (`vision.tiles.strips`); here nothing is taught yet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from companion.board import EDGE_PAIRS, Color, Terrain
from vision.light.flatten import Floats, sample_hexagon, strip_distance

#: Width of the bins of a cross-section, and how many: half a strip is 0.2 cell sides wide, and a little beside it.
BIN_CELLS, BINS = 1 / 12, 3
#: Beyond this distance from the middle line the tile shows its terrain.
BESIDE_CELLS = 0.34
#: How far aside a strip may lie: tiles are laid by hand.
ASIDE_CELLS = (-0.08, 0.0, 0.08)
_INSET_CELLS = 0.1
#: No pixel counts for more than this many standard deviations squared: cubes and shadows cover some.
_CAP = 9.0

Tone = NDArray[np.float32]


@dataclass(frozen=True)
class RoadLooks:
    """What road tiles may look like.

    `profiles` and `profile_spreads` are (bins, 3) by colour: tones by distance from the middle line. `grounds` and
    `ground_spreads` are (3,) by terrain: the tones beside the strip.
    """

    profiles: Mapping[Color, Tone]
    profile_spreads: Mapping[Color, Tone]
    grounds: Mapping[Terrain, Tone]
    ground_spreads: Mapping[Terrain, Tone]


@dataclass(frozen=True)
class RoadFit:
    """How cells' samples fit every road: mean negative logarithms of likelihood per pixel.

    `costs` is (cells, colours, pairs, terrains), in the order of `colors`, EDGE_PAIRS and `terrains`, each at the
    place aside that fits best.
    """

    colors: tuple[Color, ...]
    terrains: tuple[Terrain, ...]
    costs: NDArray[np.float32]


def strip_regions(beside_cells: float) -> NDArray[np.bool_]:
    """Return the regions of every strip (pair x aside): (strips, regions, pixels of a sample).

    Regions are the bins of the cross-section, then what lies farther from the middle line than that.
    """
    strips, inside = [], sample_hexagon(_INSET_CELLS)
    for pair in EDGE_PAIRS:
        for aside in ASIDE_CELLS:
            distance = strip_distance(pair, aside)
            bins = np.floor(distance / BIN_CELLS + 0.5)
            strips.append([(inside & (bins == k)).ravel() for k in range(BINS)])
            strips[-1].append((inside & (distance > beside_cells)).ravel())
    return np.array(strips)


@cache
def _regions() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Region averages of every strip: weights (strips, regions, pixels), and sizes."""
    regions = strip_regions(BESIDE_CELLS).astype(np.float32)
    sizes = regions.sum(axis=2)
    return regions / sizes[..., None], sizes


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
            contrast, haze, penalty = _light(np.asarray(share / spread**2, np.float32), model, means)
            off = means - contrast[:, None] * model[:, None] - haze[:, None]
            squared = np.minimum((off * off + variances) / (spread**2)[:, None], _CAP)
            flatness = (share * np.log(spread)).sum(axis=1)[:, None]
            cost = (0.5 * np.einsum("sr,src->sc", share, squared) + flatness) / 3 + penalty
            costs[:, k, :, t] = cost.reshape(len(EDGE_PAIRS), -1, cells).min(axis=1).T
    return RoadFit(colors, terrains, costs)


#: How far contrast and haze may stray before it costs, and what a stray by so much costs beside a pixel's deviation.
_CONTRAST_SPREAD, _HAZE_SPREAD, _PENALTY = 0.2, 0.1, 0.08


def _light(weight: Tone, model: Tone, means: Tone) -> tuple[Tone, Tone, Tone]:
    """Return the contrast and haze by which means seen (strips, regions x channels, cells) are most like the model,
    and their cost (strips, cells); `weight` is (strips, regions x channels)."""
    tt, t1, ones = (one.sum(axis=1)[:, None] for one in (weight * model * model, weight * model, weight))
    nt, n1 = (np.einsum("sr,src->sc", one, means) for one in (weight * model, weight))
    # Least squares with both parameters held to 1 and 0 by priors as strong as a few regions.
    on_contrast, on_haze = _PENALTY / _CONTRAST_SPREAD**2, _PENALTY / _HAZE_SPREAD**2
    tt, ones, nt = tt + on_contrast, ones + on_haze, nt + on_contrast
    contrast = np.clip((nt * ones - n1 * t1) / (tt * ones - t1 * t1), 0.3, 1.3)
    haze = np.clip((n1 - contrast * t1) / ones, -0.1, 0.4)
    penalty = 0.5 * (on_contrast * (contrast - 1) ** 2 + on_haze * haze**2)
    return contrast.astype(np.float32), haze.astype(np.float32), penalty.astype(np.float32)
