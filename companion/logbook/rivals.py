"""People against each other: head to head, streaks of wins, and the settlements that their merchants like best.

All of it is by set of rules. A seat that nobody gave a name, called by its colour, is no person.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import combinations

from companion.board import PlayerColor, SettlementType, player_color
from companion.games import RULE_SETS
from companion.games.contract import is_named
from companion.logbook.archive import Archive, LoggedGame, Seat

#: So many people at most are compared, those who played most: a table of more fits no screen.
MOST_PEOPLE = 12

#: Of so many of the latest games it is looked up where merchants stood in the end.
MOST_VISITS = 200

#: Game -> colour -> kind -> how many settlements of that kind their merchants stood on in the end, and how many lay.
Visits = Mapping[int, Mapping[PlayerColor, Mapping[SettlementType, tuple[int, int]]]]


@dataclass(frozen=True, slots=True)
class Streak:
    """How many games in a row somebody won: now, and at most. A shared win goes on with it."""

    current: int
    longest: int


@dataclass(frozen=True, slots=True)
class Rivals:
    """What there is to say of people by one set of rules; `names` are in the order of most games, then by name.

    `ahead` is how many games the first finished ahead of the second in, by (first, second), for all who ever met;
    games in which they were level are in `level`, under both orders. `visits` are all that people visited, and all that
    lay there, by kind.
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
        """Return the kind of which they visit the largest part, larger kinds first; None where nothing is known."""
        seen = {kind: visited / lay for kind, (visited, lay) in self.visits.get(name, {}).items() if visited}
        return max(seen, key=lambda kind: (seen[kind], -list(SettlementType).index(kind)), default=None)


def is_person(seat: Seat) -> bool:
    """Whether somebody gave a name; others are called by their colour."""
    return bool(seat.name.strip()) and is_named(seat.name, seat.color)


def rivals_of(games: Iterable[LoggedGame], visits: Visits | None = None) -> tuple[Rivals, ...]:
    """Return who is ahead of whom, by set of rules, in games played to their end for oneself."""
    by_rules: dict[str, list[LoggedGame]] = {}
    for game in games:
        plays_together = game.rules in RULE_SETS and RULE_SETS[game.rules].is_together
        if game.outcome == "over" and not plays_together and all(seat.won is not None for seat in game.seats):
            by_rules.setdefault(game.rules, []).append(game)
    found = (_rivals(rules, played, visits or {}) for rules, played in sorted(by_rules.items()))
    return tuple(rivals for rivals in found if rivals.names)


def _rivals(rules: str, games: Iterable[LoggedGame], visits: Visits) -> Rivals:
    played: dict[str, int] = {}
    ahead: dict[tuple[str, str], int] = {}
    level: dict[tuple[str, str], int] = {}
    current: dict[str, int] = {}
    longest: dict[str, int] = {}
    seen: dict[str, dict[SettlementType, tuple[int, int]]] = {}
    for game in sorted(games, key=lambda game: game.number):
        people = {seat.name.strip(): seat for seat in game.seats if is_person(seat)}
        for name, seat in people.items():
            played[name] = played.get(name, 0) + 1
            current[name] = current.get(name, 0) + 1 if seat.won else 0
            longest[name] = max(longest.get(name, 0), current[name])
            for kind, (visited, lay) in visits.get(game.number, {}).get(seat.color, {}).items():
                so_far = seen.setdefault(name, {}).get(kind, (0, 0))
                seen[name][kind] = so_far[0] + visited, so_far[1] + lay
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
        {name: seen[name] for name in shown if name in seen},
        len(names) - len(shown),
    )


def _rank(seat: Seat) -> tuple[float, int]:
    """Return what somebody finished with: a win first, which decides between equals, then what they have."""
    return seat.won or 0.0, seat.gold or 0


def visits_in(archive: Archive, games: Iterable[LoggedGame]) -> Visits:
    """Return where merchants stood at the end of the latest `MOST_VISITS` of these games that were played to it.

    A game without settlements, and one of which the end is damaged, is left out.
    """
    over = sorted(game.number for game in games if game.outcome == "over")[-MOST_VISITS:]
    found = {}
    for number in over:
        with suppress(ValueError, TypeError, KeyError, AttributeError):
            if (ending := archive.ending(number)) is not None:
                found[number] = _visited(ending[0]["settlements"], ending[1]["merchants"])
    return found


def _visited(
    settlements: Mapping[str, str], merchants: Mapping[str, Mapping[str, int]]
) -> dict[PlayerColor, dict[SettlementType, tuple[int, int]]]:
    lay = Counter(map(SettlementType, settlements.values()))
    stood: dict[PlayerColor, Counter[SettlementType]] = {}
    for cell in merchants.keys() & settlements.keys():
        for color in (color for color, count in merchants[cell].items() if count > 0):
            stood.setdefault(player_color(color), Counter())[SettlementType(settlements[cell])] += 1
    return {color: {kind: (visited[kind], lay[kind]) for kind in lay} for color, visited in stood.items()}
