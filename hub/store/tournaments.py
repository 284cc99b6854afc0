"""Tournaments as they are stored: players, rounds and seatings. Their results are in hub/store/results.py."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from companion.board import BadInputError, NotNowError
from hub.store.forgetting import veil_in
from hub.store.opening import Store, now
from hub.store.schema import entrants, results, rounds, seatings, sittings, tables, tournaments
from hub.store.tables import proper_name
from hub.tournament.entering import entries
from hub.tournament.rounds import SIZES, History, Round, history_of
from hub.tournament.standings import Line, Played, Seat, standings

#: How many tournaments are kept, and how many rounds each may have.
MOST_TOURNAMENTS, MOST_ROUNDS = 500, 30


@dataclass(frozen=True, slots=True)
class Entrant:
    """Somebody who plays: from round `first` on, and up to round `last` if they have left."""

    number: int
    name: str
    club: str
    first: int
    last: int | None

    def plays_in(self, round_: int) -> bool:
        """Return whether they are there in that round."""
        return self.first <= round_ and (self.last is None or round_ <= self.last)


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a seating. `who` is "" for the table itself, and then `game` says which game."""

    number: int
    at: str
    who: str
    why: str
    game: str
    gold: tuple[int, ...]
    won: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Seating:
    """A table in a round, its players in turn order. `table` is the hub's table where they sit, None for none.

    `told` are the results; the newest is last, and counts.
    """

    number: int
    round: int
    place: int
    table: int | None
    book: int
    since: int
    players: tuple[int, ...]
    told: tuple[Result, ...] = ()

    @property
    def result(self) -> Result | None:
        """The result that counts; None before there is one."""
        return self.told[-1] if self.told else None


@dataclass(frozen=True, slots=True)
class DrawnRound:
    """A round as it was drawn: when, by whom, its tables, and who sits out."""

    number: int
    drawn: str
    by: str
    seatings: tuple[Seating, ...]
    resting: tuple[int, ...]

    @property
    def is_over(self) -> bool:
        """Whether every table has a result."""
        return all(seating.result is not None for seating in self.seatings)


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament, whole."""

    number: int
    name: str
    size: int
    planned: int
    most_tables: int | None
    is_open: bool
    made: str
    changed: int
    players: Mapping[int, Entrant] = field(default_factory=dict)
    rounds: tuple[DrawnRound, ...] = ()

    @property
    def next_round(self) -> int:
        """The number of the next round to be drawn."""
        return len(self.rounds) + 1

    @property
    def history(self) -> History:
        """Who has met whom so far."""
        return history_of(
            Round(tuple(each.players for each in round_.seatings), round_.resting) for round_ in self.rounds
        )

    def playing(self, round_: int) -> tuple[int, ...]:
        """Return who is there in that round."""
        return tuple(number for number, each in self.players.items() if each.plays_in(round_))

    def standings(self, after: int | None = None) -> tuple[Line, ...]:
        """Return the standings after that round; with None, as they are now."""
        counted = [each for each in self.rounds if after is None or each.number <= after]
        games = [
            Played(tuple(map(Seat, seating.players, result.gold, result.won)))
            for round_ in counted
            for seating in round_.seatings
            if (result := seating.result) is not None
        ]
        return standings(self.players, games, history_of(Round((), each.resting) for each in counted).rested, self.size)


def listed(store: Store) -> tuple[Tournament, ...]:
    """Return all tournaments without players and rounds, the newest first."""
    with store.reading.connect() as connection:
        rows = connection.execute(select(tournaments).order_by(tournaments.c.number.desc()).limit(MOST_TOURNAMENTS))
        return tuple(_head(row) for row in rows)


def changes(store: Store) -> Mapping[int, tuple[int, bool]]:
    """Return the number of the last change of each tournament, and whether everybody may watch it."""
    with store.reading.connect() as connection:
        rows = connection.execute(select(tournaments.c.number, tournaments.c.changed, tournaments.c.is_open))
        return {row.number: (row.changed, bool(row.is_open)) for row in rows}


def tournament(store: Store, number: int) -> Tournament | None:
    """Return that tournament, whole; None if there is none."""
    with store.reading.connect() as connection:
        return loaded(connection, number)


def loaded(connection: Connection, number: int) -> Tournament | None:
    """Return that tournament as this connection sees it; None if there is none."""
    head = connection.execute(select(tournaments).where(tournaments.c.number == number)).one_or_none()
    if head is None:
        return None
    chosen = select(entrants).where(entrants.c.tournament == number).order_by(entrants.c.number)
    players = {row.number: Entrant(row.number, row.name, row.club, row.first, row.last)
               for row in connection.execute(chosen)}  # fmt: skip
    sat: dict[int, list[int]] = {}
    here = seatings.c.tournament == number
    own = select(sittings).join(seatings).where(here).order_by(sittings.c.seating, sittings.c.seat)
    for row in connection.execute(own):
        sat.setdefault(row.seating, []).append(row.entrant)
    told: dict[int, list[Result]] = {}
    for row in connection.execute(select(results).join(seatings).where(here).order_by(results.c.number)):
        told.setdefault(row.seating, []).append(_result(row))
    by_round: dict[int, list[Seating]] = {}
    for row in connection.execute(select(seatings).where(here).order_by(seatings.c.round, seatings.c.place)):
        seating = Seating(
            row.number, row.round, row.place, row.of, row.book, row.since,
            tuple(sat.get(row.number, ())), tuple(told.get(row.number, ())),
        )  # fmt: skip
        by_round.setdefault(row.round, []).append(seating)
    drawn_rounds = []
    for row in connection.execute(select(rounds).where(rounds.c.tournament == number).order_by(rounds.c.number)):
        there = by_round.get(row.number, [])
        resting = tuple(player for each in there if each.place == 0 for player in each.players)
        playing = tuple(each for each in there if each.place)
        drawn_rounds.append(DrawnRound(row.number, row.drawn, row.drawn_by, playing, resting))
    return _head(head, players, tuple(drawn_rounds))


def make(store: Store, name: str, size: int, planned: int, by: str, most_tables: int | None = None) -> int:
    """Make a tournament and return its number. Raises BadInputError."""
    _check(size, planned, most_tables)
    with store.engine.begin() as connection:
        if (connection.execute(select(func.count()).select_from(tournaments)).scalar() or 0) >= MOST_TOURNAMENTS:
            raise BadInputError(f"{MOST_TOURNAMENTS} tournaments are kept; delete one first", "tournament-many")
        values = {
            "name": proper_name(veil_in(connection).within(name)),
            "size": size, "rounds": planned, "most_tables": most_tables,
            "is_open": False, "made": now(), "made_by": by, "changed": 1,
        }  # fmt: skip
        made = connection.execute(insert(tournaments).values(**values)).inserted_primary_key
        assert made is not None
        return int(made[0])


def change(store: Store, number: int, planned: int, most_tables: int | None, is_open: bool) -> None:
    """Change how many rounds and tables there are, and whether everybody may watch. Raises BadInputError."""
    with changing(store, number) as connection:
        (size,) = connection.execute(select(tournaments.c.size).where(tournaments.c.number == number)).one()
        _check(size, planned, most_tables)
        values = {"rounds": planned, "most_tables": most_tables, "is_open": is_open}
        connection.execute(update(tournaments).where(tournaments.c.number == number).values(**values))


def remove(store: Store, number: int) -> None:
    """Delete a tournament with all its players and results; the tables' games stay. Raises BadInputError."""
    with changing(store, number) as connection:
        own = select(seatings.c.number).where(seatings.c.tournament == number)
        for table in (results, sittings):
            connection.execute(delete(table).where(table.c.seating.in_(own)))
        for table in (seatings, rounds, entrants):
            connection.execute(delete(table).where(table.c.tournament == number))
        connection.execute(delete(tournaments).where(tournaments.c.number == number))


def enter(store: Store, number: int, text: str) -> int:
    """Let players enter, one name per line or as CSV, from the next round on. Return how many.

    Raises BadInputError naming the line, and then nobody enters.
    """
    with changing(store, number) as connection:
        known = list(connection.scalars(select(entrants.c.name).where(entrants.c.tournament == number)))
        first = _last_round(connection, number) + 1
        veil = veil_in(connection)
        rows = [{"tournament": number, "name": veil.name(each.name), "club": veil.within(each.club),
                 "first": first}
                for each in entries(text, known)]  # fmt: skip
        if rows:
            connection.execute(insert(entrants), rows)
        return len(rows)


def leave(store: Store, number: int, player: int) -> None:
    """Let a player leave: they are no longer seated. A player who was never seated is deleted."""
    with changing(store, number) as connection:
        own = (entrants.c.number == player) & (entrants.c.tournament == number)
        count = select(func.count()).select_from(sittings).where(sittings.c.entrant == player)
        if connection.execute(count).scalar():
            connection.execute(update(entrants).where(own).values(last=_last_round(connection, number)))
        else:
            connection.execute(delete(entrants).where(own))


def come_back(store: Store, number: int, player: int) -> None:
    """Seat a player again who had left, from the next round on."""
    with changing(store, number) as connection:
        own = (entrants.c.number == player) & (entrants.c.tournament == number)
        connection.execute(update(entrants).where(own).values(last=None))


def draw(store: Store, number: int, by: str) -> int:
    """Draw the next round, at the hub's tables as far as there are any. Return its number.

    Raises BadInputError if there are too few players or no more rounds, NotNowError if somebody else has just drawn
    one.
    """
    # The solvers take 70 MB and a second, so they are loaded only to draw.
    from hub.tournament.seating import drawn  # noqa: PLC0415

    known = tournament(store, number)
    if known is None:
        raise BadInputError("there is no such tournament", "tournament-gone")
    if known.next_round > known.planned:
        raise BadInputError(f"all {known.planned} rounds are drawn", "tournament-rounds", rounds=known.planned)
    players = known.playing(known.next_round)
    ahead = known.planned - known.next_round
    seed = known.number * 1000 + known.next_round
    # Drawing takes up to a few seconds; nobody who writes waits for it.
    round_ = drawn(players, known.history, known.size, known.most_tables, ahead, seed)
    if not round_.tables:
        raise BadInputError("a round takes two players", "tournament-few")
    with changing(store, number) as connection:
        if _last_round(connection, number) != known.next_round - 1:
            raise NotNowError("this round has been drawn already", "tournament-drawn")
        again = loaded(connection, number)
        if again is None or (again.playing(again.next_round), again.planned, again.most_tables, again.history) != (
            players, known.planned, known.most_tables, known.history,
        ):  # fmt: skip
            raise NotNowError("somebody came or left while the round was drawn", "tournament-moved")
        row = {"tournament": number, "number": known.next_round, "drawn": now(), "drawn_by": by}
        connection.execute(insert(rounds).values(**row))
        free = connection.execute(
            select(tables.c.number, tables.c.book, tables.c.last)
            .where(tables.c.revoked.is_(None)).order_by(tables.c.number)
        ).all()  # fmt: skip
        for place, table in enumerate([round_.resting, *round_.tables]):
            at = free[place - 1] if 0 < place <= len(free) else None
            if table:
                _seat(connection, (number, known.next_round, place), at, table)
    return known.next_round


def take_back(store: Store, number: int) -> int:
    """Take back the last round if it has no result yet. Return its number. Raises BadInputError."""
    with changing(store, number) as connection:
        last = _last_round(connection, number)
        own = select(seatings.c.number).where(seatings.c.tournament == number, seatings.c.round == last)
        count = select(func.count()).select_from(results).where(results.c.seating.in_(own))
        if not last or connection.execute(count).scalar():
            raise BadInputError("a round with results cannot be taken back", "tournament-results")
        connection.execute(delete(sittings).where(sittings.c.seating.in_(own)))
        for table in (seatings, rounds):
            column = table.c.round if table is seatings else table.c.number
            connection.execute(delete(table).where(table.c.tournament == number, column == last))
        return last


def move_to(store: Store, number: int, seating: int, table: int | None) -> None:
    """Seat these players at that table of the hub (None: at none); what it deals from now on counts."""
    with changing(store, number) as connection:
        at = None
        if table is not None:
            query = select(tables.c.number, tables.c.book, tables.c.last).where(tables.c.number == table)
            at = connection.execute(query).one_or_none()
            if at is None:
                raise BadInputError(f"there is no table {table}")
        own = (seatings.c.number == seating) & (seatings.c.tournament == number)
        connection.execute(update(seatings).where(own).values(**_at(at)))


def _seat(connection: Connection, where: tuple[int, int, int], at: Any, players: Sequence[int]) -> None:
    values = dict(zip(("tournament", "round", "place"), where, strict=True))
    made = connection.execute(insert(seatings).values(**values, **_at(at))).inserted_primary_key
    assert made is not None
    rows = [{"seating": made[0], "seat": seat, "entrant": player} for seat, player in enumerate(players)]
    connection.execute(insert(sittings), rows)


def _at(at: Any) -> dict[str, Any]:
    return {"of": at and at.number, "book": at.book if at else 0, "since": at.last if at else 0}


@contextmanager
def changing(store: Store, number: int) -> Iterator[Connection]:
    """Yield a transaction that changes a tournament, with its row locked. Raises BadInputError if there is none."""
    own = tournaments.c.number == number
    with store.engine.begin() as connection:
        changed = connection.execute(select(tournaments.c.changed).where(own).with_for_update()).scalar()
        if changed is None:
            raise BadInputError("there is no such tournament", "tournament-gone")
        connection.execute(update(tournaments).where(own).values(changed=changed + 1))
        yield connection


def _last_round(connection: Connection, number: int) -> int:
    query = select(func.coalesce(func.max(rounds.c.number), 0)).where(rounds.c.tournament == number)
    return int(connection.execute(query).scalar() or 0)


def _check(size: int, planned: int, most_tables: int | None) -> None:
    if size not in SIZES:
        raise BadInputError(f"{size} play at a table; it should be one of {', '.join(map(str, SIZES))}")
    if not 1 <= planned <= MOST_ROUNDS:
        raise BadInputError(
            f"a tournament has 1 to {MOST_ROUNDS} rounds", "tournament-count", least=1, most=MOST_ROUNDS
        )
    if most_tables is not None and not 1 <= most_tables <= 1000:
        raise BadInputError("a tournament has 1 to 1000 tables", "tournament-tables", least=1, most=1000)


def _head(row: Any, players: Mapping[int, Entrant] | None = None, rounds_: Iterable[DrawnRound] = ()) -> Tournament:
    return Tournament(
        row.number, row.name, row.size, row.rounds, row.most_tables, bool(row.is_open), row.made, row.changed,
        players or {}, tuple(rounds_),
    )  # fmt: skip


def _result(row: Any) -> Result:
    gold, won = json.loads(row.gold), json.loads(row.won)
    return Result(row.number, row.at, row.who, row.why, row.game, tuple(gold), tuple(map(Fraction, won)))
