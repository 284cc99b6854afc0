"""A lamp that mirrors in the board. Its light is added to that of the print, where all other light is a factor.

Round the place where a glossy board mirrors a lamp, dark print gets as much brighter as light print does, so it looks
pale, and its colours and texture fade. What is mirrored falls off from there as from the middle of GGX's lobe, a half
at 0.64 widths, in long tails (B. Walter et al., Microfacet models for refraction through rough surfaces, 2007). Where,
how wide and how bright it is, is chosen so that the cells' tones make three heaps best once it is taken off.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from companion.board import HexBoard
from vision.light.flatten import SIDE_PX, Floats, extent_cells
from vision.light.gain import patch_medians

Array = NDArray[np.float64]
Heaps = NDArray[np.int64]

#: A lamp is looked for where the brightest cell is so much brighter than the one in the middle.
_BRIGHT = 1.5
#: Of a tone so much is left at least: light is not added up so exactly where the camera has nearly all it can take.
_LEFT, _FULL = 0.02, 0.97
#: Widths that are tried first, shares of the brightest cell's light, and the widest, in cell sides.
_WIDTHS, _SHARES, _WIDEST = (1.0, 2.0, 3.5), (0.4, 0.8), 6.0
#: The search's first steps: of the place, the width, all light, each colour of it; and how small they become.
_STEPS = np.array([
    [0.8, 0, 0, 0, 0, 0], [0, 0.8, 0, 0, 0, 0], [0, 0, 0.4, 0, 0, 0], [0, 0, 0.4, -0.5, -0.5, -0.5],
    [0, 0, 0, 0.4, 0.4, 0.4], [0, 0, 0, 0.3, 0, 0], [0, 0, 0, 0, 0.3, 0], [0, 0, 0, 0, 0, 0.3],
])  # fmt: skip
#: A sweep over all steps that gains less than the second (a logarithm) makes them smaller; no search takes more sweeps.
_SMALLEST, _WORTH, _SWEEPS = 0.05, 0.5, 60
#: Tones are at least so uneven, as logarithms; how far they stray counts as in Student's t distribution of so many
#: degrees of freedom; and light changes over a heap by no more than this.
_UNEVEN, _DEGREES, _MOST_LIGHT = 0.03, 4.0, 0.6
#: Heaps and light are found in turns, so often; where a lamp gives more light than is seen, that costs so much for all.
_ROUNDS, _TOO_MUCH = 4, 1000.0
#: A lamp is believed if the tones are likelier with it by this (logarithms). Chosen on tables to choose by.
_BELIEVED = 100.0


@dataclass(frozen=True)
class Glare:
    """What a board mirrors: `centre` and `width` in cell sides, `light` (B, G, R) linear light in its middle."""

    centre: tuple[float, float]
    width: float
    light: tuple[float, float, float]

    @classmethod
    def seen(cls, flat: Floats, board: HexBoard, heaps: Heaps) -> Glare | None:
        """Return what an empty board mirrors, from its flat picture and its cells' heaps at first sight, 0 to 2."""
        tones = np.maximum(patch_medians(flat, board.rings)[: len(board.cells)].astype(np.float64), 1e-4)
        grey = tones.mean(axis=1)
        top = int(grey.argmax())
        if grey[top] < _BRIGHT * np.median(grey):
            return None
        field = _Field(tones, np.array([cell.centre for cell in board.cells]), _smoothing(board), heaps)
        light = np.maximum(tones[top] - np.median(tones, axis=0), 1e-3)
        starts = [
            np.array([*field.places[top], math.log(width), *np.log(share * light)])
            for width in _WIDTHS
            for share in _SHARES
        ]
        without, _ = field.cost(None, heaps)
        cost, best = min((_searched(field, start) for start in starts), key=lambda found: found[0])
        return _glare(best) if without - cost > _BELIEVED else None

    def at(self, places: Array) -> Array:
        """Return the light that is mirrored at places (n, 2), in cell sides: (n, 3)."""
        away = ((places - self.centre) ** 2).sum(axis=-1, keepdims=True) / self.width**2
        return np.asarray(np.array(self.light) / (1 + away) ** 2)

    def taken_off(self, flat: Floats) -> Floats:
        """Return a flat picture in linear light without it."""
        across = (np.arange(len(flat)) + 0.5) / SIDE_PX - extent_cells(flat)
        added = self.at(np.stack(np.meshgrid(across, across), axis=-1)).astype(np.float32)
        return np.asarray(np.maximum(flat - added, _LEFT * flat), dtype=np.float32)


@dataclass(frozen=True, eq=False)
class _Field:
    """An empty board's cells: `tones` (n, 3) in linear light, `places` (n, 2), and what evens light out, (n, n)."""

    tones: Array
    places: Array
    smooth: Array
    heaps: Heaps

    def cost(self, lamp: Array | None, heaps: Heaps) -> tuple[float, Heaps]:
        """Return minus the logarithm of how likely the tones are if the board mirrors that, or nothing, and heaps."""
        even, too_much = self.tones, 0.0
        if lamp is not None:
            if math.exp(lamp[2]) > _WIDEST:
                return math.inf, heaps
            even = self.tones - _glare(lamp).at(self.places)
            least = _UNEVEN * self.tones
            too_much = float(np.maximum((least - even) / self.tones, 0).sum())
            even = np.maximum(even, least)
        logs = np.log(even)
        counted = self.tones.max(axis=1) < _FULL
        light = np.zeros_like(logs)
        means = np.zeros((3, 3))
        for _ in range(_ROUNDS):
            for heap in range(3):
                if (heaps == heap).any():
                    means[heap] = np.median((logs - light)[heaps == heap], axis=0)
            strayed = np.clip(logs - means[heaps], -_MOST_LIGHT, _MOST_LIGHT)
            light = self.smooth @ strayed
            light -= light.mean(axis=0)
            away = _opposed((logs - light)[:, None] - means)
            heaps = (away**2).sum(axis=2).argmin(axis=1)
        strayed = _opposed(logs - light - means[heaps])[counted]
        spread = np.maximum(1.4826 * np.median(np.abs(strayed), axis=0), _UNEVEN)
        unlikely = (_DEGREES + 1) / 2 * np.log1p((strayed / spread) ** 2 / _DEGREES)
        # The tones are likely, not their logarithms: so the slope of the latter counts.
        cost = len(logs) * np.log(spread).sum() + unlikely.sum() + logs[counted].sum() + _TOO_MUCH * too_much
        return float(cost), heaps


@cache
def paraboloid(board: HexBoard) -> Array:
    """Return how light may change over a board's cells, (cells, 6): each column is one way."""
    x, y = np.array([cell.centre for cell in board.cells]).T / (board.rings * math.sqrt(3))
    return np.column_stack([np.ones_like(x), x, y, x * x, x * y, y * y])


@cache
def _smoothing(board: HexBoard) -> Array:
    """Return the matrix (cells, cells) that fits a paraboloid to cells' values."""
    basis = paraboloid(board)
    return np.asarray(basis @ np.linalg.pinv(basis))


def _opposed(logs: Array) -> Array:
    """Return half the brightness and the two differences of colour of logarithms (..., 3)."""
    return np.stack([logs.mean(axis=-1) / 2, logs[..., 0] - logs[..., 1], logs[..., 2] - logs[..., 1]], axis=-1)


def _glare(lamp: Array) -> Glare:
    """Return what is mirrored: place, logarithms of width and light."""
    x, y, width, *light = lamp.tolist()
    blue, green, red = map(math.exp, light)
    return Glare((x, y), math.exp(width), (blue, green, red))


def _searched(field: _Field, start: Array) -> tuple[float, Array]:
    """Return the least cost that steps from there find, ever smaller ones, and where (a compass search)."""
    at = start
    best, heaps = field.cost(at, field.heaps)
    size = 1.0
    for _ in range(_SWEEPS):
        before = best
        for axis in _STEPS:
            for step in (size * axis, -size * axis):
                cost, sorted_so = field.cost(at + step, heaps)
                if cost < best:
                    best, at, heaps = cost, at + step, sorted_so
                    break
        if best > before - _WORTH:
            size /= 2
        if size < _SMALLEST:
            break
    return best, at
