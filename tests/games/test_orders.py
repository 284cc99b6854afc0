"""Which order of building explains where the merchants are: small cases by hand, then checked by trying everything."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.games.la_strada.merchants import explains, unbuilt
from tests.tries import tries

Roads = Sequence[tuple[str, str]]
Standing = Mapping[str, int]


def test_no_roads_need_nobody_and_move_nobody() -> None:
    assert unbuilt([], {}) == []
    assert explains([], {"A": 2}, {"A": 0, "B": 0})
    assert not explains([], {"A": 1}, {"A": -1, "B": 1})


@pytest.mark.parametrize(
    ("roads", "standing", "left"),
    [
        ([("A", "B")], {"A": 1}, []),
        ([("A", "B")], {"B": 1}, []),
        ([("A", "B")], {}, [0]),
        ([("B", "C"), ("A", "B")], {"A": 1}, []),
        ([("A", "B"), ("B", "C"), ("A", "D"), ("D", "E")], {"A": 2}, []),
        ([("A", "B"), ("C", "D")], {"A": 1}, [1]),
    ],
)
def test_a_road_is_built_from_an_end_where_somebody_stands(roads: Roads, standing: Standing, left: list[int]) -> None:
    assert unbuilt(roads, standing) == left


def test_one_merchant_cannot_go_on_from_both_ends() -> None:
    assert len(unbuilt([("A", "B"), ("B", "C"), ("A", "D"), ("D", "E")], {"A": 1})) == 1


def test_who_leaves_last_builds_first_where_nobody_goes() -> None:
    """Six go from D to B; before that, the road from D to another place must have been built."""
    assert explains([("B", "D"), ("C", "D")], {"D": 6}, {"D": -6, "B": 6})


def test_two_roads_between_the_same_places_lead_there_and_back() -> None:
    roads = [("A", "B"), ("A", "B"), ("B", "C")]
    assert explains(roads, {"A": 1}, {})
    assert not explains(roads[1:], {"A": 1}, {})
    assert explains(roads[1:], {"A": 2}, {"A": -1, "C": 1})


def tried(roads: Roads, standing: dict[str, int]) -> Iterator[tuple[int, dict[str, int]]]:
    """Try every order of building, from either end with any number walking: how many roads stood, and who was where."""
    stuck = True
    for index, road in enumerate(roads):
        for start, goal in permutations(road):
            for walking in range(standing.get(start, 0) + 1) if standing.get(start, 0) else ():
                stuck = False
                after = {**standing, start: standing[start] - walking}
                after[goal] = after.get(goal, 0) + walking
                for built, last in tried([*roads[:index], *roads[index + 1 :]], after):
                    yield built + 1, last
    if stuck:
        yield 0, standing


PLACES = "ABCDE"
ROADS = st.lists(
    st.tuples(st.sampled_from(PLACES), st.sampled_from(PLACES)).filter(lambda road: road[0] != road[1]), max_size=4
)
CUBES = st.dictionaries(st.sampled_from(PLACES), st.integers(0, 3), max_size=3).filter(lambda d: sum(d.values()) <= 4)


@settings(max_examples=tries(200))
@given(ROADS, CUBES)
def test_it_builds_as_many_roads_as_trying_every_order(roads: Roads, standing: dict[str, int]) -> None:
    most = max(built for built, _ in tried(roads, standing))
    assert len(roads) - len(unbuilt(roads, standing)) == most


@settings(max_examples=tries(60))
@given(ROADS, CUBES, st.data())
def test_it_explains_just_what_some_order_leaves(roads: Roads, standing: dict[str, int], data: st.DataObject) -> None:
    left = {
        tuple(sorted(place for place in last for _ in range(last[place])))
        for built, last in tried(roads, standing)
        if built == len(roads)
    }
    possible = {tuple(sorted(data.draw(st.sampled_from(PLACES)) for _ in range(sum(standing.values()))))}
    for last in left | possible:
        came = {place: last.count(place) - standing.get(place, 0) for place in PLACES}
        assert explains(roads, standing, came) is (last in left)


@pytest.mark.long
@pytest.mark.parametrize("size", [8, 30, 90])
def test_many_roads_are_judged_all_the_same(size: int) -> None:
    """A turn of that many roads is far too long, but what is wrong with it must be named."""
    chain = [(number, number + 1) for number in range(size)]
    circle = [*chain, (size, 0)]
    assert unbuilt(chain, {0: 1}) == []
    assert explains(chain, {0: 3}, {0: -3, size: 3})
    assert unbuilt(circle, {}) == list(range(size + 1))
    assert not explains(circle, {0: 1}, {0: 1})
