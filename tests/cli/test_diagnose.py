"""`strada diagnose`: what a bug report needs, in one ZIP, with nothing private in it."""

import json
import os
import stat
import zipfile
from pathlib import Path

import pytest
from click.testing import Result

from companion.cli import diagnose
from companion.cli import doctor as cli_doctor
from companion.commands import Undo
from companion.doctor import Machine
from companion.doctor.report import OUT, Scrubber
from companion.logbook import Logbook
from companion.logbook.schema import VERSION
from companion.network import AccessPoint, publish
from companion.settings import settings_from
from tests.logbook.playing import strada
from tests.strangers import host
from tests.web.books import Play

NAMES = ("Quirin-Anaïs \x1b[31m von Zabern", "Ƶoë “O’Brien” 🎲")
KEEPER = "Notburga Übelhör"
WIFI, PASSWORD, HOUSE = "Strada-4f2a", "kdm7-2xqa-9dhe", "Villa Kunterbunt 5G"
#: What must not be in it, in any form: people, the table, machines, networks, addresses, PINs, keys, folders.
THEIRS = (
    *("Quirin", "Anaïs", "Ana\\u00efs", "Zabern", "Ƶoë", "Brien", "Notburga", "Übelhör", "Uebelhoer", "Walburga"),
    *("kueche", "Küche der Familie", WIFI, PASSWORD, HOUSE, "Kunterbunt", "wohnzimmer-pi", "fritz.box"),
    *("192.168.178.23", "10.42.0.7", "fe80::1c2d:3e4f", "2001:db8::7", "b8:27:eb:12:34:56", "131.152.1.1"),
    *("271828", "314 159", "hunter2", "AGE-SECRET-KEY", "age1llum", "ghp_token", "walburga@example.org"),
    *("/home/", "/media/", "nas.example.com"),
)
JOURNAL = """2026-11-22T17:04:58+0100 strada[812]: Strada is at http://192.168.178.23/  and  http://[2001:db8::7]/
2026-11-22T17:05:01+0100 strada[812]: warning: {names[0]} pressed; PIN 271828, or 314 159
2026-11-22T17:05:02+0100 strada[812]: guest fe80::1c2d:3e4f%wlan0 (b8:27:eb:12:34:56) of {house}, 10.42.0.7:51312
2026-11-22T17:05:03+0100 strada[812]: {keeper} (walburga@example.org) at wohnzimmer-pi.fritz.box, 131.152.1.1
2026-11-22T17:05:04+0100 strada[812]: /home/walburga/strada and /media/walburga/STICK hold pictures of Küche der Familie
2026-11-22T17:05:05+0100 strada[812]: the camera has stopped sending pictures; read in 183 ms, frame 41
"""
SETTINGS = """
[web]
port = {port}
trusted_hosts = ["wohnzimmer-pi.fritz.box"]
[camera]
kind = "none"
[game]
players = [{{name = "Walburga", color = "black"}}, {{name = "Notburga", color = "red"}}]
rules = "two-player"
[logbook]
folder = {folder}
[backup]
to = "rclone::sftp,host=nas.example.com,user=walburga,pass=hunter2:strada"
key = "age1llum6pc28sl0kcpwnnppjaazr7tfe983g5twqzztu2l75prcwv2swupnxd"
[updates]
feed = "https://ghp_token@192.168.178.23/releases/latest"
"""


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A logbook of these people at such a machine, with its journal and its Wi-Fi."""
    folder = tmp_path / "book"
    play = Play(folder, "kueche")
    play.begin((NAMES[0], NAMES[1]))
    play.refused()
    play.built()
    play.press(Undo(), by=f"{KEEPER} (192.168.178.23)")
    play.closed()
    table = folder / "tables" / "kueche-20261122-101500"
    table.mkdir(parents=True)
    (table / "table.json").write_text(json.dumps({"name": "Küche der Familie"}))
    (folder / "backup.away.json").write_text(
        json.dumps({
            "to": "rclone::sftp,host=nas.example.com,user=walburga,pass=hunter2:strada",
            "at": "2026-11-22T17:04:58+00:00", "code": "failed", "facts": {"why": "lookup nas.example.com: hunter2"},
        })
    )  # fmt: skip
    programs = tmp_path / "bin"
    programs.mkdir()
    (tmp_path / "journal").write_text(JOURNAL.format(names=NAMES, keeper=KEEPER, house=HOUSE))
    for name, says in (("journalctl", f"cat {tmp_path}/journal"), ("nmcli", f"echo '{HOUSE}'")):
        (programs / name).write_text(f'#!/bin/sh\necho "{name} $*" >>{tmp_path}/calls\n{says}\n')
        (programs / name).chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    publish(AccessPoint(WIFI, PASSWORD), tmp_path / "access-point.json")
    monkeypatch.setattr(diagnose, "PLACE", tmp_path / "access-point.json")
    monkeypatch.setattr(cli_doctor, "published", lambda: AccessPoint(WIFI, PASSWORD))
    named = os.uname()
    monkeypatch.setattr(os, "uname", lambda: os.uname_result((named.sysname, "wohnzimmer-pi", *named[2:])))
    return folder


def packed(book: Path, *options: object, port: int = 0) -> tuple[Result, dict[str, bytes]]:
    out = book.parent / "report.zip"
    path = book.parent / "strada.toml"
    path.write_text(SETTINGS.format(folder=json.dumps(str(book)), port=port))
    done = strada("diagnose", out, "--settings", path, "--data", book, *options)
    assert done.exception is None, done.exception
    with zipfile.ZipFile(out) as archive:
        assert archive.testzip() is None
        return done, {name: archive.read(name) for name in archive.namelist()}


def test_no_byte_of_it_is_anybodys(book: Path) -> None:
    figures = b'# HELP strada_turns_total x\nstrada_turns_total{who="Walburga"} 1234567\n# from 192.168.178.23\n'
    with host(figures) as companion:
        done, members = packed(book, port=int(companion.address.rpartition(":")[2]))
    assert set(members) == {
        *("README.txt", "versions.json", "settings.json", "doctor.json", "figures.json", "journal.txt", "metrics.txt")
    }
    for name, content in members.items():
        text = content.decode()
        for theirs in THEIRS:
            assert theirs.lower() not in text.lower(), f"{theirs} is in {name}"
        assert str(book.parent) not in text, name
    assert b"strada_turns_total" in members["metrics.txt"]
    assert b"1234567" in members["metrics.txt"]
    assert not [theirs for theirs in THEIRS if theirs in done.output]


def test_what_a_report_needs_is_in_it(book: Path) -> None:
    _, members = packed(book)
    told = {name: json.loads(content) for name, content in members.items() if name.endswith(".json")}
    assert told["versions.json"]["schema"] == VERSION
    assert told["versions.json"]["packages"]["numpy"].count(".") == 2
    assert told["settings.json"]["camera"]["kind"] == "none"
    assert told["settings.json"]["game"] == {
        "rules": "two-player", "end": "ever", "first_days": 0, "hints": False, "turn_clock": False, "players": 2
    }  # fmt: skip
    assert told["settings.json"]["backup"]["to"] == "set"
    figures = told["figures.json"]
    assert figures["schema"] == VERSION
    assert figures["games"] == {"standard playing": 1}
    assert figures["verdicts"]["turn illegal"] == 1
    assert figures["undone"] == 1
    assert figures["reading"]["pictures"] == figures["files"]["pictures"]["files"] / 2 > 0
    found = {each["check"]: each for each in told["doctor.json"]}
    assert (found["away"]["code"], found["away"]["facts"]["why"]) == ("away-failed", OUT)
    assert found["logbook"]["facts"]["games"] == 1
    journal = members["journal.txt"].decode()
    assert "2026-11-22T17:05:05+0100 strada[812]: the camera has stopped sending pictures; read in 183 ms" in journal
    asked = (book.parent / "calls").read_text()
    assert "journalctl --unit strada --unit strada-backup --unit strada-outside --lines 2000" in asked
    assert "--no-hostname" in asked


def test_it_prints_what_is_in_it_and_changes_nothing(book: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in book.rglob("*") if not path.name.endswith(("-shm", "-wal"))}
    done, members = packed(book)
    lines = done.output.splitlines()
    assert [line.split() for line in lines[:-1]] == [[str(len(it)), name] for name, it in members.items()]
    assert lines[-1].endswith("report.zip holds this. Look through it before you send it.")
    after = {path: path.stat().st_mtime_ns for path in book.rglob("*") if not path.name.endswith(("-shm", "-wal"))}
    # The doctor writes a small file, to see whether it can, and deletes it.
    assert {path for path in after if after[path] != before.get(path)} <= {book}


def test_pictures_are_in_it_only_if_somebody_says_so_and_are_warned_of(book: Path) -> None:
    _, members = packed(book)
    assert not [name for name in members if name.endswith(".jpg")]
    done, members = packed(book, "--pictures", "--force")
    assert len([name for name in members if name.endswith(".jpg")]) == 6
    assert "strada: the pictures show the table, and whoever sat there" in done.output


def test_a_file_that_is_there_is_not_written_over(book: Path) -> None:
    packed(book)
    again = strada("diagnose", book.parent / "report.zip", "--data", book)
    assert "is there already" in str(again.exception)


def test_without_a_journal_and_with_a_damaged_logbook_the_rest_is_packed(book: Path) -> None:
    (book.parent / "bin" / "journalctl").write_text("#!/bin/sh\nexit 1\n")
    (book / "logbook.sqlite").write_bytes(b"SQLite format 3\0" + bytes(5000))
    _, members = packed(book)
    assert b"with sudo it may" in members["journal.txt"]
    assert json.loads(members["figures.json"])["logbook"].startswith("cannot be read")
    assert b"logbook-damaged" in members["doctor.json"]


def test_with_an_unreadable_logbook_the_journal_stays_here_as_it_may_hold_any_name(book: Path) -> None:
    (book / "logbook.sqlite").write_bytes(b"SQLite format 3\0" + bytes(5000))
    _, members = packed(book)
    assert members["journal.txt"].startswith(b"The journal is left out: the logbook cannot be read")


def test_folders_that_the_settings_name_are_nobodys_business(book: Path) -> None:
    with (book.parent / "journal").open("a") as journal:
        journal.write(f"2026-11-22T17:05:06+0100 strada[812]: {book}/logbook.sqlite is full\n")
    _, members = packed(book)
    assert str(book).encode() not in members["journal.txt"]
    assert b"/logbook.sqlite is full" in members["journal.txt"]


def test_reading_that_fails_costs_no_report(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def spoilt(*_: object) -> None:
        raise KeyError("examples")

    monkeypatch.setattr(diagnose, "_read_again", spoilt)
    _, members = packed(book)
    assert json.loads(members["figures.json"])["reading_ms"] == "they cannot be read again (KeyError)"


@pytest.mark.parametrize(
    ("text", "scrubbed"),
    [
        ("at 17:04:58 and 17:04", "at 17:04:58 and 17:04"),
        ("ada, ADA's turn; Adage", f"{OUT}, {OUT}'s turn; Adage"),
        ("http://10.0.0.7:80/x?y, then", f"{OUT} then"),
        ("::1 and fe80::1", f"{OUT} and {OUT}"),
        ("PIN 271 828", f"PIN {OUT}"),
        ("1640 x 1232 pixels, 0.271828, 41 of 1234567", "1640 x 1232 pixels, 0.271828, 41 of 1234567"),
        ("/dev/video0 and /etc/strada/strada.toml", "/dev/video0 and /etc/strada/strada.toml"),
        ("/home/ada/x.py line 3", f"{OUT} line 3"),
        ("a\x1b[2Jb", "a?[2Jb"),
    ],
)
def test_what_looks_like_somebodys_is_taken_out_and_nothing_else(text: str, scrubbed: str) -> None:
    assert Scrubber(["Ada", "", "I"]).text(text) == scrubbed


@pytest.mark.long
def test_how_long_reading_takes_is_tried_on_a_real_tables_newest_pictures(drawn_evening: Path, book: Path) -> None:
    """It is not tried while a companion runs: that needs the machine for itself."""
    folder = book / "pictures" / "game-0001"
    for number, photo in enumerate(sorted(drawn_evening.glob("*.jpg"))[:3], 900):
        (folder / f"{number:06d}.jpg").write_bytes(photo.read_bytes())
        (folder / f"{number:06d}.json").write_text("{}")
    for earlier in folder.glob("00000*"):
        earlier.unlink()
    settings = settings_from({"camera": {"kind": "usb"}, "table": {"folder": str(drawn_evening.parents[1])}})
    took_ms = diagnose._reading_ms(settings, book, Machine())
    assert isinstance(took_ms, list)
    assert len(took_ms) == 3
    assert all(each > 0 for each in took_ms)
    with Logbook(book, "kueche"):
        assert diagnose._reading_ms(settings, book, Machine()) == "a companion runs"
