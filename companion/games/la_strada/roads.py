"""Roads: those that a turn's tiles make, and those that a player could lay (for the end, hints and drawn players)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from companion.board import (
    EDGE_PAIRS,
    OPPOSITE,
    Color,
    HexBoard,
    HexCell,
    Road,
    Terrain,
    board_order,
    opposite,
)
from companion.games.la_strada.position import LaStradaPosition


class TracedRoad(NamedTuple):
    """Tiles that follow each other from one place to another (settlements or workshops, whoever's they are)."""

    cells: Sequence[HexCell]
    places: tuple[HexCell, HexCell]


#: The roads that join two places, in board order, and where the others are broken: first the tiles whose road leads
#: nowhere (to the rim, an empty cell, or a tile whose road does not reach that edge), and those of a ring; then the
#: tiles whose road runs into the road of an earlier turn's tile, and that earlier tile.
Traced = tuple[list[TracedRoad], list[HexCell], list[HexCell]]


def trace(position: LaStradaPosition, laid: Mapping[HexCell, Road]) -> Traced:
    """Return the roads that the tiles of a turn make; each tile is on a free cell."""
    around, settlements, workshops = position.ground.board.around, position.ground.settlements, position.workshops
    roads: list[TracedRoad] = []
    open_ends: list[HexCell] = []
    joining: list[HexCell] = []
    reached: set[HexCell] = set()
    for start in sorted(laid, key=board_order):
        if start in reached:
            continue
        cells, ends = [start], []  # for each end: the last tile, the cell beyond, and the edge by which that is entered
        for leave in laid[start].edges:
            cell, edge = start, leave
            cells.reverse()  # for the second edge, the start is last again
            while True:
                beyond, entry = around[cell][edge], OPPOSITE[edge]
                tile = laid.get(beyond)
                if tile is None or entry not in tile.edges or beyond == start:
                    break
                one, other = tile.edges
                cell, edge = beyond, other if entry == one else one
                cells.append(cell)
            if beyond == start and entry in laid[start].edges:
                open_ends += cells  # a ring
                break
            ends.append((cell, beyond, entry))
        else:
            is_whole = True
            for cell, place, edge in ends:
                if place not in settlements and place not in workshops:
                    is_whole = False
                    earlier = position.roads.get(place)
                    if earlier is not None and edge in earlier.edges:
                        joining += (cell, place)
                    else:
                        open_ends.append(cell)
            if is_whole:
                roads.append(TracedRoad(cells, (ends[0][1], ends[1][1])))
        reached.update(cells)
    return roads, open_ends, joining


def foreign_roads(
    position: LaStradaPosition, player: Color, roads: Iterable[TracedRoad]
) -> tuple[list[TracedRoad], list[TracedRoad], list[HexCell]]:
    """Return the roads that touch another player's workshop, those that do not, and those workshops."""
    foreign: list[TracedRoad] = []
    own: list[TracedRoad] = []
    near: list[HexCell] = []
    workshops = position.workshops
    for road in roads:
        touched = [place for place in road.places if workshops.get(place, player) is not player]
        if touched:
            foreign.append(road)
            near += touched
        else:
            own.append(road)
    return foreign, own, near


@dataclass(frozen=True, slots=True)
class LaidRoad:
    """A complete road on the table: whose it is, its tiles in order, the places that it joins, its travel days."""

    color: Color
    cells: tuple[HexCell, ...]
    places: tuple[HexCell, HexCell]
    cost: int


def longest_roads(position: LaStradaPosition) -> tuple[LaidRoad, ...]:
    """Return the complete roads with the most tiles, then the highest cost; several in a full tie, in seat order."""
    costs, terrain = position.rules.costs, position.ground.terrain
    longest = [
        LaidRoad(color, tuple(road.cells), road.places, sum(costs[terrain[cell]] for cell in road.cells))
        for color in position.colors
        for road in trace(position, {cell: tile for cell, tile in position.roads.items() if tile.color is color})[0]
    ]
    most = max(((len(road.cells), road.cost) for road in longest), default=(0, 0))
    return tuple(road for road in longest if (len(road.cells), road.cost) == most)


def cells_of(roads: Sequence[TracedRoad]) -> list[HexCell]:
    """Return the cells of the roads' tiles."""
    return [cell for road in roads for cell in road.cells]


#: Edge by which a road enters a cell -> the edges by which it may leave.
LEAVES: tuple[tuple[int, ...], ...] = tuple(
    tuple(pair[1] if pair[0] == entry else pair[0] for pair in EDGE_PAIRS if entry in pair) for entry in range(6)
)
_KINDS = {terrain: number for number, terrain in enumerate(Terrain)}


@dataclass(frozen=True, slots=True)
class BuiltRoad:
    """A complete road: its tiles in order from the start, the place it starts from, the place it reaches.

    `cost` is in travel days. Laid as a turn it is legal: with a new merchant on the goal if `sets_merchant` is true,
    without one if an opponent holds the goal (two-player) or if merchants walk (danger).
    """

    tiles: Mapping[HexCell, Road]
    start: HexCell
    goal: HexCell
    cost: int
    sets_merchant: bool = True


def can_build(position: LaStradaPosition, color: Color, days: int) -> bool:
    """Whether there is any complete road that the colour could lay with this many days."""
    known = reaches(position, color, days)
    return any(_found(position, color, days)) if known is None else known


def reaches(position: LaStradaPosition, color: Color, days: int) -> bool | None:
    """Whether the colour could complete a road with this many days, by the cheapest way; None if only a search can say.

    The board floods day by day from the places reached, over free cells of a terrain that there are tiles for: no road
    leads to what stays dry. The first way that comes to a settlement that is not next to any place reached is a road.
    As it is the cheapest, only cells that follow each other on it are neighbours (otherwise a short cut would be
    cheaper), so it bends as tiles do. But each terrain must have as many tiles left as the days can buy. A search takes
    0.1 ms and this 0.02 ms, and every turn that is judged asks.
    """
    rules, ground = position.rules, position.ground
    if rules.walking:
        return None
    if not position.merchants_left(color):
        return None if rules.room else False
    if _is_one_tile_enough(position, color, days):
        return True
    beside, terrain, settlements = ground.board.beside, ground.terrain, ground.settlements
    starts, left = position.connected[color], position.tiles_left[color]
    costs = {kind: cost for kind, cost in rules.costs.items() if left[kind]}
    # Each cell is first met on its cheapest way: entering it costs the same from every side.
    waiting: list[list[HexCell]] = [[] for _ in range(days + 1 + max(rules.costs.values()))]
    waiting[0] += starts
    known = {*starts, *position.roads, *position.workshops}
    near, is_near_met = [], False
    for day in range(days + 1):
        for cell in waiting[day]:
            for beyond in beside[cell] - known:
                if beyond not in settlements:
                    known.add(beyond)
                    if (kind := terrain[beyond]) in costs:
                        waiting[day + costs[kind]].append(beyond)
                elif not day:
                    near.append(beyond)
                elif beyond not in near:
                    return True if all(day < (left[kind] + 1) * cost for kind, cost in costs.items()) else None
                else:
                    is_near_met = True
    return None if is_near_met else False


def _is_one_tile_enough(position: LaStradaPosition, color: Color, days: int) -> bool:
    """Whether a tile between a place reached and a settlement two steps away makes a road, as it does until late."""
    ground, starts, left = position.ground, position.connected[color], position.tiles_left[color]
    beside, two_away, costs = ground.board.beside, ground.board.two_away, position.rules.costs
    terrain, roads, workshops, settlements = ground.terrain, position.roads, position.workshops, ground.settlements
    unreached = settlements.keys() - starts
    for start in starts:
        for goal in two_away[start] & unreached:
            for cell in beside[start] & beside[goal]:
                if cell not in roads and cell not in settlements and cell not in workshops:
                    kind = terrain[cell]
                    if left[kind] and costs[kind] <= days:
                        return True
    return False


def _goals(position: LaStradaPosition, color: Color) -> Set[HexCell]:
    """Return the places where the colour's roads may end, if they start elsewhere."""
    settlements = position.ground.settlements
    if position.rules.walking:
        return settlements.keys() | {cell for cell, owner in position.workshops.items() if owner is color}
    reachable = settlements.keys() - position.connected[color]
    return reachable if position.merchants_left(color) else {cell for cell in reachable if position.is_full(cell)}


def can_ever_build(position: LaStradaPosition, color: Color) -> bool:
    """Whether the colour could complete a road with the most days that anybody can hold, as the table is now."""
    return can_build(position, color, position.rules.most_days)


def roads(position: LaStradaPosition, color: Color, days: int) -> Iterator[BuiltRoad]:
    """Yield every complete road that the colour could lay with this many days, in no particular order.

    Tiles, merchants, reach and bends (within a cell a road turns by 60 degrees at most) count; whose turn it is does
    not. There can be thousands on an empty board: take what you need.
    """
    for way in _found(position, color, days):
        yield _built(position, color, way)


def cheapest_roads(position: LaStradaPosition, color: Color) -> Mapping[HexCell, BuiltRoad]:
    """Return the cheapest road to each place that the colour could reach if it held the most days there are.

    Of roads with equal cost, it is the one with the fewest tiles, then the one found first.
    """
    best = dict[int, _Found]()
    for way in _found(position, color, position.rules.most_days):
        known = best.get(way.goal)
        if known is None or (way.cost, len(way.tiles)) < (known.cost, len(known.tiles)):
            best[way.goal] = way
    cheapest = sorted(best.values(), key=lambda way: (way.cost, way.goal))
    return {road.goal: road for road in (_built(position, color, way) for way in cheapest)}


class _Found(NamedTuple):
    """A road in numbers, cells by their place in `HexBoard.cells`: each tile's cell with the edges by which it is
    entered and left.
    """

    start: int
    tiles: tuple[tuple[int, int, int], ...]
    goal: int
    cost: int


def _found(position: LaStradaPosition, color: Color, days: int) -> Iterator[_Found]:
    """Yield every road: a walk over numbers is ten times as fast as one over cells."""
    beyond, at = _lattice(position.ground.board)
    goals = {at[cell] for cell in _goals(position, color)}
    starts = [at[cell] for cell in sorted(position.starts(color))]
    if not (goals and starts):
        return
    terrain, supply = position.ground.terrain, position.tiles_left[color]
    kinds = [_KINDS[terrain[cell]] for cell in at]
    left = [supply[kind] for kind in _KINDS]
    costs = [position.rules.costs[terrain[cell]] if supply[terrain[cell]] else days + 1 for cell in at]
    for lying in (position.ground.settlements, position.workshops, position.roads):
        for cell in lying:
            costs[at[cell]] = days + 1
    fewest = _fewest_days(beyond, goals, costs, days)
    path: list[tuple[int, int, int]] = []
    on_path: set[int] = set()

    def grow(start: int, cell: int, entry: int, held: int) -> Iterator[_Found]:
        if cell < 0 or fewest[cell] > held or cell in on_path or not left[kinds[cell]]:
            return
        left[kinds[cell]] -= 1
        on_path.add(cell)
        held -= costs[cell]
        for leave in LEAVES[entry]:
            path.append((cell, entry, leave))
            over = beyond[cell][leave]
            if over in goals:
                if over != start:
                    yield _Found(start, tuple(path), over, days - held)
            else:
                yield from grow(start, over, opposite(leave), held)
            path.pop()
        on_path.remove(cell)
        left[kinds[cell]] += 1

    for start in starts:
        for edge in range(6):
            yield from grow(start, beyond[start][edge], opposite(edge), days)


def _built(position: LaStradaPosition, color: Color, way: _Found) -> BuiltRoad:
    """Return a road that was found with its cells and tiles."""
    cells, terrain = position.ground.board.cells, position.ground.terrain
    laid = {
        cells[cell]: Road(color, terrain[cells[cell]], (min(entry, leave), max(entry, leave)))
        for cell, entry, leave in way.tiles
    }
    goal = cells[way.goal]
    return BuiltRoad(laid, cells[way.start], goal, way.cost, not (position.rules.walking or position.is_full(goal)))


def _fewest_days(beyond: Sequence[Sequence[int]], goals: Set[int], costs: Sequence[int], days: int) -> Sequence[int]:
    """Return for each cell the days of the cheapest way from it to a goal, including its own; too many if none.

    Bends and supplies are ignored, so it is never too high: a bound that shortens the search and loses nothing. This is
    Dijkstra's search from the goals, with a list for each day as its queue.
    """
    fewest = [days + 1] * len(costs)
    queue = [list(goals), *([] for _ in range(days))]
    for day, waiting in enumerate(queue):
        for cell in waiting:
            if fewest[cell] > day:
                fewest[cell] = day if day else days + 1
                for over in beyond[cell]:
                    if over >= 0 and fewest[over] > days and day + costs[over] <= days:
                        queue[day + costs[over]].append(over)
    return fewest


@cache
def _lattice(board: HexBoard) -> tuple[tuple[tuple[int, ...], ...], Mapping[HexCell, int]]:
    """Return each cell's six neighbours by number, -1 beyond the rim, and the numbers of the cells."""
    at = {cell: number for number, cell in enumerate(board.cells)}
    return tuple(tuple(at.get(cell.neighbour(edge), -1) for edge in range(6)) for cell in board.cells), at
