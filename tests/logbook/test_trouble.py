"""A disk that is full, read-only or held by others: the game goes on, people are told, and the logbook catches up."""

import pickle
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from bench.killed import check_of
from bench.kills import Evening
from companion.events import Loss, StandingChanged
from companion.logbook import Logbook, Trouble
from companion.logbook.opening import FILE, Opened, connect, open_to_write
from companion.session import Session
from tests.logbook.playing import Play, asked, played, resumed, state_of, written


def must_be_written(folder: Path, play: Play) -> None:
    """Check that everything announced is there, in order, and that the game goes on from there."""
    assert written(folder) == play.announced
    assert resumed(folder) == play.session.state


def failure(message: str, code: int) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError(message)
    error.sqlite_errorcode = code
    return error


@dataclass
class Disk:
    """A disk on which the logbook's file finds no room, cannot be written or fails, as long as `fault` says so."""

    fault: str = ""
    connection: sqlite3.Connection | None = None

    def open(self, folder: Path, is_damaged: bool) -> Opened:
        if self.fault == "gone":
            raise failure("unable to open database file", sqlite3.SQLITE_CANTOPEN)
        opened = open_to_write(folder, is_damaged)
        self.connection = opened.connection
        self.breaks(self.fault)
        return opened

    def breaks(self, fault: str) -> None:
        self.fault = fault
        assert self.connection is not None
        with suppress(sqlite3.ProgrammingError):  # closed by now: the next one is opened with the fault
            (pages,) = self.connection.execute("PRAGMA page_count").fetchone()
            self.connection.execute(f"PRAGMA max_page_count = {pages if fault == 'full' else 2**30}")
            self.connection.execute(f"PRAGMA query_only = {'ON' if fault == 'read-only' else 'OFF'}")


@pytest.mark.long
@pytest.mark.parametrize("fault", ["full", "read-only"])
def test_what_could_not_be_written_is_written_in_order_once_it_can_be(tmp_path: Path, fault: str) -> None:
    play, disk = Play(), Disk()
    with Logbook(tmp_path, open_file=disk.open) as logbook:
        play.on(logbook, 5)
        disk.breaks(fault)
        play.on(logbook, 10)
        assert logbook.trouble == Trouble(fault)
        assert written(tmp_path) == play.announced[: len(written(tmp_path))]
        assert len(written(tmp_path)) < len(play.announced)
        disk.breaks("")
        play.on(logbook, 1)
    assert logbook.trouble is None
    must_be_written(tmp_path, play)


def test_what_is_written_is_the_last_word_where_the_power_fails_on_a_full_disk(tmp_path: Path) -> None:
    play, disk = Play(), Disk()
    with Logbook(tmp_path, open_file=disk.open) as logbook:
        play.on(logbook, 5)
        disk.breaks("full")
        play.on(logbook, 10)
    assert resumed(tmp_path).position in play.session.history


def test_another_program_that_holds_the_file_is_waited_for_in_memory(tmp_path: Path) -> None:
    play = Play()
    with Logbook(tmp_path) as logbook:
        play.on(logbook, 2)
        with closing(connect(tmp_path / FILE)) as other:
            other.execute("BEGIN IMMEDIATE")
            play.on(logbook, 2)
            assert logbook.trouble == Trouble("locked")
            other.execute("ROLLBACK")
        play.on(logbook, 1)
        assert logbook.trouble is None
    must_be_written(tmp_path, play)


def test_a_disk_that_comes_later_takes_all_that_was_played(tmp_path: Path) -> None:
    play, disk = Play(), Disk("gone")
    with Logbook(tmp_path, open_file=disk.open) as logbook:
        assert logbook.trouble == Trouble("read-only")
        play.on(logbook, 3)
        disk.fault = ""
        play.on(logbook, 1)
        assert logbook.trouble is None
    must_be_written(tmp_path, play)


def test_a_game_goes_on_from_a_disk_that_can_only_be_read(tmp_path: Path) -> None:
    play, disk = played(tmp_path, 12), Disk("gone")
    with Logbook(tmp_path, open_file=disk.open) as logbook:
        assert state_of(logbook) == play.session.state
        play.session = Session(state=state_of(logbook))
        play.on(logbook, 3)
        assert logbook.trouble is not None
        disk.fault = ""
    must_be_written(tmp_path, play)
    assert asked(tmp_path, "SELECT count(*) FROM games") == [(1,)]


def test_a_file_that_is_taken_away_is_begun_anew_with_the_game_in_it(tmp_path: Path) -> None:
    play = Play()
    with Logbook(tmp_path) as logbook:
        play.on(logbook, 12)
        for path in tmp_path.glob(f"{FILE}*"):
            path.rename(path.with_name(f"taken-{path.name}"))
        play.on(logbook, 2)
        assert logbook.trouble is None
        assert logbook.note == Loss("gone")
    assert resumed(tmp_path) == play.session.state


def test_an_entry_that_did_not_say_so_but_was_written_is_not_written_twice(tmp_path: Path) -> None:
    play = Play()

    class Commits:
        """A connection whose next commit succeeds, but says that it failed."""

        def __init__(self, connection: sqlite3.Connection) -> None:
            self.connection, self.is_lying = connection, False

        def execute(self, query: str, *values: object) -> sqlite3.Cursor:
            cursor = self.connection.execute(query, *values)  # type: ignore[arg-type]
            if query == "COMMIT" and self.is_lying:
                self.is_lying = False
                raise failure("disk I/O error", sqlite3.SQLITE_IOERR)
            return cursor

        def __getattr__(self, name: str) -> object:
            return getattr(self.connection, name)

    opened_with: list[Commits] = []

    def open_file(folder: Path, is_damaged: bool) -> Opened:
        opened = open_to_write(folder, is_damaged)
        opened_with.append(Commits(opened.connection))
        return Opened(opened_with[-1], opened.place, opened.newest, opened.note)  # type: ignore[arg-type]

    with Logbook(tmp_path, open_file=open_file) as logbook:
        play.on(logbook, 5)
        opened_with[-1].is_lying = True
        play.on(logbook, 5)
        assert len(opened_with) == 2
    must_be_written(tmp_path, play)


def test_an_entry_that_cannot_be_put_in_words_does_not_hold_up_the_others(tmp_path: Path) -> None:
    play = Play()
    with Logbook(tmp_path) as logbook:
        play.on(logbook, 3)
        for _ in range(3):
            logbook.record((object(),), play.session.state)  # type: ignore[arg-type]
        assert logbook.trouble is not None
        play.on(logbook, 3)
        play.on(logbook, 3)
    must_be_written(tmp_path, play)


@pytest.mark.long
@pytest.mark.parametrize("most_bytes", [150_000, 400_000])
def test_a_file_that_may_not_grow_stops_the_logbook_and_not_the_game(tmp_path: Path, most_bytes: int) -> None:
    """RLIMIT_FSIZE in a separate process: the write itself fails, at any byte."""
    evening = Evening.of(3, 40)
    script = tmp_path / "script"
    script.write_bytes(pickle.dumps(evening.presses))
    folder = tmp_path / "data"
    command = [sys.executable, "-m", "bench.killed", str(folder), str(script), str(most_bytes)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    lines = [line.split() for line in done.stdout.splitlines()]
    assert [int(number) for word, number in lines if word == "event"] == list(evening.events)
    (stopped,) = [int(number) for word, number in lines if word == "trouble"]
    assert resumed(folder) in evening.states[stopped - 2 :]
    found = [check_of(event) for event in written(folder) if not isinstance(event, StandingChanged)]
    assert found == list(evening.events[: len(found)])
    assert found
