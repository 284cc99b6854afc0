"""What players place wrong at first: mistakes that people make and that the rules refuse."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from companion.board import (
    BARE,
    Cell,
    CellChange,
    Change,
    Color,
    Contents,
    HexCell,
    Merchants,
    Road,
    Terrain,
    by_hexagon,
)
from companion.games.contract import Legal
from companion.games.la_strada import BuiltRoad, LaStrada, LaStradaPosition, roads
from simulator.turns import Lying, RoadStep, after, lying, one_of, with_cubes

#: How many roads are considered for a mistake.
_LOOKED_AT = 400


@dataclass(frozen=True, slots=True)
class _Turn:
    """The turn that a player means to make, and what it leaves on each cell."""

    position: LaStradaPosition
    player: Color
    steps: Sequence[RoadStep]
    right: Lying

    @property
    def last(self) -> RoadStep:
        """The road built last."""
        return self.steps[-1]

    def at(self, cell: Cell) -> Contents:
        """Return what is on the cell once the turn is laid."""
        return self.right.get(cell) or self.position.expected().get(cell, BARE)

    def gains(self) -> Mapping[HexCell, int]:
        """Return where the player has more cubes than before, and how many more."""
        more = {
            cell: lies.merchants[self.player] - self.position.merchants.get(cell, Merchants())[self.player]
            for cell, lies in by_hexagon(self.right).items()
        }
        return {cell: count for cell, count in more.items() if count > 0}

    def with_(self, *lies: tuple[Cell, Contents]) -> Lying:
        """Return the turn with different contents on these cells."""
        return {**self.right, **dict(lies)}

    def moved(self, color: Color, start: HexCell, goal: HexCell) -> Lying:
        """Return the turn with one cube of the colour carried from one place to another."""
        return self.with_((start, with_cubes(self.at(start), color, -1)), (goal, with_cubes(self.at(goal), color, 1)))


def wrong_turn(
    position: LaStradaPosition, player: Color, steps: Sequence[RoadStep], rng: np.random.Generator
) -> Lying | None:
    """Return one of the mistakes that people make in laying this turn; None if it offers none."""
    if not steps:
        return None
    turn = _Turn(position, player, steps, lying(position, player, steps))
    rules = position.rules
    mistakes = _WALKING if rules.walking else _ONE_EACH if rules.room == 1 else _STANDARD
    first = int(rng.integers(len(mistakes)))
    tried = (mistake(turn, rng) for mistake in (*mistakes[first:], *mistakes[:first]))
    return next((wrong for wrong in tried if wrong is not None and _is_illegal(position, wrong)), None)


def wrong_workshop(position: LaStradaPosition, player: Color, right: Lying, rng: np.random.Generator) -> Lying | None:
    """Return a workshop on forest or hill, or one with a merchant too few or too many (danger)."""
    ground = position.ground
    ((cell, lies),) = right.items()
    if lies.merchants and rng.random() < 0.5:
        # There are only twelve of a colour, so nobody can put seven on their second workshop.
        more = one_of((-1, 1) if position.merchants_left(player) > lies.merchants[player] else (-1,), rng)
        return {cell: with_cubes(lies, player, more)}
    rough = [
        cell for cell in ground.board.cells if ground.terrain[cell] is not Terrain.PLAIN and position.is_free(cell)
    ]
    return {one_of(rough, rng): lies} if rough else None


def _is_illegal(position: LaStradaPosition, wrong: Lying) -> bool:
    """Return whether an intended mistake really is one, as it may happen to be legal."""
    expected = position.expected()
    cells = {cell: CellChange(expected.get(cell, BARE), now) for cell, now in wrong.items()}
    change = Change({cell: change for cell, change in cells.items() if change.before != change.now})
    return not isinstance(LaStrada(position.rules).judge(position, change), Legal)


def _unfinished(turn: _Turn, rng: np.random.Generator) -> Lying | None:
    """Leave out the last road's last tile and its cubes; if the road has one tile, turn that tile astray instead."""
    road = turn.last.road
    *begun, end = road.tiles
    if not begun:
        stray = Road(turn.player, road.tiles[end].terrain, one_of([(0, 3), (1, 4), (2, 5)], rng))
        return turn.with_((end, Contents(stray)))
    return {**lying(turn.position, turn.player, turn.steps[:-1]), **{cell: turn.right[cell] for cell in begun}}


def _wrong_terrain(turn: _Turn, rng: np.random.Generator) -> Lying | None:
    """Lay a tile whose terrain is not its cell's."""
    tiles = turn.last.road.tiles
    cell = one_of(list(tiles), rng)
    terrain = one_of([terrain for terrain in Terrain if terrain is not tiles[cell].terrain], rng)
    return turn.with_((cell, Contents(Road(turn.player, terrain, tiles[cell].edges))))


def _wrong_color(turn: _Turn, rng: np.random.Generator) -> Lying | None:
    """Put another player's cube on the settlement that was reached, if that player has one in hand."""
    goal = turn.last.road.goal
    other = one_of([color for color in turn.position.colors if color is not turn.player], rng)
    if not turn.position.merchants_left(other):
        return None
    mine = with_cubes(turn.at(goal), turn.player, -1 if turn.last.road.sets_merchant else 0)
    return turn.with_((goal, with_cubes(mine, other, 1)))


def _anothers(turn: _Turn, rng: np.random.Generator) -> Lying | None:
    """Let one of the opponent's cubes walk along."""
    others = [
        (color, cell)
        for cell, cubes in turn.position.merchants.items()
        for color in cubes
        if color is not turn.player and cell != turn.last.road.goal
    ]
    if not others:
        return None
    color, cell = one_of(others, rng)
    return turn.moved(color, cell, turn.last.road.goal)


def _forgotten(turn: _Turn, rng: np.random.Generator) -> Lying | None:
    """Put no cube on the settlement that was reached."""
    goal = turn.last.road.goal
    return {cell: lies for cell, lies in turn.right.items() if cell != goal}


def _too_dear(turn: _Turn, rng: np.random.Generator) -> Lying | None:
    """Lay one road more than the days allow."""
    now = after(turn.position, turn.player, *turn.steps)
    left = now.days[turn.player]
    dear = [road for road in islice(roads(now, turn.player, left + 4), _LOOKED_AT // 2) if road.cost > left]
    if not dear:
        return None
    road = one_of(dear, rng)
    step = RoadStep(road, 1 if turn.position.rules.walking else 0)
    return lying(turn.position, turn.player, [*turn.steps, step])


def _second_merchant(turn: _Turn, rng: np.random.Generator) -> Lying | None:
    """Lay a road, with a merchant, to a settlement that the opponent holds."""
    position = after(turn.position, turn.player, *turn.steps[:-1])
    held = [road for road in _some_roads(position, turn.player) if not road.sets_merchant]
    if not held:
        return None
    road = one_of(held, rng)
    laid = lying(turn.position, turn.player, [*turn.steps[:-1], RoadStep(road)])
    return {**laid, road.goal: with_cubes(turn.at(road.goal), turn.player, 1)}


def _two_merchants(turn: _Turn, rng: np.random.Generator) -> Lying | None:
    """Put two cubes on the settlement that was reached."""
    goal = turn.last.road.goal
    if turn.position.merchants_left(turn.player) <= len(turn.steps):
        return None
    return turn.with_((goal, with_cubes(turn.at(goal), turn.player, 1)))


def _second_road(turn: _Turn, rng: np.random.Generator) -> Lying | None:
    """Lay a road to a settlement that the player has reached before, whoever holds it."""
    position = after(turn.position, turn.player, *turn.steps[:-1])
    reached = sorted(position.connected[turn.player] & position.ground.settlements.keys())
    if not reached:
        return None
    goal = one_of(reached, rng)
    others = position.connected[turn.player] - {goal}
    unaware = replace(position, connected={**position.connected, turn.player: others})
    again = [road for road in _some_roads(unaware, turn.player) if road.goal == goal]
    if not again:
        return None
    road = replace(one_of(again, rng), sets_merchant=False)
    return lying(turn.position, turn.player, [*turn.steps[:-1], RoadStep(road)])


def _in_the_hand(turn: _Turn, rng: np.random.Generator) -> Lying | None:
    """Keep one or more of the cubes that walked in the hand instead of setting them down."""
    arrived = list(turn.gains().items())
    if not arrived:
        return None
    cell, more = one_of(arrived, rng)
    return turn.with_((cell, with_cubes(turn.at(cell), turn.player, -int(rng.integers(1, more + 1)))))


def _astray(turn: _Turn, rng: np.random.Generator) -> Lying | None:
    """Carry a cube to a settlement that no road of the turn leads to."""
    on_roads = {place for step in turn.steps for place in (step.road.start, step.road.goal)}
    goals = sorted(turn.position.ground.settlements.keys() - on_roads)
    standing = [place for place in sorted(on_roads) if turn.at(place).merchants[turn.player]]
    if not (goals and standing):
        return None
    return turn.moved(turn.player, one_of(standing, rng), one_of(goals, rng))


def _from_nowhere(turn: _Turn, rng: np.random.Generator) -> Lying | None:
    """Lay a road between two settlements where the player has no merchant."""
    position, player = turn.position, turn.player
    bare = [cell for cell in position.ground.settlements if not position.merchants.get(cell, Merchants())[player]]
    if len(bare) < 2:
        return None
    start = one_of(sorted(bare), rng)
    unaware = replace(position, merchants={start: Merchants.of({player: 1})})
    astray = [road for road in _some_roads(unaware, player) if road.goal in bare]
    return lying(position, player, [RoadStep(one_of(astray, rng))]) if astray else None


def _some_roads(position: LaStradaPosition, player: Color) -> list[BuiltRoad]:
    return list(islice(roads(position, player, position.days[player]), _LOOKED_AT))


Mistake = Callable[[_Turn, np.random.Generator], Lying | None]
_STANDARD: tuple[Mistake, ...] = (_unfinished, _wrong_terrain, _wrong_color, _forgotten, _too_dear)
_ONE_EACH: tuple[Mistake, ...] = (*_STANDARD, _second_merchant, _two_merchants, _second_road)
_WALKING: tuple[Mistake, ...] = (
    _unfinished,
    _wrong_terrain,
    _anothers,
    _in_the_hand,
    _too_dear,
    _astray,
    _from_nowhere,
)
