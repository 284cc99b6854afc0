"""The reading side of the logbook's tables: rows in, values out, each row compared with its check."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from companion.board import BadInputError, PlayerColor, player_color
from companion.board.fields import mapping
from companion.commands import StartGame
from companion.events import Event
from companion.games.contract import Dealt, Position
from companion.logbook.people import People
from companion.logbook.schema import CHECKED, named, sum_of
from companion.plain import Forms
from companion.session import State
from companion.session.state import Past
from companion.verdicts import position_after


class DamagedError(BadInputError):
    """A row of the logbook is missing, or is not as it was written."""


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """One event of the logbook: its number, its game (None: no game was on), when (UTC), and who wanted it."""

    number: int
    game: int | None
    at: str
    who: str
    event: Event


@dataclass(frozen=True, slots=True)
class Place:
    """The state of the books: the game in progress, the state, and the numbers of its positions (`positions_of`).

    `event` is the last one that led to the state. `is_newest` is False if newer rows are damaged.
    """

    game: int | None = None
    state: State | None = None
    ids: Sequence[int] = ()
    event: int = 0
    is_newest: bool = True

    def carried(self, state: State | None) -> Place:
        """Return the same place with that state, whose positions may be other objects.

        If the state differs, none of its positions count as written; if it is of another game, nothing at all does.
        """
        if state is None or self.state is None or state == self.state:
            return replace(self, state=state) if state == self.state else Place()
        mine, other = self.state.position, state.position
        is_same_game = mine is not None and other is not None and mine.ground == other.ground
        return Place(self.game) if is_same_game and state.game == self.state.game else Place()


_BETWEEN = "SELECT id FROM events WHERE id BETWEEN ? AND ?"


def made_by(plain: Mapping[str, Any]) -> int | None:
    """Return the number of the position that an event made, as it is written; None if it changed nothing."""
    number = None if plain["is"] == "MoveRefused" else plain.get("after", plain.get("position"))
    return number if isinstance(number, int) else None


def set_back_in(connection: sqlite3.Connection) -> list[range]:
    """Return the numbers of the events that are kept but no longer count (GameSetBack); raises sqlite3.Error."""
    told = connection.execute("SELECT id, event FROM events WHERE kind = 'GameSetBack'").fetchall()
    return [range(int(_json(event)["last"]) + 1, number) for number, event in told]


def positions_of(state: State) -> tuple[Position, ...]:
    """Return all positions that the state holds, in the order they are written in; some more than once."""
    positions: list[Position] = []
    Forms(write_position=positions.append).write(State, state)
    return tuple(positions)


class Rows:
    """Reads rows through one connection. All methods raise DamagedError and sqlite3.Error.

    With `people`, players have their current names; without, those that were written down.
    """

    def __init__(self, connection: sqlite3.Connection, people: People | None = None) -> None:
        self._connection, self._people = connection, people or People()
        self._forms = Forms(read_position=self.position)
        self._grounds: dict[int, Dealt] = {}
        self._on_ground: dict[int, Forms] = {}  # making them takes as long as reading a position
        self._positions: dict[int, Position] = {}

    @property
    def newest(self) -> int:
        """The number of the last event; 0 before the first."""
        (newest,) = self._connection.execute("SELECT coalesce(max(id), 0) FROM events").fetchone()
        return int(newest)

    def game(self, number: int) -> tuple[StartGame, Dealt]:
        """Return the game that was dealt, and its ground."""
        row = self._row("games", number)
        if number not in self._grounds:
            self._grounds[number] = self._forms.read_ground(_json(row["ground"]))
        game: StartGame = self._forms.read(StartGame, _json(row["game"]))
        return replace(game, players=self._people.seated(number, game.players)), self._grounds[number]

    def position(self, number: int) -> Position:
        """Return the position of that number; the same object each time."""
        if number not in self._positions:
            row = self._row("positions", number)
            game, ground = self.game(row["game"])
            if row["game"] not in self._on_ground:
                self._on_ground[row["game"]] = Forms(ground)
            position = self._on_ground[row["game"]].read_position(_json(row["position"]))
            if position.players != game.players:  # they were named after it was written
                position = replace(position, players=game.players)  # type: ignore[type-var]
            self._positions[number] = position
        return self._positions[number]

    def events(self, game: int | None = None, after: int = 0) -> Iterator[LoggedEvent]:
        """Yield the events of a game (None: all events) that count, oldest first, starting after number `after`."""
        of_game = "" if game is None else f"AND game = {game:d}"
        set_back = set_back_in(self._connection)
        for row in self._select(f"SELECT * FROM events WHERE id > {after:d} {of_game} ORDER BY id"):
            if not any(row["id"] in each for each in set_back):
                yield self._told(checked("events", row))

    def place(self) -> Place:
        """Return the state of the books according to their newest intact rows; damaged rows raise nothing."""
        is_newest, place = True, Place()
        for row in self._tolerant("SELECT * FROM states ORDER BY id DESC"):
            try:
                state = self._forms.read(State, _json(checked("states", row)["state"]))
                place = Place(row["game"], state, self._ids(state), row["event"])
                break
            except (BadInputError, sqlite3.Error):
                is_newest = False
        else:
            is_newest = is_newest and self.newest == 0
        if not is_newest:
            place = self._with_what_followed(self._by_events(place) or place)
        return replace(place, is_newest=is_newest)

    def whole_events(self, place: Place) -> tuple[Event, ...]:
        """Return all events of the game that led to that place; none if one of them is missing or damaged."""
        if place.game is None:
            return ()
        try:
            entries = [entry for entry in self.events(place.game) if entry.number <= place.event]
            first = entries[0].number if entries else place.event
            numbers = {row["id"] for row in self._select(_BETWEEN, first, place.event)}
        except (BadInputError, sqlite3.Error):
            return ()
        if not entries or set(range(first, place.event + 1)) - numbers:
            return ()
        return tuple(entry.event for entry in entries)

    def _ids(self, state: State) -> list[int]:
        """Return the numbers of the positions that the state was read with."""
        numbers = {id(position): number for number, position in self._positions.items()}
        return [numbers[id(position)] for position in positions_of(state)]

    def _by_events(self, place: Place) -> Place | None:
        """Return the place after the newest event that made a readable position, with everything before it."""
        query = f"SELECT * FROM events WHERE id > {place.event:d} ORDER BY id DESC"
        for row in self._tolerant(query):
            try:
                entry = self._told(checked("events", row))
                position = position_after(entry.event)
                if position is None or entry.game is None:
                    continue
                number = next(known for known, held in self._positions.items() if held is position)
                state = self.state_at(number)
            except (BadInputError, sqlite3.Error):
                continue
            return Place(entry.game, state, self._ids(state), entry.number)
        return None

    def _with_what_followed(self, place: Place) -> Place:
        """Return the place with the events after it that left its position as it was."""
        for row in self._tolerant(f"SELECT * FROM events WHERE id > {place.event:d} ORDER BY id"):
            try:
                plain = _json(checked("events", row)["event"])
            except BadInputError:
                break
            if made_by(plain) is not None:
                break
            state = place.state
            if state is not None and plain["is"] in ("GamePaused", "GameResumed"):
                state = replace(state, is_paused=plain["is"] == "GamePaused")
            place = replace(place, state=state, event=row["id"])
        return place

    def state_at(self, number: int) -> State:
        """Return the game at the position of that number, with what led to it as far back as that is readable."""
        game, _ = self.game(self._row("positions", number)["game"])
        *history, (_, marks) = [(self.position(known), marks) for known, marks in self._chain(number)]
        return State(game, self.position(number), marks, tuple(Past(held, then) for held, then in history))

    def previous(self, number: int) -> int | None:
        """Return the number of the position before the move that made this one."""
        previous: int | None = self._row("positions", number)["previous"]
        return previous

    def _chain(self, number: int) -> list[tuple[int, dict[PlayerColor, int]]]:
        """Return the positions up to that one with their marks, oldest first, as far back as they are readable."""
        chain: list[tuple[int, dict[PlayerColor, int]]] = []
        step: int | None = number
        while step is not None:
            try:
                row = self._row("positions", step)
                self.position(step)
            except (BadInputError, sqlite3.Error):
                if not chain:
                    raise
                break
            marks = {player_color(color): field for color, field in mapping(_json(row["marks"]), "marks").items()}
            chain.insert(0, (step, marks))
            step = row["previous"] if row["previous"] is not None and row["previous"] < step else None
        return chain

    def _told(self, row: Mapping[str, Any]) -> LoggedEvent:
        event: Event = self._forms.read(Event, _json(row["event"]))  # type: ignore[arg-type]
        return LoggedEvent(row["id"], row["game"], row["at"], row["who"], self._people.told(row["game"], event))

    def _row(self, table: str, number: int) -> Mapping[str, Any]:
        for row in self._select(f"SELECT * FROM {table} WHERE id = ?", number):
            return checked(table, row)
        raise DamagedError(f"the logbook lacks row {number} of {table}")

    def _select(self, query: str, *values: object) -> Iterator[dict[str, Any]]:
        return named(self._connection.execute(query, values))

    def _tolerant(self, query: str) -> Iterator[dict[str, Any]]:
        """Yield the rows up to the first unreadable one."""
        try:
            yield from self._select(query)
        except sqlite3.Error:
            return


def checked(table: str, row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the row; raises DamagedError if its checksum does not match."""
    columns = [row[name] for name in CHECKED[table]]
    if any(isinstance(column, bytes) for column in columns) or sum_of(*columns) != row["sum"]:
        raise DamagedError(f"row {row['id']!r:.20} of {table} in the logbook is not what was written")
    return row


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DamagedError(f"the logbook holds what is not valid JSON ({error})") from None
