"""`strada run`: how its options change the settings."""

import socket
import subprocess
import sys
import threading
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from companion.board import Color, NotNowError
from companion.cli import network, run
from companion.logbook.opening import Lock
from companion.settings import Settings
from companion.web import Wifi
from companion.web.joining import code_as_text, wifi_text
from companion.wiring.choices import game_of, kept_in
from companion.wiring.machine import STARTS_FILE

#: The same three who play by default.
THREE = 'players = [{name = "Ada", color = "black"}, {name = "Bo", color = "red"}, {name = "Cy", color = "yellow"}]'


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Settings]:
    """The settings that would be run."""
    settings: list[Settings] = []
    monkeypatch.setattr(run, "serve", lambda chosen, may_be_safe: settings.append(chosen.settings))
    return settings


def run_with(*arguments: str) -> None:
    done = CliRunner().invoke(run.command, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize(("rules", "seats"), [("standard", 3), ("two-player", 2), ("danger", 2)])
def test_rules_are_chosen_and_their_seats_are_filled(served: list[Settings], rules: str, seats: int) -> None:
    run_with("--rules", rules)
    game = game_of(served[0])
    assert game.rules == rules
    assert [player.color for player in game.players] == [Color.BLACK, Color.RED, Color.YELLOW][:seats]


def test_rules_of_a_settings_file_seat_as_many_where_it_names_nobody(served: list[Settings], tmp_path: Path) -> None:
    path = tmp_path / "strada.toml"
    path.write_text('[game]\nrules = "danger"\n')
    run_with("--settings", str(path))
    assert [player.name for player in game_of(served[0]).players] == ["Ada", "Bo"], "who play at the drawn table"
    run_with("--settings", str(path), "--rules", "standard")
    assert len(game_of(served[1]).players) == 3


@pytest.mark.parametrize(("rules", "colors"), [("standard", "black red yellow"), ("competitive", None)])
def test_where_nobody_said_who_plays_they_are_called_by_their_colours_and_only_a_drawn_table_makes_people_up(
    served: list[Settings], rules: str, colors: str | None
) -> None:
    run_with("--camera", "none", "--rules", rules)
    players = game_of(served[0]).players
    assert not any(player.is_named for player in players)
    assert colors is None or [player.color for player in players] == colors.split()
    run_with("--rules", rules)
    assert [player.name for player in game_of(served[1]).players][:2] == ["Ada", "Bo"]


def test_the_logbook_is_kept_where_the_command_says(served: list[Settings], tmp_path: Path) -> None:
    run_with("--data", str(tmp_path))
    run_with()
    assert [kept_in(settings) for settings in served] == [tmp_path, None]


def test_where_nothing_says_how_to_run_it_is_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[bool] = []
    monkeypatch.setattr(run, "serve", lambda chosen, may_be_safe: asked.append(chosen.asks))
    path = tmp_path / "strada.toml"
    path.write_text("")
    run_with()
    run_with("--port", "8001", "--data", str(tmp_path))
    assert asked == [True, True]
    for said in (["--camera", "virtual"], ["--settings", str(path)], ["--game", "silk-road"], ["--seed", "3"]):
        run_with(*said)
    assert asked == [True, True, False, False, False, False]


def test_players_that_a_file_names_are_never_sent_away(served: list[Settings], tmp_path: Path) -> None:
    path = tmp_path / "strada.toml"
    path.write_text(f"[game]\n{THREE}\n")
    run_with("--settings", str(path), "--rules", "danger")
    assert [name for name, _ in served[0].game.players] == ["Ada", "Bo", "Cy"]


@pytest.mark.parametrize("is_terminal", [True, False], ids=["terminal", "log"])
def test_the_pin_stands_on_a_terminal_while_the_button_is_held_and_never_in_a_log(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], is_terminal: bool
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: is_terminal)
    run.show_pin("012345")
    assert capsys.readouterr().out == ("\r\x1b[2KThe keeper's PIN: 012 345" if is_terminal else "")
    run.show_pin("")
    assert capsys.readouterr().out == ("\r\x1b[2K" if is_terminal else "")


@pytest.mark.long
def test_the_pages_are_up_before_what_sees_is_loaded() -> None:
    heavy = {"cv2", "numpy", "vision", "calibration", "companion.setup.wizard", "simulator"}
    loaded = subprocess.run(
        [sys.executable, "-c", "import companion.cli.run, sys; print(*sys.modules)"],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert not heavy & set(loaded.stdout.split())


@pytest.mark.long
@pytest.mark.parametrize("what", ["a port that is taken", "a logbook that a restore holds"])
def test_what_cannot_run_now_says_so_to_systemd_and_is_started_again_later(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends with a status that makes systemd start it again, and it does not count as a failed start."""
    waited: list[float] = []
    monkeypatch.setattr(run.time, "sleep", waited.append)
    path = tmp_path / "strada.toml"
    with socket.create_server(("127.0.0.1", 0)) as taken, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        port = taken.getsockname()[1] if "port" in what else 0
        path.write_text(f'[camera]\nkind = "none"\n[web]\nport = {port}\n[logbook]\nfolder = "{tmp_path}"\n')
        systemd.bind(str(tmp_path / "notify"))
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        lock = None if "port" in what else Lock(tmp_path)
        done = CliRunner().invoke(run.command, ["--settings", str(path)])
        heard = b""
        while b"tries again" not in heard:
            heard = systemd.recv(4000)
        if lock is not None:
            lock.release()
    assert isinstance(done.exception, NotNowError)
    assert f"STATUS=tries again in 30 s: {done.exception}" in heard.decode()
    assert run.AGAIN_S in waited
    assert not (tmp_path / STARTS_FILE).exists()


def test_the_terminal_shows_the_tables_own_wifi_once_it_is_open_in_the_readers_language(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    monkeypatch.setattr(network, "LOOK_S", 0.0)
    home, own = "http://192.168.1.5/", "http://10.42.0.1/"
    point = Wifi("Strada", "geheim-123")
    course = iter([("", None), (home, None), (home, None), (own, point), (own, point)])
    ending, now = threading.Event(), ["", None]

    def address() -> str:
        now[:] = next(course)
        return str(now[0])

    def wifi() -> Wifi | None:
        if next(rest, None) is None:
            ending.set()
        return now[1]  # type: ignore[return-value]

    rest = iter(range(4))
    network.keep_inviting(address, wifi, ending)
    said = capsys.readouterr().out
    assert said.count(f"Der Spielstand steht unter {home}") == said.count(home) == 1
    assert said.count(own) == 1, "and not again while nothing has changed"
    assert said.index(home) < said.index("geheim-123") < said.index(own)
    for code in (code_as_text(home), code_as_text(wifi_text("Strada", "geheim-123")), code_as_text(own)):
        assert said.count(click.unstyle(code)) == 1
