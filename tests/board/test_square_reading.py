"""Readings of square boards as JSON, and back."""

import json

import pytest

from companion.board import (
    BadInputError,
    CellReading,
    Contents,
    LaidSection,
    Mountain,
    Reading,
    Section,
    Snow,
    SquareBoard,
    reading_from_json,
    reading_to_json,
)

BOARD = SquareBoard(6)
THREE = Section("green-3", number=4, rays=(0, 3))
CROSS = Section("green-1", rays=(0, 2, 4, 6))
STRAIGHT = Section("brown-1", rays=(0, 4))
SHOWN = {"id": "green-3", "number": 4, "horse": False, "rays": [0, 3], "dead_end": False}
READING = Reading(
    BOARD,
    {
        BOARD.cell("A1"): CellReading(Contents(Snow())),
        BOARD.cell("C3"): CellReading(Contents(Mountain()), confidence=0.9),
        BOARD.cell("C4"): CellReading(
            Contents(LaidSection(THREE, "green", 3)), confidence=0.5, alternatives=(Contents(Mountain()), Contents())
        ),
        BOARD.cell("F6"): CellReading(),
    },
    occluded=frozenset({BOARD.cell("B2")}),
    unclear=frozenset({BOARD.cell("C4")}),
)


def test_a_reading_comes_back_from_its_json() -> None:
    written = json.loads(json.dumps(reading_to_json(READING)))
    assert reading_from_json(written, BOARD) == READING
    assert written["tracks"] == {}


def test_what_is_hidden_or_unclear_is_not_spoken_for() -> None:
    assert {str(cell) for cell in READING.abstained} == {"B2", "C4"}
    assert READING.contents(BOARD.cell("A1")).tile == Snow()
    assert READING.contents(BOARD.cell("B2")).tile is None


def test_turns_that_leave_the_rays_alike_are_one_lie() -> None:
    assert {LaidSection(CROSS, "green", turn).least_turned.turn for turn in range(4)} == {0}
    assert [LaidSection(STRAIGHT, "brown", turn).least_turned.turn for turn in range(4)] == [0, 1, 0, 1]
    assert [LaidSection(THREE, "green", turn).least_turned.turn for turn in range(4)] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("tile", "said"),
    [
        ({"kind": "merchant"}, "'merchant'; it should be one of settlement, workshop, road, section, snow, mountain"),
        ({"kind": "snow", "turn": 1}, "unknown field 'turn'"),
        ({"kind": "section", "color": "", "section": SHOWN, "turn": 0}, "color is ''; it should be the colour"),
        ({"kind": "section", "color": "green", "section": "x", "turn": 0}, "section is 'x'; it should be a JSON obj"),
        ({"kind": "section", "color": "green", "section": SHOWN, "turn": 4}, "turn is 4"),
        ({"kind": "section", "color": "green", "section": SHOWN}, "lacks the field 'turn'"),
        ({"kind": "section", "color": "green", "section": {**SHOWN, "rays": [9]}, "turn": 0}, "a ray is 9"),
        ("snow", "it should be a JSON object"),
    ],
)
def test_a_tile_that_is_none_is_refused_with_its_cell(tile: object, said: str) -> None:
    with pytest.raises(BadInputError, match=f"cell C4.*{said}"):
        reading_from_json({"cells": {"C4": {"tile": tile}}}, BOARD)


@pytest.mark.parametrize(
    ("reading", "said"),
    [
        ([], "a reading is"),
        ({"cells": {"G1": {"tile": None}}}, "'G1' is no cell of this board"),
        ({"cells": {"A1": {"tile": None, "confidence": 2}}}, "confidence is 2; it should be a number from 0 to 1"),
        ({"cells": {}, "unclear": "A1"}, "unclear is 'A1'; it should be a list"),
        ({"cells": {}, "occluded": ["Z"]}, "'Z' is no cell of this board"),
    ],
)
def test_a_reading_that_is_none_is_refused(reading: object, said: str) -> None:
    with pytest.raises(BadInputError, match=said):
        reading_from_json(reading, BOARD)
