"""Roads and cubes where merchants walk (danger): some order of building must explain where they now stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from companion.board import Color, HexCell
from companion.games.contract import Reason
from companion.games.la_strada.orders import explains, unbuilt
from companion.games.la_strada.position import NOBODY, LaStradaPosition
from companion.games.la_strada.reasons import reason
from companion.games.la_strada.tracing import TracedRoad, cells_of, foreign_roads


def cube_faults(position: LaStradaPosition, player: Color, own: Mapping[HexCell, int]) -> list[Reason]:
    """Return what is wrong with the player's cubes wherever the roads lead; `own`: by how much they changed where."""
    if _is_balanced(position, player, own):
        return []
    taken = -sum(change for change in own.values() if change < 0)
    return [reason("merchant-total", own, {"taken": taken, "placed": taken + sum(own.values())})]


def road_faults(
    position: LaStradaPosition, player: Color, own: Mapping[HexCell, int], roads: Sequence[TracedRoad]
) -> tuple[frozenset[HexCell], list[Reason]]:
    """Return what the roads connect for good, which is nothing, and what is wrong with them and with who walked there.

    None of the roads is broken. Orders of building are looked for only where every road could be built from one place
    to another and as many merchants arrived as left (records/FORMAT.md).
    """
    faults: list[Reason] = []
    foreign, _, near = foreign_roads(position, player, roads)
    if foreign:
        faults.append(reason("foreign-workshop", [*cells_of(foreign), *near]))
    if circling := [road for road in roads if road.places[0] == road.places[1]]:
        faults.append(reason("already-connected", cells_of(circling)))
    if not (foreign or circling) and _is_balanced(position, player, own):
        faults += _order_faults(position, player, own, roads)
    return frozenset(), faults


def _order_faults(
    position: LaStradaPosition, player: Color, own: Mapping[HexCell, int], roads: Sequence[TracedRoad]
) -> list[Reason]:
    joined, merchants = [road.places for road in roads], position.merchants
    places = own.keys() | {place for road in joined for place in road}
    standing = {cell: merchants[cell][player] for cell in places if cell in merchants}
    now = {cell: standing.get(cell, 0) + own.get(cell, 0) for cell in places}
    if explains(joined, standing, now):
        return []
    if left := unbuilt(joined, standing):
        return [reason("not-connected", cells_of([roads[number] for number in left]))]
    return [reason("merchant-move", own)]


def _is_balanced(position: LaStradaPosition, player: Color, own: Mapping[HexCell, int]) -> bool:
    """Whether as many own cubes were set as taken, and no more were taken anywhere than stood there."""
    return sum(own.values()) == 0 and all(
        position.merchants.get(cell, NOBODY)[player] + change >= 0 for cell, change in own.items()
    )
