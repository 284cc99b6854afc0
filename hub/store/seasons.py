"""Seasons as an organiser names them: from one day to another, and the games that ended in them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from sqlalchemy import delete, func, insert, select

from companion.board import BadInputError
from hub.store.forgetting import veil_in
from hub.store.games import CHANGES, Ended, games_ended
from hub.store.opening import Store
from hub.store.schema import about, games, seasons
from hub.store.tables import proper_name

#: So many seasons are kept, and of so many games a season is reckoned: the newest.
MOST_SEASONS, MOST_GAMES = 100, 20_000

#: Under this name it is kept whether everybody may see the players.
_OPEN = "players-open"


@dataclass(frozen=True, slots=True)
class Span:
    """A season: its days, both included."""

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
    """Keep a season; return its number. Raises BadInputError for days that are none, or in the wrong order."""
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
    """Keep that season no longer; its games stay."""
    with store.engine.begin() as connection:
        connection.execute(delete(seasons).where(seasons.c.number == number))


def games_in(store: Store, span: Span | None) -> tuple[Ended, ...]:
    """Return the games that ended in a season, None: all, the oldest first; of too many the newest."""
    if span is None:
        return games_ended(store, newest=MOST_GAMES)
    # A day's last moment comes before its name with a letter behind the digits.
    within = (games.c.ended >= span.first) & (games.c.ended < f"{span.last}U")
    return games_ended(store, within, newest=MOST_GAMES)


def mark(store: Store) -> tuple[int, str, int]:
    """Return what differs once any game has ended, or has ended otherwise."""
    with store.reading.connect() as connection:
        row = connection.execute(select(func.count(), func.max(games.c.ended)).select_from(games)).one()
        changes = connection.execute(select(about.c.value).where(about.c.name == CHANGES)).scalar()
    return row[0] or 0, row[1] or "", int(changes or 0)


def are_players_open(store: Store) -> bool:
    """Whether everybody may see the players, and not organisers alone."""
    with store.reading.connect() as connection:
        return connection.execute(select(about.c.value).where(about.c.name == _OPEN)).scalar() == "1"


def open_players(store: Store, is_open: bool) -> None:
    """Let everybody see the players, or organisers alone."""
    with store.engine.begin() as connection:
        connection.execute(delete(about).where(about.c.name == _OPEN))
        connection.execute(insert(about).values(name=_OPEN, value=str(int(is_open))))
