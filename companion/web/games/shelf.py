"""The logbook as the pages read it: through connections of its own, and with what is dear to read kept for a while.

So many at a time may look up games: that takes a tenth of a second each, and the scoreboard goes first.
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

#: How a number of a game or of an event stands in a route: SQLite's own have 19 digits, ours never so many.
NUMBER = "int(min=1, max=999999999999)"

#: The place of the drawn table: nobody played its games, and nobody is in its pictures.
DRAWN = ""

#: So many stories are kept: a game is looked at step by step, by several people perhaps.
KEPT = 4


class Shelf:
    """Opens the logbook for a page; `folder` is where it lies, None until there is one. Any thread may call it.

    What is not there, or cannot be read, ends the request: 404 with a sentence.
    """

    def __init__(self, folder: Callable[[], Path | None]) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._stories: OrderedDict[tuple[object, ...], Story] = OrderedDict()

    @property
    def is_empty(self) -> bool:
        """Whether there is no logbook, as nothing was played here yet."""
        folder = self._folder()
        return folder is not None and not (folder / FILE).exists()

    @property
    def is_unknown(self) -> bool:
        """Whether it is not known yet where the logbook is, as the companion gets ready."""
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
        """Return the whole logbook as a ZIP, in chunks, to be taken before the stack is left."""
        with self.opened():
            folder = self._folder()
        assert folder is not None
        try:
            return stack.enter_context(packed(folder))
        except (BadInputError, OSError):
            abort(404, _("The logbook cannot be read just now."))

    def game(self, archive: Archive, number: int) -> LoggedGame:
        """Return the game of that number."""
        try:
            return archive.game(str(number))
        except DamagedError:
            raise
        except BadInputError:
            abort(404, _("There is no game %(number)s in the logbook.", number=number))

    @contextmanager
    def told(self, number: int) -> Iterator[tuple[Archive, LoggedGame, Story]]:
        """Yield the archive, the game of that number, and its steps; there is at least one."""
        with self.opened() as archive:
            game = self.game(archive, number)
            yield archive, game, self._story(archive, game)

    def _story(self, archive: Archive, game: LoggedGame) -> Story:
        folder = self._folder() or Path()
        key = folder, game.number, game.began, archive.newest_event(game.number), archive.people.newest
        with self._lock:
            kept = self._stories.get(key)
            if kept is None:  # as a game ends everybody asks for it at once: it is told once
                kept = self._stories[key] = story_of(archive, game.number)
                while len(self._stories) > KEPT:
                    self._stories.popitem(last=False)
        if not kept.steps:
            abort(404, _("This part of the logbook is damaged and cannot be shown."))
        return kept


class BestTogether:
    """The best total that those at the table had together in earlier games, looked up once for a game.

    `folder` is the logbook's, None until there is one. The game at the table, which is the newest of the logbook, does
    not count: it is what is compared. Any thread may call it.
    """

    def __init__(self, folder: Callable[[], Path | None]) -> None:
        self._folder = folder
        self._known: tuple[object, int | None] = (None, None)

    def __call__(self, snapshot: Snapshot) -> int | None:
        """Return the best total; None where each plays alone, nobody said who plays, or it is their first game."""
        if snapshot.together is None or not all(player.is_named for player in snapshot.players):
            return None
        players = tuple(player.name for player in snapshot.players)
        asked = (players, snapshot.phase, not snapshot.changed)  # a new game has changed nothing yet
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


#: So many requests are at work at a time, and so many more wait for their turn, each so long at most.
AT_WORK, WAITING, PATIENCE_S = 2, 4, 3.0

#: After so long a page that was turned away comes again by itself.
AGAIN_S = 2

#: Where games are looked up.
PATHS = ("/games", "/statistics", "/rulings")


class Turnstile:
    """Lets so many through at a time. Any thread may call it."""

    def __init__(self, at_work: int = AT_WORK, waiting: int = WAITING, patience_s: float = PATIENCE_S) -> None:
        self._places = threading.Semaphore(at_work)
        self._inside = threading.Semaphore(at_work + waiting)
        self._patience_s = patience_s

    def enter(self) -> bool:
        """Wait for a place, and tell whether there is one; False at once where too many wait already."""
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
    """Let pages that look up games through one by one; who is too many is told when to come again."""
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
