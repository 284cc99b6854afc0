"""What the empty board of an unknown printing shows at first sight: its terrain, and its look in even light."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

from companion.board import BARE, Cell, HexBoard, HexCell, Reading, Terrain
from companion.board.reading import CellReading
from vision.board.layout import BoardLook, teach_look
from vision.light.flatten import Floats, halved, sample_hexagon, samples
from vision.light.gain import logarithm, patch_medians

Array = NDArray[np.float64]

#: Light changes over a board like a paraboloid, at most: found anew so often between sortings.
_ROUNDS = 8
#: What a print's roughness counts beside its colour: both are logarithms.
_ROUGH_WEIGHT = 1.5


def propose_terrain(flat: Floats, board: HexBoard) -> dict[HexCell, Terrain]:
    """Return what each cell of the empty board seems to be, from its flat picture in linear light.

    Cells are sorted into three heaps by colour and roughness of print, whatever light falls on them. The lightest heap
    is plain; of the others the greener one forest.
    """
    logs = logarithm(flat)
    colors = patch_medians(logs, board.rings)[: len(board.cells)].astype(np.float64)
    inside = sample_hexagon(0.15)
    patches = samples(halved(logs), board)[:, inside]
    rough = np.log(patches.std(axis=1).mean(axis=1) + 0.02)
    paraboloid = _paraboloid(board)
    light = np.zeros_like(colors)
    heap = np.zeros(len(colors), np.int64)
    for _ in range(_ROUNDS):
        even = colors - light
        seen = np.column_stack([_spread(even), _ROUGH_WEIGHT * 0.2 * (rough - rough.mean())])
        heap = _three_heaps(seen)
        own = np.array([np.median(even[heap == k], axis=0) for k in range(3)])
        light = _fitted(paraboloid, colors - own[heap])
    even = colors - light
    means = np.array([even[heap == k].mean(axis=0) for k in range(3)])
    plain = int(means.mean(axis=1).argmax())
    others = [k for k in range(3) if k != plain]
    forest = max(others, key=lambda k: means[k, 1] - means[k, 2])
    names = {plain: Terrain.PLAIN, forest: Terrain.FOREST}
    return {cell: names.get(int(k), Terrain.HILL) for cell, k in zip(board.cells, heap, strict=True)}


def bare_look(flat: Floats, board: HexBoard) -> BoardLook:
    """Return the empty board in even light, its terrain as proposed and no sites, from its flat picture."""
    terrain = propose_terrain(flat, board)
    cells: dict[Cell, CellReading] = {cell: CellReading(BARE, terrain[cell], False) for cell in board.cells}
    return teach_look(flat, Reading(board, cells))


def _spread(even: Array) -> Array:
    """Return brightness and the two differences of colour of logarithms (cells, 3)."""
    grey = even.mean(axis=1)
    return np.column_stack([0.5 * (grey - grey.mean()), even[:, 0] - even[:, 1], even[:, 2] - even[:, 1]])


def _three_heaps(seen: Array) -> NDArray[np.int64]:
    """Return to which of three heaps each row belongs: k-means from the best of several starts."""
    rng = np.random.default_rng(0)
    tries = [_heaps_from(seen, seen[rng.choice(len(seen), 3, replace=False)]) for _ in range(12)]
    return min(tries, key=lambda heaps: heaps[1])[0]


def _heaps_from(seen: Array, middles: Array) -> tuple[NDArray[np.int64], float]:
    """Return the heaps that three first middles lead to, and how far from theirs all rows are; inf: a heap is empty."""
    for _ in range(30):
        far = ((seen[:, None] - middles[None]) ** 2).sum(axis=2)
        heap = far.argmin(axis=1)
        if len(np.unique(heap)) < 3:
            return heap, math.inf
        before, middles = middles, np.array([seen[heap == k].mean(axis=0) for k in range(3)])
        if np.array_equal(before, middles):  # they stay so
            break
    return heap, float(far.min(axis=1).sum())


@cache
def _paraboloid(board: HexBoard) -> Array:
    x, y = np.array([cell.centre for cell in board.cells]).T / (board.rings * math.sqrt(3))
    return np.column_stack([np.ones_like(x), x, y, x * x, x * y, y * y])


def _fitted(basis: Array, values: Array) -> Array:
    """Return values (cells, 3) as the basis explains them, what strays far counting little."""
    weight = np.ones(len(values))
    fitted = np.zeros_like(values)
    for _ in range(4):
        root = np.sqrt(weight)[:, None]
        fitted = basis @ np.linalg.lstsq(basis * root, values * root, rcond=None)[0]
        off = np.linalg.norm(values - fitted, axis=1)
        weight = 1 / (1 + (off / 0.15) ** 2)
    return np.asarray(fitted - fitted.mean(axis=0))
