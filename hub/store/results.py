"""The results of a tournament's tables, reported by the tables themselves or by an organiser, who says why.

Nothing is changed or deleted: the newest result of a seating counts, and earlier ones are kept, with who and why. An
organiser's result stands, whatever the table reports later.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from fractions import Fraction

from sqlalchemy import Connection, insert, or_, select

from companion.board import BadInputError
from hub.store.forgetting import key_of, veil_in
from hub.store.games import Ended, games_ended
from hub.store.opening import Store, now
from hub.store.schema import games, results, seatings
from hub.store.tournaments import Seating, Tournament, changing, loaded, tournament
from hub.tournament.standings import won_by_gold

#: The most gold that anybody can have or owe, and the most characters of a reason.
MOST_GOLD, MOST_WHY = 1000, 200

#: If somebody in a game has no name, the game belongs to those seated there only if it was dealt at most this long
#: after the draw. Otherwise, a table whose round was never played would claim what others play on another day.
SITTING = timedelta(hours=12)


def correct(
    store: Store, number: int, seating: int, gold: Sequence[int], winners: Sequence[int], who: str, why: str
) -> None:
    """Store what an organiser reports for a seating. `winners` are seats; if there are none, the most gold wins.

    Raises BadInputError if the result is impossible, or changes one without giving a reason.
    """
    with changing(store, number) as connection:
        known = loaded(connection, number)
        played = next((each for each in _seatings(known) if each.number == seating), None) if known else None
        if played is None:
            raise BadInputError("there is no such table in this tournament")
        seats = range(len(played.players))
        if len(gold) != len(seats) or any(abs(each) > MOST_GOLD for each in gold) or not set(winners) <= set(seats):
            raise BadInputError(f"each of {len(seats)} players has gold, at most {MOST_GOLD}", "tournament-gold")
        reason = " ".join(why.split())
        if played.result is not None and not reason:
            raise BadInputError("say why the result changes", "tournament-why")
        won = tuple(Fraction(seat in winners, len(winners)) for seat in seats) if winners else won_by_gold(gold)
        _keep(connection, seating, who, veil_in(connection).within(reason)[:MOST_WHY], "", gold, won)


def collect(store: Store, tables: Collection[int] | None = None) -> int:
    """Take over the games that ended at these tables (None: at all of them). Return how many results are new.

    Raises SQLAlchemyError.
    """
    wanted = select(seatings.c.tournament).where(seatings.c.of.is_not(None)).distinct()
    if tables is not None:
        wanted = wanted.where(seatings.c.of.in_(tables))
    with store.reading.connect() as connection:
        numbers = connection.scalars(wanted).all()
    collected = 0
    for number in numbers:
        known = tournament(store, number)
        if known is not None:
            try:
                collected += _collected(store, known, tables)
            except BadInputError:
                continue  # it has just been deleted: the others get their results all the same
    return collected


def _collected(store: Store, known: Tournament, tables: Collection[int] | None) -> int:
    fresh = []
    names = {number: key_of(player.name) for number, player in known.players.items()}
    for seating in _seatings(known):
        if seating.table is None or any(each.who for each in seating.told):
            continue
        if tables is not None and seating.table not in tables:
            continue
        before = seating.result
        later = _after(store, seating)
        drawn = known.rounds[seating.round - 1].drawn
        told = [
            (each, order)
            for each in _since(store, known, seating)
            if _may_be_theirs(each, drawn, later) and (order := seated(each, seating.players, names)) is not None
        ]
        taken = next((pair for pair in told if pair[0].outcome == "over"), told[-1] if told else None)
        if taken is None:
            continue
        game, order = taken
        gold = tuple(game.seats[at].gold for at in order)
        won = tuple(Fraction(game.seats[at].won).limit_denominator(12) for at in order)
        if before is None or (before.gold, before.won) != (gold, won):
            fresh.append((seating, f"{game.book}:{game.game}", gold, won))
    if not fresh:
        return 0
    count = 0
    with changing(store, known.number) as connection:
        again = loaded(connection, known.number)
        newest = {each.number: each.result for each in _seatings(again)} if again else {}
        for seating, game_name, gold, won in fresh:
            if seating.number in newest and newest[seating.number] == seating.result:
                _keep(connection, seating.number, "", "", game_name, gold, won)
                count += 1
    return count


def _after(store: Store, seating: Seating) -> tuple[int, int] | None:
    """Return the book and event from which others are seated at that table, in any tournament; None: nobody is.

    What is dealt later belongs to the others, unless everybody's name says that it does not.
    """
    own = (seatings.c.of == seating.table) & (seatings.c.number > seating.number)
    with store.reading.connect() as connection:
        there = connection.execute(select(seatings.c.book, seatings.c.since).where(own))
        return min(((row.book, row.since) for row in there), default=None)


def _may_be_theirs(game: Ended, drawn: str, later: tuple[int, int] | None = None) -> bool:
    """Return whether a game dealt after that draw may belong to those seated then; `later` is the next seating."""
    if all(seat.name for seat in game.seats):
        return True
    try:
        is_soon = datetime.fromisoformat(game.began) <= datetime.fromisoformat(drawn) + SITTING
    except (ValueError, TypeError, OverflowError):
        return False  # not a time, or one without a time zone
    return is_soon and (later is None or (game.book, game.n) <= later)


def seated(game: Ended, players: Sequence[int], names: Mapping[int, str]) -> tuple[int, ...] | None:
    """Return in which seat of the game each of the players sat; None if others played it.

    Players are matched by name. Those who have no name at the table sit in turn order, as they were seated.
    """
    if len(game.seats) != len(players):
        return None
    own = [names[player] for player in players]
    named = {seat: own.index(key_of(each.name)) for seat, each in enumerate(game.seats) if key_of(each.name) in own}
    if any(each.name and seat not in named for seat, each in enumerate(game.seats)):
        return None
    if len(set(named.values())) != len(named):
        return None
    left = iter([player for player in range(len(players)) if player not in named.values()])
    sits = {named[seat] if seat in named else next(left): seat for seat in range(len(game.seats))}
    return tuple(sits[player] for player in range(len(players)))


def strangers(store: Store, known: Tournament) -> frozenset[int]:
    """Return those seatings of the last round, without a result, at whose tables others have finished a game since."""
    names = {number: key_of(player.name) for number, player in known.players.items()}
    strange = set()
    for seating in known.rounds[-1].seatings if known.rounds else ():
        if seating.table is None or seating.result is not None:
            continue
        for each in _since(store, known, seating):
            if seated(each, seating.players, names) is None or not _may_be_theirs(each, known.rounds[-1].drawn):
                strange.add(seating.number)
    return frozenset(strange)


def _since(store: Store, known: Tournament, seating: Seating) -> tuple[Ended, ...]:
    """Return what was dealt at the seating's table after the draw, and has ended."""
    drawn = next(each.drawn for each in known.rounds if each.number == seating.round)
    # A table that lost its logbook, or restored it from a copy, sends a new book from 1 on, including old games.
    again = (games.c.book > seating.book) & (games.c.began >= drawn)
    later = or_(again, (games.c.book == seating.book) & (games.c.n > seating.since))
    return games_ended(store, games.c.of == seating.table, later)


def _keep(
    connection: Connection, seating: int, who: str, why: str, game: str, gold: Sequence[int], won: Sequence[Fraction]
) -> None:
    told = {"gold": json.dumps(list(gold)), "won": json.dumps([str(each) for each in won])}
    connection.execute(insert(results).values(seating=seating, at=now(), who=who, why=why, game=game, **told))


def _seatings(known: Tournament | None) -> tuple[Seating, ...]:
    return () if known is None else tuple(each for round_ in known.rounds for each in round_.seatings)
