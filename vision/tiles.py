"""Settlements and workshops: tiles known by what this table's own look like, however they are turned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import Settlement, Workshop
from vision.flatten import Floats
from vision.samples import SAMPLE_PX, hexagon

#: In how many turns a taught tile is compared: finer than a hand lays tiles.
TURNS = 24
_INSET_CELLS = 0.08
#: Sample pixels by which a tile may lie aside.
_SHIFTS = ((1, 0), (-1, 0), (0, 1), (0, -1))
#: How many turned looks are tried aside.
_REFINED = 24

Mask = NDArray[np.bool_]
LargeTile = Settlement | Workshop


@dataclass(frozen=True)
class TileLooks:
    """Taught tiles in all turns, inside the hexagon.

    `turned` (looks, pixels, 3) are tones less their mean, 0 where a cube covered them; `seen` (looks, pixels) is 1
    where none did; `sums` and `squares` (looks, pixels) are over the colours. Look k shows tile k // TURNS turned by
    k % TURNS steps.
    """

    tiles: tuple[LargeTile, ...]
    turned: NDArray[np.float32]
    seen: NDArray[np.float32]
    sums: NDArray[np.float32]
    squares: NDArray[np.float32]


@cache
def _inside() -> NDArray[np.int64]:
    return np.flatnonzero(hexagon(_INSET_CELLS).ravel())


def teach_tiles(tiles: Sequence[tuple[LargeTile, Floats, Mask]]) -> TileLooks:
    """Return the looks of tiles from samples, each with a mask of what cubes cover."""
    turned, seen = [], []
    middle = (SAMPLE_PX - 1) / 2
    size = (SAMPLE_PX, SAMPLE_PX)
    for _, sample, covered in tiles:
        for step in range(TURNS):
            turn = cv2.getRotationMatrix2D((middle, middle), 360 / TURNS * step, 1)
            rotated = cv2.warpAffine(sample, turn, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
            hidden = cv2.warpAffine(covered.astype(np.float32), turn, size, flags=cv2.INTER_LINEAR)
            turned.append(rotated.reshape(-1, 3)[_inside()])
            seen.append(hidden.ravel()[_inside()] < 0.3)
    shape = (-1, len(_inside()))
    pixels = np.array(turned, np.float32).reshape(*shape, 3)
    weights = np.array(seen, np.float32).reshape(shape)
    means = (pixels * weights[..., None]).sum(axis=(1, 2)) / (3 * np.maximum(weights.sum(axis=1), 1))
    pixels = (pixels - means[:, None, None]) * weights[..., None]
    return TileLooks(tuple(tile for tile, _, _ in tiles), pixels, weights, pixels.sum(axis=2), (pixels**2).sum(axis=2))


def fit_tiles(sample: Floats, looks: TileLooks, hidden: Mask | None = None) -> NDArray[np.float32]:
    """Return how unlike one sample (SAMPLE_PX, SAMPLE_PX, 3) each taught tile is at its best turn, (tiles,).

    Unlike is 1 less the correlation over pixels and colours, so neither gain nor glare counts; 0 is alike. Pixels
    that cubes hide (`hidden`) are left out.
    """
    if not looks.tiles:
        return np.zeros(0, np.float32)
    seen = np.ones(len(_inside()), np.float32) if hidden is None else (~hidden).ravel()[_inside()].astype(np.float32)
    best = 1 - _correlations(sample, looks, slice(None), seen)
    # Laid aside by a pixel: tried for the turns that fit best as they lie.
    likely = np.argsort(best)[:_REFINED]
    for shift in _SHIFTS:
        moved = np.roll(sample, shift, (0, 1))
        best[likely] = np.minimum(best[likely], 1 - _correlations(moved, looks, likely, seen))
    return np.asarray(best.reshape(len(looks.tiles), TURNS).min(axis=1), dtype=np.float32)


def _correlations(
    sample: Floats, looks: TileLooks, which: slice | NDArray[np.int64], weight: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Return each look's correlation with a sample over the pixels that both show."""
    pixels = sample.reshape(-1, 3)[_inside()] * weight[:, None]
    seen, turned = looks.seen[which], looks.turned[which]
    count = 3 * np.maximum(seen @ weight, 1)
    mean = (seen @ pixels.sum(axis=1)) / count
    power = seen @ (pixels * pixels).sum(axis=1) - count * mean * mean
    look_mean = (looks.sums[which] @ weight) / count
    look_power = looks.squares[which] @ weight - count * look_mean * look_mean
    product = turned.reshape(len(turned), -1) @ pixels.ravel() - count * look_mean * mean
    lengths = np.sqrt(np.maximum(power, 0) * np.maximum(look_power, 0))
    return np.asarray(product / np.maximum(lengths, 1e-6), dtype=np.float64)


def by_kind(unlike: NDArray[np.float32], looks: TileLooks) -> dict[LargeTile, float]:
    """Return for each kind of tile how unlike its most similar taught tile is."""
    best: dict[LargeTile, float] = {}
    for tile, value in zip(looks.tiles, unlike, strict=True):
        best[tile] = min(float(value), best.get(tile, np.inf))
    return best
