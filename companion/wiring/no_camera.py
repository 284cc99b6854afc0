"""The ways to run without a camera: ByHand, Safe instead of any other mode, and Asking until somebody has said which.

What stands in for camera and reader is here, too. What a keeper says is on the table (`CorrectCell`) is judged like a
photograph; everything else is taken to be as the books have it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.board import (
    BARE,
    BadInputError,
    Board,
    Cell,
    CellReading,
    Contents,
    DealRemarks,
    HexBoard,
    PlayerColor,
    Reading,
)
from companion.commands import StartGame
from companion.events import Event
from companion.games import rule_set
from companion.games.contract import Position
from companion.service import Eyes, Service
from companion.service.parts import Frame
from companion.session import Session, State
from companion.settings import Settings
from companion.setup import UnusableTableError
from companion.wiring.modes import Mode, Wait, eyes_of
from companion.wiring.pins import Pins

# Vision is loaded only once people see where they were.
# ruff: noqa: PLC0415
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from calibration import TableFolder

#: What is said about a camera that is left out: a code of TROUBLES.
CLOSED = "closed"

#: What is said if a game is to be kept by hand on a board that was never set up: a code of TROUBLES.
NO_GROUND = "no-ground"

#: How often a mode that asks looks whether somebody has said what to do.
ASKS_S = 0.5

_log = logging.getLogger(__name__)


class ByHand(Mode):
    """No camera: people say what is on the table, and that counts as what was seen.

    A board of hexagons must have been set up, with a camera or just a phone: nobody wants to enter its terrain by hand.
    """

    name = "by-hand"
    has_camera = False

    def __init__(self, settings: Settings, folder: Path | None) -> None:
        super().__init__(settings)
        self._folder = folder

    def opened(self, stack: ExitStack, session: Session) -> Eyes:
        """Look into the books."""
        board, bare = rule_set(self._dealt.rules).board, None
        if isinstance(board, HexBoard):
            bare = bare_board(self.settings, self._folder, board)
            self.trouble = NO_GROUND if bare is None and session.position is None else ""
        books = BookReader(lambda: session.position, board, bare)
        return eyes_of(books, books, has_pictures=False)


class Asking(Mode):
    """Nobody has said yet what to do: the page /begin asks."""

    name = "asks"
    has_camera = False

    @property
    def lacks_table(self) -> bool:
        """Always: nobody has said which one to play on."""
        return True

    def wait(self, stack: ExitStack) -> Wait | None:
        """Do nothing until somebody has said what to do."""
        return Wait("asks at {}begin what to do", ASKS_S)

    def opened(self, stack: ExitStack, session: Session) -> Eyes:
        """Look at nothing."""
        return _eyes_shut()


class Safe(Mode):
    """Camera and pins left out, because starts with them failed: a game goes on by hand, `instead_of` another mode.

    What that mode has on the pages stays there, so that a table can be put in order, but none of it is opened.
    """

    name = "safe"

    def __init__(self, instead_of: Mode) -> None:
        super().__init__(instead_of.settings)
        self.instead_of = instead_of
        self.setup, self.wizard = instead_of.setup, instead_of.wizard
        self.players, self.hands = instead_of.players, instead_of.hands
        self.has_camera, self.is_practice = instead_of.has_camera, instead_of.is_practice

    @property
    def table(self) -> TableFolder | None:
        """The folder of the other mode's table."""
        return self.instead_of.table

    @property
    def lacks_table(self) -> bool:
        """Whether the other mode has nothing yet to play on."""
        return self.instead_of.lacks_table

    def fits(self, game: StartGame) -> StartGame:
        """Return the game as it is dealt on the other mode's table."""
        return self.instead_of.fits(game)

    def goes_on(self, state: State) -> bool:
        """Whether the logbook's game can go on at the other mode's table."""
        return self.instead_of.goes_on(state)

    def take_up(self) -> None:
        """Let the other mode switch to the table that was chosen, if any was; raises UnusableTableError."""
        self.instead_of.take_up()

    def do_without(self, error: UnusableTableError) -> None:
        """Let the other mode wait for another table; raises the error if there can be none."""
        self.instead_of.do_without(error)

    def wait(self, stack: ExitStack) -> Wait | None:
        """Wait for whatever needs no camera."""
        return None if self.has_camera else self.instead_of.wait(stack)

    def opened(self, stack: ExitStack, session: Session) -> Eyes:
        """Leave the camera shut, and show the session what its books hold."""
        show_books(session, self.table)
        return _eyes_shut()

    def sit_down(self, service: Service, pins: Pins) -> None:
        """Let those at a drawn table press its button."""
        self.instead_of.sit_down(service, pins)

    def quiet_s(self) -> float:
        """Return how long after a verdict presses do not count in the other mode."""
        return self.instead_of.quiet_s()

    def witness(self, events: Sequence[Event], position: Position | None) -> None:
        """Let the other mode hear what happened."""
        self.instead_of.witness(events, position)


def _eyes_shut() -> Eyes:
    closed = ClosedCamera()
    return eyes_of(closed, closed)


@cache
def _nothing() -> NDArray[np.uint8]:
    """Return what is looked at when there is nothing to see: always the same, so nothing ever moves."""
    import numpy as np

    return np.zeros((48, 64, 3), np.uint8)


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

    def booked(self, books: Mapping[Cell, Contents], colors: Collection[PlayerColor], walking: bool = False) -> None:
        """Do nothing: nothing is remembered."""


class Blank:
    """A picture of nothing."""

    def __init__(self, taken_s: float) -> None:
        self.image, self.taken_s, self.small = _nothing(), taken_s, None


class BookReader(_NoReader):
    """A camera and a reader for the loop that see what the books hold; before a game the bare board.

    `bare` is the bare board with its terrain and sites, None if nobody knows them.
    """

    def __init__(self, position: Callable[[], Position | None], board: Board, bare: Reading | None = None) -> None:
        self._position, self._board, self._bare = position, board, bare

    def frame(self, timeout_s: float) -> Frame:
        """Return a picture of nothing, taken now."""
        return Blank(time.monotonic())

    def read(self, image: Any, is_again: bool = False) -> Reading:
        """Return the board as the books have it."""
        position = self._position()
        if position is not None:
            return in_the_books(position)
        if self._bare is not None:
            return self._bare
        return Reading(self._board, {cell: CellReading(BARE) for cell in self._board.cells})


class ClosedError(OSError):
    """There is no picture, because the camera is left out."""

    trouble = CLOSED


class ClosedCamera(_NoReader):
    """A camera and a reader for the loop that see nothing."""

    def frame(self, timeout_s: float) -> Frame:
        """Raise ClosedError."""
        raise ClosedError("the camera is left out in safe mode")

    def read(self, image: Any, is_again: bool = False) -> Reading:
        """Raise BadInputError: there are no pictures."""
        raise BadInputError("the camera is left out in safe mode")


def show_books(session: Session, table: TableFolder | None) -> None:
    """Let the session see what its books hold; for a new game the bare board, as far as it is known."""
    if session.position is not None:
        session.see(in_the_books(session.position))
    elif table is not None:
        session.see(_bare(table))


def in_the_books(position: Position) -> Reading:
    """Return the board as the position has it, or bare once the game is over; nothing is said about day tracks."""
    ground, lies = position.ground, {} if position.over else position.expected()
    cells = {cell: CellReading(lies.get(cell, BARE), ground.terrain.get(cell)) for cell in ground.board.cells}
    return Reading(ground.board, cells, unclear_tracks=frozenset(position.days))


def bare_board(settings: Settings, folder: Path | None, board: Board) -> Reading | None:
    """Return the bare board of the settings' table, else of the one chosen last, else of the newest with such a board.

    A table that only a phone has photographed will do. None if there is none.
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
            _log.warning("%s is not a board to play on by hand: %s", path, error)
    return None


def _bare(table: TableFolder) -> Reading:
    """Return the bare board of the table."""
    known = table.load_empty()[1].cells
    bare = {cell: CellReading(BARE, it.terrain, it.site) for cell, it in known.items()}
    return Reading(table.setup.board, bare, unclear_tracks=frozenset(table.setup.tracks))
