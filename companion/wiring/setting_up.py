"""Between the set-up's page and the running companion: its pictures, its panel, and the table that is played on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from calibration import TableFolder
from companion.board import Color
from companion.service import Camera
from companion.service.parts import Frame
from companion.settings import Settings
from companion.setup.store import Store
from companion.setup.wizard import Use, Wizard
from hardware.cues import CUES
from hardware.panel import Panel
from vision.flatten import Image

#: The cues that show each colour of the status lamp, and a tune each.
TRIED = ("legal", "illegal", "unfinished")
_TURN = "turn-"
#: The folder of the tables, beside the logbook.
TABLES = "tables"


class Glimpsed:
    """A camera whose newest picture others may look at. `frame` belongs to one thread, `newest` to any."""

    def __init__(self, camera: Camera) -> None:
        self._camera = camera
        self.newest: Image | None = None

    def frame(self, timeout_s: float) -> Frame:
        """Return the camera's next picture; raises OSError where there is none in time."""
        try:
            frame = self._camera.frame(timeout_s)
        except OSError:
            self.newest = None
            raise
        self.newest = frame.image
        return frame


class SettingUp:
    """Sets tables up for a companion. Its camera and panel are the companion's, while it has them open.

    `is_playing` says whether a game is going on; `play_on` is asked to leave the present table for another one. Any
    thread may call.
    """

    def __init__(
        self,
        settings: Settings,
        folder: Path,
        is_playing: Callable[[], bool],
        play_on: Callable[[TableFolder], None],
    ) -> None:
        self.store = Store(folder / TABLES)
        self.wizard = Wizard(self.store, self._picture, self._use, lambda: self.in_use)
        self.camera: Glimpsed | None = None
        self.panel: Panel | None = None
        self.in_use: Path | None = None
        self._named = bool(settings.table.folder)
        self._is_playing, self._play_on = is_playing, play_on
        self._presses = 0

    def glimpsed(self, camera: Camera) -> Camera:
        """Return the camera, its pictures from now on shown on the set-up's page as well."""
        self.camera = Glimpsed(camera)
        return self.camera

    @property
    def parts(self) -> tuple[str, ...]:
        """The cues and turn lamps that can be tried."""
        return (*TRIED, *(f"{_TURN}{color}" for color in Color))

    @property
    def presses(self) -> int:
        """How often the button was pressed."""
        return self._presses

    def pressed(self) -> None:
        """Note that the button was pressed."""
        self._presses += 1

    def show(self, part: str) -> None:
        """Play a cue, or light a turn lamp."""
        if self.panel is None:
            return
        if part.startswith(_TURN):
            self.panel.show_turn(part.removeprefix(_TURN))
        else:
            self.panel.play(CUES[part])

    def _picture(self) -> Image | None:
        return None if self.camera is None else self.camera.newest

    def _use(self, path: Path) -> Use:
        """Play on that table: at once where nobody plays; a game that is going on is played to its end on its own."""
        if self._named:
            return Use.SETTINGS
        if self.in_use is not None and path.resolve() == self.in_use.resolve():
            return Use.NOW
        if self._is_playing():
            return Use.NEXT_START
        self._play_on(TableFolder.open(path))
        return Use.NOW
