"""A damaged logbook: the last good position, and a word about what is lost; no traceback, nothing thrown away."""

import random
import shutil
import sqlite3
import struct
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from bench.made_up import People
from companion.board import BadInputError
from companion.games.contract import Position
from companion.logbook import Logbook, salvaging
from companion.logbook.opening import FILE, NEWEST, connect, opened_to_read
from companion.logbook.rows import Rows
from companion.logbook.schema import is_sound, sum_of
from companion.session import Session
from companion.session.state import State
from tests.logbook.playing import Play, PowerCutError, asked, change, played, resumed, state_of

WAL = f"{FILE}-wal"


@dataclass(frozen=True)
class Crashed:
    """What a power cut leaves: the file, a write-ahead log with the last entries, and what was true."""

    folder: Path
    states: tuple[State, ...]

    @property
    def positions(self) -> list[Position]:
        return [state.position for state in self.states if state.position is not None]


@pytest.fixture(scope="module")
def crashed(tmp_path_factory: pytest.TempPathFactory) -> Crashed:
    folder, left = tmp_path_factory.mktemp("running"), tmp_path_factory.mktemp("crashed")
    play, states = Play(People(11, rules=("standard",))), [State()]
    with Logbook(folder) as logbook:
        for number in range(44):
            play.on(logbook, 1)
            states.append(play.session.state)
            if number == 30:
                # What came before is in the file itself, what follows only in the write-ahead log.
                change(folder, "PRAGMA wal_checkpoint(TRUNCATE)")
        for name in (FILE, WAL, NEWEST):
            shutil.copy2(folder / name, left / name)
    assert (left / WAL).stat().st_size > 20_000
    return Crashed(left, tuple(states))


@pytest.fixture
def folder(crashed: Crashed, tmp_path: Path) -> Path:
    """A copy of the crashed logbook, for one test."""
    return Path(shutil.copytree(crashed.folder, tmp_path / "copy"))


def must_go_on(folder: Path, crashed: Crashed) -> None:
    """Check that the books open without a traceback, hold a position that was true, say so, and can be written."""
    last = crashed.states[-1]
    with Logbook(folder, wait_s=60) as logbook:
        assert logbook.trouble is None
        found = logbook.resume()
        play = Play(People(5), Session(state=found.state if found else None))
        if found is None or found.state != last:
            assert logbook.note
        if found is not None:
            assert found.state in crashed.states or found.state.position in crashed.positions
            assert all(past.position in crashed.positions for past in found.state.history)
        for _ in range(2):
            play.on(logbook, 1)
            assert logbook.trouble is None
    assert resumed(folder) == play.session.state


def flipped(path: Path, rng: random.Random, count: int) -> None:
    content = bytearray(path.read_bytes())
    for _ in range(count):
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    path.write_bytes(content)


def overwritten(path: Path, rng: random.Random, count: int) -> None:
    content = bytearray(path.read_bytes())
    at = rng.randrange(len(content))
    content[at : at + count] = rng.randbytes(min(count, len(content) - at))
    path.write_bytes(content)


def truncated(path: Path, rng: random.Random, count: int) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: rng.randrange(len(content))])


DAMAGES = [(flipped, 1), (flipped, 20), (overwritten, 4096), (truncated, 0)]


def test_a_logbook_left_by_a_power_cut_is_whole(crashed: Crashed, folder: Path) -> None:
    assert resumed(folder) == crashed.states[-1]


@pytest.mark.long
@pytest.mark.parametrize("name", [WAL, FILE])
@pytest.mark.parametrize(("damage", "count"), DAMAGES, ids=["a bit", "20 bits", "a page", "cut off"])
@pytest.mark.parametrize("seed", range(6))
def test_what_is_damaged_anywhere_goes_on_at_a_good_position(
    crashed: Crashed, folder: Path, name: str, damage: Callable[[Path, random.Random, int], None], count: int, seed: int
) -> None:
    damage(folder / name, random.Random(1000 * count + seed), count)
    must_go_on(folder, crashed)


@pytest.mark.parametrize("names", [(WAL,), (FILE,), (FILE, WAL)], ids=" and ".join)
@pytest.mark.parametrize("lose", [Path.unlink, lambda path: path.write_bytes(b"")], ids=["gone", "empty"])
def test_what_is_gone_or_empty_is_said_to_be_lost(
    crashed: Crashed, folder: Path, names: tuple[str, ...], lose: Callable[[Path], object]
) -> None:
    for name in names:
        lose(folder / name)
    must_go_on(folder, crashed)


def test_what_is_damaged_is_kept_aside(folder: Path) -> None:
    (folder / WAL).unlink()
    (folder / FILE).write_bytes(b"not a database, by far" * 1000)
    with Logbook(folder) as logbook:
        loss = logbook.note
    (aside,) = folder.glob("damaged-*")
    assert b"not a database" in (aside / FILE).read_bytes()
    assert loss is not None
    assert (loss.code, loss.aside) == ("unread", aside.name)
    assert loss.lost == loss.of > 0


def test_an_end_that_was_cut_off_is_kept_aside(folder: Path) -> None:
    content = (folder / WAL).read_bytes()
    (folder / WAL).write_bytes(content[: len(content) // 2])
    with Logbook(folder) as logbook:
        loss = logbook.note
    (aside,) = folder.glob("damaged-*")
    assert loss is not None
    assert (loss.code, loss.aside) == ("end", aside.name)
    assert 0 < loss.lost < loss.of
    assert (aside / WAL).read_bytes() == content[: len(content) // 2]


def test_a_changed_byte_within_a_row_is_noticed(crashed: Crashed, folder: Path) -> None:
    newest = "SELECT max(id) FROM states"
    change(folder, f"UPDATE states SET state = replace(state, '\"position\":', '\"position\": ') WHERE id = ({newest})")
    must_go_on(folder, crashed)
    with opened_to_read(next(folder.glob("damaged-*"))) as kept:
        assert kept.execute("SELECT count(*) FROM states").fetchone() == (8,)


@pytest.mark.parametrize("table", ["states", "positions", "games", "events", "moves", "seats", "about"])
def test_a_table_that_is_gone_costs_no_more_than_it_held(crashed: Crashed, folder: Path, table: str) -> None:
    change(folder, f"DROP TABLE {table}")
    must_go_on(folder, crashed)


def test_without_its_states_a_game_goes_on_from_its_events(crashed: Crashed, folder: Path) -> None:
    change(folder, "DELETE FROM states")
    with Logbook(folder) as logbook:
        state, last = state_of(logbook), crashed.states[-1]
        assert state.position == last.position
        assert [past.position for past in state.history] == [past.position for past in last.history]
        assert state.marks == last.marks
        assert logbook.note is not None
        assert (logbook.note.code, logbook.note.lost) == ("salvaged", 0)


def test_a_damaged_old_position_and_its_move_shorten_what_can_be_undone(crashed: Crashed, folder: Path) -> None:
    newest = "SELECT json_extract(state, '$.history[5].position') FROM states ORDER BY id DESC LIMIT 1"
    old = int(str(asked(folder, newest)[0][0]))
    change(
        folder,
        f"UPDATE positions SET sum = 0 WHERE id = {old};"
        f"UPDATE events SET sum = 0 WHERE id = (SELECT event FROM moves WHERE after = {old} AND before != {old})",
    )
    with Logbook(folder) as logbook:
        found = logbook.resume()
        assert found is not None
        assert found.state.position == crashed.states[-1].position
        assert 0 < len(found.state.history) < len(crashed.states[-1].history)
        assert found.events == ()
        assert logbook.note


def test_a_power_cut_while_a_damaged_file_is_put_right_loses_nothing(
    crashed: Crashed, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(folder, "DELETE FROM states")
    rename = Path.rename

    def cut(self: Path, target: Path) -> Path:
        if self.name == "logbook.draft":
            raise PowerCutError
        return rename(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", cut)
        with pytest.raises(PowerCutError):
            Logbook(folder)
    with Logbook(folder) as logbook:
        assert state_of(logbook).position == crashed.states[-1].position


def test_putting_a_file_right_says_step_by_step_that_it_gets_on(
    crashed: Crashed, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It does at a start and on the writer's thread, so nobody who waits for it thinks that it hangs."""
    monkeypatch.setattr(salvaging, "_STEP", 10)
    steps: list[str] = []

    def got_on() -> None:
        steps.append(threading.current_thread().name)
        wal = folder / "logbook.draft-wal"
        assert not wal.exists() or wal.stat().st_size == 0, "what is copied is in the file: no long wait at the end"

    change(folder, "DROP TABLE states")
    with Logbook(folder, progress=got_on) as logbook:
        rows = len(steps)
        assert rows > 10
        change(folder, "DROP TABLE states")
        Play(People(5), Session(state=state_of(logbook))).on(logbook, 3)
    assert set(steps[:rows]) == {"MainThread"}
    assert set(steps[rows:]) == {"logbook"}
    resumed(folder)


def test_a_power_cut_between_two_steps_of_putting_it_right_loses_nothing(
    crashed: Crashed, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(salvaging, "_STEP", 10)
    change(folder, "DROP TABLE states")
    left = iter([None] * 5)

    def cut() -> None:
        if next(left, "cut") == "cut":
            raise PowerCutError

    with pytest.raises(PowerCutError):
        Logbook(folder, progress=cut)
    must_go_on(folder, crashed)


def test_a_damaged_logbook_is_read_or_refused_in_a_sentence(folder: Path) -> None:
    for seed in range(20):
        copy = Path(shutil.copytree(folder, folder.with_name(f"{seed}")))
        flipped(copy / FILE, random.Random(seed), 200)
        with suppress(BadInputError), opened_to_read(copy) as connection:
            assert [told.at for told in Rows(connection).events()]


def test_damage_found_while_writing_is_put_right_without_losing_the_game(crashed: Crashed, folder: Path) -> None:
    play = Play(People(5), Session(state=crashed.states[-1]))
    with Logbook(folder) as logbook:
        change(folder, "DROP TABLE states")
        play.on(logbook, 3)
        logbook.record((), play.session.state)
    assert resumed(folder) == play.session.state


@pytest.mark.long
def test_a_tree_that_leads_back_into_itself_is_read_once(tmp_path: Path) -> None:
    """All branches of the table of events become one, so reading on from the last row would never end.

    The rows that no branch leads to any more are found on their pages.
    """
    played(tmp_path, 60, Play(People(6)))
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        (page_bytes,) = connection.execute("PRAGMA page_size").fetchone()
        (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'events'").fetchone()
    whole = bytearray((tmp_path / FILE).read_bytes())
    start = (root - 1) * page_bytes
    assert whole[start] == 5, "a page of branches (https://www.sqlite.org/fileformat.html#b_tree_pages)"
    (count,) = struct.unpack_from(">H", whole, start + 3)
    cells = [start + at for at in struct.unpack_from(f">{count}H", whole, start + 12)]
    for branch in (*cells, start + 8):
        whole[branch : branch + 4] = whole[cells[0] : cells[0] + 4]
    (tmp_path / FILE).write_bytes(whole)
    with Logbook(tmp_path) as logbook:
        assert logbook.note is not None
        assert logbook.note.code == "salvaged"
        assert logbook.resume() is not None


def test_a_position_that_lacks_a_part_is_damage_and_no_traceback(folder: Path, crashed: Crashed) -> None:
    with closing(connect(folder / FILE)) as connection:
        rows = connection.execute("SELECT id, game, previous, marks, position FROM positions").fetchall()
        for *before, position in rows:
            row = (*before, position.replace('"players":', '"onlookers":'))
            update = "UPDATE positions SET position = ?, sum = ? WHERE id = ?"
            connection.execute(update, (row[-1], sum_of(*row), row[0]))
    with Logbook(folder) as logbook:
        assert logbook.trouble is None
        assert logbook.note
        assert state_of(logbook).position == crashed.states[-1].position, "it follows from the moves"


@pytest.mark.long
def test_a_schema_that_is_not_text_is_damage_and_no_traceback(tmp_path: Path) -> None:
    play = played(tmp_path, 5, Play(People(6)))
    whole = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(whole.replace(b"CREATE TABLE positions", b"CREATE TABL\xb5 positions"))
    with pytest.raises(BadInputError, match="cannot be read"), opened_to_read(tmp_path):
        pass
    with Logbook(tmp_path) as logbook:
        assert logbook.trouble is None
        assert logbook.note is not None
        logbook.record((), play.session.state)
    (aside,) = tmp_path.glob("damaged-*")
    assert b"CREATE TABL\xb5 positions" in (aside / FILE).read_bytes()


def test_what_sqlites_check_does_not_get_to_in_time_counts_as_sound_and_the_connection_is_as_before() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE numbers (number)")
        connection.executemany("INSERT INTO numbers VALUES (?)", ((number,) for number in range(100_000)))
        assert is_sound(connection, limit_s=60.0)
        assert is_sound(connection, limit_s=-1.0)
        assert connection.execute("SELECT sum(number) FROM numbers").fetchone() == (4_999_950_000,), "nothing ends it"
