"""What comes from tables, read with suspicion: malformed or oversized messages raise BadInputError.

A refusal is written to the hub's journal once for each table and reason, however often it is tried.
"""

from __future__ import annotations

import json
import logging
import re
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from companion.board import BadInputError
from companion.board.fields import mapping

#: The largest message with events, and the largest with a table's state. The broker accepts no packet above 1 MiB.
MOST_BYTES, MOST_STATE_BYTES = 256 * 1024, 128 * 1024

#: How many events a message may have.
MOST_EVENTS = 200

#: How many deleted games a message may name.
MOST_DELETED = 1000

#: The largest number: it fits a database's column of 64 bits.
MOST = 2**62

#: What a table's name in topics looks like.
TABLE = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")

_log = logging.getLogger("hub")

#: How many different complaints are remembered; after that they may be repeated.
MOST_SAID = 10_000

#: How many different complaints are logged about one table: with its key, one can be refused in any number of ways.
MOST_OF_ONE = 20


@dataclass(frozen=True, slots=True)
class Told:
    """A row of a table's logbook, as the table reports it; for a row that is gone, only `n` and `kind`."""

    n: int
    kind: str
    game: int | None = None
    at: str | None = None
    who: str | None = None
    event: str | None = None
    sum: int | None = None
    position: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """What one table reports at once: consecutive events of a book. Without events, it asks how far the hub is.

    `deleted` are the games of that book that people have deleted at the table.
    """

    table: str
    book: int
    events: Sequence[Told] = ()
    deleted: Sequence[int] = ()


def table_of(topic: str) -> str:
    """Return which table a topic belongs to. Raises BadInputError."""
    parts = topic.split("/")
    if len(parts) != 4 or not TABLE.fullmatch(parts[2]):
        raise BadInputError("the topic names no table")
    return parts[2]


def message(topic: str, payload: bytes) -> Message:
    """Return the message in a payload. Raises BadInputError."""
    plain = _json(payload, MOST_BYTES)
    told = plain.get("events")
    if not isinstance(told, list) or len(told) > MOST_EVENTS:
        raise BadInputError("the events are not a list, or too many")
    events = tuple(map(_told, told))
    if any(after.n != before.n + 1 for before, after in pairwise(events)):
        raise BadInputError("the events are not in a row")
    book = _number(plain.get("book"), "the book", least=1, most=10**6)
    return Message(table_of(topic), book, events, _deleted(plain.get("deleted", [])))


def state(payload: bytes) -> Mapping[str, Any] | None:
    """Return a table's state; None if the table is gone. Raises BadInputError."""
    plain = _json(payload, MOST_STATE_BYTES)
    if plain.get("gone") is True:
        return None
    attention = plain.get("attention")
    if not isinstance(attention, list) or not all(each in ("dispute", "unclear", "camera") for each in attention):
        raise BadInputError("what a table calls the referee for is odd")
    _text(plain.get("name"), "the name", 200)
    _text(plain.get("phase"), "the phase", 20)
    return plain


def _deleted(plain: object) -> tuple[int, ...]:
    if not isinstance(plain, list) or len(plain) > MOST_DELETED:
        raise BadInputError("the deleted games are not a list, or too many")
    return tuple(_number(each, "a deleted game", least=1) for each in plain)


def _told(plain: object) -> Told:
    value = mapping(plain, "an event")
    n, kind = _number(value.get("n"), "the sequence", least=1), _text(value.get("kind"), "the kind", 60)
    if "event" not in value:
        return Told(n, kind)
    position = value.get("position")
    return Told(
        n,
        kind,
        None if value.get("game") is None else _number(value["game"], "the game"),
        _text(value.get("at"), "the time", 40),
        _text(value.get("who"), "who", 1000),
        _text(value["event"], "the event", MOST_BYTES),
        _number(value.get("sum"), "the checksum"),
        None if position is None else _position(mapping(position, "a position")),
    )


def _position(plain: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        "id": _number(plain.get("id"), "the position's number", least=1),
        "game": None if plain.get("game") is None else _number(plain["game"], "the game"),
        "previous": None if plain.get("previous") is None else _number(plain["previous"], "the position before"),
        "marks": _text(plain.get("marks"), "the marks", 4000),
        "position": _text(plain.get("position"), "the position", MOST_BYTES),
    }


def _json(payload: bytes, most: int) -> Mapping[str, Any]:
    if len(payload) > most:
        raise BadInputError(f"a message of {len(payload)} bytes; no table sends more than {most}")
    try:
        text = payload.decode()  # Python would also guess UTF-16 and UTF-32, which no later code expects
        value = json.loads(text)
        is_odd = "\\u" in text and not _is_proper(value)
    except (ValueError, RecursionError):
        raise BadInputError("a message that is not valid JSON in UTF-8") from None
    if is_odd:
        raise BadInputError("a message with characters that nobody can read: NUL or an unpaired surrogate")
    return mapping(value, "a message")


def _is_proper(value: object) -> bool:
    """Return whether its texts are free of NUL, which PostgreSQL refuses, and of half characters."""
    match value:
        case str():
            return "\0" not in value and not any("\ud800" <= each <= "\udfff" for each in value)
        case list():
            return all(map(_is_proper, value))
        case dict():
            return all(_is_proper(name) and _is_proper(each) for name, each in value.items())
    return True


def _number(value: object, what: str, least: int = 0, most: int = MOST) -> int:
    if type(value) is not int or not least <= value <= most:
        raise BadInputError(f"{what} is not a number from {least} on")
    return value


def _text(value: object, what: str, most: int) -> str:
    if not isinstance(value, str) or len(value) > most or "\0" in value:
        raise BadInputError(f"{what} is not text of at most {most} characters")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise BadInputError(f"{what} holds half a character") from None
    return value


class Journal:
    """Logs each thing only once, and not too much about anybody. Any thread may call it."""

    def __init__(self) -> None:
        self._said: set[tuple[str, str]] = set()
        self._of: Counter[str] = Counter()
        self._lock = threading.Lock()

    def once(self, about: str, what: str) -> bool:
        """Log this, unless it was logged about the same before. Return whether it is new. Mask what is unprintable."""
        key = (about[:80], what[:200])
        with self._lock:
            if key in self._said or self._of[key[0]] >= MOST_OF_ONE:
                return False
            if len(self._said) >= MOST_SAID:
                self._said.clear()
                self._of.clear()
            self._said.add(key)
            self._of[key[0]] += 1
            is_last = self._of[key[0]] == MOST_OF_ONE
        self._say(*key)
        if is_last:
            self._say(key[0], "no more is said of it until the hub starts again")
        return True

    def over(self, about: str, what: str) -> None:
        """Log that what was logged about this is over, if anything was. From now on it may be logged again."""
        with self._lock:
            said = {each for each in self._said if each[0] == about[:80]}
            self._said -= said
            self._of[about[:80]] = 0
        if said:
            self._say(about[:80], what)

    @staticmethod
    def _say(*key: str) -> None:
        _log.warning("%s: %s", *("".join(c if c.isprintable() else "?" for c in part) for part in key))
