"""Roads: what the tiles of a turn make, and those that a player could lay (the game's end, hints, drawn players)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from companion.board import (
    EDGE_PAIRS,
    OPPOSITE,
    Cell,
    Color,
    HexBoard,
    HexCell,
    Road,
    Terrain,
    in_board_order,
    opposite,
)
from companion.games.la_strada.position import LaStradaPosition


class TracedRoad(NamedTuple):
    """Tiles that follow each other from one place to another (settlements or workshops, whosever)."""

    cells: Sequence[HexCell]
    places: tuple[HexCell, HexCell]


#: The roads that join two places, in board order, and where the others are broken: first the tiles whose road comes to
#: nothing (the rim, an empty cell, a tile whose road does not come to that edge), and those of a ring; then the tiles
#: whose road runs into a road tile of an earlier turn whose road comes to the same edge, and that earlier tile.
Traced = tuple[list[TracedRoad], list[HexCell], list[HexCell]]


def trace(position: LaStradaPosition, laid: Mapping[HexCell, Road]) -> Traced:
    """Return the roads that the tiles of a turn make; each lies on a free cell."""
    around, settlements, workshops = position.ground.board.around, position.ground.settlements, position.workshops
    roads: list[TracedRoad] = []
    open_ends: list[HexCell] = []
    joining: list[HexCell] = []
    seen: set[HexCell] = set()
    for cell in in_board_order(laid):
        if cell in seen:
            continue
        one, other = laid[cell].edges
        forward, last, entry = _follow(around, laid, cell, other)
        if last == cell and entry == one:
            open_ends += forward  # a ring
            seen.update(forward)
            continue
        cells, first, first_entry = _follow(around, laid, cell, one)
        cells.reverse()
        cells += forward[1:]
        seen.update(cells)
        is_whole = True
        for tile, place, edge in ((cells[0], first, first_entry), (cells[-1], last, entry)):
            if place not in settlements and place not in workshops:
                is_whole = False
                earlier = position.roads.get(place)
                if earlier is not None and edge in earlier.edges:
                    joining += (tile, place)
                else:
                    open_ends.append(tile)
        if is_whole:
            roads.append(TracedRoad(cells, (first, last)))
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


def cells_of(roads: Sequence[TracedRoad]) -> list[HexCell]:
    """Return the cells of the roads' tiles."""
    return [cell for road in roads for cell in road.cells]


def _follow(
    around: Mapping[HexCell, tuple[HexCell, ...]], laid: Mapping[HexCell, Road], start: HexCell, edge: int
) -> tuple[list[HexCell], HexCell, int]:
    """Return the tiles from `start` on, leaving it by `edge`; the cell they come to, and over which of its edges.

    That is `start` itself where they make a ring.
    """
    cells, cell = [start], start
    while True:
        beyond, entry = around[cell][edge], OPPOSITE[edge]
        tile = laid.get(beyond)
        if tile is None or entry not in tile.edges or beyond == start:
            return cells, beyond, entry
        one, other = tile.edges
        cell, edge = beyond, other if entry == one else one
        cells.append(cell)


#: Edge by which a road enters a cell -> the edges by which it may leave.
LEAVES: tuple[tuple[int, ...], ...] = tuple(
    tuple(pair[1] if pair[0] == entry else pair[0] for pair in EDGE_PAIRS if entry in pair) for entry in range(6)
)
_TERRAINS = tuple(Terrain)


@dataclass(frozen=True, slots=True)
class BuiltRoad:
    """A complete road: its tiles in order from the start, the place it starts from, the place it reaches.

    `cost` is in travel days. Laid as a turn it is legal: with a new merchant on the goal where `sets_merchant` is
    true, without one where an opponent holds the goal (two-player) or where merchants walk (danger).
    """

    tiles: Mapping[HexCell, Road]
    start: HexCell
    goal: HexCell
    cost: int
    sets_merchant: bool = True


def can_build(position: LaStradaPosition, color: Color, days: int) -> bool:
    """Whether there is any complete road that the colour could lay with so many days."""
    known = reaches(position, color, days)
    return any(_Search(position, color, days).found()) if known is None else known


def reaches(position: LaStradaPosition, color: Color, days: int) -> bool | None:
    """Whether the colour could complete a road with so many days, as the cheapest way tells; None: only a search can.

    The board floods day by day from the places reached, over free cells of a terrain that there are tiles for: no road
    leads to what stays dry. And the first way that comes to a settlement that is next to no place reached is a road:
    as it is the cheapest, no two cells but those that follow each other on it are neighbours (else the way between them
    were left out), so that it bends as tiles do. Only, of a terrain there must be as many tiles as the days can buy.
    A search takes 0.1 ms, this 0.02 ms, and every turn that is judged asks.
    """
    rules, ground = position.rules, position.ground
    if rules.walking or not position.merchants_left(color):
        return None
    if _is_one_tile_enough(position, color, days):
        return True
    beside, terrain, settlements = ground.board.beside, ground.terrain, ground.settlements
    starts, left = position.connected[color], position.tiles_left[color]
    costs = {kind: cost for kind, cost in rules.costs.items() if left[kind]}
    # Each cell is met first on its cheapest way: from whichever side, entering it costs the same.
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
    """Whether a tile between a place reached and a settlement two steps away makes a road: mostly so until late."""
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
    """Whether the colour could complete a road with the most days that anybody can hold, as the table lies now."""
    return can_build(position, color, position.rules.most_days)


def roads(position: LaStradaPosition, color: Color, days: int) -> Iterator[BuiltRoad]:
    """Yield every complete road that the colour could lay with so many days, in no order of merit.

    Tiles, merchants, reach and bends (within a cell a road turns by 60 degrees at most) count; whose turn it is does
    not. There can be thousands on an empty board: take what you need.
    """
    search = _Search(position, color, days)
    for found in search.found():
        yield search.built(*found)


def cheapest_roads(position: LaStradaPosition, color: Color) -> Mapping[HexCell, BuiltRoad]:
    """Return the cheapest road to each place that the colour could reach, were it to hold the most days there are.

    Of roads that cost as much, that with fewest tiles, then the one found first.
    """
    search = _Search(position, color, position.rules.most_days)
    best = dict[int, _Found]()
    for found in search.found():
        known = best.get(found[2])
        if known is None or (found[3], len(found[1])) < (known[3], len(known[1])):
            best[found[2]] = found
    built = (search.built(*found) for found in best.values())
    return {road.goal: road for road in sorted(built, key=lambda road: (road.cost, road.goal.r, road.goal.q))}


#: A road in numbers: its start, each tile's cell with the edges it is entered and left by, its goal, its days.
_Found = tuple[int, tuple[tuple[int, int, int], ...], int, int]


class _Search:
    """The board in numbers, cells by their place in `HexBoard.cells`: a walk over numbers is ten times as fast."""

    def __init__(self, position: LaStradaPosition, color: Color, days: int) -> None:
        self._position, self._color, self._days = position, color, days
        rules, ground = position.rules, position.ground
        self._beyond, at = _lattice(ground.board)
        starts = position.starts(color)
        self._starts = [at[cell] for cell in sorted(starts)]
        self._goals = {at[cell] for cell in _goals(position, color)}
        supply = position.tiles_left[color]
        self._left = [supply[terrain] for terrain in _TERRAINS]
        self._kinds = _kinds(ground.board, ground.terrain)
        self._costs = [rules.costs[terrain] for terrain in _TERRAINS]
        self._taken = {at[cell] for lying in (ground.settlements, position.workshops, position.roads) for cell in lying}

    def found(self) -> Iterator[_Found]:
        """Yield every road in numbers."""
        if not (self._goals and self._starts):
            return
        beyond, goals, kinds, left = self._beyond, self._goals, self._kinds, self._left
        costs = [self._costs[kind] for kind in kinds]
        fewest = self._fewest_days(costs)
        path: list[tuple[int, int, int]] = []
        on_path: set[int] = set()
        days = self._days

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
                        yield start, tuple(path), over, days - held
                else:
                    yield from grow(start, over, opposite(leave), held)
                path.pop()
            on_path.remove(cell)
            left[kinds[cell]] += 1

        for start in self._starts:
            for edge in range(6):
                yield from grow(start, beyond[start][edge], opposite(edge), days)

    def built(self, start: int, tiles: Sequence[tuple[int, int, int]], goal: int, cost: int) -> BuiltRoad:
        """Return a road that was found with its cells and tiles."""
        position, cells = self._position, self._position.ground.board.cells
        laid = {
            cells[cell]: Road(self._color, _TERRAINS[self._kinds[cell]], (min(entry, leave), max(entry, leave)))
            for cell, entry, leave in tiles
        }
        sets_merchant = not position.rules.walking and not position.is_full(cells[goal])
        return BuiltRoad(laid, cells[start], cells[goal], cost, sets_merchant)

    def _fewest_days(self, costs: Sequence[int]) -> list[int]:
        """Return for each cell the days of the cheapest way from it to a goal, its own included; a lot for none.

        Bends and supplies are left out, so it is never too much: a bound that cuts the search and loses nothing.
        Dijkstra's search from the goals, its queue a list a day.
        """
        far = self._days + 1
        fewest = [far] * len(costs)
        queue: list[list[int]] = [[] for _ in range(far)]
        usable = [self._left[kind] > 0 for kind in range(len(_TERRAINS))]
        for goal in self._goals:
            for over in self._beyond[goal]:
                if over >= 0 and costs[over] < far:
                    queue[costs[over]].append(over)
        for days, waiting in enumerate(queue):
            for cell in waiting:
                if fewest[cell] <= days or cell in self._taken or not usable[self._kinds[cell]]:
                    continue
                fewest[cell] = days
                for over in self._beyond[cell]:
                    if over >= 0 and fewest[over] == far and days + costs[over] < far:
                        queue[days + costs[over]].append(over)
        return fewest


@cache
def _lattice(board: HexBoard) -> tuple[tuple[tuple[int, ...], ...], Mapping[HexCell, int]]:
    """Return each cell's six neighbours by number, -1 beyond the rim, and the numbers of the cells."""
    at = {cell: number for number, cell in enumerate(board.cells)}
    return tuple(tuple(at.get(cell.neighbour(edge), -1) for edge in range(6)) for cell in board.cells), at


def _kinds(board: HexBoard, terrain: Mapping[Cell, Terrain]) -> list[int]:
    numbers = {kind: number for number, kind in enumerate(_TERRAINS)}
    return [numbers[terrain[cell]] for cell in board.cells]
