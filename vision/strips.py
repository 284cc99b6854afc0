"""A road's strip as it lies: its finer cross-section, pushed aside and turned as a hand lays tiles.

Which road it is, `vision.roads` says by coarse cross-sections, straight in their cells. How well that explains what is
seen there is told by this finer one: a narrow line that lies two pixels aside is unlike itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from companion.board import EDGE_PAIRS, Color, Road, Terrain
from vision.flatten import Floats
from vision.roads import RoadLooks, Tone
from vision.samples import Mask, hexagon, strip_distance

#: A cross-section is told at so many distances from the middle line, so far apart; beyond the last lies the ground.
_STEP_CELLS, _STEPS = 1 / 24, 8
#: Where the coarse cross-section's bins lie, from which the finer one is first guessed, and the ground begins.
_COARSE_CELLS = (0.0, 1 / 12, 1 / 6, 0.26)
#: How far aside and how much turned a strip may lie.
_ASIDE_CELLS = tuple(0.04 * k for k in range(-4, 5))
_TURNS = tuple(math.radians(3 * k) for k in range(-3, 4))
_INSET_CELLS = 0.1
#: A taught cross-section is measured anew so often, once its tiles are better placed.
_ROUNDS = 3
#: A taught tile of which fewer pixels are seen is left out; and fewer of a distance tell nothing.
_LEAST_PIXELS, _LEAST_AT = 150, 3


@dataclass(frozen=True)
class StripLooks:
    """Cross-sections, (_STEPS, 3) tones by colour from the middle line outwards, and grounds, (3,) by terrain."""

    profiles: Mapping[Color, Tone]
    grounds: Mapping[Terrain, Tone]


def teach_strips(tiles: Sequence[tuple[Road, Floats, Mask]], looks: RoadLooks) -> StripLooks:
    """Return the finer looks of taught road tiles, samples each with a mask of what cubes cover."""
    profiles = {}
    for color, coarse in looks.profiles.items():
        ground = np.mean([looks.grounds[road.terrain] for road, _, _ in tiles if road.color is color], axis=0)
        at = np.arange(_STEPS) * _STEP_CELLS
        profile = np.array(
            [np.interp(at, _COARSE_CELLS, [*coarse[:, channel], ground[channel]]) for channel in range(3)], np.float32
        ).T
        own = [tile for tile in tiles if tile[0].color is color and (_inside() & ~tile[2]).sum() >= _LEAST_PIXELS]
        for _ in range(_ROUNDS if own else 0):
            seen = [_seen_profile(tile, StripLooks({color: profile}, looks.grounds), profile) for tile in own]
            profile = np.median(seen, axis=0).astype(np.float32)
        profiles[color] = profile
    return StripLooks(profiles, looks.grounds)


def _seen_profile(tile: tuple[Road, Floats, Mask], looks: StripLooks, guessed: Tone) -> Tone:
    """Return the cross-section that one taught tile shows; where cubes hide it, as it was guessed."""
    road, sample, covered = tile
    distance = _distances(EDGE_PAIRS.index(road.edges))[_best(road, sample, looks)[0]]
    pixels, free = sample.reshape(-1, 3)[_indices()], ~covered.ravel()[_indices()]
    shown = guessed.copy()
    for step in range(_STEPS):
        near = free & (np.abs(distance / _STEP_CELLS - step) < 0.75)
        if near.sum() >= _LEAST_AT:
            shown[step] = np.median(pixels[near], axis=0)
    return shown


def drawn_road(road: Road, sample: Floats, looks: StripLooks) -> Floats:
    """Return the road as a sample, drawn from its taught look as a cell's sample shows it lying."""
    place, _ = _best(road, sample, looks)
    weights = _weights(EDGE_PAIRS.index(road.edges))[0][place]
    model = np.zeros((sample.size // 3, 3), np.float32)
    model[_indices()] = weights.T @ _tones(road, looks)
    return model.reshape(sample.shape)


def strip_unlike(road: Road, sample: Floats, looks: StripLooks) -> float:
    """Return how unlike a cell's sample is to the road as it lies, 0 alike to 1: 1 less the correlation."""
    return _best(road, sample, looks)[1]


def _best(road: Road, sample: Floats, looks: StripLooks) -> tuple[int, float]:
    """Return the place, aside and turned, where the road is most alike, and how unlike it is there."""
    weights, sums, products = _weights(EDGE_PAIRS.index(road.edges))
    pixels = sample.reshape(-1, 3)[_indices()]
    pixels = pixels - pixels.mean()
    tones = _tones(road, looks)
    seen = (weights.reshape(-1, len(pixels)) @ pixels).reshape(*weights.shape[:2], 3)
    alike = (seen * tones).sum(axis=(1, 2))
    total = (sums @ tones).sum(axis=1)
    power = np.einsum("psc,sc->p", products @ tones, tones) - total * total / (3 * len(pixels))
    alike /= np.sqrt(np.maximum(power * np.vdot(pixels, pixels), 1e-12))
    place = int(alike.argmax())
    return place, 1 - float(alike[place])


def _tones(road: Road, looks: StripLooks) -> Tone:
    return np.vstack([looks.profiles[road.color], looks.grounds[road.terrain]])


def _inside() -> Mask:
    return hexagon(_INSET_CELLS)


@cache
def _indices() -> NDArray[np.int64]:
    return np.flatnonzero(_inside().ravel())


@cache
def _distances(pair: int) -> Floats:
    """Return each pixel's distance from the middle line in every place of a strip, (places, pixels)."""
    placed = [strip_distance(EDGE_PAIRS[pair], aside, turn) for aside in _ASIDE_CELLS for turn in _TURNS]
    return np.array([distance.ravel()[_indices()] for distance in placed], np.float32)


@cache
def _weights(pair: int) -> tuple[Floats, Floats, Floats]:
    """Return how much each tone of a cross-section, the ground the last, counts in each pixel, for every place.

    The weights are (places, tones, pixels); with them come their sums over the pixels, (places, tones), and those of
    their products, (places, tones, tones).
    """
    at = np.minimum(_distances(pair) / _STEP_CELLS, _STEPS)
    weights = np.stack([np.maximum(1 - np.abs(at - step), 0) for step in range(_STEPS + 1)], axis=1)
    return weights, weights.sum(axis=2), weights @ weights.transpose(0, 2, 1)
