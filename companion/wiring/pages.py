"""The pages of the running companion: everything they show and whom they ask, and the server that they come from."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from flask import Flask

from companion.commands import StartGame
from companion.scoreboard import Scoreboard, TurnClock
from companion.settings import Settings, WebSettings
from companion.web import Backend, Encrypted, Keepers, Limits, Server, Trust, Wifi
from companion.wiring import machine
from companion.wiring.choices import Beginning
from companion.wiring.current_game import CurrentBooks, CurrentGame
from companion.wiring.hub import HubLink
from companion.wiring.machine import SafeMode
from companion.wiring.modes import Mode
from companion.wiring.monitoring import Monitor, desk_of, upkeep_of


class Served:
    """Where the pages are served, and what phones must trust. Any thread may call it, once `serve` was called.

    `folder` keeps the table's own certificate, None if there is no folder for it; it is renewed until `ending`. Raises
    BadInputError for certificates that cannot be used and, from `serve`, for an address that does not exist.
    """

    def __init__(self, web: WebSettings, folder: Path | None, ending: threading.Event) -> None:
        self._web, self._ending = web, ending
        self.names = machine.OwnNames(web.trusted_hosts)
        self._certificate = machine.certificate_of(web, folder, lambda: self.names)
        self._server: Server | None = None

    def serve(self, app: Flask, scoreboard: Scoreboard) -> None:
        """Serve the application from now on until `close`."""
        web, certificate = self._web, self._certificate
        encrypted = None if certificate is None else Encrypted(web.https_port, certificate)
        self._server = Server(app, scoreboard, web.streams, web.host, web.port, encrypted)
        if certificate is not None:
            machine.keep_up(certificate, self._ending)

    @property
    def server(self) -> Server:
        """What serves them."""
        assert self._server is not None
        return self._server

    @property
    def ports(self) -> tuple[int, int | None]:
        """The ports, the second one under TLS."""
        return self.server.port, self.server.encrypted_port

    @property
    def addresses(self) -> tuple[str, ...]:
        """Where the scoreboard is: on this machine and, if others may look, for them."""
        return machine.served_at(self._web.host, self.server.port)

    @property
    def address_for_others(self) -> str:
        """Where others in the local network join; "" if only this machine is served, or if it has no network."""
        return machine.for_others(self.addresses)

    @property
    def trust(self) -> Trust | None:
        """What phones must trust under HTTPS; None without a certificate of the table's own."""
        return machine.trust_in(self._certificate, self.server.encrypted_port)

    @property
    def wifi(self) -> Wifi | None:
        """The Wi-Fi that this machine has opened itself, None if it has not, or if the companion is not in it."""
        return machine.own_wifi() if self._web.host == "0.0.0.0" else None

    def close(self) -> None:
        """Close every stream and the server."""
        self.server.close()


@dataclass(frozen=True, slots=True)
class Reached:
    """The parts of the companion that its pages reach; `next_game` returns the game that would be dealt next."""

    scoreboard: Scoreboard
    current: CurrentGame
    books: CurrentBooks
    keepers: Keepers
    safe_mode: SafeMode
    monitor: Monitor
    turn_clock: TurnClock
    hub: HubLink | None
    beginning: Beginning | None
    next_game: Callable[[], StartGame]


def backend_of(settings: Settings, mode: Mode, served: Served, parts: Reached) -> Backend:
    """Return what the pages show and whom they ask: from the mode what it has, from the parts what pages may reach."""
    web, kept, current, books = settings.web, parts.books.kept, parts.current, parts.books
    updates, beginning = desk_of(settings.updates, kept), parts.beginning
    return Backend(
        parts.scoreboard,
        current.submit,
        current.picture,
        record=current.record,
        reading=current.reading,
        game=parts.next_game,
        table=mode.players,
        hands=mode.hands,
        has_camera=mode.has_camera,
        wizard=mode.wizard,
        is_practice=mode.is_practice,
        panel=mode.setup,
        keepers=parts.keepers,
        logbook=lambda: books.folder,
        forgets_games=kept is None,
        forget=books.forget,
        note=books.note,
        last_copy=books.last_copy,
        bring_back=books.bring_back,
        safe_mode=parts.safe_mode,
        turn_clock=parts.turn_clock,
        address=lambda: served.address_for_others,
        wifi=lambda: served.wifi,
        updates=updates,
        upkeep=partial(upkeep_of, settings, kept, updates),
        trust=lambda: served.trust,
        monitor=parts.monitor,
        has_open_figures=web.metrics == "network",
        hub=parts.hub,
        beginning=beginning if beginning is not None and beginning.is_open else None,
        limits=Limits(web.streams, web.streams_per_address),
        trusted_hosts=served.names,
    )
