import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.board import (
    BARE,
    EDGE_PAIRS,
    BadInputError,
    CellChange,
    CellReading,
    Color,
    Contents,
    HexBoard,
    Merchants,
    Reading,
    Road,
    Settlement,
    SettlementType,
    Terrain,
    Workshop,
    difference,
    reading_from_json,
    reading_to_json,
)

BOARD = HexBoard(6)
colors = st.sampled_from(Color)
tiles = st.one_of(
    st.none(),
    st.builds(Settlement, st.sampled_from(SettlementType)),
    st.builds(Workshop, colors),
    st.builds(Road, colors, st.sampled_from(Terrain), st.sampled_from(EDGE_PAIRS)),
)
counts = st.integers(0, 6)
contents = st.builds(Contents, tiles, st.builds(Merchants, counts, counts, counts, counts))
cell_readings = st.builds(
    CellReading,
    contents,
    st.none() | st.sampled_from(Terrain),
    st.none() | st.booleans(),
    st.integers(0, 10000).map(lambda n: n / 10000),
    st.lists(contents, max_size=2).map(tuple),
)
some_cells = st.frozensets(st.sampled_from(BOARD.cells), max_size=5)
readings = st.builds(
    Reading,
    st.just(BOARD),
    st.dictionaries(st.sampled_from(BOARD.cells), cell_readings, max_size=8),
    st.fixed_dictionaries({color: st.none() | st.integers(0, 10) for color in Color}),
    some_cells,
    st.frozensets(colors),
    some_cells,
    st.frozensets(colors),
)


@pytest.mark.long
@given(readings)
def test_a_reading_survives_its_json(reading: Reading) -> None:
    assert reading_from_json(json.loads(json.dumps(reading_to_json(reading))), BOARD) == reading


@pytest.mark.long
def test_the_truths_of_all_tables_survive_reading_and_writing(tables: Path) -> None:
    for path in sorted(tables.glob("*/games/*/0*.json")):
        truth = json.loads(path.read_text())
        written = reading_to_json(reading_from_json(truth, BOARD))
        assert written["tracks"] == truth["tracks"]
        for name, cell in truth["cells"].items():
            assert {key: written["cells"][name][key] for key in cell} == cell, path


def a_cell(**changed: Any) -> dict[str, Any]:
    return {"cells": {"G7": {"terrain": "plain", "site": False, "tile": None, "merchants": {}, **changed}}}


ROAD = {"kind": "road", "color": "red", "terrain": "plain", "shape": "bend", "edges": [0, 2]}


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ([], "a reading is"),
        ({}, "cells is None"),
        ({"cells": {"Z9": {}}}, "'Z9' is no cell"),
        (a_cell(terrain="swamp"), "G7: 'swamp' should be one of plain, forest, hill"),
        (a_cell(site="yes"), "G7: site is 'yes'"),
        (a_cell(tile={"kind": "castle"}), "'castle'"),
        (a_cell(tile={"kind": "settlement", "type": "farm"}), "city, town, village, hamlet"),
        (a_cell(tile={**ROAD, "edges": [0, 1]}), "cannot join"),
        (a_cell(tile={**ROAD, "edges": [0, 3]}), "those of a straight"),
        (a_cell(tile={**ROAD, "edges": "02"}), "two edge numbers"),
        (a_cell(tile={**ROAD, "color": "blue"}), "'blue'"),
        (a_cell(merchants={"red": -1}), "red merchants is -1"),
        (a_cell(merchants={"red": True}), "red merchants is True"),
        (a_cell(confidence=1.5), "confidence is 1.5"),
        (a_cell(alternatives={}), "alternatives"),
        (a_cell(shares=[0.5]), "G7: shares is [0.5]; it should be a list, with a number for each alternative"),
        (a_cell(shares={}), "shares is {}"),
        (a_cell(alternatives=[{"tile": None, "merchants": {}}], shares=[2]), "G7: a share is 2"),
        ({"cells": {}, "tracks": {"red": 11}}, "track red is 11; it should be a whole number from 0 to 10"),
        ({"cells": {}, "occluded": ["A8"]}, "'A8'"),
        ({"cells": {}, "occluded": "A1"}, "occluded is 'A1'"),
    ],
)
def test_a_malformed_reading_is_refused_by_name_and_value(value: object, complaint: str) -> None:
    with pytest.raises(BadInputError) as error:
        reading_from_json(value, BOARD)
    assert complaint in str(error.value)


CITY = Contents(Settlement(SettlementType.CITY))
G7, F5 = BOARD.cell("G7"), BOARD.cell("F5")


def test_difference_names_each_cell_that_differs() -> None:
    now = Contents(CITY.tile, Merchants(red=1))
    reading = Reading(BOARD, {G7: CellReading(now), F5: CellReading(BARE)})
    change = difference(reading, {G7: CITY})
    assert change.cells == {G7: CellChange(CITY, now)}
    assert change.cells[G7].merchants == Merchants(red=1)


def test_difference_of_a_table_that_lies_right_is_nothing() -> None:
    assert not difference(Reading(BOARD, {G7: CellReading(CITY)}), {G7: CITY})


def test_difference_does_not_speak_for_cells_that_the_reading_abstains_from() -> None:
    reading = Reading(BOARD, {}, occluded=frozenset([G7]), unclear=frozenset([F5]))
    change = difference(reading, {G7: CITY, F5: CITY})
    assert not change
    assert (change.occluded, change.unclear) == (frozenset([G7]), frozenset([F5]))
