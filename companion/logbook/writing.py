"""`Logbook`: what happens is on the disk before people are told of it."""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from companion.board import BadInputError, NotNowError
from companion.events import Event, Loss
from companion.logbook.book import Book, Resumed
from companion.logbook.folder import Sight, Trouble, code_of
from companion.logbook.ledger import Entry, Written, written_at
from companion.logbook.opening import Opened, open_to_write
from companion.logbook.people import Note
from companion.session import State

#: How long an announcement waits for the disk. After that, people are told before it is written down, and are told so.
WAIT_S = 2.0

#: How often the writer shows that it is alive, and retries what could not be written.
BEAT_S, RETRY_S = 1.0, 2.0

#: How many pictures wait while nothing can be written; of older entries, only the events do.
WAITING_PICTURES = 8

#: An entry that fails this often for a reason other than the disk is given up, or it would hold up all that follow.
MOST_FAILURES = 3

#: How long somebody waits for a game to be deleted, or for a note about a person to be written down.
FORGET_S = 10.0

#: How often to look for pictures that are older than they should be kept. One game's are deleted at a time: if a clock
#: without a battery is a century ahead for a minute, no more than that is lost.
OUTWORN_S = 3600.0

#: The pictures' budget: 1 GiB, some two thousand verdicts.
PICTURE_BYTES = 1024**3

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Waiting:
    entry: Entry
    sight: Sight | None
    tried: threading.Event = field(default_factory=threading.Event)
    failures: int = 0


@dataclass(eq=False, slots=True)
class _Asked:
    """What somebody wants of the open logbook and waits for, and what came of it."""

    do: Callable[[], None]
    done: threading.Event = field(default_factory=threading.Event)
    error: Exception | None = None


class Logbook:
    """Writes down what happens, in `folder`. `record` and `close` belong to one thread, `trouble` may be read by any.

    A thread of its own holds the one connection that writes. Raises BadInputError if another companion writes in that
    folder, or if its file is not ours or is of a newer version. Anything else wrong with the disk is `trouble`, and the
    game goes on in memory until it can be written down, in order.

    `table` names the table that games are played at. `encode` makes a picture's JPEG (companion.system.pictures);
    without it, or with `picture_bytes` 0, no pictures are kept. Those of games that ended over `picture_days` ago are
    deleted (0: never). `beat` is called by the writer about once a second, for a watchdog; `progress` whenever the
    repair of a damaged file, which may take minutes, makes progress. `open_file` is for tests.
    """

    def __init__(
        self,
        folder: Path,
        table: str = "",
        *,
        encode: Callable[[Any], bytes] | None = None,
        picture_bytes: int = PICTURE_BYTES,
        picture_days: int = 0,
        beat: Callable[[], object] = lambda: None,
        wait_s: float = WAIT_S,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        progress: Callable[[], object] = lambda: None,
        open_file: Callable[[Path, bool], Opened] | None = None,
    ) -> None:
        open_file = open_file or partial(open_to_write, step=progress)
        self._book = Book(folder, table, encode, picture_bytes, open_file)
        self._clock, self._beat, self._wait_s = clock, beat, wait_s
        self._kept_for, self._looked_s = timedelta(days=picture_days), -OUTWORN_S
        #: What keeps the logbook from being written; None if everything is written down.
        self.trouble: Trouble | None = None
        self._resumed = self._begun()
        self._backlog: deque[_Waiting] = deque()
        self._asked: deque[_Asked] = deque()
        self._changed = threading.Condition()
        self._has_arrived = self._is_blocked = self._is_closing = False
        self._thread = threading.Thread(target=self._run, name="logbook", daemon=True)
        self._thread.start()

    @property
    def note(self) -> Loss | None:
        """What was lost or repaired when the logbook was last opened; None for nothing."""
        return self._book.note

    def resume(self) -> Resumed | None:
        """Return the point where the newest game goes on, even one that is over; None if there is none."""
        return self._resumed

    def record(self, events: Sequence[Event], state: State, sight: Sight | None = None, who: str = "") -> None:
        """Write down what happened and the state that it led to; returns once it is on the disk.

        Call it before anybody is told of the events. Without events it does not wait. After `wait_s`, or if writing
        fails, it returns all the same, and `trouble` says why. `sight` is the picture that was judged; it is kept
        if it belongs to a verdict or to a decision, and must not change afterwards.
        """
        at = written_at(self._clock())
        waiting = _Waiting(Entry(tuple(events), state, at, who), sight)
        with self._changed:
            self._backlog.append(waiting)
            for old in list(self._backlog)[:-WAITING_PICTURES]:
                old.sight = None
            self._has_arrived = True
            self._changed.notify()
        if events and not waiting.tried.wait(self._wait_s):
            with self._changed:
                if not waiting.tried.is_set():
                    self.trouble = Trouble("slow")

    def forget(self, game: int, *, pictures_only: bool = False) -> None:
        """Delete a game with its pictures, or only the pictures; any thread may call it, and waits until it is done.

        Raises BadInputError for a game that is not there, or is the newest; NotNowError if it cannot be done now.
        """
        self._wait_for(
            _Asked(lambda: self._forget(game, pictures_only)),
            NotNowError(f"game {game} is not deleted, as the logbook is busy; try again in a minute", "not-deleted"),
            NotNowError(f"game {game} is still being deleted; look again in a minute", "still-deleting"),
        )

    def note_of_people(self, note: Note, who: str = "") -> None:
        """Write down a note about a person, of no game; any thread may call it, and waits until it is done.

        Raises NotNowError if it cannot be done now.
        """
        busy = NotNowError("nothing is written down, as the logbook is busy; try again in a minute", "not-noted")
        self._wait_for(_Asked(lambda: self._note(note, who)), busy, busy)

    def _wait_for(self, asked: _Asked, busy: NotNowError, begun: NotNowError) -> None:
        """Wait until the writer has done it; raises `busy` if it has not begun in time, `begun` if it has."""
        with self._changed:
            self._asked.append(asked)
            self._changed.notify()
        if not asked.done.wait(FORGET_S):
            with self._changed:
                if is_waiting := asked in self._asked:
                    self._asked.remove(asked)
            if is_waiting:
                raise busy
            if not asked.done.wait(FORGET_S):
                raise begun
        if asked.error is not None:
            raise asked.error

    def close(self, timeout_s: float = 1.5) -> None:
        """Write what waits, and close; anything not written by then is lost, and logged."""
        with self._changed:
            self._is_closing = True
            self._changed.notify()
        self._thread.join(timeout_s)

    def __enter__(self) -> Logbook:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _begun(self) -> Resumed | None:
        try:
            return self._book.resume()
        except (sqlite3.Error, OSError) as error:
            _log.warning("the logbook cannot be opened: %s", error)
            self.trouble = Trouble(code_of(error))
            return self._book.resume_from_copy()
        except BaseException:
            self._book.release()
            raise

    def _run(self) -> None:
        """Write entry after entry until `close`, then whatever is left, as far as possible."""
        try:
            while True:
                waiting, is_closing = self._next()
                self._beat()
                if waiting is not None and self._settled(waiting):
                    continue
                if is_closing:
                    break
                if waiting is None:
                    self._tidy()
        finally:
            self._book.release()
            if self._backlog:
                _log.error("%d entries of the logbook could not be written", len(self._backlog))

    def _next(self) -> tuple[_Waiting | None, bool]:
        """Return the oldest entry that waits, and whether to end; while writing fails, only now and then."""
        with self._changed:
            if self._is_blocked and self._backlog:
                self._changed.wait_for(lambda: self._has_arrived or self._is_closing, RETRY_S)
            else:
                self._changed.wait_for(lambda: self._backlog or self._asked or self._is_closing, BEAT_S)
            self._has_arrived = False
            return (self._backlog[0] if self._backlog else None), self._is_closing

    def _settled(self, waiting: _Waiting) -> bool:
        """Write one entry and its picture; False if it is to be tried again."""
        try:
            written = self._write(waiting)
        except Exception as error:  # whatever the disk does, the game goes on and people are told
            is_odd = not isinstance(error, sqlite3.OperationalError | OSError)
            trouble = Trouble(code_of(error))
            if self.trouble != trouble:
                _log.warning("the logbook could not be written: %s", error, exc_info=is_odd)
            waiting.failures += is_odd
            is_given_up = waiting.failures >= MOST_FAILURES
            self._let_go(trouble, is_done=is_given_up, everybody=True)
            return is_given_up
        self._let_go(None, is_done=True)
        if waiting.sight is not None and written is not None:
            self._keep(waiting, written)
        return True

    def _write(self, waiting: _Waiting) -> Written | None:
        try:
            return self._book.write(waiting.entry)
        except (sqlite3.Error, OSError) as error:
            if code_of(error) != "full" or not self._book.make_way():
                raise
        return self._book.write(waiting.entry)

    def _let_go(self, trouble: Trouble | None, *, is_done: bool, everybody: bool = False) -> None:
        """Let those who wait for the oldest entry go on, or those who wait for any of them."""
        with self._changed:
            self.trouble, self._is_blocked = trouble, not is_done
            for waiting in self._backlog if everybody else (self._backlog[0],):
                waiting.tried.set()
            if is_done:
                self._backlog.popleft()

    def _keep(self, waiting: _Waiting, written: Written) -> None:
        assert waiting.sight is not None
        try:
            if not self._book.write_picture(waiting.entry, written, waiting.sight):
                self.trouble = Trouble("pictures")
        except Exception as error:
            is_odd = not isinstance(error, sqlite3.OperationalError | OSError)
            _log.warning("a picture could not be kept: %s", error, exc_info=is_odd)
            self.trouble = Trouble("pictures")

    def _tidy(self) -> None:
        with self._changed:
            asked = self._asked.popleft() if self._asked else None
        if asked is not None:
            try:
                asked.do()
            except BadInputError as error:
                asked.error = error
            asked.done.set()
        try:
            self._book.tidy()
            if self._kept_for and time.monotonic() - self._looked_s >= OUTWORN_S:
                self._looked_s = time.monotonic()
                self._book.forget_outworn(written_at(self._clock() - self._kept_for))
        except (sqlite3.Error, OSError, NotNowError, OverflowError) as error:
            _log.info("the logbook was not tidied: %s", error)

    def _forget(self, game: int, pictures_only: bool) -> None:
        try:
            self._book.forget(game, pictures_only=pictures_only)
        except BadInputError:
            raise
        except Exception as error:
            _log.warning("game %d was not deleted: %s", game, error)
            raise NotNowError(
                f"game {game} is not wholly deleted ({error}); try again in a minute", "not-deleted"
            ) from None

    def _note(self, note: Note, who: str) -> None:
        try:
            self._book.note_of_people(note, written_at(self._clock()), who)
        except (sqlite3.Error, OSError) as error:
            _log.warning("what was said of somebody was not written: %s", error)
            raise NotNowError(f"nothing is written down ({error}); try again in a minute", "not-noted") from None
