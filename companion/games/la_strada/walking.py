"""Roads and cubes where merchants walk (danger): some order of building must explain where they now stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from companion.board import HexCell
from companion.games.contract import Reason
from companion.games.la_strada.orders import explains, unbuilt
from companion.games.la_strada.position import NOBODY, LaStradaPosition, Turn
from companion.games.la_strada.reasons import reason
from companion.games.la_strada.tracing import TracedRoad, cells_of, foreign_roads


def cube_faults(position: LaStradaPosition, turn: Turn) -> Iterator[Reason]:
    """Yield what is wrong with the cubes wherever the roads lead."""
    if not _is_balanced(position, turn):
        own = own_changes(turn)
        taken = -sum(change for change in own.values() if change < 0)
        yield reason("merchant-total", own, {"taken": taken, "placed": taken + sum(own.values())})


def road_faults(position: LaStradaPosition, turn: Turn, roads: Sequence[TracedRoad]) -> Iterator[Reason]:
    """Yield what is wrong with where the roads lead, none of them being broken, and with who walked along them.

    Orders of building are looked for only where every road could be built from one place to another and as many
    merchants arrived as left (records/FORMAT.md).
    """
    foreign, _, near = foreign_roads(position, turn.player, roads)
    if foreign:
        yield reason("foreign-workshop", [*cells_of(foreign), *near])
    circling = [road for road in roads if len(set(road.places)) == 1]
    if circling:
        yield reason("already-connected", cells_of(circling))
    if foreign or circling or not _is_balanced(position, turn):
        return
    joined = [road.places for road in roads]
    standing = {cell: cubes[turn.player] for cell, cubes in position.merchants.items() if cubes[turn.player]}
    if left := unbuilt(joined, standing):
        yield reason("not-connected", cells_of([roads[number] for number in left]))
        return
    own = own_changes(turn)
    if not explains(joined, standing, {cell: standing.get(cell, 0) + own.get(cell, 0) for cell in standing | own}):
        yield reason("merchant-move", own)


def own_changes(turn: Turn) -> dict[HexCell, int]:
    """Return by how much the player's own cubes changed, where they did."""
    return {cell: cubes[turn.player] for cell, cubes in turn.merchants.items() if cubes[turn.player]}


def _is_balanced(position: LaStradaPosition, turn: Turn) -> bool:
    """Whether as many own cubes were set as taken, and no more were taken anywhere than stood there."""
    own = own_changes(turn)
    return sum(own.values()) == 0 and all(
        position.merchants.get(cell, NOBODY)[turn.player] + change >= 0 for cell, change in own.items()
    )
