"""How the six pieces lie in a game: recognised by their cells' colours and by their print."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import HexBoard, Layout, Lie
from companion.board.pieces import SLOTS, TURNS, piece_origin, piece_rotation
from vision.flatten import Floats
from vision.light import logarithm, patch_medians
from vision.look import BoardLook
from vision.samples import SAMPLE_SIDE_PX, halved, hexagon, samples, tones

#: A cell whose colour departs by more than this (squared logarithm) has something on it.
_CAP = 0.25
#: What a tint and a brightness of a piece's own cost, beside its cells' misfit.
_TINT, _BRIGHTNESS = 0.5, 0.05
#: What a print that does not correlate at all costs.
_PRINT = 0.12
#: Print finer than this, in cell sides, is compared: trees and tufts, not light.
_FINE_CELLS = 0.2


@dataclass(frozen=True)
class FoundLayout:
    """How the pieces lie, and how much worse (mean squared logarithm) the next best layout explains the picture."""

    layout: Layout
    margin: float


def find_layout(flat: Floats, look: BoardLook) -> FoundLayout:
    """Return the layout that explains a flat picture best, whatever lies on the board.

    Each piece is tried in every slot and turn by its cells' colours, each cell's misfit capped (tiles cover some),
    with one gain a piece that may not stray far from the board's.
    """
    board = look.board
    logs = logarithm(flat)
    seen = dict(zip(board.cells, patch_medians(logs, board.rings), strict=False))
    known = dict(zip(board.cells, patch_medians(look.logs, board.rings), strict=False))
    overall = np.median(np.array(list(seen.values())), axis=0) - np.median(np.array(list(known.values())), axis=0)
    prints = _Prints(logs, look)
    costs = np.full((6, 6, 3), np.inf)
    for piece in SLOTS:
        for slot in SLOTS:
            if (piece == 0) != (slot == 0):
                continue
            for turn in TURNS if piece else (0,):
                origins = piece_origin(piece, Lie(slot, turn), board.rings)
                ratios = np.array([seen[cell] - known[origin] for cell, origin in origins.items()])
                misfit = _misfit(ratios, overall)
                costs[piece, slot, turn] = misfit + _PRINT * prints.unlike(piece, Lie(slot, turn))
    return _cheapest(costs, board.rings)


class _Prints:
    """The fine print of a flat picture and of the taught look in all six turns, cell by cell."""

    def __init__(self, logs: Floats, look: BoardLook) -> None:
        self._board = look.board
        self._index = {cell: index for index, cell in enumerate(look.board.cells)}
        self._seen = _fine(halved(tones(logs)), look.board)
        known = halved(tones(look.logs))
        middle = ((len(known) - 1) / 2, (len(known) - 1) / 2)
        size = (len(known), len(known))
        self._turned = [
            _fine(cv2.warpAffine(known, cv2.getRotationMatrix2D(middle, 60 * sixths, 1), size), look.board)
            for sixths in range(6)
        ]

    def unlike(self, piece: int, lie: Lie) -> float:
        """Return 1 less the median correlation of the piece's cells, lying so, with what is seen there."""
        sixths = piece_rotation(piece, lie)
        origins = piece_origin(piece, lie, self._board.rings)
        seen = self._seen[[self._index[cell] for cell in origins]]
        # Turning the whole board with the piece brings its cells' picture to where the turned cells lie.
        taught = self._turned[sixths][[self._index[origin.turned(sixths)] for origin in origins.values()]]
        return 1 - float(np.median((seen * taught).sum(axis=1)))


def _fine(half: object, board: HexBoard) -> NDArray[np.float32]:
    """Return each cell's fine print, (cells, pixels), of mean 0 and length 1."""
    grey = np.asarray(half, dtype=np.float32).mean(axis=2)
    fine = grey - cv2.GaussianBlur(grey, (0, 0), _FINE_CELLS * SAMPLE_SIDE_PX)
    pixels = samples(fine, board)[:, hexagon(0.2)]
    pixels = pixels - pixels.mean(axis=1, keepdims=True)
    lengths = np.sqrt((pixels * pixels).sum(axis=1, keepdims=True))
    return np.asarray(pixels / np.maximum(lengths, 1e-6), dtype=np.float32)


def _misfit(ratios: NDArray[np.float32], overall: NDArray[np.float32]) -> float:
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
