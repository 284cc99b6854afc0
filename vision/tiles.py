"""Settlements and workshops: tiles known by what this table's own look like, however they are turned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

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

    @cached_property
    def totals(self) -> NDArray[np.float32]:
        """Over all pixels: how many each look shows, and the sums of `sums` and of `squares`, (3, looks)."""
        return np.array([part.sum(axis=1) for part in (self.seen, self.sums, self.squares)], np.float32)

    @cached_property
    def partly(self) -> NDArray[np.int64]:
        """Which looks do not show all pixels: cubes covered some."""
        return np.flatnonzero(self.totals[0] < self.seen.shape[1])


@cache
def _inside() -> NDArray[np.int64]:
    return np.flatnonzero(hexagon(_INSET_CELLS).ravel())


@cache
def _turning() -> tuple[Floats, Floats]:
    """Return the maps with which `cv2.remap` shows one sample in all turns, one below the other."""
    middle = (SAMPLE_PX - 1) / 2
    x, y = np.meshgrid(np.arange(SAMPLE_PX) - middle, np.arange(SAMPLE_PX) - middle)
    angle = (2 * np.pi / TURNS * np.arange(TURNS))[:, None, None]
    columns = np.cos(angle) * x - np.sin(angle) * y + middle
    rows = np.sin(angle) * x + np.cos(angle) * y + middle
    shape = (-1, SAMPLE_PX)
    return columns.reshape(shape).astype(np.float32), rows.reshape(shape).astype(np.float32)


def _turned(sample: Floats) -> Floats:
    """Return what a sample shows inside the hexagon in each turn, (TURNS, pixels, channels)."""
    turned = cv2.remap(sample, *_turning(), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(turned.reshape(TURNS, SAMPLE_PX**2, -1).take(_inside(), axis=1), dtype=np.float32)


def teach_tiles(tiles: Sequence[tuple[LargeTile, Floats, Mask]]) -> TileLooks:
    """Return the looks of tiles from samples, each with a mask of what cubes cover."""
    shape = (TURNS * len(tiles), len(_inside()))
    pixels, weights = np.zeros((*shape, 3), np.float32), np.ones(shape, np.float32)
    for index, (_, sample, covered) in enumerate(tiles):
        looks = slice(TURNS * index, TURNS * (index + 1))
        pixels[looks] = _turned(sample)
        if covered.any():
            weights[looks] = _turned(covered.astype(np.float32))[..., 0] < 0.3
    means = np.einsum("lp,lp->l", _over_colors(pixels), weights) / (3 * np.maximum(weights.sum(axis=1), 1))
    pixels -= means[:, None, None]
    pixels *= weights[..., None]
    sums, squares = _over_colors(pixels), _over_colors(pixels * pixels)
    return TileLooks(tuple(tile for tile, _, _ in tiles), pixels, weights, sums, squares)


def _over_colors(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the sum over the last axis, of three: as a product it is several times faster."""
    return np.asarray(values @ np.ones(3, np.float32), dtype=np.float32)


def fit_tiles(sample: Floats, looks: TileLooks, hidden: Mask | None = None) -> NDArray[np.float32]:
    """Return how unlike one sample (SAMPLE_PX, SAMPLE_PX, 3) each taught tile is at its best turn, (tiles,).

    Unlike is 1 less the correlation over pixels and colours, so neither gain nor glare counts; 0 is alike. Pixels
    that cubes hide (`hidden`) are left out.
    """
    masks = None if hidden is None or not hidden.any() else hidden[None]
    return np.asarray(fit_samples(sample[None], looks, masks)[0], dtype=np.float32)


def fit_samples(samples: Floats, looks: TileLooks, hidden: Mask | None = None) -> NDArray[np.float32]:
    """Return the same for many samples at once, (samples, tiles); `hidden` is (samples, SAMPLE_PX, SAMPLE_PX)."""
    fits = Fits.of(samples, looks, hidden)
    found = [fits.at_best(index) for index in range(len(samples))]
    return np.array(found, np.float32).reshape(len(samples), len(looks.tiles))


@dataclass(frozen=True)
class Fits:
    """How unlike samples (samples, SAMPLE_PX, SAMPLE_PX, 3) are to every look, (samples, looks), in the middle.

    `seen` (samples, pixels) is 0 where cubes hide them; None where all is seen.
    """

    samples: Floats
    looks: TileLooks
    seen: NDArray[np.float32] | None
    unlike: NDArray[np.float32]

    @classmethod
    def of(cls, samples: Floats, looks: TileLooks, hidden: Mask | None = None) -> Fits:
        """Return them for many samples at once, in hardly more time than for one."""
        seen = None if hidden is None else (~hidden).reshape(len(samples), -1)[:, _inside()].astype(np.float32)
        if not looks.tiles or not len(samples):
            return cls(samples, looks, seen, np.zeros((len(samples), TURNS * len(looks.tiles)), np.float32))
        pixels = samples.reshape(len(samples), -1, 3).take(_inside(), axis=1)
        return cls(samples, looks, seen, 1 - _correlations(pixels, looks, slice(None), seen))

    def at_best(self, index: int) -> NDArray[np.float32]:
        """Return how unlike one of the samples each taught tile is at its best turn and place, (tiles,)."""
        unlike, looks = self.unlike[index].copy(), self.looks
        if not looks.tiles:
            return np.zeros(0, np.float32)
        pixels = self.samples[index].reshape(-1, 3)
        likely = np.argpartition(unlike, _REFINED)[:_REFINED] if len(unlike) > _REFINED else np.arange(len(unlike))
        weight = None if self.seen is None else np.broadcast_to(self.seen[index], (len(_SHIFTS), self.seen.shape[1]))
        moved = 1 - _correlations(pixels.take(_aside(), axis=0), looks, likely, weight).max(axis=0)
        unlike[likely] = np.minimum(unlike[likely], moved)
        return np.asarray(unlike.reshape(len(looks.tiles), TURNS).min(axis=1), dtype=np.float32)


@cache
def _aside() -> NDArray[np.int64]:
    """Return for each way aside the indices of the sample pixels that are inside the hexagon then."""
    return np.array([_inside() - SAMPLE_PX * down - right for down, right in _SHIFTS])


def nearest_look(sample: Floats, tile: LargeTile, looks: TileLooks) -> tuple[Floats, Mask]:
    """Return the taught look of that kind of tile that a sample is most like, turned as it lies, as a sample.

    And where it shows anything: inside the hexagon, where no cube covered the taught tile. Tones are less their mean.
    """
    of_kind = np.array([other == tile for other in looks.tiles]).repeat(TURNS)
    which = np.flatnonzero(of_kind)
    pixels = sample.reshape(1, -1, 3)[:, _inside()]
    best = which[int(_correlations(pixels, looks, which, None)[0].argmax())]
    model, shown = np.zeros((SAMPLE_PX**2, 3), np.float32), np.zeros(SAMPLE_PX**2, bool)
    model[_inside()], shown[_inside()] = looks.turned[best], looks.seen[best] > 0
    return model.reshape(sample.shape), shown.reshape(sample.shape[:2])


def usual_unlike(looks: TileLooks, samples: Sequence[Floats]) -> float:
    """Return how unlike a taught tile is to the most similar other of its kind, in the middle; 0 where each is alone.

    `samples` are those that were taught, in order.
    """
    unlike = fit_samples(np.array(samples), looks)
    far = [
        min(unlike[i, j] for j, other in enumerate(looks.tiles) if other == tile and j != i)
        for i, tile in enumerate(looks.tiles)
        if looks.tiles.count(tile) > 1
    ]
    return float(np.median(far)) if far else 0.0


def _correlations(
    pixels: Floats, looks: TileLooks, which: slice | NDArray[np.int64], weight: NDArray[np.float32] | None
) -> NDArray[np.float32]:
    """Return the correlations (samples, looks) of samples' pixels (samples, pixels, 3) with looks, over what both show.

    `weight` (samples, pixels) is 0 where a sample shows nothing; None where all is seen.
    """
    seen, turned = looks.seen[which], looks.turned[which]
    if weight is None:
        shown, sums, squares = looks.totals[:, which][:, None]
    else:
        pixels = pixels * weight[..., None]
        shown, sums, squares = (weight @ part.T for part in (seen, looks.sums[which], looks.squares[which]))
    count = 3 * np.maximum(shown, 1)
    over_colors = np.array([_over_colors(pixels), _over_colors(pixels * pixels)])
    if isinstance(which, slice):
        # Nearly all looks show all pixels.
        total, squared = np.repeat(over_colors.sum(axis=2, keepdims=True), len(seen), axis=2)
        total[:, looks.partly], squared[:, looks.partly] = over_colors @ seen[looks.partly].T
    else:
        total, squared = over_colors @ seen.T
    mean = total / count
    power = squared - count * mean * mean
    look_mean = sums / count
    look_power = squares - count * look_mean * look_mean
    product = pixels.reshape(len(pixels), -1) @ turned.reshape(len(turned), -1).T - count * look_mean * mean
    lengths = np.sqrt(np.maximum(power, 0) * np.maximum(look_power, 0))
    return np.asarray(product / np.maximum(lengths, np.float32(1e-6)), dtype=np.float32)


def by_kind(unlike: NDArray[np.float32], looks: TileLooks) -> dict[LargeTile, float]:
    """Return for each kind of tile how unlike its most similar taught tile is."""
    best: dict[LargeTile, float] = {}
    for tile, value in zip(looks.tiles, unlike, strict=True):
        best[tile] = min(float(value), best.get(tile, np.inf))
    return best
