import itertools
import re
import xml.etree.ElementTree as ET

import pytest

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
from companion.drawing import SHAPES, STYLE
from companion.drawing import board as drawing

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
def test_a_settlement_says_what_it_is_worth_however_many_stand_on_it(
    kind: SettlementType, merchants: Merchants
) -> None:
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
    """Each one's label, where it stands and how wide it is; a single merchant's shape is as wide as a disc."""
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
    assert len(set(drawing.LETTER.values())) == len(Color)
    rhythms = [line for line in STYLE.read_text().splitlines() if line.startswith(".rhythm.")]
    assert len({line.split("{")[1] for line in rhythms}) == len(Color)


def test_marks_name_their_cells() -> None:
    marks = parsed(drawing.marks({BOARD.cell("F5"), BOARD.cell("A1")}, "illegal"))
    assert [text.text for text in marks.iter("text")] == ["A1", "F5"]
