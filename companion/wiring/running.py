"""The companion as it runs: camera, reader, panel, service and scoreboard, opened in turn and closed again."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import cv2

from calibration.table import TableFolder
from companion.board import BadInputError, HexBoard
from companion.commands import Command, StartGame
from companion.events import Event
from companion.games import rule_set
from companion.games.contract import Ground, Player, Position
from companion.games.la_strada import LaStrada
from companion.recording import Recorder, record_to_text
from companion.scoreboard import Notice, Scoreboard, Snapshot
from companion.service import Camera, Service
from companion.settings import CameraSettings, Settings
from companion.virtual_table import VirtualTable, write_table
from companion.web import Download, Limits, Picture, Server, create_app
from companion.wiring.drawn import DrawnTable
from companion.wiring.names import own_addresses, own_names
from companion.wiring.pins import opened_factory, panel_pins
from hardware.camera import CameraLostError, FolderCamera, UsbCamera
from hardware.panel import Panel, press_mock_button
from vision.overlay import draw
from vision.reader import Reader
from vision.steady import Steadier

#: The camera's picture on the scoreboard: wide enough to recognise a merchant, small enough for a phone's Wi-Fi.
PICTURE_WIDTH_PX, PICTURE_QUALITY = 1000, 80

GETTING_READY = Notice("start", "Getting ready", ("Learning what the pieces look like on this table …",))


class Companion:
    """The running companion. `run` belongs to one thread; the scoreboard is served from the first moment on.

    Raises BadInputError where the settings ask for rules, pins, a table, photographs or an address that there is not.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._game = game_of(settings)
        self._factory, self._has_real_pins = opened_factory(settings.panel)
        self._table = _table(settings)
        self._scoreboard = Scoreboard()
        self._scoreboard.publish(Snapshot(notice=GETTING_READY))
        self._service: Service | None = None
        self._drawn = DrawnTable() if settings.camera.kind == "virtual" else None
        self._easel = Easel()
        self._recorder = Recorder()
        web = settings.web
        app = create_app(
            self._scoreboard,
            self._submit,
            self._picture,
            record=self._record,
            table=self._drawn,
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
            game, pins = self._game, panel_pins(self._settings.panel)
            camera, table = self._open_eyes(stack, game)
            panel = stack.enter_context(Panel(pins, self._factory, self._press))
            service = Service(
                camera,
                Reader.of(table),
                Steadier(),
                panel,
                self._scoreboard,
                game=game,
                witness=self._witness,
                period_s=1 / self._settings.camera.reads_per_s,
            )
            if self._drawn:
                press = self._press if self._has_real_pins else lambda: press_mock_button(self._factory, pins)
                self._drawn.sit_down(press, service.submit)
            self._service = service
            service.run()

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
        if self._drawn is not None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="strada-")))
            rules, seed = rule_set(game.rules), settings.table.seed
            assert isinstance(rules, LaStrada)
            pair = [player.color for player in game.players] if rules.rules.seats == (2,) else None
            drawn = write_table(folder, seed, opposite=(pair[0], pair[1]) if pair else None)
            pressed = self._drawn.pressed
            self._drawn.attach(VirtualTable(drawn.camera, seed, game.players, rules=rules, on_press=pressed))
            return self._drawn, TableFolder.open(folder)
        assert self._table is not None
        if camera.kind == "usb":
            usb = UsbCamera(camera.index, camera.width_px, camera.height_px)
            stack.callback(usb.close)
            return usb, self._table
        photographs = _photographs(camera)
        stack.callback(photographs.close)
        return photographs, self._table

    def _submit(self, command: Command) -> bool:
        return self._service is not None and self._service.submit(command)

    def _press(self) -> None:
        if self._service is not None:
            self._service.press()

    def _witness(self, events: Sequence[Event], position: Position | None) -> None:
        self._recorder.hear(events)
        if self._drawn is not None:
            self._drawn.witness(events, position)

    def _record(self) -> Download | None:
        record = self._recorder.record
        if record is None:
            return None
        return Download(f"strada-{record.rule_set.name}-{len(record.moves)}-moves.json", record_to_text(record))

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


def game_of(settings: Settings) -> StartGame:
    """Return the game that the button deals; raises BadInputError where rules, seats and house rules do not fit."""
    game = settings.game
    players = tuple(Player(name, color) for name, color in game.players)
    # Only what differs from the default is in force, and recorded.
    house_rules: dict[str, object] = {"end": game.end} if game.end != "ever" else {}
    if game.first_days:
        house_rules["first_days"] = {color.value: days for color, days in game.first_days.items()}
    if game.hints:
        house_rules["hints"] = True
    # What is dealt does not matter yet: rules and seats must fit before anybody looks at the table.
    try:
        rule_set(game.rules).start(Ground(HexBoard(), {}, {}), players, house_rules)
    except BadInputError as error:
        raise BadInputError(f"game: {error}") from None
    return StartGame(players, game.rules, house_rules)


def _table(settings: Settings) -> TableFolder | None:
    """Return the table that was set up, its photographs looked for; None for the drawn one."""
    if settings.camera.kind == "virtual":
        return None
    table = TableFolder.open(Path(settings.table.folder))
    table.load_empty()
    table.load_teach()
    if settings.camera.kind == "folder":
        _photographs(settings.camera).close()
    return table


def _photographs(camera: CameraSettings) -> FolderCamera:
    try:
        return FolderCamera(Path(camera.folder), camera.hold_s)
    except CameraLostError as error:
        raise BadInputError(f"camera.folder: {error}; name the folder with the photographs") from None
