"""The settings -> the camera as the loop sees it, the table under it, and its picture with what was read in it.

If the table is a drawn one, there is a set-up for practice: the real steps, on drawn photographs of another table.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
import weakref
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from calibration import TableFolder
from companion.board import BadInputError, Color, Contents, Section, SquareBoard, Terrain, Tile
from companion.board.words import contents_to_words
from companion.commands import StartGame
from companion.doctor.devices import TableTest
from companion.games import rule_set
from companion.games.contract import Position
from companion.games.la_strada import LaStrada, LaStradaPosition
from companion.games.silk_road import SilkRoad, SilkRoadPosition
from companion.games.silk_road.position import made_up_sets
from companion.service import Service
from companion.session import State
from companion.settings import CameraSettings, Settings
from companion.setup import UnusableTableError
from companion.setup.store import Store
from companion.setup.table_setup import TABLES
from companion.setup.wizard import Use, Wizard
from companion.system.pictures import jpeg
from companion.web import Picture
from companion.wiring.drawn import DrawnTable
from hardware.camera import (
    CalmCamera,
    Camera,
    CameraLostError,
    FolderCamera,
    PiCamera,
    UsbCamera,
    VideoCamera,
    WatchedCamera,
)
from simulator import SilkRoadTable, VirtualTable, layout_showing, virtual_art, write_square_table, write_table
from vision.overlay import draw
from vision.reader import Reader
from vision.tiles.selftest import self_test

if TYPE_CHECKING:
    from vision.light.flatten import Image


#: What a camera is asked for while its table is set up: Camera Module 2's whole sensor, 2 x 2 pixels as one.
USUAL_PX = (1640, 1232)

#: The camera's picture on the scoreboard: wide enough to recognise a merchant, small enough for a phone's Wi-Fi.
PICTURE_WIDTH_PX, PICTURE_QUALITY = 1000, 80


def table_of(settings: Settings, store: Store) -> TableFolder | None:
    """Return the table that was set up, once its photographs are found: the settings' own, else the store's.

    None if none was set up yet. Raises BadInputError for a table, photographs or a clip that is not there,
    UnusableTableError if the store's table is damaged.
    """
    if settings.camera.kind in ("folder", "video"):
        _files(settings.camera).close()
    folder = _chosen(settings, store)
    if folder is None:
        return None
    try:
        table = TableFolder.open(folder)
        table.load_empty()
        table.load_teaches()
    except BadInputError as error:
        raise error if settings.table.folder else UnusableTableError(str(error)) from None
    return table


def _chosen(settings: Settings, store: Store | None) -> Path | None:
    """Return the folder of the settings' table, else of the one chosen last; None for none."""
    if settings.table.folder:
        return Path(settings.table.folder)
    stored = None if store is None else store.current
    return None if stored is None else stored.path


def can_be_drawn(settings: Settings, state: State) -> bool:
    """Whether the logbook's game can go on at the drawn table: whether its pieces can lie like that there."""
    if state.game is None or state.position is None:
        return True
    if state.position.over:
        return False  # drawn players clear the table after a game, and deal again
    match state.position:
        case LaStradaPosition(ground=ground):
            art = virtual_art(settings.table.seed, opposite=_opposite(state.game))
            return layout_showing(art, ground) is not None
        case SilkRoadPosition(sections=sections):
            return dict(sections) == _sets(state.game)
        case _:
            return False


def drawn_table(
    stack: ExitStack, settings: Settings, game: StartGame, people: DrawnTable, position: Position | None = None
) -> TableFolder:
    """Draw a table and let the people sit down at it; its folder is deleted when the stack is left.

    They play on from the position, if there is one.
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
    return TableFolder.open(folder)


def _opposite(game: StartGame) -> tuple[Color, Color] | None:
    """Return the colours of two who sit opposite each other; None if there are more."""
    rules = rule_set(game.rules)
    assert isinstance(rules, LaStrada)
    if rules.rules.seats != (2,):
        return None
    one, two = (Color(player.color) for player in game.players)
    return one, two


def _sets(game: StartGame) -> dict[str, tuple[Section, ...]]:
    """Return the sections of each player of Silk Road: drawn tables have the made-up set."""
    return dict(made_up_sets(player.color for player in game.players))


def opened_camera(
    stack: ExitStack, settings: Settings, size_px: tuple[int, int] | None
) -> tuple[Camera, Callable[[], None]]:
    """Open the camera, and return it with what is to be called while the table rests.

    Without a size, files keep their own, and a camera is asked for the usual one.
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


class CameraOverlay:
    """Draws the reading over the newest picture, only once however many ask. Any thread may call it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._newest: Picture | None = None

    def picture(self, service: Service) -> Picture | None:
        """Return the newest picture that was read as a JPEG, or None before the first."""
        with self._lock:
            sight = service.last_read
            if sight is None or sight.view is None:  # before the first picture, and where there is no camera
                return self._newest
            if self._newest is None or self._newest.number != sight.number:
                drawn = draw(sight.image, sight.view, sight.reading)
                self._newest = Picture(jpeg(drawn, PICTURE_QUALITY, PICTURE_WIDTH_PX), sight.number)
            return self._newest


def table_test(settings: Settings, folder: Path | None) -> TableTest | None:
    """Return the self-test of the settings' table, else of the one chosen last in the logbook's folder; None for none.

    Raises BadInputError if it cannot be learnt.
    """
    path = _chosen(settings, None if folder is None else Store(folder / TABLES))
    if path is None:
        return None
    table = TableFolder.open(path)
    if isinstance(table.setup.board, SquareBoard):
        return TableTest(str(path), is_square=True)
    taught = Reader.of(table).taught
    tested = self_test(taught)
    return TableTest(
        str(path),
        alike=tuple((_words(confusion.one), _words(confusion.other)) for confusion in tested.confusions),
        missing=tuple(map(_words, tested.missing)),
        under_cubes=tuple(map(_words, tested.under_cubes)),
        photograph=tuple((_words(tile), number) for tile, number in tested.photograph),
        veiled=() if taught.lamp is None else tuple(map(str, taught.lamp.veiled)),
    )


def _words(tile: Tile | Terrain) -> str:
    return tile.value if isinstance(tile, Terrain) else contents_to_words(Contents(tile))


class Practice:
    """A set-up for practice: its table is deleted when the companion ends. Any thread may call it.

    The camera first looks at an empty board; once that was found, at one with pieces that teach, photograph by
    photograph. The table is printed from another seed than the one that is played at. `forget` deletes it at once.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed + 1
        place = Path(tempfile.mkdtemp(prefix="strada-practice-"))
        self.forget = weakref.finalize(self, shutil.rmtree, place, ignore_errors=True)
        self.wizard = Wizard(Store(place), self._picture, lambda path: Use.PRACTICE, lambda: place, is_fixed=False)
        self._lock = threading.Lock()
        self._drawn: dict[bool, tuple[Image, ...]] = {}

    def _picture(self) -> Image:
        now = self.wizard.now
        is_square = isinstance(now.board, SquareBoard)
        with self._lock:  # whoever comes meanwhile waits for the same drawing
            if is_square not in self._drawn:
                self._drawn[is_square] = _square(self._seed) if is_square else _hexagonal(self._seed)
        empty, *shown = self._drawn[is_square]
        return empty if now.draft is None else shown[min(len(now.draft.lessons), len(shown) - 1)]


# Drawing is loaded only once somebody looks.
# ruff: noqa: PLC0415
def _hexagonal(seed: int) -> tuple[Image, ...]:
    from simulator.setup import made_setup, virtual_camera

    setup = made_setup(virtual_camera(seed), seed)
    return tuple(map(setup.camera.picture, (setup.empty, setup.teach)))


def _square(seed: int) -> tuple[Image, ...]:
    from simulator.square_camera import square_camera, square_setup

    camera = square_camera(seed)
    setup = square_setup(camera, seed)
    return tuple(map(camera.picture, (setup.empty, *setup.teach)))
