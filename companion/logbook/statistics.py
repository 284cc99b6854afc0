"""Who wins how often: by seat, by player, by set of rules, and how much these figures mean.

It also sets people against each other: head to head, streaks of wins, and the settlements that their merchants like
best. All of it is by set of rules. A seat that nobody gave a name goes by its colour and is not a person.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import combinations

from companion.board import PlayerColor, SettlementType, player_color
from companion.games import RULE_SETS
from companion.games.contract import is_named
from companion.logbook.archive import Archive, LoggedGame, Seat

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

    `players` are by name; those without one are left out.

    `together` are groups who played together: nobody wins such games, so they are in neither of these. `left_out` are
    games that were ended early, left, or are being played.
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


#: How many people are compared at most, those who played most: a larger table would not fit on a screen.
MOST_PEOPLE = 12

#: In how many of the latest games to look up where merchants stood in the end.
MOST_VISITS = 200

#: Game -> colour -> kind -> how many settlements of that kind their merchants stood on in the end, and how many there
#: were.
Visits = Mapping[int, Mapping[PlayerColor, Mapping[SettlementType, tuple[int, int]]]]


@dataclass(frozen=True, slots=True)
class Streak:
    """How many games in a row somebody won: now, and at most. A shared win continues a streak."""

    current: int
    longest: int


@dataclass(frozen=True, slots=True)
class Rivals:
    """How people compare by one set of rules; `names` are in the order of most games, then by name.

    `ahead` counts, by (first, second), the games in which the first finished ahead of the second, for all who ever met;
    `level` counts those in which they were level, under both orders. `visits` counts the settlements that people
    visited, and how many there were, by kind.
    """

    rules: str
    names: tuple[str, ...]
    ahead: Mapping[tuple[str, str], int]
    level: Mapping[tuple[str, str], int]
    streaks: Mapping[str, Streak]
    visits: Mapping[str, Mapping[SettlementType, tuple[int, int]]] = field(default_factory=dict)
    left_out: int = 0

    def have_met(self, one: str, other: str) -> bool:
        """Whether both ever finished a game together."""
        return (one, other) in self.ahead

    def favourite(self, name: str) -> SettlementType | None:
        """Return the kind of which they visit the largest share, larger kinds first; None if nothing is known."""
        shares = {kind: visited / lay for kind, (visited, lay) in self.visits.get(name, {}).items() if visited}
        return max(shares, key=lambda kind: (shares[kind], -list(SettlementType).index(kind)), default=None)


def is_person(seat: Seat) -> bool:
    """Whether somebody gave the player a name; others go by their colour."""
    return bool(seat.name.strip()) and is_named(seat.name, seat.color)


def rivals_of(games: Iterable[LoggedGame], visits: Visits | None = None) -> tuple[Rivals, ...]:
    """Return who is ahead of whom, by set of rules, in finished games that each played for themselves."""
    by_rules: dict[str, list[LoggedGame]] = {}
    for game in games:
        if game.outcome == "over" and not _is_together(game) and all(seat.won is not None for seat in game.seats):
            by_rules.setdefault(game.rules, []).append(game)
    every = (_rivals(rules, played, visits or {}) for rules, played in sorted(by_rules.items()))
    return tuple(rivals for rivals in every if rivals.names)


def _rivals(rules: str, games: Iterable[LoggedGame], visits: Visits) -> Rivals:
    played: dict[str, int] = {}
    ahead: dict[tuple[str, str], int] = {}
    level: dict[tuple[str, str], int] = {}
    current: dict[str, int] = {}
    longest: dict[str, int] = {}
    visited_by: dict[str, dict[SettlementType, tuple[int, int]]] = {}
    for game in sorted(games, key=lambda game: game.number):
        people = {seat.name.strip(): seat for seat in game.seats if is_person(seat)}
        for name, seat in people.items():
            played[name] = played.get(name, 0) + 1
            current[name] = current.get(name, 0) + 1 if seat.won else 0
            longest[name] = max(longest.get(name, 0), current[name])
            for kind, (visited, lay) in visits.get(game.number, {}).get(seat.color, {}).items():
                so_far = visited_by.setdefault(name, {}).get(kind, (0, 0))
                visited_by[name][kind] = so_far[0] + visited, so_far[1] + lay
        for one, other in combinations(people, 2):
            ranks = _rank(people[one]), _rank(people[other])
            for pair, is_ahead in (((one, other), ranks[0] > ranks[1]), ((other, one), ranks[1] > ranks[0])):
                ahead[pair] = ahead.get(pair, 0) + is_ahead
                level[pair] = level.get(pair, 0) + (ranks[0] == ranks[1])
    names = sorted(played, key=lambda name: (-played[name], name))
    shown = tuple(names[:MOST_PEOPLE])
    return Rivals(
        rules,
        shown,
        {pair: count for pair, count in ahead.items() if set(pair) <= set(shown)},
        {pair: count for pair, count in level.items() if set(pair) <= set(shown)},
        {name: Streak(current[name], longest[name]) for name in shown},
        {name: visited_by[name] for name in shown if name in visited_by},
        len(names) - len(shown),
    )


def _rank(seat: Seat) -> tuple[float, int]:
    """Return what somebody finished with: a win first, which decides between equals, then what they have."""
    return seat.won or 0.0, seat.gold or 0


def visits_in(archive: Archive, games: Iterable[LoggedGame]) -> Visits:
    """Return where merchants stood at the end of the latest `MOST_VISITS` of these games that were played to the end.

    Games without settlements, and games whose end is damaged, are left out.
    """
    over = sorted(game.number for game in games if game.outcome == "over")[-MOST_VISITS:]
    visits = {}
    for number in over:
        with suppress(ValueError, TypeError, KeyError, AttributeError):
            if (ending := archive.ending(number)) is not None:
                visits[number] = _visited(ending[0]["settlements"], ending[1]["merchants"])
    return visits


def _visited(
    settlements: Mapping[str, str], merchants: Mapping[str, Mapping[str, int]]
) -> dict[PlayerColor, dict[SettlementType, tuple[int, int]]]:
    lay = Counter(map(SettlementType, settlements.values()))
    stood: dict[PlayerColor, Counter[SettlementType]] = {}
    for cell in merchants.keys() & settlements.keys():
        for color in (color for color, count in merchants[cell].items() if count > 0):
            stood.setdefault(player_color(color), Counter())[SettlementType(settlements[cell])] += 1
    return {color: {kind: (visited[kind], lay[kind]) for kind in lay} for color, visited in stood.items()}
