"""The companion as it runs: pages, button, logbook and loop, opened in turn and closed again, in one of three modes."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from companion.board import NotNowError
from companion.commands import StartGame
from companion.events import Event
from companion.games.contract import Position
from companion.logbook import Logbook, Resumed
from companion.logbook.backup import LastCopy, last_copy
from companion.logbook.restoring import decide
from companion.scoreboard import Scoreboard, Snapshot, TurnClock
from companion.service import Pace, Service
from companion.service.loop import FRAME_WAIT_S, trouble_of
from companion.session import Session, State
from companion.settings import Settings
from companion.setup import UnusableTableError
from companion.system.notify import Heartbeat, sd_notify, watchdog_s
from companion.web import Backend, Encrypted, Keepers, Limits, Server, Trust, Wifi, create_app
from companion.wiring import machine
from companion.wiring.choices import Beginning, kept_in
from companion.wiring.current_game import CurrentGame, KeptTimes, called_now, getting_ready, with_next, without_table
from companion.wiring.hub import HubLink
from companion.wiring.keeper_access import KeptRoster, PinDisplay, session_key
from companion.wiring.machine import SafeMode, Starts
from companion.wiring.modes import Asking, ByHand, Drawn, Live, eyes_shut
from companion.wiring.monitoring import Monitor, desk_of, upkeep_of
from companion.wiring.pins import Pins
from hardware.panel import Panel

#: What is said while camera and pins are left out: a code of TROUBLES.
SAFE = "safe-mode"

#: How often it is looked whether all is well while nobody has said what to do.
ASKS_S = 0.5

#: How long learning a table, and opening the logbook, may take on a slow machine before it counts as a hang.
LEARN_S = 90.0


class Companion:
    """The running companion. `run` belongs to one thread; the scoreboard is served from the first moment on.

    `show_pin` is told the keeper's PIN when the table's button is held, and "" when it is let go of, on the panel's
    thread. `starts` says whether this one leaves out camera and pins, `warnings` what else is wrong, by codes of
    TROUBLES. Raises BadInputError where the settings ask for rules, a table, photographs or an address that there is
    not. `beginning` says what is done, and lets a keeper choose something else where that is open; `keepers` are those
    of the companion before.
    """

    def __init__(
        self,
        settings: Settings,
        show_pin: Callable[[str], None] = lambda pin: None,
        starts: Starts | None = None,
        warnings: Sequence[str] = (),
        *,
        beginning: Beginning | None = None,
        keepers: Keepers | None = None,
    ) -> None:
        self._settings, self._warnings, self._beginning = settings, warnings, beginning
        self._starts, self._clock = starts or Starts(), machine.ClockWatch()
        self._stopping, self._leaving = threading.Event(), threading.Event()
        self._scoreboard, self._current = Scoreboard(), CurrentGame()
        self._books = folder = kept_in(settings)
        self._logbook: Logbook | None = None
        kept = Keepers(key=session_key(folder), roster=KeptRoster(folder)) if folder and keepers is None else Keepers()
        self.keepers = keepers or kept
        self._pin = PinDisplay(self._scoreboard, self.keepers, show_pin)
        self._safe = SafeMode(self._starts, self._begin_anew, lambda: self._pins.are_real or mode.hands is not None)
        self._is_safe = self._safe.is_on
        self._pins = Pins(settings.panel, self._is_safe)
        self._mode = mode = self._mode_of(settings, folder)
        self._monitor = Monitor(lambda: "safe" if self._is_safe else mode.name, folder)
        self._announce()
        web, names = settings.web, machine.OwnNames(settings.web.trusted_hosts)
        kept_at = beginning.folder if folder is None and beginning is not None and beginning.is_open else folder
        self._certificate = machine.certificate_of(web, kept_at, lambda: names)
        memory = None if folder is None else KeptTimes(folder)
        submit = self._current.submit
        self._hub = None if folder is None else HubLink(folder, settings.hub, lambda: self._scoreboard.latest, submit)
        self._turn_clock = TurnClock(self._scoreboard.show_clock, is_on=settings.game.turn_clock, memory=memory)
        self.app = create_app(
            Backend(
                self._scoreboard,
                self._current.submit,
                self._current.picture,
                record=self._current.record,
                reading=self._current.reading,
                game=self._next_game,
                table=mode.players,
                hands=mode.hands,
                has_camera=not isinstance(mode, ByHand | Asking),
                wizard=mode.wizard,
                is_practice=isinstance(mode, Drawn),
                panel=mode.setup,
                keepers=self.keepers,
                logbook=lambda: self._books,
                forgets_games=folder is None,
                forget=lambda game, alone: self._writer("not-deleted").forget(game, pictures_only=alone),
                note=lambda note, who: self._writer("not-noted").note_of_people(note, who),
                last_copy=lambda: None if self._logbook is None or self._books is None else last_copy(self._books),
                bring_back=self._bring_back,
                safe_mode=self._safe,
                turn_clock=self._turn_clock,
                address=lambda: self.address_for_others,
                wifi=lambda: self.wifi,
                updates=(updates := desk_of(settings.updates, folder)),
                upkeep=partial(upkeep_of, settings, folder, updates),
                trust=lambda: self.trust,
                monitor=self._monitor,
                has_open_figures=web.metrics == "network",
                hub=self._hub,
                beginning=beginning if beginning is not None and beginning.is_open else None,
                limits=Limits(web.streams, web.streams_per_address),
                trusted_hosts=names,
            )
        )
        encrypted = None if self._certificate is None else Encrypted(web.https_port, self._certificate)
        self._server = Server(self.app, self._scoreboard, web.streams, web.host, web.port, encrypted)
        if self._certificate is not None:
            machine.keep_up(self._certificate, self._stopping)
        if beginning is not None:
            beginning.leave = self.stop

    def _mode_of(self, settings: Settings, folder: Path | None) -> Live | Drawn | ByHand | Asking:
        """Return the mode that the settings ask for, with everything; where nobody has said which, that asks."""
        if self._beginning is not None and self._beginning.now is None:
            return Asking(settings)
        match settings.camera.kind:
            case "virtual":
                return Drawn(settings, self._press, self._pin.hold)
            case "none":
                return ByHand(settings, folder)
            case _:
                assert folder is not None  # a drawn table alone keeps nothing
                return Live(settings, folder, self._scoreboard, self._begin_anew, self._pins.are_real)

    @property
    def ports(self) -> tuple[int, int | None]:
        """At which ports it is served, the second under TLS."""
        return self._server.port, self._server.encrypted_port

    @property
    def addresses(self) -> tuple[str, ...]:
        """Where the scoreboard is: on this machine and, where others may look, for them."""
        return machine.served_at(self._settings.web.host, self._server.port)

    @property
    def address_for_others(self) -> str:
        """Where others in the local network join; "" where this machine alone is served, or where it has no network."""
        return machine.for_others(self.addresses)

    @property
    def trust(self) -> Trust | None:
        """What phones must trust under HTTPS; None without a certificate of the table's own."""
        return machine.trust_in(self._certificate, self._server.encrypted_port)

    @property
    def wifi(self) -> Wifi | None:
        """The Wi-Fi that this machine has opened itself, None where it has not, or where the companion is not in it."""
        return machine.own_wifi() if self._settings.web.host == "0.0.0.0" else None

    def run(self) -> None:
        """Set up camera, reader, panel and logbook, and play until `stop`, or until KeyboardInterrupt.

        Without a table that can be used, pictures are taken for the set-up's page until there is one; another table
        that is chosen there is played on at once.
        """
        while True:
            self._leaving.clear()  # before anything is asked: what is asked for from now on is done next
            if self._stopping.is_set():
                return
            if self._is_safe and not self._safe.is_on:
                self._is_safe, self._pins = False, Pins(self._settings.panel)
            self._monitor.starts()
            try:
                self._mode.take_up()
                match self._mode:
                    case Live(table=None) if not self._is_safe:
                        self._wait_for_table(self._mode)
                    case Asking():
                        self._wait_for_choice()
                    case _:
                        self._play()
            except UnusableTableError as error:
                self._mode.do_without(error)
                self._announce()

    def stop(self) -> None:
        """Ask `run` to end."""
        self._stopping.set()
        self._leave()

    def close(self) -> None:
        """Stop, and close every stream and the server; within two seconds."""
        if self._beginning is None or not self._beginning.goes_on:  # else systemd would end what begins now
            sd_notify("STOPPING=1")
        self.stop()
        if self._hub is not None:
            self._hub.close()
        self._server.close()

    def _begin_anew(self) -> None:
        """Leave the loop, and go round again."""
        self._scoreboard.publish(self._getting_ready())
        self._leave()

    def _getting_ready(self) -> Snapshot:
        return getting_ready(is_learning=not isinstance(self._mode, ByHand | Asking))

    def _leave(self) -> None:
        self._leaving.set()
        self._current.stop()

    def _announce(self) -> None:
        """Say what everybody waits for: that the companion is ready, or that a table is set up."""
        mode = self._mode
        is_without_table = isinstance(mode, Asking) or (mode.setup is not None and mode.table is None)
        self._scoreboard.publish(
            without_table(*self._standing(), self._trouble) if is_without_table else self._getting_ready()
        )

    def _wait_for_table(self, live: Live) -> None:
        """Show what the camera sees until a table was set up."""
        with ExitStack() as stack:
            camera = live.glimpse(stack)
            self._opened_panel(stack)
            sd_notify("READY=1", f"STATUS=waits at {self.addresses[0]}setup for its table to be set up")
            heart = Heartbeat(("loop",), watchdog_s())
            while not self._leaving.is_set():
                self._beat(heart)
                try:
                    camera.frame(FRAME_WAIT_S)
                    self._monitor.sees()
                except OSError as error:
                    self._monitor.sees(trouble_of(error))
                self._leaving.wait(1 / self._settings.camera.frames_per_s)

    def _wait_for_choice(self) -> None:
        """Do nothing until somebody has said what to do."""
        with ExitStack() as stack:
            self._opened_panel(stack)
            sd_notify("READY=1", f"STATUS=asks at {self.addresses[0]}begin what to do")
            heart = Heartbeat(("loop",), watchdog_s())
            while not self._leaving.is_set():
                self._beat(heart)
                self._leaving.wait(ASKS_S)

    def _play(self) -> None:
        """Play on the table, until `stop` or until another one is chosen; raises UnusableTableError."""
        with ExitStack() as stack:
            heart = Heartbeat(("loop", "writer"), watchdog_s())
            with heart.beating(LEARN_S):
                service = self._opened_service(stack, heart)
            sd_notify("READY=1", f"STATUS=at {self.addresses[0]}")
            if not self._leaving.is_set():
                service.run()
            self._current.end()

    def _opened_service(self, stack: ExitStack, heart: Heartbeat) -> Service:
        """Open all that the service needs, until the stack is left, and learn what the pieces look like."""
        logbook = self._opened_logbook(stack, heart)
        self._monitor.starts(logbook)
        resumed = self._resumed(logbook)
        session = Session(state=resumed.state if resumed else State())
        service = Service(
            eyes_shut(session, self._mode.table) if self._is_safe else self._mode.opened(stack, session),
            self._opened_panel(stack),
            self._scoreboard,
            self._mode.game,
            session=session,
            logbook=logbook,
            witness=self._witness,
            turn_clock=self._turn_clock,
            pace=Pace(
                period_s=1 / self._settings.camera.frames_per_s,
                quiet_s=self._mode.quiet_s,
                beat=lambda: self._beat(heart),
                read=self._monitor.read,
                blind=self._monitor.sees,
            ),
        )
        stack.callback(self._turn_clock.rest)
        service.warn(*self._standing())
        self._mode.sit_down(service, self._pins)
        self._current.begin(service, resumed.events if resumed else ())
        if resumed and self._books and (named := called_now(self._books, resumed.state)):
            service.submit(named, "")
        return service

    def _opened_logbook(self, stack: ExitStack, heart: Heartbeat) -> Logbook:
        """Open the logbook until the stack is left.

        What happens at a drawn table is kept for as long as it is drawn, unless a folder says so. Raises BadInputError
        for a logbook that another companion writes, or that is none of ours.
        """
        folder = kept_in(self._settings)
        self._books = folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="strada-logbook-")))
        table = self._mode.table
        stack.callback(setattr, self, "_logbook", None)
        self._logbook = stack.enter_context(
            Logbook(
                self._books,
                "" if table is None else str(table.path.resolve()),
                encode=_encoded,
                picture_bytes=self._settings.logbook.pictures_mb * 1024**2,
                picture_days=self._settings.logbook.pictures_days,
                beat=lambda: heart.beat("writer"),
                progress=lambda: heart.progress("writer"),
            )
        )
        return self._logbook

    def _writer(self, code: str) -> Logbook:
        """Return the open logbook; raises NotNowError of that code while there is none."""
        if self._logbook is None:
            raise NotNowError("nothing is changed, as Strada is getting ready; try again in a minute", code)
        return self._logbook

    def _bring_back(self, copy: LastCopy) -> None:
        """Make that copy the logbook, and go on with it: once it is opened anew, the copy takes the other's place."""
        if self._books is None or self._logbook is None:
            raise NotNowError("nothing is restored, as Strada is getting ready; try again in a minute", "not-restored")
        try:
            decide(self._books, copy.path)
        except OSError as error:
            wrong = f"nothing is restored, as {self._books} cannot be written ({error}); see strada doctor"
            raise NotNowError(wrong, "not-restored") from None
        self._begin_anew()

    def _resumed(self, logbook: Logbook) -> Resumed | None:
        """Return where the logbook was left, where that can go on on this table; people see it at once."""
        resumed = logbook.resume()
        if resumed and resumed.state.position is not None:
            # Long before what sees is loaded and knows what the pieces look like.
            self._scoreboard.publish(self._getting_ready().with_position(resumed.state.position))
        if resumed and not self._mode.goes_on(resumed.state):
            resumed = None
            self._scoreboard.publish(self._getting_ready())
        return resumed and replace(resumed, state=with_next(resumed.state, self._mode.fits))

    def _opened_panel(self, stack: ExitStack) -> Panel:
        """Open the panel; without a button to hold, the PIN is shown now, for a while."""
        panel = stack.enter_context(
            self._pins.opened(self._press, partial(self._pin.hold, True), partial(self._pin.hold, False))
        )
        if self._mode.setup is not None:
            self._mode.setup.use_panel(panel, self._pins.are_real)
        if not self._safe.has_button:
            self._pin.show_for_a_while(stack)
        return panel

    def _standing(self) -> tuple[str, ...]:
        """Return what people are warned of as long as this start lasts, by codes of TROUBLES."""
        return tuple(filter(None, (SAFE if self._safe.is_on else "", self._pins.trouble, *self._warnings)))

    @property
    def _trouble(self) -> str:
        """What is wrong with the table, by a code of TROUBLES; in safe mode nothing of it is used."""
        return "" if self._is_safe else self._mode.trouble

    def _beat(self, heart: Heartbeat) -> None:
        heart.beat("loop")
        self._monitor.beat()
        self._starts.beat()
        self._current.warn(*self._standing(), self._trouble, self._clock.look())

    def _press(self) -> None:
        """The table's button: somebody tries it on the set-up's page, or it is the game's."""
        if self._mode.setup is None or not self._mode.setup.pressed():
            self._current.press()

    def _witness(self, events: Sequence[Event], position: Position | None) -> None:
        self._current.hear(events)
        if self._hub is not None:
            self._hub.wake()
        self._monitor.hear(events)
        self._mode.witness(events, position)

    def _next_game(self) -> StartGame:
        """Return the game that would be dealt next."""
        chosen = self._current.game
        return self._mode.game if chosen is None else self._mode.fits(chosen)


def _encoded(image: Any) -> bytes:
    # OpenCV is loaded with the first picture: people see where they were long before.
    from companion.system.pictures import jpeg  # noqa: PLC0415

    return jpeg(image)
