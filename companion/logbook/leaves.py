"""Rows on the pages of a SQLite file, without the trees that lead to them (https://www.sqlite.org/fileformat.html).

A row that is found so may be of any table, or old: the caller compares checksums, and has looked in other ways before.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from itertools import chain
from mmap import mmap
from typing import NamedTuple

#: Our files' pages have this many bytes, as SQLite makes them.
PAGE_BYTES = 4096

#: Kinds of pages that hold rows (1.6): a leaf of a table, and leaf and inner page of one without numbers of its own.
_TABLE_LEAF, _INDEX_LEAF, _INDEX_INNER = 0x0D, 0x0A, 0x02

#: A write-ahead log's header, and that of each page in it (4.1).
_LOG_HEADER, _FRAME_HEADER = 32, 24

#: No row of ours has more bytes: a damaged one may say that it has any number.
_MOST_BYTES = 64 * 1024**2

Value = int | float | str | bytes | None

#: Returns the page of that number, from 1.
Page = Callable[[int], bytes]


class Row(NamedTuple):
    """The values of a row in order; its number, None in a table without."""

    number: int | None
    values: tuple[Value, ...]


def leaf_rows(file: bytes | mmap, log: bytes = b"") -> Iterator[Row]:
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
    """Return the row's bytes, the beginning of which is on its own page, the rest on a chain of others (1.6)."""
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
