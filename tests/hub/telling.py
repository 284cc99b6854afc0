"""What the hub's tests and benches share: what tables tell it, a table's log beside the hub's, and its rows."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import Executable, Select, select

from companion.outbox.letters import GONE, opened_letters
from companion.outbox.line import Acknowledged, Line
from hub.messages import Message, Told
from hub.store import Store
from hub.store.games import reckon
from hub.store.schema import events, tables
from hub.store.taking import Held, take

BOOK_COLUMNS = (events.c.n, events.c.game, events.c.at, events.c.who, events.c.kind, events.c.event, events.c.sum)


def told(
    table: str, numbers: Sequence[int], book: int = 1, said: str = "{}", who: str = "", deleted: Sequence[int] = ()
) -> Message:
    """Return a message of events with these numbers, each with its own number as its checksum."""
    rows = [Told(n, "GamePaused", None, "2026-11-21T17:04:58.123Z", who, said, n) for n in numbers]
    return Message(table, book, tuple(rows), deleted)


def only(store: Store, message: Message) -> Held:
    return take(store, [message])[message.table]


def answered(store: Store, message: Message) -> Acknowledged:
    """Let the hub take the message; return its word."""
    held = only(store, message)
    return Acknowledged(held.book, held.sequence, held.sum, held.is_missing)


def talk(store: Store, table: str, folder: Path, line: Line | None = None) -> int:
    """Let a table talk with its hub until it has nothing left to say; return how many messages that took."""
    line, count = line or Line(), 0
    with opened_letters(folder) as letters:
        line.hear(answered(store, told(table, [])), letters)
        while (said := line.next(letters, 0.0)) is not None:
            heard = Message(table, said.book, tuple(Told(**letter) for letter in said.letters), said.deleted)
            line.hear(answered(store, heard), letters)
            count += 1
    return count


def tell(store: Store, table: str, folder: Path, book: int = 1, after: int = 0) -> int:
    """Tell the hub the whole logbook, and have its games worked out; return how far the hub has got."""
    with opened_letters(folder) as letters:
        while part := letters.after(after):
            only(store, Message(table, book, tuple(Told(**each) for each in part)))
            after = int(part[-1]["n"])
    reckon_all(store)
    return after


def reckon_all(store: Store) -> None:
    while reckon(store).tables:
        pass


def rows(store: Store, query: Select[Any]) -> list[tuple[Any, ...]]:
    """Return what the hub's database answers."""
    with store.reading.connect() as connection:
        return [tuple(row) for row in connection.execute(query)]


def change(store: Store, *statements: Executable) -> None:
    """Change the hub's database behind its back."""
    with store.engine.begin() as connection:
        for statement in statements:
            connection.execute(statement)


def log_of(store: Store, table: str, book: int = 1) -> list[tuple[Any, ...]]:
    """The hub's log of a table, in order."""
    query = select(*BOOK_COLUMNS).join(tables).where(tables.c.id == table, events.c.book == book)
    return rows(store, query.order_by(events.c.n))


def own_log(folder: Path) -> list[tuple[Any, ...]]:
    """The table's own log, as the hub should have it."""
    found: list[tuple[Any, ...]] = []
    names = ("n", "game", "at", "who", "kind", "event", "sum")
    with opened_letters(folder) as letters:
        while part := letters.after(len(found)):
            found += [tuple(each.get(name, GONE if name == "kind" else None) for name in names) for each in part]
    return found


def soon(is_so: Callable[[], object], within_s: float = 20.0) -> None:
    """Wait until that is true."""
    until_s = time.monotonic() + within_s
    while not is_so():
        assert time.monotonic() < until_s, "it never became true"
        time.sleep(0.02)
