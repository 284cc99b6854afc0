"""Setting the workshops: where, when and in which order."""

import pytest

from companion.board import BadInputError, Color
from companion.games.contract import Player
from companion.games.la_strada import STANDARD, LaStradaPosition, Placement

from .drawing import BLACK, GREY, RED, YELLOW, after, codes, ground, names, only, reasons, save, turn

FIELD = ground({"D2": "city", "D6": "hamlet"}, forest="A1", hill="A2")


def seated(*colors: Color) -> LaStradaPosition:
    return STANDARD.start(FIELD, [Player(color, color) for color in colors], {})


def place(color: Color, name: str) -> Placement:
    return Placement(color, FIELD.board.cell(name))


def test_workshops_are_set_in_seat_order_and_the_first_player_has_the_first_turn() -> None:
    position = seated(BLACK, RED, GREY)
    for color, name in ((BLACK, "A3"), (RED, "G1"), (GREY, "G4")):
        assert (position.phase, position.next) == ("workshop", color)
        position = after(position, place(color, name))
    assert (position.phase, position.next) == ("turn", BLACK)
    assert position.days == {BLACK: 6, RED: 0, GREY: 0}


def test_workshop_stands_on_plain() -> None:
    assert codes(seated(BLACK, RED), place(BLACK, "A3")) == []


@pytest.mark.parametrize("name", ["A1", "A2"])
def test_workshop_on_forest_or_hill_is_named(name: str) -> None:
    assert names(only(reasons(seated(BLACK, RED), place(BLACK, name)), "workshop-terrain")) == name


def test_workshop_next_to_a_settlement_is_allowed() -> None:
    assert codes(seated(BLACK, RED), place(BLACK, "D1")) == []


def test_workshop_on_a_settlement_is_on_an_occupied_cell() -> None:
    assert codes(seated(BLACK, RED), place(BLACK, "D2")) == ["cell-occupied"]


def test_workshop_on_a_workshop_is_on_an_occupied_cell() -> None:
    position = after(seated(BLACK, RED), place(BLACK, "A3"))
    assert codes(position, place(RED, "A3")) == ["cell-occupied"]


def test_workshop_next_to_another_players_names_both_cells() -> None:
    position = after(seated(BLACK, RED), place(BLACK, "B3"))
    assert names(only(reasons(position, place(RED, "B4")), "workshop-too-close")) == "B3 B4"


def test_one_free_cell_between_workshops_is_enough() -> None:
    position = after(seated(BLACK, RED), place(BLACK, "B3"))
    assert codes(position, place(RED, "B5")) == []


def test_all_that_is_wrong_with_a_workshop_is_named() -> None:
    position = after(seated(BLACK, RED), place(BLACK, "A3"))
    assert codes(position, place(RED, "A2")) == ["workshop-terrain", "workshop-too-close"]


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
    assert STANDARD.accept(position, place(BLACK, "A1")).workshops == {FIELD.board.cell("A1"): BLACK}


@pytest.mark.parametrize(
    ("colors", "complaint"),
    [((BLACK,), "1 players"), ((BLACK, BLACK), "his own"), ((BLACK, RED, GREY, YELLOW, BLACK), "5 players")],
)
def test_players_that_do_not_fit_are_refused(colors: tuple[Color, ...], complaint: str) -> None:
    with pytest.raises(BadInputError, match=complaint):
        seated(*colors)
