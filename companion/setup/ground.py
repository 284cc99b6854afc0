"""The terrain of an empty board of an unknown printing, at first sight and as people put it right.

Cells are sorted by colour, and a net that learnt on other printings says which heap is which terrain
(`companion.setup.nets`). Then, again and again, each terrain is learnt from its cells, as tones and as the reader's own
net sees them (a linear discriminant with one spread for all), and the cells are sorted by that. So one cell that people
put right helps with all those like it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from companion.board import BARE, Cell, HexBoard, HexCell, Reading, Terrain
from companion.board.reading import CellReading
from vision.board.layout import BoardLook, teach_look
from vision.light.flatten import Floats, halved, offsets, sample_hexagon, samples
from vision.light.gain import logarithm, patch_medians
from vision.light.glare import Glare, paraboloid

Array = NDArray[np.float64]

#: Light varies over a board like a paraboloid, at most; how often it is found again, between sortings.
_LIGHTS = 8
#: How much a print's roughness counts compared with its colour: both are logarithms.
_ROUGH_WEIGHT = 1.5


def propose_terrain(flat: Floats, board: HexBoard) -> dict[HexCell, Terrain]:
    """Return what each cell of the empty board seems to be, from its flat picture in linear light.

    Cells are sorted into three heaps by colour and roughness of print, whatever light falls on them. The lightest heap
    is plain, and the greener of the others is forest.
    """
    logs = logarithm(flat)
    colors = patch_medians(logs, board.rings)[: len(board.cells)].astype(np.float64)
    inside = sample_hexagon(0.15)
    patches = samples(halved(logs), board)[:, inside]
    rough = np.log(patches.std(axis=1).mean(axis=1) + 0.02)
    basis = paraboloid(board)
    light = np.zeros_like(colors)
    heap = np.zeros(len(colors), np.int64)
    for _ in range(_LIGHTS):
        even = colors - light
        looks = np.column_stack([_spread(even), _ROUGH_WEIGHT * 0.2 * (rough - rough.mean())])
        heap = _three_heaps(looks)
        own = np.array([np.median(even[heap == k], axis=0) for k in range(3)])
        light = _fitted(basis, colors - own[heap])
    even = colors - light
    means = np.array([even[heap == k].mean(axis=0) for k in range(3)])
    plain = int(means.mean(axis=1).argmax())
    others = [k for k in range(3) if k != plain]
    forest = max(others, key=lambda k: means[k, 1] - means[k, 2])
    names = {plain: Terrain.PLAIN, forest: Terrain.FOREST}
    return {cell: names.get(int(k), Terrain.HILL) for cell, k in zip(board.cells, heap, strict=True)}


def bare_look(flat: Floats, board: HexBoard) -> BoardLook:
    """Return the empty board in even light, with its terrain as proposed and no sites, from its flat picture."""
    terrain = propose_terrain(flat, board)
    cells: dict[Cell, CellReading] = {cell: CellReading(BARE, terrain[cell], False) for cell in board.cells}
    return teach_look(flat, Reading(board, cells))


def mirrored(flat: Floats, look: BoardLook) -> Glare | None:
    """Return the lamp that the board of a flat picture mirrors, None if it mirrors none; `look` is by `bare_look`."""
    heaps = np.array([_TERRAINS.index(look.terrain[cell]) for cell in look.board.cells])
    return Glare.seen(flat, look.board, heaps)


def _spread(even: Array) -> Array:
    """Return brightness and the two differences of colour of logarithms (cells, 3)."""
    grey = even.mean(axis=1)
    return np.column_stack([0.5 * (grey - grey.mean()), even[:, 0] - even[:, 1], even[:, 2] - even[:, 1]])


def _three_heaps(seen: Array) -> NDArray[np.int64]:
    """Return which of three heaps each row belongs to: k-means from the best of several starts."""
    rng = np.random.default_rng(0)
    tries = [_heaps_from(seen, seen[rng.choice(len(seen), 3, replace=False)]) for _ in range(12)]
    return min(tries, key=lambda heaps: heaps[1])[0]


def _heaps_from(seen: Array, middles: Array) -> tuple[NDArray[np.int64], float]:
    """Return the heaps that three first middles lead to, and how far all rows are from theirs; inf if one is empty."""
    for _ in range(30):
        far = ((seen[:, None] - middles[None]) ** 2).sum(axis=2)
        heap = far.argmin(axis=1)
        if len(np.unique(heap)) < 3:
            return heap, math.inf
        before, middles = middles, np.array([seen[heap == k].mean(axis=0) for k in range(3)])
        if np.array_equal(before, middles):  # they stay so
            break
    return heap, float(far.min(axis=1).sum())


def _fitted(basis: Array, values: Array) -> Array:
    """Return values (cells, 3) as the basis explains them; those that stray far count little."""
    weight = np.ones(len(values))
    fitted = np.zeros_like(values)
    for _ in range(4):
        root = np.sqrt(weight)[:, None]
        fitted = basis @ np.linalg.lstsq(basis * root, values * root, rcond=None)[0]
        off = np.linalg.norm(values - fitted, axis=1)
        weight = 1 / (1 + (off / 0.15) ** 2)
    return np.asarray(fitted - fitted.mean(axis=0))


_TERRAINS = tuple(Terrain)
#: The part of a cell that shows its ground, not a site's mark, in cell sides.
_GROUND_CELLS = (0.35, 0.8)
#: No tone counts as darker, no part as smoother, no step from pixel to pixel as smaller than this.
_DARK, _SMOOTH, _STEP = 0.02, 0.02, 0.005
#: How much brightness counts compared with colour; and how many of the directions are used in which the net's points of
#: a board differ most.
_BRIGHTNESS, _WAYS = 0.5, 8
#: How often cells are sorted; how much of the spread is taken to be the same in every direction; and how many cells one
#: that people put right counts as. Chosen on tables 1 to 41 of tablegen: 331 taps without, 96 with this.
_ROUNDS, _ROUND_SPREAD, _TOLD = 6, 0.1, 6.0
_SURE, _ELSE = 0.8, 0.1
#: No terrain is less likely than this, whatever the net says (a logarithm).
_LEAST_LIKELY = -4.0


@dataclass(frozen=True, eq=False)
class TerrainLooks:
    """How the ground of an empty board's cells looks: `features` (cells, n), each in units of its spread.

    `likely` (cells, terrains) are logarithms of how likely each terrain is, by the net.
    """

    board: HexBoard
    features: Array
    likely: Array

    @classmethod
    def of(cls, look: BoardLook, points: Array, likely: Array) -> TerrainLooks:
        """Return the looks; `points` (cells, n) are what the reader's net makes of the cells."""
        x, y = offsets()
        away = np.hypot(x, y)
        ground = (away > _GROUND_CELLS[0]) & (away < _GROUND_CELLS[1])
        logs = np.log(np.maximum(samples(look.half, look.board).astype(np.float64), _DARK))
        pixels = logs[:, ground]
        tone, grey = np.median(pixels, axis=1), pixels.mean(axis=2)
        ends = np.quantile(grey, [0.1, 0.9], axis=1).T - tone.mean(axis=1)[:, None]
        steps = np.log(np.abs(np.diff(logs.mean(axis=3), axis=2)).mean(axis=(1, 2)) + _STEP)
        tones = np.column_stack([
            _BRIGHTNESS * tone.mean(axis=1), tone[:, 0] - tone[:, 1], tone[:, 2] - tone[:, 1],
            ends, np.log(pixels.std(axis=1) + _SMOOTH), steps,
        ])  # fmt: skip
        tones = (tones - tones.mean(axis=0)) / (tones.std(axis=0) + 1e-6)
        turned, lengths, _ = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)
        ways = turned[:, :_WAYS] * lengths[:_WAYS]
        features = np.column_stack([tones, ways / (ways.std() + 1e-6)])
        return cls(look.board, features, np.maximum(likely, _LEAST_LIKELY))

    def named(self, heaps: Mapping[HexCell, Terrain]) -> dict[HexCell, Terrain]:
        """Return cells that were sorted into heaps, each heap with its likeliest name."""
        rows = {kind: [row for row, cell in enumerate(self.board.cells) if heaps[cell] is kind] for kind in _TERRAINS}
        sums = np.array([self.likely[rows[kind]].sum(axis=0) for kind in _TERRAINS])
        heap = range(len(_TERRAINS))
        best = max(permutations(heap), key=lambda names: float(sums[heap, names].sum()))
        called = {kind: _TERRAINS[name] for kind, name in zip(_TERRAINS, best, strict=True)}
        return {cell: called[kind] for cell, kind in heaps.items()}

    def swapped(self, one: Terrain, other: Terrain) -> TerrainLooks:
        """Return the looks with the names of two terrains swapped."""
        places, likely = [_TERRAINS.index(one), _TERRAINS.index(other)], self.likely.copy()
        likely[:, places] = likely[:, places[::-1]]
        return replace(self, likely=likely)

    def sorted(
        self, first: Mapping[HexCell, Terrain], told: Mapping[HexCell, Terrain] | None = None
    ) -> dict[HexCell, Terrain]:
        """Return each cell's terrain, from a first sorting and from what people said about some cells, which stays."""
        return {cell: kinds[0] for cell, kinds in self.ranked(first, told).items()}

    def ranked(
        self, first: Mapping[HexCell, Terrain], told: Mapping[HexCell, Terrain] | None = None
    ) -> dict[HexCell, tuple[Terrain, ...]]:
        """Return the same with each cell's other terrains after it, the likelier one first."""
        cells = self.board.cells
        places = {cell: place for place, cell in enumerate(cells)}
        said = {places[cell]: _TERRAINS.index(kind) for cell, kind in (told or {}).items()}
        likely = np.full((len(cells), len(_TERRAINS)), _ELSE)
        likely[np.arange(len(cells)), [_TERRAINS.index(first[cell]) for cell in cells]] = _SURE
        likely = (likely + np.exp(self.likely)) / 2
        for _ in range(_ROUNDS):
            weights = likely.copy()
            for place, kind in said.items():
                weights[place] = 0
                weights[place, kind] = _TOLD
            means = weights.T @ self.features / (weights.sum(axis=0)[:, None] + 1e-6)
            off = self.features[:, None] - means
            spread = np.einsum("nk,nki,nkj->ij", weights, off, off) / weights.sum()
            spread += _ROUND_SPREAD * np.trace(spread) / len(spread) * np.eye(len(spread))
            common = np.log(likely.mean(axis=0) + 0.02)
            logs = common - 0.5 * np.einsum("nki,ij,nkj->nk", off, np.linalg.inv(spread), off)
            likely = np.exp(logs - logs.max(axis=1, keepdims=True))
            likely /= likely.sum(axis=1, keepdims=True)
            for place, kind in said.items():
                likely[place] = 0
                likely[place, kind] = 1
        order = np.argsort(-likely, axis=1, kind="stable")
        return {cell: tuple(_TERRAINS[int(kind)] for kind in row) for cell, row in zip(cells, order, strict=True)}
