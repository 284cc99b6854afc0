"""What can be said about a cell without knowing the printing: how much of it looks bare, which colours and roads show.

Roads are strips of a known cross-section that join two edges of a cell. The ground beside the strip is the tile's own
terrain. The reader looks along a road's way instead and compares it with this table's taught roads
(`vision.tiles.strips`); here nothing is taught yet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from companion.board import EDGE_PAIRS, Color, Terrain
from vision.board.layout import BoardLook
from vision.light.flatten import Floats, halved, offsets, sample_hexagon, samples, strip_distance

#: Width of the bins of a cross-section, and how many: they cover half a strip (0.2 cell sides) and a little beside it.
BIN_CELLS, BINS = 1 / 12, 3
#: Beyond this distance from the middle line the tile shows its terrain.
BESIDE_CELLS = 0.34
#: How far off the middle a strip may be: tiles are laid by hand.
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

    `costs` is (cells, colours, pairs, terrains), in the order of `colors`, EDGE_PAIRS and `terrains`, each as far off
    the middle as fits best.
    """

    colors: tuple[Color, ...]
    terrains: tuple[Terrain, ...]
    costs: NDArray[np.float32]


def strip_regions(beside_cells: float) -> NDArray[np.bool_]:
    """Return the regions of every strip (pair x aside): (strips, regions, pixels of a sample).

    Regions are the bins of the cross-section, then what is farther from the middle line than `beside_cells`.
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
    # (strips, regions x channels, cells): sums go across rows of cells, which is fast.
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


#: How far contrast and haze may stray before it costs, and what that costs compared with a pixel's deviation.
_CONTRAST_SPREAD, _HAZE_SPREAD, _PENALTY = 0.2, 0.1, 0.08


def _light(weight: Tone, model: Tone, means: Tone) -> tuple[Tone, Tone, Tone]:
    """Return the contrast and haze that make means seen (strips, regions x channels, cells) most like the model,
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


Array = NDArray[np.float64]

#: What each colour's wood and ink look like in a neutral light: tones, blue, green, red.
PALETTE = {
    Color.BLACK: (0.21, 0.24, 0.26),
    Color.GREY: (0.55, 0.61, 0.65),
    Color.YELLOW: (0.27, 0.63, 0.83),
    Color.RED: (0.22, 0.26, 0.63),
}
#: How far a printing's ink may be from that, on top of how far tones stray anyway; lightness counts half.
_INK_SPREAD = 0.13
#: The hue (logarithms of tones minus their mean) of black and grey in that light; hues weaker than this (squared) count
#: as none; how much paler ink may be; how much a difference of lightness counts compared with one of hue.
_GREY_HUE = np.array([-0.1, 0.02, 0.08])
_NEUTRAL, _PALED, _LIGHT_OF_NEUTRAL, _LIGHT_OF_HUED, _LIGHT_OF_WOOD = 0.02, (0.4, 1.2), 0.5, 0.15, 0.6
_GROUND_SPREAD = 0.05
#: Half a strip's width; how much it counts that a strip explains a cell, compared with the palette's fit; and the share
#: of a strip that has a colour other than grey if that is the road's.
_STRIP_HALF_CELLS, _STRIP_WEIGHT, _INKED = 0.16, 2.0, 0.3
#: A pixel that differs less than this from the bare board is the same: a floor, and this many times what cells usually
#: show.
_SAME_FLOOR, _SAME_TIMES = 0.04, 2.0
#: A tone this far from an ink is not of its colour.
_NEAR_INK = 0.18
#: How much a tile's terrain is printed differently from the board's.
_GROUNDS_DIFFER = 0.03


@dataclass(frozen=True)
class Cells:
    """A photograph's cells: samples, the bare board's, and how each fits every road.

    `same` (cells,) is the share of each that looks as it did when bare, `discs` (cells, colours of PALETTE) how much of
    its middle has each colour.
    """

    patches: Floats
    bare: Floats
    terrain: tuple[Terrain, ...]
    roads: RoadFit
    same: Array
    discs: Array

    def terrain_beside(self, row: int, edges: tuple[int, int]) -> Terrain:
        """Return the terrain of the bare board that the ground beside a strip in a cell is most like."""
        beside = sample_hexagon(0.1) & (strip_distance(edges) > BESIDE_CELLS)
        look, here = _grounds(self.bare, beside), _grounds(self.patches[row : row + 1], beside)[0]
        named = np.array([str(kind) for kind in self.terrain])
        kinds = [kind for kind in Terrain if (named == kind.value).any()]
        within = np.concatenate([look[named == kind.value] - look[named == kind.value].mean(axis=0) for kind in kinds])
        inverse = np.linalg.inv(within.T @ within / len(within) + np.eye(look.shape[1]) * _GROUNDS_DIFFER**2)
        off = {kind: here - look[named == kind.value].mean(axis=0) for kind in kinds}
        return min(off, key=lambda kind: off[kind] @ inverse @ off[kind])


def seen_cells(tone: Floats, look: BoardLook) -> Cells:
    """Return the cells of a flat picture's tones in even light; `look` is how the board looks when it is bare."""
    patches, bare = samples(halved(tone), look.board), samples(halved(look.tone), look.board)
    roads = fit_roads(patches, palette_roads(look, bare))
    terrain = tuple(look.terrain[cell] for cell in look.board.cells)
    return Cells(patches, bare, terrain, roads, _same(patches, bare), _discs(patches))


def _grounds(patches: Floats, mask: NDArray[np.bool_]) -> Array:
    """Return the mean tone and the roughness of the part of each sample in a mask, (cells, 4)."""
    pixels = patches[:, mask].astype(np.float64)
    mean = pixels.mean(axis=1)
    return np.column_stack([mean, 0.15 * np.log(pixels.std(axis=1).mean(axis=1) + 0.01)])


def palette_roads(look: BoardLook, bare: Floats) -> RoadLooks:
    """Return what road tiles may look like: strips in the palette's colours, beside them this board's own ground."""
    terrain = np.array([str(look.terrain[cell]) for cell in look.board.cells])
    inside = sample_hexagon(0.1)
    grounds, spreads = {}, {}
    for kind in Terrain:
        pixels = bare[terrain == kind.value][:, inside]
        if len(pixels):
            grounds[kind] = np.median(pixels.reshape(-1, 3), axis=0).astype(np.float32)
            spreads[kind] = np.asarray(pixels.std(axis=1).mean(axis=0) + _GROUND_SPREAD, dtype=np.float32)
    inks = {color: np.tile(np.array(ink, np.float32), (BINS, 1)) for color, ink in PALETTE.items()}
    spread = {color: np.full((BINS, 3), _INK_SPREAD, np.float32) for color in PALETTE}
    return RoadLooks(inks, spread, grounds, spreads)


def ink_of(tone: Floats, colors: tuple[Color, ...] = tuple(Color)) -> Color:
    """Return which of the colours' painted wood a tone (3,) is nearest to."""
    return min(colors, key=lambda color: wood_distance(tone, color))


def wood_distance(tone: Floats, color: Color) -> float:
    """Return how far a tone (3,) is from that of painted wood: differences of hue count in full, of lightness less."""
    return float(wood_distances(tone, color))


def wood_distances(tones: Floats, color: Color) -> Floats:
    """Return the same for tones (..., 3)."""
    far = np.log(np.maximum(tones, np.float32(0.05))) - np.log(np.array(PALETTE[color], np.float32))
    light = far.mean(axis=-1, keepdims=True)
    return np.asarray(np.sqrt(((far - light) ** 2).sum(axis=-1) + (_LIGHT_OF_WOOD * light[..., 0]) ** 2), np.float32)


def ink_distances(tones: Floats, color: Color) -> Array:
    """Return how far tones (N, 3) are from a colour's: paler ink counts as the same, lightness less than hue."""
    hue, light = _hues(np.log(np.maximum(tones, 0.05)))
    ink, ink_light = _hues(np.log(np.array([PALETTE[color]])))
    power = float((ink * ink).sum())
    paled = np.clip(hue @ ink[0] / power, *_PALED) if power > _NEUTRAL else np.ones(len(hue))
    weight = _LIGHT_OF_NEUTRAL if power <= _NEUTRAL else _LIGHT_OF_HUED
    return np.asarray(np.sqrt(((hue - paled[:, None] * ink) ** 2).sum(axis=1) + (weight * (light - ink_light)) ** 2))


def _hues(logs: Array) -> tuple[Array, Array]:
    """Return logarithms of tones (N, 3) split into hue, which black and grey have none of, and lightness."""
    light = logs.mean(axis=1)
    return logs - light[:, None] - _GREY_HUE, light


def _same(patches: Floats, bare: Floats) -> Array:
    """Return the share of each cell that looks as it did when bare, (cells,)."""
    inside = sample_hexagon(0.1)
    off = np.abs(patches - bare).mean(axis=3)
    usual = float(np.median(off[:, inside].mean(axis=1)))
    return np.asarray((off < max(_SAME_FLOOR, _SAME_TIMES * usual))[:, inside].mean(axis=1), np.float64)


def _discs(patches: Floats) -> Array:
    """Return how much of each cell's middle has each colour, (cells, colours)."""
    x, y = offsets()
    middle = np.hypot(x, y) < 0.62
    pixels = patches[:, middle].reshape(-1, 3)
    off = [ink_distances(pixels, color).reshape(len(patches), -1) for color in PALETTE]
    return np.column_stack([np.exp(-((far / _NEAR_INK) ** 2) / 2).mean(axis=1) for far in off])


def _explained_by(regions: NDArray[np.float32], pixels: Floats) -> Array:
    """Return the share of the variation of cells' pixels (cells, pixels, 3) that one strip's regions explain."""
    covered = regions.any(axis=0)
    inside, parts = pixels[:, covered], regions[:, covered]
    inside = inside - inside.mean(axis=1, keepdims=True)
    sums = parts @ inside
    between = (sums**2 / np.maximum(parts.sum(axis=1), 1)[:, None]).sum(axis=(1, 2))
    return np.asarray(between / np.maximum((inside**2).sum(axis=(1, 2)), 1e-6))


@cache
def _strips() -> NDArray[np.float32]:
    return strip_regions(0.32).astype(np.float32)


def strip_pair(patch: Floats, costs: Floats) -> tuple[tuple[int, int], float]:
    """Return the edges that a strip seems to join in a sample, and how far off the middle it is.

    `costs` (pairs,) is how badly the palette's strips fit; how much of the sample's variation a strip of any colours
    explains counts too.
    """
    pixels = patch.reshape(-1, 3)
    explained = np.array([_explained_by(regions, pixels[None])[0] for regions in _strips()])
    by_pair = explained.reshape(len(EDGE_PAIRS), -1)
    pair = int((costs - _STRIP_WEIGHT * by_pair.max(axis=1)).argmin())
    return EDGE_PAIRS[pair], ASIDE_CELLS[int(by_pair[pair].argmax())]


def strip_color(patch: Floats, edges: tuple[int, int], aside: float, colors: tuple[Color, ...]) -> Color:
    """Return the colour of most of a strip's pixels; grey only if no other is seen, as borders are grey too."""
    pixels = patch[(strip_distance(edges, aside) < _STRIP_HALF_CELLS) & sample_hexagon(0.1)]
    off = np.array([ink_distances(pixels, color) for color in colors])
    shares = (off.argmin(axis=0) == np.arange(len(colors))[:, None]).mean(axis=1)
    told = zip(colors, shares, strict=True)
    inked: dict[Color, float] = {color: float(share) for color, share in told if color is not Color.GREY}
    best = max(inked, key=lambda color: inked[color], default=Color.GREY)
    return best if Color.GREY not in colors or inked.get(best, 0) > _INKED else Color.GREY
