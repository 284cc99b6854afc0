"""The ways to run: Live over a real table, Drawn at a drawn one; those without a camera are in `no_camera`.

Each knows what only it needs: where its pictures come from, what it waits for, what it puts on the pages, and which
games it can go on with. What they have in common is in `companion.wiring.running`.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from companion.board import HexBoard
from companion.commands import StartGame
from companion.events import Event
from companion.games import rule_set
from companion.games.contract import Position
from companion.scoreboard import Scoreboard
from companion.service import QUIET_S, Eyes, Service
from companion.session import Session, State
from companion.settings import Settings
from companion.setup import UnusableTableError
from companion.wiring.choices import game_of
from companion.wiring.drawn import DrawnTable, Visitors
from companion.wiring.pins import Pins

# Vision and drawing are loaded only once people see where they were: that takes as long as everything else together.
# ruff: noqa: PLC0415
if TYPE_CHECKING:
    from calibration import TableFolder
    from companion.service.parts import Camera, Reader
    from companion.setup.learning import KeptExamples, LearntTable
    from companion.setup.table_setup import TableSetup
    from companion.setup.wizard import Wizard

#: What is said if the table that was chosen cannot be used: a code of TROUBLES.
UNUSABLE = "unusable"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Wait:
    """What a mode does until people have set up a table, or have said what to do.

    `status` is for systemd, {} being the address. The pictures of `camera`, if there is one, are shown meanwhile.
    """

    status: str
    period_s: float
    camera: Camera | None = None


class Mode(ABC):
    """One way to run, called `name`. It belongs to the loop's thread, except for what is put on the pages.

    On the pages are `wizard` and `setup`, which set tables up, and `players` and `hands`, the controls of a drawn table
    and what visitors do there: each if this way has it. `has_camera`: there are pictures to learn from and to show;
    `is_practice`: all that happens is practice. `trouble` says what is wrong with the table, by a code of TROUBLES.
    """

    name: ClassVar[str]
    setup: TableSetup | None = None
    wizard: Wizard | None = None
    players: DrawnTable | None = None
    hands: Visitors | None = None
    has_camera = True
    is_practice = False
    trouble = ""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._dealt = game_of(settings)

    @property
    def game(self) -> StartGame:
        """The settings' game, as it is dealt on this table."""
        return self.fits(self._dealt)

    @property
    def table(self) -> TableFolder | None:
        """The folder of the real table that is played on; None if there is none."""
        return None

    @property
    def lacks_table(self) -> bool:
        """Whether there is nothing yet to play on."""
        return False

    def fits(self, game: StartGame) -> StartGame:
        """Return the game as it is dealt on this table."""
        return game

    def goes_on(self, state: State) -> bool:
        """Whether the logbook's game can go on at this table."""
        return True

    def take_up(self) -> None:  # noqa: B027 (most have nothing to do)
        """Switch to the table that was chosen meanwhile, if any was; raises UnusableTableError."""

    def do_without(self, error: UnusableTableError) -> None:
        """Wait for another table; raises the error if there can be none."""
        raise error

    def wait(self, stack: ExitStack) -> Wait | None:
        """Return what to do until there is something to play on, open until the stack is left; None: play."""
        return None

    @abstractmethod
    def opened(self, stack: ExitStack, session: Session) -> Eyes:
        """Open camera and reader until the stack is left; raises UnusableTableError."""

    def sit_down(self, service: Service, pins: Pins) -> None:  # noqa: B027 (most have nothing to do)
        """Let those at the table press its button and answer, if they are drawn."""

    def quiet_s(self) -> float:
        """Return how long after a verdict presses do not count."""
        return QUIET_S

    def witness(self, events: Sequence[Event], position: Position | None) -> None:  # noqa: B027 (most have nothing to do)
        """Hear what happened, and the position that it made."""


class Live(Mode):
    """A camera over a table that was set up, or is yet to be: then `table` is None, and pictures are for the set-up.

    `begin_anew` ends the loop when another table is chosen. Raises BadInputError if the settings name a table,
    photographs or a clip that does not exist.
    """

    name = "live"
    setup: TableSetup

    def __init__(
        self, settings: Settings, folder: Path, scoreboard: Scoreboard, begin_anew: Callable[[], None], has_panel: bool
    ) -> None:
        super().__init__(settings)
        from companion.setup.photos import Roll
        from companion.setup.table_setup import TableSetup
        from companion.wiring.cameras import table_of

        self._begin_anew = begin_anew
        self._table: TableFolder | None = None
        self._chosen: LearntTable | None = None
        self._reader: Reader | None = None
        self._examples: KeptExamples | None = None
        self._fits: Callable[[StartGame], StartGame] = lambda game: game
        self.setup = TableSetup(
            folder,
            is_playing=lambda: scoreboard.latest.phase in ("workshop", "turn"),
            play_on=self._choose,
            is_named=bool(settings.table.folder),
            turn=lambda: scoreboard.latest.lamps.turn,
            has_panel=has_panel,
            roll=Roll(Path(settings.camera.folder)) if settings.camera.kind == "folder" else None,
        )
        self.wizard = self.setup.wizard
        try:
            self._use(table_of(settings, self.setup.store))
        except UnusableTableError as error:
            self.do_without(error)

    @property
    def table(self) -> TableFolder | None:
        """The folder of the table; None until one is set up that can be used."""
        return self._table

    @property
    def lacks_table(self) -> bool:
        """Whether a table is yet to be set up."""
        return self._table is None

    def fits(self, game: StartGame) -> StartGame:
        """Return the game with the pieces that the table has taught."""
        return self._fits(game)

    def goes_on(self, state: State) -> bool:
        """Whether the logbook's game was dealt on a board like this."""
        from companion.setup.learning import lies_on

        return lies_on(self.table, state)

    def take_up(self) -> None:
        """Switch to the table that was chosen on the set-up's page, if any was."""
        chosen, self._chosen = self._chosen, None
        if chosen is not None:
            self._use(chosen.folder)
            self._reader = chosen.reader

    def do_without(self, error: UnusableTableError) -> None:
        """Wait for another table; raises the error if the settings name this one."""
        if self.setup.is_named:
            raise error
        _log.warning("the table that was chosen cannot be used: %s", error)
        self._use(None)
        self.trouble = UNUSABLE

    def wait(self, stack: ExitStack) -> Wait | None:
        """Open just the camera, for the set-up's page, until a table is set up."""
        if self._table is not None:
            return None
        from companion.wiring.cameras import opened_camera

        camera = self.setup.shared(opened_camera(stack, self.settings, None)[0])
        return Wait("waits at {}setup for its table to be set up", 1 / self.settings.camera.frames_per_s, camera)

    def opened(self, stack: ExitStack, session: Session) -> Eyes:
        """Open the camera over the table, and learn what its pieces look like."""
        from companion.setup.learning import FitCheck, KeptExamples, learnt
        from companion.wiring.cameras import opened_camera
        from vision.reader import Reader as TileReader

        table = self._table
        assert table is not None
        camera, calm = opened_camera(stack, self.settings, table.setup.size_px)
        shared = self.setup.shared(camera)
        reader, self._reader = self._reader or learnt(table).reader, None
        if isinstance(reader, TileReader):
            self._examples = KeptExamples(reader, table.path)
            stack.callback(self._examples.keep)
        self.trouble = ""
        stack.enter_context(FitCheck(table, self.setup.picture, self._warn))
        return eyes_of(shared, reader, calm)

    def witness(self, events: Sequence[Event], position: Position | None) -> None:
        """Keep the examples of tiles that a game gave, once it is over."""
        if self._examples is not None:
            self._examples.witness(events)

    def _use(self, table: TableFolder | None) -> None:
        """Play on that table, with the pieces that it has taught; raises UnusableTableError if these are damaged."""
        from companion.setup.learning import fitting

        self._fits, self._table, self.trouble = fitting(table), table, ""
        self.setup.in_use = None if table is None else table.path

    def _choose(self, table: LearntTable) -> None:
        """Leave the present table for that one, with the next picture."""
        self._chosen = table
        self._begin_anew()

    def _warn(self, code: str) -> None:
        self.trouble = code


class Drawn(Mode):
    """A drawn table that plays by itself; visitors may touch it if it is one of La Strada.

    `press` presses the table's button, `hold` is told when a finger stays on it, and when that finger leaves.
    """

    name = "drawn"
    is_practice = True
    players: DrawnTable

    def __init__(self, settings: Settings, press: Callable[[], object], hold: Callable[[bool], object]) -> None:
        super().__init__(settings)
        from companion.wiring.cameras import Practice

        self._press, self._hold = press, hold
        self.players = DrawnTable()
        self._practice = Practice(settings.table.seed)
        self.wizard = self._practice.wizard
        self._visitors = Visitors(self.players)
        self.hands = self._visitors if isinstance(rule_set(self._dealt.rules).board, HexBoard) else None

    def goes_on(self, state: State) -> bool:
        """Whether the logbook's game can be laid out on the drawn table."""
        from companion.wiring.cameras import can_be_drawn

        return can_be_drawn(self.settings, state)

    def opened(self, stack: ExitStack, session: Session) -> Eyes:
        """Draw the table, and learn what its pieces look like."""
        from companion.setup.learning import learnt
        from companion.wiring.cameras import drawn_table

        state = session.state
        table = drawn_table(stack, self.settings, state.game or self.game, self.players, state.position)
        return eyes_of(self.players, learnt(table).reader)

    def sit_down(self, service: Service, pins: Pins) -> None:
        """Let the players press the button, and answer what they are asked."""
        press = self._visitors.reach_button(pins, self._press, self._hold)
        self.players.sit_down(press, service.submit)

    def quiet_s(self) -> float:
        """Return how long after a verdict presses do not count: its players are quick."""
        return self.players.quiet_s()

    def witness(self, events: Sequence[Event], position: Position | None) -> None:
        """Let the players hear what was said about their press."""
        self.players.witness(events, position)


def eyes_of(
    camera: Camera, reader: Reader, calm: Callable[[], None] = lambda: None, *, has_pictures: bool = True
) -> Eyes:
    """Return what looks at the table through that camera, and reads its pictures."""
    from vision.hands import Steadier

    return Eyes(camera, reader, Steadier(), calm, has_pictures)
