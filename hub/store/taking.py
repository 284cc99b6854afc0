"""How the tables' events are taken in: each once, in order, whoever else does the same at this moment.

A table's row is locked while its events are taken, so the database serialises them, and not a process. Only the event
after the last one is taken; earlier ones are skipped, and later ones are not taken. The tables' states are stored here,
too, and what people delete at a table is deleted from the hub.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select, tuple_, update
from sqlalchemy.dialects import postgresql, sqlite

from companion.outbox.letters import GONE
from hub.messages import Message, Told
from hub.store.forgetting import veil_in
from hub.store.opening import Store, now
from hub.store.schema import events, games, positions, seats, tables

#: How many messages one transaction may take.
MOST_MESSAGES = 256

#: What remains of a deleted event.
_LEFT = {"game": None, "at": None, "who": None, "kind": GONE, "event": None, "sum": None}


@dataclass(frozen=True, slots=True)
class Held:
    """How far a table's book is stored: that event's number and checksum. `is_missing`: what came is further ahead.

    `taken` is how many events are new.
    """

    table: str
    book: int
    sequence: int
    sum: int | None
    is_missing: bool = False
    taken: int = 0


def take(store: Store, messages: Sequence[Message]) -> dict[str, Held]:
    """Take in the messages in one transaction. Return, by table, what is stored once it is committed.

    A table that is not enrolled, or whose key was revoked, is left out. Raises SQLAlchemyError, and then takes nothing.
    """
    wanted = sorted({message.table for message in messages})
    with store.engine.begin() as connection:
        known = _locked(connection, wanted)
        veil = veil_in(connection)  # after the tables' rows are locked: whoever forgets a name waits for these
        held = {table: each for table, (_, each) in known.items()}
        rows: list[dict[str, Any]] = []
        made: dict[tuple[int, int, int], dict[str, Any]] = {}
        for message in messages:
            if message.table in known:
                number = known[message.table][0]
                held[message.table], fresh = _taken(held[message.table], message)
                fresh = [veil.told(told) for told in fresh] if veil else fresh
                rows += [_row(number, message.book, told) for told in fresh]
                for told in fresh:
                    if told.position is not None:
                        key = (number, message.book, int(told.position["id"]))
                        made[key] = {"of": number, "book": message.book, **told.position}
        _write(connection, rows, list(made.values()), store.is_postgresql)
        for message in messages:
            if message.deleted and message.table in known and message.book == held[message.table].book:
                delete_games(connection, known[message.table][0], message.book, message.deleted)
        moved = [
            {"of": known[table][0], "book": each.book, "last": each.sequence, "last_sum": each.sum}
            for table, each in held.items()
            if each.taken
        ]
        if moved:
            changed: dict[str, Any] = {name: bindparam(name) for name in ("book", "last", "last_sum")}
            connection.execute(update(tables).where(tables.c.number == bindparam("of")).values(changed), moved)
    return held


def _locked(connection: Connection, wanted: Sequence[str]) -> Mapping[str, tuple[int, Held]]:
    """Return the rows of these tables, locked in the order of their ids, as required for locking several."""
    query = (
        select(tables.c.number, tables.c.id, tables.c.book, tables.c.last, tables.c.last_sum)
        .where(tables.c.id.in_(wanted), tables.c.revoked.is_(None))
        .order_by(tables.c.id)
        .with_for_update()
    )
    return {row.id: (row.number, Held(row.id, row.book, row.last, row.last_sum)) for row in connection.execute(query)}


def _taken(held: Held, message: Message) -> tuple[Held, list[Told]]:
    """Return what is stored after the message, and what of it is new. An older book is over; a new one begins at 1."""
    if message.book < held.book or not message.events:
        return held, []
    begins = message.book > held.book
    last = 0 if begins else held.sequence
    if message.events[0].n > last + 1:
        return (held if begins else replace(held, is_missing=True)), []
    fresh = [told for told in message.events if told.n > last]
    if not fresh:
        return held, []
    newest = fresh[-1]
    return Held(held.table, message.book, newest.n, newest.sum, taken=held.taken + len(fresh)), fresh


def _row(number: int, book: int, told: Told) -> dict[str, Any]:
    return {
        "of": number, "book": book, "n": told.n, "game": told.game, "at": told.at, "who": told.who,
        "kind": told.kind, "event": told.event, "sum": told.sum,
    }  # fmt: skip


def _write(
    connection: Connection, rows: Sequence[dict[str, Any]], made: Sequence[dict[str, Any]], is_postgresql: bool
) -> None:
    if rows:
        connection.execute(insert(events), rows)
    if made:  # an event may name a position that an earlier one made
        upsert = (postgresql.insert if is_postgresql else sqlite.insert)(positions).on_conflict_do_nothing()
        connection.execute(upsert, made)


def keep_states(store: Store, states: Mapping[str, str]) -> None:
    """Store the states of these tables, by id. Those who take their events lock them in the same order."""
    if not states:
        return
    changed: dict[str, Any] = {name: bindparam(name) for name in ("state", "state_at")}
    with store.engine.begin() as connection:
        chosen = select(tables.c.id).where(tables.c.id.in_(sorted(states))).order_by(tables.c.id)
        connection.execute(chosen.with_for_update()).all()
        veil = veil_in(connection)  # after the rows are locked: what waited here came before a name was forgotten
        stood = [{"of": table, "state": veil.standing(state) if veil else state, "state_at": now()}
                 for table, state in sorted(states.items())]  # fmt: skip
        connection.execute(update(tables).where(tables.c.id == bindparam("of")).values(changed), stood)


def states(store: Store) -> Mapping[str, str]:
    """Return each table's last reported state, by its id."""
    with store.reading.connect() as connection:
        rows = connection.execute(select(tables.c.id, tables.c.state).where(tables.c.state.is_not(None)))
        return {row.id: str(row.state) for row in rows}


def delete_games(connection: Connection, table: int, book: int, wanted: Sequence[int]) -> None:
    """Delete these games of a table's book, if they are there, because people deleted them at the table.

    The events' numbers stay, as in a logbook: they count as gone. The same game in an older book, sent before the
    table's logbook was restored from a copy, is recognised by the time of its deal and by its checksum, and is deleted,
    too. What a tournament took over as a result stays, because it is the organiser's.
    """
    here = (events.c.of == table) & (events.c.book == book)
    there = select(events.c.game).where(here, events.c.game.in_(wanted)).distinct()
    gone_games = {(book, int(game)) for game in connection.scalars(there)}
    if not gone_games:
        return
    dealt = select(events.c.at, events.c.sum).where(
        here, events.c.game.in_([game for _, game in gone_games]), events.c.kind == "GameDealt"
    )
    marks = [(row.at, row.sum) for row in connection.execute(dealt) if row.sum is not None]
    if marks:
        same = tuple_(events.c.at, events.c.sum).in_(marks)
        others = select(events.c.book, events.c.game).where(events.c.of == table, events.c.kind == "GameDealt", same)
        gone_games |= {(row.book, int(row.game)) for row in connection.execute(others) if row.game is not None}
    for of_book, game in sorted(gone_games):
        for each in (seats, games, positions):
            connection.execute(delete(each).where(each.c.of == table, each.c.book == of_book, each.c.game == game))
        gone = (events.c.of == table) & (events.c.book == of_book) & (events.c.game == game)
        connection.execute(update(events).where(gone).values(**_LEFT))
