"""Every reason why a move is not allowed, each with its cells and numbers (codes: records/FORMAT.md)."""

from __future__ import annotations

from collections.abc import Mapping

from companion.board import Color, HexCell, Road, Terrain
from companion.games.contract import Reason
from companion.games.la_strada import joining, walking
from companion.games.la_strada.position import LaStradaPosition, Move, Placement, Turn
from companion.games.la_strada.reasons import reason
from companion.games.la_strada.tracing import trace

#: All reasons against a move, sorted by code, and the settlements that its roads newly connect.
Judged = tuple[tuple[Reason, ...], frozenset[HexCell]]

_NOWHERE: frozenset[HexCell] = frozenset()


def judge(position: LaStradaPosition, move: Move) -> Judged:
    """Return all reasons against the move, none where it is legal, and what it reaches."""
    if position.next is None:
        return (reason("game-over"),), _NOWHERE
    if move.player is not position.next:
        return (reason("not-your-turn", color=position.next),), _NOWHERE
    is_setting_up = position.phase == "workshop"
    if isinstance(move, Turn):
        if is_setting_up:
            return (reason("workshop-missing", move.tiles.keys() | move.merchants),), _NOWHERE
        return _judge_turn(position, move)
    if not is_setting_up:
        return (reason("workshop-late", [move.cell]),), _NOWHERE
    return _in_order(placement_faults(position, move)), _NOWHERE


def placement_faults(position: LaStradaPosition, move: Placement) -> list[Reason]:
    """Return what is wrong with where a workshop is set."""
    cell, workshops = move.cell, position.workshops
    faults: list[Reason] = []
    if not position.is_free(cell):
        faults.append(reason("cell-occupied", [cell]))
    if position.ground.terrain[cell] is not Terrain.PLAIN:
        faults.append(reason("workshop-terrain", [cell]))
    around = position.ground.board.around[cell]
    if near := [beyond for beyond in around if beyond in workshops and workshops[beyond] is not move.player]:
        faults.append(reason("workshop-too-close", [cell, *near]))
    return faults


def _judge_turn(position: LaStradaPosition, turn: Turn) -> Judged:
    """Judge the tiles each for itself, then the roads they make, then the cubes."""
    if not (turn.tiles or turn.merchants):
        return (), _NOWHERE
    player, walks = turn.player, position.rules.walking
    own: dict[HexCell, int] = {}
    are_foreign = False
    for cell, cubes in turn.merchants.items():
        if change := cubes[player]:
            own[cell] = change
        are_foreign = are_foreign or cubes.colors > (change != 0)
    found = walking.cube_faults(position, player, own) if walks else joining.cube_faults(position, player, own)
    if are_foreign:
        found += _foreign_cubes(turn)
    occupied, faults = _tile_faults(position, turn)
    found += faults
    roads, open_ends, joins = trace(position, {cell: turn.tiles[cell] for cell in turn.tiles if cell not in occupied})
    if open_ends:
        found.append(reason("dead-end", open_ends))
    if joins:
        found.append(reason("joins-road", joins))
    if open_ends or joins:
        return _in_order(found), _NOWHERE
    if walks:
        reached, faults = walking.road_faults(position, player, own, roads)
    else:
        reached, faults = joining.road_faults(position, player, own, roads)
    found += faults
    return _in_order(found), reached


def _tile_faults(position: LaStradaPosition, turn: Turn) -> tuple[list[HexCell], list[Reason]]:
    """Return the tiles' cells that are occupied, and what is wrong with the tiles wherever their roads lead."""
    tiles, player = turn.tiles, turn.player
    settlements, workshops, roads = position.ground.settlements, position.workshops, position.roads
    terrain, costs = position.ground.terrain, position.rules.costs
    occupied: list[HexCell] = []
    wrong: list[HexCell] = []
    foreign: list[HexCell] = []
    days = 0
    for cell, tile in tiles.items():
        if cell in roads or cell in settlements or cell in workshops:
            occupied.append(cell)
        kind = terrain[cell]
        if tile.terrain is not kind:
            wrong.append(cell)
        if tile.color is not player:
            foreign.append(cell)
        days += costs[kind]
    faults: list[Reason] = []
    if occupied:
        faults.append(reason("cell-occupied", occupied))
    for color in Color if foreign else ():
        if cells := [cell for cell in foreign if tiles[cell].color is color]:
            faults.append(reason("tile-color", cells, color=color))
    if wrong:
        faults.append(reason("tile-terrain", wrong))
    # No kind can be short of which there are as many as all tiles laid.
    left, laid = position.tiles_left[player], len(tiles)
    if needed := {kind: count for kind in left if left[kind] < laid and (count := _shown(tiles, kind)) > left[kind]}:
        faults.append(_supply_fault(turn, needed, left))
    if days > (held := position.days[player]):
        faults.append(reason("days", tiles, {"cost": days, "held": held}))
    return occupied, faults


def _shown(tiles: Mapping[HexCell, Road], kind: Terrain) -> int:
    """Return how many of the tiles show that terrain."""
    return len([tile for tile in tiles.values() if tile.terrain is kind])


def _supply_fault(turn: Turn, needed: Mapping[Terrain, int], left: Mapping[Terrain, int]) -> Reason:
    numbers = {}
    for kind, count in needed.items():
        numbers[f"{kind}_needed"], numbers[f"{kind}_left"] = count, left[kind]
    return reason("tile-supply", [cell for cell, tile in turn.tiles.items() if tile.terrain in needed], numbers)


def _foreign_cubes(turn: Turn) -> list[Reason]:
    """Return the other colours whose cubes changed."""
    faults: list[Reason] = []
    for color in Color:
        if color is not turn.player and (cells := [cell for cell, cubes in turn.merchants.items() if cubes[color]]):
            faults.append(reason("merchant-color", cells, color=color))
    return faults


def _in_order(found: list[Reason]) -> tuple[Reason, ...]:
    """Return the reasons sorted by code, and by colour where one is given for several."""
    return tuple(sorted(found, key=_code_and_color) if len(found) > 1 else found)


def _code_and_color(fault: Reason) -> tuple[str, str]:
    return fault.code, fault.color or ""
