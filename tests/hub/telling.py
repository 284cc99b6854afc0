"""What the hub's tests and benches share: messages as tables send them, and a table's log beside the hub's."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import select

from companion.outbox.letters import GONE, Letters, opened_letters
from companion.outbox.line import Acknowledged, Message
from hub.messages import Message as Heard
from hub.messages import Told
from hub.store import Store
from hub.store.schema import events, positions, tables
from hub.store.taking import Held, take

BOOK_COLUMNS = (events.c.n, events.c.game, events.c.at, events.c.who, events.c.kind, events.c.event, events.c.sum)


def told(table: str, numbers: Sequence[int], book: int = 1, said: str = "{}") -> Heard:
    """Return a message of events with these numbers, each with its own number as its checksum."""
    rows = [Told(n, "GamePaused", None, "2026-11-21T17:04:58.123Z", "", said, n) for n in numbers]
    return Heard(table, book, tuple(rows))


def as_heard(table: str, message: Message) -> Heard:
    """Return what the hub hears when a table's line says this."""
    return Heard(table, message.book, tuple(Told(**letter) for letter in message.letters))


def word_of(held: Held) -> Acknowledged:
    return Acknowledged(held.book, held.sequence, held.sum, held.is_missing)


def only(store: Store, message: Heard) -> Held:
    return take(store, [message])[message.table]


def log_of(store: Store, table: str, book: int = 1) -> list[tuple[Any, ...]]:
    """The hub's log of a table, in order."""
    query = select(*BOOK_COLUMNS).join(tables).where(tables.c.id == table, events.c.book == book).order_by(events.c.n)
    with store.reading.connect() as connection:
        return [tuple(row) for row in connection.execute(query)]


def positions_of(store: Store, table: str) -> set[int]:
    with store.reading.connect() as connection:
        query = select(positions.c.id).join(tables).where(tables.c.id == table)
        return {int(number) for number in connection.scalars(query)}


def own_log(folder: Path) -> list[tuple[Any, ...]]:
    """The table's own log, as the hub should have it."""
    with opened_letters(folder) as letters:
        return log_in(letters)


def log_in(letters: Letters) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []
    while part := letters.after(len(found)):
        for letter in part:
            names = ("n", "game", "at", "who", "kind", "event", "sum")
            found.append(tuple(letter.get(name, GONE if name == "kind" else None) for name in names))
    return found


def soon(is_so: Callable[[], object], within_s: float = 20.0) -> None:
    """Wait until that is true."""
    until_s = time.monotonic() + within_s
    while not is_so():
        assert time.monotonic() < until_s, "it did not come to that"
        time.sleep(0.02)
