"""Virtual players: they set workshops and lay turns that are sensible, and now and then wrong at first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeVar

import numpy as np

from companion.board import BARE, CellChange, Change, Color, Contents, HexCell, Merchants, Road, Terrain, Workshop
from companion.games.contract import Legal
from companion.games.la_strada import BuiltRoad, LaStrada, LaStradaPosition, roads

Lying = Mapping[HexCell, Contents]

#: One turn in seven goes wrong first.
MISTAKE_SHARE = 1 / 7
#: How often a player forgets to move his marker.
FORGET_SHARE = 0.08
#: Roads looked at in a turn; there can be thousands, and a person sees the near ones.
_LOOKED_AT = 3000


@dataclass(frozen=True, slots=True)
class Plan:
    """What a player is going to do: what will lie on the cells he touches, in the order in which he lays it.

    `wrong`, where not None, is what he lays at first. `marker` is the field his day-track marker goes to; None: it
    stays where it is. An empty `right` is a turn in which he saves his days.
    """

    player: Color
    right: Lying
    wrong: Lying | None
    marker: int | None


def planned(position: LaStradaPosition, rng: np.random.Generator, mistakes: float = MISTAKE_SHARE) -> Plan:
    """Return what the player in turn does; with chance `mistakes` he lays something illegal first.

    Raises ValueError where the game is over.
    """
    player = position.next
    if player is None:
        raise ValueError("the game is over: nobody is in turn")
    if position.phase == "workshop":
        right: Lying = {_workshop_cell(position, player, rng): Contents(Workshop(player))}
        wrong = _wrong_workshop(position, rng, player) if rng.random() < mistakes / 2 else None
        return Plan(player, right, _if_illegal(position, wrong), None)
    built = _turn(position, player, rng)
    right = _as_lying(position, player, built)
    wrong = _wrong_turn(position, player, built, rng) if rng.random() < mistakes else None
    left = position.days[player] - sum(road.cost for road in built)
    return Plan(player, right, _if_illegal(position, wrong), None if rng.random() < FORGET_SHARE else left)


def _if_illegal(position: LaStradaPosition, wrong: Lying | None) -> Lying | None:
    """What was meant as a mistake, unless it happens to be legal too."""
    if wrong is None:
        return None
    expected = position.expected()
    cells = {cell: CellChange(expected.get(cell, BARE), now) for cell, now in wrong.items()}
    change = Change({cell: change for cell, change in cells.items() if change.before != change.now})
    return None if isinstance(LaStrada(position.rules).judge(position, change), Legal) else wrong


def _workshop_cell(position: LaStradaPosition, player: Color, rng: np.random.Generator) -> HexCell:
    """A plain cell near much gold, with room round it; one of the best few."""
    rules, ground = position.rules, position.ground
    others = [cell for cell, color in position.workshops.items() if color is not player]

    def worth(cell: HexCell) -> float:
        near = sum(rules.value(kind, 1) / (1 + cell.distance(goal)) ** 1.5 for goal, kind in ground.settlements.items())
        room = sum(ground.terrain[beyond] is Terrain.PLAIN for _, beyond in ground.board.neighbours(cell))
        return float(near + 0.12 * room + 0.3 * rng.random())

    allowed = [
        cell
        for cell in ground.board.cells
        if ground.terrain[cell] is Terrain.PLAIN
        and position.is_free(cell)
        and all(cell.distance(other) > 1 for other in others)
    ]
    return _one_of(sorted(allowed, key=worth, reverse=True)[:5], rng)


def _wrong_workshop(position: LaStradaPosition, rng: np.random.Generator, player: Color) -> Lying | None:
    """On forest or hill: `workshop-terrain`."""
    ground = position.ground
    rough = [
        cell for cell in ground.board.cells if ground.terrain[cell] is not Terrain.PLAIN and position.is_free(cell)
    ]
    return {_one_of(rough, rng): Contents(Workshop(player))} if rough else None


def _turn(position: LaStradaPosition, player: Color, rng: np.random.Generator) -> list[BuiltRoad]:
    """The roads of a turn: the best for their days while days last; poor ones are put off while days can be saved."""
    built: list[BuiltRoad] = []
    now, days = position, position.days[player]
    while days > 0 and len(built) < 3:
        best, worth = _best_road(now, player, days, rng)
        if best is None:
            break
        may_save = days + position.rules.day_gain <= position.rules.most_days or bool(built)
        if may_save and (worth < 0 or rng.random() < 0.08):
            break
        built.append(best)
        now, days = _with_road(now, player, best), days - best.cost
    return built


def _best_road(
    position: LaStradaPosition, player: Color, days: int, rng: np.random.Generator
) -> tuple[BuiltRoad | None, float]:
    """The road worth most, its gold against its days, and what it is worth."""
    best, most = None, -np.inf
    for road in islice(roads(position, player, days), _LOOKED_AT):
        kind = position.ground.settlements[road.goal]
        there = position.merchants.get(road.goal, Merchants()).total
        gold = position.rules.value(kind, there + 1)
        # A newcomer takes a gold from each who is there; a day is worth about half a gold.
        worth = gold + 0.4 * there * (gold > 0) - 0.45 * road.cost + 0.4 * float(rng.random())
        if worth > most:
            best, most = road, worth
    return best, float(most)


def _with_road(position: LaStradaPosition, player: Color, road: BuiltRoad) -> LaStradaPosition:
    """The table once the road lies, in the middle of a turn: what else could be built goes on from there."""
    left = dict(position.tiles_left[player])
    for tile in road.tiles.values():
        left[tile.terrain] -= 1
    there = position.merchants.get(road.goal, Merchants())
    return replace(
        position,
        roads={**position.roads, **road.tiles},
        merchants={**position.merchants, road.goal: there + Merchants.of({player: 1})},
        tiles_left={**position.tiles_left, player: left},
        connected={**position.connected, player: position.connected[player] | {road.goal}},
        days={**position.days, player: position.days[player] - road.cost},
    )


def _as_lying(position: LaStradaPosition, player: Color, built: list[BuiltRoad]) -> dict[HexCell, Contents]:
    expected = position.expected()
    lying: dict[HexCell, Contents] = {}
    for road in built:
        for cell, tile in road.tiles.items():
            lying[cell] = Contents(tile)
        before = expected[road.goal]
        lying[road.goal] = Contents(before.tile, before.merchants + Merchants.of({player: 1}))
    return lying


def _wrong_turn(
    position: LaStradaPosition, player: Color, built: list[BuiltRoad], rng: np.random.Generator
) -> Lying | None:
    """One of the faults that people make; None where this turn offers none."""
    if not built:
        return None
    mistake = _MISTAKES[int(rng.integers(len(_MISTAKES)))]
    return mistake(position, player, built, rng)


def _unfinished(
    position: LaStradaPosition, player: Color, built: list[BuiltRoad], rng: np.random.Generator
) -> Lying | None:
    """The last road's last tile and its cube are not there yet; a road of one tile runs astray instead."""
    right, last = _as_lying(position, player, built), built[-1]
    *_, end = last.tiles
    if len(last.tiles) > 1:
        return {cell: lies for cell, lies in right.items() if cell not in (end, last.goal)}
    return {**right, end: Contents(Road(player, last.tiles[end].terrain, _one_of([(0, 3), (1, 4), (2, 5)], rng)))}


def _wrong_terrain(
    position: LaStradaPosition, player: Color, built: list[BuiltRoad], rng: np.random.Generator
) -> Lying | None:
    """A tile of another terrain than its cell's."""
    cell = _one_of(list(built[-1].tiles), rng)
    tile = built[-1].tiles[cell]
    terrain = _one_of([terrain for terrain in Terrain if terrain is not tile.terrain], rng)
    return {**_as_lying(position, player, built), cell: Contents(Road(player, terrain, tile.edges))}


def _wrong_color(
    position: LaStradaPosition, player: Color, built: list[BuiltRoad], rng: np.random.Generator
) -> Lying | None:
    """Another player's cube on the settlement that was reached."""
    right, goal = _as_lying(position, player, built), built[-1].goal
    other = _one_of([color for color in position.colors if color is not player], rng)
    cubes = right[goal].merchants - Merchants.of({player: 1}) + Merchants.of({other: 1})
    return {**right, goal: Contents(right[goal].tile, cubes)}


def _forgotten(
    position: LaStradaPosition, player: Color, built: list[BuiltRoad], rng: np.random.Generator
) -> Lying | None:
    """No cube on the settlement that was reached."""
    right = _as_lying(position, player, built)
    return {cell: lies for cell, lies in right.items() if cell != built[-1].goal}


def _too_dear(
    position: LaStradaPosition, player: Color, built: list[BuiltRoad], rng: np.random.Generator
) -> Lying | None:
    """One road more than the days allow."""
    right = _as_lying(position, player, built)
    for road in built:
        position = _with_road(position, player, road)
    left = position.days[player]
    dear = [road for road in islice(roads(position, player, left + 4), 200) if road.cost > left]
    if not dear:
        return None
    return {**right, **_as_lying(position, player, [_one_of(dear, rng)])}


Mistake = Callable[[LaStradaPosition, Color, list[BuiltRoad], np.random.Generator], Lying | None]
_MISTAKES: tuple[Mistake, ...] = (_unfinished, _wrong_terrain, _wrong_color, _forgotten, _too_dear)

Some = TypeVar("Some")


def _one_of(some: Sequence[Some], rng: np.random.Generator) -> Some:
    return some[int(rng.integers(len(some)))]
