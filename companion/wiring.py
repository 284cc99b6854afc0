"""Settings -> the running companion. This module alone knows everybody."""

from __future__ import annotations

import socket
import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import fields, replace
from pathlib import Path

import cv2

from calibration.table import TableFolder
from companion.commands import Command, StartGame
from companion.events import (
    DealRefused,
    DealUnclear,
    Event,
    GameDealt,
    MoveAccepted,
    MoveHidden,
    MoveRefused,
    MovesUndone,
    MoveUnclear,
    TurnTaken,
    WorkshopPlaced,
)
from companion.games.contract import Player, Position
from companion.games.la_strada import LaStradaPosition
from companion.scoreboard import Notice, Scoreboard, Snapshot
from companion.service import Camera, Service
from companion.settings import PanelSettings, Settings
from companion.virtual_table import Pace, VirtualTable, write_table
from companion.web import Limits, Picture, Server, create_app
from hardware.camera import FolderCamera, UsbCamera
from hardware.panel import Panel, PanelPins, open_factory, press_mock_button
from vision.overlay import draw
from vision.reader import Reader

#: The camera's picture on the scoreboard: wide enough to recognise a merchant, small enough for a phone's Wi-Fi.
PICTURE_WIDTH_PX, PICTURE_QUALITY = 1000, 80

#: How fast a drawn table can play.
SPEEDS = (1.0, 2.0, 4.0)

GETTING_READY = Notice("start", "Getting ready", ("Learning what the pieces look like on this table …",))


class Companion:
    """The running companion. `run` belongs to one thread; the scoreboard is served from the first moment on."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._scoreboard = Scoreboard()
        self._scoreboard.publish(Snapshot(notice=GETTING_READY))
        self._service: Service | None = None
        self._controls = VirtualControls() if settings.camera.kind == "virtual" else None
        self._easel = Easel()
        web = settings.web
        app = create_app(
            self._scoreboard,
            self._submit,
            self._picture,
            table=self._controls,
            limits=Limits(web.streams, web.streams_per_address),
            trusted_hosts=(*own_names(), *web.trusted_hosts),
        )
        self._server = Server(app, self._scoreboard, web.streams, web.host, web.port)

    @property
    def addresses(self) -> tuple[str, ...]:
        """Where the scoreboard is: on this machine and, where others may look, for them."""
        host, port = self._settings.web.host, self._server.port
        hosts = ("127.0.0.1", *own_addresses()) if host == "0.0.0.0" else (host,)
        return tuple(f"http://{each}:{port}/" for each in hosts)

    def run(self) -> None:
        """Set up camera, reader and panel, and play until `stop`, or until KeyboardInterrupt."""
        with ExitStack() as stack:
            game = _game(self._settings)
            factory, is_real = open_factory(self._settings.panel.pins)
            pins = _pins(self._settings.panel)
            camera, table = self._open_eyes(stack, game)
            panel = stack.enter_context(Panel(pins, factory, self._press))
            self._service = Service(
                camera,
                Reader.of(table),
                panel,
                self._scoreboard,
                game,
                witness=self._controls.witness if self._controls else None,
                period_s=1 / self._settings.camera.reads_per_s,
            )
            if self._controls:
                self._controls.on_press = self._press if is_real else lambda: press_mock_button(factory, pins)
            self._service.run()

    def stop(self) -> None:
        """Ask `run` to end."""
        if self._service is not None:
            self._service.stop()

    def close(self) -> None:
        """Stop, and close every stream and the server; within two seconds."""
        self.stop()
        self._server.close()

    def _open_eyes(self, stack: ExitStack, game: StartGame) -> tuple[Camera, TableFolder]:
        settings, camera = self._settings, self._settings.camera
        if self._controls is not None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="strada-")))
            drawn = write_table(folder, settings.table.seed)
            table = VirtualTable(drawn.camera, settings.table.seed, game.players, on_press=self._controls.pressed)
            self._controls.attach(table)
            return table, TableFolder.open(folder)
        opened = TableFolder.open(Path(settings.table.folder))
        if camera.kind == "usb":
            usb = UsbCamera(camera.index, camera.width_px, camera.height_px)
            stack.callback(usb.close)
            return usb, opened
        photographs = FolderCamera(Path(camera.folder), camera.hold_s)
        stack.callback(photographs.close)
        return photographs, opened

    def _submit(self, command: Command) -> bool:
        return self._service is not None and self._service.submit(command)

    def _press(self) -> None:
        if self._service is not None:
            self._service.press()

    def _picture(self) -> Picture | None:
        return None if self._service is None else self._easel.picture(self._service)


class Easel:
    """Draws the reading over the newest picture, once however many ask. Any thread may call it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._newest: Picture | None = None

    def picture(self, service: Service) -> Picture | None:
        """Return the newest picture that was read as a JPEG, or None before the first."""
        with self._lock:
            seen = service.seen
            if seen is not None and (self._newest is None or self._newest.number != seen.number):
                drawn = draw(seen.image, seen.view, seen.reading)
                scale = min(1.0, PICTURE_WIDTH_PX / drawn.shape[1])
                small = cv2.resize(drawn, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
                done, data = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, PICTURE_QUALITY])
                if done:
                    self._newest = Picture(data.tobytes(), seen.number)
            return self._newest


class VirtualControls:
    """Between the drawn table and the companion: its presses, the verdicts its players hear, pause and speed.

    `attach`, `pressed` and `witness` belong to the service's thread; `pause` and `hurry` may be called by any.
    """

    def __init__(self) -> None:
        self._table: VirtualTable | None = None
        self._is_paused = False
        self._is_awaited = False
        self._speed = SPEEDS[0]
        self.on_press: Callable[[], None] = lambda: None

    def attach(self, table: VirtualTable) -> None:
        """Take over this table, as it was asked to play so far."""
        self._table = table
        table.pace = paced(self._speed)
        if self._is_paused:
            table.pause()

    @property
    def is_paused(self) -> bool:
        """Whether the players rest."""
        return self._is_paused

    @property
    def speed(self) -> float:
        """How much faster than at first they play."""
        return self._speed

    def pause(self) -> bool:
        """Let the players rest or go on; return whether they rest now."""
        self._is_paused, self._is_awaited = not self._is_paused, False
        if self._table is not None:
            (self._table.pause if self._is_paused else self._table.play)()
        return self._is_paused

    def hurry(self) -> float:
        """Go on to the next speed, from the last to the first; return it."""
        self._speed = SPEEDS[(SPEEDS.index(self._speed) + 1) % len(SPEEDS)]
        if self._table is not None:
            self._table.pace = paced(self._speed)
        return self._speed

    def pressed(self, press: object) -> None:
        """Press the panel's button: there is but one, and the companion knows what it means."""
        self._is_awaited = True
        self.on_press()

    def witness(self, events: Sequence[Event], position: Position | None) -> None:
        """Tell the players what was said of their move; where they asked for no word, let them follow the game."""
        said = [verdict for event in events if (verdict := _heard(event)) is not None]
        if self._table is None or not said:
            return
        after = position if isinstance(position, LaStradaPosition) else None
        if self._is_awaited:
            self._is_awaited = False
            self._table.told(said[-1], after)
        elif said[-1] and after is not None:
            self._table.follow(after)


def paced(speed: float) -> Pace:
    """Return a pace that many times faster; how long players wait for an answer is the companion's time, and stays."""
    slow = Pace()
    times = {each.name: getattr(slow, each.name) / speed for each in fields(Pace) if each.name != "patience_s"}
    return replace(slow, **times)


def own_names() -> tuple[str, ...]:
    """Return the names under which browsers may ask for this machine: a foreign name in `Host` is an attack."""
    name = socket.gethostname().lower()
    return ("localhost", "127.0.0.1", "[::1]", name, f"{name}.local", *own_addresses())


def own_addresses() -> tuple[str, ...]:
    """Return this machine's address on the network that it would reach others by; empty without a network."""
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # reserved for documentation; connecting a datagram socket sends nothing
        return (str(probe.getsockname()[0]),)
    return ()


def _heard(event: Event) -> bool | None:
    """Return whether the event lets the players go on; None where it is no verdict."""
    match event:
        case GameDealt() | WorkshopPlaced() | TurnTaken() | MoveAccepted() | MovesUndone():
            return True
        case MoveRefused() | MoveHidden() | MoveUnclear() | DealRefused() | DealUnclear():
            return False
        case _:
            return None


def _game(settings: Settings) -> StartGame:
    players = tuple(Player(name, color) for name, color in settings.game.players)
    return StartGame(players, settings.game.rules)


def _pins(panel: PanelSettings) -> PanelPins:
    return PanelPins(
        status=(panel.red, panel.green, panel.blue),
        turn={
            "black": panel.turn_black,
            "grey": panel.turn_grey,
            "yellow": panel.turn_yellow,
            "red": panel.turn_red,
        },
        buzzer=panel.buzzer,
        button=panel.button,
        buzzer_is_tonal=panel.buzzer_is_tonal,
        lamps_active_high=panel.lamps_active_high,
        button_pulls_up=panel.button_pulls_up,
    )
