"""The table of faults names a test for each, and quotes what people really read."""

import ast
import re
from pathlib import Path

import pytest

from companion.words.table import EVENTS, LOSSES, TROUBLES
from tests.named import is_there, rows_of

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "faults.md"
SOURCES = [
    path
    for room in ("companion", "simulator", "calibration", "hardware", "vision")
    for path in (ROOT / room).rglob("*.py")
]
ROWS = rows_of(DOCUMENT)

FAULTS = (
    "kill -9", "disk full", "read-only disk", "clock jumps by a year", "camera hung", "pin factory missing",
    "three failed starts in a row", "port taken", "database locked", "damaged", "newer version", "settings damaged",
    "half-written export",
)  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_has_its_row(fault: str) -> None:
    assert [row for row in ROWS if fault in row.replace("`", "")]


@pytest.mark.parametrize("fault", ROWS)
def test_each_row_is_a_test(fault: str) -> None:
    assert ROWS[fault]
    for file, test in ROWS[fault]:
        assert is_there(file, test), f"{file}::{test}"


@pytest.mark.long
def test_every_sentence_that_is_quoted_is_one_that_people_read() -> None:
    known = [message.one for message in (*TROUBLES.values(), *LOSSES.values(), *EVENTS.values())]
    complaints = [complaint for path in SOURCES for complaint in complaints_of(path)]
    said = re.findall(r"^\|[^|]*\| ([^|]*) \|", DOCUMENT.read_text(), re.MULTILINE)
    assert len(said) >= len(FAULTS) + 1
    for cell in said:
        if cell in ("what is said", "---"):
            continue
        sentence = cell[1:-1]
        if cell.startswith('"'):
            assert any(message.startswith(sentence) for message in known), cell
        else:
            assert cell.startswith("`strada: "), f"{cell}: nobody knows whether that is said"
            assert any(begins_so(complaint, sentence.removeprefix("strada: ")) for complaint in complaints), cell


def complaints_of(path: Path) -> list[list[str | None]]:
    """Return each text in a source as its words, with None for what is filled in."""
    texts: list[list[str | None]] = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else None for part in node.values]
            texts.append([word for part in parts for word in ([None] if part is None else re.findall(r"\w+|\W", part))])
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts.append(re.findall(r"\w+|\W", node.value))
    return texts


def begins_so(complaint: list[str | None], sentence: str) -> bool:
    """Return whether the sentence is the complaint's first words, with something filled in."""
    pattern, is_said = "", False
    for word in complaint[: len(sentence)]:
        pattern += r"\S+" if word is None else re.escape(word)
        is_said = is_said or (word is not None and word.isalpha())
        if is_said and re.fullmatch(pattern, sentence):
            return True
    return False


def test_a_sentence_that_nobody_says_is_noticed() -> None:
    complaint = ["port", " ", None, " ", "of", " ", None, " ", "cannot"]
    assert begins_so(complaint, "port 80 of 0.0.0.0 cannot")
    assert not begins_so(complaint, "port 80 of 0.0.0.0 could")
    assert not begins_so([None], "whatever"), "what is filled in says nothing by itself"


def test_every_test_of_this_folder_stands_in_the_table() -> None:
    named = {file for tests in ROWS.values() for file, _ in tests}
    here = {f"faults/{path.name}" for path in Path(__file__).parent.glob("test_*.py") if path != Path(__file__)}
    assert here <= named
