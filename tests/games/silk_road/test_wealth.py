"""Roads, what ends them, and whose wealth they are; the example from the rules, laid out and played."""

import pytest

from companion.board import LaidSection, Section, SquareBoard
from companion.games import score
from companion.games.silk_road import COMPETITIVE, Road, SilkRoadPosition
from companion.games.silk_road.position import roads
from tests.games.silk_road.table import BOARD, after, begin, drawn, names, place

REST = """
. M . M . .
. . . . . .
. M . M . .
. . . . . .
"""


def row(text: str, players: str = "gbu") -> SilkRoadPosition:
    """The position with these sections in row A; below it are an open row and mountains."""
    return drawn(f"{text} . . . . . . {REST}", players=players)


def told(position: SilkRoadPosition) -> list[tuple[str, int, str | None]]:
    """Each road: its cells, its wealth, and who collects it."""
    return [(names(road.cells), road.wealth, road.collector) for road in position.roads()]


def road(text: str) -> Road:
    """The one road in row A that creates wealth."""
    (found,) = row(text).roads()
    return found


# Which sections are a road.


@pytest.mark.parametrize(
    ("sections", "expected"),
    [
        (". g g g8 . .", ""),
        (". g g g8 g .", "A2 A3 A4 A5"),
        ("g g g8 g g g", "A1 A2 A3 A4 A5 A6"),
        ("g g8 g . g g", ""),
        ("g g8 g S g g", ""),
        ("g g8 g M g g", ""),
        ("S g8 g b u g", "A2 A3 A4 A5 A6"),
    ],
)
def test_four_neighbouring_sections_of_any_players_make_a_road(sections: str, expected: str) -> None:
    assert " ".join(names(each.cells) for each in row(sections).roads()) == expected


def test_columns_are_roads_just_as_rows_are_but_diagonals_are_not() -> None:
    straight = """
    . b . . . .
    . b . . . .
    . b8 . . . .
    . b . . . .
    . . . . . .
    S . . . . .
    """
    assert told(drawn(straight)) == [("A2 B2 C2 D2", 8, "brown")]
    diagonal = """
    b . . . . .
    . b . . . .
    . . b8 . . .
    . . . b . .
    . . . . b .
    S . . . . .
    """
    assert told(drawn(diagonal)) == []


def test_a_section_counts_in_its_row_and_in_its_column() -> None:
    cross = """
    g g9 g g . .
    . b . . . .
    . b . . . .
    . b . . . .
    . . . . . .
    . . . . . S
    """
    position = drawn(cross)
    assert told(position) == [("A1 A2 A3 A4", 9, "green"), ("A2 B2 C2 D2", 9, "brown")]
    assert position.wealth() == {"green": 9, "brown": 9}
    assert position.total == 18


# Dead ends.


@pytest.mark.parametrize(
    ("sections", "expected"),
    [
        ("g g g g| . .", ["A1 A2 A3 A4"]),
        ("g g g| g . .", []),
        ("g| g g g . .", ["A1 A2 A3 A4"]),
        ("g g g g| g g", ["A1 A2 A3 A4"]),
        ("g g g| g g g", ["A3 A4 A5 A6"]),
        ("g g g g g| g", ["A1 A2 A3 A4 A5"]),
        ("g| g g g| g g", ["A1 A2 A3 A4"]),
        ("g| g| g g g g", ["A2 A3 A4 A5 A6"]),
        ("g g g| g| g g", []),
    ],
)
def test_a_dead_end_ends_a_road_and_belongs_to_it_on_either_side(sections: str, expected: list[str]) -> None:
    assert [names(each.cells) for each in row(sections).roads()] == expected


def test_a_dead_end_between_two_long_roads_counts_in_both() -> None:
    """On the board of the rules no line is long enough for that, so this one is larger."""
    board, dead_end = SquareBoard(8), Section("d", 7, is_dead_end=True)
    line = board.rows[0][:7]
    laid = {cell: LaidSection(Section(str(cell)), "green" if cell.column < 4 else "brown") for cell in line}
    laid[board.cell("A4")] = LaidSection(dead_end, "green")
    found = [(names(each.cells), each.wealth, each.collector) for each in roads(board, laid)]
    assert found == [("A1 A2 A3 A4", 7, "green"), ("A4 A5 A6 A7", 7, "brown")]


def test_a_dead_end_where_a_row_and_a_column_meet_ends_both() -> None:
    corner = """
    . . g g g g7|
    . . . . . b
    . . . . . b
    . . . . . b
    . . . . . .
    S . . . . .
    """
    assert told(drawn(corner)) == [("A3 A4 A5 A6", 7, "green"), ("A6 B6 C6 D6", 7, "brown")]


# Whose wealth it is, and how much.


def test_the_wealth_is_the_largest_number_on_any_section_whosever_it_is() -> None:
    assert (road("g2 g b9 g . .").wealth, road("g2 g b9 g . .").collector) == (9, "green")
    assert road("g g g g . .").wealth == 0


@pytest.mark.parametrize("sections", ["g8h g g g . .", "g8 g g bh . .", "g8h gh bh g . .", "bh| g8 g g . ."])
def test_a_horse_doubles_once_whosever_it_is(sections: str) -> None:
    assert road(sections).wealth == 16
    assert road(sections.replace("h", "")).wealth == 8


def test_a_horse_beyond_a_dead_end_doubles_nothing() -> None:
    assert road("g8 g g g| bh .").wealth == 8
    assert road("g8 g g gh| b .").wealth == 16


@pytest.mark.parametrize(
    ("sections", "collector"),
    [
        ("g g g b9 . .", "green"),
        ("g1 g b b2 . .", "brown"),
        ("g3 g b b2 . .", "green"),
        ("g2 g b b2 . .", None),
        ("g g b b . .", None),
        ("g2 g b b2 u9 .", None),  # a third player, who has fewer, does not come into it
        ("g2 g b b3 u9 .", "brown"),
        ("g1 g b2 b u3 u", "blue"),
        ("g3 g b2 b u3 u", None),
    ],
)
def test_most_sections_collect_then_the_largest_own_number_then_nobody(sections: str, collector: str | None) -> None:
    assert road(sections).collector == collector


def test_what_nobody_collects_is_in_no_total() -> None:
    position = row("g2 g b b2 . .")
    assert [(each.wealth, each.collector) for each in position.roads()] == [(2, None)]
    assert position.wealth() == {"green": 0, "brown": 0, "blue": 0}
    assert position.total == 0


def test_a_road_tells_what_its_wealth_is_made_of() -> None:
    found = road(". g g8 bh g .")
    assert (found.is_row, found.name, found.number, found.has_horse) == (True, "A", 8, True)
    assert found.counts == {"green": 3, "brown": 1}
    column = """
    . . . . . .
    . . . . . .
    . . . . b4 .
    . . . . b .
    . . . . b .
    S . . . b .
    """
    (found,) = drawn(column).roads()
    assert (found.is_row, found.name, found.number, found.has_horse) == (False, "5", 4, False)


# The example from the rules: brown has 8 x 2 in the first row, 6 in the second column and 10 in the fifth, 32 in all;
# green 8 x 2 in the second row. The text shows no board; this one gives exactly these figures.

EXAMPLE = """
.  .  g   b8h b   b
.  M  g8h g   g   b
.  b  .   M   b10 .
g  b  .   .   g   .
g  b6 M   .   M   .
S  g  .   .   .   .
"""


def test_the_example_of_the_rules() -> None:
    position = drawn(EXAMPLE)
    lines = {("row " if each.is_row else "column ") + each.name: each for each in position.roads()}
    assert {name: (each.number, each.has_horse, each.collector) for name, each in lines.items()} == {
        "row A": (8, True, "brown"),
        "row B": (8, True, "green"),
        "column 2": (6, False, "brown"),
        "column 5": (10, False, "brown"),
    }
    assert lines["column 5"].counts == {"brown": 2, "green": 2}, "as many sections as green, and brown collects"
    assert position.wealth() == {"green": 16, "brown": 32}


def test_the_example_can_be_played() -> None:
    shown = drawn(EXAMPLE)
    position = begin(shown.sections, board=shown.ground)
    assert COMPETITIVE.check_set_up(shown.ground) == ()
    order = ["F2", "E2", "E1", "D2", "D1", "C2", "B3", "A4", "B4", "A5", "A3", "A6", "B5", "C5", "D5", "B6"]
    for name in order:
        assert position.next == shown.laid[BOARD.cell(name)].color
        position = after(position, place(name, name, by=position.next))
    assert position.over, "both have laid all that they had"
    assert position.laid == shown.laid
    assert score(position).winners == ("brown",)
