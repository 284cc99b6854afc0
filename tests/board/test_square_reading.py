"""Readings of square boards as JSON, and back."""

import json

import pytest

from companion.board import (
    BadInputError,
    LaidSection,
    Mountain,
    Section,
    Snow,
    SquareBoard,
    SquareCellReading,
    SquareReading,
    square_reading_from_json,
    square_reading_to_json,
)

BOARD = SquareBoard(6)
THREE = Section("green-3", number=4, rays=(0, 3))
CROSS = Section("green-1", rays=(0, 2, 4, 6))
SETS = {"green": (CROSS, THREE), "brown": (Section("brown-1", rays=(0, 4)),)}
READING = SquareReading(
    BOARD,
    {
        BOARD.cell("A1"): SquareCellReading(Snow()),
        BOARD.cell("C3"): SquareCellReading(Mountain(), 0.9),
        BOARD.cell("C4"): SquareCellReading(LaidSection(THREE, "green", 3), 0.5, (Mountain(), None)),
        BOARD.cell("F6"): SquareCellReading(),
    },
    occluded=frozenset({BOARD.cell("B2")}),
    unclear=frozenset({BOARD.cell("C4")}),
)


def test_a_reading_comes_back_from_its_json() -> None:
    written = json.loads(json.dumps(square_reading_to_json(READING)))
    assert square_reading_from_json(written, BOARD, SETS) == READING


def test_what_is_hidden_or_unclear_is_not_spoken_for() -> None:
    assert {str(cell) for cell in READING.abstained} == {"B2", "C4"}
    assert READING.piece(BOARD.cell("A1")) == Snow()
    assert READING.piece(BOARD.cell("B2")) is None


def test_turns_that_leave_the_rays_alike_are_one_lie() -> None:
    assert {LaidSection(CROSS, "green", turn).least_turned.turn for turn in range(4)} == {0}
    straight = SETS["brown"][0]
    assert [LaidSection(straight, "brown", turn).least_turned.turn for turn in range(4)] == [0, 1, 0, 1]
    assert [LaidSection(THREE, "green", turn).least_turned.turn for turn in range(4)] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("piece", "said"),
    [
        ({"kind": "merchant"}, "'merchant'; it should be section, snow or mountain"),
        ({"kind": "snow", "turn": 1}, "unknown field 'turn'"),
        ({"kind": "section", "color": "red", "section": "green-3", "turn": 0}, "color is 'red'; it should be one of"),
        ({"kind": "section", "color": "green", "section": "x", "turn": 0}, "those of green are green-1, green-3"),
        ({"kind": "section", "color": "green", "section": "green-3", "turn": 4}, "turn is 4"),
        ({"kind": "section", "color": "green", "section": "green-3"}, "lacks the field 'turn'"),
        ("snow", "it should be a JSON object"),
    ],
)
def test_a_piece_that_is_none_is_refused_with_its_cell(piece: object, said: str) -> None:
    with pytest.raises(BadInputError, match=f"cell C4.*{said}"):
        square_reading_from_json({"cells": {"C4": {"piece": piece}}}, BOARD, SETS)


@pytest.mark.parametrize(
    ("reading", "said"),
    [
        ([], "a reading is"),
        ({"cells": {"G1": {"piece": None}}}, "'G1' is no cell of this board"),
        ({"cells": {"A1": {"piece": None, "confidence": 2}}}, "confidence is 2; it should be a number from 0 to 1"),
        ({"cells": {}, "unclear": "A1"}, "unclear is 'A1'; it should be a list"),
        ({"cells": {}, "occluded": ["Z"]}, "'Z' is no cell of this board"),
    ],
)
def test_a_reading_that_is_none_is_refused(reading: object, said: str) -> None:
    with pytest.raises(BadInputError, match=said):
        square_reading_from_json(reading, BOARD, SETS)
