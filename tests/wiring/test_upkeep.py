"""What keepers are told beside the game: how the copies off the machine do, as the doctor would say it."""

from pathlib import Path

import pytest

from companion.board import BadInputError
from companion.logbook.away import Plan, copy_away
from companion.settings import settings_from
from companion.wiring.upkeep import upkeep_of
from tests.logbook.playing import played


def told(folder: Path, to: str) -> list[str]:
    settings = settings_from({"logbook": {"folder": str(folder)}, "backup": {"to": to}})
    return [found.code for found in upkeep_of(settings, folder)]


def test_an_absent_stick_is_told_until_a_copy_was_made(tmp_path: Path) -> None:
    played(tmp_path / "book", 3)
    away = str(tmp_path / "away")
    assert told(tmp_path / "book", "") == []
    assert told(tmp_path / "book", away) == ["away-none"]
    with pytest.raises(BadInputError):
        copy_away(tmp_path / "book", Plan(away))
    assert told(tmp_path / "book", away) == ["away-absent"]
    Path(away).mkdir()
    copy_away(tmp_path / "book", Plan(away))
    assert told(tmp_path / "book", away) == ["away"]


def test_a_drawn_table_has_nothing_to_be_told() -> None:
    assert upkeep_of(settings_from({"backup": {"to": "/srv"}}), None) == []
