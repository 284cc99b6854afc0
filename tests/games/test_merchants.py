"""The cubes of a turn, and what the table may let stand."""

from dataclasses import replace

import pytest

from companion.board import Merchants, Terrain
from companion.games import score
from companion.games.la_strada import STANDARD, LaStradaPosition, Turn

from .drawing import BLACK, GREY, RED, after, begin, cell, codes, faults, ground, names, only, reasons, save, turn

FIELD = ground({"D3": "town", "D5": "city", "D7": "hamlet", "F3": "village"})


@pytest.fixture
def position() -> LaStradaPosition:
    return begin(FIELD, {BLACK: "D1", RED: "F1"})


@pytest.fixture
def standing(position: LaStradaPosition) -> LaStradaPosition:
    """Black has a merchant on the town D3, and the turn again."""
    return after(after(position, turn(FIELD, BLACK, "D1 D2 D3", cubes="D3")), save(RED))


FIRST = {
    "a settlement reached without a merchant is named": (
        turn(FIELD, BLACK, "D1 D2 D3", "D3 D4 D5", cubes="D5"),
        {"merchant-missing": "D3"},
    ),
    "one merchant is set": (turn(FIELD, BLACK, "D1 D2 D3", D3={BLACK: 1}), {}),
    "and no more": (turn(FIELD, BLACK, "D1 D2 D3", D3={BLACK: 2}), {"merchant-extra": "D3"}),
    **{
        f"a merchant on {name}, where no road of the turn came, is named": (
            turn(FIELD, BLACK, "D1 D2 D3", cubes=f"D3 {name}"),
            {"merchant-unconnected": name},
        )
        for name in ("D7", "A1", "D2")
    },
}


@pytest.mark.parametrize(("move", "found"), FIRST.values(), ids=FIRST)
def test_in_a_first_turn(position: LaStradaPosition, move: Turn, found: dict[str, str]) -> None:
    assert faults(position, move) == found


def test_any_number_of_players_may_stand_on_a_settlement(standing: LaStradaPosition) -> None:
    position = after(standing, save(BLACK))
    assert after(position, turn(FIELD, RED, "F1 E2 D3", cubes="D3")).merchants[cell("D3")] == Merchants(black=1, red=1)


def test_a_second_merchant_on_a_settlement_reached_earlier_is_unconnected(standing: LaStradaPosition) -> None:
    assert codes(standing, turn(FIELD, BLACK, cubes="D3")) == ["merchant-unconnected"]


def test_other_players_cubes_are_named_by_colour(standing: LaStradaPosition) -> None:
    found = reasons(standing, turn(FIELD, BLACK, A1={RED: 1, GREY: 1}, D7={RED: 1}))
    assert [(reason.code, reason.color, names(reason)) for reason in found] == [
        ("merchant-color", GREY, "A1"),
        ("merchant-color", RED, "A1 D7"),
    ]


def test_a_merchant_taken_away_is_named(standing: LaStradaPosition) -> None:
    assert faults(standing, turn(FIELD, BLACK, D3={BLACK: -1})) == {"merchant-removed": "D3"}


def test_the_last_merchant_may_be_set_but_not_one_more(position: LaStradaPosition) -> None:
    rich = replace(position, merchants={cell("A1"): Merchants(black=11)})
    assert codes(rich, turn(FIELD, BLACK, "D1 D2 D3", cubes="D3")) == []
    reason = only(reasons(rich, turn(FIELD, BLACK, "D1 D2 D3", "D3 D4 D5", cubes="D3 D5")), "merchant-supply")
    assert (names(reason), reason.numbers) == ("D3 D5", {"needed": 2, "left": 1})


def test_accepted_a_road_without_merchant_connects_nothing(position: LaStradaPosition) -> None:
    accepted = STANDARD.accept(position, turn(FIELD, BLACK, "D1 D2 D3"))
    assert accepted.connected[BLACK] == {cell("D1")}
    assert (accepted.days[BLACK], accepted.next, accepted.tiles_left[BLACK][Terrain.PLAIN]) == (4, RED, 17)
    later = after(accepted, save(RED))
    assert codes(later, turn(FIELD, BLACK, "D3 D4 D5", cubes="D5")) == ["merchant-unconnected", "not-connected"]


def test_accepted_cubes_connect_everyone_to_where_they_stand_but_not_to_bare_cells(position: LaStradaPosition) -> None:
    accepted = STANDARD.accept(position, turn(FIELD, BLACK, cubes="D3 A1", D5={RED: 1}))
    assert accepted.connected == {BLACK: {cell("D1"), cell("D3")}, RED: {cell("F1"), cell("D5")}}
    assert codes(accepted, turn(FIELD, RED, "D5 D6 D7", cubes="D7")) == []
    assert accepted.merchants_left(BLACK) == 10


def test_accepted_cubes_never_fall_below_zero(standing: LaStradaPosition) -> None:
    accepted = STANDARD.accept(standing, turn(FIELD, BLACK, D3={BLACK: -3}, D5={RED: -1}))
    assert accepted.merchants == {}
    assert accepted.merchants_left(BLACK) == 12


def test_an_accepted_legal_turn_is_simply_played(position: LaStradaPosition) -> None:
    move = turn(FIELD, BLACK, "D1 D2 D3", cubes="D3")
    assert STANDARD.accept(position, move) == after(position, move)


def test_a_move_out_of_turn_is_never_applied(position: LaStradaPosition) -> None:
    assert STANDARD.accept(position, turn(FIELD, RED, "F1 F2 F3", cubes="F3")) == position


def test_surplus_cubes_score_by_their_number(position: LaStradaPosition) -> None:
    gold = {}
    for count in (2, 4, 5):
        accepted = STANDARD.accept(position, turn(FIELD, BLACK, D5={BLACK: count}))
        gold[count] = score(accepted).gold[BLACK]
    assert gold == {2: 2 * 4, 4: 4 * 2, 5: 0}
