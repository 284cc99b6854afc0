"""The logbook as the pages read it: through connections of its own, keeping for a while what is slow to read.

Only a few requests at a time may look up games: each takes a tenth of a second, and the scoreboard goes first.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from flask import Flask, abort, g, request
from werkzeug.exceptions import ServiceUnavailable

from companion.board import BadInputError
from companion.logbook.archive import Archive, LoggedGame, Story, opened_archive, story_of
from companion.logbook.backup import packed
from companion.logbook.opening import FILE
from companion.logbook.rows import DamagedError
from companion.logbook.statistics import best_together
from companion.scoreboard import Snapshot
from companion.web.languages import _

#: How the number of a game or an event is written in a route. SQLite allows 19 digits, but these never get that long.
NUMBER = "int(min=1, max=999999999999)"

#: The place of the drawn table: nobody played its games, and nobody is in its pictures.
DRAWN = ""

#: How many stories are kept: a game is viewed step by step, perhaps by several people.
KEPT = 4


class Shelf:
    """Opens the logbook for a page. `folder` is where it is, None until there is one. Any thread may call it.

    If something is missing or cannot be read, the request ends with a 404 and a sentence.
    """

    def __init__(self, folder: Callable[[], Path | None]) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._stories: OrderedDict[tuple[object, ...], Story] = OrderedDict()

    @property
    def is_empty(self) -> bool:
        """Whether there is no logbook because nothing has been played here yet."""
        folder = self._folder()
        return folder is not None and not (folder / FILE).exists()

    @property
    def is_unknown(self) -> bool:
        """Whether the logbook's place is not known yet because the companion is still getting ready."""
        folder = self._folder()
        return folder is None or not folder.is_dir()

    @contextmanager
    def opened(self) -> Iterator[Archive]:
        """Yield the archive."""
        folder = self._folder()
        if folder is None or not folder.is_dir():
            abort(404, _("Strada is getting ready. You can look up games in a moment."))
        try:
            with opened_archive(folder) as archive:
                yield archive
        except DamagedError:
            abort(404, _("This part of the logbook is damaged and cannot be shown."))
        except BadInputError:
            abort(404, _("The logbook cannot be read just now."))

    def packed(self, stack: ExitStack) -> Iterator[bytes]:
        """Return the whole logbook as a ZIP, in chunks, which must be taken before the stack is left."""
        with self.opened():
            folder = self._folder()
        assert folder is not None
        try:
            return stack.enter_context(packed(folder))
        except (BadInputError, OSError):
            abort(404, _("The logbook cannot be read just now."))

    def game(self, archive: Archive, number: int) -> LoggedGame:
        """Return the game with that number."""
        try:
            return archive.game(str(number))
        except DamagedError:
            raise
        except BadInputError:
            abort(404, _("There is no game %(number)s in the logbook.", number=number))

    @contextmanager
    def told(self, number: int) -> Iterator[tuple[Archive, LoggedGame, Story]]:
        """Yield the archive, the game with that number, and its steps, of which there is at least one."""
        with self.opened() as archive:
            game = self.game(archive, number)
            yield archive, game, self._story(archive, game)

    def _story(self, archive: Archive, game: LoggedGame) -> Story:
        folder = self._folder() or Path()
        key = folder, game.number, game.began, archive.newest_event(game.number), archive.people.newest
        with self._lock:
            kept = self._stories.get(key)
            if kept is None:  # when a game ends, everybody asks for it at once, so it is read only once
                kept = self._stories[key] = story_of(archive, game.number)
                while len(self._stories) > KEPT:
                    self._stories.popitem(last=False)
        if not kept.steps:
            abort(404, _("This part of the logbook is damaged and cannot be shown."))
        return kept


class BestTogether:
    """The best total that those at the table had together in earlier games, looked up once per game.

    `folder` is the logbook's, None until there is one. The game at the table, which is the newest in the logbook, does
    not count: it is the one being compared. Any thread may call it.
    """

    def __init__(self, folder: Callable[[], Path | None]) -> None:
        self._folder = folder
        self._known: tuple[object, int | None] = (None, None)

    def __call__(self, snapshot: Snapshot) -> int | None:
        """Return the best total; None if each plays alone, nobody said who plays, or it is their first game."""
        if snapshot.together is None or not all(player.is_named for player in snapshot.players):
            return None
        players = tuple(player.name for player in snapshot.players)
        asked = (players, snapshot.phase, not snapshot.changed)  # a new game has not changed anything yet
        known, best = self._known
        if known != asked:
            best = self._looked_up(players)
            self._known = (asked, best)
        return best

    def _looked_up(self, players: tuple[str, ...]) -> int | None:
        folder = self._folder()
        if folder is None or not folder.is_dir():
            return None
        try:
            with opened_archive(folder) as archive:
                *earlier, last = archive.games() or (None,)
        except BadInputError:  # no logbook yet, or one that cannot be read
            return None
        return None if last is None else best_together([game for game in earlier if game], last.rules, players)


#: How many requests work at a time, how many more may wait for their turn, and how long each may wait.
AT_WORK, WAITING, PATIENCE_S = 2, 4, 3.0

#: After this long, a page that was turned away reloads by itself.
AGAIN_S = 2

#: The pages that look up games.
PATHS = ("/games", "/statistics", "/rulings")


class Turnstile:
    """Lets a few requests through at a time. Any thread may call it."""

    def __init__(self, at_work: int = AT_WORK, waiting: int = WAITING, patience_s: float = PATIENCE_S) -> None:
        self._places = threading.Semaphore(at_work)
        self._inside = threading.Semaphore(at_work + waiting)
        self._patience_s = patience_s

    def enter(self) -> bool:
        """Wait for a place and return whether there is one; False at once if too many are waiting already."""
        if not self._inside.acquire(blocking=False):
            return False
        if self._places.acquire(timeout=self._patience_s):
            return True
        self._inside.release()
        return False

    def leave(self) -> None:
        """Give the place back."""
        self._places.release()
        self._inside.release()


def add_turnstile(app: Flask) -> None:
    """Let only a few pages look up games at a time. Those that are too many are told when to come again."""
    gate = Turnstile()

    @app.before_request
    def enter() -> None:
        if request.path.startswith(PATHS):
            if not gate.enter():
                sentence = _("Too many people are looking up games. Try again in a moment.")
                raise ServiceUnavailable(sentence, retry_after=AGAIN_S)
            g.is_through_turnstile = True

    @app.teardown_request
    def leave(error: BaseException | None = None) -> None:
        if g.pop("is_through_turnstile", False):
            gate.leave()
