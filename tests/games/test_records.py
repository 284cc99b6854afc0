"""Game records: every one in the shared folder, laws that hold for all, and malformed ones."""

import json
import random
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.board import EDGE_PAIRS, BadInputError, HexBoard, Shape
from companion.records.record import referee
from tests.games.editing import Json, change, without
from tests.tries import tries


def judged(record: Json) -> Json:
    return referee(json.dumps(record))


RECORDS = [f"la-strada-{rules}-{n}" for rules in ("standard", "two-player", "danger") for n in range(1, 7)]
RECORDS_OF_BOTH_GAMES = [*RECORDS, *(f"silk-road-{number}" for number in range(1, 7))]


@pytest.mark.parametrize("name", RECORDS_OF_BOTH_GAMES)
def test_a_shared_record_is_judged_as_expected(records: Path, name: str) -> None:
    path = records / f"{name}.json"
    assert referee(path.read_text()) == json.loads(path.with_suffix(".expected.json").read_text())


def turned(record: Json, sixths: int) -> Json:
    """The record with its board turned by so many sixths of a circle."""
    board = HexBoard(record["board"]["rings"])

    def cell(name: str) -> str:
        return str(board.cell(name).turned(sixths))

    def tile(laid: Json) -> Json:
        return {**laid, "edges": sorted((edge + sixths) % 6 for edge in laid["edges"])}

    def move(tried: Json) -> Json:
        tried = dict(tried)
        if "workshop" in tried:
            tried["workshop"] = cell(tried["workshop"])
        else:
            tiles, merchants = tried["turn"]["tiles"], tried["turn"]["merchants"]
            tried["turn"] = {
                "tiles": {cell(name): tile(laid) for name, laid in tiles.items()},
                "merchants": {cell(name): change for name, change in merchants.items()},
            }
        return tried

    terrain = {cell(name): kind for name, kind in record["board"]["terrain"].items()}
    settlements = {cell(name): kind for name, kind in record["board"]["settlements"].items()}
    return {
        **record,
        "board": {**record["board"], "terrain": terrain, "settlements": settlements},
        "moves": [move(tried) for tried in record["moves"]],
    }


def shuffled(record: Json, seed: int) -> Json:
    """The record with the cells of its board and of its turns listed in another order."""
    order = random.Random(seed)

    def mixed(listed: Json) -> Json:
        items = list(listed.items())
        order.shuffle(items)
        return dict(items)

    record = deepcopy(record)
    record["board"] |= {name: mixed(record["board"][name]) for name in ("terrain", "settlements")}
    for tried in record["moves"]:
        if "turn" in tried:
            tried["turn"] = mixed({name: mixed(listed) for name, listed in tried["turn"].items()})
    return record


@pytest.mark.parametrize("name", RECORDS)
def test_turning_the_board_or_changing_the_order_changes_no_verdict(records: Path, name: str) -> None:
    record = json.loads((records / f"{name}.json").read_text())
    expected = judged(record)
    number = int(name[-1])
    assert judged(turned(record, number)) == expected
    assert judged(shuffled(record, number)) == expected


NAMES = [str(cell) for cell in HexBoard(2).cells]
TILES = st.builds(
    lambda color, terrain, pair: {
        "color": color,
        "terrain": terrain,
        "shape": Shape.STRAIGHT.value if pair[1] - pair[0] == 3 else Shape.BEND.value,
        "edges": list(pair),
    },
    st.sampled_from(["black", "black", "black", "red"]),
    st.sampled_from(["plain", "plain", "plain", "hill"]),
    st.sampled_from(EDGE_PAIRS),
)
CUBES = st.dictionaries(st.sampled_from(["black", "black", "red"]), st.integers(-2, 2), max_size=2)
TURNS = st.builds(
    lambda tiles, merchants: {"player": "black", "turn": {"tiles": tiles, "merchants": merchants}, "accepted": True},
    st.dictionaries(st.sampled_from(NAMES), TILES, max_size=6),
    st.dictionaries(st.sampled_from(NAMES), CUBES, max_size=4),
)


SAVED = {"player": "red", "turn": {"tiles": {}, "merchants": {}}}
RULES = st.sampled_from(["standard", "two-player", "danger"])


def small(*moves: Json, rules: str = "standard") -> Json:
    """A record on a board of 19 cells: black's workshop on A1, red's on E3; for two players, the others on C2 and D4.

    Black's turn is next. In the games for two, Red, who begins, has saved their days.
    """
    seconds = [{"player": "black", "workshop": "C2"}, {"player": "red", "workshop": "D4"}, SAVED]
    return {
        "format": "strada-record/1",
        "game": "la-strada",
        "rules": rules,
        "board": {
            "rings": 2,
            "terrain": dict.fromkeys(NAMES, "plain"),
            "settlements": {"A3": "city", "C1": "town", "C3": "village", "E1": "hamlet"},
        },
        "players": [{"name": "Ada", "color": "black"}, {"name": "Bo", "color": "red"}],
        "moves": [
            {"player": "black", "workshop": "A1"},
            {"player": "red", "workshop": "E3"},
            *(seconds if rules != "standard" else []),
            *moves,
        ],
    }


@pytest.mark.long
@settings(max_examples=tries(150))
@given(RULES, TURNS, st.integers(1, 5), st.integers())
def test_any_turn_is_judged_alike_on_a_turned_board_and_in_any_order(
    rules: str, tried: Json, sixths: int, seed: int
) -> None:
    record = small(tried, SAVED, tried, rules=rules)
    expected = judged(record)
    assert judged(turned(record, sixths)) == expected
    assert judged(shuffled(record, seed)) == expected
    for verdict in expected["verdicts"]:
        assert verdict["legal"] is not bool(verdict["violations"])


@settings(max_examples=tries(100))
@given(RULES, TURNS)
def test_an_illegal_turn_changes_nothing_and_the_same_player_moves_again(rules: str, tried: Json) -> None:
    refused = judged(small({**tried, "accepted": False}, rules=rules))
    before = judged(small(rules=rules))
    if not refused["verdicts"][-1]["legal"]:
        assert {**refused, "verdicts": refused["verdicts"][:-1]} == before


LEGAL_TURN = {
    "player": "black",
    "turn": {
        "tiles": {"A2": {"color": "black", "terrain": "plain", "shape": "straight", "edges": [0, 3]}},
        "merchants": {"A3": {"black": 1}},
    },
}
TILE = ("moves", 2, "turn", "tiles", "A2")


@pytest.mark.parametrize(
    ("edit", "complaint"),
    [
        (change("format", to="strada-record/2"), "format is 'strada-record/2'; this version reads strada-record/1"),
        (without("format"), "format is None"),
        (change("game", to="chess"), "game is 'chess'; this version referees la-strada, silk-road"),
        (change("rules", to="silk-road"), "rules 'silk-road' are not known; this version referees standard"),
        (change("author", to="Ada"), "the record has an unknown field 'author'"),
        (without("players"), "the record lacks the field 'players'"),
        (change("options", to={"ends": "now"}), "option 'ends' is unknown"),
        (change("options", to={"end": "later"}), "option end is 'later'"),
        (change("options", to={"first_days": {"black": -1}}), "option first_days, black is -1"),
        (change("options", to=[]), "options is"),
        (change("board", "rings", to=True), "rings is True"),
        (change("board", "rings", to=3), "terrain lacks the cell"),
        (without("board", "terrain", "C2"), "terrain lacks the cell C2"),
        (change("board", "terrain", "Z9", to="plain"), "'Z9' is not a cell of this board"),
        (change("board", "terrain", "C2", to="lake"), "terrain of C2: 'lake' should be one of plain, forest, hill"),
        (change("board", "settlements", "C2", to="farm"), "settlement C2: 'farm'"),
        (change("board", "sites", to=[]), "board has an unknown field 'sites'"),
        (change("players", 0, "color", to="blue"), "player 1: 'blue'"),
        (change("players", 0, "color", to="red"), "each player should have their own"),
        (change("players", 0, "name", to=7), "player 1: name is 7"),
        (change("players", to=[]), "0 players"),
        (change("moves", to={}), "moves is"),
        (change("moves", 2, to="pass"), "move 3 is 'pass'"),
        (change("moves", 2, "player", to="grey"), "move 3: player grey does not sit at this table"),
        (change("moves", 2, "note", to=""), "move 3 has an unknown field 'note'"),
        (change("moves", 2, "accepted", to="yes"), "move 3: accepted is 'yes'"),
        (change("moves", 2, "workshop", to="B1"), "move 3 should have either a workshop or a turn"),
        (without("moves", 2, "turn"), "move 3 should have either a workshop or a turn"),
        (without("moves", 2, "turn", "merchants"), "move 3, turn lacks the field 'merchants'"),
        (change("moves", 0, "workshop", to="A9"), "'A9' is not a cell"),
        (change("moves", 0, "workshop", to=5), "5 is not a cell"),
        (change(*TILE, "edges", to=[0, 1]), "move 3, tile on A2: a road tile cannot join the edges"),
        (change(*TILE, "edges", to=[3, 0]), "move 3, tile on A2: a road tile cannot join the edges"),
        (change(*TILE, "edges", to=[0, 2]), "move 3, tile on A2: the edges"),
        (change(*TILE, "edges", to=[0]), "move 3, tile on A2: edges is"),
        (change(*TILE, "owner", to="red"), "move 3, tile on A2 has an unknown field 'owner'"),
        (without(*TILE, "color"), "move 3, tile on A2 lacks the field 'color'"),
        (change("moves", 2, "turn", "tiles", "A\n9", to={}), r"'A\\n9' is not a cell"),
        (change("moves", 2, "turn", "merchants", "A3", to={"black": 1.5}), "move 3, merchants on A3, black is 1.5"),
        (change("moves", 2, "turn", "merchants", "A3", to={"blue": 1}), "move 3, merchants on A3: 'blue'"),
        (change("moves", 2, "turn", "merchants", "A3", to=1), "move 3, merchants on A3 is 1"),
    ],
)
def test_a_malformed_record_is_one_line_that_names_the_place(edit: Callable[[Json], None], complaint: str) -> None:
    record = deepcopy(small(LEGAL_TURN))
    edit(record)
    with pytest.raises(BadInputError, match=complaint) as error:
        judged(record)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "this is not JSON"),
        ("{", "this is not JSON"),
        ("[" * 100_000, "this is not JSON"),
        ("9" * 10_000, "this is not JSON"),
        ("[]", "the record is"),
        ('{"format": "strada-record/1", "format": "strada-record/1"}', "'format' is given twice"),
    ],
    ids=["empty", "broken", "too deep", "too long a number", "a list", "a field twice"],
)
def test_a_text_that_is_no_record_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(BadInputError, match=complaint):
        referee(text)
