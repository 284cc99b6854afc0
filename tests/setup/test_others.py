"""Each piece offers its likeliest other names, so that one tap moves it out of the wrong pile."""

from dataclasses import replace

import pytest

from companion.board import (
    BARE,
    CellReading,
    Color,
    Contents,
    HexBoard,
    HexCell,
    Merchants,
    Reading,
    Road,
    Settlement,
    SettlementType,
    Terrain,
)
from companion.setup.draft import Draft
from companion.setup.empty_board import EmptyBoard
from companion.setup.lessons import Lesson
from companion.setup.state import MOST_OTHERS, likely, others
from tests.setup.conftest import Drawn

BOARD = HexBoard(6)
CELL = HexCell(0, 0)
ROAD = Road(Color.RED, Terrain.HILL, (0, 3))
DOUBTS = {"terrain-hill": 0.0, "terrain-plain": -1.0, "color-red": 0.0, "color-grey": -2.0, "way-13": -3.0}
INSTEAD = ("terrain-plain", "color-grey", "way-13", "color-black")


def lesson(ground: EmptyBoard, contents: Contents, doubts: dict[str, float]) -> Lesson:
    reading = Reading(BOARD, {CELL: CellReading(contents)})
    return Lesson(ground.image, ground.view, reading, doubts={CELL: doubts})


def test_a_road_may_be_what_it_is_likeliest_beside_what_it_is(ground: EmptyBoard) -> None:
    assert others(lesson(ground, Contents(ROAD), DOUBTS), CELL) == INSTEAD
    surely = dict.fromkeys((*(f"color-{color}" for color in Color), *(f"terrain-{kind}" for kind in Terrain)), -9.0)
    assert others(lesson(ground, Contents(ROAD), surely), CELL) == ()


def test_a_settlement_is_never_of_a_terrain(ground: EmptyBoard) -> None:
    doubts = {**DOUBTS, "settlement-city": -0.5, "settlement-town": 0.0, "workshop-red": -4.0}
    city = Contents(Settlement(SettlementType.CITY))
    assert others(lesson(ground, city, doubts), CELL) == ("settlement-town", "workshop-red")


@pytest.mark.parametrize("contents", [BARE, Contents(None, Merchants(red=1))])
def test_what_is_no_piece_has_no_other_name(ground: EmptyBoard, contents: Contents) -> None:
    assert others(lesson(ground, contents, DOUBTS), CELL) == ()


def test_what_a_person_named_can_still_be_a_stray_of_its_pile(ground: EmptyBoard) -> None:
    told = replace(lesson(ground, Contents(ROAD), DOUBTS), corrected=frozenset({CELL}))
    assert others(told, CELL) == INSTEAD


def test_a_road_may_be_of_what_no_other_road_seems_to_be(ground: EmptyBoard) -> None:
    alone = lesson(ground, Contents(ROAD), {"color-red": 0.0, "terrain-hill": 0.0})
    assert others(alone, CELL) == ("color-black", "color-grey", "color-yellow", "terrain-plain")


def test_how_likely_each_name_is_can_be_listed(ground: EmptyBoard) -> None:
    told = lesson(ground, Contents(ROAD), DOUBTS | {"way-14": -8.5, "way-35": -2.04})
    assert likely(told, CELL) == DOUBTS | {"way-35": -2.0}


@pytest.mark.long
def test_pieces_of_a_drawn_table_have_other_names_that_can_be_given(ground: EmptyBoard, drawn: Drawn) -> None:
    draft = Draft(ground).taught(drawn.shown)
    found = {cell: names for cell in drawn.truth.board.cells if (names := others(draft.lessons[0], cell))}
    assert found
    assert max(map(len, found.values())) <= MOST_OTHERS
    for cell, names in found.items():
        for name in names:
            assert draft.named(0, [cell], name).lessons[0].reading.contents(cell).tile is not None
