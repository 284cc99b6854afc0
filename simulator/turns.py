"""A turn road by road: how the table stands between its roads, and what will lie on it in the end.

Where merchants walk (danger), what a road is worth, and how many of them should take it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from companion.board import BARE, Cell, Color, Contents, HexCell, Merchants
from companion.games.la_strada import BuiltRoad, LaStradaPosition, roads


@dataclass(frozen=True, slots=True)
class Step:
    """A road that is built, and how many merchants then walk along it from where it starts (danger)."""

    road: BuiltRoad
    walking: int = 0


def after(position: LaStradaPosition, player: Color, *steps: Step) -> LaStradaPosition:
    """Return the table once these roads lie, in the middle of a turn: what else could be built goes on from there."""
    for step in steps:
        position = _after(position, player, step)
    return position


def lying(position: LaStradaPosition, player: Color, steps: Sequence[Step]) -> dict[Cell, Contents]:
    """Return what the turn leaves on each cell that it changes: road by road, tiles first, then merchants."""
    before, now = position.expected(), after(position, player, *steps).expected()
    touched = (cell for step in steps for cell in (*step.road.tiles, step.road.goal, step.road.start))
    return {cell: now[cell] for cell in touched if now[cell] != before.get(cell, BARE)}


def with_cubes(lies: Contents, color: Color, more: int) -> Contents:
    """Return the contents with so many cubes of the colour more, or less."""
    return replace(lies, merchants=lies.merchants + Merchants.of({color: more}))


def _after(position: LaStradaPosition, player: Color, step: Step) -> LaStradaPosition:
    road, rules = step.road, position.rules
    left = dict(position.tiles_left[player])
    for tile in road.tiles.values():
        left[tile.terrain] -= 1
    merchants = dict(position.merchants)
    for cell, more in ((road.start, -step.walking), (road.goal, step.walking + road.sets_merchant)):
        cubes = merchants.pop(cell, Merchants()) + Merchants.of({player: more})
        if cubes:
            merchants[cell] = cubes
    connected = position.connected[player] | (frozenset() if rules.walking else {road.goal})
    return replace(
        position,
        roads={**position.roads, **road.tiles},
        merchants=merchants,
        tiles_left={**position.tiles_left, player: left},
        connected={**position.connected, player: connected},
        days={**position.days, player: position.days[player] - road.cost},
    )


#: What the opponent's gold counts beside one's own, and what a day is worth that could be kept, or would be lost.
_THEIRS, _DAY, _LOST_DAY = 0.6, 0.4, 0.1
#: What a road may gain by lying in the opponent's way, for each of its cells beside a place where he stands.
_BLOCK = 0.15
#: One road in so many is walked by as many as somebody fancied.
_FANCY_SHARE = 0.04


def best_march(
    position: LaStradaPosition, player: Color, can_save: bool, rng: np.random.Generator
) -> tuple[Step | None, float]:
    """Return the road worth most, with who walks along it, and what it is worth; None where there is none.

    `can_save`: days that are not spent now are not lost.
    """
    outlook = _Outlook.of(position, player)
    price = _DAY * outlook.to_come if can_save else _LOST_DAY
    best, most = None, -np.inf
    for road in _roads(position, player, outlook):
        standing = position.merchants[road.start][player]
        lure = _BLOCK * outlook.in_the_way(road) - price * road.cost + 0.4 * float(rng.random())
        for walking in range(standing + 1):
            worth = outlook.gain(road, walking) + lure
            if worth > most:
                best, most = Step(road, walking), worth
    if best is not None and rng.random() < _FANCY_SHARE:
        best = Step(best.road, int(rng.integers(position.merchants[best.road.start][player] + 1)))
    return best, float(most)


def _roads(position: LaStradaPosition, player: Color, outlook: _Outlook) -> list[BuiltRoad]:
    """For each two places the cheapest road between them; of those that cost as much the one most in the way."""
    best: dict[tuple[HexCell, HexCell], tuple[float, BuiltRoad]] = {}
    for road in roads(position, player, position.days[player]):
        cost = road.cost - _BLOCK * outlook.in_the_way(road)
        known = best.get((road.start, road.goal))
        if known is None or cost < known[0]:
            best[road.start, road.goal] = cost, road
    return [road for _, road in best.values()]


@dataclass(frozen=True, slots=True)
class _Outlook:
    """How a player sees the table in the middle of a turn.

    `to_come` is the share of the game's rounds that come after this one. `prospects` say of each place how much gold
    a merchant there has before him. `beside_them` are the cells next to places where opponents stand.
    """

    position: LaStradaPosition
    player: Color
    to_come: float
    prospects: Mapping[HexCell, float]
    beside_them: frozenset[HexCell]

    @classmethod
    def of(cls, position: LaStradaPosition, player: Color) -> _Outlook:
        rules, ground = position.rules, position.ground
        assert rules.rounds is not None
        to_come = 1 - (position.turns // len(position.players) + 1) / rules.rounds
        open_gold = {}
        for goal, kind in ground.settlements.items():
            cubes = position.merchants.get(goal, Merchants())
            theirs = cubes.total - cubes[player]
            open_gold[goal] = 0 if cubes[player] > theirs else rules.value(kind, 2 * theirs + 1)
        places = [*ground.settlements, *(cell for cell, color in position.workshops.items() if color is player)]
        prospects = {
            place: sum(gold / (1 + place.distance(goal)) ** 1.3 for goal, gold in open_gold.items() if goal != place)
            for place in places
        }
        held = [cell for cell, cubes in position.merchants.items() if cubes.total > cubes[player]]
        beside = frozenset(beyond for cell in held for _, beyond in ground.board.neighbours(cell))
        return cls(position, player, to_come, prospects, beside)

    def in_the_way(self, road: BuiltRoad) -> int:
        """How many of the road's cells lie beside a place where an opponent stands."""
        return len(self.beside_them & road.tiles.keys())

    def gain(self, road: BuiltRoad, walking: int) -> float:
        """What the two places are worth more once so many have walked from one to the other."""
        return sum(
            self._worth(cell, more) - self._worth(cell, 0)
            for cell, more in ((road.start, -walking), (road.goal, walking))
        )

    def _worth(self, cell: HexCell, more: int) -> float:
        """The place's gold, now and as it may become, and what those who need not stay there may yet find."""
        rules, cubes = self.position.rules, self.position.merchants.get(cell, Merchants())
        mine, theirs = cubes[self.player] + more, cubes.total - cubes[self.player]
        kind = self.position.ground.settlements.get(cell)
        if kind is None:
            # Those who stay on the workshop cost a gold each in the end, so that they matter more and more.
            return self._found(cell, mine) - mine * (0.9 - 0.6 * self.to_come)
        now = rules.value(kind, mine + theirs)
        if mine < theirs:
            return self._found(cell, mine) - _THEIRS * now
        if mine == theirs:
            return self._found(cell, mine)
        later = 0.85 * self.to_come * rules.value(kind, 2 * theirs + 1)
        return max(now, later) + self._found(cell, mine - theirs - 1)

    def _found(self, cell: HexCell, free: int) -> float:
        """What so many who are free to go may yet find: the more they are, the less each."""
        return 0.9 * self.to_come * self.prospects[cell] * (1 - 0.75**free)
