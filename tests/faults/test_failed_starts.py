"""After three failed starts in a row the next one leaves out camera and pins, says so, and can be played by hand."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bench.made_up import BOARD, KINDS, SITES, People
from companion.board import (
    BadInputError,
    CellReading,
    Color,
    Contents,
    NotNowError,
    Reading,
    Settlement,
    Terrain,
    Workshop,
)
from companion.commands import CorrectCell, Done, StartGame
from companion.logbook import Logbook
from companion.session import Session
from companion.web.keepers import Refused
from companion.wiring import Companion, pins
from companion.wiring.machine import MOST_FAILED, SOUND_S, STARTS_FILE, Starts, Terminated
from companion.wiring.no_camera import show_books
from companion.words import LANGUAGES, Voice
from hardware.pins import mock_factory
from simulator.dealing import PLAYERS
from tests.clock import Clock
from tests.faults.companions import PATIENCE_S, running, settings_of, until


def failed(folder: Path) -> int:
    """Return how many starts in a row count as failed."""
    return int((folder / STARTS_FILE).read_text()) if (folder / STARTS_FILE).exists() else 0


def crash(folder: Path, error: BaseException | None = None) -> None:
    """Start, and fail."""
    with suppress(RuntimeError, KeyboardInterrupt, BadInputError), Starts(folder):
        raise error or RuntimeError("the camera's library ended the process")


def test_after_three_failed_starts_the_next_one_is_safe(tmp_path: Path) -> None:
    for _ in range(MOST_FAILED):
        assert not Starts(tmp_path).is_safe
        crash(tmp_path)
    assert Starts(tmp_path).is_safe
    assert not Starts(tmp_path, may_be_safe=False).is_safe, "whoever asks for it starts with everything"


def test_a_minute_of_sound_running_forgets_what_failed(tmp_path: Path) -> None:
    clock = Clock()
    crash(tmp_path)
    with Starts(tmp_path, clock=clock) as starts:
        assert failed(tmp_path) == 2, "whatever ends the process now, this start is counted"
        starts.beat()
        clock.now_s += SOUND_S - 1
        starts.beat()
        assert failed(tmp_path) == 2
        clock.now_s += 1
        starts.beat()
        assert failed(tmp_path) == 0


@pytest.mark.parametrize(
    ("error", "counted"),
    [
        (KeyboardInterrupt(), 0),
        (BadInputError("web.port is 99999"), 1),
        (NotNowError("port 80 cannot be used"), 1),
        (Terminated(), 1),
        (RuntimeError("a fault"), 2),
    ],
    ids=["Ctrl-C", "refused with a sentence", "refused for now", "stopped by a person", "a fault"],
)
def test_what_a_person_ends_and_what_is_refused_is_no_failed_start(
    tmp_path: Path, error: BaseException, counted: int
) -> None:
    crash(tmp_path)
    crash(tmp_path, error)
    assert failed(tmp_path) == counted


def test_restarting_it_again_and_again_while_it_learns_does_not_lead_to_safe_mode(tmp_path: Path) -> None:
    for _ in range(2 * MOST_FAILED):
        crash(tmp_path, Terminated())
    assert not Starts(tmp_path).is_safe
    for _ in range(MOST_FAILED - 1):
        crash(tmp_path)
    crash(tmp_path, Terminated())
    assert failed(tmp_path) == MOST_FAILED - 1, "nor does that forgive what failed before"


def test_a_start_that_systemd_gives_up_has_failed(tmp_path: Path) -> None:
    unit = (Path(__file__).parents[2] / "systemd" / "strada.service").read_text()
    (given_s,) = re.findall(r"^TimeoutStartSec=(\d+)$", unit, re.MULTILINE)
    clock = Clock()
    crash(tmp_path)
    with suppress(Terminated), Starts(tmp_path, clock=clock):
        clock.now_s += float(given_s) - 20  # python itself took twenty seconds to come up
        raise Terminated
    assert failed(tmp_path) == 2


def test_sigterm_once_the_loop_runs_is_a_person_who_ends_it(tmp_path: Path) -> None:
    crash(tmp_path)
    with suppress(Terminated), Starts(tmp_path) as starts:
        starts.beat()
        raise Terminated
    assert failed(tmp_path) == 0


def test_a_minute_in_safe_mode_leaves_the_next_start_one_attempt_with_everything(tmp_path: Path) -> None:
    clock = Clock()
    for _ in range(MOST_FAILED):
        crash(tmp_path)
    with Starts(tmp_path, clock=clock) as starts:
        starts.beat()
        clock.now_s += SOUND_S
        starts.beat()
    assert not Starts(tmp_path).is_safe
    crash(tmp_path)
    assert Starts(tmp_path).is_safe


@pytest.mark.parametrize("content", [b"", b"many", b"-1", b"\xff", b"9" * 5000, b"2.5"])
def test_a_damaged_count_counts_no_failed_starts(tmp_path: Path, content: bytes) -> None:
    (tmp_path / STARTS_FILE).write_bytes(content)
    assert not Starts(tmp_path).is_safe


def test_where_nothing_can_be_written_it_starts_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file where the folder should be")
    with Starts(tmp_path / "data") as starts:
        starts.beat()
        assert not starts.is_safe


# The companion in safe mode.


def ask(companion: Companion, method: str, path: str, body: Any = None) -> tuple[int, bytes]:
    origin = companion.addresses[0].rstrip("/")
    connection = http.client.HTTPConnection(origin.removeprefix("http://"), timeout=PATIENCE_S)
    headers = {"Origin": origin, "X-Strada": "1", "Content-Type": "application/json", "Connection": "close"}
    connection.request(method, path, None if body is None else json.dumps(body), headers)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, content


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A logbook in the middle of a game, after three failed starts."""
    folder = tmp_path / "data"
    session = Session()
    with Logbook(folder) as logbook:
        for reading, command in People(11, rules=("standard",)).presses(session, 12):
            logbook.record(session.see(reading) + session.obey(command), session.state)
    (folder / STARTS_FILE).write_text(f"{MOST_FAILED}\n")
    return folder


@pytest.fixture
def safe(data: Path) -> Iterator[Companion]:
    with Starts(data) as starts, running(Companion(settings_of(data).checked(), starts=starts)) as companion:
        until(lambda: companion._scoreboard.latest.eye.trouble != "")
        yield companion


def test_safe_mode_says_what_to_do_in_every_language_and_shows_the_game(safe: Companion) -> None:
    latest = safe._scoreboard.latest
    for language in LANGUAGES:
        assert latest.in_language(language).warning == Voice(language=language).trouble("safe-mode")
    assert latest.phase in ("workshop", "turn")
    assert latest.eye.trouble == Voice().trouble("closed")
    status, page = ask(safe, "GET", "/")
    assert status == 200
    assert b"Safe mode: three starts in a row failed" in page


def test_in_safe_mode_there_is_no_button_so_the_pin_is_shown_for_a_while(safe: Companion) -> None:
    shown = safe._scoreboard.latest.pin
    assert len(shown) == 6
    assert not isinstance(safe.keepers.sign_in(shown, "", "192.168.1.20"), Refused)
    phone = {"REMOTE_ADDR": "192.168.1.20"}
    assert "The table’s button is off" in safe.app.test_client().get("/keeper", environ_base=phone).text
    assert "six digits appear here for two minutes" in safe.app.test_client().get("/setup", environ_base=phone).text


def test_in_safe_mode_a_turn_is_played_by_hand(safe: Companion) -> None:
    before = safe._scoreboard.latest
    assert before.phase == "turn"
    cell = next(cell for cell in before.board.cells if not before.contents.get(cell))
    road = {"kind": "road", "color": before.next, "terrain": before.terrain[cell], "shape": "straight", "edges": [0, 3]}
    laid = {"cell": str(cell), "contents": {"tile": road}, "done": True}
    assert ask(safe, "POST", "/keeper/correct", laid)[0] == 202
    until(lambda: "not finished" in getattr(safe._scoreboard.latest.notice, "title", ""))
    assert ask(safe, "POST", "/keeper/correct", {"cell": str(cell), "contents": {"tile": None}})[0] == 202
    assert ask(safe, "POST", "/keeper/done", {"confirmed": True})[0] == 202
    until(lambda: safe._scoreboard.latest.next is not before.next)


def test_in_safe_mode_everything_can_be_backed_up(safe: Companion, data: Path, tmp_path: Path) -> None:
    status, content = ask(safe, "GET", "/games/backup.zip")
    assert status == 200
    assert "logbook.sqlite" in zipfile.ZipFile(BytesIO(content)).namelist()
    command = [sys.executable, "-m", "companion", "backup", str(tmp_path / "b.zip"), "--data", str(data)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "logbook.sqlite" in zipfile.ZipFile(tmp_path / "b.zip").namelist()


def test_a_keeper_lets_everything_start_again_and_the_game_is_still_there(
    safe: Companion, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pins, "open_factory", lambda kind: (mock_factory(), True))
    before = safe._scoreboard.latest.contents
    assert b"leave-safe-mode" in ask(safe, "GET", "/keeper")[1]
    assert ask(safe, "POST", "/keeper/leave-safe-mode", {})[0] == 202
    until(lambda: Voice().trouble("safe-mode") not in safe._scoreboard.latest.warning)
    assert ask(safe, "POST", "/keeper/leave-safe-mode", {})[0] == 409
    until(lambda: safe._scoreboard.latest.pin == "")
    assert failed(data) == MOST_FAILED, "one more failure leads back"
    assert b"leave-safe-mode" not in ask(safe, "GET", "/keeper")[1]
    with urllib.request.urlopen(f"{safe.addresses[0]}setup", timeout=PATIENCE_S) as page:
        assert page.status == 200
    assert before, "the game had pieces"


@pytest.mark.long
def test_a_process_that_is_killed_while_it_starts_counts_and_the_fourth_is_safe(data: Path, tmp_path: Path) -> None:
    """The whole command: three times killed at once, then its page comes up in safe mode."""
    (data / STARTS_FILE).unlink()
    path = tmp_path / "strada.toml"
    path.write_text(f'[camera]\nkind = "usb"\nindex = 63\n[panel]\npins = "mock"\n[logbook]\nfolder = "{data}"\n')
    command = [sys.executable, "-m", "companion", "run", "--port", "0", "--settings", str(path)]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    for number in range(1, MOST_FAILED + 1):
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment) as process:
            until(lambda number=number: failed(data) == number)  # type: ignore[misc]
            process.kill()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        address = next(line for line in process.stdout if "http://" in line).split()[3]

        def page() -> str:
            with urllib.request.urlopen(address, timeout=PATIENCE_S) as answer:
                return str(answer.read().decode())

        until(lambda: Voice().trouble("closed") in page())
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE_S)
    assert failed(data) == MOST_FAILED - 1


class SetUp:
    """As much of a table's folder as safe mode looks at: the ground that people confirmed."""

    setup = SimpleNamespace(board=BOARD, tracks=dict.fromkeys(Color))

    def load_empty(self) -> tuple[None, Reading]:
        return None, Reading(
            BOARD, {cell: CellReading(terrain=Terrain.PLAIN, site=cell in SITES) for cell in BOARD.cells}
        )


def test_in_safe_mode_a_new_game_is_begun_by_hand() -> None:
    """Each settlement of the deal is entered; the ground is known from the table's set-up."""
    session = Session()
    show_books(session, SetUp())  # type: ignore[arg-type]
    for cell, kind in zip(SITES, KINDS, strict=False):
        session.obey(CorrectCell(cell, Contents(Settlement(kind))))
    session.obey(StartGame(PLAYERS))
    assert session.position is not None
    assert len(session.position.ground.settlements) == len(KINDS)
    free = next(cell for cell in BOARD.cells if cell not in SITES)
    session.obey(CorrectCell(free, Contents(Workshop(PLAYERS[0].color))))
    session.obey(Done(confirmed=True))
    assert session.position.next is PLAYERS[1].color


def test_in_safe_mode_without_any_table_nothing_is_made_up() -> None:
    session = Session()
    show_books(session, None)
    assert session.reading is None
