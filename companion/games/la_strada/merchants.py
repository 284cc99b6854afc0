"""Roads and cubes: what a turn's roads connect, and whether the cubes came and went as the rules say.

If merchants stay (standard, two-player), a road joins a place reached to one that is not. If they walk (danger), some
order of building must explain where they now stand.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import permutations
from typing import TypeVar

from companion.board import Color, HexCell
from companion.games.contract import Reason, reason
from companion.games.la_strada.position import NOBODY, LaStradaPosition
from companion.games.la_strada.roads import TracedRoad, cells_of, foreign_roads


def merchant_faults(
    position: LaStradaPosition, player: Color, own: Mapping[HexCell, int], roads: Sequence[TracedRoad] | None
) -> tuple[frozenset[HexCell], list[Reason]]:
    """Return the places that the roads newly connect, and what is wrong with the roads and with the player's cubes.

    `own` says by how much their cubes changed on each cell. `roads` is None if some are broken: then only cubes are
    judged.
    """
    return (_walking_faults if position.rules.walking else _staying_faults)(position, player, own, roads)


def _staying_faults(
    position: LaStradaPosition, player: Color, own: Mapping[HexCell, int], roads: Sequence[TracedRoad] | None
) -> tuple[frozenset[HexCell], list[Reason]]:
    faults: list[Reason] = []
    new = {cell: cubes for cell, cubes in own.items() if cubes > 0}
    if own:
        if len(new) < len(own):
            faults.append(reason("merchant-removed", own.keys() - new))
        needed, left = sum(new.values()), position.merchants_left(player)
        if needed > len(new):
            faults.append(reason("merchant-extra", [cell for cell, cubes in new.items() if cubes > 1]))
        if needed > left:
            faults.append(reason("merchant-supply", new, {"needed": needed, "left": left}))
        if position.rules.room is not None and (occupied := [cell for cell in new if position.is_full(cell)]):
            faults.append(reason("merchant-occupied", occupied))
    if roads is None:
        return frozenset(), faults
    reached, unjoined = _join(position, player, roads)
    if new.keys() != reached:
        if missing := [cell for cell in reached - new.keys() if not position.is_full(cell)]:
            faults.append(reason("merchant-missing", missing))
        if unconnected := new.keys() - reached:
            faults.append(reason("merchant-unconnected", unconnected))
    return reached, faults + unjoined


def _join(
    position: LaStradaPosition, player: Color, roads: Sequence[TracedRoad]
) -> tuple[frozenset[HexCell], list[Reason]]:
    """Return the settlements that the roads newly connect, and the roads' faults; none of the roads is broken.

    Some order of building must let every road start at a place that the player has reached and end at one that they
    have not. So if all places reached count as one, the roads must make a tree: a road off the tree is not connected,
    and each road of a circle joins what is connected already.
    """
    home = position.connected[player]
    reached, unbuilt = _build(home, roads)
    if not unbuilt and position.workshops.keys().isdisjoint(reached):
        return reached, []
    foreign, own, near = foreign_roads(position, player, roads)
    reached, unbuilt = _build(home, own)
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
    """Build each road as soon as it joins a place reached to a new one; return the new places and the unbuilt roads."""
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
    reached, frontier = {start}, [start]
    while frontier:
        frontier = [place for near in frontier for place in links[near] if place not in reached]
        reached.update(frontier)
    return goal in reached


def _walking_faults(
    position: LaStradaPosition, player: Color, own: Mapping[HexCell, int], roads: Sequence[TracedRoad] | None
) -> tuple[frozenset[HexCell], list[Reason]]:
    """Return no places, as roads connect nothing for good here, and what is wrong.

    Orders of building are looked for only if every road could be built from one place to another, as many merchants
    arrived as left, and no more were taken anywhere than were there (records/FORMAT.md).
    """
    faults: list[Reason] = []
    surplus, merchants = sum(own.values()), position.merchants
    if surplus or any(merchants.get(cell, NOBODY)[player] + change < 0 for cell, change in own.items()):
        taken = -sum(change for change in own.values() if change < 0)
        faults.append(reason("merchant-total", own, {"taken": taken, "placed": taken + surplus}))
    if roads is None:
        return frozenset(), faults
    foreign, _, near = foreign_roads(position, player, roads)
    if foreign:
        faults.append(reason("foreign-workshop", [*cells_of(foreign), *near]))
    if circling := [road for road in roads if road.places[0] == road.places[1]]:
        faults.append(reason("already-connected", cells_of(circling)))
    return frozenset(), faults or _order_faults(position, player, own, roads)


def _order_faults(
    position: LaStradaPosition, player: Color, own: Mapping[HexCell, int], roads: Sequence[TracedRoad]
) -> list[Reason]:
    joined, merchants = [road.places for road in roads], position.merchants
    standing = {place: merchants.get(place, NOBODY)[player] for places in joined for place in places}
    if explains(joined, standing, own):
        return []
    if left := unbuilt(joined, standing):
        return [reason("not-connected", cells_of([roads[number] for number in left]))]
    return [reason("merchant-move", own)]


#: From here on: in which order roads can have been built if merchants only walk along a road as it is built (danger).
#: Places are any hashable values, and a road is the pair of places that it joins. A road is built once, from an end
#: where a merchant stands at that moment, and takes any number of those merchants along, or none. Places that no chain
#: of roads joins have nothing to do with each other, so each such group of roads is examined separately.
Place = TypeVar("Place", bound=Hashable)

#: A search gives up after this many states. Five roads, the most that ten days can buy, needed at most nine in 12,000
#: random cases, and seven roads 94. So only a turn that is far too long anyway can get here, and it is then refused
#: because no order was found.
MOST_STATES = 500

#: Which roads are still to be built (by number), and how many merchants stand on each place (by number).
_State = tuple[frozenset[int], tuple[int, ...]]


def unbuilt(roads: Sequence[tuple[Place, Place]], standing: Mapping[Place, int]) -> list[int]:
    """Return the roads that the order that builds most leaves over (by their number, in order); none if all are built.

    `standing`: how many of the player's merchants are on a place before the first road; 0 if it is left out.
    """
    left: list[int] = []
    for group in _groups(roads):
        left += _Group(roads, group, standing, {}).unbuilt()
    return sorted(left)


def explains(roads: Sequence[tuple[Place, Place]], standing: Mapping[Place, int], came: Mapping[Place, int]) -> bool:
    """Whether some order builds all roads and changes the number of merchants on each place as `came` says.

    A place that either mapping leaves out counts as 0 there.
    """
    if any(came[place] for place in came.keys() - {place for road in roads for place in road}):
        return False
    for group in _groups(roads):
        if len(group) == 1:
            one, other = roads[group[0]]
            # One road by itself: the surplus at one end walks to the other, as long as somebody is there to build it.
            if came.get(one, 0) + came.get(other, 0) or not (standing.get(one, 0) or standing.get(other, 0)):
                return False
        elif not _Group(roads, group, standing, came).explains():
            return False
    return True


def _groups(roads: Sequence[tuple[Place, Place]]) -> list[list[int]]:
    """Return the roads' numbers, grouped by the chains of roads that join them."""
    groups: list[tuple[set[Place], list[int]]] = []
    for number, road in enumerate(roads):
        apart, places, numbers = [], set(road), [number]
        for group in groups:
            if places.isdisjoint(group[0]):
                apart.append(group)
            else:
                places |= group[0]
                numbers = group[1] + numbers
        groups = [*apart, (places, sorted(numbers))]
    return [numbers for _, numbers in groups]


class _Group:
    """Roads that are joined together, with places and roads by number; lives for one question."""

    def __init__(
        self,
        roads: Sequence[tuple[Place, Place]],
        group: Sequence[int],
        standing: Mapping[Place, int],
        came: Mapping[Place, int],
    ) -> None:
        places = list(dict.fromkeys(place for number in group for place in roads[number]))
        at = {place: index for index, place in enumerate(places)}
        self.ends = {number: (at[roads[number][0]], at[roads[number][1]]) for number in group}
        self.begin: _State = frozenset(group), tuple(standing.get(place, 0) for place in places)
        self.wanted = tuple(standing.get(place, 0) + came.get(place, 0) for place in places)

    def unbuilt(self) -> frozenset[int]:
        """Return the roads left over by the order, among those tried, that builds most."""
        best = self.begin[0]
        for left, _ in self._tried(self._with_dead_ends_built):
            best = min(best, left, key=len)
            if not best:
                break
        return best

    def explains(self) -> bool:
        """Whether some order builds all roads and ends with the merchants as wanted."""
        if sum(self.begin[1]) != sum(self.wanted):
            return False
        return (frozenset(), self.wanted) in self._tried(self._forced)

    def _tried(self, settle: Callable[[_State], tuple[_State, list[_State]]]) -> Iterator[_State]:
        """Yield each state that some order reaches; `settle` first builds what it can, and gives the choices left."""
        tried, pending = set[_State](), [self.begin]
        while pending and len(tried) < MOST_STATES:
            state, choices = settle(pending.pop())
            if state not in tried:
                tried.add(state)
                yield state
                pending += choices

    def _walks(self, number: int, standing: tuple[int, ...]) -> Iterator[tuple[int, int, int]]:
        """Yield the ways to build a road: start, goal, and how many of those at the start walk."""
        for start, goal in permutations(self.ends[number]):
            if standing[start]:
                yield from ((start, goal, walking) for walking in range(standing[start] + 1))

    def _with_dead_ends_built(self, state: _State) -> tuple[_State, list[_State]]:
        """Build each road to a place that no other road still touches, if it can be built: waiting gains nothing.

        Merchants on such a place can do nothing else, so all of them walk; an empty place needs nobody. Return where
        that leads, and what can be chosen from there.
        """
        left, standing = state
        while True:
            touching = [end for number in left for end in self.ends[number]]
            for number in left:
                a, b = self.ends[number]
                lone = next((end for end in (a, b) if touching.count(end) == 1), None)
                if lone is None or not (standing[a] or standing[b]):
                    continue
                standing = _moved(standing, lone, a + b - lone, standing[lone])
                left -= {number}
                break
            else:
                break
        walks = ((number, walk) for number in left for walk in self._walks(number, standing))
        return (left, standing), [(left - {number}, _moved(standing, *walk)) for number, walk in walks]

    def _forced(self, state: _State) -> tuple[_State, list[_State]]:
        """Build what may be built at once without loss; return where that leads, and what can be chosen from there.

        If a road is the only link between two sides, the surplus of one side walks along it. If there is no surplus, it
        may be built as soon as anybody stands at an end, and before all others: those merchants may have to leave.
        Then, if roads make no circle, any other road may be built as soon as enough merchants stand at its start: any
        that are still to come there come from sides that do not need this road.
        """
        left, standing = state
        while True:
            flows = {number: self._flow(number, left, standing) for number in left}
            makes_circle = None in flows.values()
            for number, flow in sorted(flows.items(), key=lambda item: item[1] is not None and item[1][2]):
                if flow is None or (makes_circle and flow[2]):
                    continue
                start, goal, walking = flow
                if standing[start] >= max(1, walking) or (not walking and standing[goal]):
                    left, standing = left - {number}, _moved(standing, start, goal, walking)
                    break
            else:
                break
        choices = list[_State]()
        for number, flow in flows.items() if makes_circle else ():
            for start, goal, walking in self._walks(number, standing) if flow is None else (flow,):
                if standing[start] >= max(1, walking):
                    choices.append((left - {number}, _moved(standing, start, goal, walking)))
        return (left, standing), choices

    def _flow(self, number: int, left: frozenset[int], standing: tuple[int, ...]) -> tuple[int, int, int] | None:
        """Return start, goal and number of those who must walk along the road; None if others link its ends too."""
        a, b = self.ends[number]
        side, frontier = {a}, [a]
        while frontier:
            place = frontier.pop()
            for other in left - {number}:
                ends = self.ends[other]
                if place in ends and (beyond := sum(ends) - place) not in side:
                    side.add(beyond)
                    frontier.append(beyond)
        if b in side:
            return None
        surplus = sum(standing[place] - self.wanted[place] for place in side)
        return (a, b, surplus) if surplus >= 0 else (b, a, -surplus)


def _moved(standing: tuple[int, ...], start: int, goal: int, walking: int) -> tuple[int, ...]:
    after = list(standing)
    after[start] -= walking
    after[goal] += walking
    return tuple(after)
