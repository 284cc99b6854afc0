"""After a loss: what the last copy from before has that the logbook lacks, and how it comes back."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from companion.board import BadInputError, NotNowError
from companion.logbook import Logbook, restoring
from companion.logbook.archive import opened_archive
from companion.logbook.backup import LastCopy, copy_tonight, last_copy
from companion.logbook.opening import FILE
from companion.logbook.restoring import decide
from companion.wiring import Companion
from tests.faults.companions import running, settings_of, until
from tests.logbook.playing import Play, change, listed, played, resumed, written
from tests.web.playing import OWN


@pytest.fixture
def lost(tmp_path: Path) -> Play:
    """A logbook that was copied, then completely overwritten with nonsense, and began again."""
    play = played(tmp_path, 30)
    copy_tonight(tmp_path)
    played(tmp_path, 3, play)
    (tmp_path / FILE).write_bytes(b"nonsense" * 10_000)
    Logbook(tmp_path).close()
    return play


def offered(folder: Path) -> LastCopy:
    copy = last_copy(folder)
    assert copy is not None
    return copy


def games(folder: Path) -> int:
    """Return how many games there are: none while one logbook takes another's place."""
    with suppress(BadInputError), opened_archive(folder) as archive:
        return archive.count()
    return 0


@pytest.mark.usefixtures("lost")
def test_it_tells_which_games_are_missing_and_which_came_since(tmp_path: Path) -> None:
    copy = offered(tmp_path)
    assert copy.path.parent.name.startswith("damaged-")
    assert copy.missing
    assert copy.since == frozenset()
    assert copy.until.startswith("20")
    played(tmp_path, 5, Play())
    assert len(offered(tmp_path).since) == 1


def test_it_is_the_logbook_from_the_next_opening_on_and_then_nothing_is_missing(tmp_path: Path, lost: Play) -> None:
    with Logbook(tmp_path):
        decide(tmp_path, offered(tmp_path).path)
        assert games(tmp_path) == 0, "it is still beside the logbook"
    resumed(tmp_path)
    assert last_copy(tmp_path) is None
    told = written(tmp_path)
    assert told == lost.announced[: len(told)]
    assert len(told) > 20
    assert list(tmp_path.glob("before-restore-*")), "what was there is put aside"


@pytest.mark.usefixtures("lost")
def test_tapping_again_before_it_is_the_logbook_moves_no_file_that_is_in_use(tmp_path: Path) -> None:
    with Logbook(tmp_path) as logbook:
        copy = offered(tmp_path)
        decide(tmp_path, copy.path)
        held = (tmp_path / FILE).stat().st_ino
        decide(tmp_path, copy.path)
        assert (tmp_path / FILE).stat().st_ino == held
        Play().on(logbook, 3)
        assert logbook.trouble is None
    Logbook(tmp_path).close()
    assert last_copy(tmp_path) is None
    assert len(list(tmp_path.glob("before-restore-*"))) == 1


@pytest.mark.usefixtures("lost")
def test_of_two_who_tap_at_once_one_restores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = offered(tmp_path)
    made_ready, refused = restoring._made_ready, []

    def meanwhile(*arguments: Any) -> tuple[int, int, int]:
        with pytest.raises(NotNowError, match="somebody else is restoring") as error:
            decide(tmp_path, copy.path)
        refused.append(error.value)
        return made_ready(*arguments)

    monkeypatch.setattr(restoring, "_made_ready", meanwhile)
    with Logbook(tmp_path):
        decide(tmp_path, copy.path)
    assert len(refused) == 1
    Logbook(tmp_path).close()
    assert last_copy(tmp_path) is None


def test_without_a_loss_or_where_all_was_salvaged_there_is_none(tmp_path: Path) -> None:
    assert last_copy(tmp_path) is None
    played(tmp_path, 30)
    copy_tonight(tmp_path)
    assert last_copy(tmp_path) is None
    overwrite_header(tmp_path)
    assert list(tmp_path.glob("damaged-*/0*.sqlite"))
    assert last_copy(tmp_path) is None


@pytest.mark.long
@pytest.mark.parametrize("is_before", [True, False], ids=["before the loss", "after it"])
def test_a_game_that_keepers_deleted_is_not_taken_for_lost(tmp_path: Path, is_before: bool) -> None:
    played(tmp_path, 120)
    copy_tonight(tmp_path)
    if is_before:
        forget(tmp_path, 1)
    overwrite_header(tmp_path)
    if not is_before:
        forget(tmp_path, 1)
    assert 1 not in [game.number for game in listed(tmp_path)]
    assert last_copy(tmp_path) is None
    change(tmp_path, "DELETE FROM events WHERE game = 2")
    copy = offered(tmp_path)
    assert copy.missing == {2}
    assert copy.forgotten == {1}, "it would come back with the other"


def forget(folder: Path, game: int) -> None:
    with Logbook(folder) as logbook:
        logbook.forget(game)


def overwrite_header(folder: Path) -> None:
    with (folder / FILE).open("r+b") as file:
        file.write(b"\0" * 16)
    Logbook(folder).close()


@pytest.mark.usefixtures("lost")
def test_a_copy_that_is_damaged_too_or_holds_something_foreign_is_not_offered(tmp_path: Path) -> None:
    (kept,) = tmp_path.glob("damaged-*/0*.sqlite")
    whole = kept.read_bytes()
    kept.unlink()
    kept.write_bytes(whole[:5000])
    assert last_copy(tmp_path) is None
    kept.write_bytes(whole)
    assert offered(tmp_path).path == kept
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


@pytest.mark.usefixtures("lost")
def test_a_later_loss_hides_no_copy_whatever_the_clock_said(tmp_path: Path) -> None:
    copy = offered(tmp_path)
    (tmp_path / "damaged-2099-01-01T000000Z").mkdir()
    assert offered(tmp_path) == copy


def test_what_was_decided_is_not_finished_by_the_game_that_goes_on(tmp_path: Path, lost: Play) -> None:
    with Logbook(tmp_path) as logbook:
        decide(tmp_path, offered(tmp_path).path)
        (tmp_path / FILE).rename(tmp_path / "moved away")  # the file is opened again
        lost.on(logbook, 1)
        assert not list(tmp_path.glob("before-restore-*"))
    resumed(tmp_path)
    assert list(tmp_path.glob("before-restore-*"))
