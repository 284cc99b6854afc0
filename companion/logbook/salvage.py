"""What can still be read of a damaged logbook, copied to a new one."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

from companion.logbook.connecting import connected
from companion.logbook.rows import DamagedError, checked
from companion.logbook.schema import CHECKED, TABLES

#: Rows are read so many at a time; where that fails, each by itself.
_BATCH = 100

#: So many rows are on the disk together: a step that is over soon, on a slow card too. What is salvaged is a draft.
_STEP = 1000

#: After so many numbers without a row that can be read, a table counts as read.
_GAP = 2000

#: No table without numbers has more rows: a damaged one may never end.
_MOST_ROWS = 100_000


def salvage(damaged: Path, into: sqlite3.Connection, step: Callable[[], object] = lambda: None) -> int:
    """Copy every row that is whole, and return how many were. `damaged` itself is left as it is.

    It may take minutes: `step` is called whenever it got on.
    """
    kept = seen = 0
    if not damaged.exists():
        return kept
    with closing(connected(damaged, is_read_only=True)) as source:
        into.execute("BEGIN IMMEDIATE")
        try:
            for table in TABLES:
                for row in _rows(source, table):
                    kept, seen = kept + _copied(table, row, into), seen + 1
                    if seen % _STEP == 0:
                        into.execute("COMMIT")
                        into.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
                        step()
                        into.execute("BEGIN IMMEDIATE")
            into.execute("COMMIT")
        finally:
            if into.in_transaction:
                into.execute("ROLLBACK")
    return kept


def _rows(source: sqlite3.Connection, table: str) -> Iterator[dict[str, Any]]:
    """Yield each row of a table that can be read."""
    if table == "seats":  # without numbers of its own
        yield from _while_it_lasts(source, "SELECT * FROM seats")
        return
    key = "event" if table == "moves" else "id"
    at = failed = 0
    while failed < _GAP:
        try:
            rows = _dicts(source.execute(f"SELECT * FROM {table} WHERE {key} > ? ORDER BY {key} LIMIT {_BATCH}", (at,)))
        except sqlite3.Error:
            found = 0
            for number in range(at + 1, at + _BATCH + 1):
                for row in _while_it_lasts(source, f"SELECT * FROM {table} WHERE {key} = {number:d}"):
                    found += 1
                    yield row
            at, failed = at + _BATCH, 0 if found else failed + _BATCH
            continue
        # In a tree that leads back into itself the same rows come again and again.
        rows = [row for row in rows if row[key] > at]
        if not rows:
            return
        yield from rows
        at, failed = max(row[key] for row in rows), 0


def _while_it_lasts(source: sqlite3.Connection, query: str) -> Iterator[dict[str, Any]]:
    try:
        cursor = source.execute(query)
        names = [column[0] for column in cursor.description]
        for row in islice(cursor, _MOST_ROWS):
            yield dict(zip(names, row, strict=True))
    except sqlite3.Error:
        return


def _dicts(cursor: sqlite3.Cursor) -> list[dict[str, Any]]:
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]


def _copied(table: str, row: dict[str, Any], into: sqlite3.Connection) -> bool:
    """Copy the row; False where it is not what was written, or has lost its place to another."""
    try:
        if table in CHECKED:
            checked(table, row)
        marks = ", ".join("?" * len(row))
        into.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))
    except (DamagedError, sqlite3.IntegrityError, KeyError, TypeError):
        return False
    return True
