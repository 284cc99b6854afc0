"""A game without a camera: people say what lies on the table, and it is taken for what was seen.

What a keeper says of a cell (`CorrectCell`) is judged like a photograph; everything else lies as the books have it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.board import BARE, Board, Cell, CellReading, Contents, DealRemarks, Reading
from companion.games.contract import Position
from companion.service.parts import Frame
from companion.wiring.safe_mode import in_the_books

#: What is looked at where there is nothing to see: always the same, so nothing ever moves.
_NOTHING: NDArray[np.uint8] = np.zeros((48, 64, 3), np.uint8)


class Blank:
    """A picture of nothing."""

    def __init__(self, taken_s: float) -> None:
        self.image, self.taken_s, self.small = _NOTHING, taken_s, None


class ByHand:
    """A camera and a reader for the loop that see what the books hold; before a game the bare board."""

    view: Any = None
    outline: Any = None
    is_upside_down = False
    lost: str | None = None
    remarks = DealRemarks()

    def __init__(self, position: Callable[[], Position | None], board: Board) -> None:
        self._position, self._board = position, board

    def frame(self, timeout_s: float) -> Frame:
        """Return a picture of nothing, taken now."""
        return Blank(time.monotonic())

    def new_game(self, is_dealt: bool = True, books: Mapping[Cell, Contents] | None = None) -> None:
        """Do nothing: nothing is remembered here."""

    def confirmed(self, cells: Mapping[Cell, Contents], by_hand: bool = False) -> None:
        """Do nothing: nothing is remembered."""

    def read(self, image: Any) -> Reading:
        """Return the board as the books have it."""
        position = self._position()
        if position is not None:
            return in_the_books(position)
        return Reading(self._board, {cell: CellReading(BARE) for cell in self._board.cells})
