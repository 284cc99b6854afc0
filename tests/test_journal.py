"""What the service says is kept in the journal for months: nothing in it belongs to people."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from companion.board import BadInputError
from companion.settings import Settings
from companion.wiring.choices import game_of
from companion.wiring.last_good import chosen
from tests.typed import Strada

#: What people would not like to read there: names of players and keepers, a guess at the PIN, what they looked for.
THEIRS = ("Quirin", "Walburga", "Notburga", "271828", "Mozilla")

PATIENCE_S = 60.0


def ask(address: str, path: str, body: object = None) -> int:
    """Return how that is answered, asked as a phone's browser asks."""
    headers = {"Origin": address, "X-Strada": "1", "Content-Type": "application/json", "User-Agent": "Mozilla/5.0"}
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(
            urllib.request.Request(address + path, data, headers), timeout=PATIENCE_S
        ) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


@contextmanager
def running(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def test_the_journal_has_no_names_no_pins_and_no_addresses_of_guests(tmp_path: Path) -> None:
    path = tmp_path / "strada.toml"
    players = '[{name = "Quirin", color = "black"}, {name = "Walburga", color = "red"}]'
    game = f'[game]\nplayers = {players}\nrules = "two-player"\n'
    path.write_text(f'{game}[web]\nport = 0\n[logbook]\nfolder = "{tmp_path / "data"}"\n')
    with running([sys.executable, "-m", "companion", "run", "--settings", str(path)]) as process:
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
        with socket.create_connection(("127.0.0.1", urlsplit(address).port or 0), PATIENCE_S) as guest:
            guest.sendall(b"Walburga was here\r\n\r\n")
            assert guest.recv(100).startswith(b"HTTP/1")
        process.send_signal(signal.SIGTERM)
        said = first + process.communicate(timeout=PATIENCE_S)[0]
    assert [word for word in THEIRS if word in said] == []
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
    """On a terminal they are quoted, there alone."""
    path, last_good = tmp_path / "strada.toml", tmp_path / "last-good.toml"
    path.write_text(f"[game]\n{game}\n")
    _, _, complained = strada("run", "--settings", path)
    assert complained.startswith(f"strada: {path}: {where} cannot be used") or complained.startswith(
        f"strada: {where} cannot be used"
    )
    last_good.write_text("[web]\nport = 8000\n")
    chosen(path, last_good, Settings.checked)
    for said in (complained, caplog.text):
        assert "strada doctor" in said
        assert not [name for name in THEIRS if name in said]
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with pytest.raises(BadInputError, match=r"Walburga|Quirin"):
        chosen(path, None, lambda settings: [settings.checked(), game_of(settings)][0])  # type: ignore[arg-type, return-value]


def test_settings_without_any_name_in_what_is_wrong_are_quoted_in_the_journal_too(
    strada: Strada, tmp_path: Path
) -> None:
    path = tmp_path / "strada.toml"
    path.write_text(f"[game]\nplayers = [{PLAYER}]\nhints = 1\n")
    assert "game.hints is 1; it should be true or false" in strada("run", "--settings", path)[2]
