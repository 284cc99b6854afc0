"""The games that have ended at all tables, worked out from the events that the tables sent.

Nothing is carried forward: whenever a table has sent more, the games concerned are worked out anew, as they are then.
So a move that was taken back after the end, a name that was corrected and a game that was deleted at its table all have
their effect. If a logbook was brought back from a copy, it sends the same games in a new book; a game that began at the
same moment is the same one, and counts once. The rulings in a table's newest game are read here, too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, func, insert, or_, select, update

from companion.board import BadInputError
from companion.board.fields import mapping
from companion.events import CellReread, Event, GameDealt, GameOver, PlayersNamed
from companion.games import rule_set, score
from companion.games.contract import Dealt, Player, Position
from companion.plain import Forms
from companion.verdicts import Move, move_of
from hub.store.opening import UNFIT, Store
from hub.store.schema import about, events, games, positions, seats, tables

#: The events after which a game may have ended differently, or not at all.
TELLING = ("GameDealt", "GameOver", "MovesUndone", "GameSetBack", "PlayersNamed", "CellReread", "Gone")

#: Under this name it is stored how often the result of any game has changed.
CHANGES = "games-changed"

#: The last event of these kinds says whether a game is over.
ENDING = ("GameDealt", "GameOver", "MovesUndone", "GameSetBack")

#: How many tables are worked out in one transaction.
MOST_TABLES = 50

#: How many events and games of one table are processed at once, and how many events of one game, the newest. However
#: much a table sends, the others must not wait for it. A game has a few hundred events.
MOST_EVENTS, MOST_GAMES = 5000, 20

#: A game's deal is among this many of its first events; and how many namings and corrections are read, the newest.
MOST_FIRST, MOST_READ = 100, 50

#: How many of the newest events are searched for rulings, and how many rulings are returned.
MOST_LOOKED, MOST_RULINGS = 400, 40


@dataclass(frozen=True, slots=True)
class Seated:
    """Somebody in a game that has ended: `name` is "" if nobody gave it, `won` is their share of the victory."""

    name: str
    color: str
    gold: int
    won: float


@dataclass(frozen=True, slots=True)
class Ended:
    """A game that has ended at the table with that number. Times are UTC, seats are in turn order."""

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
        """Whether all played together, so that nobody could win."""
        try:
            return rule_set(self.rules).is_together
        except BadInputError:
            return False


@dataclass(frozen=True, slots=True)
class Reckoned:
    """What was done: how many tables, the last one's id, and the tables where a game may have ended differently."""

    tables: int
    changed: frozenset[int]
    last: str = ""


def reckon(store: Store, beyond: str = "") -> Reckoned:
    """Work out what some tables have sent since the last time: those whose ids come after `beyond`.

    Calling it again with the last id, until there is none, visits each table once. Raises SQLAlchemyError.
    """
    has_more = or_(tables.c.last != tables.c.reckoned, tables.c.book != tables.c.reckoned_book)
    query = select(tables).where(has_more, tables.c.id > beyond).order_by(tables.c.id).limit(MOST_TABLES)
    with store.reading.connect() as connection:
        told = connection.execute(query).all()
        wanted = {table.number: _wanted(connection, table) for table in told}
    if not told:
        return Reckoned(0, frozenset(), beyond)
    with store.engine.begin() as connection:
        _note(connection, [(table, wanted[table.number][1]) for table in told if not wanted[table.number][0]])
    telling = [table for table in told if wanted[table.number][0]]
    with store.engine.begin() as connection:
        # Whoever deletes games at these tables, or forgets a name in them, is waited for, or waits: so what is read
        # here is still true when it is written.
        numbers = [table.number for table in telling]
        chosen_tables = select(tables.c.id).where(tables.c.number.in_(numbers)).order_by(tables.c.id)
        connection.execute(chosen_tables.with_for_update()).all()
        asked = [(each.number, each.book, game) for each in telling for game in wanted[each.number][0]]
        changed = [again(connection, *each) for each in asked]
        if any(changed):
            kept = connection.execute(select(about.c.value).where(about.c.name == CHANGES)).scalar()
            connection.execute(delete(about).where(about.c.name == CHANGES))
            connection.execute(insert(about).values(name=CHANGES, value=str(int(kept or 0) + 1)))
        _note(connection, [(table, wanted[table.number][1]) for table in telling])
    return Reckoned(len(told), frozenset(numbers), told[-1].id)


def _wanted(connection: Connection, table: Row[Any]) -> tuple[list[int], int]:
    """Return the games that may have ended differently since the last time, and the last event that this covers.

    There is a limit to how many; the rest follow the next time.
    """
    since = table.reckoned if table.reckoned_book == table.book else 0
    upto = min(table.last, since + MOST_EVENTS)
    newer = (events.c.of == table.number) & (events.c.book == table.book) & (events.c.n > since) & (events.c.n <= upto)
    begins = func.min(events.c.n).label("begins")
    query = (
        select(events.c.game, begins)
        .where(newer, events.c.kind.in_(TELLING), events.c.game.is_not(None))
        .group_by(events.c.game).order_by(begins).limit(MOST_GAMES + 1)
    )  # fmt: skip
    rows = connection.execute(query).all()
    if len(rows) > MOST_GAMES:
        upto = rows[MOST_GAMES].begins - 1
    return [int(row.game) for row in rows[:MOST_GAMES]], upto


def _note(connection: Connection, done: Sequence[tuple[Row[Any], int]]) -> None:
    """Note how far these tables have been worked out."""
    if done:
        changed: dict[str, Any] = {"reckoned_book": bindparam("book_now"), "reckoned": bindparam("n_now")}
        rows = [{"of": table.number, "book_now": table.book, "n_now": upto} for table, upto in done]
        connection.execute(update(tables).where(tables.c.number == bindparam("of")).values(changed), rows)


def again(connection: Connection, table: int, book: int, game: int) -> bool:
    """Write how that game ended, or nothing if it goes on or makes no sense. Return whether the result has changed."""
    before = _kept(connection, table, book, game)
    own = (games.c.of == table) & (games.c.book == book) & (games.c.game == game)
    connection.execute(delete(seats).where(seats.c.of == table, seats.c.book == book, seats.c.game == game))
    connection.execute(delete(games).where(own))
    try:
        ended = _ended(connection, table, book, game)
        if ended is not None:
            with connection.begin_nested():
                _write(connection, ended)
    except (BadInputError, ArithmeticError, LookupError, TypeError, ValueError, RecursionError, AttributeError, *UNFIT):
        pass  # of another version, nonsense, or nothing that a database can store: the others count
    return before != _kept(connection, table, book, game)


def _kept(connection: Connection, table: int, book: int, game: int) -> list[tuple[Any, ...]]:
    """Return what is stored of that game."""
    query = (
        select(games, seats)
        .join(seats)
        .where(games.c.of == table, games.c.book == book, games.c.game == game)
        .order_by(seats.c.seat)
    )
    return [tuple(row) for row in connection.execute(query)]


def _write(connection: Connection, ended: Ended) -> None:
    table, book, game = ended.table, ended.book, ended.game
    same = (games.c.of == table) & (games.c.began == ended.began)
    for before in connection.execute(select(games).where(same)).all():
        if before.book > book:
            return
        gone = (seats.c.of == table) & (seats.c.book == before.book) & (seats.c.game == before.game)
        connection.execute(delete(seats).where(gone))
    connection.execute(delete(games).where(same))
    connection.execute(
        insert(games).values(
            of=table, book=book, game=game, n=ended.n, began=ended.began, ended=ended.ended, outcome=ended.outcome,
            rules=ended.rules,
        )
    )  # fmt: skip
    rows = [
        {"of": table, "book": book, "game": game, "seat": number, "name": seat.name, "color": seat.color,
         "gold": seat.gold, "won": seat.won}
        for number, seat in enumerate(ended.seats)
    ]  # fmt: skip
    connection.execute(insert(seats), rows)


def games_ended(store: Store, *where: Any, newest: int | None = None) -> tuple[Ended, ...]:
    """Return the ended games that `where` selects, the oldest first; with `newest`, only that many of the last ones."""
    query = select(games).where(*where).order_by(games.c.ended.desc(), games.c.of, games.c.game)
    with store.reading.connect() as connection:
        rows = connection.execute(query if newest is None else query.limit(newest)).all()
        if rows and newest is not None:
            where = (*where, games.c.ended >= rows[-1].ended)  # else the seats of all others would be read, too
        sat: dict[tuple[int, int, int], list[Seated]] = {}
        chosen = select(seats).join(games).where(*where).order_by(seats.c.seat)
        for row in connection.execute(chosen):
            sat.setdefault((row.of, row.book, row.game), []).append(Seated(row.name, row.color, row.gold, row.won))
    newest_first = [
        Ended(
            row.of, row.book, row.game, row.n, row.began, row.ended, row.outcome, row.rules,
            tuple(sat.get((row.of, row.book, row.game), ())),
        )
        for row in rows
    ]  # fmt: skip
    return tuple(reversed(newest_first))


def _ended(connection: Connection, table: int, book: int, game: int) -> Ended | None:
    here = (events.c.of == table) & (events.c.book == book) & (events.c.game == game)

    def told(ns: Iterable[int]) -> Iterator[Row[Any]]:
        """Yield these events, in that order, except those that are gone."""
        for n in ns:
            row = connection.execute(select(events).where(here, events.c.n == n)).one_or_none()
            if row is not None and row.event is not None:
                yield row

    kinds = select(events.c.n, events.c.kind).where(here).limit(MOST_EVENTS)
    newest = [(row.n, row.kind) for row in connection.execute(kinds.order_by(events.c.n.desc()))]
    oldest = ((row.n, row.kind) for row in connection.execute(kinds.order_by(events.c.n).limit(MOST_FIRST)))
    dealt = next(told(n for n, kind in oldest if kind == "GameDealt"), None)
    last, how = next(((n, kind) for n, kind in newest if kind in ENDING), (0, ""))
    over = next(told([last]), None) if how == "GameOver" else None
    if dealt is None or over is None:
        return None
    plain = mapping(json.loads(dealt.event), "a deal")
    reader = Reader(connection, (table, book), Forms().read_ground(plain.get("ground")))
    opening, end = reader.event(dealt.event), reader.event(over.event)
    assert isinstance(opening, GameDealt)
    assert isinstance(end, GameOver)
    named = next(told(islice((n for n, kind in newest if kind == "PlayersNamed"), MOST_READ)), None)
    renamed = None if named is None else reader.event(named.event)
    players: Sequence[Player] = renamed.players if isinstance(renamed, PlayersNamed) else opening.game.players
    again_read = told(islice((n for n, kind in newest if kind == "CellReread" and n > last), MOST_READ))
    corrected = (event.position for row in again_read if isinstance(event := reader.event(row.event), CellReread))
    position: Position | None = next((each for each in corrected if each.over), None)
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


@dataclass(frozen=True, slots=True)
class Ruling:
    """A verdict in a game: the event's number in the table's logbook, when (UTC), what was ruled, and the event."""

    number: int
    at: str
    move: Move
    event: Event


@dataclass(frozen=True, slots=True)
class Story:
    """A game's rulings, the newest first, with the rules and the players."""

    rules: str
    players: Sequence[Player]
    rulings: Sequence[Ruling]


def story(store: Store, table: int, book: int) -> Story | None:
    """Return the story of that table's newest game; None if there is none that makes sense."""
    with store.reading.connect() as connection:
        here = (events.c.of == table) & (events.c.book == book)
        query = select(events).where(here, events.c.kind == "GameDealt").order_by(events.c.n.desc()).limit(1)
        dealt = connection.execute(query).one_or_none()
        if dealt is None:
            return None
        try:
            plain = mapping(json.loads(dealt.event), "a deal")
            reader = Reader(connection, (table, book), Forms().read_ground(plain.get("ground")))
            opening = reader.event(dealt.event)
            rulings = tuple(_rulings(connection, here, dealt, reader))
        except (BadInputError, ValueError, RecursionError):
            return None
    game: Any = getattr(opening, "game", None)
    return None if game is None else Story(game.rules, game.players, rulings)


def _rulings(connection: Connection, here: Any, dealt: Any, reader: Reader) -> Iterator[Ruling]:
    query = select(events).where(here, events.c.n >= dealt.n).order_by(events.c.n.desc()).limit(MOST_LOOKED)
    told = 0
    for row in connection.execute(query).all():
        if row.event is None or told == MOST_RULINGS:
            continue
        try:
            event = reader.event(row.event)
        except (BadInputError, ValueError, RecursionError):
            continue  # of another version, or nonsense: the others are returned
        move = move_of(event)
        if move is not None:
            told += 1
            yield Ruling(row.n, row.at or "", move, event)


class Reader:
    """Reads the events of a table's book, given as (table, book). Positions are in rows of their own."""

    def __init__(self, connection: Connection, table: tuple[int, int], ground: Dealt) -> None:
        self._connection, self._table = connection, table
        self._on_ground = Forms(ground)
        self._forms = Forms(read_position=self._position)
        self._known: dict[int, Position] = {}

    def event(self, text: str) -> Event:
        """Return the event. Raises BadInputError or ValueError."""
        plain = mapping(json.loads(text), "an event")
        event: Event = self._forms.read(Event, {k: v for k, v in plain.items() if k not in ("ground", "place")})  # type: ignore[arg-type]
        return event

    def _position(self, number: Any) -> Position:
        if number not in self._known:
            here = (positions.c.of == self._table[0]) & (positions.c.book == self._table[1])
            query = select(positions.c.position).where(here, positions.c.id == number)
            text = self._connection.execute(query).scalar()
            if text is None:
                raise BadInputError(f"position {number!r:.20} was not told")
            self._known[number] = self._on_ground.read_position(json.loads(text))
        return self._known[number]
