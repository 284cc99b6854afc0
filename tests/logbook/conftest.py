"""A logbook with a taught table, and a place for its copies off the machine."""

import os
import shutil
from pathlib import Path

import pytest

from tests.logbook.away import BESIDE, TAUGHT, play_on, written


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A logbook with pictures and a taught table."""
    folder = tmp_path_factory.mktemp("book")
    play_on(folder)
    written(folder, TAUGHT | BESIDE)
    return folder


@pytest.fixture
def book(kept: Path, called_club: None, tmp_path: Path) -> Path:
    """The same logbook, to be changed."""
    return Path(shutil.copytree(kept, tmp_path / "book"))


@pytest.fixture
def away(called_club: None, tmp_path: Path) -> Path:
    """A folder for copies of it."""
    (tmp_path / "away").mkdir()
    return tmp_path / "away"


@pytest.fixture
def called_club(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this machine be called "club"."""
    named = os.uname()
    monkeypatch.setattr(os, "uname", lambda: os.uname_result((named.sysname, "club", *named[2:])))
