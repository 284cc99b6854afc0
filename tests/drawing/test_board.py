"""The board drawn: what lies on it, hints, gold over time."""

import itertools
import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.board import (
    EDGE_PAIRS,
    Color,
    Contents,
    HexBoard,
    Merchants,
    Road,
    Settlement,
    SettlementType,
    Terrain,
    Workshop,
)
from companion.drawing import SHAPES, STYLE, looks_of
from companion.drawing import board as drawing
from companion.drawing.course import APART, HEIGHT, LEFT, RIGHT, WIDTH, gold_plot, plot_x
from companion.drawing.overlays import hints
from companion.games.contract import Hint
from companion.words.speech import Speech

BOARD = HexBoard(6)


def parsed(markup: str) -> ET.Element:
    return ET.fromstring(f"<svg>{markup}</svg>")


def test_every_cell_is_drawn_once_on_its_terrain() -> None:
    terrain = {cell: list(Terrain)[index % 3] for index, cell in enumerate(BOARD.cells)}
    ground = parsed(drawing.ground(BOARD, terrain))
    outlines = {kind: ground.find(f"path[@class='{kind}']") for kind in Terrain}
    drawn = [outlines[kind].get("d", "").count("M") for kind in Terrain]  # type: ignore[union-attr]
    assert sum(drawn) == 127
    assert [text.text for text in ground.iter("text")] == list("ABCDEFGHIJKLM")


def test_cells_of_unknown_terrain_are_drawn_blank() -> None:
    blank = parsed(drawing.ground(BOARD, {})).find("path[@class='unknown']")
    assert blank is not None
    assert blank.get("d", "").count("M") == 127


def test_a_road_leaves_by_the_middle_of_its_edges() -> None:
    for edges in EDGE_PAIRS:
        start, _, end = drawing.road_path(Road(Color.RED, Terrain.PLAIN, edges)).partition("Q0 0 ")
        for edge, words in zip(edges, (start.removeprefix("M"), end), strict=True):
            x, y = map(float, words.split())
            cell = BOARD.cell("G7")
            beyond = cell.neighbour(edge).centre
            assert abs(x - drawing.SIDE * beyond[0] / 2) < 0.1
            assert abs(y - drawing.SIDE * beyond[1] / 2) < 0.1


def test_merchants_of_each_colour_have_their_own_shape_and_none_covers_another() -> None:
    discs = merchants_on(Settlement(SettlementType.CITY), Merchants(black=1, grey=1, yellow=1, red=1))
    assert [label for label, *_ in discs] == ["B", "G", "Y", "R"]
    assert not any(overlap(one, other) for one, other in itertools.combinations(discs, 2))
    drawn = parsed(drawing.pieces({BOARD.cell("G7"): Contents(None, Merchants(black=1, grey=1, yellow=1, red=1))}))
    shapes = [use.get("href") for use in drawn.iterfind(".//g[@transform]/use")]
    assert len(set(shapes)) == len(Color)


@pytest.mark.parametrize("kind", SettlementType, ids=str)
@pytest.mark.parametrize("merchants", [Merchants(), Merchants(red=1), Merchants(black=1, grey=1, yellow=1, red=1)])
def test_a_settlement_says_its_worth_however_many_stand_on_it(kind: SettlementType, merchants: Merchants) -> None:
    drawn = parsed(drawing.pieces({BOARD.cell("G7"): Contents(Settlement(kind), merchants)}))
    (value,) = drawn.iterfind(f".//text[@class='value {kind}']")
    assert value.text == str(drawing.VALUE[kind])
    assert drawn.find(f".//use[@class='plate {kind}']") is not None
    assert f".plate.{kind}" in STYLE.read_text()
    lowest = float(value.get("y", ""))
    heads = [y - drawing.DISC / 2 for _, _, y, _ in merchants_on(Settlement(kind), merchants)]
    assert all(lowest < head for head in heads), "no merchant stands on it"


@pytest.mark.parametrize(
    "merchants", [Merchants(black=12, red=12), Merchants(grey=6), Merchants(black=2, grey=3, yellow=1, red=12)], ids=str
)
@pytest.mark.parametrize("tile", [Settlement(SettlementType.CITY), Workshop(Color.GREY)], ids=str)
def test_many_merchants_are_told_by_their_number_and_cover_no_other_disc(
    tile: Settlement | Workshop, merchants: Merchants
) -> None:
    discs = merchants_on(tile, merchants)
    labels = [f"{color.value[0].upper()}{count if count > 1 else ''}" for color, count in merchants.counts.items()]
    assert [label for label, *_ in discs] == labels
    assert not any(overlap(one, other) for one, other in itertools.combinations(discs, 2))


def overlap(one: tuple[str, float, float, float], other: tuple[str, float, float, float]) -> bool:
    (_, x, y, width), (_, other_x, other_y, other_width) = one, other
    return abs(x - other_x) < (width + other_width) / 2 - 0.2 and abs(y - other_y) < drawing.DISC - 0.1


def merchants_on(tile: Settlement | Workshop, merchants: Merchants) -> list[tuple[str, float, float, float]]:
    """Return each label, where it is and how wide; a single merchant's shape is as wide as a disc."""
    drawn = parsed(drawing.pieces({BOARD.cell("G7"): Contents(tile, merchants)}))
    found = []
    for disc in drawn.iter("g"):
        if disc.get("class", "").startswith("merchant"):
            x, y = map(float, re.findall(r"[-\d.]+", disc.get("transform", "")))
            pill = disc.find("rect")
            width = drawing.DISC if pill is None else float(pill.get("width", ""))
            found.append((disc.findtext("text") or "", x, y, width))
    return found


def test_every_shape_that_is_referred_to_is_there() -> None:
    lies = {
        cell: Contents(tile)
        for cell, tile in zip(BOARD.cells, [Workshop(Color.RED), *map(Settlement, SettlementType)], strict=False)
    }
    lies[BOARD.cell("G7")] = Contents(None, Merchants(black=1, grey=1, yellow=1, red=1))
    drawn = drawing.pieces(lies) + drawing.laid(lies) + drawing.marks(lies, "illegal")
    drawn += drawing.ground(BOARD, {cell: list(Terrain)[index % 3] for index, cell in enumerate(BOARD.cells)})
    shapes = {shape.get("id") for shape in ET.fromstring(SHAPES.read_text()).iter()}
    assert set(re.findall(r"#([\w-]+)", drawn)) <= shapes


def test_owners_differ_in_letter_and_in_the_rhythm_of_their_roads() -> None:
    assert len({look.letter for look in looks_of(tuple(Color)).values()}) == len(Color)
    rhythms = [line for line in STYLE.read_text().splitlines() if line.startswith(".rhythm.")]
    assert len({line.split("{")[1] for line in rhythms}) == len(Color)


@pytest.mark.parametrize(
    ("language", "letters"),
    [("en", "B G Y R"), ("de", "S Gr Ge R"), ("fr", "N G J R"), ("it", "N Gr Gi R")],
)
def test_owners_letters_are_those_of_the_readers_language(language: str, letters: str) -> None:
    speech, colors = Speech(language=language), (Color.BLACK, Color.GREY, Color.YELLOW, Color.RED)
    looks = looks_of(colors, tuple(map(speech.color, colors)))
    lies = {cell: Contents(Workshop(color)) for cell, color in zip(BOARD.cells, colors, strict=False)}
    lies[BOARD.cell("G7")] = Contents(Settlement(SettlementType.CITY), Merchants(grey=1, yellow=2))
    drawn = sorted(text.text or "" for text in parsed(drawing.pieces(lies, looks)).iter("text"))
    black, grey, yellow, red = letters.split()
    assert drawn == sorted([black, grey, yellow, red, "5", grey, f"{yellow}2"])


def test_marks_name_their_cells() -> None:
    marks = parsed(drawing.marks({BOARD.cell("F5"), BOARD.cell("A1")}, "illegal"))
    assert [text.text for text in marks.iter("text")] == ["A1", "F5"]


def hint(names: str, cost: int, is_affordable: bool = True) -> Hint:
    return Hint(tuple(BOARD.cell(name) for name in names.split()), cost, is_affordable)


def test_no_hints_draw_nothing() -> None:
    assert hints(()) == ""


def test_a_hint_is_a_line_through_its_cells_with_its_days_where_it_ends() -> None:
    drawn = hints([hint("G7 G8 G9", 2)])
    assert '<polyline class="hint" points="0.0,0.0 34.6,0.0 69.3,0.0"/>' in drawn
    assert 'transform="translate(56.3 -13.0)"' in drawn
    assert ">2</text>" in drawn


def test_what_costs_more_than_is_held_is_paler_and_below() -> None:
    drawn = hints([hint("G7 G8 G9", 2), hint("G7 F7 E8", 9, is_affordable=False)])
    assert drawn.index('"hint later"') < drawn.index('"hint"')


COLORS = list(Color)


def places(plot: str) -> list[float]:
    return sorted(float(y) for y in re.findall(r'class="label \w+" transform="translate\(\d+ ([\d.-]+)\)', plot))


def test_each_colour_has_its_line_its_rhythm_its_letter_and_what_it_has_at_the_end() -> None:
    plot = gold_plot([{Color.BLACK: 0, Color.RED: 0}, {Color.BLACK: 5, Color.RED: 0}], at=0)
    for color, letter, count in ((Color.BLACK, "B", 5), (Color.RED, "R", 0)):
        assert f'class="rhythm {color}"' in plot
        assert f'href="#o-{color}"' in plot
        assert f'>{letter}</text><text class="count" x="16" y="5.5">{count}</text>' in plot


def test_a_line_goes_on_level_and_leaps_where_gold_is_earned() -> None:
    plot = gold_plot([{Color.BLACK: 0}, {Color.BLACK: 0}, {Color.BLACK: 5}], at=0)
    (path,) = re.findall(r'class="road black" d="([^"]+)"', plot)
    x = [plot_x(step, 3) for step in range(3)]
    bottom, top = 226.0, 14.0
    assert path == f"M{x[0]:.1f} {bottom}H{x[1]:.1f}V{bottom}H{x[2]:.1f}V{top}"


def test_the_hand_stands_at_the_step_that_is_shown() -> None:
    gold = [{Color.BLACK: count} for count in range(5)]
    assert f'transform="translate({LEFT:.1f} 0)"' in gold_plot(gold, at=0)
    assert f'transform="translate({WIDTH - RIGHT:.1f} 0)"' in gold_plot(gold, at=4)


def test_the_one_with_most_lies_on_top() -> None:
    plot = gold_plot([{Color.BLACK: 9, Color.RED: 3}, {Color.BLACK: 9, Color.RED: 3}], at=0)
    assert plot.index("road red") < plot.index("road black")


def test_less_than_nothing_has_its_place_below_the_line_of_nothing() -> None:
    plot = gold_plot([{Color.BLACK: 0}, {Color.BLACK: -6}], at=0)
    assert 'class="scale zero"' in plot
    assert ">-6</text>" in plot
    assert min(float(y) for y in re.findall(r'class="scale(?: zero)?" x1="\d+" x2="\d+" y1="([\d.]+)"', plot)) >= 0


@given(st.lists(st.tuples(*[st.integers(-12, 60)] * 4), min_size=2, max_size=30), st.integers(1, 4))
def test_no_label_covers_another_and_all_stand_in_the_drawing(rows: list[tuple[int, ...]], players: int) -> None:
    gold = [dict(zip(COLORS[:players], row, strict=False)) for row in rows]
    found = places(gold_plot(gold, at=0))
    assert len(found) == players
    assert all(later - sooner >= APART - 0.2 for sooner, later in pairwise(found))
    assert found[0] >= 0
    assert found[-1] <= HEIGHT


@pytest.mark.parametrize("steps", [1, 2, 80])
def test_the_steps_fill_the_width(steps: int) -> None:
    assert plot_x(0, steps) == LEFT
    assert plot_x(steps - 1, steps) == (WIDTH - RIGHT if steps > 1 else LEFT)
