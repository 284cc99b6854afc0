"""The journal keeps what the service says for months: nothing in it is about people."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from companion.board import BadInputError
from companion.settings import Settings
from companion.wiring.choices import choose_settings, game_of
from tests.typed import Strada

#: What people would not like to find there: names of players and keepers, a guess at the PIN, what they looked up.
THEIRS = ("Quirin", "Walburga", "Notburga", "271828", "Mozilla")

PATIENCE_S = 60.0

ROOT = Path(__file__).parents[2]


#: Where guests ask from: an address other than the companion's own.
GUEST = "127.0.0.2"

#: The command, with a picture that fails; a failure is reported with its place in the program.
FAILING = """
from companion.cli import main
from companion.wiring.current_game import CurrentGame
def failing(self):
    raise RuntimeError("made up")
CurrentGame.picture = failing
main()
"""


def answered(address: str, path: str, body: object = None, **more: str) -> tuple[int, str]:
    """Return the answer when this is asked as a guest's browser asks."""
    headers = {"Origin": address, "X-Strada": "1", "Content-Type": "application/json", "User-Agent": "Mozilla/5.0"}
    host = urlsplit(address)
    guest = http.client.HTTPConnection(host.hostname or "", host.port, PATIENCE_S, source_address=(GUEST, 0))
    with closing(guest):
        data = None if body is None else json.dumps(body).encode()
        guest.request("GET" if body is None else "POST", path, data, headers | more)
        answer = guest.getresponse()
        return answer.status, answer.read().decode("utf-8", "replace")


def ask(address: str, path: str, body: object = None) -> int:
    """Return only the answer's status."""
    return answered(address, path, body)[0]


def until(found: Callable[[], str]) -> str:
    """Return what is found as soon as it is there."""
    end_s = time.monotonic() + PATIENCE_S
    while not (it := found()):
        assert time.monotonic() < end_s
        time.sleep(0.2)
    return it


@contextmanager
def running(command: list[str], folder: Path) -> Iterator[subprocess.Popen[str]]:
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, cwd=folder
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def shown_pin(address: str) -> str:
    """Return what the TV shows as the PIN; "" if nothing."""
    return "".join(re.findall(r'<div id="pin"[^>]*>(.*?)</div>', answered(address, "/tv")[1], re.DOTALL))


@pytest.mark.long
def test_the_journal_has_no_names_no_pins_and_no_addresses_of_guests(tmp_path: Path) -> None:
    path = tmp_path / "strada.toml"
    players = '[{name = "Quirin", color = "black"}, {name = "Walburga", color = "red"}]'
    game = f'[game]\nplayers = {players}\nrules = "two-player"\n'
    path.write_text(f'{game}[web]\nport = 0\n[logbook]\nfolder = "{tmp_path / "data"}"\n')
    with running([sys.executable, "-c", FAILING, "run", "--settings", str(path)], tmp_path) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        (address,) = re.findall(r"http://127\.0\.0\.1:\d+", first)
        seats = [{"name": "Quirin", "color": "black"}, {"name": "Quirin", "color": "red"}]
        refused = {
            ask(address, "/keeper/session", {"pin": "271828", "name": "Notburga"}),
            ask(address, "/keeper/start", {"rules": "two-player", "players": seats}),
            ask(address, "/commands/undo", {"moves": 99, "by": "Notburga"}),
            ask(address, "/games/Walburga"),
        }
        assert all(400 <= status < 500 for status in refused), refused
        port = urlsplit(address).port or 0
        with socket.create_connection(("127.0.0.1", port), PATIENCE_S, source_address=(GUEST, 0)) as guest:
            guest.sendall(b"Walburga was here\r\n\r\n")
            assert guest.recv(100).startswith(b"HTTP/1")
        record = until(lambda: ((said := answered(address, "/record.json"))[0] == 200 and said[1]) or "")
        assert "Walburga" in record, "a game was dealt, to these two"
        assert ask(address, "/table/button", {"on": True}) < 300
        pin = "".join(until(lambda: "".join(re.findall(r"\b\d{3}\b", shown_pin(address)))))
        assert ask(address, "/table/button", {"on": False}) < 300
        assert ask(address, "/keeper/session", {"pin": pin, "name": "Notburga"}) < 300
        assert ask(address, "/camera.jpg") == 500
        process.send_signal(signal.SIGTERM)
        said = first + process.communicate(timeout=PATIENCE_S)[0]
    assert "RuntimeError: made up" in said, "what fails is there, and where"
    assert [word for word in (*THEIRS, pin, f"{pin[:3]} {pin[3:]}") if word in said] == []
    assert set(re.findall(r"\d+\.\d+\.\d+\.\d+", said)) == {"127.0.0.1"}, "its own address"


PLAYER = '{name = "Quirin", color = "black"}'


@pytest.mark.parametrize(
    ("game", "where"),
    [
        (f'players = [{PLAYER}, {{name = "Walburga", colour = "red"}}]', "game.players: player 2"),
        (f'players = [{PLAYER}, {{name = "red", color = ["Walburga"]}}]', "game.players: player 2"),
        ('players = ["Quirin", "Walburga"]', "game.players: player 1"),
        ('players = [{name = "red", color = "Walburga"}]', "game"),
        (f"players = [{PLAYER}]\nfirst_days = {{Walburga = 4}}", "game.first_days"),
        (f'players = [{PLAYER}, {{name = "red", color = "Walburga"}}]\nfirst_days = {{grey = 4}}', "game.first_days"),
        (f'Walburga = "red"\nplayers = [{PLAYER}]', "[game]"),
        (f'hints = "Walburga"\nplayers = [{PLAYER}]', "game.hints"),
    ],
)
def test_settings_that_cannot_be_used_are_named_in_the_journal_without_anybodys_name(
    strada: Strada, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch,
    game: str, where: str,
) -> None:  # fmt: skip
    """They are quoted on a terminal, and nowhere else."""
    path, last_good = tmp_path / "strada.toml", tmp_path / "last-good.toml"
    path.write_text(f"[game]\n{game}\n")
    _, _, complained = strada("run", "--settings", path)
    assert complained.startswith(f"strada: {path}: {where} cannot be used") or complained.startswith(
        f"strada: {where} cannot be used"
    )
    last_good.write_text("[web]\nport = 8000\n")
    choose_settings(path, last_good, Settings.checked)
    for said in (complained, caplog.text):
        assert "strada doctor" in said
        assert not [name for name in THEIRS if name in said]
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with pytest.raises(BadInputError, match=r"Walburga|Quirin"):
        choose_settings(path, None, lambda settings: [settings.checked(), game_of(settings)][0])  # type: ignore[arg-type, return-value]


def test_settings_without_any_name_in_what_is_wrong_are_quoted_in_the_journal_too(
    strada: Strada, tmp_path: Path
) -> None:
    path = tmp_path / "strada.toml"
    path.write_text(f"[game]\nplayers = [{PLAYER}]\nhints = 1\n")
    assert "game.hints is 1; it should be true or false" in strada("run", "--settings", path)[2]
