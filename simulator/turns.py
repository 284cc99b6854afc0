"""A turn, road by road: the table between its roads and what will be on it in the end. Also what a player plans, how
long that takes at the table, and what comes of it: pictures and presses.

If merchants walk (danger), also: what a road is worth, and how many of them should take it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TypeVar

import numpy as np

from companion.board import BARE, Cell, Color, Contents, HexCell, Merchants, PlayerColor
from companion.games.la_strada import BuiltRoad, LaStradaPosition, roads
from simulator.paint import Image


@dataclass(frozen=True, slots=True)
class RoadStep:
    """A road that is built, and how many merchants then walk along it from its start (danger)."""

    road: BuiltRoad
    walking: int = 0


def after(position: LaStradaPosition, player: Color, *steps: RoadStep) -> LaStradaPosition:
    """Return the position once these roads are laid, in the middle of a turn, to see what else could be built."""
    for step in steps:
        road = step.road
        left = dict(position.tiles_left[player])
        for tile in road.tiles.values():
            left[tile.terrain] -= 1
        merchants = dict(position.merchants)
        for cell, more in ((road.start, -step.walking), (road.goal, step.walking + road.sets_merchant)):
            cubes = merchants.pop(cell, Merchants()) + Merchants.of({player: more})
            if cubes:
                merchants[cell] = cubes
        connected = position.connected[player] | (frozenset() if position.rules.walking else {road.goal})
        position = replace(
            position,
            roads={**position.roads, **road.tiles},
            merchants=merchants,
            tiles_left={**position.tiles_left, player: left},
            connected={**position.connected, player: connected},
            days={**position.days, player: position.days[player] - road.cost},
        )
    return position


def lying(position: LaStradaPosition, player: Color, steps: Sequence[RoadStep]) -> dict[Cell, Contents]:
    """Return what the turn leaves on each cell that it changes, road by road, tiles before merchants."""
    before, now = position.expected(), after(position, player, *steps).expected()
    touched = (cell for step in steps for cell in (*step.road.tiles, step.road.goal, step.road.start))
    return {cell: now[cell] for cell in touched if now[cell] != before.get(cell, BARE)}


def with_cubes(lies: Contents, color: Color, more: int) -> Contents:
    """Return the contents with that many more cubes of the colour, or fewer."""
    return replace(lies, merchants=lies.merchants + Merchants.of({color: more}))


#: What the opponent's gold counts compared with one's own, and what a day is worth that could be kept, or would be
#: lost.
_THEIRS, _DAY, _LOST_DAY = 0.6, 0.4, 0.1
#: What a road in the opponent's way gains, for each of its cells next to a place where the opponent is.
_BLOCK = 0.15
#: The share of roads that an arbitrary number of merchants walks along.
_FANCY_SHARE = 0.04


def best_march(
    position: LaStradaPosition, player: Color, can_save: bool, rng: np.random.Generator
) -> tuple[RoadStep | None, float]:
    """Return the road that is worth most, with how many walk along it, and its worth; None if there is none.

    `can_save`: days that are not spent now are kept.
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
                best, most = RoadStep(road, walking), worth
    if best is not None and rng.random() < _FANCY_SHARE:
        best = RoadStep(best.road, int(rng.integers(position.merchants[best.road.start][player] + 1)))
    return best, float(most)


def _roads(position: LaStradaPosition, player: Color, outlook: _Outlook) -> list[BuiltRoad]:
    """Return the cheapest road between every two places; of equally cheap ones, the one most in the way."""
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

    `to_come` is the share of the game's rounds that come after this one. `prospects` say for each place how much gold a
    merchant there can still reach. `beside_them` are the cells next to places where opponents are.
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
        """Return how many of the road's cells are next to a place where an opponent is."""
        return len(self.beside_them & road.tiles.keys())

    def gain(self, road: BuiltRoad, walking: int) -> float:
        """Return how much more the two places are worth once that many have walked from one to the other."""
        return sum(
            self._worth(cell, more) - self._worth(cell, 0)
            for cell, more in ((road.start, -walking), (road.goal, walking))
        )

    def _worth(self, cell: HexCell, more: int) -> float:
        """Return the place's gold, now and as it may become, plus what those who are free to leave can still find."""
        rules, cubes = self.position.rules, self.position.merchants.get(cell, Merchants())
        mine, theirs = cubes[self.player] + more, cubes.total - cubes[self.player]
        kind = self.position.ground.settlements.get(cell)
        if kind is None:
            # Those who stay on the workshop cost a gold each in the end, so they matter more and more.
            return self._prospect(cell, mine) - mine * (0.9 - 0.6 * self.to_come)
        now = rules.value(kind, mine + theirs)
        if mine < theirs:
            return self._prospect(cell, mine) - _THEIRS * now
        if mine == theirs:
            return self._prospect(cell, mine)
        later = 0.85 * self.to_come * rules.value(kind, 2 * theirs + 1)
        return max(now, later) + self._prospect(cell, mine - theirs - 1)

    def _prospect(self, cell: HexCell, free: int) -> float:
        """Return what that many merchants who are free to go may still find: the more they are, the less for each."""
        return 0.9 * self.to_come * self.prospects[cell] * (1 - 0.75**free)


#: The table's button: `deal` (the settlements are placed, the game begins) or `done` (the player's turn is over).
Press = str

#: The contents of the cells that somebody touches, in the order in which they lay them.
Lying = Mapping[Cell, Contents]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a player is going to do: what will be on the cells that they touch, in the order in which they lay it.

    `wrong`, if not None, is what they lay at first. `marker` is the field that their day-track marker goes to; with
    None, it stays. With an empty `right` they save their days, or pass.
    """

    player: PlayerColor
    right: Lying
    wrong: Lying | None
    marker: int | None = None


Some = TypeVar("Some")


def one_of(some: Sequence[Some], rng: np.random.Generator) -> Some:
    """Return one of them, each with the same chance. There must be at least one."""
    return some[int(rng.integers(len(some)))]


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture, height x width x 3, BGR. `taken_s` is its time on the table's clock. There is no small picture."""

    image: Image
    taken_s: float
    small: None = None


@dataclass(frozen=True, slots=True)
class Pace:
    """How long things take, in seconds."""

    reach_s: float = 0.35
    lay_s: float = 0.45
    settle_s: float = 0.8
    think_s: float = 2.5
    patience_s: float = 12.0
    rest_s: float = 15.0

    def hurried(self, speed: float) -> Pace:
        """Return a pace that many times faster. The wait for an answer stays, as it does not depend on the players."""
        times = {each.name: getattr(self, each.name) / speed for each in fields(self) if each.name != "patience_s"}
        return replace(self, **times)
