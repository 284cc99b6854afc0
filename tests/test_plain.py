"""Every kind of event and command becomes plain JSON values, and from those an equal one again."""

import gzip
import json
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.board import (
    BadInputError,
    Board,
    Cell,
    CellChange,
    CellReading,
    Change,
    Color,
    HexBoard,
    HexCell,
    LaidSection,
    Merchants,
    PlayerColor,
    Reading,
    Road,
    SquareBoard,
    Terrain,
)
from companion.board.components import EDGE_PAIRS
from companion.board.words import contents_to_words
from companion.commands import Command, StartGame, Undo
from companion.events import Event, GameTakenUp, MoveRefused
from companion.games import RULE_SETS, score
from companion.games.contract import Player, Position, Reason
from companion.games.la_strada import LaStrada
from companion.games.silk_road.position import made_up_sections
from companion.plain import Forms
from companion.records.record import read_record, steps_of
from companion.session import State
from companion.words import Voice
from tests.games.random_records import random_record
from tests.games.silk_road.random_records import random_silk_road
from tests.tries import tries

LA_STRADA = [name for name, rules in RULE_SETS.items() if isinstance(rules, LaStrada)]
SQUARES = SquareBoard(6)
SECTIONS = st.builds(
    LaidSection, st.sampled_from(made_up_sections("green")), st.sampled_from(["green", "brown"]), st.integers(0, 3)
).map(lambda laid: laid.least_turned)


RECORDS = [
    *(random_record(seed, rules) for seed, rules in enumerate(LA_STRADA * 3)),
    *(random_silk_road(seed)[0] for seed in range(9)),
]
POSITIONS = [step.after for record in RECORDS for step in steps_of(read_record(json.dumps(record)))]
WRITTEN = json.loads(gzip.decompress((Path(__file__).parent / "written-before.json.gz").read_bytes()))
COUNTS = st.integers(-9, 9)
WORDS = st.text(max_size=5)
HEX_CELLS = st.sampled_from([*HexBoard(6).cells, *HexBoard(3).cells])
CELLS = HEX_CELLS | st.sampled_from(SQUARES.cells)
COLORS = st.sampled_from([*Color, "green", "brown"])
for kind, strategy in {
    HexBoard: st.builds(HexBoard, st.integers(1, 12)),
    HexCell: HEX_CELLS,
    Cell: CELLS,
    Board: st.builds(HexBoard, st.integers(1, 12)) | st.builds(SquareBoard, st.integers(2, 26)),
    PlayerColor: COLORS,
    LaidSection: SECTIONS,
    Road: st.builds(Road, st.sampled_from(Color), st.sampled_from(Terrain), st.sampled_from(EDGE_PAIRS)),
    Merchants: st.builds(Merchants, COUNTS, COUNTS, COUNTS, COUNTS),
    CellReading: st.builds(CellReading, confidence=st.floats(0, 1)),
    # A turn changes few cells, and all of them are written the same way.
    Change: st.builds(
        Change,
        st.dictionaries(CELLS, st.deferred(lambda: st.from_type(CellChange)), max_size=4),
        occluded=...,
        unclear=...,
    ),
    Position: st.sampled_from(POSITIONS),
    Undo: st.builds(Undo, st.integers(1, 9)),
    StartGame: st.builds(
        StartGame,
        st.lists(st.builds(Player, WORDS, COLORS), unique_by=lambda player: player.color).map(tuple),
        st.sampled_from(list(RULE_SETS)),
        st.sampled_from([{}, {"hints": True}, {"end": "now", "first_days": {"black": 4}}]),
    ),
}.items():
    st.register_type_strategy(kind, strategy)
# NaN equals nothing, not even itself.
st.register_type_strategy(float, st.floats(allow_nan=False, allow_infinity=False))


def index(position: Position) -> int:
    return next(number for number, known in enumerate(POSITIONS) if known is position)


def there_and_back(kind: Any, value: object) -> object:
    forms = Forms(write_position=index, read_position=lambda number: POSITIONS[number])
    return forms.read(kind, json.loads(json.dumps(forms.write(kind, value))))


@pytest.mark.parametrize("is_disturbed", [False, True])
def test_a_refusal_itself_says_whether_earlier_pieces_were_disturbed(is_disturbed: bool) -> None:
    reasons = (Reason("merchant-removed", (HexBoard(6).cell("G7"),)),)
    refused = MoveRefused(Color.RED, reasons, Change({}), POSITIONS[0], is_disturbed=is_disturbed)
    assert there_and_back(Event, refused) == refused


@pytest.mark.parametrize("kind", [*get_args(Event), *get_args(Command)], ids=lambda kind: kind.__name__)
@settings(max_examples=tries(25))
@given(data=st.data())
def test_events_and_commands_come_back(kind: Any, data: st.DataObject) -> None:
    value = data.draw(st.from_type(kind))
    assert there_and_back(Event if kind in get_args(Event) else Command, value) == value
    assert there_and_back(kind, value) == value


@settings(max_examples=tries(25))
@given(reading=st.from_type(Reading))
def test_readings_come_back_to_the_last_digit_of_their_confidence(reading: Reading) -> None:
    assert there_and_back(Reading, reading) == reading


@pytest.mark.long
def test_positions_of_all_rule_sets_come_back_on_their_ground() -> None:
    for position in POSITIONS:
        plain = json.loads(json.dumps([Forms().write_ground(position.ground), Forms().write_position(position)]))
        ground = Forms().read_ground(plain[0])
        again = Forms(ground).read_position(plain[1])
        assert again == position
        assert again.expected() == position.expected()
        assert again.ground is ground


def test_an_event_says_which_it_is_and_leaves_out_what_is_usual() -> None:
    plain = {"is": "CommandRefused", "code": "no-game"}
    event: Event = Forms().read(Event, plain)  # type: ignore[arg-type]
    assert Forms().write(Event, event) == plain


def test_what_an_older_logbook_lost_is_read_as_it_was_said_then() -> None:
    position = POSITIONS[0]
    forms = Forms(position.ground)
    taken_up = GameTakenUp(StartGame(position.players), position)
    plain = {**forms.write(Event, taken_up), "note": "The logbook was gone, so there is a new one."}
    older: Event = forms.read(Event, plain)  # type: ignore[arg-type]
    assert Voice(position.players).sentences(older) == (
        "The game goes on, but not everything was kept: The logbook was gone, so there is a new one",
    )


def test_a_cell_of_a_smaller_board_says_so() -> None:
    cells = frozenset({HexCell(0, 0, 3), HexCell(0, -6)})
    plain = Forms().write(frozenset[HexCell], cells)
    assert plain == ["A1", "D4/3"]
    assert Forms().read(frozenset[HexCell], plain) == cells


@pytest.mark.parametrize(
    ("kind", "plain", "complaint"),
    [
        (Event, {"is": "Earthquake"}, "Earthquake"),
        (Event, {"is": "TurnBegan", "player": 3, "phase": "turn", "days": 6}, "3 is not a player"),
        (Event, {"is": "TurnBegan", "player": "black", "phase": "turn", "days": "6"}, "int"),
        (Event, {"is": "TurnBegan", "player": "black"}, "missing"),
        (Event, {"is": "CellCorrected", "cell": "Z9", "contents": {}}, "Z9"),
        (Event, {"is": "MoveHidden", "player": "black", "cells": "A1"}, "list"),
        (Event, [], "JSON object"),
        (Position, {"game": "la-strada"}, "ground"),
        (Road, None, "tile"),
        (HexCell, "A1/99", "rings"),
        (HexCell, {}, "HexCell"),
    ],
)
def test_what_cannot_be_read_is_bad_input(kind: Any, plain: object, complaint: str) -> None:
    with pytest.raises(BadInputError, match=complaint):
        Forms().read(kind, plain)


@pytest.mark.parametrize("game", WRITTEN)
def test_what_was_written_before_cells_and_colours_had_types_is_read_as_it_was(game: dict[str, Any]) -> None:
    """The file was written by commit 8f7c811: a ground, events, a state and a position for a game of each kind."""
    forms = Forms()
    ground = forms.read_ground(game["ground"])
    forms = Forms(ground)
    position = forms.read_position(game["position"])
    assert {
        "next": None if position.next is None else str(position.next),
        "gold": {str(color): gold for color, gold in score(position).gold.items()},
        "days": {str(color): days for color, days in position.days.items()},
        "lies": {str(cell): contents_to_words(lies) for cell, lies in position.expected().items()},
    } == game["facts"]
    assert forms.read_position(json.loads(json.dumps(forms.write_position(position)))) == position
    for plain in game["events"]:
        event: Event = forms.read(Event, plain)  # type: ignore[arg-type]
        assert type(event).__name__ == plain["is"]
        assert forms.read(Event, json.loads(json.dumps(forms.write(Event, event)))) == event  # type: ignore[arg-type]
    if game["state"] is not None:
        assert forms.read(State, game["state"]).position == position
