"""The open logbook as its writer holds it: file, ledger and album. An error closes it, and it is opened again."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from companion.board import BadInputError, NotNowError
from companion.events import CellCorrected, CellReread, Event, GameTakenUp, Loss, MovesUndone
from companion.logbook.folder import Album, Sight, code_of, delete_pictures
from companion.logbook.ledger import Entry, Ledger, Written
from companion.logbook.opening import FILE, Lock, Opened, connect, copied, open_to_write, write_newest
from companion.logbook.people import Note
from companion.logbook.restoring import finish
from companion.logbook.rows import Place, Rows
from companion.session import State
from companion.verdicts import move_of

#: A write-ahead log larger than this is copied into the file once nothing waits.
CHECKPOINT_BYTES = 1024**2

#: How much room to make on a full disk by deleting pictures.
WAY_BYTES = 4 * 1024**2

#: Besides verdicts, pictures are kept of these: decisions of people, with what the camera saw then.
_PICTURED = (CellCorrected, CellReread, MovesUndone, GameTakenUp)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Resumed:
    """The point where a game goes on: the session's state, and all events of the game so far.

    `events` is empty if some of them are lost. `note` says what was lost or put right, None for nothing.
    """

    state: State
    events: tuple[Event, ...]
    note: Loss | None = None


class Book:
    """Opens, writes, and opens again. Belongs to one thread at a time; methods raise sqlite3.Error and OSError.

    `encode` makes a picture's JPEG; without it, and without any `picture_bytes`, no pictures are kept.
    """

    def __init__(
        self,
        folder: Path,
        table: str = "",
        encode: Callable[[Any], bytes] | None = None,
        picture_bytes: int = 0,
        open_file: Callable[[Path, bool], Opened] = open_to_write,
    ) -> None:
        self._folder, self._table, self._open_file = folder, table, open_file
        self._encode, self._picture_bytes = encode if picture_bytes > 0 else None, picture_bytes
        self._lock: Lock | None = None
        self._is_finished = False
        self._connection: sqlite3.Connection | None = None
        self._ledger: Ledger | None = None
        self._inode = 0
        self._state: State | None = None
        self._newest = 0
        self._failed: Entry | None = None
        #: Whether the write-ahead log may still hold what was deleted: somebody was reading, or the power failed.
        self._has_traces = True
        self._is_damaged = False
        #: What was lost or put right when the file was opened last; None for nothing.
        self.note: Loss | None = None

    @cached_property
    def _album(self) -> Album | None:
        """The pictures, looked through when they are first needed; None if none are kept."""
        return None if self._encode is None else Album(self._folder, self._picture_bytes, self._encode)

    def resume(self) -> Resumed | None:
        """Open the logbook; return where its game goes on, None if there is none.

        Raises BadInputError for a logbook that must not be written.
        """
        opened = self._open(lambda opened: opened.place)
        return self._resumed(opened.connection, opened.place)

    def resume_from_copy(self) -> Resumed | None:
        """Return where the game goes on if the logbook cannot be written now; None if it cannot be read either."""
        with (
            suppress(sqlite3.Error, OSError, BadInputError),
            copied(self._folder) as copy,
            closing(connect(copy)) as connection,
        ):
            rows = Rows(connection)
            place = rows.place()
            self._state, self._newest = place.state, rows.newest
            return self._resumed(connection, place)
        return None

    def write(self, entry: Entry) -> Written | None:
        """Write the entry; it is on the disk on return. None if there was nothing new, or it was there already."""
        if self._ledger is not None and not self._is_still_there():
            self.close()
        if self._ledger is None and self._open_again(entry):
            return None
        assert self._ledger is not None
        try:
            written = self._ledger.write(entry)
        except BaseException as error:
            # It is not known whether the commit went through; the file will tell once it is opened again.
            self._failed, self._is_damaged = entry, code_of(error) == "damaged"
            if code_of(error) not in ("locked", "full"):
                self.close()
            raise
        self._failed = None
        write_newest(self._folder, self._ledger.newest)
        return written

    def write_picture(self, entry: Entry, written: Written, sight: Sight) -> bool:
        """Keep the picture of a verdict or of a decision; False if there is no room for it."""
        is_wanted = any(isinstance(event, _PICTURED) or move_of(event) is not None for event in entry.events)
        if self._ledger is None or not is_wanted or self._album is None:
            return True
        number = max(self._album.newest, self._ledger.newest_picture) + 1
        file, given_up = self._album.add(number, written.game, sight)
        self._ledger.write_picture(number, written, entry.at, file, given_up)
        return file is not None

    def make_way(self) -> bool:
        """Delete pictures if the disk is full; return whether there were any."""
        return self._album is not None and bool(self._album.make_way(WAY_BYTES))

    def forget(self, game: int, *, pictures_only: bool = False) -> None:
        """Delete a game with its pictures, or only the pictures, and overwrite it in the database.

        Raises BadInputError for a game that cannot be deleted; NotNowError while the logbook cannot be written.
        """
        if self._ledger is None or self._connection is None or not self._is_still_there():
            raise NotNowError(
                "the logbook cannot be written just now, so nothing is deleted; try again in a minute", "not-deleted"
            )
        self._ledger.check_forgettable(game, pictures_only=pictures_only)
        # The files go first: if the power fails in between, rows name pictures that are missing, which does no harm.
        if self._album is None:
            delete_pictures(self._folder, game)
        else:
            self._album.forget(game)
        self._ledger.forget(game, pictures_only=pictures_only)
        self._has_traces = True
        self._erase_traces()
        _log.info("game %d: %s deleted", game, "its pictures were" if pictures_only else "it was")

    def note_of_people(self, note: Note, at: str, who: str = "") -> None:
        """Write a note about a person, which belongs to no game; NotNowError while the logbook cannot be written."""
        if self._ledger is None or not self._is_still_there():
            raise NotNowError("the logbook cannot be written just now; try again in a minute", "not-noted")
        self._ledger.note(note, at, who)
        write_newest(self._folder, self._ledger.newest)

    def forget_outworn(self, before: str) -> None:
        """Delete the pictures of one game that ended before that time (UTC), if there is one."""
        if self._ledger is not None and (game := self._ledger.outworn(before)) is not None:
            self.forget(game, pictures_only=True)

    def tidy(self) -> None:
        """Copy the write-ahead log into the file if it has grown; to be called when nothing waits."""
        if self._has_traces:
            self._erase_traces()
        wal = self._folder / f"{FILE}-wal"
        if self._connection is not None and wal.exists() and wal.stat().st_size > CHECKPOINT_BYTES:
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def _erase_traces(self) -> None:
        """Empty the write-ahead log; while somebody reads what is in it, that fails and is tried again later."""
        if self._connection is not None:
            ((is_busy, _, _),) = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._has_traces = bool(is_busy)

    def close(self) -> None:
        """Close the file; the next entry opens it again."""
        if self._ledger is not None:
            self._state, self._newest = self._ledger.state, self._ledger.newest
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
        self._connection = self._ledger = None

    def release(self) -> None:
        """Close the file, and let another companion write there."""
        self.close()
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _open(self, place_of: Callable[[Opened], Place]) -> Opened:
        """Open the file and go on at that place; if only now it turns out to be damaged, repair it first."""
        if self._lock is None:
            self._lock = Lock(self._folder)
        if not self._is_finished:
            # Only at the start: what is decided during a game is for the next start; this game must not be written
            # there.
            finish(self._folder)
            self._is_finished = True
        while True:
            opened = self._open_file(self._folder, self._is_damaged)
            try:
                self._ledger = Ledger(opened.connection, self._table, place_of(opened))
                self._inode = (self._folder / FILE).stat().st_ino
            except (sqlite3.Error, OSError) as error:
                opened.connection.close()
                if code_of(error) != "damaged" or self._is_damaged:
                    raise
                self._is_damaged = True
                continue
            self._connection, self.note, self._is_damaged = opened.connection, opened.note, False
            return opened

    def _open_again(self, entry: Entry) -> bool:
        """Open the file again at the place it was left; return whether the entry that failed is in it after all."""

        def is_written(opened: Opened) -> bool:
            is_as_long = opened.newest == self._newest + len(entry.events)
            return entry is self._failed and is_as_long and opened.place.state == entry.state

        opened = self._open(lambda opened: opened.place.carried(entry.state if is_written(opened) else self._state))
        if opened.note:
            _log.warning("the logbook was opened again: %s", opened.note)
        return is_written(opened)

    def _is_still_there(self) -> bool:
        """Whether the file still exists and nobody has moved it."""
        try:
            return (self._folder / FILE).stat().st_ino == self._inode
        except OSError:
            return False

    def _resumed(self, connection: sqlite3.Connection, place: Place) -> Resumed | None:
        if place.state is None or place.state.game is None:
            return None
        return Resumed(place.state, Rows(connection).whole_events(place), self.note)
