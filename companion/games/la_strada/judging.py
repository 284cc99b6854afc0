"""Every reason why a move is not allowed, each with its cells and numbers (codes: records/FORMAT.md)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from companion.board import Color, HexCell, Terrain
from companion.games.contract import Reason
from companion.games.la_strada.position import LaStradaPosition, Move, Placement, Turn
from companion.games.la_strada.tracing import Facing, TracedRoad, trace


def reason(
    code: str, cells: Iterable[HexCell] = (), numbers: Mapping[str, int] | None = None, color: Color | None = None
) -> Reason:
    """Return a reason, its cells in board order without repeats."""
    return Reason(code, tuple(sorted(set(cells), key=lambda cell: (cell.r, cell.q))), numbers or {}, color)


def faults(position: LaStradaPosition, move: Move) -> tuple[Reason, ...]:
    """Return all reasons against the move, sorted by code; empty where it is legal."""
    if position.over:
        return (reason("game-over"),)
    if move.player != position.next:
        return (reason("not-your-turn", color=position.next),)
    match move:
        case Placement(cell=cell):
            if position.phase == "turn":
                return (reason("workshop-late", [cell]),)
            found = placement_faults(position, move)
        case Turn():
            if position.phase == "workshop":
                return (reason("workshop-missing", move.tiles.keys() | move.merchants),)
            found = turn_faults(position, move)
    return tuple(sorted(found, key=lambda fault: (fault.code, fault.color or "")))


def placement_faults(position: LaStradaPosition, move: Placement) -> Iterator[Reason]:
    """Yield what is wrong with where a workshop is set."""
    cell = move.cell
    if not position.is_free(cell):
        yield reason("cell-occupied", [cell])
    if position.ground.terrain[cell] is not Terrain.PLAIN:
        yield reason("workshop-terrain", [cell])
    near = [
        beyond
        for _, beyond in position.ground.board.neighbours(cell)
        if position.workshops.get(beyond, move.player) != move.player
    ]
    if near:
        yield reason("workshop-too-close", [cell, *near])


def turn_faults(position: LaStradaPosition, turn: Turn) -> Iterator[Reason]:
    """Yield what is wrong with a turn: the tiles each for itself, then the roads they make, then the cubes."""
    yield from _tile_faults(position, turn)
    roads = trace(position, turn.tiles)
    yield from _broken_roads(roads)
    yield from _cube_faults(position, turn)
    if not any(road.is_broken for road in roads):
        reached, found = join(position, turn.player, roads)
        yield from found
        yield from _arrival_faults(position, turn, reached)


def cost(position: LaStradaPosition, turn: Turn) -> int:
    """Return the days of all tiles of the turn, by the terrain of their cells."""
    return sum(position.rules.costs[position.ground.terrain[cell]] for cell in turn.tiles)


def _tile_faults(position: LaStradaPosition, turn: Turn) -> Iterator[Reason]:
    tiles, player = turn.tiles, turn.player
    if occupied := [cell for cell in tiles if not position.is_free(cell)]:
        yield reason("cell-occupied", occupied)
    for color in Color:
        if foreign := [cell for cell, tile in tiles.items() if tile.color is color is not player]:
            yield reason("tile-color", foreign, color=color)
    if wrong := [cell for cell, tile in tiles.items() if tile.terrain is not position.ground.terrain[cell]]:
        yield reason("tile-terrain", wrong)
    needed = Counter(tile.terrain for tile in tiles.values())
    left = position.tiles_left[player]
    if short := [terrain for terrain in Terrain if needed[terrain] > left[terrain]]:
        numbers = {}
        for terrain in short:
            numbers[f"{terrain}_needed"], numbers[f"{terrain}_left"] = needed[terrain], left[terrain]
        yield reason("tile-supply", [cell for cell, tile in tiles.items() if tile.terrain in short], numbers)
    if (days := cost(position, turn)) > position.days[player]:
        yield reason("days", tiles, {"cost": days, "held": position.days[player]})


def _broken_roads(roads: Iterable[TracedRoad]) -> Iterator[Reason]:
    open_ends, joined = list[HexCell](), list[HexCell]()
    for road in roads:
        if not road.ends:
            open_ends += road.cells
        for end in road.ends:
            if end.facing is Facing.NOTHING:
                open_ends.append(end.cell)
            elif end.facing is Facing.EARLIER_ROAD:
                joined += [end.cell, end.beyond]
    if open_ends:
        yield reason("dead-end", open_ends)
    if joined:
        yield reason("joins-road", joined)


def join(
    position: LaStradaPosition, player: Color, roads: Iterable[TracedRoad]
) -> tuple[frozenset[HexCell], tuple[Reason, ...]]:
    """Return the settlements that the roads newly connect, none of the roads being broken, and the roads' faults.

    Some order of building must let every road start where the player stands and end where he does not. So, all
    places he stands on taken as one, the roads must make a tree: a road off the tree is not connected, each road
    of a circle is one that joins what is connected already.
    """
    home = position.connected[player]
    foreign, own = list[TracedRoad](), list[TracedRoad]()
    for road in roads:
        is_foreign = any(position.workshops.get(place, player) != player for place in road.places)
        (foreign if is_foreign else own).append(road)
    reached, pending = set(home), own
    while True:
        starting = [road for road in pending if reached.intersection(road.places)]
        if not starting:
            break
        for road in starting:
            reached.update(road.places)
        pending = [road for road in pending if road not in starting]
    adrift = pending + [road for road in foreign if not reached.intersection(road.places)]
    circling = [road for road in own if road not in pending and _circles(road, own, home)]
    faults = []
    if foreign:
        near = [place for road in foreign for place in road.places if position.workshops.get(place, player) != player]
        faults.append(reason("foreign-workshop", [*_cells(foreign), *near]))
    if circling:
        faults.append(reason("already-connected", _cells(circling)))
    if adrift:
        faults.append(reason("not-connected", _cells(adrift)))
    return frozenset(reached - home), tuple(faults)


def _circles(road: TracedRoad, roads: Iterable[TracedRoad], home: frozenset[HexCell]) -> bool:
    """Whether the road's two places are connected without it, the home places counting as one."""
    links = defaultdict[HexCell | None, set[HexCell | None]](set)
    for other in roads:
        if other is not road:
            a, b = (None if place in home else place for place in other.places)
            links[a].add(b)
            links[b].add(a)
    start, goal = (None if place in home else place for place in road.places)
    seen, frontier = {start}, [start]
    while frontier:
        frontier = [place for near in frontier for place in links[near] if place not in seen]
        seen.update(frontier)
    return goal in seen


def _cells(roads: Iterable[TracedRoad]) -> list[HexCell]:
    return [cell for road in roads for cell in road.cells]


def _cube_faults(position: LaStradaPosition, turn: Turn) -> Iterator[Reason]:
    """Yield what is wrong with the cubes wherever the roads lead."""
    player, changes = turn.player, turn.merchants
    for color in Color:
        if color is not player and (cells := [cell for cell, cubes in changes.items() if cubes[color]]):
            yield reason("merchant-color", cells, color=color)
    if removed := [cell for cell, cubes in changes.items() if cubes[player] < 0]:
        yield reason("merchant-removed", removed)
    if extra := [cell for cell, cubes in changes.items() if cubes[player] > 1]:
        yield reason("merchant-extra", extra)
    new = {cell: cubes[player] for cell, cubes in changes.items() if cubes[player] > 0}
    if sum(new.values()) > (left := position.merchants_left(player)):
        yield reason("merchant-supply", new, {"needed": sum(new.values()), "left": left})


def _arrival_faults(position: LaStradaPosition, turn: Turn, reached: frozenset[HexCell]) -> Iterator[Reason]:
    """Yield where a settlement reached has no new cube, and where a new cube stands that no road reached."""
    new = {cell for cell, cubes in turn.merchants.items() if cubes[turn.player] > 0}
    if missing := reached - new:
        yield reason("merchant-missing", missing)
    if unconnected := new - reached:
        yield reason("merchant-unconnected", unconnected)
