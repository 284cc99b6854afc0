"""Every code and every event has its sentence, and the sentence names its cells."""

import json
import re
import string
from pathlib import Path

import pytest

from companion.board import CellChange, Change, Color, Contents, HexBoard, HexCell, Road, SettlementType, Terrain
from companion.events import CommandRefused, Marker, MarkersDiffer, MoveRefused, Outlook, Standing
from companion.games import rule_set
from companion.games.contract import Ground, Player, Position, Reason
from companion.games.la_strada import LaStradaPosition, account
from companion.wording import EVENTS, REASONS, Voice

BOARD = HexBoard(6)
G7, G8 = BOARD.cell("G7"), BOARD.cell("G8")
PLAYERS = (Player("Ada", Color.BLACK), Player("Bo {1}", Color.RED))
NUMBERS = {"cost": 9, "held": 6, "needed": 3, "left": 1, "city": 3, "town": 5, "village": 6, "hamlet": 5}
SUPPLY = {"plain_needed": 3, "plain_left": 2}
WITHOUT_CELLS = {"game-over", "not-your-turn"}


def position() -> Position:
    terrain = dict.fromkeys(BOARD.cells, Terrain.PLAIN)
    return rule_set("standard").start(Ground(BOARD, terrain, {G8: SettlementType.CITY}), PLAYERS, {})


def reason(code: str, *cells: HexCell) -> Reason:
    return Reason(code, cells, {**NUMBERS, **SUPPLY}, Color.RED)


@pytest.mark.parametrize("code", sorted(REASONS))
def test_every_reason_names_its_cells(code: str) -> None:
    (sentence,) = Voice(PLAYERS).reasons([reason(code, G7, G8)])
    assert sentence.startswith("G7, G8: ") or code in WITHOUT_CELLS
    assert "{" not in sentence.replace("Bo {1}", "")


@pytest.mark.parametrize("code", sorted(REASONS))
def test_a_reason_without_cells_has_a_sentence_all_the_same(code: str) -> None:
    assert all(not sentence.startswith(":") for sentence in Voice(PLAYERS).reasons([reason(code)]))


def test_no_code_of_the_record_and_table_formats_lacks_a_sentence(records: Path, tables: Path) -> None:
    la_strada, _, _ = (records / "FORMAT.md").read_text().partition("## Silk Road")
    rows = [row.split("|")[1] for row in la_strada.splitlines() if row.startswith("| `")]
    codes = {code for row in rows for code in re.findall(r"`([a-z-]+)`", row)}
    at_the_table = (tables / "FORMAT.md").read_text().partition("Some codes exist only at the table")[2]
    codes |= set(re.findall(r"`((?:tile|settlement|workshop|merchant|deal)-[a-z]+)`", at_the_table))
    assert len(codes) >= 30
    assert codes == set(REASONS)


def test_every_violation_in_the_records_has_a_sentence(records: Path) -> None:
    said = set()
    for path in records.glob("la-strada-*.expected.json"):
        for verdict in json.loads(path.read_text())["verdicts"]:
            said.update(verdict["violations"])
    assert said <= set(REASONS)


def test_a_wrong_tile_is_named_with_what_it_lies_on() -> None:
    forest, hill = (Contents(Road(Color.BLACK, terrain, (0, 3))) for terrain in (Terrain.FOREST, Terrain.HILL))
    change = Change({G7: CellChange(Contents(), forest), G8: CellChange(Contents(), hill)})
    refused = MoveRefused(Color.BLACK, (reason("tile-terrain", G7, G8),), change, position())
    assert Voice(PLAYERS).sentences(refused) == (
        "Ada: that is not allowed",
        "G7: a forest tile lies on plain",
        "G8: a hill tile lies on plain",
    )


def test_days_say_what_it_costs_and_what_is_left() -> None:
    assert Voice(PLAYERS).reasons([reason("days", G7)]) == ("G7: this costs 9 days, 6 left",)


def test_a_supply_says_which_tiles_and_how_many() -> None:
    assert Voice(PLAYERS).reasons([reason("tile-supply", G7)]) == (
        "G7: there are not enough tiles left (plain: 3 needed, 2 left)",
    )


def test_markers_say_where_they_stand_and_where_they_should() -> None:
    wrong = MarkersDiffer({Color.BLACK: Marker(8, 0), Color.RED: Marker(None, 2)})
    assert Voice(PLAYERS).sentences(wrong) == (
        "Ada's marker stands on 8 and should stand on 0",
        "Bo {1}'s marker is not on its track and should stand on 2",
    )


def test_every_refused_command_says_why() -> None:
    codes = re.findall(r"`([a-z-]+)`", CommandRefused.__doc__ or "")
    assert len(codes) == 8
    for code in set(codes) - {"code"}:
        assert Voice(PLAYERS).sentences(CommandRefused(code, (G7,)))[0]


@pytest.mark.parametrize("outlook", Outlook)
def test_every_outlook_has_words_or_is_silent(outlook: Outlook) -> None:
    said = Voice(PLAYERS).standing(Standing(outlook, Color.BLACK, (reason("dead-end", G7),), (G7,)))
    assert bool(said) is (outlook not in (Outlook.UNCHANGED, Outlook.LEGAL, Outlook.HIDDEN, Outlook.OVER))


def test_the_account_goes_settlement_by_settlement() -> None:
    counted = position()
    assert isinstance(counted, LaStradaPosition)
    assert Voice(PLAYERS).account(account(counted)) == ("Ada: 0 gold, 0 days left", "Bo {1}: 0 gold, 0 days left")


def test_placeholders_are_plain_names_for_translators() -> None:
    for message in (*REASONS.values(), *EVENTS.values()):
        fields = [name for _, name, _, _ in string.Formatter().parse(message) if name is not None]
        assert all(name.isidentifier() for name in fields)


def test_a_colour_that_nobody_plays_is_called_by_itself() -> None:
    assert Voice(PLAYERS).name(Color.GREY) == "grey"
