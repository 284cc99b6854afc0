"""What is said about Silk Road: every code has its sentence, every road its wealth, in four languages."""

import re
from pathlib import Path

import pytest

from companion.board import Color, HexBoard, Reading, SquareBoard
from companion.drawing.looks import KNOWN
from companion.events import DealRefused
from companion.games.contract import Illegal, Player, Reason
from companion.games.la_strada import STANDARD
from companion.games.silk_road import COMPETITIVE, Pass, Placement, SilkRoadPosition
from companion.words import LANGUAGES, Voice
from companion.words.pieces import NAMES
from companion.words.silk_road import REFUSALS
from tests.games.silk_road.table import after, begin, drawn, ground, hand, place
from tests.games.silk_road.test_wealth import EXAMPLE

BOARD = SquareBoard()
PLAYERS = (Player("Ada {1}", "green"), Player("Bo", "brown"))
CELLS = (BOARD.cell("B2"), BOARD.cell("B3"))


def test_no_code_of_the_record_format_lacks_a_sentence(records: Path) -> None:
    _, _, silk_road = (records / "FORMAT.md").read_text().partition("## Silk Road")
    rows = [row.split("|")[1] for row in silk_road.splitlines() if row.startswith("| `")]
    codes = {code for row in rows for code in re.findall(r"`([a-z-]+)`", row)}
    assert len(codes) == 10
    # Beyond the record's codes: what a table can show and no record can.
    of_tables = {"ground-changed", "section-many", "section-unknown", "tile-changed", "tile-removed"}
    assert codes | of_tables == set(REFUSALS)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("code", sorted(REFUSALS))
def test_every_reason_names_its_squares_or_begins_with_a_capital(code: str, language: str) -> None:
    voice = Voice(PLAYERS, language, "competitive")
    with_cells, without = voice.reasons([Reason(code, CELLS, color="green"), Reason(code, (), color="green")])
    assert re.match(r"B2, B3[ \N{NARROW NO-BREAK SPACE}]?: ", with_cells)
    assert without[0].isupper()
    assert "{" not in (with_cells + without).replace("Ada {1}", "")
    assert not with_cells.endswith(".")


def told(position: SilkRoadPosition, move: Placement | Pass, language: str = "en") -> tuple[str, ...]:
    """Return why that move is not legal."""
    verdict = COMPETITIVE.judge_move(position, move)
    assert isinstance(verdict, Illegal)
    return Voice(PLAYERS, language, "competitive").reasons(verdict.reasons)


def test_refusals_as_they_are_told() -> None:
    position = after(begin({"green": hand("g", 2), "brown": hand("b", 2)}), place("g1", "B2"), Pass("brown"))
    assert told(position, place("b1", "D4", by="green")) == (
        "D4: this square is taken, so choose an open one",
        "D4: no way leads here: it is not next to the snow, and no ray points at it",
        "D4: this road section is Bo’s, so use one of your own",
    )
    assert told(position, place("g1", "B3"), "de") == (
        "B2: Dieser Straßenabschnitt liegt schon hier; leg einen anderen",
    )
    assert told(position, Pass("brown")) == ("It is Ada {1}’s turn",)


def test_a_set_up_is_refused_with_its_squares() -> None:
    faults = COMPETITIVE.check_set_up(ground("A2", "B2 B4 D4"))
    assert Voice(rules="competitive").reasons(faults) == (
        "There must be 4 mountains, each on its own open square",
        "B2: a mountain may not be next to the snow or another mountain, not even diagonally",
        "A2: the snow must be on a corner of the board",
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_game_of_other_rules_than_the_last_is_refused_in_its_own_words(language: str) -> None:
    for last, other, reasons in (
        ("standard", "competitive", COMPETITIVE.check_deal(Reading(HexBoard(6), {}))),
        ("competitive", "standard", STANDARD.check_deal(Reading(SquareBoard(6), {}))),
    ):
        assert reasons
        own, foreign = (Voice((), language, rules).sentences(DealRefused(reasons)) for rules in (other, last))
        assert own == foreign


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        (
            "en",
            (
                "Row A: Bo collects 8, doubled by a horse: 16",
                "Row B: Ada {1} collects 8, doubled by a horse: 16",
                "Column 2: Bo collects 6",
                "Column 5: Bo collects 10",
            ),
        ),
        (
            "de",
            (
                "Zeile A: Bo sammelt 8, durch ein Pferd verdoppelt: 16",
                "Zeile B: Ada {1} sammelt 8, durch ein Pferd verdoppelt: 16",
                "Spalte 2: Bo sammelt 6",
                "Spalte 5: Bo sammelt 10",
            ),
        ),
    ],
)
def test_each_roads_wealth_is_told_with_who_collects_it(language: str, expected: tuple[str, ...]) -> None:
    assert Voice(PLAYERS, language, "competitive").lines(drawn(EXAMPLE).roads()) == expected


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_tells_the_row_the_player_and_the_numbers(language: str) -> None:
    told = Voice(PLAYERS, language, "competitive").lines(drawn(EXAMPLE).roads())
    for sentence, facts in zip(told, (("A", "Bo", "8", "16"), ("B", "Ada {1}"), ("2", "Bo", "6"), ("5",)), strict=True):
        assert all(fact in sentence for fact in facts)


def test_a_tie_is_told_as_one_and_a_horse_doubles_nothing_where_there_is_no_number() -> None:
    rest = ". . . . . . . M . M . . . . . . . . . M . M . . . . . . . S"
    voice = Voice(PLAYERS, rules="competitive")
    assert voice.lines(drawn(f"g2 g b b2h . . {rest}").roads()) == ("Row A: a tie, so nobody collects 4",)
    assert voice.lines(drawn(f"g g b gh . . {rest}").roads()) == ("Row A: Ada {1} collects 0",)


def test_a_colour_that_nobody_plays_is_called_by_itself() -> None:
    assert Voice(PLAYERS, rules="competitive").name("brown") == "Bo"
    assert Voice(PLAYERS, "de", rules="competitive").name("blue") == "Blau"
    assert Voice(PLAYERS, rules="competitive").name("teal") == "teal"
    assert Voice(PLAYERS).name(Color.GREY) == "Grey"
    assert Voice(PLAYERS, "it").name(Color.GREY) == "Grigio"


def test_each_colour_that_has_a_look_has_a_name() -> None:
    assert set(NAMES) == set(KNOWN)
