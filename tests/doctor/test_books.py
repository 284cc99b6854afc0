"""Settings and logbook are looked at as a start would, and stay as they were; and how old the newest copy is."""

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from bench.made_up import People
from companion.cli.options import LAST_GOOD, SETTINGS
from companion.doctor import Machine
from companion.doctor.books import away, copies, holder, logbook, settings_of
from companion.logbook import Logbook
from companion.logbook.away import NOTE
from companion.logbook.backup import copy_tonight
from companion.logbook.opening import FILE, NEWEST, files_of, write_newest
from companion.words.doctor import DoctorVoice
from tests.doctor.machines import NOW, Fake
from tests.logbook.playing import Play


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A logbook as a power cut leaves it."""
    folder, left = tmp_path_factory.mktemp("running"), tmp_path_factory.mktemp("left")
    with Logbook(folder) as book:
        Play(People(5, rules=("standard",))).on(book, 12)
        for name in (FILE, f"{FILE}-wal", NEWEST):
            shutil.copy2(folder / name, left / name)
    return left


@pytest.fixture
def folder(left: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(left, tmp_path / "books"))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_sound_logbook_is_good_and_stays_as_it_was(fake: Fake, folder: Path) -> None:
    before = contents(folder)
    found = logbook(fake.machine, folder)
    assert (found.finding.code, found.finding.facts["games"]) == ("logbook", 1)
    assert found.newest is not None
    assert contents(folder) == before


def test_what_a_companion_writes_is_not_opened(folder: Path) -> None:
    machine = Machine()
    assert holder(machine, folder) is None
    with Logbook(folder):
        (folder / FILE).chmod(0)  # nobody could do much with it
        found = logbook(machine, folder).finding
        assert (found.code, found.facts["process"]) == ("logbook-held", str(os.getpid()))
    assert holder(machine, folder) is None


def test_a_lock_on_another_file_is_not_a_companions(fake: Fake, folder: Path) -> None:
    (folder / "logbook.lock").write_text("812\n")
    number = (folder / "logbook.lock").stat().st_ino
    fake.write(
        "/proc/locks",
        f"1: POSIX ADVISORY WRITE 812 08:01:{number} 0 EOF\n2: FLOCK ADVISORY WRITE 7 ff:ff:{number} 0 EOF",
    )
    assert holder(fake.machine, folder) is None
    fake.write("/proc/locks", f"1: FLOCK ADVISORY WRITE 812 ff:ff:{number} 0 EOF")
    assert holder(fake.machine, folder) == 812


def test_where_there_is_none_yet_nothing_is_to_be_done(fake: Fake, tmp_path: Path) -> None:
    assert logbook(fake.machine, tmp_path / "none").finding.code == "logbook-none"


def broken(folder: Path) -> None:
    path = folder / FILE
    path.write_bytes(b"SQLite format 3\0" + bytes(5000))
    (folder / f"{FILE}-wal").unlink()


def newer(folder: Path) -> None:
    with closing(sqlite3.connect(folder / FILE)) as connection:
        connection.executescript("PRAGMA user_version = 99; UPDATE about SET value = '99' WHERE name = 'version'")


def foreign(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()
    with closing(sqlite3.connect(folder / FILE)) as connection:
        connection.executescript("CREATE TABLE recipes (name)")


def lost_but_for_a_copy(folder: Path) -> None:
    copy_tonight(folder)
    for name in files_of(FILE):
        (folder / name).unlink(missing_ok=True)
    (folder / FILE).write_bytes(b"nonsense" * 1000)
    Logbook(folder).close()


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (broken, "logbook-damaged"),
        (newer, "logbook-unfit"),
        (foreign, "logbook-unfit"),
        (lambda folder: (folder / FILE).unlink(), "logbook-gone"),
        (lambda folder: write_newest(folder, 10_000), "logbook-end-lost"),
        (lambda folder: (folder / "damaged-2026-11-21T170458Z").mkdir(), "logbook-was-damaged"),
        (lost_but_for_a_copy, "logbook-copy"),
    ],
)
def test_faults_of_a_logbook_are_told(fake: Fake, folder: Path, spoil: Callable[[Path], object], code: str) -> None:
    spoil(folder)
    assert logbook(fake.machine, folder).finding.code == code


def test_settings_that_can_be_used_are_good(tmp_path: Path) -> None:
    path = tmp_path / "strada.toml"
    path.write_text("[web]\nport = 81\n")
    settings, found = settings_of(path)
    assert (settings.web.port, found.code) == (81, "settings")
    assert settings_of(None)[1].code == "settings-none"


@pytest.mark.parametrize("text", ["[web]\nprot = 80\n", "[web", None])
def test_settings_that_cannot_be_used_are_told_in_their_own_line(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "strada.toml"
    if text is not None:
        path.write_text(text)
    settings, found = settings_of(path)
    assert (settings.web.port, found.grade, found.code) == (8000, "todo", "settings-bad")
    assert str(path) in str(found.facts["why"])


def test_the_last_good_settings_are_in_force_where_the_file_cannot_be_used(tmp_path: Path) -> None:
    path, last_good = tmp_path / "strada.toml", tmp_path / "settings.last-good.toml"
    path.write_text("[web\n")
    assert settings_of(path, last_good)[1].code == "settings-bad", "there are none yet"
    last_good.write_text("[web]\nport = 81\n")
    settings, found = settings_of(path, last_good)
    assert (settings.web.port, found.grade, found.code) == (81, "todo", "settings-last-good")
    assert "is not valid TOML" in str(found.facts["why"])
    path.write_text("# cut off in the first comm")
    settings, found = settings_of(path, last_good)
    assert (settings.web.port, found.code) == (81, "settings-last-good"), "what the companion goes on with, and says"
    assert "holds no key" in str(found.facts["why"])
    path.write_text('[camera]\nkind = "usb"\n[table]\nfolder = "/var/lib/strada/tablet"\n')
    assert "no table.json is there" in str(settings_of(path, last_good)[1].facts["why"])


def test_the_service_keeps_its_last_good_settings_where_the_doctor_looks() -> None:
    unit = Path(__file__).parents[2] / "systemd" / "strada.service"
    assert f"--last-good {LAST_GOOD} --settings {SETTINGS}" in unit.read_text()


def changed(path: Path, days_ago: float) -> None:
    path.parent.mkdir(exist_ok=True)
    path.touch()
    at_s = (NOW - timedelta(days=days_ago)).timestamp()
    os.utime(path, (at_s, at_s))


def test_before_the_first_game_there_is_nothing_to_copy(tmp_path: Path) -> None:
    assert copies(tmp_path).code == "copies-early"


def test_a_logbook_without_any_copy_is_noted(tmp_path: Path) -> None:
    changed(tmp_path / FILE, 0)
    found = copies(tmp_path)
    assert (found.code, found.grade) == ("copies-none", "note")


@pytest.mark.parametrize(
    ("copied_days", "written_days", "grade"),
    [(0.5, 0, "ok"), (30, 29, "ok"), (9, 0, "note"), (-400, 0, "ok")],
    ids=["last night", "nobody has played since", "none was made", "the clock was set back"],
)
def test_the_newest_copy_is_dated_and_noted_where_the_logbook_has_changed_long_since(
    copied_days: float, written_days: float, grade: str, tmp_path: Path
) -> None:
    changed(tmp_path / FILE, 500)
    changed(tmp_path / f"{FILE}-wal", written_days)
    changed(tmp_path / "nightly" / "0001-2020-01-01.sqlite", 600)
    changed(tmp_path / "nightly" / "0002-2020-01-02.sqlite", copied_days)
    found = copies(tmp_path)
    assert found.grade == grade
    said = DoctorVoice().found(found.code, found.facts)
    assert said.startswith(f"The newest copy is from {(NOW - timedelta(days=copied_days)).astimezone():%Y-%m-%d}")
    assert said.endswith("the logbook has changed since then.") == (grade == "note")


# Copies away from the machine: how the last try went.

TO = "stick:CLUB"


def tried(folder: Path, hours_ago: float, code: str = "", made: bool = True, **facts: str) -> None:
    at = (NOW - timedelta(hours=hours_ago)).isoformat()
    noted = {"to": TO, "at": at, "code": code, "facts": facts, "made": "2027-02-20T03:15:00+00:00" if made else ""}
    (folder / NOTE).write_text(json.dumps(noted))


def test_where_nobody_wants_copies_elsewhere_it_is_said_what_that_means(tmp_path: Path) -> None:
    found = away("", tmp_path, NOW)
    assert (found.code, found.grade) == ("away-off", "note")
    assert away(TO, tmp_path, NOW).code == "away-none"


@pytest.mark.parametrize(
    ("code", "facts", "hours_ago", "expected"),
    [
        ("", {}, 1, ("ok", "The newest copy away from this machine is from 2027-02-20")),
        ("absent", {"place": "CLUB"}, 1, ("todo", "copied: CLUB is not there. Newest copy there: 2027-02")),
        ("unmounted", {"place": "CLUB"}, 1, ("todo", "CLUB is not mounted")),
        ("program", {"program": "rclone"}, 1, ("todo", "rclone is not installed")),
        ("full", {}, 1, ("todo", "there is no room")),
        ("failed", {"why": "rclone: no such host"}, 1, ("todo", "rclone: no such host")),
        ("what nobody knows", {}, 1, ("todo", "could not be copied")),
        ("unfinished", {}, 1, ("note", "has not been finished")),
        ("unfinished", {}, 30, ("todo", "has not been finished")),
    ],
)
def test_how_the_last_try_went_is_told(
    tmp_path: Path, code: str, facts: dict[str, str], hours_ago: float, expected: tuple[str, str]
) -> None:
    tried(tmp_path, hours_ago, code, **facts)
    found = away(TO, tmp_path, NOW)
    said = DoctorVoice().found(found.code, found.facts)
    assert found.grade == expected[0]
    assert expected[1] in said
    assert (DoctorVoice().advice(found.code, found.facts) != "") == (found.grade != "ok")
    assert away("/other", tmp_path, NOW).code == "away-none", "another place has nothing yet"


def test_before_the_first_copy_a_dash_is_its_date(tmp_path: Path) -> None:
    tried(tmp_path, 1, "full", made=False)
    found = away(TO, tmp_path, NOW)
    assert DoctorVoice().found(found.code, found.facts).endswith("Newest copy there: -.")


@pytest.mark.parametrize(
    ("tried_days", "written_days", "code"), [(0.5, 0, "away"), (30, 31, "away"), (9, 0, "away-late")]
)
def test_where_nobody_tries_any_more_and_games_were_played_it_is_noted(
    tmp_path: Path, tried_days: float, written_days: float, code: str
) -> None:
    tried(tmp_path, 24 * tried_days)
    changed(tmp_path / FILE, written_days)
    assert away(TO, tmp_path, NOW).code == code
