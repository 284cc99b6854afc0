"""What small nets that learnt on other printings say about one that was never taught (docs/reader.md).

One says what kind of thing lies on a cell, compared with the same cell when it was bare. It goes by the features that
the reader's own embedding makes of both (`python -m bench.training.kinds`).

Another says what terrain each cell of an empty board shows, and whether it is a site, for all cells at once. It
compares each cell with the board's average, as a forest is recognised by what the other cells are
(`python -m bench.training.land`).

Weights (`emptiness.json`, fitted by `python -m bench.training.emptiness --fit`) say whether the board is empty, as it
should be when it is first photographed: the learnt net that compares tiles sees covered cells differently from bare
ones, and differently from most cells of the board.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from companion.board import Contents, HexCell, Road, Settlement, SettlementType, Terrain, Workshop
from vision.board.layout import BoardLook
from vision.light.flatten import Floats
from vision.tiles.exemplars import Embedded, Exemplars
from vision.tiles.opinion import log_softmax
from vision.tiles.patches import PATCH_CELLS, Levels, cut, loaded

Array = NDArray[np.float64]

#: What a cell can be, in the order of the net's answers.
KINDS = ("bare", "cubes", "road", *(kind.value for kind in SettlementType), "workshop")
KINDS_NET = Path(__file__).with_name("kinds.onnx")
#: This many cells are asked about at once.
_AT_ONCE = 16


def kind_of(contents: Contents) -> str:
    """Return the kind of what lies on a cell."""
    match contents.tile:
        case Road():
            return "road"
        case Workshop():
            return "workshop"
        case Settlement(type=kind):
            return kind.value
        case _:
            return "cubes" if contents.merchants.total else "bare"


def log_shares(levels: Levels, look: BoardLook) -> Floats:
    """Return the logarithms of how likely each cell of a board is to be of each kind, (cells, kinds).

    `levels` is the board's fine flat picture in even light.
    """
    bare = cut(look.levels, look.board.cells)[:, 0]
    exemplars = Exemplars.of_ground(bare)
    seen, ground = (exemplars.embedded(one).features for one in (cut(levels, look.board.cells)[:, 0], bare))
    both = np.concatenate([seen, ground], axis=1)
    net = loaded(KINDS_NET)
    odds = [net(both[first : first + _AT_ONCE])[0] for first in range(0, len(both), _AT_ONCE)]
    return log_softmax(np.concatenate(odds))


LAND_NET = Path(__file__).with_name("land.onnx")
#: A site's mark is within this of a cell's middle, its ground beyond the second and within the third, in cell sides.
_MARK_CELLS, _GROUND_CELLS, _RIM_CELLS = 0.22, 0.32, 0.82
#: No tone counts as darker than the first, no spread as smaller than the second, and no feature as farther from the
#: usual than the last.
_DARK, _EVEN, _FAR = 0.02, 0.02, 5.0
#: What the net takes of one cell: the embedding's channels, twice for the ground and once for the mark, and 9 of tones.
CHANNELS = 64
SEEN = 3 * CHANNELS + 9
#: A cell compared with its board, the board's average and its spread.
LAND_TAKEN = 3 * SEEN


def embedded(look: BoardLook) -> tuple[Floats, Embedded]:
    """Return the cells of an empty board as patches of tones, and as the reader's own net sees them."""
    patches = cut(look.levels, look.board.cells)[:, 0]
    return patches, Exemplars.of_ground(patches).embedded(patches)


@dataclass(frozen=True, eq=False)
class Land:
    """What a board's cells seem to be: logarithms of how likely each has each terrain, `terrain` (cells, terrains).

    `sites` (cells,) are the logarithms of the odds that each is a site.
    """

    terrain: Array
    sites: Array

    @classmethod
    def of(cls, patches: Floats, shown: Embedded) -> Land:
        """Return it for a board's cells, from their patches of tones and as the reader's own net sees them."""
        (odds,) = loaded(LAND_NET)(beside_board(seen(patches, shown.features))[:, :, None, None])
        odds = odds.reshape(len(patches), -1)
        count = len(Terrain)
        return cls(log_softmax(odds[:, :count]).astype(np.float64), odds[:, count].astype(np.float64))


def seen(patches: Floats, features: Floats) -> Floats:
    """Return what a board's cells show, (cells, SEEN), from their patches of tones and the embedding's features."""
    mark, ground = _parts(features.shape[-1])
    inside, middle = features[:, :, ground], features[:, :, mark]
    logs = np.log(np.maximum(patches, _DARK))
    mark, ground = _parts(patches.shape[1])
    pixels = logs[:, ground]
    tone, grey = np.median(pixels, axis=1), pixels.mean(axis=2)
    ends = np.quantile(grey, [0.1, 0.9], axis=1).T - tone.mean(axis=1)[:, None]
    rough = np.log(pixels.std(axis=1).mean(axis=1) + _EVEN)[:, None]
    dot = logs[:, mark].mean(axis=1) - tone
    parts = [inside.mean(axis=2), inside.std(axis=2), middle.mean(axis=2), tone, ends, rough, dot]
    return np.asarray(np.concatenate(parts, axis=1), np.float32)


def beside_board(cells: Floats) -> Floats:
    """Return what the net takes, (cells, LAND_TAKEN): each cell against its board's average, that, and the spread."""
    average, spread = cells.mean(axis=0, keepdims=True), cells.std(axis=0, keepdims=True)
    beside = np.clip((cells - average) / (spread + np.float32(_EVEN)), -_FAR, _FAR)
    return np.concatenate(
        [beside, np.repeat(average, len(cells), axis=0), np.repeat(spread, len(cells), axis=0)], axis=1
    )


@cache
def _parts(size: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return where in a square picture of a cell a site's mark may be, and where its ground is."""
    axis = (np.arange(size) - (size - 1) / 2) * (PATCH_CELLS / size)
    away = np.hypot(axis[:, None], axis[None, :])
    return away <= _MARK_CELLS, (away > _GROUND_CELLS) & (away < _RIM_CELLS)


WEIGHTS = Path(__file__).with_name("emptiness.json")
#: A cell is certainly covered if that is this likely; a board with fewer such cells than this may be empty. Of 61 empty
#: boards none had more than four; of 61 with pieces to teach none had fewer than 17 (tables left out of the fit).
_LIKELY, _FEWEST = 0.9, 6
#: A net's points are on a sphere in many dimensions: their coordinates are small.
_POINT_SCALE, _LIKENESS_SCALE = 8.0, 4.0
#: How many of the cells most like a cell are its close kin, and how many are its kin, including close kin.
_CLOSE, _KIN = 3, 12


def points_of(look: BoardLook) -> Array:
    """Return what the learnt net makes of each cell, (cells, n), each of length 1."""
    return embedded(look)[1].points.astype(np.float64)


def covered_cells(look: BoardLook, points: Array) -> tuple[HexCell, ...]:
    """Return the cells on which something seems to lie, the surest first; none if the board may well be empty.

    `look` is the board in even light, its terrain as proposed; `points` are the net's.
    """
    features = covering_features(look, points)
    weights, bias, mean, spread = _weights()
    odds = (features - mean) / spread @ weights + bias
    likely = 1 / (1 + np.exp(-np.clip(odds, -30, 30)))
    sure = [int(place) for place in np.argsort(-likely) if likely[place] > _LIKELY]
    return tuple(look.board.cells[place] for place in sure) if len(sure) >= _FEWEST else ()


def covering_features(look: BoardLook, points: Array) -> Array:
    """Return what distinguishes covered cells from bare ones, (cells, n)."""
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
