"""What the companion says may be done is legal, what it says cannot be done is not, and what it promises is earned."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.board import (
    BARE,
    Cell,
    CellChange,
    Change,
    Contents,
    HexCell,
    Merchants,
    SettlementType,
    Terrain,
    Workshop,
)
from companion.games.contract import Advice, Illegal, Legal, Position, Prospect
from companion.games.la_strada import DANGER, STANDARD, TWO_PLAYER, LaStrada, LaStradaPosition, cheapest_roads
from tests.tries import tries

from .drawing import BLACK, RED, after, begin, ground, save, turn
from .test_laws import drawn_turn, openings
from .test_perft import VALLEY, WORKSHOPS, position_of

ALL = pytest.mark.parametrize("rules", [STANDARD, TWO_PLAYER, DANGER], ids=lambda rules: rules.name)
#: From D1 the forest D2 leads to the town D3; D7 is too far for ten days.
FIELD = ground({"D3": "town", "D7": "city", "A4": "hamlet"}, forest="D2", hill="D5")


def laid(position: Position, lies: Mapping[Cell, Contents]) -> Change:
    held = position.expected()
    return Change({cell: CellChange(held.get(cell, BARE), now) for cell, now in lies.items()})


def told(rules: LaStrada, position: LaStradaPosition) -> dict[str, Advice]:
    return {each.code: each for each in rules.advice(position, rules.prospects(position))}


def prospects(position: LaStradaPosition, rules: LaStrada = STANDARD) -> dict[str, Prospect]:
    return {str(each.goal): each for each in rules.prospects(position)}


def with_workshop(rules: LaStrada, position: LaStradaPosition, cell: Cell) -> Change:
    assert position.next is not None
    return laid(
        position, {cell: Contents(Workshop(position.next), Merchants.of({position.next: rules.rules.at_workshop}))}
    )


@ALL
def test_a_workshop_is_legal_just_where_it_is_said_to_be(rules: LaStrada) -> None:
    position = openings()[[STANDARD, TWO_PLAYER, DANGER].index(rules)]
    position = replace(position, workshops={VALLEY.board.cell("D1"): RED}, merchants={}, next=BLACK)
    said = told(rules, position)
    assert said["workshop"].numbers["cells"] == len(said["workshop"].cells) > 0
    for cell in VALLEY.board.cells:
        if cell not in position.workshops and cell not in VALLEY.settlements:
            verdict = rules.judge(position, with_workshop(rules, position, cell))
            assert isinstance(verdict, Legal) == (cell in said["workshop"].cells), cell
    for near in said["workshop-near"].cells:
        verdict = rules.judge(position, with_workshop(rules, position, near))
        assert isinstance(verdict, Illegal)
        assert "workshop-too-close" in [each.code for each in verdict.reasons]


def test_a_cell_away_from_a_workshop_is_free_and_the_one_beside_it_is_not() -> None:
    position = replace(begin(FIELD, {BLACK: "D1", RED: "G1"}), workshops={FIELD.board.cell("G1"): RED}, next=BLACK)
    said = told(STANDARD, position)
    assert {"G2", "F1", "F2"} == {str(cell) for cell in said["workshop-near"].cells} - {"A4"}
    assert FIELD.board.cell("G3") in said["workshop"].cells
    assert FIELD.board.cell("D2") not in said["workshop"].cells, "no workshop goes on forest"


def test_merchants_start_on_workshops_where_they_walk_and_nowhere_else() -> None:
    for rules, position in zip((STANDARD, TWO_PLAYER, DANGER), openings(), strict=True):
        said = told(rules, replace(position, workshops={}))
        assert ("workshop-merchants" in said) == rules.rules.walking
    assert said["workshop-merchants"].numbers == {"at_workshop": DANGER.rules.at_workshop}


@ALL
@settings(max_examples=tries(25))
@given(data=st.data())
def test_what_may_be_done_is_legal_and_what_cannot_be_done_is_not(rules: LaStrada, data: st.DataObject) -> None:
    position = next(opening for opening in openings() if opening.rules is rules.rules)
    for _ in range(data.draw(st.integers(0, 16))):
        if not position.over:
            verdict = rules.judge_move(position, drawn_turn(position, data))
            assert isinstance(verdict, Legal)
            assert isinstance(verdict.after, LaStradaPosition)
            position = verdict.after
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
            assert isinstance(verdict, Illegal)
            assert [reason.code for reason in verdict.reasons] == ["days"]
            assert each.goal in said["far"].cells
    assert ("nothing" in said) == (not any(each.is_affordable for each in found))
    check_what_is_reached(rules, position, said)
    check_strange_workshops(rules, position, said)


def check_what_is_reached(rules: LaStrada, position: LaStradaPosition, said: Mapping[str, Advice]) -> None:
    """A road to a settlement that is called reached is refused, whoever would have reached it."""
    player = position.next
    assert player is not None
    for goal in said["reached"].cells if "reached" in said else ():
        assert isinstance(goal, HexCell)
        without = replace(position, connected={**position.connected, player: position.connected[player] - {goal}})
        road = cheapest_roads(replace(without, days={**position.days, player: rules.rules.most_days}), player).get(goal)
        if road is not None:
            verdict = rules.judge(position, laid(position, {cell: Contents(tile) for cell, tile in road.tiles.items()}))
            assert isinstance(verdict, Illegal)
            assert "already-connected" in [reason.code for reason in verdict.reasons]


def check_strange_workshops(rules: LaStrada, position: LaStradaPosition, said: Mapping[str, Advice]) -> None:
    """A road to a workshop that is called another's is refused."""
    player = position.next
    assert player is not None
    for goal in said["strange"].cells:
        assert isinstance(goal, HexCell)
        terms = {cell: owner for cell, owner in position.workshops.items() if cell != goal}
        dealt = replace(VALLEY, settlements={**VALLEY.settlements, goal: VALLEY.settlements[VALLEY.board.cell("B4")]})
        as_if = replace(position, workshops=terms, ground=dealt)
        road = cheapest_roads(as_if, player).get(goal)
        if road is not None:
            verdict = rules.judge(position, laid(position, {cell: Contents(tile) for cell, tile in road.tiles.items()}))
            assert isinstance(verdict, Illegal)
            assert "foreign-workshop" in [reason.code for reason in verdict.reasons]


def test_a_settlement_is_in_reach_with_just_enough_days_and_one_day_less_is_too_few() -> None:
    position = begin(FIELD, {BLACK: "D1", RED: "G1"})
    for held, code in ((3, "reach"), (2, "far")):
        said = told(STANDARD, replace(position, days={**position.days, BLACK: held}))
        assert FIELD.board.cell("D3") in said[code].cells
        assert said["days"].numbers == {"held": held}
    assert said["far"].numbers == {"least": 3, "held": 2}
    assert said["nothing"].numbers == {"held": 2}


def test_what_no_days_can_buy_is_neither_in_reach_nor_far() -> None:
    position = begin(FIELD, {BLACK: "D1", RED: "G1"})
    assert "D7" not in prospects(position)


def test_the_next_settlement_is_worth_what_its_box_pays_for_one_merchant_more() -> None:
    position = begin(FIELD, {BLACK: "D1", RED: "G1"})
    assert prospects(position)["D3"].earns == STANDARD.rules.values[FIELD.settlements[FIELD.board.cell("D3")]][0]
    taken = replace(position, merchants={FIELD.board.cell("D3"): Merchants(red=1)})
    assert prospects(taken)["D3"].earns == STANDARD.rules.values[FIELD.settlements[FIELD.board.cell("D3")]][1]


def test_with_two_players_a_settlement_that_is_held_earns_nothing_and_takes_no_merchant() -> None:
    position = begin(FIELD, {BLACK: "D1 A2", RED: "G1 G4"}, rules=TWO_PLAYER)
    position = replace(position, next=BLACK, merchants={FIELD.board.cell("D3"): Merchants(red=1)})
    found = prospects(position, TWO_PLAYER)["D3"]
    assert found.earns == 0
    assert found.goal not in found.lies


def test_where_merchants_walk_as_many_go_along_as_earn_most() -> None:
    position = begin(FIELD, {BLACK: "D1 A2", RED: "G1 G4"}, rules=DANGER)
    position = replace(position, next=BLACK, days={**position.days, BLACK: 10})
    found = prospects(position, DANGER)["D3"]
    # Whoever leaves the workshop costs no gold there; the box pays once, and less the more came.
    earned = [DANGER.rules.value(SettlementType.TOWN, number) + number for number in range(1, 7)]
    assert found.earns == max(earned)


def test_the_best_that_can_be_paid_is_named_first() -> None:
    found = STANDARD.prospects(position_of("standard", []))
    assert [each.is_affordable for each in found] == sorted((each.is_affordable for each in found), reverse=True)
    now = [each.earns for each in found if each.is_affordable]
    assert now == sorted(now, reverse=True)


def test_days_that_are_kept_never_grow_beyond_the_most_there_are() -> None:
    position = begin(FIELD, {BLACK: "D1", RED: "G1"})
    most, gain = STANDARD.rules.most_days, STANDARD.rules.day_gain
    for held, then in ((0, gain), (most - gain, most), (most - gain + 1, most)):
        said = told(STANDARD, replace(position, days={**position.days, BLACK: held}))
        assert said["done"].numbers == {"held": held, "then": then}


def test_a_kind_of_tile_that_ran_out_is_told_with_those_that_are_left() -> None:
    position = begin(FIELD, {BLACK: "D1", RED: "G1"})
    left = {**position.tiles_left[BLACK], Terrain.FOREST: 0}
    position = replace(position, tiles_left={**position.tiles_left, BLACK: left})
    assert told(STANDARD, position)["tiles"].numbers["forest_left"] == 0
    assert prospects(position)["D3"].cost == 4, "the road goes round the forest"


def test_how_near_the_end_is_follows_from_what_ends_the_game() -> None:
    position = begin(FIELD, {BLACK: "D1", RED: "G1"})
    near = STANDARD.nearness(after(position, turn(FIELD, BLACK, "D1 D2 D3", cubes="D3")))
    assert near == Advice("near-roads", numbers={"settlements": 2}, color=BLACK)
    two = begin(FIELD, {BLACK: "D1 A2", RED: "G1 G4"}, rules=TWO_PLAYER)
    assert TWO_PLAYER.nearness(two) == Advice("near-settlements", numbers={"empty": 3})
    danger = begin(FIELD, {BLACK: "D1 A2", RED: "G1 G4"}, rules=DANGER)
    assert DANGER.nearness(danger) == Advice("near-rounds", numbers={"rounds": DANGER.rules.rounds or 0})
    danger = after(after(danger, save(RED)), save(BLACK))
    assert DANGER.nearness(danger) == Advice("near-rounds", numbers={"rounds": (DANGER.rules.rounds or 0) - 1})


def test_every_place_of_the_valley_is_named_from_the_workshops_on() -> None:
    for rules in WORKSHOPS:
        position = position_of(rules, [])
        said = told(LaStrada(position.rules), position)
        assert said["start"].cells
        assert {"days", "tiles", "done"} <= said.keys()
