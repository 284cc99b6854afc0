"""Roads and cubes where merchants stay: standard and two-player. A road joins a place reached to one that is not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from companion.board import Color, HexCell
from companion.games.contract import Reason
from companion.games.la_strada.position import LaStradaPosition, Turn
from companion.games.la_strada.reasons import reason
from companion.games.la_strada.tracing import TracedRoad, cells_of, foreign_roads


def cube_faults(position: LaStradaPosition, turn: Turn) -> Iterator[Reason]:
    """Yield what is wrong with the cubes wherever the roads lead."""
    player, changes = turn.player, turn.merchants
    if removed := [cell for cell, cubes in changes.items() if cubes[player] < 0]:
        yield reason("merchant-removed", removed)
    if extra := [cell for cell, cubes in changes.items() if cubes[player] > 1]:
        yield reason("merchant-extra", extra)
    new = {cell: cubes[player] for cell, cubes in changes.items() if cubes[player] > 0}
    if sum(new.values()) > (left := position.merchants_left(player)):
        yield reason("merchant-supply", new, {"needed": sum(new.values()), "left": left})
    if occupied := [cell for cell in new if position.is_full(cell)]:
        yield reason("merchant-occupied", occupied)


def road_faults(position: LaStradaPosition, turn: Turn, roads: Sequence[TracedRoad]) -> Iterator[Reason]:
    """Yield what is wrong with where the roads lead, none of them being broken, and with the cubes where they end."""
    reached, found = join(position, turn.player, roads)
    yield from found
    new = {cell for cell, cubes in turn.merchants.items() if cubes[turn.player] > 0}
    if missing := {cell for cell in reached - new if not position.is_full(cell)}:
        yield reason("merchant-missing", missing)
    if unconnected := new - reached:
        yield reason("merchant-unconnected", unconnected)


def join(
    position: LaStradaPosition, player: Color, roads: Sequence[TracedRoad]
) -> tuple[frozenset[HexCell], tuple[Reason, ...]]:
    """Return the settlements that the roads newly connect, none of the roads being broken, and the roads' faults.

    Some order of building must let every road start where the player stands and end where he does not. So, all
    places he stands on taken as one, the roads must make a tree: a road off the tree is not connected, each road
    of a circle is one that joins what is connected already.
    """
    home = position.connected[player]
    foreign, own, near = foreign_roads(position, player, roads)
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
        faults.append(reason("foreign-workshop", [*cells_of(foreign), *near]))
    if circling:
        faults.append(reason("already-connected", cells_of(circling)))
    if adrift:
        faults.append(reason("not-connected", cells_of(adrift)))
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
