"""In which order roads can have been built when merchants only walk along a road as it is built (danger).

Places are any hashable values, a road is the pair of places that it joins; a road is built once, from an end where a
merchant stands at that moment, and takes any number of those merchants along, or none. Places that no chain of roads
joins have nothing to do with each other: each such group of roads is looked at for itself.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import permutations
from typing import TypeVar

Place = TypeVar("Place", bound=Hashable)

#: A search gives up after so many states. Five roads, the most that ten days can buy, needed at most nine in 12,000
#: random cases, seven roads 94; only a turn that is far too long anyway can come here, and it is then said of it that
#: no order was found.
MOST_STATES = 500

#: Which roads are still to be built (by number), and how many merchants stand on each place (by number).
_State = tuple[frozenset[int], tuple[int, ...]]


def unbuilt(roads: Sequence[tuple[Place, Place]], standing: Mapping[Place, int]) -> list[int]:
    """Return which roads are left over (by their number, in order) by an order that builds most; none: all are built.

    `standing`: how many of the player's merchants stand on a place before the first road; 0 where it is left out.
    """
    left: list[int] = []
    for group in _groups(roads):
        left += _Group(roads, group, standing, {}).unbuilt()
    return sorted(left)


def explains(roads: Sequence[tuple[Place, Place]], standing: Mapping[Place, int], wanted: Mapping[Place, int]) -> bool:
    """Whether some order builds all roads and leaves the merchants on the places as `wanted` says.

    Both mappings give 0 to a place that they leave out.
    """
    changed = {place for place, _ in standing.items() ^ wanted.items()}.difference(*roads)
    if any(standing.get(place, 0) != wanted.get(place, 0) for place in changed):
        return False
    for group in _groups(roads):
        if len(group) == 1:
            one, other = roads[group[0]]
            there = standing.get(one, 0) + standing.get(other, 0)
            # One road by itself: those too many at one end walk to the other, if only somebody is there to build it.
            if not there or there != wanted.get(one, 0) + wanted.get(other, 0):
                return False
        elif not _Group(roads, group, standing, wanted).explains():
            return False
    return True


def _groups(roads: Sequence[tuple[Place, Place]]) -> list[list[int]]:
    """Return the roads' numbers, those together that chains of roads join."""
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
    """Roads that hang together, places and roads by number; lives for one question."""

    def __init__(
        self,
        roads: Sequence[tuple[Place, Place]],
        group: Sequence[int],
        standing: Mapping[Place, int],
        wanted: Mapping[Place, int],
    ) -> None:
        places = list(dict.fromkeys(place for number in group for place in roads[number]))
        at = {place: index for index, place in enumerate(places)}
        self.ends = {number: (at[roads[number][0]], at[roads[number][1]]) for number in group}
        self.begin: _State = frozenset(group), tuple(standing.get(place, 0) for place in places)
        self.wanted = tuple(wanted.get(place, 0) for place in places)

    def unbuilt(self) -> frozenset[int]:
        """Return the roads left over by the order, among those tried, that builds most."""
        best = self.begin[0]
        tried, pending = set[_State](), [self.begin]
        while pending and len(tried) < MOST_STATES:
            state = self._with_dead_ends_built(pending.pop())
            if state in tried:
                continue
            tried.add(state)
            best = min(best, state[0], key=len)
            if not best:
                break
            left, standing = state
            pending += [
                (left - {number}, _moved(standing, *walk)) for number in left for walk in self._walks(number, standing)
            ]
        return best

    def explains(self) -> bool:
        """Whether some order builds all roads and ends with the merchants as wanted."""
        if sum(self.begin[1]) != sum(self.wanted):
            return False
        tried, pending = set[_State](), [self.begin]
        while pending and len(tried) < MOST_STATES:
            state, choices = self._forced(pending.pop())
            if not state[0] and state[1] == self.wanted:
                return True
            if state not in tried:
                tried.add(state)
                pending += choices
        return False

    def _walks(self, number: int, standing: tuple[int, ...]) -> Iterator[tuple[int, int, int]]:
        """Yield the ways to build a road: start, goal, and how many of those at the start walk."""
        for start, goal in permutations(self.ends[number]):
            if standing[start]:
                yield from ((start, goal, walking) for walking in range(standing[start] + 1))

    def _with_dead_ends_built(self, state: _State) -> _State:
        """Build each road to a place that no other road still touches, where that can be done: waiting gains nothing.

        Merchants on such a place can do nothing else, so all of them walk; a bare one needs nobody.
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
                return left, standing

    def _forced(self, state: _State) -> tuple[_State, list[_State]]:
        """Build what may be built at once without loss; return where that leads, and what can be chosen from there.

        A road that alone links two sides settles how many merchants walk along it: as many as one side has too many.
        If that is nobody, it may be built as soon as anybody stands at an end, and first of all: those there may have
        to go. Then, where roads make no circle, any other may be built as soon as enough stand at its start: who is
        still to come there comes from sides that do not need this road.
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
        """Return start, goal and number of those who must walk along the road; None where others link its ends too."""
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
