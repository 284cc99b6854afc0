"""What terrain each cell of an empty board shows, and whether it is a site, of a printing that was never taught.

A small net tells it (docs/reader.md), of all cells of the board at once: it sees each beside what the board's cells
show on average, as a forest is told by what the other cells are. It learnt on other printings (`python -m
bench.training.land`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from companion.board import Terrain
from vision.board.layout import BoardLook
from vision.light.flatten import Floats
from vision.tiles.exemplars import Embedded, Exemplars
from vision.tiles.opinion import log_softmax
from vision.tiles.patches import PATCH_CELLS, cut, loaded

Array = NDArray[np.float64]

NET = Path(__file__).with_name("land.onnx")
#: A site's mark is within this of a cell's middle, its ground beyond the second and within the third, in cell sides.
_MARK_CELLS, _GROUND_CELLS, _RIM_CELLS = 0.22, 0.32, 0.82
#: No tone counts as darker; no spread as smaller; and no feature as farther from what is usual.
_DARK, _EVEN, _FAR = 0.02, 0.02, 5.0
#: What the net takes of one cell: twice the embedding's channels of the ground, one of the mark, and 9 of tones.
CHANNELS = 64
SEEN = 3 * CHANNELS + 9
#: A cell beside its board, the board's average and its spread.
TAKEN = 3 * SEEN


def embedded(look: BoardLook) -> tuple[Floats, Embedded]:
    """Return the cells of an empty board as patches of tones, and as the reader's own net sees them."""
    patches = cut(look.levels, look.board.cells)[:, 0]
    return patches, Exemplars.of_ground(patches).embedded(patches)


@dataclass(frozen=True, eq=False)
class Land:
    """What a board's cells seem to be: logarithms of how likely each is of each terrain, `terrain` (cells, terrains).

    `sites` (cells,) are the logarithms of the odds that each is a site.
    """

    terrain: Array
    sites: Array

    @classmethod
    def of(cls, patches: Floats, shown: Embedded) -> Land:
        """Return it for a board's cells, from their patches of tones and as the reader's own net sees them."""
        (odds,) = loaded(NET)(beside_board(seen(patches, shown.features))[:, :, None, None])
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
    """Return what the net takes, (cells, TAKEN): each cell beside its board's average, that, and the board's spread."""
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
