"""How the six pieces are put together in a game: recognised by their cells' colours and by their print."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from companion.board import HexBoard, Layout, Lie
from companion.board.pieces import SLOTS, TURNS, piece_origin, piece_rotation
from vision.board.look import BoardLook, compose, fine_print
from vision.light.flatten import Floats
from vision.light.gain import patch_medians
from vision.light.samples import halved_tones

#: A cell whose colour departs by more than this (squared logarithm) has something on it.
_CAP = 0.25
#: The cost of a piece's own tint and brightness, beside its cells' misfit.
_TINT, _BRIGHTNESS = 0.5, 0.05
#: The cost of a print that does not correlate at all, and how many of a piece's cells are compared. Late in a game most
#: of them are covered, above all on a small board, but three bare cells show that the print is of no other position.
_PRINT, _PRINTS = 0.3, 3
#: A layout is trusted only if it explains the picture better than the next best one by at least this. Unless it is
#: better by the other, the next picture is asked, too: arms may hide half of the board at the deal.
_TRUSTED, _SURE = 0.03, 0.08


@dataclass(frozen=True)
class FoundLayout:
    """How the pieces lie, and how much worse (mean squared logarithm) the next best layout explains the picture."""

    layout: Layout
    margin: float


@dataclass(frozen=True)
class _Tried:
    """Pieces of one size, tried in every slot and turn: (lies,) and, as indices into the board's cells, (lies, cells).

    `cells` are covered, `origins` are the cells whose taught picture they then show; if the whole board is turned by
    `sixths`, that picture is seen at `turned`.
    """

    pieces: NDArray[np.int64]
    slots: NDArray[np.int64]
    turns: NDArray[np.int64]
    sixths: NDArray[np.int64]
    cells: NDArray[np.int64]
    origins: NDArray[np.int64]
    turned: NDArray[np.int64]


@cache
def _all_tried(rings: int) -> tuple[_Tried, _Tried]:
    """Return the starting piece, which has one more cell and stays in its own slot, and the others."""
    index = {cell: number for number, cell in enumerate(HexBoard(rings).cells)}
    rows: tuple[list[list[object]], list[list[object]]] = ([], [])
    for piece in SLOTS:
        for slot in SLOTS[1:] if piece else (0,):
            for turn in TURNS if piece else (0,):
                origins = piece_origin(piece, Lie(slot, turn), rings)
                sixths = piece_rotation(piece, Lie(slot, turn))
                turned = [origin.turned(sixths) for origin in origins.values()]
                places = [[index[cell] for cell in cells] for cells in (origins, origins.values(), turned)]
                rows[piece > 0].append([piece, slot, turn, sixths, *places])
    first, others = (_Tried(*(np.array(column) for column in zip(*tries, strict=True))) for tries in rows)
    return first, others


def find_layout(logs: Floats, look: BoardLook) -> FoundLayout:
    """Return the layout that explains a flat picture's logarithms best, whatever is on the board.

    Each piece is tried in every slot and turn by its cells' colours. Each cell's misfit is capped, as tiles cover some,
    and a piece has one gain, which may not be far from the board's. The print of the cells that show it best counts
    too.
    """
    board = look.board
    medians = patch_medians(logs, board.rings)[: len(board.cells)]
    overall = np.median(medians, axis=0) - np.median(look.medians, axis=0)
    prints = fine_print(halved_tones(logs), board)
    costs = np.full((6, 6, 3), np.inf)
    for tried in _all_tried(board.rings):
        misfit = _misfit(medians[tried.cells] - look.medians[tried.origins], overall)
        taught = look.prints[tried.sixths[:, None], tried.turned]
        alike = np.sort(np.einsum("lcp,lcp->lc", prints[tried.cells], taught), axis=1)[:, -_PRINTS:].mean(axis=1)
        costs[tried.pieces, tried.slots, tried.turns] = misfit + _PRINT * (1 - alike)
    return _cheapest(costs, board.rings)


def _misfit(ratios: Floats, overall: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return how badly each lie's logarithms of brightness, (lies, cells, 3), fit one gain, (lies,)."""
    gain = np.median(ratios, axis=1)
    # Light differs between pieces by its strength more than by its colour: a lamp, a shadow.
    off = gain - overall
    strength = off.mean(axis=1)
    tint = off - strength[:, None]
    squared = np.minimum(((ratios - gain[:, None]) ** 2).sum(axis=2), _CAP)
    cost: NDArray[np.floating] = squared.mean(axis=1) + _TINT * (tint**2).sum(axis=1) + _BRIGHTNESS * strength**2
    return cost


def _cheapest(costs: NDArray[np.float64], rings: int) -> FoundLayout:
    best_turn = costs.argmin(axis=2)
    lowest = costs.min(axis=2)
    ranked = sorted(
        (sum(lowest[piece, slot] for piece, slot in zip(range(1, 6), slots, strict=True)), slots)
        for slots in permutations(range(1, 6))
    )
    total, slots = ranked[0]
    lies = tuple(Lie(slot, int(best_turn[piece, slot])) for piece, slot in zip(range(1, 6), slots, strict=True))
    # The next best is another order of the pieces, or one piece turned.
    rivals = [ranked[1][0] - total]
    for piece, slot in zip(range(1, 6), slots, strict=True):
        turns = np.sort(costs[piece, slot])
        rivals.append(turns[1] - turns[0])
    return FoundLayout(Layout((Lie(0), *lies), rings), float(min(rivals)))  # type: ignore[arg-type]


class Pieces:
    """How the pieces lie in the game on the table, as far as its photographs show it. The reader's thread owns it.

    `layout` is how they lie, `look` what the bare board then looks like; `is_known`: a photograph shows it.
    """

    def __init__(self, taught: BoardLook) -> None:
        self._taught = self.look = taught
        self.layout = self._dealt = self._dealt_before = Layout(rings=taught.board.rings)
        self.is_known = self._is_deal = False
        self._margin = 0.0

    @property
    def are_moved(self) -> bool:
        """Whether they lay otherwise in the deal before the last."""
        return self._dealt != self._dealt_before

    def new_game(self, is_dealt: bool) -> None:
        """Expect another game; `is_dealt`: it begins, perhaps with its pieces put together otherwise."""
        self.is_known, self._is_deal, self._margin = False, is_dealt, 0.0
        if not is_dealt:
            self._lie(Layout(rings=self._taught.board.rings))

    def see(self, logs: Floats) -> bool:
        """Look at a flat picture, unless they are known for sure; return whether it shows other ground than before."""
        if self._margin >= _SURE:
            return False
        found = find_layout(logs, self._taught)
        if found.margin < _TRUSTED or found.margin <= self._margin:
            return False
        is_same = self.is_known and found.layout == self.layout
        self.is_known, self._margin = True, found.margin
        self._lie(found.layout)
        if self._is_deal:
            self._dealt_before, self._dealt, self._is_deal = self._dealt, found.layout, False
        return not is_same

    def _lie(self, layout: Layout) -> None:
        if layout != self.layout:
            self.layout, self.look = layout, compose(self._taught, layout)
