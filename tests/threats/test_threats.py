"""The threat model names, for everybody who might be there and whatever they want, the tests of what stops them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.named import is_there, must_run, rows_of

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "threats.md"


def test_each_row_names_tests_that_are_there() -> None:
    rows = rows_of(DOCUMENT)
    assert len(rows) >= 12
    for who, tests in rows.items():
        assert tests, f"{who}: no test"
        for file, test in tests:
            assert is_there(file, test), f"{who}: {file}::{test}"


def test_nobody_is_forgotten() -> None:
    who = " ".join(rows_of(DOCUMENT))
    for someone in ("phone", "child", "neighbour", "website", "DNS rebinding", "SD card", "gives you a backup"):
        assert someone in who


def test_a_missing_test_is_noticed() -> None:
    assert is_there("threats/test_threats.py", "test_a_missing_test_is_noticed")
    assert not is_there("threats/test_threats.py", "test_nothing")
    assert not is_there("threats/test_nowhere.py", "test_nothing")


@pytest.mark.long
def test_a_test_that_a_document_promises_must_run_in_continuous_integration(tmp_path: Path) -> None:
    """Here one is skipped, because there is no systemd-analyze on the path."""
    promised = "tests/systemd/test_systemd.py::test_systemd_finds_little_exposed"
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", promised]
    environment = {**os.environ, "PATH": str(tmp_path), "CI": "true"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1, done.stdout
    assert "a document promises this test, and it was skipped" in done.stdout


def test_only_what_is_promised_must_run_and_only_there() -> None:
    file, promised, why_not = "systemd/test_systemd.py", "test_systemd_finds_little_exposed", "no systemd-analyze here"
    assert must_run(file, promised, why_not, is_ci=True)
    assert not must_run(file, promised, why_not, is_ci=False)
    assert not must_run(file, promised, "only root may become somebody else", is_ci=True)
    assert not must_run(file, "test_settings_that_cannot_be_used_wait_for_a_person", why_not, is_ci=True)


def test_it_is_one_page_and_says_what_does_not_stop_them() -> None:
    text = DOCUMENT.read_text()
    assert len(text.splitlines()) < 60
    assert "## What does not stop them" in text
