"""The clock jumps by a year, forwards or back, as a Pi's does that finds the network late: nothing depends on it."""

import ast
import json
import time
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from bench.made_up import People
from companion.cli import games
from companion.logbook import Logbook, backup
from companion.logbook.backup import copy_tonight
from companion.logbook.opening import copies
from companion.records.record import Recorder, record_to_text
from companion.scoreboard import TurnClock
from companion.session import Session
from companion.settings import Settings
from companion.system.notify import Heartbeat
from companion.web.keepers import Keepers, Refused
from companion.web.keepers import Session as Signed
from companion.wiring import Companion
from companion.wiring.machine import JUMPED, TOLD_S, ClockWatch
from companion.words import LANGUAGES, Voice
from tests.scoreboard.test_course import played

ROOT = Path(__file__).parents[2]
NOW = datetime(2026, 11, 22, 20, 0, tzinfo=UTC)
YEAR = timedelta(days=366)

jumps = pytest.mark.parametrize("jump", [YEAR, -YEAR], ids=["a year forth", "a year back"])


class Clock:
    """A clock that runs, and jumps when it is told to."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


def play(folder: Path, clock: Clock, presses: int, jump: timedelta, after: int) -> tuple[Session, Recorder]:
    """Play on in that folder; after that many presses the clock jumps."""
    session, recorder = Session(), Recorder()
    with Logbook(folder, clock=clock) as logbook:
        for number, (reading, command) in enumerate(People(11, rules=("standard",)).presses(session, presses)):
            if number == after:
                clock.now += jump
            events = session.see(reading) + session.obey(command)
            logbook.record(events, session.state)
            recorder.hear(events)
            assert logbook.trouble is None
    return session, recorder


@jumps
def test_a_game_goes_on_where_it_was_after_a_jump_in_its_middle(tmp_path: Path, jump: timedelta) -> None:
    clock = Clock()
    session, recorder = play(tmp_path, clock, 30, jump, after=15)
    with Logbook(tmp_path, clock=clock) as logbook:
        assert logbook.note is None
        resumed = logbook.resume()
        assert resumed is not None
        assert resumed.state == session.state
    done = CliRunner().invoke(games.export_command, ["last", "--data", str(tmp_path)], catch_exceptions=False)
    assert recorder.record is not None
    assert json.loads(done.output) == json.loads(record_to_text(recorder.record)), "every move, in its order"


@jumps
def test_games_are_in_the_order_in_which_they_were_played_whatever_the_clock_said(
    tmp_path: Path, jump: timedelta
) -> None:
    clock = Clock()
    for seed in range(3):
        session = Session()
        with Logbook(tmp_path, clock=clock) as logbook:
            for reading, command in People(seed, rules=("standard",)).presses(session, 6):
                logbook.record(session.see(reading) + session.obey(command), session.state)
        clock.now += jump if seed == 0 else timedelta(hours=1)
    done = CliRunner().invoke(games.games_command, ["--data", str(tmp_path), "--json"], catch_exceptions=False)
    listed = [json.loads(line) for line in done.output.splitlines()]
    assert [game["number"] for game in listed] == sorted(game["number"] for game in listed)
    began = [game["began"] for game in listed]
    assert (began == sorted(began)) == (jump > timedelta(0)), "the clock did jump"
    told = CliRunner().invoke(games.statistics_command, ["--drawn", "--data", str(tmp_path)], catch_exceptions=False)
    assert told.exit_code == 0


@jumps
def test_the_newest_nightly_copies_are_kept_whatever_they_are_dated(
    tmp_path: Path, jump: timedelta, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()

    class Dated(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
            return clock.now

    monkeypatch.setattr(backup, "datetime", Dated)
    made = []
    for night in range(4):
        play(tmp_path, clock, 3, timedelta(0), after=0)
        made.append(copy_tonight(tmp_path, keep=2))
        clock.now += jump if night == 1 else timedelta(days=1)
    assert copies(tmp_path) == made[-2:]


@jumps
def test_a_keeper_signs_in_again_and_wrong_pins_are_counted_on(jump: timedelta) -> None:
    now_s, since_s = NOW.timestamp(), 100.0
    keepers = Keepers("471102", clock=lambda: since_s, now_s=lambda: now_s)
    signed = keepers.sign_in("471102", "Ada", "192.168.1.20")
    assert isinstance(signed, Signed)
    for _ in range(3):
        keepers.sign_in("000000", "", "192.168.1.66")
    now_s += jump.total_seconds()
    assert keepers.session(signed.token) is None, "how long they have been away is not known"
    assert keepers.sign_in("471102", "", "192.168.1.66") == Refused(60.0), "a jump gives nobody more tries"
    since_s += 61
    again = keepers.sign_in("471102", "Ada", "192.168.1.20")
    assert isinstance(again, Signed)
    assert keepers.session(again.token) is not None


@jumps
def test_a_turn_takes_as_long_as_it_takes_whatever_the_clock_on_the_wall_says(
    jump: timedelta, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = TurnClock()
    *history, position = played(3)
    clock.follow(history, position, is_paused=False, is_dealt=True)
    wall_s = time.time() + jump.total_seconds()
    monkeypatch.setattr(time, "time", lambda: wall_s)
    times = clock.follow(history, position, is_paused=True, is_dealt=False)
    assert times is not None
    assert 0 <= times.turn_s < 60


@pytest.mark.long
@jumps
def test_a_jump_is_said_for_a_while_on_every_page_and_once_in_the_journal(
    jump: timedelta, caplog: pytest.LogCaptureFixture
) -> None:
    now_s = [NOW.timestamp(), 100.0]
    settings = Settings()
    companion = Companion(replace(settings, web=replace(settings.web, port=0, streams=2)))
    heart = Heartbeat(("loop", "writer"), None)
    with ExitStack() as stack:
        stack.callback(companion.close)
        companion._clock = ClockWatch(lambda: now_s[0], lambda: now_s[1])
        service = companion._opened_service(stack, heart)

        def warning(language: str) -> str:
            for at in (0, 1):
                now_s[at] += 1
            companion._beat(heart)
            service._warn()
            return companion._scoreboard.latest.in_language(language).warning

        assert warning("de") == ""
        now_s[0] += 1800  # the network corrects a clock that is a little off
        assert warning("de") == ""
        now_s[0] += jump.total_seconds()
        for language in LANGUAGES:
            assert warning(language) == Voice(language=language).trouble(JUMPED) != ""
        for at in (0, 1):
            now_s[at] += TOLD_S
        assert warning("de") == ""
    said = [record.message for record in caplog.records if "the clock was set" in record.message]
    assert len(said) == 1
    assert f"{'forward' if jump > timedelta(0) else 'back'} by 8784.0 hours" in said[0]


#: Who asks for the time of day, and what for: only to write it down. All waiting is by a clock that never jumps.
WALL_CLOCKS = {
    "companion/certificates.py": "from when to when a certificate is good",
    "companion/cli/diagnose.py": "the report's name",
    "companion/cli/doctor.py": "whether a day has passed since somebody was asked, over restarts too",
    "companion/cli/update.py": "when somebody looked for a newer version",
    "companion/doctor/machine.py": "whether the clock is right",
    "companion/logbook/away.py": "the copy's name, and when it was made",
    "companion/logbook/backup.py": "the copy's name",
    "companion/logbook/opening.py": "the name of what is put aside",
    "companion/logbook/reckoning.py": "when a game was set back",
    "companion/logbook/writing.py": "when something happened",
    "companion/setup/wizard.py": "when a table was saved",
    "companion/updates/installing.py": "when a version was installed",
    "companion/web/games/sharing.py": "the name of a backup",
    "companion/wiring/monitoring.py": "whether a copy is overdue",
    "companion/wiring/machine.py": "whether it jumps, to say so",
    "companion/web/keepers.py": "when a session ends, over restarts too",
    "hub/store/opening.py": "when something was written down",
    "hub/store/people.py": "when a session or a code ends, over restarts too",
}


#: What gives the time of day, by module and name; `datetime` is a module and a class in it.
_TODAY = {
    *(f"time.{name}" for name in ("time", "time_ns", "localtime", "gmtime", "ctime", "strftime", "clock_gettime")),
    *(f"datetime.datetime.{name}" for name in ("now", "utcnow", "today")),
    "datetime.date.today",
}


def asks_for_the_time_of_day(source: str) -> bool:
    """Return whether the source asks for the time of day, under whatever name it was imported."""
    tree, meant = ast.parse(source), {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            meant |= {each.asname or each.name: each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            meant |= {each.asname or each.name: f"{node.module}.{each.name}" for each in node.names}

    def dotted(node: ast.AST) -> str:
        if isinstance(node, ast.Attribute):
            return f"{dotted(node.value)}.{node.attr}"
        return meant.get(node.id, node.id) if isinstance(node, ast.Name) else "?"

    return bool({dotted(node) for node in ast.walk(tree)} & _TODAY)


@pytest.mark.parametrize(
    ("source", "asks"),
    [
        ("import time\ntime.time()", True),
        ("from time import time\ntime()", True),
        ("from time import time as now_s\ndef wait(clock=now_s): ...", True),
        ("import time as clock\nclock.time_ns()", True),
        ("import datetime\ndatetime.datetime.now()", True),
        ("from datetime import datetime\ndatetime.now()", True),
        ("import datetime as dt\ndt.date.today()", True),
        ("from datetime import date\ndate.today()", True),
        ("import time\ntime.monotonic()", False),
        ("from time import monotonic as time\ntime()", False),
        ("from datetime import datetime\ndatetime.fromisoformat('2026-11-22')", False),
    ],
)
def test_asking_for_the_time_of_day_is_noticed_under_any_name(source: str, asks: bool) -> None:
    assert asks_for_the_time_of_day(source) == asks


@pytest.mark.long
def test_nobody_waits_by_the_time_of_day() -> None:
    sources = [path for room in ("companion", "hub", "hardware", "vision") for path in (ROOT / room).rglob("*.py")]
    found = {path.relative_to(ROOT).as_posix() for path in sources if asks_for_the_time_of_day(path.read_text())}
    assert found == WALL_CLOCKS.keys()
