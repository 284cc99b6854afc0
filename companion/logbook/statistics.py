"""Who wins how often: by seat, by player, by set of rules, with what can and what cannot be told from it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from companion.logbook.archive import Game

#: The normal quantile of a 95 % interval.
_Z = 1.96


@dataclass(frozen=True, slots=True)
class Record:
    """Games played to their end, wins (a full tie is shared among its winners) and gold.

    `expected` is the share of wins that chance alone would give: one by the number of players, over all these games.
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
        """Where the true share lies at 95 %, after Wilson 1927."""
        return wilson(self.wins, self.games)

    @property
    def standing(self) -> str:
        """Whether it is "ahead" of chance or "behind" it; "open" where so few games cannot tell."""
        low, high = self.interval
        return "ahead" if low > self.expected else "behind" if high < self.expected else "open"


@dataclass(frozen=True, slots=True)
class Statistics:
    """`seats`: rules and number of players -> each seat's record, the first to set a workshop first; `players` by name.

    `left_out` are games that were ended early, left, or are being played.
    """

    seats: dict[tuple[str, int], tuple[Record, ...]]
    players: dict[str, Record]
    left_out: int


def statistics_of(games: Iterable[Game]) -> Statistics:
    """Return what the games that were played to their end tell."""
    every = tuple(games)
    over = [game for game in every if game.outcome == "over" and all(seat.won is not None for seat in game.seats)]
    tables: dict[tuple[str, int], list[Game]] = {}
    players: dict[str, list[tuple[Game, int]]] = {}
    for game in over:
        tables.setdefault((game.rules, len(game.seats)), []).append(game)
        for number, seat in enumerate(game.seats):
            players.setdefault(seat.name.strip(), []).append((game, number))
    seats = {
        table: tuple(_record([(game, number) for game in played]) for number in range(table[1]))
        for table, played in sorted(tables.items())
    }
    by_name = {name: _record(played) for name, played in sorted(players.items())}
    return Statistics(seats, by_name, len(every) - len(over))


def wilson(wins: float, games: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson, Probable inference, J. Am. Stat. Assoc. 22, 1927).

    >>> [round(end, 3) for end in wilson(6, 12)]
    [0.254, 0.746]
    """
    share, spread = wins / games, _Z**2 / games
    middle = (share + spread / 2) / (1 + spread)
    half = _Z / (1 + spread) * math.sqrt(share * (1 - share) / games + spread / (4 * games))
    # With no win, or nothing but wins, the interval ends at the share; floats may miss it by a hair.
    return (0.0 if wins == 0 else middle - half), (1.0 if wins == games else middle + half)


def _record(played: Sequence[tuple[Game, int]]) -> Record:
    held = [game.seats[number] for game, number in played]
    gold = [seat.gold or 0 for seat in held]
    return Record(
        len(played),
        sum(seat.won or 0 for seat in held),
        sum(1 / len(game.seats) for game, _ in played) / len(played),
        sum(gold) / len(gold),
        max(gold),
    )
