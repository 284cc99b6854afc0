"""What the settings choose: the game that is dealt, where what happens is kept, and the settings themselves.

Settings that ran soundly are kept, and used again if their file can no longer be used. The file may have been damaged
by a power cut while it was written, or by a slip of whoever changed it; at a table without a keyboard, a game with the
settings of last time is better than none. On a terminal, without `--last-good`, a damaged file is refused.

If nobody has said what to do, a keeper chooses on the page /begin: see a drawn table play, set a real one up, or keep
score by hand. The companion then ends, and another one begins in its place at the same address, so that none of its
modes has to know of the others. The choice holds for the next start, too, unless it was the drawn table.
"""

from __future__ import annotations

import importlib.util
import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from companion.board import BadInputError, PlayerColor
from companion.commands import StartGame
from companion.games import GAMES, RULE_SETS, rule_set
from companion.games.contract import Player, RuleSet, unnamed
from companion.logbook import data_folder
from companion.settings import GameSettings, Settings, check_named, check_whole, for_log, load_settings
from companion.system.durable import write_whole

#: What people are told while the last good settings are in force: a code of TROUBLES.
DAMAGED = "settings"

#: Who plays at the drawn table.
MADE_UP = ("Ada", "Bo", "Cy", "Dee")

_log = logging.getLogger(__name__)


def kept_in(settings: Settings) -> Path | None:
    """Return where the data are kept; None for a drawn table, for which nothing is kept."""
    named = settings.logbook.folder
    is_drawn = settings.camera.kind == "virtual"
    return None if is_drawn and not named else data_folder(Path(named) if named else None)


def game_of(settings: Settings) -> StartGame:
    """Return the game that the button deals; raises BadInputError if rules, seats and house rules do not fit."""
    game = settings.game
    players = tuple(Player(name, color) for name, color in game.players)
    if settings.camera.kind == "virtual":
        players = tuple(
            each if each.is_named else replace(each, name=name) for each, name in zip(players, MADE_UP, strict=False)
        )
    # What is dealt does not matter yet: rules and seats must fit before anybody looks at the table.
    try:
        rules = rule_set(game.rules)
        rules.check(players, game.house_rules)
    except BadInputError as error:
        raise BadInputError(for_log(f"game: {error}", game.players)) from None
    return StartGame(players, game.rules, rules.in_force(game.house_rules))


def seated(game: GameSettings) -> GameSettings:
    """Return the game with a player for each of its seats if nobody is named; players named in a file all stay.

    The players go by their colours.
    """
    rules = RULE_SETS.get(game.rules)
    if rules is None or game.players not in (GameSettings().players, *map(_usual, RULE_SETS.values())):
        return game
    return replace(game, players=_usual(rules))


def _usual(rules: RuleSet) -> tuple[tuple[str, PlayerColor], ...]:
    """Return who plays by these rules if nobody is named: as usual, in the colours of the box."""
    default = GameSettings().players
    usual = tuple(color for _, color in default)
    colors = usual if set(usual) <= set(rules.colors) else rules.colors
    return tuple((unnamed(color).name, color) for _, color in zip(default, colors, strict=False))[: max(rules.seats)]


@dataclass(frozen=True, slots=True)
class ChosenSettings:
    """The settings in force, what people are warned about (codes of TROUBLES), and what to call once they ran soundly.

    `asks`: nothing says how to run.
    """

    settings: Settings
    warnings: tuple[str, ...] = ()
    keep: Callable[[], None] = lambda: None
    asks: bool = False


def choose_settings(
    path: Path | None, last_good: Path | None, changed: Callable[[Settings], Settings]
) -> ChosenSettings:
    """Return the file's settings as `changed` makes them; if they cannot be used, those kept in `last_good`.

    `changed` puts the command line's options in, and raises BadInputError if the settings do not go together. The error
    is raised again if `last_good` is None, or if neither it nor the copy before it can be used. What a power cut left
    of a file may still be valid settings: it counts as damaged if more was kept (`check_whole`).
    """
    if last_good is None:
        return ChosenSettings(changed(load_settings(path)))

    def usable(file: Path) -> Settings:
        settings = changed(load_settings(file))
        try:
            check_named(settings)
            game_of(settings)
        except BadInputError as error:
            raise BadInputError(f"{file}: {error}") from None
        return settings

    if path is None:
        raise BadInputError("--last-good goes with --settings, whose settings it keeps; name that file too")
    try:
        settings, text = usable(path), path.read_bytes()
        check_whole(path, last_good)
    except BadInputError as error:
        for copy in (last_good, before_last(last_good)):
            with suppress(BadInputError):
                kept = usable(copy)
                _log.warning("%s; the last good settings are in use: %s", error, copy)
                return ChosenSettings(kept, (DAMAGED,))
        raise
    return ChosenSettings(settings, keep=lambda: _keep(text, last_good))


def before_last(last_good: Path) -> Path:
    """Return where the settings are kept that were good before the last good ones."""
    return last_good.with_stem(f"{last_good.stem}.before")


def _keep(text: bytes, last_good: Path) -> None:
    """Keep these settings, whole or not at all, and those before; what is kept already is not written again."""
    try:
        is_known = last_good.is_file()
        if is_known and last_good.read_bytes() == text:
            return
        if is_known:
            write_whole(before_last(last_good), last_good.read_bytes())
        write_whole(last_good, text)
    except OSError as error:
        _log.warning("%s cannot be written (%s): these settings are not kept", last_good, error.strerror)


#: The file in the data folder that says what was chosen last.
FILE = "begin"

#: The tables there that were set up (companion.setup.store, which is slow to load).
_TABLES = "tables/[!.]*/table.json"

#: How long after the answer the companion ends: whoever has chosen must hear of it first.
ANSWERED_S = 0.3


class Way(StrEnum):
    """What to do."""

    DRAWN = "drawn"
    TABLE = "table"
    HAND = "hand"


class Beginning:
    """What is done now, and next. Any thread may call it.

    `now` is None while nobody has said what to do; `asks` says whether that may be, because neither the command line
    nor settings have. `settings` are those of what is done now, and `leave` ends it.
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
        """Do that next; False if it is being done already. Raises BadInputError for anything that does not exist."""
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
        """Whether something else was chosen; if so, that is what is done from now on, at the same ports."""
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
        """Where the data are, even while a drawn table keeps nothing there; None for nowhere."""
        named = self._first.logbook.folder
        with suppress(BadInputError):
            return data_folder(Path(named) if named else None)
        return None

    def _known(self) -> Way | None:
        """Return what to go on with: what was chosen last, else a table that was set up; None for nothing."""
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


#: What the settings' kinds of camera without a real table stand for.
_WAYS = {"virtual": Way.DRAWN, "none": Way.HAND}


def _game_of(rules: str) -> str:
    board = type(rule_set(rules).board)
    return next(game for game, box in GAMES.items() if isinstance(rule_set(box).board, board))


def _camera_here() -> str:
    """Return which kind of camera this machine has: a Pi's own if its library is there, else one on USB."""
    return "picamera2" if importlib.util.find_spec("picamera2") else "usb"
