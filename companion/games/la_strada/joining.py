"""Roads and cubes where merchants stay: standard and two-player. A road joins a place reached to one that is not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from companion.board import Color, HexCell
from companion.games.contract import Reason
from companion.games.la_strada.position import LaStradaPosition
from companion.games.la_strada.reasons import reason
from companion.games.la_strada.tracing import TracedRoad, cells_of, foreign_roads


def cube_faults(position: LaStradaPosition, player: Color, own: Mapping[HexCell, int]) -> list[Reason]:
    """Return what is wrong with the player's cubes wherever the roads lead; `own`: by how much they changed where."""
    if not own:
        return []
    faults: list[Reason] = []
    new = {cell: cubes for cell, cubes in own.items() if cubes > 0}
    if len(new) < len(own):
        faults.append(reason("merchant-removed", own.keys() - new))
    needed, left = sum(new.values()), position.merchants_left(player)
    if needed > len(new):
        faults.append(reason("merchant-extra", [cell for cell, cubes in new.items() if cubes > 1]))
    if needed > left:
        faults.append(reason("merchant-supply", new, {"needed": needed, "left": left}))
    if position.rules.room is not None and (occupied := [cell for cell in new if position.is_full(cell)]):
        faults.append(reason("merchant-occupied", occupied))
    return faults


def road_faults(
    position: LaStradaPosition, player: Color, own: Mapping[HexCell, int], roads: Sequence[TracedRoad]
) -> tuple[frozenset[HexCell], list[Reason]]:
    """Return the settlements that the roads newly connect, and what is wrong with the roads and the cubes there.

    None of the roads is broken.
    """
    reached, faults = join(position, player, roads)
    new = {cell for cell, cubes in own.items() if cubes > 0}
    if new != reached:
        if missing := [cell for cell in reached - new if not position.is_full(cell)]:
            faults.append(reason("merchant-missing", missing))
        if unconnected := new - reached:
            faults.append(reason("merchant-unconnected", unconnected))
    return reached, faults


def join(
    position: LaStradaPosition, player: Color, roads: Sequence[TracedRoad]
) -> tuple[frozenset[HexCell], list[Reason]]:
    """Return the settlements that the roads newly connect, none of the roads being broken, and the roads' faults.

    Some order of building must let every road start where the player stands and end where he does not. So, all
    places he stands on taken as one, the roads must make a tree: a road off the tree is not connected, each road
    of a circle is one that joins what is connected already.
    """
    home = position.connected[player]
    foreign, own, near = foreign_roads(position, player, roads)
    reached, unbuilt = _build(home, own)
    if not (unbuilt or foreign):
        return reached, []
    places = home | reached
    adrift = [road for road in (*unbuilt, *foreign) if places.isdisjoint(road.places)]
    circling = [road for road in own if not places.isdisjoint(road.places) and _circles(road, own, home)]
    faults = []
    if foreign:
        faults.append(reason("foreign-workshop", [*cells_of(foreign), *near]))
    if circling:
        faults.append(reason("already-connected", cells_of(circling)))
    if adrift:
        faults.append(reason("not-connected", cells_of(adrift)))
    return reached, faults


def _build(home: frozenset[HexCell], roads: Sequence[TracedRoad]) -> tuple[frozenset[HexCell], Sequence[TracedRoad]]:
    """Build each road as soon as it joins a place reached to one that is not; return those, and the roads left over."""
    reached: set[HexCell] = set()
    while roads:
        left = []
        for road in roads:
            one, other = road.places
            starts_at_one = one in home or one in reached
            if starts_at_one is (other in home or other in reached):
                left.append(road)
            else:
                reached.add(other if starts_at_one else one)
        if len(left) == len(roads):
            break
        roads = left
    return frozenset(reached), roads


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
