"""What happened is on the disk when `record` returns, and a logbook that is opened again goes on from there."""

import itertools
import json
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bench.made_up import BOARD, People
from companion.board import BadInputError, NotNowError
from companion.commands import Pause, Resume, Undo
from companion.events import GameTakenUp, MovesUndone
from companion.games import score
from companion.logbook import Logbook, Resumed, schema
from companion.logbook.opening import Lock, opened_to_read
from companion.logbook.rows import Rows
from companion.session import Session
from tests.logbook.playing import Play, asked, change, resumed, state_of, written


def clock() -> Callable[[], datetime]:
    seconds = itertools.count()
    return lambda: datetime(2026, 11, 21, 17, 0, tzinfo=UTC) + timedelta(seconds=next(seconds))


@pytest.fixture
def logbook(tmp_path: Path) -> Iterator[Logbook]:
    with Logbook(tmp_path, "kitchen", clock=clock()) as logbook:
        yield logbook


def play(logbook: Logbook, presses: int, people: People | None = None, session: Session | None = None) -> Session:
    """Play on, pressing the button; return the session."""
    at_table = Play(people or People(1), session or Session())
    at_table.on(logbook, presses, who="button")
    return at_table.session


@pytest.mark.long
@pytest.mark.parametrize("rules", ["standard", "two-player", "danger"])
def test_a_game_goes_on_from_the_logbook(tmp_path: Path, rules: str) -> None:
    playing = Play(People(3, rules=(rules,)))
    for _ in range(4):
        with Logbook(tmp_path) as logbook:
            found = logbook.resume()
            assert (found is None) == (not playing.announced)
            if found is not None:
                assert found.state == playing.session.state
                playing.session = Session(state=found.state)
            playing.on(logbook, 12)
            assert logbook.trouble is None
    assert written(tmp_path) == playing.announced


@pytest.mark.long
def test_whoever_resumes_gets_the_events_of_the_game_in_progress(tmp_path: Path, logbook: Logbook) -> None:
    session = play(logbook, 50)
    logbook.close()
    (dealt,) = asked(tmp_path, "SELECT max(id) FROM events WHERE kind = 'GameDealt'")
    with opened_to_read(tmp_path) as connection:
        expected = tuple(told.event for told in Rows(connection).events(after=int(str(dealt[0])) - 1))
    with Logbook(tmp_path) as again:
        assert again.resume() == Resumed(session.state, expected)
        assert again.note is None


def test_an_event_says_who_when_and_what(tmp_path: Path, logbook: Logbook) -> None:
    play(logbook, 1)
    (row,) = asked(tmp_path, "SELECT game, at, who, event FROM events WHERE kind = 'GameDealt'")
    assert row[:3] == (1, "2026-11-21T17:00:00.000Z", "button")
    told = json.loads(str(row[3]))
    (game,) = asked(tmp_path, "SELECT game, ground, place FROM games")
    assert told == {
        "is": "GameDealt", "game": json.loads(str(game[0])), "position": 1,
        "ground": json.loads(str(game[1])), "place": game[2],
    }  # fmt: skip


@pytest.mark.long
def test_moves_can_be_asked_for_with_verdict_and_reasons(tmp_path: Path, logbook: Logbook) -> None:
    play(logbook, 100)
    verdicts = {str(verdict) for (verdict,) in asked(tmp_path, "SELECT DISTINCT verdict FROM moves")}
    assert {"legal", "illegal", "hidden", "accepted"} <= verdicts
    query = "SELECT json_extract(reasons, '$[0].code') FROM moves WHERE verdict = 'illegal'"
    assert all(isinstance(code, str) for (code,) in asked(tmp_path, query))


@pytest.mark.long
def test_moves_taken_back_say_by_which_event(tmp_path: Path, logbook: Logbook) -> None:
    play(logbook, 90)
    with opened_to_read(tmp_path) as connection:
        undone = {
            told.number: told.event.moves for told in Rows(connection).events() if isinstance(told.event, MovesUndone)
        }
    assert undone
    counted = dict(asked(tmp_path, "SELECT undone_by, count(*) FROM moves WHERE undone_by IS NOT NULL GROUP BY 1"))
    assert counted == undone


def test_a_game_that_is_over_has_its_gold_and_winners(tmp_path: Path, logbook: Logbook) -> None:
    session, people = Session(), People(5, rules=("standard",), mischief=0)
    while session.position is None or not session.position.over:
        play(logbook, 1, people, session)
    ended = score(session.position)
    rows = asked(tmp_path, "SELECT color, gold, won FROM seats")
    assert {color: gold for color, gold, _ in rows} == {color.value: gold for color, gold in ended.gold.items()}
    assert {color for color, _, won in rows if won} == {color.value for color in ended.winners}
    assert asked(tmp_path, "SELECT outcome FROM games") == [("over",)]


def test_a_position_is_written_once(tmp_path: Path, logbook: Logbook) -> None:
    session = play(logbook, 12, People(2, mischief=0, rules=("danger",)))
    (count,) = asked(tmp_path, "SELECT count(*) FROM positions")
    assert count == (len(session.history) + 1,)


def test_positions_that_were_taken_back_are_not_written_again(tmp_path: Path, logbook: Logbook) -> None:
    people, session = People(2, mischief=0, rules=("standard",)), Session()
    play(logbook, 10, people, session)
    logbook.record(session.obey(Undo(4)), session.state)
    (before,) = asked(tmp_path, "SELECT count(*) FROM positions")
    logbook.close()
    with Logbook(tmp_path) as again:
        assert state_of(again) == session.state
        resuming = Session(state=state_of(again))
        for paused in (Pause(), Resume(), Pause()):
            again.record(resuming.obey(paused), resuming.state)
        again.record((), replace(resuming.state, covered=frozenset({BOARD.cells[0]})))
    assert asked(tmp_path, "SELECT count(*) FROM positions") == [before]


def test_nothing_new_is_not_written(tmp_path: Path, logbook: Logbook) -> None:
    session = play(logbook, 10)
    before = asked(tmp_path, "SELECT max(id) FROM states")
    logbook.record((), session.state)
    logbook.close()
    assert asked(tmp_path, "SELECT max(id) FROM states") == before


def test_what_somebody_else_reads_does_not_hold_up_the_writer(tmp_path: Path, logbook: Logbook) -> None:
    session = play(logbook, 5)
    with opened_to_read(tmp_path) as connection:
        connection.execute("BEGIN")
        assert connection.execute("SELECT count(*) FROM events").fetchone()
        play(logbook, 5, session=session)
        assert logbook.trouble is None


def test_names_may_hold_anything(tmp_path: Path, logbook: Logbook) -> None:
    people = People(1)
    (reading, command), session = next(iter(people.presses(Session(), 1))), Session()
    players = tuple(
        type(player)(name, player.color)
        for player, name in zip(command.players, ("\ud800", "'; --", "🙂"), strict=True)
    )  # type: ignore[union-attr]
    events = session.see(reading) + session.obey(type(command)(players))  # type: ignore[call-arg, arg-type]
    logbook.record(events, session.state, who="\udfff")
    assert logbook.trouble is None
    logbook.close()
    assert resumed(tmp_path) == session.state


def test_a_second_companion_is_told_who_writes_there(tmp_path: Path, logbook: Logbook) -> None:
    with pytest.raises(NotNowError, match=r"another Strada \(process \d+\)"):
        Logbook(tmp_path)


def test_a_closed_logbook_leaves_the_folder_though_a_child_still_holds_its_files(tmp_path: Path) -> None:
    lock = Lock(tmp_path)
    # A process that another thread starts holds our files until it has become another program. This one never lets go.
    with subprocess.Popen(["sleep", "60"], pass_fds=[lock.file]) as child:
        lock.release()
        Lock(tmp_path).release()
        assert child.poll() is None
        child.kill()


def test_a_database_of_something_else_is_not_touched(tmp_path: Path) -> None:
    change(tmp_path, "CREATE TABLE recipes (name TEXT)")
    with pytest.raises(BadInputError, match="something else"):
        Logbook(tmp_path)


def test_a_folder_that_is_a_file_is_trouble_and_the_game_goes_on(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("no folder")
    with Logbook(tmp_path / "data") as logbook:
        play(logbook, 3)
        assert logbook.trouble is not None


def test_taking_up_the_game_is_an_event_like_others(tmp_path: Path, logbook: Logbook) -> None:
    session = play(logbook, 8)
    state = session.state
    assert state.game is not None
    assert state.position is not None
    logbook.record((GameTakenUp(state.game, state.position, "nothing"),), state)
    assert asked(tmp_path, "SELECT count(DISTINCT game) FROM events") == [(1,)]


def test_the_writer_shows_that_it_is_alive(tmp_path: Path) -> None:
    beats: list[int] = []
    with Logbook(tmp_path, beat=lambda: beats.append(1)) as logbook:
        play(logbook, 5)
    assert len(beats) >= 5


def test_an_older_logbook_becomes_one_of_this_version_with_all_that_it_holds(
    tmp_path: Path, logbook: Logbook, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = play(logbook, 12)
    logbook.close()
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, "ALTER TABLE games ADD COLUMN song TEXT;"))
    monkeypatch.setattr(schema, "VERSION", schema.VERSION + 1)
    with Logbook(tmp_path) as newer:
        assert state_of(newer) == session.state
        assert newer.note is None
        play(newer, 5, session=Session(state=state_of(newer)))
    assert asked(tmp_path, "SELECT song FROM games") == [(None,)]
    assert asked(tmp_path, "PRAGMA user_version") == [(schema.VERSION,)]


def test_a_failed_migration_has_not_begun(tmp_path: Path, logbook: Logbook, monkeypatch: pytest.MonkeyPatch) -> None:
    play(logbook, 3)
    logbook.close()
    half = "ALTER TABLE games ADD COLUMN song TEXT; INSERT INTO seats SELECT * FROM seats;"
    with monkeypatch.context() as patched:
        patched.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, half))
        patched.setattr(schema, "VERSION", schema.VERSION + 1)
        with Logbook(tmp_path) as newer:
            assert newer.trouble is not None
    assert asked(tmp_path, "PRAGMA user_version") == [(schema.VERSION,)]
    resumed(tmp_path)
