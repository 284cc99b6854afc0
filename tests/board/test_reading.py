"""Readings as JSON, and back; how a reading differs from what should lie there."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.board import (
    BARE,
    EDGE_PAIRS,
    LEAST_ANEW,
    BadInputError,
    CellChange,
    CellReading,
    Color,
    Contents,
    HexBoard,
    LaidSection,
    Merchants,
    Mountain,
    Reading,
    Road,
    Section,
    Settlement,
    SettlementType,
    Snow,
    SquareBoard,
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
        ({"cells": {"Z9": {}}}, "'Z9' is not a cell"),
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
        (a_cell(confidence=1.5), "confidence is 1.5; it should be a number from 0 to 1"),
        (a_cell(alternatives={}), "alternatives"),
        (a_cell(shares=[0.5]), "G7: shares is [0.5]; it should be a list, with a number for each alternative"),
        (a_cell(shares={}), "shares is {}"),
        (a_cell(unseen=-1), "G7: unseen is -1; it should be a number from 0 to 1"),
        (a_cell(anew=[1]), "G7, anew is [1]"),
        (a_cell(anew={"red": []}), "G7, anew: red is []; it should be a list of how likely each number looks"),
        (a_cell(anew={"red": [2]}), "G7, anew: a share is 2; it should be a number from 0 to 1"),
        (a_cell(further={}), "G7: further is {}; it should be a list of answers, each with its share"),
        (a_cell(further=[{"tile": None, "merchants": {}}]), "G7, further: share is None"),
        (a_cell(alternatives=[{"tile": None, "merchants": {}}], shares=[2]), "G7: a share is 2"),
        ({"cells": {}, "tracks": {"red": 11}}, "track red is 11; it should be a whole number from 0 to 10"),
        ({"cells": {}, "occluded": ["A8"]}, "'A8'"),
        ({"cells": {}, "occluded": "A1"}, "occluded is 'A1'"),
        ({"cells": {}, "unclear": "A1"}, "unclear is 'A1'; it should be a list"),
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


def test_there_is_no_difference_where_everything_lies_as_it_should() -> None:
    assert not difference(Reading(BOARD, {G7: CellReading(CITY)}), {G7: CITY})


def test_difference_does_not_speak_for_cells_that_the_reading_abstains_from() -> None:
    reading = Reading(BOARD, {}, occluded=frozenset([G7]), unclear=frozenset([F5]))
    change = difference(reading, {G7: CITY, F5: CITY})
    assert not change
    assert (change.occluded, change.unclear) == (frozenset([G7]), frozenset([F5]))


# Squares.

SQUARES = SquareBoard(6)
THREE = Section("green-3", number=4, rays=(0, 3))
CROSS = Section("green-1", rays=(0, 2, 4, 6))
STRAIGHT = Section("brown-1", rays=(0, 4))
SHOWN = {"id": "green-3", "number": 4, "horse": False, "rays": [0, 3], "dead_end": False}
READING = Reading(
    SQUARES,
    {
        SQUARES.cell("A1"): CellReading(Contents(Snow())),
        SQUARES.cell("C3"): CellReading(Contents(Mountain()), confidence=0.9),
        SQUARES.cell("C4"): CellReading(
            Contents(LaidSection(THREE, "green", 3)), confidence=0.5, alternatives=(Contents(Mountain()), Contents())
        ),
        SQUARES.cell("F6"): CellReading(),
    },
    occluded=frozenset({SQUARES.cell("B2")}),
    unclear=frozenset({SQUARES.cell("C4")}),
)


def test_a_reading_of_squares_comes_back_from_its_json() -> None:
    written = json.loads(json.dumps(reading_to_json(READING)))
    assert reading_from_json(written, SQUARES) == READING
    assert written["tracks"] == {}


def test_answers_hardly_worth_showing_and_what_was_only_told_come_back_from_json() -> None:
    cell, snow = SQUARES.cell("C4"), Contents(Snow())
    read = CellReading(BARE, alternatives=(snow,), shares=(0.5,), further=((Contents(Mountain()), 0.25),), is_told=True)
    looks = {Color.BLACK: (0.0025, 0.5, 1.0), Color.RED: (1.0,)}
    read = replace(read, since=Contents(None, Merchants(black=2)), unseen=0.25, anew=looks)
    reading = Reading(SQUARES, {cell: read}, unclear=frozenset({cell}))
    assert reading_from_json(json.loads(json.dumps(reading_to_json(reading))), SQUARES) == reading


def test_cells_that_read_alike_are_one_in_a_set_however_many_merchants_look_to_be_there() -> None:
    read = CellReading(CITY, since=CITY, anew={Color.RED: (0.5, 1.0)})
    assert {read, replace(read, anew={Color.RED: (0.5, 1.0)})} == {read}
    assert len({read, replace(read, anew={Color.RED: (1.0,)})}) == 2


NUMBERS = st.builds(Merchants, *[st.integers(0, 4)] * 4)


@given(NUMBERS, NUMBERS, NUMBERS, st.lists(NUMBERS, max_size=4))
def test_what_came_is_the_same_whatever_it_is_counted_on_from(
    since: Merchants, now: Merchants, other: Merchants, more: list[Merchants]
) -> None:
    """Counting on from another number and back changes nothing, as long as no number would fall below zero."""
    town = Settlement(SettlementType.TOWN)
    answers = [Contents(town, since + each) for each in (now, *more)]
    read = CellReading(answers[0], alternatives=tuple(answers), since=Contents(town, since))
    moved = read.counted_on_from(Contents(town, other))
    assert moved.alternatives == tuple(Contents(town, other + each) for each in (now, *more))
    assert moved.counted_on_from(Contents(town, since)) == read


def test_answers_of_another_tile_stay_as_they_were_and_no_number_falls_below_zero() -> None:
    town, city = (Settlement(kind) for kind in (SettlementType.TOWN, SettlementType.CITY))
    since, one = Contents(town, Merchants(black=3)), Contents(town, Merchants(black=1))
    other = Contents(city, Merchants(black=1))
    read = CellReading(one, alternatives=(one, other), further=((since, 0.1),), since=since)
    moved = read.counted_on_from(one)
    assert moved.alternatives == (Contents(town), other)
    assert moved.further == ((one, 0.1),)
    assert read.counted_on_from(Contents(city)) is read
    assert CellReading(one).counted_on_from(since) == CellReading(one)


LOOKS = st.lists(st.floats(LEAST_ANEW, 1), min_size=1, max_size=7).map(tuple)


@given(NUMBERS, NUMBERS, LOOKS, st.lists(st.floats(0.01, 1), min_size=5, max_size=5))
def test_counted_on_from_another_number_answers_are_as_likely_as_they_look(
    since: Merchants, other: Merchants, looks: tuple[float, ...], weights: list[float]
) -> None:
    """The same changes are as likely as before, times how much likelier the new number looks than the old one."""
    town = Settlement(SettlementType.TOWN)
    shares = tuple(weight / sum(weights) for weight in weights)

    def from_number(held: int, change: int) -> Contents:
        return Contents(town, Merchants(black=held + change))

    def looking(contents: Contents) -> float:
        number = contents.merchants.black
        return looks[number] if number < len(looks) else LEAST_ANEW

    answers = tuple(from_number(since.black, change) for change in range(5))
    read = CellReading(
        answers[0], alternatives=answers, shares=shares, since=Contents(town, since), anew={Color.BLACK: looks}
    )
    moved = read.counted_on_from(Contents(town, replace(since, black=other.black)))
    now = dict(zip(moved.alternatives, moved.shares, strict=True))
    expected = {
        from_number(other.black, change): share * looking(from_number(other.black, change)) / looking(answers[change])
        for change, share in enumerate(shares)
    }
    if since.black == other.black:
        assert moved is read
        return
    assert now.keys() == expected.keys()
    whole = sum(expected.values())
    assert now == pytest.approx({contents: share / whole for contents, share in expected.items()})
    assert list(moved.shares) == sorted(moved.shares, reverse=True)


@pytest.mark.parametrize(("three", "is_clear"), [(1.0, True), (0.1, False)])
def test_what_was_clear_stays_so_only_if_it_looks_like_the_other_number_too(three: float, is_clear: bool) -> None:
    """Two were there and one came; if it had been three, it would be four now, or none came."""
    town = Settlement(SettlementType.TOWN)
    two, now, four = (Contents(town, Merchants(black=number)) for number in (2, 3, 4))
    looks = {Color.BLACK: (0.01, 0.01, 1.0, 1.0, three)}
    read = CellReading(now, confidence=0.96, further=((two, 0.04),), since=two, anew=looks)
    moved = read.counted_on_from(now)
    assert moved.contents == four
    assert (moved.alternatives == ()) == is_clear
    answers = dict([*zip(moved.alternatives, moved.shares, strict=True), *moved.further])
    assert answers.get(four, moved.confidence) == pytest.approx(0.96 if is_clear else 0.096 / 0.136)
    assert answers[now] == pytest.approx(0.04 if is_clear else 0.04 / 0.136)


def test_what_is_hidden_or_unclear_is_not_spoken_for() -> None:
    assert {str(cell) for cell in READING.abstained} == {"B2", "C4"}
    assert READING.contents(SQUARES.cell("A1")).tile == Snow()
    assert READING.contents(SQUARES.cell("B2")).tile is None


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
def test_what_is_no_tile_is_refused_with_its_cell(tile: object, said: str) -> None:
    with pytest.raises(BadInputError, match=f"cell C4.*{said}"):
        reading_from_json({"cells": {"C4": {"tile": tile}}}, SQUARES)
