"""What was ruled in a table's newest game, out of the events that it told."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select

from companion.board import BadInputError
from companion.board.fields import mapping
from companion.events import Event
from companion.games.contract import Dealt, Player, Position
from companion.plain import Forms
from companion.verdicts import Move, move_of
from hub.store.opening import Store
from hub.store.schema import events, positions

#: So many of the newest events are looked through for rulings, and so many rulings are told.
MOST_EVENTS, MOST_RULINGS = 400, 40


@dataclass(frozen=True, slots=True)
class Ruling:
    """A verdict of a game: the event's number in the table's logbook, when (UTC), what was ruled, and the event."""

    number: int
    at: str
    move: Move
    event: Event


@dataclass(frozen=True, slots=True)
class Story:
    """The rulings of a game, the newest first, by which rules and among whom they were made."""

    rules: str
    players: Sequence[Player]
    rulings: Sequence[Ruling]


def story(store: Store, table: int, book: int) -> Story | None:
    """Return the story of the newest game of that table, by its number; None where there is none that makes sense."""
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
    query = select(events).where(here, events.c.n >= dealt.n).order_by(events.c.n.desc()).limit(MOST_EVENTS)
    told = 0
    for row in connection.execute(query).all():
        if row.event is None or told == MOST_RULINGS:
            continue
        try:
            event = reader.event(row.event)
        except (BadInputError, ValueError, RecursionError):
            continue  # of another version, or of no sense: the others are told
        move = move_of(event)
        if move is not None:
            told += 1
            yield Ruling(row.n, row.at or "", move, event)


class Reader:
    """Reads the events of a table's book, by (table, book); positions are in rows of their own."""

    def __init__(self, connection: Connection, table: tuple[int, int], ground: Dealt) -> None:
        self._connection, self._table = connection, table
        self._on_ground = Forms(ground)
        self._forms = Forms(read_position=self._position)
        self._known: dict[int, Position] = {}

    def event(self, text: str) -> Event:
        """Return the event; raises BadInputError or ValueError."""
        plain = mapping(json.loads(text), "an event")
        found: Event = self._forms.read(Event, {k: v for k, v in plain.items() if k not in ("ground", "place")})  # type: ignore[arg-type]
        return found

    def _position(self, number: Any) -> Position:
        if number not in self._known:
            here = (positions.c.of == self._table[0]) & (positions.c.book == self._table[1])
            query = select(positions.c.position).where(here, positions.c.id == number)
            text = self._connection.execute(query).scalar()
            if text is None:
                raise BadInputError(f"position {number!r:.20} was not told")
            self._known[number] = self._on_ground.read_position(json.loads(text))
        return self._known[number]
