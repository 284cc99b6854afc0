"""The threat model names, for each who is there and what he wants, the tests of what stops him."""

from pathlib import Path

from tests.named import is_there, rows_of

DOCUMENT = Path(__file__).parents[2] / "docs" / "threats.md"


def test_each_row_names_tests_that_are_there() -> None:
    rows = rows_of(DOCUMENT)
    assert len(rows) >= 12
    for who, tests in rows.items():
        assert tests, f"{who}: no test"
        for file, test in tests:
            assert is_there(file, test), f"{who}: {file}::{test}"


def test_everybody_is_thought_of() -> None:
    who = " ".join(rows_of(DOCUMENT))
    for someone in ("phone", "child", "neighbour", "website", "DNS rebinding", "SD card", "gives you a backup"):
        assert someone in who


def test_a_test_that_there_is_not_is_noticed() -> None:
    assert is_there("threats/test_threats.py", "test_a_test_that_there_is_not_is_noticed")
    assert not is_there("threats/test_threats.py", "test_nothing")
    assert not is_there("threats/test_nowhere.py", "test_nothing")


def test_it_is_one_page_and_says_what_does_not_stop_them() -> None:
    text = DOCUMENT.read_text()
    assert len(text.splitlines()) < 60
    assert "## What does not stop them" in text
