"""Who leads: victories first, then the share of the gold, then how strong the opponents were.

- A **victory** counts one; several who win together share it.
- The **share of the gold** is a player's part of all gold at their table, on average over their games: with four equal
  players it is 1/4. So a rich table is worth no more than a poor one.
- The **opponents' strength** is the average number of victories per game of everybody whom a player has met, counting
  each meeting.

Whoever sits out a round gets what chance would have given them: at tables of four, a quarter of a victory and a quarter
of the gold. Whoever comes late, or leaves, has fewer games, and gets nothing for the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby


@dataclass(frozen=True, slots=True)
class Seat:
    """What somebody had at the end: their gold, and their share of the victory."""

    player: int
    gold: int
    won: Fraction


@dataclass(frozen=True, slots=True)
class Played:
    """A game that counts, its seats in turn order."""

    seats: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the standings. Those who are level in everything share a place. `rested` is the rounds they sat out."""

    place: int
    player: int
    games: int
    rested: int
    victories: Fraction
    share: Fraction
    strength: Fraction
    gold: int


def won_by_gold(gold: Sequence[int], days: Sequence[int] | None = None) -> tuple[Fraction, ...]:
    """Return everybody's share of the victory: most gold wins, then most days left; otherwise it is shared.

    >>> won_by_gold([7, 9, 9]), won_by_gold([7, 9, 9], [0, 3, 2])
    ((Fraction(0, 1), Fraction(1, 2), Fraction(1, 2)), (Fraction(0, 1), Fraction(1, 1), Fraction(0, 1)))
    """
    has = list(zip(gold, days or [0] * len(gold), strict=True))
    winners = has.count(max(has))
    return tuple(Fraction(1, winners) if each == max(has) else Fraction(0) for each in has)


def standings(
    players: Iterable[int], games: Sequence[Played], rested: Mapping[int, int] | None = None, size: int = 4
) -> tuple[Line, ...]:
    """Return the standings of these players, the leader first; `size` is how many play at a table."""
    rested = rested or {}
    chance = Fraction(1, size)
    victories: dict[int, Fraction] = {}
    shares: dict[int, list[Fraction]] = {}
    gold: dict[int, int] = {}
    met: dict[int, list[int]] = {}
    for game in games:
        # If there is no gold on the table, or less than none, all have equal shares.
        together = sum(max(0, seat.gold) for seat in game.seats)
        for seat in game.seats:
            own = Fraction(max(0, seat.gold), together) if together else Fraction(1, len(game.seats))
            victories[seat.player] = victories.get(seat.player, Fraction(0)) + seat.won
            shares.setdefault(seat.player, []).append(own)
            gold[seat.player] = gold.get(seat.player, 0) + seat.gold
            met.setdefault(seat.player, []).extend(each.player for each in game.seats if each.player != seat.player)

    rates = {player: victories[player] / len(own) for player, own in shares.items()}
    lines = []
    for player in players:
        out, parts = rested.get(player, 0), shares.get(player, [])
        others = met.get(player, [])
        counted = len(parts) + out
        lines.append(
            Line(
                0,
                player,
                len(parts),
                out,
                victories.get(player, Fraction(0)) + out * chance,
                (sum(parts, Fraction(0)) + out * chance) / counted if counted else Fraction(0),
                sum((rates[other] for other in others), Fraction(0)) / len(others) if others else Fraction(0),
                gold.get(player, 0),
            )
        )
    return tuple(_placed(lines))


def _placed(lines: Iterable[Line]) -> Iterable[Line]:
    place = 1
    for _, level in groupby(sorted(lines, key=_rank), key=_rank):
        sharing = sorted(level, key=lambda line: line.player)
        for line in sharing:
            yield replace(line, place=place)
        place += len(sharing)


def _rank(line: Line) -> tuple[Fraction, ...]:
    return (-line.victories, -line.share, -line.strength)
