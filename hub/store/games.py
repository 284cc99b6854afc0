"""The games that have ended at all tables, reckoned from the events that the tables told.

Nothing is counted on: whenever a table has told more, the games that this is about are reckoned anew, and stand as they
stand then. A move that was taken back after the end, a name that was corrected, a game that was deleted at its table:
all of it follows. Where a logbook was brought back from a copy, it tells the same games in a new book; a game that
began at the same moment is the same one, and counts once.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, insert, or_, select, update

from companion.board import BadInputError
from companion.board.fields import mapping
from companion.events import CellReread, GameDealt, GameOver, PlayersNamed
from companion.games import rule_set, score
from companion.games.contract import Player, Position
from companion.plain import Forms
from hub.store.opening import UNFIT, Store
from hub.store.schema import about, events, games, seats, tables
from hub.store.story import Reader

#: The events after which a game may have ended otherwise, or not at all.
TELLING = ("GameDealt", "GameOver", "MovesUndone", "GameSetBack", "PlayersNamed", "CellReread", "Gone")

#: Under this name it is kept how often any game was reckoned otherwise than before.
CHANGES = "games-changed"

#: So many tables are reckoned in one transaction.
MOST_TABLES = 50


@dataclass(frozen=True, slots=True)
class Seated:
    """Somebody in a game that has ended: `name` is "" where nobody said it, `won` the share of the victory."""

    name: str
    color: str
    gold: int
    won: float


@dataclass(frozen=True, slots=True)
class Ended:
    """A game that has ended at the table of that number; times are UTC, seats in the order of turns."""

    table: int
    book: int
    game: int
    n: int
    began: str
    ended: str
    outcome: str
    rules: str
    seats: tuple[Seated, ...]

    @property
    def is_together(self) -> bool:
        """Whether all played together, and nobody could win."""
        try:
            return rule_set(self.rules).is_together
        except BadInputError:
            return False


@dataclass(frozen=True, slots=True)
class Reckoned:
    """What was reckoned: for how many tables, and at which of them a game may have ended otherwise than before."""

    tables: int
    changed: frozenset[int]


def reckon(store: Store) -> Reckoned:
    """Reckon what tables have told since the last time, some tables at once. Raises SQLAlchemyError."""
    has_more = or_(tables.c.last != tables.c.reckoned, tables.c.book != tables.c.reckoned_book)
    query = select(tables).where(has_more).order_by(tables.c.id).limit(MOST_TABLES)
    with store.reading.connect() as connection:
        told = connection.execute(query).all()
        wanted = {table.number: _wanted(connection, table) for table in told}
    if not told:
        return Reckoned(0, frozenset())
    with store.engine.begin() as connection:
        _note(connection, [table for table in told if not wanted[table.number]])
    telling = [table for table in told if wanted[table.number]]
    with store.engine.begin() as connection:
        # Whoever deletes games there, or forgets a name in them, is waited for, or waits: what is read here is so still
        # once it is written.
        numbers = [table.number for table in telling]
        chosen_tables = select(tables.c.id).where(tables.c.number.in_(numbers)).order_by(tables.c.id)
        connection.execute(chosen_tables.with_for_update()).all()
        changed = [again(connection, each.number, each.book, game) for each in telling for game in wanted[each.number]]
        if any(changed):
            kept = connection.execute(select(about.c.value).where(about.c.name == CHANGES)).scalar()
            connection.execute(delete(about).where(about.c.name == CHANGES))
            connection.execute(insert(about).values(name=CHANGES, value=str(int(kept or 0) + 1)))
        _note(connection, telling)
    return Reckoned(len(told), frozenset(numbers))


def _wanted(connection: Connection, table: Row[Any]) -> list[int]:
    """Return the games that may have ended otherwise since that table was reckoned."""
    since = table.reckoned if table.reckoned_book == table.book else 0
    newer = (events.c.of == table.number) & (events.c.book == table.book) & (events.c.n > since)
    chosen = select(events.c.game).where(newer, events.c.n <= table.last, events.c.kind.in_(TELLING))
    return [int(game) for game in connection.scalars(chosen.where(events.c.game.is_not(None)).distinct())]


def _note(connection: Connection, done: Sequence[Row[Any]]) -> None:
    """Note up to where these tables are reckoned."""
    if done:
        changed: dict[str, Any] = {"reckoned_book": bindparam("book_now"), "reckoned": bindparam("n_now")}
        rows = [{"of": table.number, "book_now": table.book, "n_now": table.last} for table in done]
        connection.execute(update(tables).where(tables.c.number == bindparam("of")).values(changed), rows)


def again(connection: Connection, table: int, book: int, game: int) -> bool:
    """Write down how that game ended; nothing of one that goes on, or makes no sense. Return whether it differs."""
    before = _kept(connection, table, book, game)
    own = (games.c.of == table) & (games.c.book == book) & (games.c.game == game)
    connection.execute(delete(seats).where(seats.c.of == table, seats.c.book == book, seats.c.game == game))
    connection.execute(delete(games).where(own))
    try:
        found = _ended(connection, table, book, game)
        if found is not None:
            with connection.begin_nested():
                _write(connection, found)
    except (BadInputError, ArithmeticError, LookupError, TypeError, ValueError, RecursionError, AttributeError, *UNFIT):
        pass  # of another version, of no sense, or nothing that a database keeps: the others count
    return before != _kept(connection, table, book, game)


def _kept(connection: Connection, table: int, book: int, game: int) -> list[tuple[Any, ...]]:
    """Return what is written down of that game."""
    query = (
        select(games, seats)
        .join(seats, (seats.c.of == games.c.of) & (seats.c.book == games.c.book) & (seats.c.game == games.c.game))
        .where(games.c.of == table, games.c.book == book, games.c.game == game)
        .order_by(seats.c.seat)
    )
    return [tuple(row) for row in connection.execute(query)]


def _write(connection: Connection, found: Ended) -> None:
    table, book, game = found.table, found.book, found.game
    same = (games.c.of == table) & (games.c.began == found.began)
    for before in connection.execute(select(games).where(same)).all():
        if before.book > book:
            return
        gone = (seats.c.of == table) & (seats.c.book == before.book) & (seats.c.game == before.game)
        connection.execute(delete(seats).where(gone))
    connection.execute(delete(games).where(same))
    connection.execute(
        insert(games).values(
            of=table, book=book, game=game, n=found.n, began=found.began, ended=found.ended, outcome=found.outcome,
            rules=found.rules,
        )
    )  # fmt: skip
    rows = [
        {"of": table, "book": book, "game": game, "seat": number, "name": seat.name, "color": seat.color,
         "gold": seat.gold, "won": seat.won}
        for number, seat in enumerate(found.seats)
    ]  # fmt: skip
    connection.execute(insert(seats), rows)


def games_ended(store: Store, *where: Any, newest: int | None = None) -> tuple[Ended, ...]:
    """Return the games that have ended and are meant, the oldest first; `newest`: no more than so many of the last."""
    query = select(games).where(*where).order_by(games.c.ended.desc(), games.c.of, games.c.game)
    with store.reading.connect() as connection:
        rows = connection.execute(query if newest is None else query.limit(newest)).all()
        if rows and newest is not None:
            where = (*where, games.c.ended >= rows[-1].ended)  # else the seats of all others were read, too
        sat: dict[tuple[int, int, int], list[Seated]] = {}
        own = (seats.c.of == games.c.of) & (seats.c.book == games.c.book) & (seats.c.game == games.c.game)
        chosen = select(seats).join(games, own).where(*where).order_by(seats.c.seat)
        for row in connection.execute(chosen):
            sat.setdefault((row.of, row.book, row.game), []).append(Seated(row.name, row.color, row.gold, row.won))
    found = [
        Ended(
            row.of, row.book, row.game, row.n, row.began, row.ended, row.outcome, row.rules,
            tuple(sat.get((row.of, row.book, row.game), ())),
        )
        for row in rows
    ]  # fmt: skip
    return tuple(reversed(found))


def _ended(connection: Connection, table: int, book: int, game: int) -> Ended | None:
    here = (events.c.of == table) & (events.c.book == book) & (events.c.game == game)
    query = select(events).where(here, events.c.kind.in_(TELLING)).order_by(events.c.n)
    rows = connection.execute(query).all()
    dealt = next((row for row in rows if row.kind == "GameDealt" and row.event is not None), None)
    if dealt is None:
        return None
    plain = mapping(json.loads(dealt.event), "a deal")
    reader = Reader(connection, (table, book), Forms().read_ground(plain.get("ground")))
    opening = reader.event(dealt.event)
    assert isinstance(opening, GameDealt)
    players: Sequence[Player] = opening.game.players
    over: Any = None
    position: Position | None = None
    for row in rows:
        match row.kind:
            case "GameOver":
                over, position = row, None
            case "MovesUndone" | "GameSetBack" | "GameDealt":
                over = None
            case "PlayersNamed" if row.event is not None:
                named = reader.event(row.event)
                players = named.players if isinstance(named, PlayersNamed) else players
            case "CellReread" if row.event is not None and over is not None:
                reread = reader.event(row.event)
                position = reread.position if isinstance(reread, CellReread) and reread.position.over else position
    if over is None or over.event is None:
        return None
    end = reader.event(over.event)
    assert isinstance(end, GameOver)
    winners = end.winners if position is None else score(position).winners
    gold = score(position or end.position).gold
    sat = tuple(
        Seated(
            " ".join(player.name.split()) if player.is_named else "", str(player.color), gold.get(player.color, 0),
            (player.color in winners) / max(1, len(winners)),
        )
        for player in players
    )  # fmt: skip
    outcome = "early" if end.early else "over"
    return Ended(
        table, book, game, dealt.n, dealt.at or "", over.at or "", outcome, opening.game.rules, sat
    )  # fmt: skip
