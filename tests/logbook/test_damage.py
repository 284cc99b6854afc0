"""A damaged logbook: the last good position, and a word about what was lost; never a traceback, nothing thrown away."""

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
    session, states = Session(), [State()]
    with Logbook(folder) as logbook:
        for number, (reading, command) in enumerate(People(11, rules=("standard",)).presses(session, 44)):
            logbook.record(session.see(reading) + session.obey(command), session.state)
            states.append(session.state)
            if number == 30:
                # What went before is in the file itself, and what follows in the write-ahead log alone.
                with sqlite3.connect(folder / FILE) as connection:
                    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                connection.close()
        for name in (FILE, WAL, NEWEST):
            shutil.copy2(folder / name, left / name)
    assert (left / WAL).stat().st_size > 20_000
    return Crashed(left, tuple(states))


@pytest.fixture
def copy_of(crashed: Crashed, tmp_path: Path) -> Callable[[], Path]:
    numbers = iter(range(1000))

    def copied() -> Path:
        return Path(shutil.copytree(crashed.folder, tmp_path / str(next(numbers))))

    return copied


def must_go_on(folder: Path, crashed: Crashed) -> None:
    """The books are opened without a traceback, stand at a position that was true, say so, and can be written."""
    last = crashed.states[-1]
    with Logbook(folder, wait_s=60) as logbook:
        assert logbook.trouble is None
        resumed = logbook.resume()
        session = Session(state=resumed.state if resumed else None)
        if resumed is None or resumed.state != last:
            assert logbook.note
        if resumed is not None:
            assert resumed.state in crashed.states or resumed.state.position in crashed.positions
            assert all(past.position in crashed.positions for past in resumed.state.history)
        for reading, command in People(5).presses(session, 2):
            logbook.record(session.see(reading) + session.obey(command), session.state)
            assert logbook.trouble is None
    with Logbook(folder) as again:
        assert again.note is None
        resumed = again.resume()
        assert resumed is not None
        assert resumed.state == session.state


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


def test_a_logbook_left_by_a_power_cut_is_whole(crashed: Crashed, copy_of: Callable[[], Path]) -> None:
    with Logbook(copy_of()) as logbook:
        resumed = logbook.resume()
        assert resumed is not None
        assert resumed.state == crashed.states[-1]
        assert logbook.note is None


@pytest.mark.long
@pytest.mark.parametrize("name", [WAL, FILE])
@pytest.mark.parametrize(("damage", "count"), DAMAGES, ids=["a bit", "20 bits", "a page", "cut off"])
@pytest.mark.parametrize("seed", range(6))
def test_what_is_damaged_anywhere_goes_on_at_a_good_position(
    crashed: Crashed,
    copy_of: Callable[[], Path],
    name: str,
    damage: Callable[[Path, random.Random, int], None],
    count: int,
    seed: int,
) -> None:
    folder = copy_of()
    damage(folder / name, random.Random(1000 * count + seed), count)
    must_go_on(folder, crashed)


@pytest.mark.parametrize("names", [(WAL,), (FILE,), (FILE, WAL)], ids=" and ".join)
def test_what_is_gone_is_said_to_be_gone(crashed: Crashed, copy_of: Callable[[], Path], names: tuple[str, ...]) -> None:
    folder = copy_of()
    for name in names:
        (folder / name).unlink()
    must_go_on(folder, crashed)


@pytest.mark.parametrize("name", [WAL, FILE])
def test_what_is_empty_is_said_to_be_lost(crashed: Crashed, copy_of: Callable[[], Path], name: str) -> None:
    folder = copy_of()
    (folder / name).write_bytes(b"")
    must_go_on(folder, crashed)


def test_what_is_damaged_is_kept_aside(copy_of: Callable[[], Path]) -> None:
    folder = copy_of()
    overwritten(folder / FILE, random.Random(1), 100)
    (folder / FILE).write_bytes(b"not a database, by far" * 1000)
    with Logbook(folder) as logbook:
        loss = logbook.note
    (aside,) = folder.glob("damaged-*")
    assert b"not a database" in (aside / FILE).read_bytes()
    assert loss is not None
    assert (loss.code, loss.aside) == ("unread", aside.name)
    assert loss.lost == loss.of > 0


def test_an_end_that_was_cut_off_is_kept_aside(copy_of: Callable[[], Path]) -> None:
    folder = copy_of()
    content = (folder / WAL).read_bytes()
    (folder / WAL).write_bytes(content[: len(content) // 2])
    with Logbook(folder) as logbook:
        loss = logbook.note
    (aside,) = folder.glob("damaged-*")
    assert loss is not None
    assert (loss.code, loss.aside) == ("end", aside.name)
    assert 0 < loss.lost < loss.of
    assert (aside / WAL).read_bytes() == content[: len(content) // 2]


def test_a_changed_byte_within_a_row_is_noticed(crashed: Crashed, copy_of: Callable[[], Path]) -> None:
    folder = copy_of()
    with sqlite3.connect(folder / FILE) as connection:
        (newest,) = connection.execute("SELECT max(id) FROM states").fetchone()
        connection.execute(
            "UPDATE states SET state = replace(state, '\"position\":', '\"position\": ') WHERE id = ?", (newest,)
        )
    connection.close()
    must_go_on(folder, crashed)
    with opened_to_read(next(folder.glob("damaged-*"))) as kept:
        assert kept.execute("SELECT count(*) FROM states").fetchone() == (8,)


@pytest.mark.parametrize("table", ["states", "positions", "games", "events", "moves", "seats", "about"])
def test_a_table_that_is_gone_costs_no_more_than_it_held(
    crashed: Crashed, copy_of: Callable[[], Path], table: str
) -> None:
    folder = copy_of()
    with sqlite3.connect(folder / FILE) as connection:
        connection.execute(f"DROP TABLE {table}")
    connection.close()
    must_go_on(folder, crashed)


def test_without_its_states_a_game_goes_on_from_its_events(crashed: Crashed, copy_of: Callable[[], Path]) -> None:
    folder = copy_of()
    with sqlite3.connect(folder / FILE) as connection:
        connection.execute("DELETE FROM states")
    connection.close()
    with Logbook(folder) as logbook:
        resumed = logbook.resume()
        assert resumed is not None
        assert resumed.state.position == crashed.states[-1].position
        assert [past.position for past in resumed.state.history] == [
            past.position for past in crashed.states[-1].history
        ]
        assert resumed.state.marks == crashed.states[-1].marks
        assert logbook.note is not None
        assert logbook.note.code == "salvaged-part"
        assert 0 < logbook.note.lost < logbook.note.of


def test_a_damaged_old_position_shortens_what_can_be_undone(crashed: Crashed, copy_of: Callable[[], Path]) -> None:
    folder = copy_of()
    with sqlite3.connect(folder / FILE) as connection:
        query = "SELECT json_extract(state, '$.history[5].position') FROM states ORDER BY id DESC LIMIT 1"
        connection.execute("UPDATE positions SET sum = 0 WHERE id = ?", connection.execute(query).fetchone())
    connection.close()
    with Logbook(folder) as logbook:
        resumed = logbook.resume()
        assert resumed is not None
        assert resumed.state.position == crashed.states[-1].position
        assert 0 < len(resumed.state.history) < len(crashed.states[-1].history)
        assert resumed.events == ()
        assert logbook.note


def test_a_power_cut_while_a_damaged_file_is_put_right_loses_nothing(
    crashed: Crashed, copy_of: Callable[[], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copy_of()
    with sqlite3.connect(folder / FILE) as connection:
        connection.execute("DELETE FROM states")
    connection.close()
    rename = Path.rename

    def cut(self: Path, target: Path) -> Path:
        if self.name == "logbook.draft":
            raise KeyboardInterrupt
        return rename(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", cut)
        with pytest.raises(KeyboardInterrupt):
            Logbook(folder)
    with Logbook(folder) as logbook:
        resumed = logbook.resume()
        assert resumed is not None
        assert resumed.state.position == crashed.states[-1].position


def test_putting_a_file_right_says_step_by_step_that_it_gets_on(
    crashed: Crashed, copy_of: Callable[[], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At a start, and on the writer's thread as well: whoever waits for it takes it for no hang."""
    monkeypatch.setattr(salvaging, "_STEP", 10)
    steps: list[str] = []
    folder = copy_of()

    def break_it() -> None:
        with closing(connect(folder / FILE)) as connection:
            connection.execute("DROP TABLE states")

    def got_on() -> None:
        steps.append(threading.current_thread().name)
        wal = folder / "logbook.draft-wal"
        assert not wal.exists() or wal.stat().st_size == 0, "what is copied is in the file: no long wait at the end"

    break_it()
    with Logbook(folder, progress=got_on) as logbook:
        rows = len(steps)
        assert rows > 10
        break_it()
        session = Session(state=logbook.resume().state)  # type: ignore[union-attr]
        for reading, command in People(5).presses(session, 3):
            logbook.record(session.see(reading) + session.obey(command), session.state)
    assert set(steps[:rows]) == {"MainThread"}
    assert set(steps[rows:]) == {"logbook"}
    with Logbook(folder) as again:
        assert again.resume() is not None
        assert again.note is None


def test_a_power_cut_between_two_steps_of_putting_it_right_loses_nothing(
    crashed: Crashed, copy_of: Callable[[], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(salvaging, "_STEP", 10)
    folder = copy_of()
    with closing(connect(folder / FILE)) as connection:
        connection.execute("DROP TABLE states")
    left = iter([None] * 5)

    def cut() -> None:
        if next(left, "cut") == "cut":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Logbook(folder, progress=cut)
    must_go_on(folder, crashed)


def test_a_damaged_logbook_is_read_or_refused_in_a_sentence(copy_of: Callable[[], Path]) -> None:
    for seed in range(20):
        folder = copy_of()
        flipped(folder / FILE, random.Random(seed), 200)
        with suppress(BadInputError), opened_to_read(folder) as connection:
            assert [told.at for told in Rows(connection).events()]


def test_damage_found_while_writing_is_put_right_without_losing_the_game(
    crashed: Crashed, copy_of: Callable[[], Path]
) -> None:
    folder = copy_of()
    session = Session(state=crashed.states[-1])
    with Logbook(folder) as logbook:
        with closing(connect(folder / FILE)) as connection:
            connection.execute("DROP TABLE states")
        for reading, command in People(5).presses(session, 3):
            logbook.record(session.see(reading) + session.obey(command), session.state)
        logbook.record((), session.state)
    with Logbook(folder) as again:
        resumed = again.resume()
        assert resumed is not None
        assert resumed.state == session.state


@pytest.mark.long
def test_a_tree_that_leads_back_into_itself_is_read_once(tmp_path: Path) -> None:
    """All branches of the table of events are made one: what reads on from the last row it has read would never end."""
    session = Session()
    with Logbook(tmp_path) as logbook:
        for reading, command in People(6).presses(session, 60):
            logbook.record(session.see(reading) + session.obey(command), session.state)
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
        assert logbook.note.code == "salvaged-part"
        assert logbook.resume() is not None


def test_a_position_that_lacks_a_part_is_damage_and_no_traceback(copy_of: Callable[[], Path], crashed: Crashed) -> None:
    folder = copy_of()
    with closing(connect(folder / FILE)) as connection:
        rows = connection.execute("SELECT id, game, previous, marks, position FROM positions").fetchall()
        for *before, position in rows:
            row = (*before, position.replace('"players":', '"onlookers":'))
            update = "UPDATE positions SET position = ?, sum = ? WHERE id = ?"
            connection.execute(update, (row[-1], sum_of(*row), row[0]))
    with Logbook(folder) as logbook:
        assert logbook.trouble is None
        assert logbook.note


@pytest.mark.long
def test_a_schema_in_bytes_that_are_no_text_is_damage_and_no_traceback(tmp_path: Path) -> None:
    session = Session()
    with Logbook(tmp_path) as logbook:
        for reading, command in People(6).presses(session, 5):
            logbook.record(session.see(reading) + session.obey(command), session.state)
    whole = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(whole.replace(b"CREATE TABLE positions", b"CREATE TABL\xb5 positions"))
    with pytest.raises(BadInputError, match="cannot be read"), opened_to_read(tmp_path):
        pass
    with Logbook(tmp_path) as logbook:
        assert logbook.trouble is None
        assert logbook.note is not None
        logbook.record((), session.state)
    (aside,) = tmp_path.glob("damaged-*")
    assert b"CREATE TABL\xb5 positions" in (aside / FILE).read_bytes()


def test_what_sqlites_check_does_not_get_to_in_time_counts_as_sound_and_the_connection_is_as_before() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE numbers (number)")
        connection.executemany("INSERT INTO numbers VALUES (?)", ((number,) for number in range(100_000)))
        assert is_sound(connection, limit_s=60.0)
        assert is_sound(connection, limit_s=-1.0)
        assert connection.execute("SELECT sum(number) FROM numbers").fetchone() == (4_999_950_000,), "nothing ends it"
