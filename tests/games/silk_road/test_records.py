"""Game records of Silk Road: the shared ones, laws that hold for all, malformed ones, and writing them."""

import json
import random
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.board import BadInputError, SquareBoard
from companion.records.record import record_to_text
from companion.records.silk_road import read, record_to_json
from tests.games.editing import Json, change, without
from tests.games.silk_road.random_records import random_silk_road
from tests.games.test_records import judged

BOARD = SquareBoard()
random_records = st.integers(0, 10**6).map(lambda seed: random_silk_road(seed)[0])


# Changes that affect neither verdicts nor wealth.


def mapped(record: Json, cell: Callable[[str], str], turn: Callable[[int], int]) -> Json:
    """The record with its squares and turns changed."""
    board = {"snow": cell(record["board"]["snow"]), "mountains": [cell(name) for name in record["board"]["mountains"]]}
    moves = [
        {**move, "cell": cell(move["cell"]), "turn": turn(move["turn"])} if "cell" in move else move
        for move in record["moves"]
    ]
    return {**record, "board": board, "moves": moves}


def with_rays(record: Json, ray: Callable[[int], int]) -> Json:
    """The record with other rays on its sections."""
    return {
        **record,
        "sections": {
            color: [{**section, "rays": [ray(each) for each in section["rays"]]} for section in given]
            for color, given in record["sections"].items()
        },
    }


def turned_cell(quarters: int) -> Callable[[str], str]:
    return lambda name: str(BOARD.cell(name).turned(quarters))


@pytest.mark.long
@given(random_records, st.integers(1, 3))
def test_turning_the_whole_board_changes_no_verdict_and_no_wealth(record: Json, quarters: int) -> None:
    turned = mapped(record, turned_cell(quarters), lambda turn: (turn + quarters) % 4)
    assert judged(turned) == judged(record)


@pytest.mark.long
@given(random_records, st.integers(1, 3))
def test_nor_does_printing_the_rays_turned_instead_of_turning_the_sections(record: Json, quarters: int) -> None:
    turned = with_rays(mapped(record, turned_cell(quarters), lambda turn: turn), lambda ray: (ray + 2 * quarters) % 8)
    assert judged(turned) == judged(record)


@given(random_records)
def test_nor_does_looking_at_the_board_in_a_mirror(record: Json) -> None:
    def mirrored(name: str) -> str:
        return name[0] + str(7 - int(name[1:]))

    seen = with_rays(mapped(record, mirrored, lambda turn: -turn % 4), lambda ray: (4 - ray) % 8)
    assert judged(seen) == judged(record)


@given(random_records)
def test_names_ids_and_colours_are_only_names(record: Json) -> None:
    hidden = {color: f"colour {number}" for number, color in enumerate(record["sections"])}
    ids = [section["id"] for given in record["sections"].values() for section in given]
    other = {name: f"#{number}" for number, name in enumerate(ids)}
    renamed = {
        **record,
        "players": [{"name": "Ada", "color": hidden[player["color"]]} for player in record["players"]],
        "sections": {
            hidden[color]: [{**section, "id": other[section["id"]]} for section in given]
            for color, given in record["sections"].items()
        },
        "moves": [
            {
                **move,
                "player": hidden[move["player"]],
                **({"section": other[move["section"]]} if "section" in move else {}),
            }
            for move in record["moves"]
        ],
    }
    expected = judged(record)
    if not expected["setup"]:
        expected["next"] = expected["next"] and hidden[expected["next"]]
        expected["wealth"] = {hidden[color]: wealth for color, wealth in expected["wealth"].items()}
        expected["winners"] = [hidden[color] for color in expected["winners"]]
    assert judged(renamed) == expected


@pytest.mark.long
@given(random_records, st.integers())
def test_the_order_of_mountains_sections_and_rays_means_nothing(record: Json, seed: int) -> None:
    order, other = random.Random(seed), deepcopy(record)
    order.shuffle(other["board"]["mountains"])
    for given_sections in other["sections"].values():
        order.shuffle(given_sections)
        for section in given_sections:
            order.shuffle(section["rays"])
    other["sections"] = dict(reversed(other["sections"].items()))
    assert judged(other) == judged(record)


@pytest.mark.long
@given(random_records)
def test_illegal_moves_leave_no_trace(record: Json) -> None:
    expected = judged(record)
    verdicts = expected["verdicts"]
    legal_moves = [move for move, verdict in zip(record["moves"], verdicts, strict=True) if verdict["legal"]]
    legal = [verdict for verdict in verdicts if verdict["legal"]]
    assert judged({**record, "moves": legal_moves}) == {**expected, "verdicts": legal}


@pytest.mark.long
@given(random_records)
def test_the_rules_only_decide_who_wins(record: Json) -> None:
    competitive, cooperative = (judged({**record, "rules": rules}) for rules in ("competitive", "cooperative"))
    assert not cooperative.pop("winners", [])
    winners = competitive.pop("winners", [])
    assert competitive == cooperative
    assert bool(winners) == (competitive.get("over", False))


# Writing.


@pytest.mark.parametrize("number", range(1, 7))
def test_a_shared_record_is_written_as_it_was_read(records: Path, number: int) -> None:
    record = json.loads((records / f"silk-road-{number}.json").read_text())
    assert record_to_json(read(record)) == record


@given(random_records)
def test_what_is_written_reads_back_as_the_same_game(record: Json) -> None:
    held = read(record)
    written = record_to_text(held)
    assert json.loads(written) == record
    assert read(json.loads(written)) == held


# Malformed ones.


def small() -> Json:
    section = {"id": "g1", "number": 8, "horse": True, "rays": [0, 4], "dead_end": False}
    return {
        "format": "strada-record/1",
        "game": "silk-road",
        "rules": "competitive",
        "board": {"snow": "A1", "mountains": ["B4", "C2", "D4", "E2"]},
        "players": [{"name": "Ada", "color": "green"}, {"name": "Bo", "color": "brown"}],
        "sections": {"green": [section, {**section, "id": "g2"}], "brown": []},
        "moves": [{"player": "green", "section": "g1", "cell": "B2", "turn": 1}, {"player": "green", "pass": True}],
    }


def test_the_record_that_the_malformed_ones_are_made_from_is_fine() -> None:
    assert [verdict["legal"] for verdict in judged(small())["verdicts"]] == [True, True]


@pytest.mark.parametrize("number", [None, 0])
def test_a_section_without_number_counts_nothing(number: int | None) -> None:
    record = small()
    record["sections"]["green"][0]["number"] = number
    assert judged(record)["wealth"] == {"green": 0, "brown": 0}
    del record["sections"]["green"][0]["number"]
    assert read(record).start.sections["green"][0].number == 0


SECTION = ("sections", "green", 0)


@pytest.mark.parametrize(
    ("edit", "complaint"),
    [
        (change("game", to=["silk-road"]), "game is \\['silk-road'\\]"),
        (change("rules", to="standard"), "rules is 'standard'; Silk Road is played by competitive or cooperative"),
        (change("rules", to=["competitive"]), "rules is \\['competitive'\\]"),
        (without("rules"), "the record lacks the field 'rules'"),
        (change("options", to={}), "the record has an unknown field 'options'"),
        (without("sections"), "the record lacks the field 'sections'"),
        (change("board", "rings", to=6), "board has an unknown field 'rings'; its fields are mountains, snow"),
        (without("board", "snow"), "board lacks the field 'snow'"),
        (change("board", "snow", to="G1"), "'G1' is not a cell of this board; its cells run from A1 to F6"),
        (change("board", "snow", to=1), "1 is not a cell of this board"),
        (change("board", "mountains", to="B4"), "board, mountains is 'B4'; it should be a list"),
        (change("board", "mountains", 0, to="A7"), "'A7' is not a cell of this board"),
        (change("players", to={}), "players is {}; it should be a list"),
        (change("players", to=[]), "0 players: Silk Road is for 1 to 4"),
        (change("players", 0, to="Ada"), "player 1 is 'Ada'; it should be a JSON object"),
        (change("players", 0, "name", to=7), "player 1: name is 7; it should be text"),
        (change("players", 0, "color", to=7), "player 1: color is 7; it should be a colour's name"),
        (change("players", 0, "color", to=" "), "player 1: color is ' '"),
        (change("players", 0, "color", to="a\n"), r"player 1: color is 'a\\n'; it should be a colour's name, of 40"),
        (change("players", 0, "color", to="\ud83c"), "player 1: color is"),
        (change("players", 0, "color", to="g" * 41), "player 1: color is 'ggg"),
        (change("players", 0, "color", to="brown"), "colours are brown, brown; each player should have their own"),
        (change("sections", to=[]), "sections is \\[\\]; it should be a JSON object"),
        (without("sections", "brown"), "sections lacks the field 'brown'"),
        (change("sections", "bl\nue", to=[1]), r"sections has an unknown field 'bl\\nue'; its fields are brown, green"),
        (change("sections", "green", to={}), "sections, green is {}; it should be a list"),
        (change("sections", "green", 1, "id", to="g1"), "sections, green 2: id is 'g1' again; each section should"),
        (change(*SECTION, to=5), "sections, green 1 is 5; it should be a JSON object"),
        (change(*SECTION, "id", to=""), "sections, green 1: id is ''; it should be text, and not blank"),
        (change(*SECTION, "color", to="green"), "sections, green 1 has an unknown field 'color'"),
        (without(*SECTION, "rays"), "sections, green 1 lacks the field 'rays'"),
        (change(*SECTION, "number", to=-2), "sections, green 1: number is -2; it should be a whole number from 0"),
        (change(*SECTION, "number", to=1.5), "sections, green 1: number is 1.5"),
        (change(*SECTION, "number", to=True), "sections, green 1: number is True"),
        (change(*SECTION, "horse", to=1), "sections, green 1: horse is 1; it should be true or false"),
        (change(*SECTION, "dead_end", to=None), "sections, green 1: dead_end is None; it should be true or false"),
        (change(*SECTION, "rays", to=3), "sections, green 1: rays is 3; it should be a list"),
        (change(*SECTION, "rays", to=[8]), "sections, green 1: a ray is 8; it should be a whole number from 0 to 7"),
        (change(*SECTION, "rays", to=["0"]), "sections, green 1: a ray is '0'"),
        (change(*SECTION, "rays", to=[4, 4]), "sections, green 1: rays is \\[4, 4\\]; each ray should be named once"),
        (change("moves", to=None), "moves is None; it should be a list"),
        (change("moves", 0, to="pass"), "move 1 is 'pass'; it should be a JSON object"),
        (change("moves", 0, "player", to="red"), r"player 'red' does not sit at this table \(green, brown do\)"),
        (change("moves", 0, "player", to=["green"]), "move 1: player \\['green'\\] does not sit"),
        (change("moves", 0, "section", to="x"), "move 1: section 'x' is nobody's; it should be the id of one in"),
        (change("moves", 0, "section", to={}), "move 1: section {} is nobody's"),
        (change("moves", 0, "cell", to="B\n2"), r"'B\\n2' is not a cell of this board"),
        (change("moves", 0, "cell", to=[]), r"\[\] is not a cell of this board"),
        (change("moves", 0, "turn", to=4), "move 1, turn is 4; it should be a whole number from 0 to 3"),
        (change("moves", 0, "accepted", to=True), "move 1 has an unknown field 'accepted'"),
        (without("moves", 0, "turn"), "move 1 lacks the field 'turn'"),
        (change("moves", 1, "pass", to=False), "move 2: pass is False; it should be true"),
        (change("moves", 1, "cell", to="B2"), "move 2 has an unknown field 'cell'; its fields are pass, player"),
    ],
)
def test_a_malformed_record_is_one_line_that_names_the_place(edit: Callable[[Json], None], complaint: str) -> None:
    record = small()
    edit(record)
    with pytest.raises(BadInputError, match=complaint) as error:
        judged(record)
    assert "\n" not in str(error.value)


def paths(value: object) -> Iterator[tuple[str | int, ...]]:
    """Every place in a JSON value."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, part in parts:
        yield (step,)
        yield from ((step, *rest) for rest in paths(part))


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.just("\ud83c")
ANYTHING = LEAVES | st.lists(LEAVES, max_size=3) | st.dictionaries(st.text(max_size=3), LEAVES, max_size=3)


@given(st.sampled_from(list(paths(small()))), ANYTHING)
def test_whatever_stands_anywhere_in_a_record_is_judged_or_refused_in_one_line(
    path: tuple[str | int, ...], value: object
) -> None:
    record = small()
    change(*path, to=value)(record)
    try:
        told = json.dumps(judged(record), ensure_ascii=False)
    except BadInputError as error:
        told = str(error)
    assert "\n" not in told
    assert told.encode()
    assert len(told) < 400
