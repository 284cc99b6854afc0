"""Placing the workshops: where, when and in which order."""

import pytest

from companion.board import BadInputError, Color
from companion.games.contract import Player
from companion.games.la_strada import STANDARD, LaStradaPosition, Placement

from .drawing import BLACK, GREY, RED, YELLOW, after, cell, codes, faults, ground, only, reasons, save, turn

FIELD = ground({"D2": "city", "D6": "hamlet"}, forest="A1", hill="A2")


def seated(*colors: Color) -> LaStradaPosition:
    return STANDARD.start(FIELD, [Player(color, color) for color in colors], {})


def place(color: Color, name: str) -> Placement:
    return Placement(color, cell(name))


def test_workshops_are_set_in_seat_order_and_the_first_player_has_the_first_turn() -> None:
    position = seated(BLACK, RED, GREY)
    for color, name in ((BLACK, "A3"), (RED, "G1"), (GREY, "G4")):
        assert (position.phase, position.next) == ("workshop", color)
        position = after(position, place(color, name))
    assert (position.phase, position.next) == ("turn", BLACK)
    assert position.days == {BLACK: 6, RED: 0, GREY: 0}


#: Where another player's workshop stands, if any; where this one is set; what is wrong with that.
SITES = {
    "it stands on plain": ("", "A3", {}),
    "on forest it is named": ("", "A1", {"workshop-terrain": "A1"}),
    "on a hill it is named": ("", "A2", {"workshop-terrain": "A2"}),
    "next to a settlement is allowed": ("", "D1", {}),
    "on a settlement the cell is occupied": ("", "D2", {"cell-occupied": "D2"}),
    "on a workshop the cell is occupied": ("A3", "A3", {"cell-occupied": "A3"}),
    "next to another player's both cells are named": ("B3", "B4", {"workshop-too-close": "B3 B4"}),
    "one free cell between is enough": ("B3", "B5", {}),
    "all that is wrong is named": ("A3", "A2", {"workshop-terrain": "A2", "workshop-too-close": "A2 A3"}),
}


@pytest.mark.parametrize(("others", "name", "found"), SITES.values(), ids=SITES)
def test_where_a_workshop_may_stand(others: str, name: str, found: dict[str, str]) -> None:
    position = seated(BLACK, RED)
    if others:
        position = after(position, place(BLACK, others))
    move = place(RED if others else BLACK, name)
    assert faults(position, move) == found
    assert codes(position, move) == list(found)


def test_another_player_must_wait() -> None:
    reason = only(reasons(seated(BLACK, RED), place(RED, "A3")), "not-your-turn")
    assert reason.color is BLACK


def test_a_turn_before_all_workshops_stand_is_named_alone() -> None:
    position = after(seated(BLACK, RED), place(BLACK, "A3"))
    assert codes(position, save(RED)) == ["workshop-missing"]
    assert codes(position, turn(FIELD, RED, "D1 E1 F1")) == ["workshop-missing"]


def test_a_workshop_after_all_stand_is_named_alone() -> None:
    position = after(after(seated(BLACK, RED), place(BLACK, "A3")), place(RED, "G1"))
    assert codes(position, place(BLACK, "A2")) == ["workshop-late"]


def test_a_workshop_may_be_accepted_on_the_wrong_terrain_but_not_on_an_occupied_cell() -> None:
    position = seated(BLACK, RED)
    assert STANDARD.accept(position, place(BLACK, "D2")) == position
    assert STANDARD.accept(position, place(BLACK, "A1")).workshops == {cell("A1"): BLACK}


@pytest.mark.parametrize(
    ("colors", "complaint"),
    [((BLACK,), "1 players"), ((BLACK, BLACK), "their own"), ((BLACK, RED, GREY, YELLOW, BLACK), "5 players")],
)
def test_players_that_do_not_fit_are_refused(colors: tuple[Color, ...], complaint: str) -> None:
    with pytest.raises(BadInputError, match=complaint):
        seated(*colors)
