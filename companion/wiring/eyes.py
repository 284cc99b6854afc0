"""The camera's settings -> the camera as the loop sees it, and the table that it looks at."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from calibration.table import TableFolder
from companion.board import BadInputError, Color, Section
from companion.commands import StartGame
from companion.games import rule_set
from companion.games.contract import Position
from companion.games.la_strada import LaStrada, LaStradaPosition
from companion.games.silk_road import SilkRoad, SilkRoadPosition
from companion.games.silk_road.sections import made_up_sets
from companion.service import Camera
from companion.session import State
from companion.settings import CameraSettings, Settings
from companion.setup.store import Store
from companion.wiring.drawn import DrawnTable
from companion.wiring.unusable import UnusableTableError
from hardware.camera import (
    CalmCamera,
    CameraLostError,
    FolderCamera,
    PiCamera,
    UsbCamera,
    VideoCamera,
    WatchedCamera,
)
from simulator import SilkRoadTable, VirtualTable, layout_showing, virtual_art, write_square_table, write_table

#: What a camera is asked for while its table is set up: Camera Module 2's whole sensor, 2 x 2 pixels as one.
USUAL_PX = (1640, 1232)


@dataclass(frozen=True, slots=True)
class Eyes:
    """A camera over a table; `calm` is to be called while the table rests."""

    camera: Camera
    table: TableFolder
    calm: Callable[[], None]


def table_of(settings: Settings, store: Store | None) -> TableFolder | None:
    """Return the table that was set up, its photographs looked for: the settings' own, else the store's.

    None for the drawn one, and where none was set up yet. Raises BadInputError for a table, photographs or a clip that
    is not there, UnusableTableError for the store's table, where that is damaged.
    """
    if settings.camera.kind in ("folder", "video"):
        _files(settings.camera).close()
    stored = None if store is None else store.current
    folder = None if stored is None else stored.path
    if settings.table.folder:
        folder = Path(settings.table.folder)
    if settings.camera.kind == "virtual" or folder is None:
        return None
    try:
        table = TableFolder.open(folder)
        table.load_empty()
        table.load_teaches()
    except BadInputError as error:
        raise error if settings.table.folder else UnusableTableError(str(error)) from None
    return table


def goes_on(settings: Settings, state: State) -> bool:
    """Whether the logbook's game can go on at this table: on a drawn one, whether its pieces can lie so."""
    if settings.camera.kind != "virtual" or state.game is None or state.position is None:
        return True
    if state.position.over:
        return False  # drawn players clear the table after a game, and deal anew
    match state.position:
        case LaStradaPosition(ground=ground):
            art = virtual_art(settings.table.seed, opposite=_opposite(state.game))
            return layout_showing(art, ground) is not None
        case SilkRoadPosition(sections=sections):
            return dict(sections) == _sets(state.game)
        case _:
            return False


def drawn_eyes(
    stack: ExitStack, settings: Settings, game: StartGame, people: DrawnTable, position: Position | None = None
) -> Eyes:
    """Draw a table and let the people sit down at it; its folder is gone once the stack is left.

    They play on from the position, where there is one.
    """
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="strada-")))
    rules, seed = rule_set(game.rules), settings.table.seed
    match rules:
        case LaStrada():
            assert position is None or isinstance(position, LaStradaPosition)
            drawn = write_table(folder, seed, opposite=_opposite(game))
            people.attach(
                VirtualTable(drawn.camera, seed, game.players, rules=rules, position=position, on_press=people.pressed)
            )
        case SilkRoad():
            assert position is None or isinstance(position, SilkRoadPosition)
            camera, _ = write_square_table(folder, seed, _sets(game))
            people.attach(
                SilkRoadTable(camera, seed, game.players, rules=rules, position=position, on_press=people.pressed)
            )
        case _:
            raise BadInputError(f"rules: nobody draws a table for {rules.name}")
    return Eyes(people, TableFolder.open(folder), lambda: None)


def _opposite(game: StartGame) -> tuple[Color, Color] | None:
    """Return the colours of two who sit opposite each other; None for more."""
    rules = rule_set(game.rules)
    assert isinstance(rules, LaStrada)
    if rules.rules.seats != (2,):
        return None
    one, two = (Color(player.color) for player in game.players)
    return one, two


def _sets(game: StartGame) -> dict[str, tuple[Section, ...]]:
    """Return the sections of each player of Silk Road: drawn tables have the made-up set."""
    return dict(made_up_sets(player.color for player in game.players))


def opened_eyes(stack: ExitStack, settings: Settings, table: TableFolder) -> Eyes:
    """Open the camera over a table that was set up; it is closed once the stack is left."""
    camera, calm = opened_camera(stack, settings, table.setup.size_px)
    return Eyes(camera, table, calm)


def opened_camera(
    stack: ExitStack, settings: Settings, size_px: tuple[int, int] | None
) -> tuple[Camera, Callable[[], None]]:
    """Open the camera, and return it with what is to be called while the table rests.

    Without a size, that of files is as it is, and a camera is asked for the usual one.
    """
    camera = settings.camera
    if camera.kind in ("folder", "video"):
        files = WatchedCamera(_files(camera), size_px, is_live=False)
        stack.callback(files.close)
        return files, lambda: None
    size_px = size_px or USUAL_PX
    device = _device(camera, size_px)
    calm = CalmCamera(WatchedCamera(device, size_px, restart=device.restart))
    stack.callback(calm.close)
    return calm, calm.calm


def _device(camera: CameraSettings, size_px: tuple[int, int]) -> PiCamera | UsbCamera:
    match camera.kind:
        case "picamera2":
            return PiCamera(camera.index, size_px, camera.frames_per_s)
        case "usb":
            return UsbCamera(camera.index, *size_px, camera.frames_per_s)
        case kind:
            raise BadInputError(f"camera.kind is {kind!r}, which opens no camera; it should be picamera2 or usb")


def _files(camera: CameraSettings) -> FolderCamera | VideoCamera:
    if camera.kind == "folder":
        try:
            return FolderCamera(Path(camera.folder), camera.hold_s, camera.frames_per_s)
        except CameraLostError as error:
            raise BadInputError(f"camera.folder: {error}; name the folder with the photographs") from None
    try:
        return VideoCamera(Path(camera.clip), camera.frames_per_s)
    except CameraLostError as error:
        raise BadInputError(f"camera.clip: {error}; name a video file") from None
