"""`strada record`: a photographed evening, or the game on a running companion, becomes a file."""

import errno
import json
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from companion.cli import keep
from companion.records.record import read_record, referee
from companion.scoreboard import Scoreboard
from companion.web import Backend, Download, Server, create_app
from tests.games.silk_road.random_records import random_silk_road
from tests.games.test_records import LEGAL_TURN, small
from tests.strangers import Answer, Stranger, said
from tests.typed import Strada

GAME = json.dumps(small(LEGAL_TURN), ensure_ascii=False)
#: Serve the scoreboard of a companion with this game on the real server; return its address.
Companion = Callable[[Download | None], str]


# An evening.


@pytest.mark.long
def test_an_evening_becomes_a_record_that_says_what_its_referee_said(strada: Strada, drawn_evening: Path) -> None:
    status, printed, complained = strada("record", drawn_evening)
    assert (status, complained) == (0, "")
    assert read_record(printed).rule_set.name == "standard"
    truth = [json.loads(path.read_text())["expected"] for path in sorted(drawn_evening.glob("0*.json"))]
    refereed = referee(printed)
    assert len(refereed["verdicts"]) == 3
    for verdict, expected in zip(refereed["verdicts"], truth[1:], strict=True):
        assert {key: expected[key] for key in ("legal", "days", "violations")}.items() <= verdict.items()
    assert {key: truth[-1][key] for key in ("over", "next", "gold", "winners")}.items() <= refereed.items()


# A running companion.


def test_a_disk_that_is_full_leaves_the_file_that_was_there(
    strada: Strada, companion: Companion, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
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
def companion() -> Iterator[Companion]:
    servers: list[Server] = []

    def serve(game: Download | None) -> str:
        scoreboard = Scoreboard()
        app = create_app(Backend(scoreboard, lambda command, by: True, lambda: None, record=lambda: game))
        servers.append(Server(app, scoreboard, 2, "127.0.0.1", 0))
        return f"http://127.0.0.1:{servers[-1].port}"

    yield serve
    for server in servers:
        server.close()


@pytest.mark.parametrize("path", ["", "/", "/record.json", "/?lang=de#board"])
def test_the_game_on_a_running_companion_is_written_as_it_is(strada: Strada, companion: Companion, path: str) -> None:
    address = companion(Download("game.json", GAME))
    assert strada("record", address + path) == (0, GAME, "")


def test_a_game_of_silk_road_is_written_too(strada: Strada, companion: Companion) -> None:
    text = json.dumps(random_silk_road(8)[0])
    assert strada("record", companion(Download("game.json", text))) == (0, text, "")


def test_it_is_written_to_a_file_whole_and_over_another_only_by_force(
    strada: Strada, companion: Companion, tmp_path: Path
) -> None:
    address, out = companion(Download("game.json", GAME)), tmp_path / "game.json"
    assert strada("record", address, "-o", out) == (0, "", "")
    assert out.read_text() == GAME
    out.write_text("mine")
    assert strada("record", address, "-o", out)[0] == 2
    assert out.read_text() == "mine"
    assert strada("record", address, "--out", out, "--force") == (0, "", "")
    assert out.read_text() == GAME
    assert [path.name for path in tmp_path.iterdir()] == ["game.json"]


def test_a_companion_without_a_game_says_so(strada: Strada, companion: Companion) -> None:
    address = companion(None)
    assert strada("record", address) == (2, "", f"strada: {address} has no record: No game has been dealt yet.\n")


def test_a_proxy_is_not_asked(strada: Strada, companion: Companion, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert strada("record", companion(Download("game.json", GAME)))[0] == 0


# Somebody else.


def _drips(guest: socket.socket) -> None:
    guest.sendall(b"HTTP/1.1 200 OK\r\nX-Drip: ")
    for _ in range(60):
        guest.sendall(b"x")
        time.sleep(0.05)


STRANGERS: Mapping[str, tuple[Answer, str]] = {
    "page": (said("200 OK", b"<html></html>", "nginx"), "is not Strada, or another version of it: this is not JSON"),
    "list": (said("200 OK", b"[1, 2]", "nginx"), "is not Strada, or another version of it: the record is [1, 2]"),
    "version": (
        said("200 OK", b'{"format": "strada-record/9"}', "nginx"),
        "is not Strada, or another version of it: format is 'strada-record/9'",
    ),
    "binary": (said("200 OK", b"\xff\xd8", "nginx"), "is not Strada: it sent no UTF-8 text"),
    "huge": (said("200 OK", b" " * 5_000_000, "nginx"), "is not Strada: it sent more than 4 MiB"),
    "404": (said("404 Not Found", b'{"message": "gone"}', "nginx"), "is not Strada: it answered 404 Not Found"),
    "fault": (said("500 Oh", b"no JSON"), "has no record: it answered 500"),
    "400": (said("400 Bad", b'{"message": "A foreign\\u001b[2J host."}'), "has no record: A foreign�[2J host."),
    "mail": (lambda guest: guest.sendall(b"220 mail.example ESMTP\r\n"), "cannot be reached ("),
    "short": (lambda guest: guest.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}"), "is not Strada"),
    "nothing": (lambda guest: None, "cannot be reached ("),
    "mute": (lambda guest: time.sleep(3), "did not answer within 0.5 s; is a companion running there?"),
    "drip": (_drips, "did not answer within 0.5 s; is a companion running there?"),
}


@pytest.mark.parametrize("who", STRANGERS)
def test_an_address_where_somebody_else_is_is_refused_in_one_line(
    strada: Strada, stranger: Stranger, monkeypatch: pytest.MonkeyPatch, who: str
) -> None:
    answer, complaint = STRANGERS[who]
    if complaint.startswith("did not"):
        monkeypatch.setattr(keep, "ANSWER_S", 0.5)
    address = stranger(answer) + "/"
    status, printed, complained = strada("record", address)
    assert (status, printed) == (2, "")
    assert complained.startswith(f"strada: {address} {complaint}")
    assert complained.count("\n") == 1
