"""The roads that a player could lay: for the end of the game, for players of the virtual table, for a hint."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from companion.board import EDGE_PAIRS, Color, HexCell, Road, opposite
from companion.games.la_strada.position import LaStradaPosition

#: Edge by which a road enters a cell -> the edges by which it may leave, each with the tile's edge pair.
WAYS: Mapping[int, tuple[tuple[int, tuple[int, int]], ...]] = {
    entry: tuple((pair[1] if pair[0] == entry else pair[0], pair) for pair in EDGE_PAIRS if entry in pair)
    for entry in range(6)
}


@dataclass(frozen=True, slots=True)
class BuiltRoad:
    """A complete road: its tiles in order from the start, the place it starts from, the settlement it reaches.

    `cost` is in travel days. Laid as a turn, with one merchant on the goal, it is legal.
    """

    tiles: Mapping[HexCell, Road]
    start: HexCell
    goal: HexCell
    cost: int


def can_build(position: LaStradaPosition, color: Color, days: int) -> bool:
    """Whether there is any complete road that the colour could lay with so many days."""
    return next(roads(position, color, days), None) is not None


def roads(position: LaStradaPosition, color: Color, days: int) -> Iterator[BuiltRoad]:
    """Yield every complete road that the colour could lay with so many days, in no order of merit.

    Tiles, merchants, reach and bends (within a cell a road turns by 60 degrees at most) count; whose turn it is does
    not. There can be hundreds: take what you need.
    """
    goals = frozenset(position.ground.settlements.keys() - position.connected[color])
    if not goals or not position.merchants_left(color):
        return
    left = dict(position.tiles_left[color])
    costs, terrain = position.rules.costs, position.ground.terrain
    free = {cell for cell in position.ground.board.cells if left[terrain[cell]] and position.is_free(cell)}
    fewest = _fewest_days(goals, {cell: costs[terrain[cell]] for cell in free})
    path: dict[HexCell, Road] = {}

    def grow(start: HexCell, cell: HexCell, entry: int, held: int) -> Iterator[BuiltRoad]:
        if fewest.get(cell, held + 1) > held or cell in path or not left[terrain[cell]]:
            return
        left[terrain[cell]] -= 1
        held -= costs[terrain[cell]]
        for leave, pair in WAYS[entry]:
            path[cell] = Road(color, terrain[cell], pair)
            beyond = cell.neighbour(leave)
            if beyond in goals:
                yield BuiltRoad(dict(path), start, beyond, days - held)
            else:
                yield from grow(start, beyond, opposite(leave), held)
        del path[cell]
        left[terrain[cell]] += 1

    for start in sorted(position.connected[color]):
        for edge in range(6):
            yield from grow(start, start.neighbour(edge), opposite(edge), days)


def _fewest_days(goals: Iterable[HexCell], costs: Mapping[HexCell, int]) -> Mapping[HexCell, int]:
    """Return for each cell from which a goal can be reached the days from there on, its own included.

    Bends and supplies are left out, so it is never too much: a bound that cuts the search and loses nothing.
    """
    queue = [(costs[cell], cell) for goal in goals for cell in map(goal.neighbour, range(6)) if cell in costs]
    heapq.heapify(queue)
    fewest: dict[HexCell, int] = {}
    while queue:
        days, cell = heapq.heappop(queue)
        if cell in fewest:
            continue
        fewest[cell] = days
        for beyond in map(cell.neighbour, range(6)):
            if beyond in costs and beyond not in fewest:
                heapq.heappush(queue, (days + costs[beyond], beyond))
    return fewest
