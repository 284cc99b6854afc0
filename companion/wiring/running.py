"""The companion as it runs: pages, button, logbook and loop, opened in turn and closed again, in one of its modes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

from companion.commands import StartGame
from companion.events import Event
from companion.games.contract import Position
from companion.logbook import Logbook, Resumed
from companion.scoreboard import Scoreboard, Snapshot, TurnClock
from companion.service import Pace, Service
from companion.service.loop import FRAME_WAIT_S, trouble_of
from companion.session import Session, State
from companion.settings import Settings
from companion.setup import UnusableTableError
from companion.system.notify import Heartbeat, sd_notify, watchdog_s
from companion.web import Keepers, Trust, Wifi, create_app
from companion.wiring.choices import Beginning
from companion.wiring.current_game import (
    CurrentBooks,
    CurrentGame,
    KeptTimes,
    called_now,
    getting_ready,
    with_next,
    without_table,
)
from companion.wiring.hub import HubLink
from companion.wiring.keeper_access import PinDisplay, keepers_of
from companion.wiring.machine import ClockWatch, SafeMode, Starts
from companion.wiring.modes import Drawn, Live, Mode, Wait
from companion.wiring.monitoring import Monitor
from companion.wiring.no_camera import Asking, ByHand, Safe
from companion.wiring.pages import Reached, Served, backend_of
from companion.wiring.pins import Pins
from hardware.panel import Panel

#: What is said while camera and pins are left out: a code of TROUBLES.
SAFE = "safe-mode"

#: How long learning a table, and opening the logbook, may take on a slow machine before it counts as a hang.
LEARN_S = 90.0


class Companion:
    """The running companion. `run` belongs to one thread; the scoreboard is served from the first moment on.

    `show_pin` is given the keeper's PIN when the table's button is held, and "" when it is let go of, on the panel's
    thread. `starts` says whether this start leaves out camera and pins, `warnings` what else is wrong, by codes of
    TROUBLES. Raises BadInputError if the settings ask for rules, a table, photographs or an address that does not
    exist. `beginning` says what is done, and lets a keeper choose something else if that is open; `keepers` are those
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
        self._starts, self._clock = starts or Starts(), ClockWatch()
        self._stopping, self._leaving = threading.Event(), threading.Event()
        self._scoreboard, self._current = Scoreboard(), CurrentGame()
        self._books = CurrentBooks(settings, self._begin_anew)
        folder = self._books.kept
        self.keepers = keepers or keepers_of(folder)
        self._pin = PinDisplay(self._scoreboard, self.keepers, show_pin)
        self._safe = SafeMode(self._starts, self._begin_anew, self._has_button)
        self._pins = Pins(settings.panel, self._safe.is_on)
        mode = self._chosen_mode(folder)
        self._mode: Mode = Safe(mode) if self._safe.is_on else mode
        self._monitor = Monitor(lambda: self._mode.name, folder)
        self._announce()
        kept_at = beginning.folder if folder is None and beginning is not None and beginning.is_open else folder
        self._served = Served(settings.web, kept_at, self._stopping)
        memory = None if folder is None else KeptTimes(folder)
        submit = self._current.submit
        self._hub = None if folder is None else HubLink(folder, settings.hub, lambda: self._scoreboard.latest, submit)
        self._turn_clock = TurnClock(self._scoreboard.show_clock, is_on=settings.game.turn_clock, memory=memory)
        parts = Reached(
            self._scoreboard, self._current, self._books, self.keepers, self._safe, self._monitor, self._turn_clock,
            self._hub, beginning, self._next_game,
        )  # fmt: skip
        self.app = create_app(backend_of(settings, self._mode, self._served, parts))
        self._served.serve(self.app, self._scoreboard)
        if beginning is not None:
            beginning.leave = self.stop

    def _chosen_mode(self, folder: Path | None) -> Live | Drawn | ByHand | Asking:
        """Return the mode that the settings ask for, with everything; if nobody has said which, the one that asks."""
        settings = self._settings
        if self._beginning is not None and self._beginning.now is None:
            return Asking(settings)
        match settings.camera.kind:
            case "virtual":
                return Drawn(settings, self._press, self._pin.hold)
            case "none":
                return ByHand(settings, folder)
            case _:
                assert folder is not None  # only a drawn table keeps nothing
                return Live(settings, folder, self._scoreboard, self._begin_anew, self._pins.are_real)

    @property
    def ports(self) -> tuple[int, int | None]:
        """The ports at which it is served, the second one under TLS."""
        return self._served.ports

    @property
    def addresses(self) -> tuple[str, ...]:
        """Where the scoreboard is: on this machine and, if others may look, for them."""
        return self._served.addresses

    @property
    def address_for_others(self) -> str:
        """Where others in the local network join; "" if only this machine is served, or if it has no network."""
        return self._served.address_for_others

    @property
    def trust(self) -> Trust | None:
        """What phones must trust under HTTPS; None without a certificate of the table's own."""
        return self._served.trust

    @property
    def wifi(self) -> Wifi | None:
        """The Wi-Fi that this machine has opened itself, None if it has not, or if the companion is not in it."""
        return self._served.wifi

    def run(self) -> None:
        """Set up camera, reader, panel and logbook, and play until `stop`, or until KeyboardInterrupt.

        Without a usable table, pictures are taken for the set-up's page until there is one; if another table is chosen
        there, it is played on at once.
        """
        while True:
            self._leaving.clear()  # before anything is asked: what is asked for from now on is done next
            if self._stopping.is_set():
                return
            if isinstance(self._mode, Safe) and not self._safe.is_on:
                self._mode, self._pins = self._mode.instead_of, Pins(self._settings.panel)
            self._monitor.starts()
            try:
                self._mode.take_up()
                with ExitStack() as stack:
                    if (wait := self._mode.wait(stack)) is not None:
                        self._wait(stack, wait)
                    else:
                        self._play(stack)
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
        self._served.close()

    def _begin_anew(self) -> None:
        """Leave the loop, and go round again."""
        self._scoreboard.publish(self._getting_ready())
        self._leave()

    def _getting_ready(self) -> Snapshot:
        return getting_ready(is_learning=self._mode.has_camera)

    def _leave(self) -> None:
        self._leaving.set()
        self._current.stop()

    def _announce(self) -> None:
        """Say what everybody is waiting for: the companion to be ready, or a table to be set up."""
        self._scoreboard.publish(
            without_table(*self._standing(), self._mode.trouble) if self._mode.lacks_table else self._getting_ready()
        )

    def _wait(self, stack: ExitStack, wait: Wait) -> None:
        """Wait until there is something to play on, and show what the camera sees meanwhile."""
        self._opened_panel(stack)
        sd_notify("READY=1", f"STATUS={wait.status.format(self.addresses[0])}")
        heart = Heartbeat(("loop",), watchdog_s())
        while not self._leaving.is_set():
            self._beat(heart)
            if wait.camera is not None:
                try:
                    wait.camera.frame(FRAME_WAIT_S)
                    self._monitor.sees()
                except OSError as error:
                    self._monitor.sees(trouble_of(error))
            self._leaving.wait(wait.period_s)

    def _play(self, stack: ExitStack) -> None:
        """Play on the table, until `stop` or until another one is chosen; raises UnusableTableError."""
        heart = Heartbeat(("loop", "writer"), watchdog_s())
        with heart.beating(LEARN_S):
            service = self._opened_service(stack, heart)
        sd_notify("READY=1", f"STATUS=at {self.addresses[0]}")
        if not self._leaving.is_set():
            service.run()
        self._current.end()

    def _opened_service(self, stack: ExitStack, heart: Heartbeat) -> Service:
        """Open all that the service needs, until the stack is left, and learn what the pieces look like."""
        logbook = self._books.opened(stack, heart, self._mode.table)
        self._monitor.starts(logbook)
        resumed = self._resumed(logbook)
        session = Session(state=resumed.state if resumed else State())
        service = Service(
            self._mode.opened(stack, session),
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
        books = self._books.folder
        if resumed and books and (named := called_now(books, resumed.state)):
            service.submit(named, "")
        return service

    def _resumed(self, logbook: Logbook) -> Resumed | None:
        """Return where the logbook was left, if that can go on at this table; people see it at once."""
        resumed = logbook.resume()
        if resumed and resumed.state.position is not None:
            # Long before vision is loaded and knows what the pieces look like.
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
        """Return what people are warned about for as long as this start lasts, by codes of TROUBLES."""
        return tuple(filter(None, (SAFE if self._safe.is_on else "", self._pins.trouble, *self._warnings)))

    def _has_button(self) -> bool:
        """Whether there is a button to hold: on real pins, or on the page of a drawn table."""
        return self._pins.are_real or self._mode.hands is not None

    def _beat(self, heart: Heartbeat) -> None:
        heart.beat("loop")
        self._monitor.beat()
        self._starts.beat()
        self._current.warn(*self._standing(), self._mode.trouble, self._clock.look())

    def _press(self) -> None:
        """Pass a press of the table's button on: to the set-up's page, if somebody tries it there, or to the game."""
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
