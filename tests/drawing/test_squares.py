import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from companion.board import Contents, HexBoard, LaidSection, Mountain, Section, Snow, SquareBoard, SquareCell
from companion.drawing import SHAPES, STYLE, colours, ground, laid, lines, looks_of, marks, pieces, view_box
from companion.drawing.board import targets
from companion.drawing.looks import OTHERS, look_of
from companion.drawing.overlays import hints
from companion.drawing.squares import SQUARE
from companion.games.contract import Hint
from companion.games.silk_road import Road
from companion.games.silk_road.position import COLORS, made_up_sections
from tests.drawing.test_board import parsed

BOARD = SquareBoard(6)
B2 = BOARD.cell("B2")


def drawn(section: Section, color: str = "green", turn: int = 0) -> ET.Element:
    return parsed(pieces({B2: Contents(LaidSection(section, color, turn))}))


def texts(element: ET.Element) -> list[str]:
    return [text.text or "" for text in element.iter("text")]


def heads(element: ET.Element) -> set[tuple[int, int]]:
    """Return the neighbours that a section's arrows point at, as columns to the right and rows down."""
    path = element.find(".//path[@class='ray']")
    assert path is not None
    tips = [each.split("L")[3].split() for each in path.get("d", "").split("M")[1:]]
    return {(round(float(x) / SQUARE * 2.4), round(float(y) / SQUARE * 2.4)) for x, y in tips}


def test_every_square_is_drawn_with_the_letters_of_rows_and_the_numbers_of_columns() -> None:
    board = parsed(ground(BOARD, {}))
    assert sum(path.get("d", "").count("M") for path in board.iter("path")) == 36
    assert texts(board) == [*"ABCDEF", *"123456"]


def test_the_box_holds_every_square() -> None:
    left, top, width, height = map(float, view_box(BOARD).split())
    assert left <= -3 * SQUARE
    assert top <= -3 * SQUARE
    assert left + width >= 3 * SQUARE
    assert top + height >= 3 * SQUARE


def test_arrows_point_at_the_neighbours_at_which_the_rays_point() -> None:
    assert heads(drawn(Section("1", rays=(0, 3, 6)))) == {(1, 0), (-1, -1), (0, 1)}
    assert heads(drawn(Section("1", rays=(0, 3, 6)), turn=1)) == {(0, -1), (-1, 1), (1, 0)}


def test_a_section_says_its_number_if_it_has_one_and_whose_it_is() -> None:
    assert texts(drawn(Section("1", number=8, rays=(0,)))) == ["8", "Gr"]
    assert texts(drawn(Section("1", rays=(0,)))) == ["Gr"]
    assert texts(drawn(Section("1", number=5, has_horse=True, rays=tuple(range(8))))) == ["5", "Gr"], "with all rays"


@pytest.mark.parametrize("number", [0, 6])
def test_a_dead_end_is_a_sign_for_no_entry(number: int) -> None:
    sign = drawn(Section("1", number=number, rays=(0,), is_dead_end=True))
    assert sign.find(".//path[@class='stop']") is not None
    assert sign.find(".//rect[@class='bar']") is not None
    assert drawn(Section("1", number=number, rays=(0,))).find(".//path[@class='stop']") is None


def test_a_horse_is_drawn_where_no_ray_points() -> None:
    horse = drawn(Section("1", number=2, has_horse=True, rays=(1, 3))).find(".//use[@href='#horse']")
    assert horse is not None
    x, y = map(float, re.findall(r"-?[\d.]+", horse.get("transform", ""))[:2])
    assert (x < 0, y < 0) in {(True, False), (False, False)}, "the lower corners are free"
    assert drawn(Section("1", number=2, rays=(1, 3))).find(".//use[@href='#horse']") is None


def test_snow_and_mountains_are_drawn() -> None:
    both = parsed(pieces({B2: Contents(Snow()), BOARD.cell("C4"): Contents(Mountain())}))
    assert {use.get("href") for use in both.iter("use")} >= {"#snow", "#mountain"}


def test_every_shape_that_is_referred_to_exists() -> None:
    shapes = set(re.findall(r'id="([^"]+)"', SHAPES.read_text()))
    everything = "".join(
        pieces({B2: Contents(LaidSection(section, color))}, looks_of((*COLORS, "a", "b", "c", "d")))
        for color in (*COLORS, "a", "b", "c", "d")
        for section in made_up_sections("green")
    )
    everything += pieces({B2: Contents(Snow())}) + pieces({B2: Contents(Mountain())}) + targets(BOARD)
    assert set(re.findall(r'href="#([^"]+)"', everything)) <= shapes


def test_a_colour_that_is_not_known_has_a_neutral_look_by_the_order_of_the_players() -> None:
    looks = looks_of(("teal", "green", "<script>"))
    assert [look.name for look in looks.values()] == ["other-1", "green", "other-2"]
    assert [look.letter for look in looks.values()] == ["T", "G", "3"]
    markup = pieces({B2: Contents(LaidSection(Section("1"), "<script>"))}, looks)
    assert "script" not in markup
    assert "script" not in pieces({B2: Contents(LaidSection(Section("1"), "<script>"))})


def test_no_two_players_have_the_same_letter() -> None:
    for colors in (COLORS, ("black", "blue", "brown"), ("red", "Rot", "rosso"), ("x", "X")):
        letters = [look.letter for look in looks_of(colors).values()]
        assert len(set(letters)) == len(letters), letters


def luminance(code: str) -> float:
    parts = [int(code[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_what_stands_on_an_owners_colour_is_read_easily() -> None:
    named = colours()
    owners = [*COLORS, *(f"other-{number}" for number in range(1, OTHERS + 1))]
    for owner in owners:
        darker, lighter = sorted((luminance(named[owner]), luminance(named[f"on-{owner}"])))
        assert (lighter + 0.05) / (darker + 0.05) >= 4.5, f"{owner} (WCAG 2.2, 1.4.3)"


def test_lines_that_earn_run_along_their_squares_with_what_they_earn() -> None:
    row = tuple(BOARD.cell(name) for name in ("A2", "A3", "A4", "A5"))
    column = tuple(BOARD.cell(name) for name in ("A2", "B2", "C2", "D2", "E2"))
    found = (
        Road(True, row, 8, True, {"brown": 3, "green": 1}, "brown"),
        Road(False, column, 6, False, {"green": 2, "brown": 2}, None),
    )
    both = parsed(lines(found, BOARD, looks_of(("green", "brown"))))
    assert [each.get("class") for each in both.iterfind("g")] == ["wealth brown", "wealth nobody"]
    assert texts(both) == ["16", "6"]
    ways = [each.get("d", "") for each in both.iterfind("g/path[@class='wealth-line']")]
    assert [re.findall(r"[HV]", way) for way in ways] == [["H"], ["V"]]


def test_marks_and_what_is_laid_are_outlined_as_squares() -> None:
    assert '<use href="#square"/>' in marks([B2], "illegal")
    assert ">B2<" in marks([B2], "illegal")
    assert 'href="#square" class="unjudged"' in laid({B2: Contents(Snow())})
    assert "#hex" not in laid({B2: Contents(Snow())})


def test_every_square_is_a_target_by_its_name() -> None:
    names = [use.get("data-cell") for use in parsed(targets(BOARD)).iter("use")]
    assert names == [str(cell) for cell in BOARD.cells]
    assert '<use href="#hex" class="target"' in targets(HexBoard(1))


def test_a_square_to_which_a_way_leads_is_ringed() -> None:
    ring = parsed(hints([Hint((SquareCell(0, 0),), 0, is_affordable=True)])).find("circle")
    assert ring is not None
    assert float(ring.get("cx", "")) == -2.5 * SQUARE


def test_looks_without_players_are_those_of_the_colours() -> None:
    assert look_of("brown").name == "brown"
    assert look_of("red").letter == "R"


def test_style_has_a_rule_for_each_class_of_a_section() -> None:
    style = Path(STYLE).read_text()
    for name in ("face", "inner", "ray", "disc", "stop", "bar", "horse", "whose", "wealth-line"):
        assert f".{name}" in style
