"""`strada backup --nightly`: a copy of the database each night, the newest few kept, while a companion writes."""

import fcntl
import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from companion.board import BadInputError
from companion.logbook import Logbook, backup
from companion.logbook.backup import copy_tonight
from companion.logbook.opening import FILE, copies
from tests.logbook.playing import Play, change, played, strada
from tests.written import written


def events(copy: Path) -> int:
    with closing(sqlite3.connect(copy)) as connection:
        return len(connection.execute("SELECT id FROM events").fetchall())


def test_it_is_made_beside_a_companion_that_writes_on(tmp_path: Path) -> None:
    play = Play()
    with Logbook(tmp_path) as logbook:
        play.on(logbook, 5)
        done = strada("backup", "--nightly", "--data", tmp_path)
        (copy,) = copies(tmp_path)
        assert done.output == f"{copy}\n"
        assert re.fullmatch(r"0001-\d{4}-\d\d-\d\d\.sqlite", copy.name)
        assert events(copy) == len(play.announced)
        play.on(logbook, 5)
        assert logbook.trouble is None
    assert [path.name for path in (tmp_path / "nightly").iterdir()] == [copy.name]


def test_nothing_is_copied_where_nothing_has_changed(tmp_path: Path) -> None:
    play = played(tmp_path, 3)
    made = copy_tonight(tmp_path)
    assert made is not None
    before = written(made)
    Logbook(tmp_path).close()  # an evening on which nobody played
    assert strada("backup", "--nightly", "--data", tmp_path).output == f"Nothing has changed since {made}.\n"
    assert written(made) == before
    played(tmp_path, 1, play)
    assert copy_tonight(tmp_path) == copies(tmp_path)[-1] != made


def test_the_newest_are_kept_by_their_numbers_whatever_the_clock_says(tmp_path: Path) -> None:
    play = Play()
    with Logbook(tmp_path) as logbook:
        for _ in range(5):
            play.on(logbook, 1)
            copy_tonight(tmp_path)
            made = copies(tmp_path)[-1]
            made.rename(made.with_name(f"{made.name[:4]}-1970-01-01.sqlite"))
        play.on(logbook, 1)
        done = strada("backup", "--nightly", "--keep", 3, "--data", tmp_path)
    assert [path.name[:4] for path in copies(tmp_path)] == ["0004", "0005", "0006"]
    assert done.output == f"{copies(tmp_path)[-1]}\n"
    assert events(copies(tmp_path)[-1]) == len(play.announced)


def test_seven_are_kept_unless_somebody_says_otherwise(tmp_path: Path) -> None:
    play = Play()
    with Logbook(tmp_path) as logbook:
        for _ in range(9):
            play.on(logbook, 1)
            copy_tonight(tmp_path)
    assert [path.name[:4] for path in copies(tmp_path)] == [f"000{number}" for number in range(3, 10)]


def test_what_lies_beside_the_copies_is_left_alone(tmp_path: Path) -> None:
    played(tmp_path, 2)
    (tmp_path / "nightly").mkdir()
    (tmp_path / "nightly" / "mine.sqlite").write_text("mine")
    (tmp_path / "nightly" / ".draft").write_text("half a copy, when the power failed")
    assert copy_tonight(tmp_path, keep=1) is not None
    (copy,) = copies(tmp_path)
    assert {path.name for path in (tmp_path / "nightly").iterdir()} == {"mine.sqlite", copy.name}


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE events SET who = 'mallory' WHERE id = 2",
        "PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = 3 WHERE name = 'moves'",
    ],
)
def test_no_copy_is_given_up_for_a_damaged_one(tmp_path: Path, damage: str) -> None:
    play = played(tmp_path, 4)
    assert copy_tonight(tmp_path, keep=1) is not None
    played(tmp_path, 1, play)
    change(tmp_path, damage)
    before = (copies(tmp_path), copies(tmp_path)[0].read_bytes())
    with pytest.raises(BadInputError, match="are kept"):
        copy_tonight(tmp_path, keep=1)
    assert (copies(tmp_path), copies(tmp_path)[0].read_bytes()) == before
    assert len(list((tmp_path / "nightly").iterdir())) == 1


def test_without_room_the_existing_copies_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played(tmp_path, 2)
    monkeypatch.setattr(backup, "RESERVE_BYTES", 10**18)
    with pytest.raises(BadInputError, match="make room, the older copies are kept"):
        copy_tonight(tmp_path)
    assert copies(tmp_path) == []


def test_two_at_once_do_not_spoil_each_other(tmp_path: Path) -> None:
    played(tmp_path, 2)
    (tmp_path / "nightly").mkdir()
    held = os.open(tmp_path / "nightly", os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    with pytest.raises(BadInputError, match="another copy is being made"):
        copy_tonight(tmp_path)
    os.close(held)
    assert copy_tonight(tmp_path) is not None


def test_without_a_logbook_there_is_nothing_to_copy(tmp_path: Path) -> None:
    assert "holds no logbook" in str(strada("backup", "--nightly", "--data", tmp_path).exception)
    assert not (tmp_path / "nightly").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--nightly", "all.zip"], "leave FILE and --force out"),
        (["--nightly", "--force"], "leave FILE and --force out"),
        (["--keep", "3"], "add --nightly"),
        ([], "FILE is missing"),
    ],
)
def test_what_does_not_go_together_is_refused(arguments: list[str], said: str) -> None:
    assert said in str(strada("backup", *arguments).exception)


@pytest.mark.long
def test_the_last_copy_from_before_a_loss_outlives_its_week(tmp_path: Path) -> None:
    """Seven evenings later, all copies would be of the logbook that had lost something."""
    play = Play()
    with Logbook(tmp_path) as logbook:
        play.on(logbook, 6)
        copy_tonight(tmp_path)
    (copy,) = copies(tmp_path)
    before = events(copy)
    with (tmp_path / FILE).open("r+b") as file:
        file.truncate(4096)
    with Logbook(tmp_path) as logbook:
        assert logbook.note is not None
        for _ in range(3):
            play.on(logbook, 1)
            copy_tonight(tmp_path, keep=2)
    assert copy not in copies(tmp_path)
    (kept,) = tmp_path.glob(f"damaged-*/{copy.name}")
    assert events(kept) == before
