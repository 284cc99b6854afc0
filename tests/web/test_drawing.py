import itertools
import xml.etree.ElementTree as ET
from pathlib import Path

from companion.board import EDGE_PAIRS, Color, Contents, HexBoard, Merchants, Road, Settlement, SettlementType, Terrain
from companion.web import drawing

BOARD = HexBoard(6)
STYLE = (Path(drawing.__file__).parent / "static" / "strada.css").read_text()


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


def test_merchants_of_four_colours_stand_side_by_side() -> None:
    crowd = Contents(Settlement(SettlementType.CITY), Merchants(black=1, grey=1, yellow=1, red=6))
    places = parsed(drawing.pieces({BOARD.cell("G7"): crowd})).findall(".//g[@class]")
    at = [float(place.get("transform", "").split("(")[1].split()[0]) for place in places]
    assert all(right - left > 8 for left, right in itertools.pairwise(at))
    assert [place.findtext("text") for place in places] == ["B", "G", "Y", "R6"]


def test_owners_differ_in_letter_and_in_the_rhythm_of_their_roads() -> None:
    assert len(set(drawing.LETTER.values())) == len(Color)
    rhythms = [line for line in STYLE.splitlines() if line.startswith(".rhythm.")]
    assert len({line.split("{")[1] for line in rhythms}) == len(Color)


def test_marks_name_their_cells() -> None:
    marks = parsed(drawing.marks({BOARD.cell("F5"), BOARD.cell("A1")}, "illegal"))
    assert [text.text for text in marks.iter("text")] == ["A1", "F5"]
