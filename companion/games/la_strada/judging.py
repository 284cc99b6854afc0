"""Every reason why a move is not allowed, each with its cells and numbers (codes: records/FORMAT.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from companion.board import Color, HexCell, Terrain
from companion.games.contract import Reason
from companion.games.la_strada import joining, walking
from companion.games.la_strada.position import LaStradaPosition, Move, Placement, Turn
from companion.games.la_strada.reasons import reason
from companion.games.la_strada.tracing import Facing, TracedRoad, trace


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
    for color in Color if turn.merchants else ():
        if color is not turn.player and (cells := [cell for cell, cubes in turn.merchants.items() if cubes[color]]):
            yield reason("merchant-color", cells, color=color)
    way = walking if position.rules.walking else joining
    yield from way.cube_faults(position, turn)
    if not any(road.is_broken for road in roads):
        yield from way.road_faults(position, turn, roads)


def cost(position: LaStradaPosition, turn: Turn) -> int:
    """Return the days of all tiles of the turn, by the terrain of their cells."""
    return sum(position.rules.costs[position.ground.terrain[cell]] for cell in turn.tiles)


def _tile_faults(position: LaStradaPosition, turn: Turn) -> Iterator[Reason]:
    tiles, player = turn.tiles, turn.player
    if occupied := [cell for cell in tiles if not position.is_free(cell)]:
        yield reason("cell-occupied", occupied)
    for color in sorted({tile.color for tile in tiles.values()} - {player}):
        yield reason("tile-color", [cell for cell, tile in tiles.items() if tile.color is color], color=color)
    if wrong := [cell for cell, tile in tiles.items() if tile.terrain is not position.ground.terrain[cell]]:
        yield reason("tile-terrain", wrong)
    needed = Counter(tile.terrain for tile in tiles.values())
    left = position.tiles_left[player]
    if short := [terrain for terrain in left if needed[terrain] > left[terrain]]:
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
