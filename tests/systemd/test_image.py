"""The Wi-Fi that somebody writes on the card, and what else of the card's scripts can be tried without a card."""

import configparser
import shutil
import subprocess
from pathlib import Path

import pytest

IMAGE = Path(__file__).parents[2] / "systemd/image"


@pytest.fixture
def card(tmp_path: Path) -> Path:
    (tmp_path / "kept").mkdir()
    shutil.copy(IMAGE / "wifi.txt", tmp_path / "strada-wifi.txt")
    return tmp_path


def write(card: Path, **words: str) -> None:
    """Uncomment these words and give each its value, as people do."""
    path = card / "strada-wifi.txt"
    text = path.read_text(encoding="utf-8")
    for word, value in words.items():
        assert f"#{word}=" in text
        lines = [f"{word}={value}" if line.startswith(f"#{word}=") else line for line in text.splitlines()]
        text = "\n".join(lines) + "\n"
    path.write_text(text, encoding="utf-8")


def join(card: Path) -> subprocess.CompletedProcess[str]:
    command = ["sh", str(IMAGE / "join-wifi.sh"), str(card / "strada-wifi.txt"), str(card / "kept")]
    return subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)


def kept(card: Path) -> configparser.ConfigParser:
    (path,) = (card / "kept").iterdir()
    assert path.stat().st_mode & 0o077 == 0, "others may read the password"
    profile = configparser.ConfigParser(interpolation=None)
    profile.read(path, encoding="utf-8")
    return profile


def test_a_card_as_it_comes_joins_no_wifi(card: Path) -> None:
    assert join(card).returncode == 0
    assert not list((card / "kept").iterdir())


def test_the_wifi_that_is_written_on_the_card_is_joined(card: Path) -> None:
    write(card, country="DE", name="Café am Eck", password="eight by eight")
    assert join(card).returncode == 0
    profile = kept(card)
    assert profile["wifi"]["ssid"] == "Café am Eck"
    assert profile["wifi-security"]["psk"] == "eight by eight"
    assert profile["connection"]["type"] == "wifi"


def test_an_editor_of_another_system_leaves_nothing_behind(card: Path) -> None:
    write(card, country="FR", name="Maison", password="douze lettres")
    path = card / "strada-wifi.txt"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert join(card).returncode == 0
    assert kept(card)["wifi-security"]["psk"] == "douze lettres"


def test_another_wifi_takes_the_place_of_the_one_before(card: Path) -> None:
    for name in ("Old house", "New house"):
        shutil.copy(IMAGE / "wifi.txt", card / "strada-wifi.txt")
        write(card, country="IT", name=name, password="a long password")
        join(card)
    assert kept(card)["wifi"]["ssid"] == "New house"


@pytest.mark.parametrize(
    ("country", "password", "said"),
    [
        ("DE", "7 chars", "the password has 7 characters; a Wi-Fi's has 8 to 63"),
        ("DE", "x" * 64, "the password has 64 characters"),
        ("de", "a long password", "country is 'de'; it should be two large letters, such as DE"),
        ("", "a long password", "country is ''"),
    ],
    ids=["too short", "too long", "small letters", "no country"],
)
def test_what_cannot_be_is_named_and_joins_nothing(card: Path, country: str, password: str, said: str) -> None:
    write(card, country=country, name="House", password=password)
    done = join(card)
    assert done.returncode == 1
    assert said in done.stderr
    assert not list((card / "kept").iterdir())


@pytest.mark.parametrize("password", ["x" * 8, "x" * 63])
def test_a_password_of_8_or_63_characters_is_one(card: Path, password: str) -> None:
    write(card, country="GB", name="House", password=password)
    assert join(card).returncode == 0
    assert kept(card)["wifi-security"]["psk"] == password


@pytest.mark.parametrize("options", [["--suite"], ["--what"]], ids=["a word is missing", "no option"])
def test_the_builder_refuses_what_it_does_not_know(options: list[str]) -> None:
    done = subprocess.run([IMAGE / "build.sh", *options], capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == 2
    assert options[0] in done.stderr
