"""Of when the newest copy of the logbook is; none is opened."""

import os
from datetime import timedelta
from pathlib import Path

import pytest

from companion.doctor.books import copies
from companion.logbook.opening import FILE
from companion.words.machine import DoctorVoice
from tests.doctor.machines import NOW


def changed(path: Path, days_ago: float) -> None:
    path.parent.mkdir(exist_ok=True)
    path.touch()
    at_s = (NOW - timedelta(days=days_ago)).timestamp()
    os.utime(path, (at_s, at_s))


def test_before_the_first_game_there_is_nothing_to_copy(tmp_path: Path) -> None:
    assert copies(tmp_path).code == "copies-early"


def test_a_logbook_without_any_copy_is_noted(tmp_path: Path) -> None:
    changed(tmp_path / FILE, 0)
    found = copies(tmp_path)
    assert (found.code, found.grade) == ("copies-none", "note")


@pytest.mark.parametrize(
    ("copied_days", "written_days", "grade"),
    [(0.5, 0, "ok"), (30, 29, "ok"), (9, 0, "note"), (-400, 0, "ok")],
    ids=["last night", "nobody has played since", "none was made", "the clock was set back"],
)
def test_the_newest_copy_is_dated_and_noted_where_the_logbook_has_changed_long_since(
    copied_days: float, written_days: float, grade: str, tmp_path: Path
) -> None:
    changed(tmp_path / FILE, 500)
    changed(tmp_path / f"{FILE}-wal", written_days)
    changed(tmp_path / "nightly" / "0001-2020-01-01.sqlite", 600)
    changed(tmp_path / "nightly" / "0002-2020-01-02.sqlite", copied_days)
    found = copies(tmp_path)
    assert found.grade == grade
    said = DoctorVoice().found(found.code, found.facts)
    assert said.startswith(f"The newest copy is from {(NOW - timedelta(days=copied_days)).astimezone():%Y-%m-%d}")
    assert said.endswith("the logbook has changed since then.") == (grade == "note")
