"""`strada record`: a photographed evening, or the game on a running companion, becomes a file."""

import errno
import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from companion.cli import main
from companion.cli import record as record_command
from companion.games.record import read_record, referee
from companion.scoreboard import Scoreboard
from companion.virtual_table import write_evening, write_table
from companion.web import Download, Server, create_app
from tests.games.test_records import LEGAL_TURN, small

GAME = json.dumps(small(LEGAL_TURN), ensure_ascii=False)
Strada = Callable[..., tuple[int, str, str]]


@pytest.fixture
def strada(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Strada:
    """Type a command; return its status, what it printed and what it complained of."""

    def type_in(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["strada", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        said = capfd.readouterr()
        return int(left.value.code or 0), said.out, said.err

    return type_in


# An evening.


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A drawn evening: the deal and what is placed then."""
    folder = tmp_path_factory.mktemp("drawn") / "table"
    setup = write_table(folder, 5)
    write_evening(folder / "games" / "evening", setup.camera, 5, most=4)
    return folder / "games" / "evening"


def test_an_evening_becomes_a_record_that_says_what_its_referee_said(strada: Strada, evening: Path) -> None:
    status, printed, complained = strada("record", evening)
    assert (status, complained) == (0, "")
    truth = [json.loads(path.read_text())["expected"] for path in sorted(evening.glob("0*.json"))]
    refereed = referee(printed)
    assert len(refereed["verdicts"]) == 3
    for verdict, expected in zip(refereed["verdicts"], truth[1:], strict=True):
        assert (verdict["legal"], verdict["days"]) == (expected["legal"], expected["days"])
        assert verdict["violations"] == expected["violations"]
    assert {key: refereed[key] for key in ("over", "next", "gold", "winners")} == {
        key: truth[-1][key] for key in ("over", "next", "gold", "winners")
    }


def test_it_is_written_to_a_file_whole_and_over_another_only_by_force(
    strada: Strada, evening: Path, tmp_path: Path
) -> None:
    out = tmp_path / "game.json"
    assert strada("record", evening, "-o", out) == (0, "", "")
    written = out.read_text()
    assert read_record(written).rule_set.name == "standard"
    out.write_text("mine")
    assert strada("record", evening, "-o", out)[0] == 2
    assert out.read_text() == "mine"
    assert strada("record", evening, "--out", out, "--force") == (0, "", "")
    assert out.read_text() == written
    assert [path.name for path in tmp_path.iterdir()] == ["game.json"]


# A running companion.


def test_a_disk_that_is_full_leaves_the_file_that_was_there(
    strada: Strada,
    companion: Callable[[Download | None], str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    def fill(path: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    out = tmp_path / "game.json"
    out.write_text("mine")
    monkeypatch.setattr(Path, "replace", fill)
    status, printed, complained = strada("record", companion(Download("game.json", GAME)), "--force", "-o", out)
    assert (status, printed) == (2, "")
    assert complained.startswith(f"strada: cannot write {out}: No space left on device; name a file")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"]


@pytest.fixture
def companion() -> Iterator[Callable[[Download | None], str]]:
    """Serve the scoreboard of a companion whose game is this, on the real server; return its address."""
    servers: list[Server] = []

    def serve(game: Download | None) -> str:
        scoreboard = Scoreboard()
        app = create_app(scoreboard, lambda command: True, lambda: None, record=lambda: game)
        servers.append(Server(app, scoreboard, 2, "127.0.0.1", 0))
        return f"http://127.0.0.1:{servers[-1].port}"

    yield serve
    for server in servers:
        server.close()


@pytest.mark.parametrize("path", ["", "/", "/record.json", "/?lang=de#board"])
def test_the_game_on_a_running_companion_is_written_as_it_stands(
    strada: Strada, companion: Callable[[Download | None], str], path: str
) -> None:
    address = companion(Download("game.json", GAME))
    assert strada("record", address + path) == (0, GAME, "")


def test_a_companion_without_a_game_says_so(strada: Strada, companion: Callable[[Download | None], str]) -> None:
    address = companion(None)
    assert strada("record", address) == (2, "", f"strada: {address} has no record: No game was dealt yet.\n")


def test_a_proxy_is_not_asked(
    strada: Strada, companion: Callable[[Download | None], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert strada("record", companion(Download("game.json", GAME)))[0] == 0


# Somebody else.

Answer = Callable[[socket.socket], object]


@pytest.fixture
def stranger() -> Iterator[Callable[[Answer], str]]:
    """Listen, and answer whoever asks in that way; return the address."""
    doors: list[socket.socket] = []

    def listen(answer: Answer) -> str:
        door = socket.create_server(("127.0.0.1", 0))
        doors.append(door)
        threading.Thread(target=_answer, args=(door, answer), daemon=True).start()
        return f"http://127.0.0.1:{door.getsockname()[1]}/"

    yield listen
    for door in doors:
        door.close()


def _answer(door: socket.socket, answer: Answer) -> None:
    try:
        guest, _ = door.accept()
        with guest:
            guest.recv(65536)
            answer(guest)
    except OSError:
        return


def _said(body: bytes, status: str = "200 OK", server: str = "nginx") -> Answer:
    head = f"HTTP/1.1 {status}\r\nServer: {server}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    return lambda guest: guest.sendall(head + body)


def _drips(guest: socket.socket) -> None:
    guest.sendall(b"HTTP/1.1 200 OK\r\nX-Drip: ")
    for _ in range(60):
        guest.sendall(b"x")
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (_said(b"<html>hello</html>"), "is no Strada, or another version of it: this is not JSON"),
        (_said(b"[1, 2]"), "is no Strada, or another version of it: the record is [1, 2]"),
        (
            _said(b'{"format": "strada-record/9"}'),
            "is no Strada, or another version of it: format is 'strada-record/9'",
        ),
        (_said(b"\xff\xd8"), "is no Strada: it sent no UTF-8 text"),
        (_said(b" " * 5_000_000), "is no Strada: it sent more than 4 MiB"),
        (_said(b'{"message": "gone"}', "404 Not Found"), "is no Strada: it answered 404 Not Found"),
        (_said(b"no JSON", "500 Oh", "strada"), "has no record: it answered 500"),
        (_said(b'{"message": "A foreign\\u001b[2J host."}', "400 Bad", "strada"), "has no record: A foreign�[2J host."),
        (lambda guest: guest.sendall(b"220 mail.example ESMTP\r\n"), "cannot be reached ("),
        (lambda guest: guest.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}"), "is no Strada"),
        (lambda guest: None, "cannot be reached ("),
        (lambda guest: time.sleep(3), "did not answer within 0.5 s; is a companion running there?"),
        (_drips, "did not answer within 0.5 s; is a companion running there?"),
    ],
    ids=[
        "page",
        "list",
        "version",
        "binary",
        "huge",
        "404",
        "fault",
        "400",
        "mail",
        "short",
        "nothing",
        "mute",
        "drip",
    ],
)
def test_an_address_where_somebody_else_is_is_refused_in_one_line(
    strada: Strada,
    stranger: Callable[[Answer], str],
    monkeypatch: pytest.MonkeyPatch,
    answer: Answer,
    complaint: str,
) -> None:
    if complaint.startswith("did not"):
        monkeypatch.setattr(record_command, "ANSWER_S", 0.5)
    address = stranger(answer)
    status, printed, complained = strada("record", address)
    assert (status, printed) == (2, "")
    assert complained.startswith(f"strada: {address} {complaint}")
    assert complained.count("\n") == 1
