"""Rounds as they were played, and how many sit at each table: what seating is based on, without its solvers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations

#: How many play at a table: the game for two, the standard game for three or four.
SIZES = (2, 3, 4)

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class History:
    """What was played before: who met whom, how often each sat in which place of the turn order, and who sat out."""

    met: Mapping[Pair, int] = field(default_factory=dict)
    sat: Mapping[int, Mapping[int, int]] = field(default_factory=dict)
    rested: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Round:
    """A round: the tables, each with its players in turn order, and who sits out."""

    tables: tuple[tuple[int, ...], ...]
    resting: tuple[int, ...] = ()


def history_of(rounds: Iterable[Round]) -> History:
    """Return the history that these rounds make."""
    met: Counter[Pair] = Counter()
    sat: dict[int, Counter[int]] = {}
    rested: Counter[int] = Counter()
    for each in rounds:
        for table in each.tables:
            met.update(pairs(table))
            for seat, player in enumerate(table):
                sat.setdefault(player, Counter())[seat] += 1
        rested.update(each.resting)
    return History(met, sat, rested)


def pairs(table: Iterable[int]) -> Iterable[Pair]:
    """Return every pair that meets at that table, the smaller number first.

    >>> list(pairs((3, 1, 2)))
    [(1, 2), (1, 3), (2, 3)]
    """
    return combinations(sorted(table), 2)


def repeats(tables: Iterable[Iterable[int]], met: Mapping[Pair, int]) -> int:
    """Return how often somebody sits with a person whom they have met before, counting each earlier meeting."""
    return sum(met.get(pair, 0) for table in tables for pair in pairs(table))


def sizes(players: int, size: int, most_tables: int | None = None) -> tuple[tuple[int, ...], int]:
    """Return how many sit at each table, the larger tables first, and how many sit out.

    Tables for four, or three, may seat three or four; one seats two only if nothing else is possible. Games for two
    seat two, and somebody who is left over sits out.

    >>> sizes(10, 4), sizes(8, 3), sizes(5, 4), sizes(5, 2), sizes(30, 4, most_tables=5)
    (((4, 3, 3), 0), ((4, 4), 0), ((3, 2), 0), ((2, 2), 1), ((4, 4, 4, 4, 4), 10))
    """
    if size == 2:
        tables = players // 2 if most_tables is None else min(most_tables, players // 2)
        return (2,) * tables, players - 2 * tables
    tables = -(-players // 4) if size == 4 else players // 3
    if not tables or players > 4 * tables:
        tables = -(-players // 4)
    if most_tables is not None:
        tables = min(tables, most_tables)
    seated = min(players, 4 * tables)
    if seated < 2:
        return (), players
    least, more = divmod(seated, tables)
    return (least + 1,) * more + (least,) * (tables - more), players - seated
