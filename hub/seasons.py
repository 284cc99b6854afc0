"""What a season's games say about people, seats and rules: how often somebody wins, and how well they play.

The rating is openskill's Plackett-Luce model, made for games of several players (Weng and Lin, A Bayesian approximation
method for online ranking, JMLR 12, 2011): what somebody can do, and how uncertain that still is. The model itself knows
no seasons: a rating is computed from the games that are counted, the oldest first. A season is what an organiser names:
a first and a last day, and the games that ended between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from openskill.models import PlackettLuce, PlackettLuceRating
from sqlalchemy import delete, func, insert, select

from companion.board import BadInputError
from companion.logbook.archive import LoggedGame, Seat
from companion.logbook.statistics import Record, Statistics, statistics_of
from hub.store.forgetting import key_of, veil_in
from hub.store.games import CHANGES, Ended, games_ended
from hub.store.opening import Store
from hub.store.schema import about, games, seasons
from hub.store.tables import proper_name

#: The normal quantile of a 95 % interval.
Z = 1.96

#: How many games somebody needs before their rating is shown; with fewer, it would say nothing.
LEAST_GAMES = 3

#: How many seasons are kept, and how many games, the newest, a season is computed from.
MOST_SEASONS, MOST_GAMES = 100, 20_000

#: Under this name it is stored whether everybody may see the players.
_OPEN = "players-open"


@dataclass(frozen=True, slots=True)
class Rating:
    """What somebody can do, and half the width of the 95 % interval; a beginner has 25 and 16.3."""

    mean: float
    half: float

    @property
    def sure(self) -> float:
        """What they can do at least, in 99.9 of 100 cases: those who lead in this have shown it."""
        return self.mean - 3 * self.half / Z


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody in the games that are counted; `rating` is None before there are enough of them."""

    name: str
    record: Record
    share: float
    rating: Rating | None


@dataclass(frozen=True, slots=True)
class SeasonStep:
    """One of somebody's games: the game, their seat in it, and their rating after it (None: it was not rated)."""

    game: Ended
    seat: int
    rating: Rating | None


@dataclass(frozen=True, slots=True)
class Season:
    """What the games say. `people` are in the order of what they have shown; `statistics` covers seats and groups."""

    people: tuple[Person, ...]
    statistics: Statistics
    steps: dict[str, tuple[SeasonStep, ...]]
    games: int

    @property
    def by_rules(self) -> dict[str, tuple[int, float]]:
        """Each set of rules -> how many games were played, and how much gold a player has on average."""
        averages: dict[str, tuple[int, float]] = {}
        for (rules, _), records in self.statistics.seats.items():
            games, gold = averages.get(rules, (0, 0.0))
            more = records[0].games
            own = sum(record.gold for record in records) / len(records)
            averages[rules] = games + more, (games * gold + more * own) / (games + more)
        return averages


def season_of(games: Sequence[Ended]) -> Season:
    """Return what these games say. They are given oldest first."""
    # People are the same at every table, however their name is typed there: each name is as it was last typed.
    spelled = {key_of(seat.name): seat.name for game in games for seat in game.seats if seat.name}
    statistics = statistics_of(_logged(number, game, spelled) for number, game in enumerate(games, 1))
    model = PlackettLuce()
    ratings: dict[str, PlackettLuceRating] = {}
    steps: dict[str, list[SeasonStep]] = {}
    shares: dict[str, list[float]] = {}
    for game in games:
        is_rated = game.outcome == "over" and not game.is_together and len(game.seats) > 1
        after = _rated(model, game, ratings) if is_rated else None
        together = sum(max(0, seat.gold) for seat in game.seats)
        for number, seat in enumerate(game.seats):
            if seat.name:
                name = spelled[key_of(seat.name)]
                steps.setdefault(name, []).append(SeasonStep(game, number, None if after is None else after[number]))
                if is_rated:
                    shares.setdefault(name, []).append(
                        max(0, seat.gold) / together if together else 1 / len(game.seats)
                    )
    people = [
        Person(name, record, sum(shares[name]) / len(shares[name]), _told(steps[name]))
        for name, record in statistics.players.items()
        if shares.get(name)
    ]
    people.sort(key=lambda each: (each.rating is None, -(each.rating.sure if each.rating else 0), each.name))
    return Season(tuple(people), statistics, {name: tuple(own) for name, own in steps.items()}, len(games))


def _rated(model: PlackettLuce, game: Ended, ratings: dict[str, PlackettLuceRating]) -> list[Rating]:
    """Rate a game: the winner is first, the others follow by their gold. Somebody without a name is a beginner."""
    has = [(seat.won > 0, seat.gold) for seat in game.seats]
    ranks = [float(sum(other > own for other in has)) for own in has]
    before = [
        [ratings.get(key_of(seat.name)) or model.rating() if seat.name else model.rating()] for seat in game.seats
    ]
    after = [own for (own,) in model.rate(before, ranks=ranks)]
    for seat, rating in zip(game.seats, after, strict=True):
        if seat.name:
            ratings[key_of(seat.name)] = rating
    return [Rating(rating.mu, Z * rating.sigma) for rating in after]


def _told(steps: Sequence[SeasonStep]) -> Rating | None:
    rated = [step.rating for step in steps if step.rating is not None]
    return rated[-1] if len(rated) >= LEAST_GAMES else None


def _logged(number: int, game: Ended, spelled: dict[str, str]) -> LoggedGame:
    seats = tuple(
        Seat(spelled[key_of(seat.name)] if seat.name else seat.color.capitalize(), seat.color, seat.gold, seat.won)
        for seat in game.seats
    )
    return LoggedGame(number, game.began, game.ended, game.outcome, "", game.rules, seats, 0, 0)


@dataclass(frozen=True, slots=True)
class Span:
    """A season: its first and its last day, both included."""

    number: int
    name: str
    first: str
    last: str


def spans(store: Store) -> tuple[Span, ...]:
    """Return all seasons, the latest first."""
    with store.reading.connect() as connection:
        rows = connection.execute(select(seasons).order_by(seasons.c.first.desc(), seasons.c.number.desc()))
        return tuple(Span(row.number, row.name, row.first, row.last) for row in rows)


def name_season(store: Store, name: str, first: str, last: str) -> int:
    """Store a season and return its number. Raises BadInputError for invalid days, or days in the wrong order."""
    try:
        days = date.fromisoformat(first[:10]), date.fromisoformat(last[:10])
    except ValueError:
        raise BadInputError("a season has a first and a last day", "season-days") from None
    if days[0] > days[1]:
        raise BadInputError("a season ends after it begins", "season-order")
    with store.engine.begin() as connection:
        if (connection.execute(select(func.count()).select_from(seasons)).scalar() or 0) >= MOST_SEASONS:
            raise BadInputError(f"{MOST_SEASONS} seasons are kept; delete one first", "season-many")
        called = proper_name(veil_in(connection).within(name))
        row = {"name": called, "first": days[0].isoformat(), "last": days[1].isoformat()}
        made = connection.execute(insert(seasons).values(**row)).inserted_primary_key
        assert made is not None
        return int(made[0])


def forget_season(store: Store, number: int) -> None:
    """Delete that season; its games stay."""
    with store.engine.begin() as connection:
        connection.execute(delete(seasons).where(seasons.c.number == number))


def games_in(store: Store, span: Span | None) -> tuple[Ended, ...]:
    """Return the games that ended in a season (None: in any), the oldest first; if there are too many, the newest."""
    if span is None:
        return games_ended(store, newest=MOST_GAMES)
    # Times end in "Z", so a day's last moment sorts before the day followed by "U".
    within = (games.c.ended >= span.first) & (games.c.ended < f"{span.last}U")
    return games_ended(store, within, newest=MOST_GAMES)


def mark(store: Store) -> tuple[int, str, int]:
    """Return a value that changes when a game has ended, or ended differently than before."""
    with store.reading.connect() as connection:
        row = connection.execute(select(func.count(), func.max(games.c.ended)).select_from(games)).one()
        changes = connection.execute(select(about.c.value).where(about.c.name == CHANGES)).scalar()
    return row[0] or 0, row[1] or "", int(changes or 0)


def are_players_open(store: Store) -> bool:
    """Return whether everybody may see the players, and not only organisers."""
    with store.reading.connect() as connection:
        return connection.execute(select(about.c.value).where(about.c.name == _OPEN)).scalar() == "1"


def open_players(store: Store, is_open: bool) -> None:
    """Let everybody see the players, or only organisers."""
    with store.engine.begin() as connection:
        connection.execute(delete(about).where(about.c.name == _OPEN))
        connection.execute(insert(about).values(name=_OPEN, value=str(int(is_open))))
