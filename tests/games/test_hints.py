"""What could I build? The cheapest road to each settlement, if hints are allowed; whether anybody can ever build."""

from dataclasses import replace

import pytest

from companion.board import Merchants, Terrain
from companion.games import hints
from companion.games.la_strada import LaStradaPosition, can_build, can_ever_build, cheapest_roads, roads

from .drawing import BLACK, RED, after, begin, ground, save, turn
from .test_perft import WORKSHOPS, rules_of

# From D1 a road over the forest D2 leads to the town D3; going round it over plain costs more. D7 is far.
FIELD = ground({"D3": "town", "D7": "city", "A4": "hamlet"}, forest="D2", hill="D5")


def opening(hints: bool = True) -> LaStradaPosition:
    return begin(FIELD, {BLACK: "D1", RED: "G1"}, {"hints": hints})


def test_hints_are_a_house_rule_and_off_by_default() -> None:
    assert hints(begin(FIELD, {BLACK: "D1", RED: "G1"})) == ()
    assert hints(opening(hints=False)) == ()
    assert hints(opening()) != ()


def test_before_the_workshops_stand_and_after_the_end_there_is_nothing_to_build() -> None:
    position = opening()
    assert hints(replace(position, workshops={})) == ()
    assert hints(replace(position, next=None)) == ()


def test_a_hint_leads_from_a_place_of_the_player_in_turn_to_one_that_they_could_reach() -> None:
    by_goal = {str(hint.cells[-1]): hint for hint in hints(opening())}
    assert [str(cell) for cell in by_goal["D3"].cells] == ["D1", "D2", "D3"]
    assert (by_goal["D3"].cost, by_goal["D3"].is_affordable) == (3, True)
    assert (by_goal["A4"].cost, by_goal["A4"].is_affordable) == (10, False)
    assert "D7" not in by_goal, "no ten days buy a road as long"
    assert [hint.cost for hint in hints(opening())] == sorted(hint.cost for hint in hints(opening()))


def test_the_others_hints_begin_at_their_own_places() -> None:
    position = after(opening(), save(BLACK))
    assert {str(hint.cells[0]) for hint in hints(position)} == {"G1"}


@pytest.mark.parametrize("rules", WORKSHOPS)
def test_the_cheapest_road_is_the_cheapest_of_all_roads(rules: str) -> None:
    workshops = {BLACK: "D1", RED: "G1"} if rules == "standard" else {BLACK: "D1 A2", RED: "G1 G4"}
    position = begin(FIELD, workshops, rules=rules_of(rules))
    best: dict[object, int] = {}
    for road in roads(position, BLACK, 10):
        best[road.goal] = min(road.cost, best.get(road.goal, 99))
    cheapest = cheapest_roads(position, BLACK)
    assert {goal: road.cost for goal, road in cheapest.items()} == best
    assert all(road in list(roads(position, BLACK, road.cost)) for road in cheapest.values())


def test_who_has_no_merchants_or_tiles_left_can_never_build_again() -> None:
    position = opening()
    assert can_ever_build(position, BLACK)
    spent = replace(position, merchants={FIELD.board.cell("A1"): Merchants(black=12)})
    assert not can_ever_build(spent, BLACK)
    bare = replace(position, tiles_left={**position.tiles_left, BLACK: dict.fromkeys(Terrain, 0)})
    assert not can_ever_build(bare, BLACK)


def test_who_has_reached_every_settlement_can_never_build_again() -> None:
    small = ground({"D3": "town"})
    position = after(begin(small, {BLACK: "D1", RED: "G1"}), turn(small, BLACK, "D1 D2 D3", cubes="D3"))
    assert not can_ever_build(position, BLACK)
    assert can_ever_build(position, RED)


def test_too_few_days_are_no_reason_never_to_build_again() -> None:
    position = opening()
    assert not can_build(position, BLACK, 2)
    assert can_build(position, BLACK, 3)
    assert can_ever_build(replace(position, days={BLACK: 0, RED: 0}), BLACK)
