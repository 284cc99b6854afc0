"""What people delete at a table goes from the hub, too: the game's events and positions, and how it ended.

The events' numbers stay, as those of a logbook do: they are told as gone. The same game in an older book, which the
table told before it came back from a copy, is known by when it was dealt and by its checksum, and goes along. What a
tournament took over as a result stays: it is the organiser's.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, delete, select, tuple_, update

from companion.outbox.letters import GONE
from hub.store.schema import events, games, positions, seats

#: What is left of an event.
_LEFT = {"game": None, "at": None, "who": None, "kind": GONE, "event": None, "sum": None}


def delete_games(connection: Connection, table: int, book: int, wanted: Sequence[int]) -> None:
    """Delete these games of a table's book, as far as they are there; what is gone already is left alone."""
    here = (events.c.of == table) & (events.c.book == book)
    there = select(events.c.game).where(here, events.c.game.in_(wanted)).distinct()
    found = {(book, int(game)) for game in connection.scalars(there)}
    if not found:
        return
    dealt = select(events.c.at, events.c.sum).where(
        here, events.c.game.in_([game for _, game in found]), events.c.kind == "GameDealt"
    )
    marks = [(row.at, row.sum) for row in connection.execute(dealt) if row.sum is not None]
    if marks:
        same = tuple_(events.c.at, events.c.sum).in_(marks)
        others = select(events.c.book, events.c.game).where(events.c.of == table, events.c.kind == "GameDealt", same)
        found |= {(row.book, int(row.game)) for row in connection.execute(others) if row.game is not None}
    for of_book, game in sorted(found):
        for each in (seats, games, positions):
            connection.execute(delete(each).where(each.c.of == table, each.c.book == of_book, each.c.game == game))
        gone = (events.c.of == table) & (events.c.book == of_book) & (events.c.game == game)
        connection.execute(update(events).where(gone).values(**_LEFT))
