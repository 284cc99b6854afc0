"""Between the set-up's page and the running companion: its pictures, its panel, and the table that is played on."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from calibration import TableFolder
from companion.board import Color, PlayerColor
from companion.setup.learning import LearntTable, learnt
from companion.setup.photos import Roll
from companion.setup.store import Store
from companion.setup.wizard import Use, Wizard
from hardware.camera import Frame
from hardware.cues import CUES
from hardware.panel import Panel
from vision.light.flatten import Image

#: The cues that show each colour of the status lamp, and a tune each.
TRIED = ("legal", "illegal", "unfinished")
_TURN = "turn-"
#: The folder of the tables, beside the logbook.
TABLES = "tables"
#: How long a turn lamp burns when it is tried, and how long after the page has asked a press is only counted.
TRIED_S, LISTENS_S = 2.0, 3.0


class Camera(Protocol):
    """Gives pictures; raises OSError if there is none in time."""

    def frame(self, timeout_s: float) -> Frame:
        """Return a new picture."""


class SharedCamera:
    """A camera whose newest picture others may look at. `frame` belongs to one thread, `newest` to any."""

    def __init__(self, camera: Camera) -> None:
        self._camera = camera
        self.newest: Image | None = None

    def frame(self, timeout_s: float) -> Frame:
        """Return the camera's next picture; raises OSError if there is none in time."""
        try:
            frame = self._camera.frame(timeout_s)
        except OSError:
            self.newest = None
            raise
        self.newest = frame.image
        return frame


class TableSetup:
    """Sets tables up for a companion. Its camera and panel are the companion's, while the companion has them open.

    `is_playing` says whether a game is in progress; `play_on` is asked to change from the present table to another one;
    `turn` says whose turn lamp should burn. `is_named`: the settings name the table, so it stays. `in_use` is the table
    that is played on, or will be once it is learnt. Its steps take the photographs of the `roll` if there is one, else
    the camera's. Any thread may call.
    """

    def __init__(
        self,
        folder: Path,
        is_playing: Callable[[], bool],
        play_on: Callable[[LearntTable], None],
        *,
        is_named: bool = False,
        turn: Callable[[], PlayerColor | None] = lambda: None,
        has_panel: bool = True,
        clock: Callable[[], float] = time.monotonic,
        roll: Roll | None = None,
    ) -> None:
        self.store = Store(folder / TABLES)
        self.wizard = Wizard(self.store, self.picture, self._use, lambda: self.in_use, roll=roll)
        self.camera: SharedCamera | None = None
        self.panel: Panel | None = None
        self.in_use: Path | None = None
        self.is_named = is_named
        self._is_playing, self._play_on = is_playing, play_on
        self._turn, self.has_panel, self._clock = turn, has_panel, clock
        self._presses, self._heard_s = 0, -LISTENS_S
        self._tried: threading.Timer | None = None

    def shared(self, camera: Camera) -> SharedCamera:
        """Return the camera; from now on the set-up's page shows its pictures as well."""
        self.camera = SharedCamera(camera)
        return self.camera

    def use_panel(self, panel: Panel, is_real: bool) -> None:
        """Try lamps and tunes on that panel from now on; `is_real`: its pins are not simulated."""
        self.panel, self.has_panel = panel, is_real

    @property
    def parts(self) -> tuple[str, ...]:
        """The cues and turn lamps that can be tried; none if the pins are only simulated."""
        return () if not self.has_panel else (*TRIED, *(f"{_TURN}{color}" for color in Color))

    def listen(self) -> int:
        """Return how often the button was pressed; a press within the next few seconds is a try, not part of a game."""
        self._heard_s = self._clock()
        return self._presses

    def pressed(self) -> bool:
        """Note that the button was pressed; return whether somebody was only trying it."""
        self._presses += 1
        return self._clock() - self._heard_s < LISTENS_S

    def show(self, part: str) -> None:
        """Play a cue, or light a turn lamp for a moment."""
        if self.panel is None:
            return
        if not part.startswith(_TURN):
            self.panel.play(CUES[part])
            return
        if self._tried is not None:
            self._tried.cancel()
        self.panel.show_turn(part.removeprefix(_TURN))
        self._tried = threading.Timer(TRIED_S, self.put_back)
        self._tried.daemon = True
        self._tried.start()

    def put_back(self) -> None:
        """Light the turn lamp that should burn."""
        if self.panel is not None:
            self.panel.show_turn(self._turn())

    def picture(self) -> Image | None:
        """Return the camera's newest picture; None if it gives none."""
        return None if self.camera is None else self.camera.newest

    def _use(self, path: Path) -> Use:
        """Play on that table: at once if nobody is playing; a game in progress is finished on its own table first.

        The new table is learnt first, which takes seconds; raises UnusableTableError if that is impossible.
        """
        if self.in_use is not None and path.resolve() == self.in_use.resolve():
            return Use.NOW
        table = learnt(TableFolder.open(path))
        if self.is_named:
            return Use.SETTINGS
        if self._is_playing():
            return Use.NEXT_START
        self.in_use = path
        self._play_on(table)
        return Use.NOW
