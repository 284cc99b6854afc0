"""Copying what is still readable in a damaged logbook, row by row, into a new one.

The damaged files are copied, and the copy is read in ways that each find what the one before missed:

1. as SQLite reads it, made to go on where pages are missing (`PRAGMA writable_schema`), for a file that was cut off;
2. with the first page, which holds header and schema, taken from a new, empty logbook: every logbook has the same;
3. page by page, without the trees that lead there: every page of a table that still holds rows
   (https://www.sqlite.org/fileformat.html).

A row counts if it is what was written, judging by its checksum where it has one, and if no other row has taken its
number. In `about`, all that counts is which games people deleted.
"""

from __future__ import annotations

import mmap
import shutil
import sqlite3
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from companion.logbook import schema
from companion.logbook.rows import DamagedError, checked
from companion.logbook.schema import CHECKED, DELETED, FORGOTTEN, OF_A_GAME, TABLES, connected, named, transaction

#: The folder beside the damaged file where a copy of it is read.
PLACE = "logbook.salvage"

#: How many rows are read at a time; if that fails, each is read by itself.
_BATCH = 100

#: How many rows are committed together: a short step even on a slow card. What is salvaged is a draft.
_STEP = 1000

#: After this many numbers without a readable row, no more of the table is read: what follows is found page by page.
_GAP = 300

#: No table without numbers has more rows than this: reading a damaged one may never end.
_MOST_ROWS = 100_000

#: Where a file says that it has a write-ahead log, how many pages it has, and which version it is
#: (https://www.sqlite.org/fileformat.html, 1.3).
_LOG_AT, _PAGES_AT, _VERSION_AT = 18, 28, 60

#: Each table's columns in order; rows, each with its table.
Columns = Mapping[str, tuple[str, ...]]
Rows = Iterator[tuple[str, dict[str, Any]]]


def salvage(damaged: Path, into: sqlite3.Connection, step: Callable[[], object] = lambda: None) -> int:
    """Copy every row that is intact, and return how many were. `damaged` itself is left as it is.

    It may take minutes: `step` is called whenever it makes progress.
    """
    if not damaged.exists():
        return 0
    columns = {
        table: tuple(row[1] for row in into.execute(f"PRAGMA table_info({table})")) for table in (*TABLES, "about")
    }
    kept = _refilled(_intact(damaged, columns), into, columns, step)
    with transaction(into):  # what people deleted may still be on old pages, and in the log
        for table in OF_A_GAME:
            into.execute(f"DELETE FROM {table} WHERE game IN ({DELETED})")
        into.execute(f"DELETE FROM games WHERE id IN ({DELETED})")
    return kept


def _intact(damaged: Path, columns: Columns) -> Rows:
    """Yield each row that any of the ways finds; most of them come several times."""
    log, place = damaged.with_name(f"{damaged.name}-wal"), damaged.with_name(PLACE)
    for way in (_as_it_is, _with_a_new_beginning, _page_by_page):
        shutil.rmtree(place, ignore_errors=True)  # a power cut may have left it
        place.mkdir()
        try:
            for file in (damaged, log):
                if file.exists():
                    shutil.copy2(file, place / file.name)
            yield from way(place / damaged.name, columns)
        finally:
            shutil.rmtree(place, ignore_errors=True)


def version_of(damaged: Path) -> int:
    """Return the version of the form that a file was written in, as far as its header can be believed."""
    with damaged.open("rb") as file:
        said = int.from_bytes(file.read(_VERSION_AT + 4)[_VERSION_AT:], "big")
    return said if 1 <= said <= schema.VERSION else schema.VERSION


def _refilled(rows: Rows, into: sqlite3.Connection, columns: Columns, step: Callable[[], object]) -> int:
    kept = read = 0
    with transaction(into):
        for table, row in rows:
            kept, read = kept + (tuple(row) == columns[table] and _copied(table, row, into)), read + 1
            if read % _STEP == 0:
                into.execute("COMMIT")
                into.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
                step()
                into.execute("BEGIN IMMEDIATE")
    return kept


def _as_it_is(file: Path, columns: Columns) -> Rows:
    """Yield each row that SQLite still finds, with its table."""
    with closing(connected(file)) as source:
        try:
            source.execute("PRAGMA synchronous = OFF")  # this is a copy, which need not reach the disk
            source.execute("PRAGMA writable_schema = ON")
        except sqlite3.Error:
            return
        for table in columns:
            for row in _rows(source, table):
                yield table, row


def _with_a_new_beginning(file: Path, columns: Columns) -> Rows:
    """Yield each row that SQLite finds once the first page is that of a new logbook."""
    with file.open("r+b") as damaged:
        pages = damaged.seek(0, 2) // PAGE_BYTES
        if pages == 0:
            return
        beginning = _new_beginning(version_of(file), pages)
        damaged.seek(0)
        damaged.write(beginning)
    yield from _as_it_is(file, columns)


def _new_beginning(version: int, pages: int) -> bytes:
    """Return the first page of a new logbook of that version, which says that it has this many pages, and a log."""
    with closing(sqlite3.connect(":memory:")) as empty:
        schema.migrate(empty, version)
        page = bytearray(empty.serialize()[:PAGE_BYTES])
    page[_LOG_AT : _LOG_AT + 2] = b"\x02\x02"
    page[_PAGES_AT : _PAGES_AT + 4] = pages.to_bytes(4, "big")
    return bytes(page)


def _page_by_page(file: Path, columns: Columns) -> Rows:
    """Yield each row that is on any page, with the table that it must belong to."""
    log = file.with_name(f"{file.name}-wal")
    if file.stat().st_size == 0:
        return
    with file.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as pages:
        for row in leaf_rows(pages, log.read_bytes() if log.exists() else b""):
            table = _table_of(row)
            if table is not None:
                number = () if row.number is None else (row.number,)
                values = (*number, *row.values[len(number) :])
                yield table, dict(zip(columns[table], values, strict=False))


def _table_of(row: Row) -> str | None:
    """Return the table that a row with these columns belongs to.

    The record of a numbered row does not hold its number.
    """
    kinds = [type(value) for value in row.values]
    match len(kinds), row.number is None:
        case 2, True:
            return "about" if kinds == [str, str] else None
        case 6, True:
            return "seats" if kinds[:4] == [int, int, str, str] else None
        case 5, False:
            return "states"
        case 6, False:
            return "pictures" if kinds[2:5] == [int, int, str] else "positions"
        case 7, False:
            return "events"
        case 9, False:
            return "games"
        case 12, False:
            return "moves" if kinds[4:7] == [str, str, str] else None
        case _:
            return None


def _rows(source: sqlite3.Connection, table: str) -> Iterator[dict[str, Any]]:
    """Yield each row of a table that can be read."""
    if table in ("seats", "about"):  # without numbers of their own
        yield from _while_it_lasts(source, f"SELECT * FROM {table}")
        return
    key = "event" if table == "moves" else "id"
    at = failed = 0
    while failed < _GAP:
        try:
            query = f"SELECT * FROM {table} WHERE {key} > ? ORDER BY {key} LIMIT {_BATCH}"
            rows = list(named(source.execute(query, (at,))))
        except sqlite3.Error:
            readable = 0
            for number in range(at + 1, at + _BATCH + 1):
                for row in _while_it_lasts(source, f"SELECT * FROM {table} WHERE {key} = {number:d}"):
                    readable += 1
                    yield row
            at, failed = at + _BATCH, 0 if readable else failed + _BATCH
            continue
        # In a tree that leads back into itself, the same rows come up again and again.
        rows = [row for row in rows if row[key] > at]
        if not rows:
            return
        yield from rows
        at, failed = max(row[key] for row in rows), 0


def _while_it_lasts(source: sqlite3.Connection, query: str) -> Iterator[dict[str, Any]]:
    try:
        yield from islice(named(source.execute(query)), _MOST_ROWS)
    except sqlite3.Error:
        return


def _copied(table: str, row: dict[str, Any], into: sqlite3.Connection) -> bool:
    """Copy the row; False if it is not what was written, or if another row has taken its place."""
    try:
        if table == "about" and row["name"] != f"{FORGOTTEN}{int(row['value'])}":
            return False
        if table in CHECKED:
            checked(table, row)
        marks = ", ".join("?" * len(row))
        into.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))
    except (DamagedError, sqlite3.IntegrityError, KeyError, TypeError, ValueError, OverflowError):
        return False
    return True


# What is on the pages of a SQLite file. A row found there may belong to any table, or be out of date.

#: Our files' pages have this many bytes, as SQLite makes them.
PAGE_BYTES = 4096

#: Kinds of pages that hold rows (1.6): a table's leaf, and the leaf and inner page of a table without numbers of its
#: own.
_TABLE_LEAF, _INDEX_LEAF, _INDEX_INNER = 0x0D, 0x0A, 0x02

#: A write-ahead log's header, and that of each page in it (4.1).
_LOG_HEADER, _FRAME_HEADER = 32, 24

#: No row of ours has more bytes, but a damaged one may claim any number.
_MOST_BYTES = 64 * 1024**2

Value = int | float | str | bytes | None

#: Returns the page of that number, from 1.
Page = Callable[[int], bytes]


class Row(NamedTuple):
    """The values of a row in order; its number is None in a table without numbers."""

    number: int | None
    values: tuple[Value, ...]


def leaf_rows(file: bytes | mmap.mmap, log: bytes = b"") -> Iterator[Row]:
    """Yield each row that is found on a page of the log, the newest first, and then on one of the file."""
    frames = [
        log[at + _FRAME_HEADER : at + _FRAME_HEADER + PAGE_BYTES]
        for at in range(_LOG_HEADER, len(log), _FRAME_HEADER + PAGE_BYTES)
    ]
    numbers = [
        int.from_bytes(log[at : at + 4], "big") for at in range(_LOG_HEADER, len(log), _FRAME_HEADER + PAGE_BYTES)
    ]
    newest = dict(zip(numbers, frames, strict=True))

    def page(number: int) -> bytes:
        return newest.get(number) or file[(number - 1) * PAGE_BYTES : number * PAGE_BYTES]

    for content in chain(reversed(frames), (page(number) for number in range(2, len(file) // PAGE_BYTES + 1))):
        kind = content[0] if len(content) == PAGE_BYTES else 0
        if kind not in (_TABLE_LEAF, _INDEX_LEAF, _INDEX_INNER):
            continue
        (count,) = struct.unpack_from(">H", content, 3)
        first = 12 if kind == _INDEX_INNER else 8
        for at in range(first, min(first + 2 * count, PAGE_BYTES - 1), 2):
            (cell,) = struct.unpack_from(">H", content, at)
            try:
                yield _row(content, cell + (4 if kind == _INDEX_INNER else 0), kind == _TABLE_LEAF, page)
            except (IndexError, ValueError, struct.error):
                continue  # it is damaged, or no row at all


def _row(content: bytes, at: int, is_numbered: bool, page: Page) -> Row:
    size, at = _varint(content, at)
    number = None
    if is_numbered:
        number, at = _varint(content, at)
    if size > _MOST_BYTES:
        raise ValueError("no row of ours is that long")
    return Row(number, _values(_payload(content, at, size, is_numbered, page)))


def _payload(content: bytes, at: int, size: int, is_numbered: bool, page: Page) -> bytes:
    """Return the row's bytes: the beginning is on its own page, the rest on a chain of others (1.6)."""
    most = PAGE_BYTES - 35 if is_numbered else (PAGE_BYTES - 12) * 64 // 255 - 23
    if size <= most:
        return content[at : at + size]
    least = (PAGE_BYTES - 12) * 32 // 255 - 23
    here = least + (size - least) % (PAGE_BYTES - 4)
    here = here if here <= most else least
    parts, left = [content[at : at + here]], size - here
    (beyond,) = struct.unpack_from(">I", content, at + here)
    while left > 0 and beyond:
        further = page(beyond)
        (beyond,) = struct.unpack_from(">I", further, 0)
        parts.append(further[4 : 4 + left])
        left -= len(parts[-1])
    if left > 0:
        raise ValueError("its end is missing")
    return b"".join(parts)


def _values(record: bytes) -> tuple[Value, ...]:
    """Return the columns of a record (2.1)."""
    end, at = _varint(record, 0)
    kinds: list[int] = []
    while at < end:
        kind, at = _varint(record, at)
        kinds.append(kind)
    values: list[Value] = []
    at = end
    for kind in kinds:
        size = (0, 1, 2, 3, 4, 6, 8, 8, 0, 0)[kind] if kind < 10 else (kind - 12) // 2
        part = record[at : at + size]
        if len(part) < size or kind in (10, 11):
            raise ValueError("it is cut off")
        at += size
        if kind == 0:
            values.append(None)
        elif kind == 7:
            values.append(struct.unpack(">d", part)[0])
        elif kind < 10:
            values.append(kind - 8 if kind >= 8 else int.from_bytes(part, "big", signed=True))
        else:
            values.append(part.decode() if kind % 2 else part)
    return tuple(values)


def _varint(content: bytes, at: int) -> tuple[int, int]:
    """Return a number of one to nine bytes, and where it ends (1.6)."""
    number = 0
    for index in range(9):
        byte = content[at + index]
        if index == 8:
            number = number << 8 | byte
            return (number - (1 << 64) if number >> 63 else number), at + 9
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            return number, at + index + 1
    raise AssertionError("unreachable")
