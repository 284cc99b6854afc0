"""Root installs what is signed, for this machine and newer, whatever the companion's folder says or contains."""

import json
import os
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest

from companion.updates.desk import PACKAGE, READY, SIGNATURE
from companion.updates.installing import Installer, Ran
from companion.updates.outcome import Outcome, last, write
from tests.updates.releases import CONTENT, ELSE, KEY, released


class Debian:
    """dpkg and apt, which note what they are asked; `ends` is what the trial notes, `says` what a package is."""

    def __init__(self, note: Path, says: str = "strada 2.0.0 arm64") -> None:
        self.note, self.says, self.asked, self.content = note, says, list[list[str]](), b""
        self.ends: Outcome | None = Outcome("stays", "2.0.0")
        self.apt = Ran(0, "done\n")

    def __call__(self, command: Sequence[str]) -> Ran:
        self.asked.append(list(command))
        if command[0] == "dpkg-deb":
            return Ran(0, self.says)
        if command[0] == "apt-get":
            self.content = Path(command[-1]).read_bytes()
            if self.ends is not None:
                write(self.ends, self.note)
            return self.apt
        return Ran(0, "")

    @property
    def installed(self) -> list[str]:
        return [Path(each[-1]).name for each in self.asked if each[0] == "apt-get"]


@pytest.fixture
def debian(tmp_path: Path) -> Debian:
    return Debian(tmp_path / "update.json")


def installer(debian: Debian, own: str = "1.0.0", key: str = KEY) -> Installer:
    return Installer(key, own, "arm64", debian, debian.note, debian.note.parent)


def asked(folder: Path, version: str = "2.0.0", request: str = "install 2.0.0\n", **how: object) -> Path:
    """Put a fetched package and a request into the companion's folder."""
    package = released(folder / "made", version, **how)  # type: ignore[arg-type]
    desk = folder / "update"
    desk.mkdir(exist_ok=True)
    package.rename(desk / PACKAGE)
    package.with_name(f"{package.name}.sig").rename(desk / SIGNATURE)
    (desk / READY).write_text(request)
    return desk


def served(debian: Debian, desk: Path, key: str = KEY) -> Outcome:
    """Let root look at the request; return how it ended."""
    ended = installer(debian, key=key).serve(desk)
    assert ended is not None
    return ended


def test_what_a_keeper_asked_for_is_installed_from_a_copy_that_is_roots(tmp_path: Path, debian: Debian) -> None:
    desk = asked(tmp_path)
    ended = installer(debian).serve(desk)
    assert ended == Outcome("stays", "2.0.0")
    assert debian.installed == ["strada_2.0.0_arm64.deb"]
    assert debian.content == CONTENT
    (command,) = (each for each in debian.asked if each[0] == "apt-get")
    assert not Path(command[-1]).is_relative_to(desk)
    assert not (desk / READY).exists(), "it would be done again and again"
    assert list(desk.iterdir()) == [], "a package takes a lot of room"
    assert installer(debian).serve(desk) is None


def test_a_request_for_which_nothing_was_fetched_yet_waits_for_the_next_time(tmp_path: Path, debian: Debian) -> None:
    """It may come while an older one is being handled: what is there is not what the keeper said yes to."""
    desk = asked(tmp_path)
    (desk / READY).rename(desk / "wanted")
    assert installer(debian).serve(desk) is None
    assert debian.asked == []
    assert (desk / "wanted").exists()


@pytest.mark.parametrize("request_text", ["look\n", "", "install", "\0" * 10])
def test_without_a_keepers_yes_nothing_is_installed(tmp_path: Path, debian: Debian, request_text: str) -> None:
    desk = asked(tmp_path, request=request_text)
    assert installer(debian).serve(desk) is None
    assert debian.asked == []
    assert not (desk / READY).exists()


def _changed(folder: Path) -> Path:
    desk = asked(folder)
    (desk / PACKAGE).write_bytes(b"x" + CONTENT[1:])
    return desk


def _endless(folder: Path) -> Path:
    desk = asked(folder)
    os.truncate(desk / PACKAGE, 8 * 1024**3)
    return desk


def _linked(folder: Path) -> Path:
    desk = asked(folder)
    (desk / PACKAGE).rename(folder / "elsewhere")
    (desk / PACKAGE).symlink_to(folder / "elsewhere")
    return desk


def _piped(folder: Path) -> Path:
    desk = asked(folder)
    (desk / PACKAGE).unlink()
    os.mkfifo(desk / PACKAGE)
    return desk


def _missing(folder: Path) -> Path:
    desk = asked(folder)
    (desk / SIGNATURE).unlink()
    return desk


@pytest.mark.parametrize(
    ("laid", "why"),
    [
        (partial(asked, key=ELSE), "is not signed for the key"),
        (partial(asked, architecture="amd64"), "it is for amd64"),
        (partial(asked, version="1.0.0"), r"it is not newer than version 1\.0\.0"),
        (_changed, "is not the file that was signed"),
        (_endless, "is not the file that was signed"),
        (_linked, "cannot be read"),
        (_piped, "cannot be read"),
        (_missing, "cannot be read"),
    ],
)
def test_what_is_not_right_is_refused_whoever_asks(
    tmp_path: Path, debian: Debian, laid: Callable[[Path], Path], why: str
) -> None:
    desk = laid(tmp_path)
    ended = served(debian, desk)
    assert ended.outcome == "refused"
    assert re.search(why, ended.why), ended.why
    assert debian.installed == []
    assert last(debian.note) == ended
    assert not (desk / READY).exists()


def test_a_link_in_the_place_of_the_folder_is_not_followed(tmp_path: Path, debian: Debian) -> None:
    asked(tmp_path).rename(tmp_path / "elsewhere")
    (tmp_path / "update").symlink_to(tmp_path / "elsewhere")
    assert installer(debian).serve(tmp_path / "update") is None
    assert (tmp_path / "elsewhere" / READY).exists(), "nothing there is touched"


def test_settings_without_a_key_install_nothing_and_the_request_is_answered(tmp_path: Path, debian: Debian) -> None:
    ended = served(debian, asked(tmp_path), key="")
    assert (ended.outcome, debian.installed) == ("refused", [])
    assert "no public key" in ended.why


def test_a_package_that_says_it_is_another_is_refused(tmp_path: Path, debian: Debian) -> None:
    debian.says = "sudo 2.0.0 arm64"
    assert served(debian, asked(tmp_path)).outcome == "refused"
    assert debian.installed == []


def test_root_may_go_back_to_an_older_one_that_is_signed(tmp_path: Path, debian: Debian) -> None:
    package = released(tmp_path, "2.0.0")
    refused = installer(debian, own="3.0.0").install(package, may_be_older=False)
    assert (refused.outcome, debian.installed) == ("refused", [])
    assert installer(debian, own="3.0.0").install(package, may_be_older=True).outcome == "stays"
    assert debian.installed == ["strada_2.0.0_arm64.deb"]


def test_what_the_trial_noted_is_how_it_ended(tmp_path: Path, debian: Debian) -> None:
    debian.ends = Outcome("taken-back", "2.0.0", "restored", "it ended by itself")
    assert installer(debian).serve(asked(tmp_path)) == debian.ends
    assert last(debian.note) == debian.ends


def test_where_apt_cannot_it_says_why(tmp_path: Path, debian: Debian) -> None:
    debian.ends, debian.apt = None, Ran(100, "Reading\nE: Unmet dependencies.\n")
    ended = served(debian, asked(tmp_path))
    assert (ended.outcome, ended.version, ended.why) == ("failed", "2.0.0", "E: Unmet dependencies.")


def test_a_note_that_makes_no_sense_is_no_outcome(tmp_path: Path) -> None:
    note = tmp_path / "update.json"
    assert last(note) is None
    for said in ("", "[]", '{"outcome": "won"}', json.dumps({"outcome": "stays", "version": 7}), "[" * 4000):
        note.write_text(said)
        assert last(note) is None
