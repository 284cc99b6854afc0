"""How the six pieces lie in a game: recognised by their cells' colours and by their print."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from companion.board import HexBoard, Layout, Lie
from companion.board.pieces import SLOTS, TURNS, piece_origin, piece_rotation
from vision.flatten import Floats
from vision.light import patch_medians
from vision.look import BoardLook
from vision.prints import fine_print
from vision.samples import halved, tones

#: A cell whose colour departs by more than this (squared logarithm) has something on it.
_CAP = 0.25
#: What a tint and a brightness of a piece's own cost, beside its cells' misfit.
_TINT, _BRIGHTNESS = 0.5, 0.05
#: What a print that does not correlate at all costs.
_PRINT = 0.12


@dataclass(frozen=True)
class FoundLayout:
    """How the pieces lie, and how much worse (mean squared logarithm) the next best layout explains the picture."""

    layout: Layout
    margin: float


@dataclass(frozen=True)
class _Tried:
    """One piece in one slot and turn: the cells that it covers, those whose taught picture they then show, and the
    cells where the turned board shows that picture; as indices into the board's cells, (cells of the piece,)."""

    piece: int
    lie: Lie
    cells: NDArray[np.int64]
    origins: NDArray[np.int64]
    turned: NDArray[np.int64]


@cache
def _all_tried(rings: int) -> tuple[_Tried, ...]:
    index = {cell: number for number, cell in enumerate(HexBoard(rings).cells)}
    tried = []
    for piece in SLOTS:
        for slot in SLOTS:
            if (piece == 0) != (slot == 0):
                continue
            for turn in TURNS if piece else (0,):
                lie = Lie(slot, turn)
                origins = piece_origin(piece, lie, rings)
                # Turning the whole board with the piece brings its cells' picture to where the turned cells lie.
                turned = [origin.turned(piece_rotation(piece, lie)) for origin in origins.values()]
                places = (np.array([index[cell] for cell in cells]) for cells in (origins, origins.values(), turned))
                tried.append(_Tried(piece, lie, *places))
    return tuple(tried)


def find_layout(logs: Floats, look: BoardLook) -> FoundLayout:
    """Return the layout that explains a flat picture's logarithms best, whatever lies on the board.

    Each piece is tried in every slot and turn by its cells' colours, each cell's misfit capped (tiles cover some),
    with one gain a piece that may not stray far from the board's.
    """
    board = look.board
    seen = patch_medians(logs, board.rings)[: len(board.cells)]
    overall = np.median(seen, axis=0) - np.median(look.medians, axis=0)
    prints = fine_print(halved(tones(logs)), board)
    costs = np.full((6, 6, 3), np.inf)
    for tried in _all_tried(board.rings):
        misfit = _misfit(seen[tried.cells] - look.medians[tried.origins], overall)
        taught = look.prints[piece_rotation(tried.piece, tried.lie)][tried.turned]
        unlike = 1 - float(np.median(np.einsum("cp,cp->c", prints[tried.cells], taught)))
        costs[tried.piece, tried.lie.slot, tried.lie.turn] = misfit + _PRINT * unlike
    return _cheapest(costs, board.rings)


def _misfit(ratios: NDArray[np.float32], overall: NDArray[np.floating]) -> float:
    gain = np.median(ratios, axis=0)
    # Light differs between pieces by its strength more than by its colour: a lamp, a shadow.
    off = gain - overall
    tint = off - off.mean()
    squared = np.minimum(((ratios - gain) ** 2).sum(axis=1), _CAP)
    return float(squared.mean() + _TINT * (tint**2).sum() + _BRIGHTNESS * (off.mean() ** 2))


def _cheapest(costs: NDArray[np.float64], rings: int) -> FoundLayout:
    best_turn = costs.argmin(axis=2)
    lowest = costs.min(axis=2)
    ranked = sorted(
        (sum(lowest[piece, slot] for piece, slot in zip(range(1, 6), slots, strict=True)), slots)
        for slots in permutations(range(1, 6))
    )
    total, slots = ranked[0]
    lies = tuple(Lie(slot, int(best_turn[piece, slot])) for piece, slot in zip(range(1, 6), slots, strict=True))
    # The next best: another order of the pieces, or one piece turned.
    rivals = [ranked[1][0] - total]
    for piece, slot in zip(range(1, 6), slots, strict=True):
        turns = np.sort(costs[piece, slot])
        rivals.append(turns[1] - turns[0])
    return FoundLayout(Layout((Lie(0), *lies), rings), float(min(rivals)))  # type: ignore[arg-type]
