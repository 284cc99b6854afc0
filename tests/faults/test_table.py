"""The table of faults names a test for each, and quotes what people really read."""

import re
from pathlib import Path

import pytest

from companion.wording.messages import LOSSES, TROUBLES
from tests.named import is_there, rows_of

DOCUMENT = Path(__file__).parents[2] / "docs" / "faults.md"
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


def test_every_sentence_that_is_quoted_is_one_that_people_read() -> None:
    known = [message.one for message in (*TROUBLES.values(), *LOSSES.values())]
    quoted = re.findall(r'^\|[^|]*\| "([^"]+)"', DOCUMENT.read_text(), re.MULTILINE)
    assert len(quoted) >= 7
    for sentence in quoted:
        assert any(message.startswith(sentence) for message in known), sentence


def test_every_test_of_this_folder_stands_in_the_table() -> None:
    named = {file for tests in ROWS.values() for file, _ in tests}
    here = {f"faults/{path.name}" for path in Path(__file__).parent.glob("test_*.py") if path != Path(__file__)}
    assert here <= named
