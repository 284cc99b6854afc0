"""What stands in for camera and reader where there are none: a game kept by hand, and safe mode.

What a keeper says lies on the table (`CorrectCell`) is judged like a photograph; everything else lies as the books have
it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from companion.board import (
    BARE,
    BadInputError,
    Board,
    Cell,
    CellReading,
    Contents,
    DealRemarks,
    PlayerColor,
    Reading,
)
from companion.games.contract import Position
from companion.service.parts import Frame
from companion.session import Session

# What sees is loaded once people see where they were.
# ruff: noqa: PLC0415
if TYPE_CHECKING:
    from calibration import TableFolder
    from companion.settings import Settings

#: What is said of a camera that is left out: a code of TROUBLES.
CLOSED = "closed"

_log = logging.getLogger(__name__)

#: What is looked at where there is nothing to see: always the same, so nothing ever moves.
_NOTHING: NDArray[np.uint8] = np.zeros((48, 64, 3), np.uint8)


class _NoReader:
    """A reader that remembers nothing, and has nothing to remark."""

    view: Any = None
    outline: Any = None
    is_upside_down = False
    lost: str | None = None
    remarks = DealRemarks()

    def new_game(self, is_dealt: bool = True, books: Mapping[Cell, Contents] | None = None) -> None:
        """Do nothing: nothing is remembered."""

    def confirmed(self, cells: Mapping[Cell, Contents], by_hand: bool = False) -> None:
        """Do nothing: nothing is remembered."""

    def booked(self, books: Mapping[Cell, Contents], colors: Collection[PlayerColor]) -> None:
        """Do nothing: nothing is remembered."""


class Blank:
    """A picture of nothing."""

    def __init__(self, taken_s: float) -> None:
        self.image, self.taken_s, self.small = _NOTHING, taken_s, None


class BookReader(_NoReader):
    """A camera and a reader for the loop that see what the books hold; before a game the bare board.

    `bare` is that with its terrain and sites, None where nobody knows them.
    """

    def __init__(self, position: Callable[[], Position | None], board: Board, bare: Reading | None = None) -> None:
        self._position, self._board, self._bare = position, board, bare

    def frame(self, timeout_s: float) -> Frame:
        """Return a picture of nothing, taken now."""
        return Blank(time.monotonic())

    def read(self, image: Any) -> Reading:
        """Return the board as the books have it."""
        position = self._position()
        if position is not None:
            return in_the_books(position)
        if self._bare is not None:
            return self._bare
        return Reading(self._board, {cell: CellReading(BARE) for cell in self._board.cells})


class ClosedError(OSError):
    """There is no picture, for the camera is left out."""

    trouble = CLOSED


class ClosedCamera(_NoReader):
    """A camera and a reader for the loop that see nothing."""

    def frame(self, timeout_s: float) -> Frame:
        """Raise ClosedError."""
        raise ClosedError("the camera is left out in safe mode")

    def read(self, image: Any) -> Reading:
        """Raise BadInputError: there are no pictures."""
        raise BadInputError("the camera is left out in safe mode")


def show_books(session: Session, table: TableFolder | None) -> None:
    """Let the session see what its books hold; for a new game the bare board, as far as it is known."""
    if session.position is not None:
        session.see(in_the_books(session.position))
    elif table is not None:
        session.see(_bare(table))


def in_the_books(position: Position) -> Reading:
    """Return the board as the position has it, once the game is over the bare one; nothing said of day tracks."""
    ground, lies = position.ground, {} if position.over else position.expected()
    cells = {cell: CellReading(lies.get(cell, BARE), ground.terrain.get(cell)) for cell in ground.board.cells}
    return Reading(ground.board, cells, unclear_tracks=frozenset(position.days))


def bare_board(settings: Settings, folder: Path | None, board: Board) -> Reading | None:
    """Return the bare board as the settings' table has it, else the one chosen last, else the newest with such a board.

    One that a phone alone has photographed will do. None where there is none.
    """
    from calibration import TableFolder
    from companion.setup.store import Store
    from companion.setup.table_setup import TABLES

    store = None if folder is None else Store(folder / TABLES)
    stored = () if store is None else (store.current, *store.tables)
    named = [Path(settings.table.folder)] if settings.table.folder else []
    for path in [*named, *(table.path for table in stored if table is not None)]:
        try:
            table = TableFolder.open(path)
            if table.setup.board == board:
                return _bare(table)
        except BadInputError as error:
            _log.warning("%s is no board to play on by hand: %s", path, error)
    return None


def _bare(table: TableFolder) -> Reading:
    """Return the bare board of the table."""
    known = table.load_empty()[1].cells
    bare = {cell: CellReading(BARE, it.terrain, it.site) for cell, it in known.items()}
    return Reading(table.setup.board, bare, unclear_tracks=frozenset(table.setup.tracks))
