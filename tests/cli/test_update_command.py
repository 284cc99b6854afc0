"""`strada update`: what is on offer, how a yes is given, and what the units start."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from companion.cli import options, update
from companion.system.news import own_version
from companion.updates import outcome
from companion.updates.desk import PACKAGE, WANTED
from tests.logbook.playing import strada
from tests.updates.releases import ELSE, KEY, released


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with the service's settings, which look for updates on a USB stick."""
    settings = tmp_path / "strada.toml"
    settings.write_text(f"[updates]\nfeed = {json.dumps(str(tmp_path / 'stick'))}\nkey = {json.dumps(KEY)}\n")
    monkeypatch.setattr(options, "SETTINGS", settings)
    monkeypatch.setattr(update, "FOLDER", tmp_path / "update")
    monkeypatch.setattr(update, "NOTE", tmp_path / "update.json")
    monkeypatch.setattr(update, "architecture", lambda: "arm64")
    (tmp_path / "stick").mkdir()
    return tmp_path


def test_it_says_what_is_on_offer_and_asks_for_nothing(place: Path) -> None:
    assert strada("update").output.startswith(f"You have version {own_version()}; nothing newer is on offer.\n")
    released(place / "stick", "9.1.0")
    said = strada("update").output
    assert said.startswith(f"Version 9.1.0 is on offer; you have {own_version()}.")
    assert "No update has been tried out yet." in said
    assert not (place / "update" / WANTED).exists()


def test_a_yes_is_a_request_and_the_last_outcome_is_told(place: Path) -> None:
    released(place / "stick", "9.1.0")
    outcome.write(outcome.Outcome("taken-back", "9.0.0", why="it does not answer"), place / "update.json")
    said = strada("update", "--yes", "--lang", "en").output
    assert "Version 9.1.0 is installed now" in said
    assert "Version 9.0.0 was taken back (-): it does not answer." in said
    assert (place / "update" / WANTED).read_text() == "install 9.1.0\n"


def test_where_nothing_newer_is_on_offer_a_yes_asks_for_nothing(place: Path) -> None:
    released(place / "stick", "0.0.1")
    assert strada("update", "--yes").exit_code == 0
    assert not (place / "update" / WANTED).exists()


def test_what_was_asked_for_is_fetched_by_whoever_is_not_root(place: Path) -> None:
    assert strada("update", "--fetch").output == "", "nothing was asked for"
    assert not (place / "update").exists()
    released(place / "stick", "9.1.0")
    strada("update", "--yes")
    assert strada("update", "--fetch").exit_code == 0
    assert (place / "update" / PACKAGE).exists()


def test_a_stick_that_is_gone_is_told_and_is_no_fault_of_the_unit(place: Path) -> None:
    released(place / "stick", "9.1.0")
    strada("update", "--yes")
    (place / "stick").rename(place / "away")
    done = strada("update", "--fetch")
    assert (done.exit_code, "stick is not there" in done.stderr) == (0, True)
    assert not (place / "update" / WANTED).exists()


def test_a_request_that_the_settings_cannot_answer_is_gone(place: Path) -> None:
    released(place / "stick", "9.1.0")
    strada("update", "--yes")
    (place / "strada.toml").write_text("[web]\nport = 80\n")
    assert "updates are not looked for" in str(strada("update", "--fetch").exception)
    assert not (place / "update" / WANTED).exists(), "systemd would start it again and again"


def test_what_somebody_else_signed_is_told_in_one_line(place: Path) -> None:
    released(place / "stick", "9.1.0", key=ELSE)
    refused: Any = strada("update", "--yes").exception
    assert "updates cannot be looked for: strada_9.1.0_arm64.deb.sig: it is not signed for the key" in str(refused)


def test_settings_that_look_nowhere_are_told_and_are_no_fault_of_a_timer(place: Path) -> None:
    (place / "strada.toml").write_text("[web]\nport = 80\n")
    assert "updates are not looked for" in str(strada("update").exception)
    assert strada("update", "--look").output.startswith("Updates are not looked for")


@pytest.mark.parametrize("words", [["strada.deb"], ["--older"], ["--install", "--older"]])
def test_words_that_do_not_go_together_are_refused(place: Path, words: list[str]) -> None:
    assert "a FILE goes with --install" in str(strada("update", *words).exception)


def test_only_root_installs(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert "run it with sudo" in str(strada("update", "--install").exception)


def test_without_a_request_root_has_nothing_to_do(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    done = strada("update", "--install")
    assert (done.exit_code, done.output) == (0, "No update was asked for.\n")
