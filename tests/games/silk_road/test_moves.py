"""Where a section may be laid, and by whom: each violation with a legal, an illegal and a boundary case."""

import pytest

from companion.board import BadInputError, SquareBoard
from companion.games.silk_road import COMPETITIVE, Pass, Placement
from tests.games.silk_road.table import after, begin, codes, ground, hand, names, passes, place, reasons, section

#: The snow is on A1, the mountains are on B4, C2, D4 and E2.
OPENING = begin({"green": hand("g", 3), "brown": hand("b", 3)})


def test_whoever_is_in_turn_lays_one_section_and_then_it_is_the_next_players_turn() -> None:
    position = after(OPENING, place("g1", "B2", 1))
    assert position.next == "brown"
    ((cell, lies),) = position.laid.items()
    assert (str(cell), lies.section.id, lies.color, lies.turn) == ("B2", "g1", "green", 0)
    assert [each.id for each in position.sections_left["green"]] == ["g2", "g3"]
    assert OPENING.laid == {}, "the position before is as it was"
    assert after(position, place("b1", "B3")).next == "green"


@pytest.mark.parametrize("cell", ["A2", "B1", "B2", "A3", "C1", "C3", "F6"])
def test_there_is_always_a_way_to_squares_next_to_the_snow_but_not_two_steps_away(cell: str) -> None:
    assert codes(OPENING, place("g1", cell)) == ([] if cell in ("A2", "B1", "B2") else ["no-way"])


@pytest.mark.parametrize(
    ("ray", "cell"),
    [(0, "B3"), (1, "A3"), (2, "A2"), (3, "A1"), (4, "B1"), (5, "C1"), (6, "C2"), (7, "C3")],
)
def test_a_ray_leads_to_the_one_neighbour_that_it_points_at(ray: int, cell: str) -> None:
    position = after(begin({"green": [section("g1", rays=[ray]), section("g2")]}), place("g1", "B2"))
    far = [each for each in SquareBoard().cells if position.has_way(each) and str(each) not in ("A2", "B1", "B2")]
    assert names(far) == ("" if cell in ("A2", "B1") else cell)


@pytest.mark.parametrize(("turn", "cell"), [(0, "B3"), (1, "A2"), (2, "B1"), (3, "C2")])
def test_a_quarter_turn_turns_the_rays_anticlockwise(turn: int, cell: str) -> None:
    position = after(begin({"green": [section("g1", rays=[0]), section("g2")]}), place("g1", "B2", turn))
    assert position.has_way(SquareBoard().cell(cell))


def test_anybody_may_build_on_anybodys_ray_and_only_on_its_very_square() -> None:
    position = after(begin({"green": [section("g1", rays=[0])], "brown": hand("b", 2)}), place("g1", "B2"))
    assert codes(position, place("b1", "B3")) == []
    assert codes(position, place("b1", "C3")) == ["no-way"], "next to the ray's square"
    assert codes(position, place("b1", "A3")) == ["no-way"]


def test_a_ray_reaches_no_further_than_the_next_square() -> None:
    position = after(begin({"green": [section("g1", rays=[7]), section("g2")]}), place("g1", "B2"))
    assert codes(position, place("g2", "C3")) == []
    assert codes(position, place("g2", "D4")) == ["cell-occupied", "no-way"]
    assert codes(position, place("g2", "E5")) == ["no-way"]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("A1", ["cell-occupied", "no-way"]),  # the snow is not next to itself
        ("B4", ["cell-occupied", "no-way"]),
        ("B2", ["cell-occupied"]),  # although it is next to the snow
        ("B3", []),
    ],
)
def test_snow_mountains_and_sections_take_their_squares(cell: str, expected: list[str]) -> None:
    position = after(begin({"green": [section("g1", rays=[0]), section("g2")]}), place("g1", "B2"))
    assert codes(position, place("g2", cell)) == expected


def test_a_ray_that_points_at_a_taken_square_makes_a_way_all_the_same() -> None:
    position = after(begin({"green": hand("g", 3)}), place("g1", "B2"), place("g2", "B3"))
    assert codes(position, place("g3", "A1")) == ["cell-occupied"]
    assert codes(position, place("g3", "C2")) == ["cell-occupied"]
    assert not {"A1", "C2"} & set(names(position.open_ways).split())


def test_another_players_section_may_not_be_laid() -> None:
    assert codes(OPENING, place("g1", "B2", by="green")) == []
    (reason,) = reasons(OPENING, place("b1", "B2", by="green"))
    assert (reason.code, names(reason.cells), reason.color) == ("section-foreign", "B2", "brown")


def test_a_section_is_laid_once() -> None:
    position = after(OPENING, place("g1", "B2"), place("b1", "A2"))
    assert codes(position, place("g2", "B1")) == []
    (reason,) = reasons(position, place("g1", "B1"))
    assert (reason.code, names(reason.cells)) == ("section-used", "B2"), "where it lies"
    assert codes(position, place("b1", "B1", by="green")) == ["section-foreign", "section-used"]


def test_every_reason_is_named_at_once() -> None:
    position = after(OPENING, place("g1", "B2"), place("b1", "A2"))
    everything = ["cell-occupied", "no-way", "section-foreign", "section-used"]
    assert codes(position, place("b1", "D4", by="green")) == everything


@pytest.mark.parametrize("move", [place("b1", "B2"), Pass("brown"), place("g1", "D4", by="brown")])
def test_out_of_turn_nothing_else_is_named(move: Placement | Pass) -> None:
    (reason,) = reasons(OPENING, move)
    assert (reason.code, reason.color) == ("not-your-turn", "green"), "whose turn it is"
    assert codes(after(OPENING, *passes("g")), place("b1", "B2")) == []


def test_after_the_end_nothing_else_is_named() -> None:
    position = after(OPENING, *passes("g", "b"))
    assert codes(position, Pass("brown")) == ["game-over"]
    assert codes(position, place("b1", "D4", by="green")) == ["game-over"]
    assert codes(after(OPENING, *passes("g")), Pass("brown")) == [], "until then there is still a turn"


@pytest.mark.parametrize(
    ("move", "complaint"),
    [
        (Pass("red"), r"player red does not sit at this table \(green, brown do\)"),
        (Placement("green", "x9", SquareBoard().cell("B2")), "section 'x9' is nobody's in this game"),
        (Placement("green", "g1", SquareBoard(8).cell("B2")), r"SquareCell\(column=1, row=1, side=8\) is not a square"),
        (Placement("green", "g1", SquareBoard().cell("B2"), 4), "turn is 4; a section is turned by 0 to 3"),
    ],
)
def test_what_does_not_belong_to_this_game_is_malformed_not_illegal(move: Placement | Pass, complaint: str) -> None:
    with pytest.raises(BadInputError, match=complaint):
        COMPETITIVE.judge_move(OPENING, move)


def test_an_illegal_move_changes_nothing() -> None:
    told = repr(OPENING)
    assert codes(OPENING, place("g1", "F6")) == ["no-way"]
    assert repr(OPENING) == told
    assert OPENING.ground == ground()
