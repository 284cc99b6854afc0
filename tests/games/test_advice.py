"""What the companion says is possible is legal, what it says is impossible is not, and what it promises is earned."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.board import (
    BARE,
    Cell,
    CellChange,
    Change,
    Color,
    Contents,
    HexCell,
    Merchants,
    Settlement,
    SettlementType,
    Terrain,
    Workshop,
)
from companion.games.contract import Advice, Legal, Position, Prospect
from companion.games.la_strada import DANGER, STANDARD, TWO_PLAYER, LaStrada, LaStradaPosition, cheapest_roads
from tests.tries import tries

from .drawing import BLACK, RED, after, begin, ground, path, reasons_in, save, turn
from .test_laws import drawn_turn
from .test_perft import VALLEY, WORKSHOPS, position_of

ALL = pytest.mark.parametrize("rules", [STANDARD, TWO_PLAYER, DANGER], ids=lambda rules: rules.name)
#: From D1 the forest D2 leads to the town D3; D7 is too far for ten days.
FIELD = ground({"D3": "town", "D7": "city", "A4": "hamlet"}, forest="D2", hill="D5")


def opening(rules: LaStrada = STANDARD, **changed: Any) -> LaStradaPosition:
    """The field once the workshops stand, with these things changed."""
    workshops = {BLACK: "D1", RED: "G1"} if rules is STANDARD else {BLACK: "D1 A2", RED: "G1 G4"}
    return replace(begin(FIELD, workshops, rules=rules), **changed)


def laid(position: Position, lies: Mapping[Cell, Contents]) -> Change:
    held = position.expected()
    return Change({cell: CellChange(held.get(cell, BARE), now) for cell, now in lies.items()})


def told(rules: LaStrada, position: LaStradaPosition) -> dict[str, Advice]:
    return {each.code: each for each in rules.advice(position, rules.prospects(position))}


def prospects(position: LaStradaPosition, rules: LaStrada = STANDARD) -> dict[str, Prospect]:
    return {str(each.goal): each for each in rules.prospects(position)}


def with_workshop(rules: LaStrada, position: LaStradaPosition, cell: Cell) -> Change:
    assert position.next is not None
    merchants = Merchants.of({position.next: rules.rules.at_workshop})
    return laid(position, {cell: Contents(Workshop(position.next), merchants)})


@ALL
def test_a_workshop_is_legal_just_where_it_is_said_to_be(rules: LaStrada) -> None:
    workshop = {VALLEY.board.cell("D1"): RED}
    position = replace(position_of(rules.name), workshops=workshop, merchants={}, next=BLACK)
    said = told(rules, position)
    assert said["workshop"].numbers["cells"] == len(said["workshop"].cells) > 0
    for cell in VALLEY.board.cells:
        if cell not in position.workshops and cell not in VALLEY.settlements:
            verdict = rules.judge(position, with_workshop(rules, position, cell))
            assert isinstance(verdict, Legal) == (cell in said["workshop"].cells), cell
    for near in said["workshop-near"].cells:
        verdict = rules.judge(position, with_workshop(rules, position, near))
        assert "workshop-too-close" in [each.code for each in reasons_in(verdict)]


def test_a_cell_away_from_a_workshop_is_free_and_the_one_beside_it_is_not() -> None:
    position = opening(workshops={FIELD.board.cell("G1"): RED}, next=BLACK)
    said = told(STANDARD, position)
    assert {"G2", "F1", "F2"} == {str(cell) for cell in said["workshop-near"].cells} - {"A4"}
    assert FIELD.board.cell("G3") in said["workshop"].cells
    assert FIELD.board.cell("D2") not in said["workshop"].cells, "no workshop goes on forest"


def test_merchants_start_on_workshops_where_they_walk_and_nowhere_else() -> None:
    for rules in (STANDARD, TWO_PLAYER, DANGER):
        said = told(rules, opening(rules, workshops={}))
        assert ("workshop-merchants" in said) == rules.rules.walking
    assert said["workshop-merchants"].numbers == {"at_workshop": DANGER.rules.at_workshop}


@ALL
@settings(max_examples=tries(25))
@given(data=st.data())
def test_what_may_be_done_is_legal_and_what_cannot_be_done_is_not(rules: LaStrada, data: st.DataObject) -> None:
    position = position_of(rules.name)
    for _ in range(data.draw(st.integers(0, 16))):
        if not position.over:
            position = after(position, drawn_turn(position, data))
    if position.next is None:
        assert not rules.prospects(position)
        assert not rules.advice(position, ())
        assert rules.nearness(position) is None
        return
    player, before, found, said = position.next, rules.score(position), rules.prospects(position), told(rules, position)
    for each in found:
        verdict = rules.judge(position, laid(position, each.lies))
        if each.is_affordable:
            assert isinstance(verdict, Legal), (each, verdict)
            assert rules.score(verdict.after).gold[player] - before.gold[player] == each.earns
            assert each.goal in said["reach"].cells
        else:
            assert [reason.code for reason in reasons_in(verdict)] == ["days"]
            assert each.goal in said["far"].cells
    assert ("nothing" in said) == (not any(each.is_affordable for each in found))
    check_what_is_reached(rules, position, said)
    check_strange_workshops(rules, position, said)


def check_what_is_reached(rules: LaStrada, position: LaStradaPosition, said: Mapping[str, Advice]) -> None:
    """Check that a road to a settlement called reached is refused, however it was reached."""
    player = position.next
    assert player is not None
    for goal in said["reached"].cells if "reached" in said else ():
        assert isinstance(goal, HexCell)
        without = replace(position, connected={**position.connected, player: position.connected[player] - {goal}})
        road = cheapest_roads(replace(without, days={**position.days, player: rules.rules.most_days}), player).get(goal)
        if road is not None:
            lies: dict[Cell, Contents] = {cell: Contents(tile) for cell, tile in road.tiles.items()}
            assert "already-connected" in codes(rules, position, lies)


def check_strange_workshops(rules: LaStrada, position: LaStradaPosition, said: Mapping[str, Advice]) -> None:
    """Check that a road to a workshop called another player's is refused."""
    player = position.next
    assert player is not None
    for goal in said["strange"].cells:
        assert isinstance(goal, HexCell)
        terms = {cell: owner for cell, owner in position.workshops.items() if cell != goal}
        dealt = replace(VALLEY, settlements={**VALLEY.settlements, goal: VALLEY.settlements[VALLEY.board.cell("B4")]})
        as_if = replace(position, workshops=terms, ground=dealt)
        road = cheapest_roads(as_if, player).get(goal)
        if road is not None:
            lies: dict[Cell, Contents] = {cell: Contents(tile) for cell, tile in road.tiles.items()}
            assert "foreign-workshop" in codes(rules, position, lies)


def test_a_settlement_is_in_reach_with_just_enough_days_and_one_day_less_is_too_few() -> None:
    for held, code in ((3, "reach"), (2, "far")):
        said = told(STANDARD, opening(days={BLACK: held, RED: 0}))
        assert FIELD.board.cell("D3") in said[code].cells
        assert said["days"].numbers == {"held": held}
    assert said["far"].numbers == {"least": 3, "held": 2}
    assert said["nothing"].numbers == {"held": 2}


def test_what_no_days_can_buy_is_neither_in_reach_nor_far() -> None:
    assert "D7" not in prospects(opening())


def test_the_next_settlement_is_worth_what_its_box_pays_for_one_merchant_more() -> None:
    alone, shared = STANDARD.rules.values[SettlementType.TOWN][:2]
    assert prospects(opening())["D3"].earns == alone
    assert prospects(opening(merchants={FIELD.board.cell("D3"): Merchants(red=1)}))["D3"].earns == shared


def test_with_two_players_a_settlement_that_is_held_earns_nothing_and_takes_no_merchant() -> None:
    position = opening(TWO_PLAYER, next=BLACK, merchants={FIELD.board.cell("D3"): Merchants(red=1)})
    found = prospects(position, TWO_PLAYER)["D3"]
    assert found.earns == 0
    assert found.goal not in found.lies


def test_where_merchants_walk_as_many_go_along_as_earn_most() -> None:
    found = prospects(opening(DANGER, next=BLACK, days={BLACK: 10, RED: 6}), DANGER)["D3"]
    # A merchant that leaves the workshop costs no gold there; the box pays once, and less the more of them came.
    earned = [DANGER.rules.value(SettlementType.TOWN, number) + number for number in range(1, 7)]
    assert found.earns == max(earned)


def test_the_best_that_can_be_paid_is_named_first() -> None:
    found = STANDARD.prospects(position_of("standard"))
    assert [each.is_affordable for each in found] == sorted((each.is_affordable for each in found), reverse=True)
    now = [each.earns for each in found if each.is_affordable]
    assert now == sorted(now, reverse=True)


def test_days_that_are_kept_never_grow_beyond_the_most_there_are() -> None:
    most, gain = STANDARD.rules.most_days, STANDARD.rules.day_gain
    for held, then in ((0, gain), (most - gain, most), (most - gain + 1, most)):
        said = told(STANDARD, opening(days={BLACK: held, RED: 0}))
        assert said["done"].numbers == {"held": held, "then": then}


def test_a_kind_of_tile_that_ran_out_is_told_with_those_that_are_left() -> None:
    position = opening(tiles_left={BLACK: {**STANDARD.rules.tiles, Terrain.FOREST: 0}, RED: STANDARD.rules.tiles})
    assert told(STANDARD, position)["tiles"].numbers["forest_left"] == 0
    assert prospects(position)["D3"].cost == 4, "the road goes round the forest"


def test_how_near_the_end_is_follows_from_what_ends_the_game() -> None:
    near = STANDARD.nearness(after(opening(), turn(FIELD, BLACK, "D1 D2 D3", cubes="D3")))
    assert near == Advice("near-roads", numbers={"settlements": 2}, color=BLACK)
    assert TWO_PLAYER.nearness(opening(TWO_PLAYER)) == Advice("near-settlements", numbers={"empty": 3})
    danger = opening(DANGER)
    assert DANGER.nearness(danger) == Advice("near-rounds", numbers={"rounds": DANGER.rules.rounds or 0})
    danger = after(after(danger, save(RED)), save(BLACK))
    assert DANGER.nearness(danger) == Advice("near-rounds", numbers={"rounds": (DANGER.rules.rounds or 0) - 1})


def test_every_place_of_the_valley_is_named_from_the_workshops_on() -> None:
    for rules in WORKSHOPS:
        position = position_of(rules)
        said = told(LaStrada(position.rules), position)
        assert said["start"].cells
        assert {"days", "tiles", "done"} <= said.keys()


# Each step, with something that is just legal and something that just isn't


def codes(rules: LaStrada, position: LaStradaPosition, lies: Mapping[Cell, Contents]) -> list[str]:
    return [each.code for each in reasons_in(rules.judge(position, laid(position, lies)))]


def road(position: LaStradaPosition, names: str) -> dict[Cell, Contents]:
    assert position.next is not None
    return {cell: Contents(tile) for cell, tile in path(FIELD, position.next, names).items()}


def at(name: str, merchants: Merchants) -> dict[Cell, Contents]:
    place = FIELD.board.cell(name)
    return {place: Contents(Settlement(FIELD.settlements[place]), merchants)}


@pytest.mark.parametrize(("rules", "seat"), [(STANDARD, BLACK), (TWO_PLAYER, RED), (DANGER, RED)])
def test_who_takes_the_first_turn_is_who_then_takes_it(rules: LaStrada, seat: Color) -> None:
    bare = opening(rules, workshops={}, merchants={}, next=BLACK)
    assert told(rules, bare)["workshop-then"].color is seat is opening(rules).next


def test_a_road_starts_where_it_is_said_to_and_nowhere_else() -> None:
    position = after(after(opening(), turn(FIELD, BLACK, "D1 D2 D3", cubes="D3")), save(RED))
    assert [str(cell) for cell in told(STANDARD, position)["start"].cells] == ["D1", "D3"]
    other = replace(position, next=RED, days={BLACK: 10, RED: 10})
    assert [str(cell) for cell in told(STANDARD, other)["start"].cells] == ["G1"]
    away = {**road(other, "D3 D4 D5 D6 D7"), **at("D7", Merchants(red=1))}
    assert "not-connected" in codes(STANDARD, other, away), "Red has not reached D3"
    rich = replace(position, days={BLACK: 10, RED: 0})
    assert codes(STANDARD, rich, {**road(rich, "D3 D4 D5 D6 D7"), **at("D7", Merchants(black=1))}) == []


def test_where_merchants_walk_a_road_starts_only_where_one_stands() -> None:
    position = opening(DANGER, next=BLACK, days={BLACK: 6, RED: 6})
    assert [str(cell) for cell in told(DANGER, position)["start"].cells] == ["A2", "D1"]
    left = replace(position, merchants={FIELD.board.cell("A2"): Merchants(black=12)})
    assert [str(cell) for cell in told(DANGER, left)["start"].cells] == ["A2"]
    assert "not-connected" in codes(DANGER, left, road(left, "D1 D2 D3"))
    assert codes(DANGER, position, road(position, "D1 D2 D3")) == [], "none need walk along"


def test_exactly_one_merchant_goes_on_the_settlement() -> None:
    position = opening()
    assert told(STANDARD, position)["merchant"].numbers == {"left": STANDARD.rules.merchants}
    way = road(position, "D1 D2 D3")
    for number, wrong in ((0, ["merchant-missing"]), (1, []), (2, ["merchant-extra"])):
        assert codes(STANDARD, position, {**way, **at("D3", Merchants(black=number))}) == wrong


@pytest.mark.parametrize(("out", "left"), [(11, 1), (12, 0)])
def test_who_has_no_merchant_left_has_nothing_in_reach(out: int, left: int) -> None:
    said = told(STANDARD, opening(merchants={FIELD.board.cell("A4"): Merchants(black=out)}))
    assert said["merchant"].numbers == {"left": left}
    assert ("reach" in said) == (left > 0)
    assert ("nothing" in said) == (left == 0)


@pytest.mark.parametrize(("there", "wrong"), [(0, []), (1, ["merchant-occupied"])])
def test_with_two_players_a_merchant_goes_where_there_is_room(there: int, wrong: list[str]) -> None:
    merchants = {FIELD.board.cell("D3"): Merchants(red=there)} if there else {}
    position = opening(TWO_PLAYER, next=BLACK, days={BLACK: 6, RED: 0}, merchants=merchants)
    assert "merchant-room" in told(TWO_PLAYER, position)
    way = {**road(position, "D1 D2 D3"), **at("D3", Merchants(black=1, red=there))}
    assert codes(TWO_PLAYER, position, way) == wrong


def test_as_many_merchants_walk_along_as_anybody_likes_and_none_beside_a_road() -> None:
    position = opening(DANGER, next=BLACK, days={BLACK: 6, RED: 0})
    assert "walk" in told(DANGER, position)
    start = position.expected()[FIELD.board.cell("D1")]
    for number in range(start.merchants[BLACK] + 1):
        walked: dict[Cell, Contents] = {
            FIELD.board.cell("D1"): replace(start, merchants=Merchants(black=start.merchants[BLACK] - number)),
            **at("D3", Merchants(black=number)),
        }
        assert codes(DANGER, position, {**road(position, "D1 D2 D3"), **(walked if number else {})}) == []
        if number:
            assert "merchant-move" in codes(DANGER, position, walked), "without a road nobody walks"


@ALL
def test_a_turn_without_a_road_is_always_legal(rules: LaStrada) -> None:
    position = position_of(rules.name)
    assert "done" in told(rules, position)
    verdict = rules.judge(position, Change({}))
    assert isinstance(verdict, Legal)
    assert isinstance(verdict.after, LaStradaPosition)
    assert position.next is not None
    assert verdict.after.days[position.next] == position.days[position.next], "the days are kept"
