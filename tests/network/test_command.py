"""`strada network` as a person types it, with a made-up NetworkManager."""

import re
import signal
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner, Result

from companion.board import BadInputError
from companion.cli import network as command
from companion.network import AccessPoint, Done, Manager, published
from companion.wiring import machine
from companion.words import LANGUAGES
from tests.network.nmcli import FakeManager


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeManager:
    fake = FakeManager()
    monkeypatch.setattr(command, "Manager", lambda: Manager(fake.run))
    monkeypatch.setattr(command, "_PLACE", tmp_path / "run" / "access-point.json")
    monkeypatch.setattr(machine, "outwards", tuple)
    return fake


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    path = tmp_path / "strada.toml"
    path.write_text("[web]\nhost = '0.0.0.0'\nport = 80\n")
    return path


def typed(*arguments: object) -> Result:
    return CliRunner().invoke(command.command, [*map(str, arguments)], catch_exceptions=False)


def codes(output: str) -> list[str]:
    """Return what a phone's camera would read from the terminal."""
    found, rows = [], []
    for line in [*output.splitlines(), ""]:
        if re.fullmatch(r"[ ▀▄█]{20,}", plain := re.sub(r"\x1b\[[\d;]*m", "", line)) and plain:
            rows += [[each in "▀█" for each in plain], [each in "▄█" for each in plain]]
        elif rows:
            modules = np.where(np.array(rows), 0, 255).astype(np.uint8)
            # OpenCV now and then misses a code at one size or another.
            sizes = (cv2.resize(modules, None, fx=px, fy=px, interpolation=cv2.INTER_NEAREST) for px in range(8, 1, -1))
            found.append(next(filter(None, (str(cv2.QRCodeDetector().detectAndDecode(one)[0]) for one in sizes)), ""))
            rows = []
    return found


def test_the_tables_own_wifi_is_shown_with_its_code_and_the_address(fake: FakeManager, settings: Path) -> None:
    done = typed("up", "--settings", settings, "--lang", "en")
    point = Manager(fake.run).point()
    assert (done.exit_code, fake.is_open) == (0, True)
    assert codes(done.output) == [f"WIFI:T:WPA;S:{point.name};P:{point.password};;", "http://10.42.0.1/"]
    assert point.password in done.output


def test_a_known_network_is_named_with_the_address(
    fake: FakeManager, settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "outwards", lambda: ("192.168.1.5",))
    fake.known = "Home"
    done = typed("--settings", settings, "--lang", "en")
    assert "on the network Home." in done.output
    assert codes(done.output) == ["http://192.168.1.5/"]


def test_down_goes_back(fake: FakeManager, settings: Path) -> None:
    fake.is_open = True
    done = typed("down", "--settings", settings, "--lang", "en")
    assert (done.exit_code, fake.is_open) == (0, False)
    assert "is off" in done.output


def test_of_a_companion_for_this_machine_alone_it_is_said(fake: FakeManager, tmp_path: Path) -> None:
    path = tmp_path / "alone.toml"
    path.touch()
    assert "Only this machine" in typed("--settings", path, "--lang", "en").output


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_said_in_each_language(fake: FakeManager, settings: Path, language: str) -> None:
    said = {"de": "WLAN", "en": "own Wi-Fi", "fr": "Wi-Fi de la table", "it": "Wi-Fi del tavolo"}
    done = typed("up", "--settings", settings, "--lang", language)
    assert said[language] in done.output
    assert max(len(line) for line in done.output.splitlines() if "\x1b" not in line) <= 80


def test_what_networkmanager_refuses_is_one_line_and_status_1(fake: FakeManager, settings: Path) -> None:
    fake.refuses = "802.1X supplicant took too long"
    done = typed("up", "--settings", settings)
    assert done.exit_code == 1
    assert done.output == "strada: Connection activation failed: 802.1X supplicant took too long\n"


def test_the_watch_needs_the_folder_that_its_unit_makes(fake: FakeManager) -> None:
    with pytest.raises(BadInputError, match=r"strada-network\.service"):
        typed("watch")


def test_the_watch_ends_when_asked_and_leaves_nothing_open(fake: FakeManager, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.network.START_S", 0.0)
    monkeypatch.setattr("companion.network.EVERY_S", 0.01)
    place = command._PLACE
    place.parent.mkdir()
    fake.is_open, fake.guests = True, 1
    seen: list[AccessPoint | None] = []

    looks = iter(range(100))

    def counted(words: Sequence[str], timeout_s: float) -> Done:
        if "status" in words and next(looks) == 3:
            seen.append(published(place))
            signal.raise_signal(signal.SIGTERM)
        return fake.run(words, timeout_s)

    monkeypatch.setattr(command, "Manager", lambda: Manager(counted))
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        command.watch(command.Manager())
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert seen[0] is not None
    assert not fake.is_open
    assert published(place) is None
