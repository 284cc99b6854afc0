"""The logbook's tables, and how an older file is brought to this version (PRAGMA user_version).

All times are UTC, as 2026-11-21T17:04:58.123Z; JSON columns can be queried with SQLite's json_extract. Everything
needed to go on with a game has a checksum, the CRC-32 of its columns: SQLite itself does not notice a changed byte in a
row.
"""

from __future__ import annotations

import re
import sqlite3
import time
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from companion.board import BadInputError

#: "Stra": what kind of file this is (PRAGMA application_id).
APPLICATION_ID = 0x53747261

#: How many of the newest states are kept: if the last one is unreadable, the one before it may still be readable.
KEPT_STATES = 8

_FIRST = """
-- version: of this form; floor: numbers up to it may have been those of lost rows, and only events get them again.
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- A game from its deal on; outcome: playing, over, early (people ended it) or left (another was dealt).
CREATE TABLE games (
    id INTEGER PRIMARY KEY,
    began TEXT NOT NULL,
    ended TEXT,
    outcome TEXT NOT NULL DEFAULT 'playing',
    place TEXT NOT NULL,
    rules TEXT NOT NULL,
    game TEXT NOT NULL,     -- JSON: players, rules, options
    ground TEXT NOT NULL,   -- JSON: terrain and settlements
    sum INTEGER NOT NULL
);
-- Players clockwise, from 1; gold and won (a share of 1 among several) once the game is over.
CREATE TABLE seats (
    game INTEGER NOT NULL REFERENCES games (id),
    seat INTEGER NOT NULL,
    name TEXT NOT NULL,
    color TEXT NOT NULL,
    gold INTEGER,
    won REAL,
    PRIMARY KEY (game, seat)
) WITHOUT ROWID;
-- Positions, whole but for the ground; previous: the one before the move; marks: where the markers should stand.
CREATE TABLE positions (
    id INTEGER PRIMARY KEY,
    game INTEGER NOT NULL REFERENCES games (id),
    previous INTEGER,
    marks TEXT NOT NULL,
    position TEXT NOT NULL,
    sum INTEGER NOT NULL
);
-- All that happened; a position in the JSON is its id.
CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    game INTEGER REFERENCES games (id),
    at TEXT NOT NULL,
    who TEXT NOT NULL,
    kind TEXT NOT NULL,
    event TEXT NOT NULL,
    sum INTEGER NOT NULL
);
CREATE INDEX events_of_a_game ON events (game, id);
-- The events that are verdicts: legal, illegal, unfinished, accepted, hidden or unclear, on a deal, workshop or turn.
CREATE TABLE moves (
    event INTEGER PRIMARY KEY REFERENCES events (id),
    game INTEGER REFERENCES games (id),
    kind TEXT NOT NULL,
    player TEXT,
    verdict TEXT NOT NULL,
    reasons TEXT NOT NULL,  -- JSON: code, cells, numbers, color
    cells TEXT NOT NULL,    -- JSON: what changed, else what it is about
    cost INTEGER,
    days_left INTEGER,
    before INTEGER REFERENCES positions (id),
    after INTEGER REFERENCES positions (id),
    undone_by INTEGER REFERENCES events (id)
);
CREATE INDEX moves_of_a_game ON moves (game, event);
CREATE INDEX moves_by_position ON moves (after);
-- The newest states of the session: what it takes to go on.
CREATE TABLE states (
    id INTEGER PRIMARY KEY,
    game INTEGER,
    event INTEGER NOT NULL,
    state TEXT NOT NULL,
    sum INTEGER NOT NULL
);
-- Pictures taken at the events first to last; the file in pictures/, its reading beside it; NULL: given up for room.
CREATE TABLE pictures (
    id INTEGER PRIMARY KEY,
    game INTEGER REFERENCES games (id),
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    at TEXT NOT NULL,
    file TEXT
);
CREATE INDEX pictures_by_event ON pictures (first);
"""

#: The steps that make each version of the file from the one before; never changed once shipped, only added to.
MIGRATIONS: tuple[str, ...] = (_FIRST,)
VERSION = len(MIGRATIONS)

#: Table -> the columns that `sum` is the checksum of, in order.
CHECKED = {
    "games": ("id", "began", "place", "rules", "game", "ground"),
    "positions": ("id", "game", "previous", "marks", "position"),
    "events": ("id", "game", "at", "who", "kind", "event"),
    "states": ("id", "game", "event", "state"),
}

#: Table -> the columns that hold numbers of its rows. After salvage, some rows are referred to but lost.
NUMBERED = {
    "games": (("games", "id"), ("seats", "game"), ("events", "game")),
    "positions": (("positions", "id"), ("moves", "before"), ("moves", "after")),
    "events": (("events", "id"), ("moves", "event"), ("states", "event")),
    "states": (("states", "id"),),
    "pictures": (("pictures", "id"),),
}

#: All tables, in the order in which they are refilled.
TABLES = ("games", "seats", "positions", "events", "moves", "states", "pictures")

#: The beginning of the names in `about` that say which games people deleted; the rest, and the value, is a game's
#: number.
FORGOTTEN = "forgotten "

#: The numbers of the games that people deleted.
DELETED = f"SELECT CAST(value AS INTEGER) FROM about WHERE name GLOB '{FORGOTTEN}*'"

#: The tables besides `games` that hold a game, in the order in which their rows can be deleted.
OF_A_GAME = ("moves", "pictures", "events", "states", "positions", "seats")


def sum_of(*columns: str | int | None) -> int:
    """Return the checksum of a row's columns: of their values and their types."""
    check = 0
    for column in columns:
        check = zlib.crc32(f"{type(column).__name__} {column}\n".encode(), check)
    return check


def migrate(connection: sqlite3.Connection, to: int | None = None) -> None:
    """Bring the file to this version, or make a new one; raises BadInputError for a file that is newer or not ours.

    `to`: an older version, for a new file.

    Raises sqlite3.DatabaseError if what the file says about itself is inconsistent.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if names:
        if "about" not in names and not names & set(TABLES):
            raise BadInputError("this is a database of something else; name another folder for the logbook")
        row = connection.execute("SELECT value FROM about WHERE name = 'version'").fetchone()
        if application != APPLICATION_ID or row is None or row[0] != str(version):
            raise sqlite3.DatabaseError("the file's version is not the one it was written with")
        if version == VERSION and not set(TABLES) <= names:
            raise sqlite3.DatabaseError("the file lacks a table")
    if version > VERSION:
        raise BadInputError(
            f"this logbook is of a newer version of Strada (form {version}; this one writes {VERSION}); "
            "update Strada, or name another folder"
        )
    for number in range(version, VERSION if to is None else to):
        # One transaction: a migration that a power cut interrupts has not happened.
        connection.executescript(
            f"BEGIN IMMEDIATE; {MIGRATIONS[number]}"
            f"INSERT OR REPLACE INTO about VALUES ('version', '{number + 1}');"
            f"PRAGMA user_version = {number + 1}; PRAGMA application_id = {APPLICATION_ID}; COMMIT;"
        )


def is_older(connection: sqlite3.Connection) -> bool:
    """Whether the file is ours and of a version before this one, which `migrate` will change; raises sqlite3.Error."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    return bool(application == APPLICATION_ID and 0 < version < VERSION)


def must_be_ours(connection: sqlite3.Connection) -> None:
    """Raise BadInputError if the database holds anything that this version and those before it do not make.

    A view, a trigger, a generated column or an index on an expression is code that SQLite runs. An index on
    `zeroblob(400000000)` takes 2 GB as soon as it is looked at.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if not 0 < version <= VERSION:
        return  # `migrate` says what is wrong
    with closing(sqlite3.connect(":memory:")) as empty:
        migrate(empty, version)
        own = _made(empty)
    for (kind, name), how in _made(connection).items():
        if own.get((kind, name)) != how:
            raise BadInputError(f"its database has {kind} {name!r:.40}, as no backup of Strada has it")


def _made(connection: sqlite3.Connection) -> dict[tuple[str, str], str]:
    """Return how everything in a database was made, by kind and name, without comments and white space."""
    rows = connection.execute("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master")
    return {(kind, name): f"{of} {''.join(re.sub('--.*', '', sql).split())}" for kind, name, of, sql in rows}


def is_sound(connection: sqlite3.Connection, limit_s: float) -> bool:
    """Whether SQLite's own quick check finds nothing; parts that it did not reach in time count as sound."""
    until_s = time.monotonic() + limit_s
    connection.set_progress_handler(lambda: time.monotonic() > until_s, 10_000)
    try:
        return [word for (word,) in connection.execute("PRAGMA quick_check(1)")] == ["ok"]
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
            return True
        raise
    finally:
        connection.set_progress_handler(None, 0)


def must_be_sound(connection: sqlite3.Connection) -> None:
    """Check every page, and every row that has a checksum; raises sqlite3.DatabaseError if something is damaged."""
    findings = [word for (word,) in connection.execute("PRAGMA integrity_check(1)")]
    if findings != ["ok"]:
        raise sqlite3.DatabaseError(findings[0])
    for table, columns in CHECKED.items():
        for *row, check in connection.execute(f"SELECT {', '.join(columns)}, sum FROM {table}"):
            if sum_of(*row) != check:
                raise sqlite3.DatabaseError(f"row {row[0]!r:.20} of {table} is not what was written")


class _Connection(sqlite3.Connection):
    """A connection that reports a damaged file as damaged.

    SQLite's message may quote the file, and the quote may not be text: Python then raises UnicodeDecodeError.
    """

    def execute(self, *query: Any) -> sqlite3.Cursor:
        try:
            return super().execute(*query)
        except UnicodeDecodeError:
            raise sqlite3.DatabaseError("malformed database schema, in bytes that are not text") from None


def connected(path: Path, timeout_s: float = 5.0, *, is_read_only: bool = False) -> sqlite3.Connection:
    """Return a connection in autocommit mode, which any thread may use; raises sqlite3.Error."""
    uri = f"{path.resolve().as_uri()}?mode={'ro' if is_read_only else 'rwc'}"
    return sqlite3.connect(
        uri, timeout=timeout_s, isolation_level=None, check_same_thread=False, factory=_Connection, uri=True
    )


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Write everything inside `with`, on the disk once it ends, or nothing if anything fails."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def named(cursor: sqlite3.Cursor) -> Iterator[dict[str, Any]]:
    """Yield the cursor's rows by the names of their columns."""
    names = [column[0] for column in cursor.description]
    return (dict(zip(names, row, strict=True)) for row in cursor)
