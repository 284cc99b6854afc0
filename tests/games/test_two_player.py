"""The official game for two: two workshops each, one merchant on a settlement, ways through held ones, its end."""

from dataclasses import replace

import pytest

from companion.board import BadInputError, Color, Merchants, Terrain
from companion.games import score
from companion.games.contract import Player
from companion.games.la_strada import TWO_PLAYER, LaStradaPosition, Placement, can_ever_build, cheapest_roads, roads

from .drawing import BLACK, GREY, RED, after, begin, cell, codes, faults, ground, save, turn

# Row D: black's workshop, then D3, D5, D7 with a cell between each. The other workshops are on A4 (black), G4 (red).
FIELD = ground({"A1": "hamlet", "D3": "town", "D5": "city", "D7": "village"})


@pytest.fixture
def position() -> LaStradaPosition:
    """It is the turn of Red, who placed the last workshop."""
    return begin(FIELD, {BLACK: "D1 A4", RED: "F1 G4"}, rules=TWO_PLAYER)


@pytest.fixture
def held(position: LaStradaPosition) -> LaStradaPosition:
    """Red holds the town D3; it is Black's turn."""
    return after(position, turn(FIELD, RED, "F1 E2 D3", cubes="D3"))


def test_workshops_are_set_in_turns_and_the_second_player_begins(position: LaStradaPosition) -> None:
    assert [str(cell) for cell in position.workshops] == ["D1", "F1", "A4", "G4"]
    assert (position.next, position.days) == (RED, {BLACK: 0, RED: 6})
    assert codes(position, save(BLACK)) == ["not-your-turn"]


def test_own_workshops_may_be_neighbours_but_not_anothers() -> None:
    position = TWO_PLAYER.start(FIELD, [Player("Ada", BLACK), Player("Bo", RED)], {})
    for color, name in ((BLACK, "D1"), (RED, "F1")):
        position = after(position, Placement(color, cell(name)))
    assert codes(position, Placement(BLACK, cell("C1"))) == []
    assert codes(position, Placement(BLACK, cell("F2"))) == ["workshop-too-close"]


@pytest.mark.parametrize("colors", [(BLACK,), (BLACK, RED, GREY)])
def test_it_is_for_two(colors: tuple[Color, ...]) -> None:
    with pytest.raises(BadInputError, match="two-player is for 2"):
        TWO_PLAYER.start(FIELD, [Player(color, color) for color in colors], {})


def test_a_road_may_start_at_the_second_workshop(position: LaStradaPosition) -> None:
    saved = after(position, save(RED))
    # From A4 round the corner to the village D7: two plain tiles cost four of the eight days.
    rich = replace(saved, days={**saved.days, BLACK: 8})
    done = after(rich, turn(FIELD, BLACK, "A4 B5 C6 D7", cubes="D7"))
    assert done.days[BLACK] == 4


def test_a_settlement_that_the_opponent_holds_is_passed_without_a_merchant(held: LaStradaPosition) -> None:
    done = after(held, turn(FIELD, BLACK, "D1 D2 D3", "D3 D4 D5", cubes="D5"))
    assert done.merchants[cell("D3")] == Merchants(red=1)
    assert {cell("D3"), cell("D5")} <= done.connected[BLACK]


def test_a_road_may_end_at_a_held_settlement_and_later_go_on_but_not_come_again(held: LaStradaPosition) -> None:
    reached = after(after(held, turn(FIELD, BLACK, "D1 D2 D3")), save(RED))
    assert codes(reached, turn(FIELD, BLACK, "D3 D4 D5", cubes="D5")) == []
    assert codes(reached, turn(FIELD, BLACK, "D1 C1 C2 D3")) == ["already-connected"]


def test_a_merchant_beside_another_is_one_too_many(held: LaStradaPosition) -> None:
    move = turn(FIELD, BLACK, "D1 D2 D3", cubes="D3")
    assert faults(held, move) == {"merchant-occupied": "D3"}


def test_a_settlement_nobody_holds_must_get_one_merchant(position: LaStradaPosition) -> None:
    assert codes(position, turn(FIELD, RED, "F1 E2 D3")) == ["merchant-missing"]
    assert codes(position, turn(FIELD, RED, "F1 E2 D3", D3={RED: 2})) == ["merchant-extra"]


def test_without_merchants_left_only_held_settlements_can_be_reached(held: LaStradaPosition) -> None:
    elsewhere = {cell: Merchants(black=4) for cell in FIELD.board.cells[-3:]}
    poor = replace(held, merchants={**held.merchants, **elsewhere})
    assert {str(road.goal) for road in roads(poor, BLACK, 10)} == {"D3"}
    assert not any(road.sets_merchant for road in roads(poor, BLACK, 10))
    assert codes(poor, turn(FIELD, BLACK, "D1 D2 D3")) == []


def test_the_game_ends_at_once_when_every_settlement_has_a_merchant(held: LaStradaPosition) -> None:
    settled = {cell(name): Merchants(black=1) for name in ("A1", "D7")}
    last_but_one = replace(held, merchants={**held.merchants, **settled})
    done = after(last_but_one, turn(FIELD, BLACK, "D1 D2 D3", "D3 D4 D5", cubes="D5"))
    assert (done.over, done.next) == (True, None)
    assert score(done).gold == {BLACK: 2 + 3 + 5, RED: 4}
    assert score(done).winners == (BLACK,)
    assert done.days == {BLACK: 2, RED: 4}, "nobody is given days for a turn that does not begin"
    one_free = replace(held, merchants={cell: on for cell, on in last_but_one.merchants.items() if str(cell) != "A1"})
    assert not after(one_free, turn(FIELD, BLACK, "D1 D2 D3", "D3 D4 D5", cubes="D5")).over


def without_tiles(position: LaStradaPosition, *colors: Color) -> LaStradaPosition:
    none = dict.fromkeys(Terrain, 0)
    return replace(position, tiles_left={**position.tiles_left, **dict.fromkeys(colors, none)})


def test_who_can_complete_no_road_passes_while_the_other_can(position: LaStradaPosition) -> None:
    stuck = after(without_tiles(position, BLACK), save(RED))
    assert not can_ever_build(stuck, BLACK)
    assert (stuck.next, stuck.over) == (BLACK, False)
    assert after(stuck, save(BLACK)).next == RED


def test_the_game_ends_when_neither_can_ever_complete_a_road(position: LaStradaPosition) -> None:
    assert after(without_tiles(position, BLACK, RED), save(RED)).over


def test_most_gold_wins_then_most_days_left(position: LaStradaPosition) -> None:
    over = replace(position, next=None, merchants={cell("A1"): Merchants(red=1)})
    assert score(over).winners == (RED,)
    tied = replace(over, merchants={}, days={BLACK: 7, RED: 6})
    assert score(tied).winners == (BLACK,)
    assert score(replace(tied, days={BLACK: 6, RED: 6})).winners == (BLACK, RED)


def test_the_house_rule_end_now_is_ignored() -> None:
    hills = ground({"D4": "town"}, hill="D2 D3 C2 C3 E1 E2 E3 B1 B2 F1 F2")
    assert not begin(hills, {BLACK: "D1 A1", RED: "G1 G4"}, {"end": "now"}, TWO_PLAYER).over


def test_the_cheapest_road_passes_no_place_it_could_end_at(held: LaStradaPosition) -> None:
    cheapest = cheapest_roads(held, BLACK)
    assert {str(goal): (str(road.start), road.cost, road.sets_merchant) for goal, road in cheapest.items()} == {
        "D3": ("D1", 2, False),
        "A1": ("D1", 4, True),
        "D7": ("A4", 4, True),
        "D5": ("A4", 4, True),
    }
