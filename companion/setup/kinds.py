"""What kind of thing lies on a cell of a printing that was never taught, beside the same cell with nothing on it.

A small net tells it (docs/reader.md) from the features that the reader's own embedding makes of both. It learnt on
other printings (`python -m bench.training.kinds`).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from companion.board import Contents, Road, Settlement, SettlementType, Workshop
from vision.board.layout import BoardLook
from vision.light.flatten import Floats
from vision.tiles.exemplars import Exemplars
from vision.tiles.opinion import log_softmax
from vision.tiles.patches import Levels, cut, loaded

#: What a cell can be, in the order of the net's answers.
KINDS = ("bare", "cubes", "road", *(kind.value for kind in SettlementType), "workshop")
NET = Path(__file__).with_name("kinds.onnx")
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
    """Return the logarithms of how likely each cell of a board is of each kind, (cells, kinds).

    `levels` is the board's fine flat picture in even light.
    """
    bare = cut(look.levels, look.board.cells)[:, 0]
    exemplars = Exemplars.of_ground(bare)
    seen, ground = (exemplars.embedded(one).features for one in (cut(levels, look.board.cells)[:, 0], bare))
    both = np.concatenate([seen, ground], axis=1)
    net = loaded(NET)
    odds = [net(both[first : first + _AT_ONCE])[0] for first in range(0, len(both), _AT_ONCE)]
    return log_softmax(np.concatenate(odds))
