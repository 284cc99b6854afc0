"""What to do, where nobody has said so: see a drawn table play, set a real one up, or keep score by hand.

A keeper chooses on the page /begin. The companion then ends, and another one begins in its place at the same address:
none of its modes has to know of the others. What was chosen holds for the next start too, but for the drawn table.
"""

from __future__ import annotations

import importlib.util
import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

from companion.board import BadInputError
from companion.games import GAMES, rule_set
from companion.logbook import data_folder
from companion.settings import Settings
from companion.system.durable import write_whole
from companion.wiring.choices import seated

#: The file among the data that says what was chosen last.
FILE = "begin"

#: The tables there that were set up (companion.setup.store, which takes its time to load).
_TABLES = "tables/[!.]*/table.json"

#: So long after the answer the companion ends: whoever has chosen is told before.
ANSWERED_S = 0.3

_log = logging.getLogger(__name__)


class Way(StrEnum):
    """What to do."""

    DRAWN = "drawn"
    TABLE = "table"
    HAND = "hand"


class Beginning:
    """What is done now, and next. Any thread may call it.

    `now` is None while nobody has said what to do: `asks` says whether that may be, as neither the command line nor
    settings have. `settings` are those of what is done now. `leave` ends what is done now.
    """

    def __init__(self, settings: Settings, asks: bool = False) -> None:
        self._first, self._asks, self._lock = settings, asks, threading.Lock()
        self._next: tuple[Way, Settings] | None = None
        self.leave: Callable[[], object] = lambda: None
        self.settings, self.now = settings, None if asks else _WAYS.get(settings.camera.kind, Way.TABLE)
        if asks and (known := self._known()) is not None:
            self.now, self.settings = known, self._settings_for(known)

    @property
    def is_open(self) -> bool:
        """Whether a keeper may choose: nobody named a table, and nobody chose a mode without a real one."""
        return self._asks or (self._first.camera.kind not in _WAYS and not self._first.table.folder)

    @property
    def game(self) -> str:
        """Which game is played, by its name in GAMES."""
        return _game_of(self.settings.game.rules)

    @property
    def goes_on(self) -> bool:
        """Whether something else was chosen, which begins once what is done now has ended."""
        return self._next is not None

    def choose(self, what: str, game: str = "") -> bool:
        """Do that next; False where it is done already. Raises BadInputError for what there is not."""
        ways = {str(way): way for way in Way}
        if what not in ways:
            raise BadInputError(f"what is {what!r:.40}; it should be one of {', '.join(ways)}")
        if game and game not in GAMES:
            raise BadInputError(f"game is {game!r:.40}; it should be one of {', '.join(GAMES)}")
        way = ways[what]
        settings = self._settings_for(way, game)
        with self._lock:
            if way is self.now and replace(settings, web=self.settings.web) == self.settings:
                return False
            self._next = way, settings
        leaving = threading.Timer(ANSWERED_S, self.leave)
        leaving.daemon = True
        leaving.start()
        return True

    def go_on(self, port: int, encrypted_port: int | None) -> bool:
        """Whether something else was chosen; then that is done now, at the same ports."""
        with self._lock:
            if self._next is None:
                return False
            (self.now, settings), self._next = self._next, None
            web = replace(settings.web, port=port, https_port=encrypted_port or settings.web.https_port)
            self.settings = replace(settings, web=web)
        if self.now is not Way.DRAWN and self._asks:
            self._keep(self.now)
        return True

    def _settings_for(self, way: Way, game: str = "") -> Settings:
        first, camera, logbook = self._first, self._first.camera, self._first.logbook
        match way:
            case Way.DRAWN:
                camera, logbook = replace(camera, kind="virtual"), replace(logbook, folder="")
            case Way.HAND:
                camera = replace(camera, kind="none")
            case Way.TABLE:
                camera = replace(camera, kind=_camera_here() if camera.kind in _WAYS else camera.kind)
        dealt = first.game
        if way is not Way.TABLE and game not in ("", _game_of(dealt.rules)):  # on a real table its board says which
            dealt = seated(replace(dealt, rules=GAMES[game]))
        return replace(first, camera=camera, logbook=logbook, game=dealt)

    @property
    def folder(self) -> Path | None:
        """Where the data are, also while a drawn table keeps nothing there; None for nowhere."""
        named = self._first.logbook.folder
        with suppress(BadInputError):
            return data_folder(Path(named) if named else None)
        return None

    def _known(self) -> Way | None:
        """Return what goes on where it was: a table that was set up, else what was chosen last; None for nothing."""
        folder = self.folder
        if folder is None:
            return None
        try:
            kept = (folder / FILE).read_text("ascii").strip()
        except (OSError, ValueError):
            kept = ""
        if kept == Way.HAND:
            return Way.HAND
        return Way.TABLE if kept == Way.TABLE or any(folder.glob(_TABLES)) else None

    def _keep(self, way: Way) -> None:
        folder = self.folder
        try:
            if folder is not None:
                folder.mkdir(parents=True, exist_ok=True)
                write_whole(folder / FILE, f"{way}\n".encode())
        except OSError as error:
            _log.warning("what was chosen cannot be kept (%s): the next start asks again", error.strerror)


#: What the settings' cameras without a real table are.
_WAYS = {"virtual": Way.DRAWN, "none": Way.HAND}


def _game_of(rules: str) -> str:
    board = type(rule_set(rules).board)
    return next(game for game, box in GAMES.items() if isinstance(rule_set(box).board, board))


def _camera_here() -> str:
    """Return which kind of camera this machine has: a Pi's own, where its library is there, else one at USB."""
    return "picamera2" if importlib.util.find_spec("picamera2") else "usb"
