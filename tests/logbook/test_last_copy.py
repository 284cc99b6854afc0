"""After a loss: what the last copy from before it has that the logbook lacks, and how it comes back."""

from pathlib import Path

import pytest

from companion.logbook import Logbook
from companion.logbook.archive import opened_archive
from companion.logbook.backup import copy_tonight
from companion.logbook.last_copy import last_copy
from companion.logbook.opening import FILE
from companion.logbook.restoring import decide
from companion.wiring import Companion
from tests.faults.companions import running, settings_of, until
from tests.logbook.playing import Play, change, played, written
from tests.web.playing import OWN


@pytest.fixture
def lost(tmp_path: Path) -> Play:
    """A logbook that was copied and then overwritten with nonsense, all of it, and began anew."""
    play = played(tmp_path, 30)
    copy_tonight(tmp_path)
    played(tmp_path, 3, play)
    (tmp_path / FILE).write_bytes(b"nonsense" * 10_000)
    Logbook(tmp_path).close()
    return play


def games(folder: Path) -> int:
    with opened_archive(folder) as archive:
        return archive.count()


@pytest.mark.usefixtures("lost")
def test_it_tells_which_games_are_missing_and_which_came_since(tmp_path: Path) -> None:
    copy = last_copy(tmp_path)
    assert copy is not None
    assert copy.path.parent.name.startswith("damaged-")
    assert copy.missing
    assert copy.since == frozenset()
    assert copy.until.startswith("20")
    played(tmp_path, 5, Play())
    again = last_copy(tmp_path)
    assert again is not None
    assert len(again.since) == 1


def test_it_is_the_logbook_from_the_next_opening_on_and_then_nothing_is_missing(tmp_path: Path, lost: Play) -> None:
    with Logbook(tmp_path):
        copy = last_copy(tmp_path)
        assert copy is not None
        decide(tmp_path, copy.path)
        assert games(tmp_path) == 0, "as yet it lies beside"
    with Logbook(tmp_path) as again:
        assert again.trouble is None
        assert again.resume() is not None
    assert last_copy(tmp_path) is None
    told = written(tmp_path)
    assert told == lost.announced[: len(told)]
    assert len(told) > 20
    assert list(tmp_path.glob("before-restore-*")), "what was there is put aside"


def test_without_a_loss_or_where_all_was_salvaged_there_is_none(tmp_path: Path) -> None:
    assert last_copy(tmp_path) is None
    played(tmp_path, 30)
    copy_tonight(tmp_path)
    assert last_copy(tmp_path) is None
    with (tmp_path / FILE).open("r+b") as file:
        file.write(b"\0" * 16)
    Logbook(tmp_path).close()
    assert list(tmp_path.glob("damaged-*/0*.sqlite"))
    assert last_copy(tmp_path) is None


@pytest.mark.usefixtures("lost")
def test_a_copy_that_is_damaged_too_or_smuggles_is_not_offered(tmp_path: Path) -> None:
    (kept,) = tmp_path.glob("damaged-*/0*.sqlite")
    whole = kept.read_bytes()
    kept.unlink()
    kept.write_bytes(whole[:5000])
    assert last_copy(tmp_path) is None
    kept.write_bytes(whole)
    assert last_copy(tmp_path) is not None
    (tmp_path / "other").mkdir()
    other = tmp_path / "other" / FILE
    other.write_bytes(whole)
    change(tmp_path / "other", "CREATE VIEW smuggled AS SELECT 1")
    kept.write_bytes(other.read_bytes())
    assert last_copy(tmp_path) is None


@pytest.mark.usefixtures("lost")
def test_one_tap_on_the_keepers_page_brings_it_back_while_the_companion_runs(tmp_path: Path) -> None:
    with running(Companion(settings_of(tmp_path, camera="none"))) as companion:
        client = companion.app.test_client()
        until(lambda: "Restore the last copy" in client.get("/keeper").text)
        answer = client.post("/keeper/restore-copy", headers=OWN)
        assert answer.status_code == 202
        assert answer.json == {"message": "The copy is brought back. This takes a few seconds.", "go": "/keeper"}
        until(lambda: games(tmp_path) > 0)
        until(lambda: "Restore the last copy" not in client.get("/keeper").text)
        until(lambda: "Game" in client.get("/games").text)
        again = client.post("/keeper/restore-copy", headers=OWN)
        assert (again.status_code, again.json["message"]) == (409, "There is no copy that has more than the logbook.")
