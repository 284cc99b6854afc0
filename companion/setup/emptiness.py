"""Whether a board of an unknown printing is empty, as it should be when it is photographed first.

What lies on a cell is not known yet, nor how the bare board looks. But the learnt net that compares tiles sees covered
cells otherwise than bare ones, and otherwise than most cells of the board. The weights (`emptiness.json`) are fitted by
`python -m bench.training.emptiness --fit`.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from companion.board import HexCell, Terrain
from companion.setup.land import embedded
from vision.board.layout import BoardLook

Array = NDArray[np.float64]

WEIGHTS = Path(__file__).with_name("emptiness.json")
#: A cell is surely covered where that is so likely; a board with fewer such cells may be empty. Of 61 empty boards none
#: had more than four, of 61 with pieces to teach none fewer than 17 (tables left out of the fit).
_LIKELY, _FEWEST = 0.9, 6
#: A net's points are on a sphere in many dimensions: their coordinates are small.
_POINT_SCALE, _LIKENESS_SCALE = 8.0, 4.0
#: So many of a cell's nearest neighbours are close kin, and so many more are kin.
_CLOSE, _KIN = 3, 12


def points_of(look: BoardLook) -> Array:
    """Return what the learnt net makes of each cell, (cells, n), each of length 1."""
    return embedded(look)[1].points.astype(np.float64)


def covered_cells(look: BoardLook, points: Array) -> tuple[HexCell, ...]:
    """Return the cells on which something seems to lie, the surest first; empty where the board may well be empty.

    `look` is the board in even light, its terrain as proposed; `points` are the net's.
    """
    seen = covering_features(look, points)
    weights, bias, mean, spread = _weights()
    odds = (seen - mean) / spread @ weights + bias
    likely = 1 / (1 + np.exp(-np.clip(odds, -30, 30)))
    sure = [int(place) for place in np.argsort(-likely) if likely[place] > _LIKELY]
    return tuple(look.board.cells[place] for place in sure) if len(sure) >= _FEWEST else ()


def covering_features(look: BoardLook, points: Array) -> Array:
    """Return what tells covered cells from bare ones, (cells, n)."""
    alike = points @ points.T
    np.fill_diagonal(alike, -1)
    ranked = np.sort(alike, axis=1)[:, ::-1]
    kinds = np.array([list(Terrain).index(look.terrain[cell]) for cell in look.board.cells])
    usual = np.zeros(len(points))
    for kind in np.unique(kinds):
        middle = np.median(points[kinds == kind], axis=0)
        usual[kinds == kind] = points[kinds == kind] @ middle / max(float(np.linalg.norm(middle)), 1e-9)
    close, kin = ranked[:, :_CLOSE].mean(axis=1), ranked[:, _CLOSE:_KIN].mean(axis=1)
    likeness = np.column_stack([close, kin, usual, alike.mean(axis=1)])
    off = points - np.median(points, axis=0)
    return np.column_stack([_POINT_SCALE * points, _LIKENESS_SCALE * likeness, _POINT_SCALE * off])


@cache
def _weights() -> tuple[Array, float, Array, Array]:
    says = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    mean, spread, weights = (np.array(says[name], np.float64) for name in ("mean", "spread", "weights"))
    return weights[:-1], float(weights[-1]), mean, spread
