"""What a keeper types, as a line of text: `strada keep` and `strada watch --answers` share it."""

import pytest
from hypothesis import given

from companion.board import (
    BadInputError,
    Contents,
    HexBoard,
    LaidSection,
    Merchants,
    Section,
    Settlement,
    SettlementType,
    Snow,
    SquareBoard,
)
from companion.commands import Accept, Command, CorrectCell, Done, EndGame, Pause, Resume, TakeOffer, Undo
from companion.keeping import command_of_line, correction_line
from tests.board.test_reading import contents

BOARD, SQUARES = HexBoard(6), SquareBoard(6)
GREY_VILLAGE = Contents(Settlement(SettlementType.VILLAGE), Merchants(grey=1))
SECTIONS = (
    LaidSection(Section("7", rays=(0, 3, 5)), "green"),
    LaidSection(Section("7", rays=(1, 2)), "brown"),
    LaidSection(Section("the horse, left", has_horse=True, rays=(0, 1)), "green"),
)


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("done", Done(confirmed=False)),
        ("yes", TakeOffer()),
        ("accept", Accept()),
        ("undo", Undo()),
        ("  undo 3 ", Undo(3)),
        ('correct D3 "village grey"', CorrectCell(BOARD.cell("D3"), GREY_VILLAGE)),
        ("correct d3 village, grey 1", CorrectCell(BOARD.cell("D3"), GREY_VILLAGE)),
        ("correct D3 'bare'  # as it lies", CorrectCell(BOARD.cell("D3"), Contents())),
        ("""correct --json D3 '{"merchants": {"red": 2}}'""",
         CorrectCell(BOARD.cell("D3"), Contents(None, Merchants(red=2)))),
        ("pause", Pause()),
        ("resume", Resume()),
        ("end", EndGame()),
    ],
)  # fmt: skip
def test_a_line_is_a_command(line: str, command: Command) -> None:
    assert command_of_line(line, BOARD) == command


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("flatten", "'flatten' is not one of 'done', 'yes', 'accept', 'undo', 'correct', 'pause', 'resume', 'end'"),
        ("accept it", "accept takes nothing more; 'it' is too much"),
        ("undo none", "undo 'none'; its number of moves should be whole, from 1, or left out"),
        ("undo --json", "--json is about what lies on a cell; undo needs none"),
        ("correct D3", "correct needs a cell and what lies there: G7 and 'bare'"),
        ("correct Z99 bare", "'Z99' is not a cell of this board"),
        ('correct D3 "castle"', "'castle', which means nothing here"),
        ('correct D3 "bare', "'correct D3 \"bare' has a quotation mark that is not closed; close it"),
        ("correct --json D3 bare", "contents are 'bare', not valid JSON"),
        ("correct --json D3 {'pieces': 1}", "not valid JSON"),
        ("""correct --json D3 '{"pieces": 1}'""", "'pieces' is not known"),
    ],
)
def test_a_line_that_is_no_command_is_complained_of(line: str, complaint: str) -> None:
    with pytest.raises(BadInputError) as refused:
        command_of_line(line, BOARD)
    assert complaint in str(refused.value)


@given(contents)
def test_whatever_lies_on_a_cell_is_told_in_words_that_can_be_typed(lies: Contents) -> None:
    line = correction_line("D3", lies)
    assert line.startswith('correct D3 "')
    assert command_of_line(line, BOARD) == CorrectCell(BOARD.cell("D3"), lies)


@pytest.mark.parametrize(
    ("lies", "line"),
    [
        (Contents(SECTIONS[0]), 'correct B2 "green section 7"'),
        (Contents(LaidSection(SECTIONS[1].section, "brown", 3)), 'correct B2 "brown section 7 turned 3"'),
        (Contents(Snow()), 'correct B2 "snow"'),
    ],
)
def test_a_section_is_told_by_its_owner_and_its_id(lies: Contents, line: str) -> None:
    assert correction_line("B2", lies, SECTIONS) == line
    assert command_of_line(line, SQUARES, SECTIONS) == CorrectCell(SQUARES.cell("B2"), lies)


@pytest.mark.parametrize(
    "laid", [SECTIONS[2], LaidSection(Section("8", rays=(0, 1)), "green"), LaidSection(Section("7"), "ecru’s")]
)
def test_what_words_cannot_tell_is_told_as_json(laid: LaidSection) -> None:
    line = correction_line("B2", Contents(laid), SECTIONS)
    assert line.startswith("correct --json B2 '{")
    assert command_of_line(line, SQUARES, SECTIONS) == CorrectCell(SQUARES.cell("B2"), Contents(laid))
