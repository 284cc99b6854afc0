"""Who wins how often: by seat, by player, by set of rules, and how much these figures can tell."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from companion.games import RULE_SETS
from companion.logbook.archive import LoggedGame
from companion.logbook.rivals import is_person

#: The normal quantile of a 95 % interval.
_Z = 1.96


@dataclass(frozen=True, slots=True)
class Record:
    """Games played to their end, wins (a full tie is shared among its winners) and gold.

    `expected` is the share of wins by chance alone: 1 divided by the number of players, over all these games.
    """

    games: int
    wins: float
    expected: float
    gold: float
    best: int

    @property
    def share(self) -> float:
        """The share of games won."""
        return self.wins / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the true share, after Wilson 1927."""
        return wilson(self.wins, self.games)

    @property
    def standing(self) -> str:
        """Whether it is "ahead" of chance or "behind" it; "open" if there are too few games to tell."""
        low, high = self.interval
        return "ahead" if low > self.expected else "behind" if high < self.expected else "open"


@dataclass(frozen=True, slots=True)
class Together:
    """Games that the same people played together, against their own best, in whatever seats.

    `names` are in alphabetical order; `best` and `average` are what all had earned at the end.
    """

    rules: str
    names: tuple[str, ...]
    games: int
    best: int
    average: float


@dataclass(frozen=True, slots=True)
class Statistics:
    """`seats`: rules and number of players -> each seat's record, in the order of first workshops.

    `players` are by name, those to whom nobody gave one left out.

    `together` are groups who played together: nobody wins there, so they are in neither of these. `left_out` are games
    that were ended early, left, or are being played.
    """

    seats: dict[tuple[str, int], tuple[Record, ...]]
    players: dict[str, Record]
    left_out: int
    together: tuple[Together, ...] = ()


def statistics_of(games: Iterable[LoggedGame]) -> Statistics:
    """Return the statistics of the games that were played to their end."""
    every = tuple(games)
    over = [game for game in every if game.outcome == "over" and all(seat.won is not None for seat in game.seats)]
    tables: dict[tuple[str, int], list[LoggedGame]] = {}
    players: dict[str, list[tuple[LoggedGame, int]]] = {}
    alone = [game for game in over if not _is_together(game)]
    for game in alone:
        tables.setdefault((game.rules, len(game.seats)), []).append(game)
        for number, seat in enumerate(game.seats):
            if is_person(seat):
                players.setdefault(seat.name.strip(), []).append((game, number))
    seats = {
        table: tuple(_record([(game, number) for game in played]) for number in range(table[1]))
        for table, played in sorted(tables.items())
    }
    by_name = {name: _record(played) for name, played in sorted(players.items())}
    groups = [game for game in over if _is_together(game) and all(map(is_person, game.seats))]
    return Statistics(seats, by_name, len(every) - len(over), _together(groups))


def best_together(games: Iterable[LoggedGame], rules: str, names: Iterable[str]) -> int | None:
    """Return the best total of finished games by those rules with just these people; None if there is none.

    Seats and colours do not matter.
    """
    group = _group(names)
    totals = [
        _total(game)
        for game in games
        if game.outcome == "over" and game.rules == rules and _group(seat.name for seat in game.seats) == group
    ]
    return max(totals, default=None)


def earned(rules: str) -> str:
    """Return what players earn by those rules, "gold" or "wealth"; "gold" for rules that no longer exist."""
    return RULE_SETS[rules].earned if rules in RULE_SETS else "gold"


def _is_together(game: LoggedGame) -> bool:
    return game.rules in RULE_SETS and RULE_SETS[game.rules].is_together


def _together(games: Sequence[LoggedGame]) -> tuple[Together, ...]:
    groups: dict[tuple[str, tuple[str, ...]], list[int]] = {}
    for game in games:
        groups.setdefault((game.rules, _group(seat.name for seat in game.seats)), []).append(_total(game))
    return tuple(
        Together(rules, names, len(totals), max(totals), sum(totals) / len(totals))
        for (rules, names), totals in sorted(groups.items())
    )


def _group(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(name.strip() for name in names))


def _total(game: LoggedGame) -> int:
    return sum(seat.gold or 0 for seat in game.seats)


def wilson(wins: float, games: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson, Probable inference, J. Am. Stat. Assoc. 22, 1927).

    >>> [round(end, 3) for end in wilson(6, 12)]
    [0.254, 0.746]
    """
    share, spread = wins / games, _Z**2 / games
    middle = (share + spread / 2) / (1 + spread)
    half = _Z / (1 + spread) * math.sqrt(share * (1 - share) / games + spread / (4 * games))
    # With no wins, or nothing but wins, the interval ends at the share; floats may miss it by a hair.
    return (0.0 if wins == 0 else middle - half), (1.0 if wins == games else middle + half)


def _record(played: Sequence[tuple[LoggedGame, int]]) -> Record:
    held = [game.seats[number] for game, number in played]
    gold = [seat.gold or 0 for seat in held]
    return Record(
        len(played),
        sum(seat.won or 0 for seat in held),
        sum(1 / len(game.seats) for game, _ in played) / len(played),
        sum(gold) / len(gold),
        max(gold),
    )
