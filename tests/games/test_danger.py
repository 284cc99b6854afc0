"""Nick Danger's game for two: merchants walk along roads as they are built; ten rounds; the majority scores."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from companion.board import Color, Merchants
from companion.games import score
from companion.games.contract import Illegal, Unfinished
from companion.games.la_strada import DANGER, LaStradaPosition, Turn, account, cheapest_roads, roads

from .drawing import BLACK, RED, after, begin, cell, codes, ground, names, only, reasons, save, turn

# Row D: black's workshop, then D3, D5, D7 with a cell between each. The other workshops are on A4 (black), G4 (red).
FIELD = ground({"A1": "hamlet", "D3": "city", "D5": "town", "D7": "village", "G3": "hamlet"})
TO_D3, ON_TO_D5, ON_TO_D7 = "D1 D2 D3", "D3 D4 D5", "D5 D6 D7"


@pytest.fixture
def position() -> LaStradaPosition:
    """Black's turn, with six days. Red, who placed the last workshop, has saved theirs."""
    return after(begin(FIELD, {BLACK: "D1 A4", RED: "F1 G4"}, rules=DANGER), save(RED))


def moved(**changes: int) -> dict[str, Mapping[Color, int]]:
    """Changes of Black's cubes: how many more or fewer are on each cell."""
    return {name: {BLACK: change} for name, change in changes.items()}


def standing(position: LaStradaPosition, **counts: int) -> LaStradaPosition:
    """The position with Black's twelve cubes on these cells instead."""
    others = {cell: cubes for cell, cubes in position.merchants.items() if not cubes[BLACK]}
    own = {cell(name): Merchants(black=count) for name, count in counts.items()}
    return replace(position, merchants={**others, **own})


def test_six_merchants_stand_on_each_workshop_and_the_last_to_set_one_begins() -> None:
    position = begin(FIELD, {BLACK: "D1 A4", RED: "F1 G4"}, rules=DANGER)
    stood = {str(cell): cubes.total for cell, cubes in position.merchants.items()}
    assert stood == {"D1": 6, "F1": 6, "A4": 6, "G4": 6}
    assert (position.next, position.merchants_left(RED), score(position).gold) == (RED, 0, {BLACK: -12, RED: -12})


@pytest.mark.parametrize("walking", [0, 1, 6])
def test_all_some_or_none_of_the_merchants_walk_along_a_new_road(position: LaStradaPosition, walking: int) -> None:
    done = after(position, turn(FIELD, BLACK, TO_D3, **(moved(D1=-walking, D3=walking) if walking else {})))
    assert done.merchants.get(cell("D3"), Merchants())[BLACK] == walking


def test_merchants_go_on_along_the_next_road_of_the_turn(position: LaStradaPosition) -> None:
    done = after(position, turn(FIELD, BLACK, TO_D3, ON_TO_D5, ON_TO_D7, **moved(D1=-4, D5=1, D7=3)))
    stood = {str(cell): cubes[BLACK] for cell, cubes in done.merchants.items() if cubes[BLACK]}
    assert stood == {"A4": 6, "D1": 2, "D5": 1, "D7": 3}


def test_a_road_may_start_only_where_a_merchant_stands_at_that_moment(position: LaStradaPosition) -> None:
    assert codes(position, turn(FIELD, BLACK, ON_TO_D5)) == ["not-connected"]
    # They built to D3 but took nobody along: they cannot go on from there in a later turn, nor from an empty workshop.
    bare = after(after(position, turn(FIELD, BLACK, TO_D3)), save(RED))
    assert names(only(reasons(bare, turn(FIELD, BLACK, ON_TO_D5)), "not-connected")) == "D4"
    emptied = standing(position, A4=12)
    assert codes(emptied, turn(FIELD, BLACK, TO_D3)) == ["not-connected"]
    assert codes(standing(position, D1=1, A4=11), turn(FIELD, BLACK, TO_D3)) == []


def test_one_merchant_cannot_be_in_two_places(position: LaStradaPosition) -> None:
    lone, two = standing(position, D5=1, A4=11), standing(position, D5=2, A4=10)
    both_ways = ["D5 D4 D3", ON_TO_D7]
    # The first road is built while the merchant is still there, the second takes it along.
    assert codes(lone, turn(FIELD, BLACK, *both_ways, **moved(D5=-1, D7=1))) == []
    # On from both ends: that takes two merchants, and more days than anybody has.
    on_from_both = turn(FIELD, BLACK, *both_ways, "D3 C2 B1 A1", "D7 E6 F5 F4 G3")
    assert codes(lone, on_from_both) == ["days", "not-connected"]
    gone_on = turn(FIELD, BLACK, **moved(D5=-2, D3=1, D7=1)).merchants
    assert codes(two, replace(on_from_both, merchants=gone_on)) == ["days"]
    assert codes(two, on_from_both) == ["days", "merchant-move"], "they must have gone where the roads went on"


def test_cubes_where_no_order_of_building_could_bring_them_are_named(position: LaStradaPosition) -> None:
    move = turn(FIELD, BLACK, TO_D3, **moved(A4=-1, D3=1))
    assert names(only(reasons(position, move), "merchant-move")) == "A4 D3"
    assert codes(position, turn(FIELD, BLACK, **moved(D1=-1, A4=1))) == ["merchant-move"], "no road at all"
    assert codes(position, turn(FIELD, BLACK, TO_D3, **moved(D1=-1, D2=1))) == ["merchant-move"], "on a road tile"


def test_cubes_that_came_from_nowhere_or_vanished_are_counted(position: LaStradaPosition) -> None:
    found = only(reasons(position, turn(FIELD, BLACK, TO_D3, **moved(D1=-1, D3=2))), "merchant-total")
    assert (names(found), found.numbers) == ("D1 D3", {"taken": 1, "placed": 2})
    more_than_stood = turn(FIELD, BLACK, TO_D3, **moved(D1=-7, D3=7))
    assert codes(position, more_than_stood) == ["merchant-total"]
    assert codes(position, turn(FIELD, BLACK, TO_D3, **moved(D1=-6, D3=6))) == []


def test_cubes_still_in_the_hand_are_no_fault_yet(position: LaStradaPosition) -> None:
    in_hand = DANGER.judge_move(position, turn(FIELD, BLACK, TO_D3, **moved(D1=-2, D3=1)))
    too_many = DANGER.judge_move(position, turn(FIELD, BLACK, TO_D3, **moved(D1=-1, D3=2)))
    assert isinstance(in_hand, Unfinished)
    assert isinstance(too_many, Illegal)


def test_the_opponents_cubes_stay_where_they_are(position: LaStradaPosition) -> None:
    move = turn(FIELD, BLACK, TO_D3, D3={RED: 1}, F1={RED: -1})
    assert codes(position, move) == ["merchant-color"]


def test_a_settlement_may_be_reached_again_and_again_and_by_both(position: LaStradaPosition) -> None:
    first = after(position, turn(FIELD, BLACK, TO_D3, **moved(D1=-1, D3=1)))
    second = after(first, turn(FIELD, RED, "F1 E2 D3", F1={RED: -2}, D3={RED: 2}))
    assert codes(second, turn(FIELD, BLACK, "D1 C1 C2 D3", **moved(D1=-1, D3=1))) == []


def test_a_road_may_lead_to_the_other_own_workshop_but_not_to_the_opponents(position: LaStradaPosition) -> None:
    rich = replace(position, days={BLACK: 10, RED: 6})
    home = "D1 C1 B1 B2 A2 A3 A4"
    assert codes(rich, turn(FIELD, BLACK, home, **moved(D1=-1, A4=1))) == []
    assert codes(rich, turn(FIELD, BLACK, "D1 E1 F1")) == ["foreign-workshop"]


def test_a_road_may_not_lead_back_to_where_it_started() -> None:
    lonely = ground({"D3": "city", "G1": "hamlet"})
    position = begin(lonely, {RED: "A1 A4", BLACK: "D5 G4"}, rules=DANGER)
    around = replace(position, days={BLACK: 10, RED: 0}, merchants={lonely.board.cell("D3"): Merchants(black=12)})
    # A drop of five tiles: out of D3 by one edge and, with a bend at each tile, back by the next.
    drop = turn(lonely, BLACK, "D3 C2 B2 B3 C4 D4 D3")
    assert codes(around, drop) == ["already-connected"]


def test_what_is_wrong_with_the_roads_hides_who_walked_along_them(position: LaStradaPosition) -> None:
    both = turn(FIELD, BLACK, "D1 E1 F1", ON_TO_D5, **moved(D1=-1, A4=1))
    assert codes(position, both) == ["foreign-workshop"]
    assert codes(position, turn(FIELD, BLACK, ON_TO_D5, **moved(A4=-1))) == ["merchant-total"]


def test_it_ends_after_ten_rounds_of_both_and_never_before() -> None:
    position = begin(FIELD, {BLACK: "D1 A4", RED: "F1 G4"}, rules=DANGER)
    for number in range(1, 21):
        assert not position.over, number
        position = after(position, save(RED if number % 2 else BLACK))
    assert (position.over, position.next, position.days) == (True, None, {BLACK: 10, RED: 10})
    assert codes(position, save(RED)) == ["game-over"]


def test_it_goes_on_where_nobody_can_build() -> None:
    bare = ground({})
    assert not begin(bare, {BLACK: "D1 A4", RED: "F1 G4"}, rules=DANGER).over


@pytest.mark.parametrize(
    ("cubes", "gold"),
    [
        (Merchants(black=2, yellow=0, red=1), {BLACK: 3, RED: 0}),  # the example: two and one in a city
        (Merchants(black=1), {BLACK: 5, RED: 0}),
        (Merchants(black=2), {BLACK: 4, RED: 0}),
        (Merchants(black=1, red=1), {BLACK: 0, RED: 0}),
        (Merchants(black=2, red=2), {BLACK: 0, RED: 0}),
        (Merchants(black=1, red=3), {BLACK: 0, RED: 2}),
        (Merchants(black=1, red=4), {BLACK: 0, RED: 0}),
    ],
)
def test_the_majority_scores_once_by_the_number_of_all(
    position: LaStradaPosition, cubes: Merchants, gold: Mapping[Color, int]
) -> None:
    assert score(replace(position, merchants={cell("D3"): cubes})).gold == gold


def test_each_merchant_still_on_a_workshop_costs_a_gold(position: LaStradaPosition) -> None:
    counted = account(standing(position, D1=2, A4=1, D3=1, D5=8))
    assert counted.stayed == {BLACK: 3, RED: 12}
    assert counted.gold == {BLACK: 5 - 3, RED: -12}
    assert [(str(one.cell), one.number, one.each, one.scoring.total) for one in counted.settlements] == [
        ("D3", 1, 5, 1),
        ("D5", 8, 0, 1),
    ]


def test_roads_lead_from_wherever_a_merchant_stands(position: LaStradaPosition) -> None:
    there = standing(position, D3=12)
    assert {str(road.start) for road in roads(there, BLACK, 10)} == {"D3"}
    assert {str(goal) for goal in cheapest_roads(there, BLACK)} == {"A1", "A4", "D1", "D5", "D7", "G3"}
    for road in roads(position, BLACK, 6):
        assert road.start != road.goal
        assert not road.sets_merchant
        assert codes(position, Turn(BLACK, road.tiles)) == []


def test_a_road_from_the_opponents_workshop_back_to_it_is_wrong_in_both_ways() -> None:
    lonely = ground({"A1": "hamlet", "G1": "village"})
    position = after(begin(lonely, {BLACK: "D5 A4", RED: "D3 G4"}, rules=DANGER), save(RED))
    around = replace(position, days={BLACK: 10, RED: 0})
    assert codes(around, turn(lonely, BLACK, "D3 C2 B2 B3 C4 D4 D3")) == ["already-connected", "foreign-workshop"]
