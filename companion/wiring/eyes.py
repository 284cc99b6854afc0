"""The camera's settings -> the camera as the loop sees it, and the table that it looks at."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from calibration.table import TableFolder
from companion.board import BadInputError
from companion.commands import StartGame
from companion.games import rule_set
from companion.games.la_strada import LaStrada
from companion.service import Camera
from companion.settings import CameraSettings, Settings
from companion.virtual_table import VirtualTable, write_table
from companion.wiring.drawn import DrawnTable
from hardware.camera import (
    CalmCamera,
    CameraLostError,
    FolderCamera,
    PiCamera,
    UsbCamera,
    VideoCamera,
    WatchedCamera,
)


@dataclass(frozen=True, slots=True)
class Eyes:
    """A camera over a table; `calm` is to be called while the table rests."""

    camera: Camera
    table: TableFolder
    calm: Callable[[], None]


def table_of(settings: Settings) -> TableFolder | None:
    """Return the table that was set up, its photographs looked for; None for the drawn one.

    Raises BadInputError for a table, photographs or a clip that is not there.
    """
    if settings.camera.kind == "virtual":
        return None
    table = TableFolder.open(Path(settings.table.folder))
    table.load_empty()
    table.load_teach()
    if settings.camera.kind in ("folder", "video"):
        _files(settings.camera).close()
    return table


def drawn_eyes(stack: ExitStack, settings: Settings, game: StartGame, people: DrawnTable) -> Eyes:
    """Draw a table and let the people sit down at it; its folder is gone once the stack is left."""
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="strada-")))
    rules, seed = rule_set(game.rules), settings.table.seed
    assert isinstance(rules, LaStrada)
    pair = [player.color for player in game.players] if rules.rules.seats == (2,) else None
    drawn = write_table(folder, seed, opposite=(pair[0], pair[1]) if pair else None)
    people.attach(VirtualTable(drawn.camera, seed, game.players, rules=rules, on_press=people.pressed))
    return Eyes(people, TableFolder.open(folder), lambda: None)


def opened_eyes(stack: ExitStack, settings: Settings, table: TableFolder) -> Eyes:
    """Open the camera over a table that was set up; it is closed once the stack is left."""
    camera, size_px = settings.camera, table.setup.size_px
    if camera.kind in ("folder", "video"):
        files = WatchedCamera(_files(camera), size_px, is_live=False)
        stack.callback(files.close)
        return Eyes(files, table, lambda: None)
    device = (
        PiCamera(camera.index, size_px, camera.frames_per_s)
        if camera.kind == "picamera2"
        else UsbCamera(camera.index, *size_px, camera.frames_per_s)
    )
    calm = CalmCamera(WatchedCamera(device, size_px, restart=device.restart))
    stack.callback(calm.close)
    return Eyes(calm, table, calm.calm)


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
