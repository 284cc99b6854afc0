"""Safe mode: scoreboard, logbook and backup without camera, reader and pins; a game goes on by hand.

What a keeper says lies on the table is judged against what the books hold: that is what the eyes, which are shut, are
taken to have seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from companion.board import BARE, BadInputError, Cell, CellReading, Contents, DealRemarks, Reading
from companion.games.contract import Position
from companion.service.parts import Frame
from companion.session import Session
from companion.wiring.starts import Starts

if TYPE_CHECKING:
    from calibration import TableFolder

#: What is said of the start, and of the eyes: codes of TROUBLES.
SAFE, CLOSED = "safe-mode", "closed"


class ClosedError(OSError):
    """There is no picture, for the camera is left out."""

    trouble = CLOSED


class ClosedEyes:
    """A camera and a reader for the loop that see nothing."""

    view: Any = None
    outline: Any = None
    is_upside_down = False
    lost: str | None = None
    remarks = DealRemarks()

    def frame(self, timeout_s: float) -> Frame:
        """Raise ClosedError."""
        raise ClosedError("the camera is left out in safe mode")

    def new_game(self, is_dealt: bool = True, books: Mapping[Cell, Contents] | None = None) -> None:
        """Do nothing: nothing is remembered."""

    def confirmed(self, cells: Mapping[Cell, Contents], by_hand: bool = False) -> None:
        """Do nothing: nothing is remembered."""

    def read(self, image: Any) -> Reading:
        """Raise BadInputError: there are no pictures."""
        raise BadInputError("the camera is left out in safe mode")


class SafeMode:
    """Whether this companion runs without camera and pins, and how it takes them up again. Any thread may call it.

    `stop` ends the loop, so that it begins anew with everything; `has_button` says whether there is one to hold
    elsewhere: on real pins, or on the page of a drawn table.
    """

    def __init__(self, starts: Starts, stop: Callable[[], None], has_button: Callable[[], bool]) -> None:
        self._starts, self._stop, self._has_button = starts, stop, has_button
        self._is_left = False

    @property
    def is_on(self) -> bool:
        """Whether camera and pins are left out."""
        return self._starts.is_safe

    @property
    def has_button(self) -> bool:
        """Whether the table has a button to hold."""
        return not self.is_on and self._has_button()

    def leave(self) -> None:
        """Take up camera and pins again; a failure after this leads back to safe mode. Elsewhere it does nothing."""
        if self.is_on:
            self._starts.whole()
            self._is_left = True
            self._stop()

    def was_left(self) -> bool:
        """Whether the loop ended to begin anew with everything; says so once."""
        was_left, self._is_left = self._is_left, False
        return was_left


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


def _bare(table: TableFolder) -> Reading:
    """Return the bare board of the table."""
    known = table.load_empty()[1].cells
    bare = {cell: CellReading(BARE, it.terrain, it.site) for cell, it in known.items()}
    return Reading(table.setup.board, bare, unclear_tracks=frozenset(table.setup.tracks))
