"""The companion as it runs: camera, reader, panel, service and scoreboard, opened in turn and closed again."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from companion.board import HexBoard, Reading
from companion.commands import Command, StartGame
from companion.events import Event
from companion.games import rule_set
from companion.games.contract import Position
from companion.logbook import Logbook, Resumed
from companion.records.record import Recorder, record_to_text
from companion.scoreboard import Scoreboard
from companion.service import QUIET_S, Camera, Service
from companion.service.loop import FRAME_WAIT_S
from companion.service.parts import Reader as Eyed
from companion.session import Session, State
from companion.settings import Settings
from companion.system.notify import Heartbeat, sd_notify, watchdog_s
from companion.web import Backend, Download, Keepers, Limits, Picture, Server, Wifi, create_app
from companion.wiring.announcing import getting_ready, without_table
from companion.wiring.books import WithoutPictures, opened_logbook
from companion.wiring.choices import game_of, kept_in
from companion.wiring.clock import ClockWatch
from companion.wiring.drawn import DrawnTable
from companion.wiring.keys import KeptEnded, kept_key
from companion.wiring.names import OwnNames, for_others, own_wifi, served_at
from companion.wiring.pins import Pins
from companion.wiring.safe_mode import SAFE, ClosedEyes, SafeMode, show_books
from companion.wiring.shown_pin import ShownPin
from companion.wiring.starts import Starts
from companion.wiring.unusable import LEARN_S, UNUSABLE, UnusableTableError
from companion.wiring.visitors import Visitors
from hardware.panel import Panel

# What sees, and what draws tables, is loaded once people see where they were: it takes as long as all else together.
# ruff: noqa: PLC0415
if TYPE_CHECKING:
    from calibration import TableFolder
    from companion.wiring.easel import Easel
    from companion.wiring.examples import KeptExamples
    from companion.wiring.setting_up import SettingUp
    from companion.wiring.taking_up import LearntTable
    from vision.reader import Reader
    from vision.square.reader import SquareReader

_log = logging.getLogger(__name__)


class Companion:
    """The running companion. `run` belongs to one thread; the scoreboard is served from the first moment on.

    `show_pin` is told the keeper's PIN when the table's button is held, and "" when it is let go of, on the panel's
    thread. `starts` says whether this one leaves out camera and pins, `warnings` what else is wrong, by codes of
    TROUBLES. Raises BadInputError where the settings ask for rules, a table, photographs or an address that there is
    not.
    """

    def __init__(
        self,
        settings: Settings,
        show_pin: Callable[[str], None] = lambda pin: None,
        starts: Starts | None = None,
        warnings: Sequence[str] = (),
    ) -> None:
        self._settings, self._warnings = settings, warnings
        self._game = game_of(settings)
        self._fitting: Callable[[StartGame], StartGame] = lambda game: game
        self._board = rule_set(self._game.rules).board
        self._starts = starts or Starts()
        self._clock, self._misfit = ClockWatch(), ""
        self._safe = SafeMode(self._starts, self._begin_anew, lambda: self._pins.are_real or self._has_hands)
        self._pins = Pins(settings.panel, self._safe.is_on)
        self._is_drawn = settings.camera.kind == "virtual"
        self._has_hands = self._is_drawn and isinstance(self._board, HexBoard)
        self._has_camera = settings.camera.kind not in ("virtual", "none")
        folder = kept_in(self._settings)
        self._stopping = threading.Event()
        self._scoreboard = Scoreboard()
        self._scoreboard.publish(getting_ready())
        self._setting_up = self._opened_setting_up(folder) if folder is not None and self._has_camera else None
        self._next: LearntTable | None = None
        self._reader: Reader | SquareReader | None = None
        self._table: TableFolder | None = None
        self._examples: KeptExamples | None = None
        self._use_chosen()
        self._service: Service | None = None
        self._keepers = Keepers(key=kept_key(folder), ended=KeptEnded(folder)) if folder else Keepers()
        self._pin = ShownPin(self._scoreboard, self._keepers, show_pin)
        self._people = DrawnTable()
        self._visitors = Visitors(self._people)
        self._easel: Easel | None = None
        self._recorder = Recorder()
        self._books = folder
        web = settings.web
        self.app = create_app(
            Backend(
                self._scoreboard,
                self._submit,
                self._picture,
                record=self._record,
                table=self._people if self._is_drawn else None,
                hands=self._visitors if self._has_hands else None,
                keepers=self._keepers,
                reading=self._reading,
                game=lambda: self._game if self._service is None else self._fitting(self._service.game),
                address=lambda: self.address_for_others,
                wifi=lambda: self.wifi,
                logbook=lambda: self._books,
                wizard=None if self._setting_up is None else self._setting_up.wizard,
                panel=self._setting_up,
                limits=Limits(web.streams, web.streams_per_address),
                trusted_hosts=OwnNames(web.trusted_hosts),
                safe_mode=self._safe,
            )
        )
        self._server = Server(self.app, self._scoreboard, web.streams, web.host, web.port)

    @property
    def addresses(self) -> tuple[str, ...]:
        """Where the scoreboard is: on this machine and, where others may look, for them."""
        return served_at(self._settings.web.host, self._server.port)

    @property
    def address_for_others(self) -> str:
        """Where others in the local network join; "" where this machine alone is served, or where it has no network."""
        return for_others(self.addresses)

    @property
    def wifi(self) -> Wifi | None:
        """The Wi-Fi that this machine has opened itself, None where it has not, or where the companion is not in it."""
        return own_wifi() if self._settings.web.host == "0.0.0.0" else None

    def run(self) -> None:
        """Set up camera, reader, panel and logbook, and play until `stop`, or until KeyboardInterrupt.

        Without a table that can be used, pictures are taken for the set-up's page until there is one; another table
        that is chosen there is played on at once.
        """
        while not self._stopping.is_set():
            if self._next is not None:
                chosen, self._next = self._next, None
                self._use(chosen.folder)
                self._reader = chosen.reader
            if self._table is None and self._has_camera and not self._safe.is_on:
                self._wait_for_table()
                continue
            try:
                self._play()
            except UnusableTableError as error:
                self._use_none(error)
                continue
            if self._safe.was_left():
                self._pins = Pins(self._settings.panel)
            elif self._next is None:
                return

    def _use_chosen(self) -> None:
        """Play on the table that the settings name, or that was set up last."""
        if not self._has_camera:
            return
        from companion.wiring.eyes import table_of

        try:
            self._use(table_of(self._settings, None if self._setting_up is None else self._setting_up.store))
        except UnusableTableError as error:
            self._use_none(error)

    def _use(self, table: TableFolder | None) -> None:
        """Play on that table, with the pieces that it has taught; raises UnusableTableError where these are damaged."""
        from companion.wiring.taught import fitting

        self._fitting, self._table = fitting(table), table
        self._game = self._fitting(game_of(self._settings))
        if self._setting_up is not None:
            self._setting_up.in_use = None if table is None else table.path
        if table is None and self._has_camera:
            self._scoreboard.publish(without_table(*self._standing()))

    def _use_none(self, error: UnusableTableError) -> None:
        """Wait for another table; raises the error where the settings name this one, or it is a drawn one."""
        if self._setting_up is None or self._setting_up.is_named:
            raise error
        _log.warning("the table that was chosen cannot be used: %s", error)
        self._use(None)
        self._scoreboard.publish(without_table(*self._standing(), UNUSABLE))

    def _wait_for_table(self) -> None:
        """Show what the camera sees until a table was set up."""
        from companion.wiring.eyes import opened_camera

        assert self._setting_up is not None
        with ExitStack() as stack:
            camera, _ = opened_camera(stack, self._settings, None)
            camera = self._setting_up.glimpsed(camera)
            self._opened_panel(stack)
            sd_notify("READY=1", f"STATUS=waits at {self.addresses[0]}setup for its table to be set up")
            heart = Heartbeat(("loop",), watchdog_s())
            while self._next is None and not self._stopping.is_set():
                self._beat(heart)
                with suppress(OSError):
                    camera.frame(FRAME_WAIT_S)
                self._stopping.wait(1 / self._settings.camera.frames_per_s)

    def _play(self) -> None:
        """Play on the table, until `stop` or until another one is chosen; raises UnusableTableError."""
        with ExitStack() as stack:
            heart = Heartbeat(("loop", "writer"), watchdog_s())
            with heart.beating(LEARN_S):
                service = self._opened_service(stack, heart)
            sd_notify("READY=1", f"STATUS=at {self.addresses[0]}")
            if self._next is None and not self._stopping.is_set():
                service.run()
            self._service = None

    def _opened_service(self, stack: ExitStack, heart: Heartbeat) -> Service:
        """Open all that the service needs, until the stack is left, and learn what the pieces look like."""
        table = str(self._table.path.resolve()) if self._table is not None else ""
        logbook, self._books = opened_logbook(
            stack, self._settings, table, lambda: heart.beat("writer"), lambda: heart.progress("writer")
        )
        resumed = self._resumed(logbook)
        from companion.wiring.easel import Easel
        from companion.wiring.taking_up import FitCheck
        from vision.hands.steady import Steadier

        session = Session(state=resumed.state if resumed else State())
        camera, reader, calm = self._opened_eyes(stack, session)
        panel = self._opened_panel(stack)
        service = Service(
            camera,
            reader,
            Steadier(),
            panel,
            self._scoreboard,
            game=self._game,
            session=session,
            note=logbook.note,
            logbook=logbook if self._has_camera or self._is_drawn else WithoutPictures(logbook),
            witness=self._witness,
            calm=calm,
            beat=lambda: self._beat(heart),
            period_s=1 / self._settings.camera.frames_per_s,
            quiet_s=self._people.quiet_s if self._is_drawn else lambda: QUIET_S,
        )
        self._misfit = ""
        service.warn(*self._standing())
        if self._setting_up is not None and self._table is not None and not self._safe.is_on:

            def warn(code: str) -> None:
                self._misfit = code

            stack.enter_context(FitCheck(self._table, self._setting_up.picture, warn))
        if resumed:
            self._recorder.hear(resumed.events)
        if self._is_drawn:
            press = self._visitors.reach_button(self._pins, self._press, self._pin.hold)
            self._people.sit_down(press, service.submit)
        self._easel = self._easel or Easel()
        self._service = service
        return service

    def _resumed(self, logbook: Logbook) -> Resumed | None:
        """Return where the logbook was left, where that can go on on this table; people see it at once."""
        resumed = logbook.resume()
        if resumed and resumed.state.position is not None:
            # Long before what sees is loaded and knows what the pieces look like.
            self._scoreboard.publish(getting_ready().with_position(resumed.state.position))
        from companion.wiring.eyes import goes_on
        from companion.wiring.taught import lies_on, with_next

        if resumed and not (goes_on(self._settings, resumed.state) and lies_on(self._table, resumed.state)):
            resumed = None
            self._scoreboard.publish(getting_ready())
        return resumed and replace(resumed, state=with_next(resumed.state, self._fitting))

    def _opened_eyes(self, stack: ExitStack, session: Session) -> tuple[Camera, Eyed, Callable[[], None]]:
        """Open camera and reader, shut ones in safe mode; return them with what to call while the table rests."""
        if self._safe.is_on:
            show_books(session, self._table)
            closed = ClosedEyes()
            return closed, closed, lambda: None
        if not (self._has_camera or self._is_drawn):
            from companion.wiring.by_hand import ByHand

            by_hand = ByHand(lambda: session.position, self._board)
            return by_hand, by_hand, lambda: None
        from companion.wiring.examples import KeptExamples
        from companion.wiring.eyes import drawn_eyes, opened_eyes
        from companion.wiring.taking_up import learnt
        from vision.reader import Reader

        state = session.state
        eyes = (
            opened_eyes(stack, self._settings, self._table)
            if self._table is not None
            else drawn_eyes(stack, self._settings, state.game or self._game, self._people, state.position)
        )
        camera = eyes.camera if self._setting_up is None else self._setting_up.glimpsed(eyes.camera)
        reader, self._reader = self._reader or learnt(eyes.table).reader, None
        if self._table is not None and isinstance(reader, Reader):
            self._examples = KeptExamples(reader, self._table.path)
            stack.callback(self._examples.keep)
        return camera, reader, eyes.calm

    def _opened_panel(self, stack: ExitStack) -> Panel:
        """Open the panel; without a button to hold, the PIN is shown now, for a while."""
        panel = stack.enter_context(self._pins.opened(self._press, self._pin.show, self._pin.hide))
        if self._setting_up is not None:
            self._setting_up.panel, self._setting_up.has_panel = panel, self._pins.are_real
        if not self._safe.has_button:
            self._pin.show_for_a_while(stack)
        return panel

    def _standing(self) -> tuple[str, ...]:
        """Return what people are warned of as long as this start lasts, by codes of TROUBLES."""
        return tuple(filter(None, (SAFE if self._safe.is_on else "", self._pins.trouble, *self._warnings)))

    def _beat(self, heart: Heartbeat) -> None:
        heart.beat("loop")
        self._starts.beat()
        jumped = self._clock.look()
        if self._service is not None:
            self._service.warn(*self._standing(), self._misfit, jumped)

    def _begin_anew(self) -> None:
        """Leave the loop, and go round again."""
        self._scoreboard.publish(getting_ready())
        if self._service is not None:
            self._service.stop()

    def stop(self) -> None:
        """Ask `run` to end."""
        self._stopping.set()
        if self._service is not None:
            self._service.stop()

    def close(self) -> None:
        """Stop, and close every stream and the server; within two seconds."""
        sd_notify("STOPPING=1")
        self.stop()
        self._server.close()

    def _submit(self, command: Command, by: str) -> bool:
        return self._service is not None and self._service.submit(command, by)

    def _opened_setting_up(self, folder: Path) -> SettingUp:
        from companion.wiring.setting_up import SettingUp

        return SettingUp(
            self._settings,
            folder,
            self._is_playing,
            self._play_on,
            turn=lambda: self._scoreboard.latest.lamps.turn,
            has_panel=self._pins.are_real,
        )

    def _is_playing(self) -> bool:
        return self._scoreboard.latest.phase in ("workshop", "turn")

    def _play_on(self, table: LearntTable) -> None:
        """Leave the present table for that one, with the next picture."""
        self._next = table
        self._begin_anew()

    def _press(self) -> None:
        is_tried = self._setting_up is not None and self._setting_up.pressed()
        if self._service is not None and not is_tried:
            self._service.press()

    def _witness(self, events: Sequence[Event], position: Position | None) -> None:
        self._recorder.hear(events)
        if self._examples is not None:
            self._examples.witness(events)
        if self._is_drawn:
            self._people.witness(events, position)

    def _record(self) -> Download | None:
        record = self._recorder.record
        if record is None:
            return None
        return Download(f"strada-{record.rule_set.name}-{len(record.moves)}-moves.json", record_to_text(record))

    def _reading(self) -> Reading | None:
        seen = None if self._service is None else self._service.seen
        return None if seen is None else seen.reading

    def _picture(self) -> Picture | None:
        return None if self._service is None or self._easel is None else self._easel.picture(self._service)
