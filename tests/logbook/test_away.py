"""`strada backup --away`: the whole logbook, with its tables, off the machine; whatever goes wrong is noted."""

import fcntl
import json
import os
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bench.made_up import People
from companion.board import BadInputError, NotNowError
from companion.logbook import Logbook
from companion.logbook.away import NOTE, Folder, Plan, copy_away, last_try
from companion.logbook.opening import TABLES
from companion.logbook.restoring import restore
from companion.setup import table_setup
from companion.system import durable
from tests.logbook.away import BESIDE, TAUGHT, copied, names, needs_age, numbers, play_on, written
from tests.logbook.playing import Play, PowerCutError, change, resumed, strada


def settings(folder: Path, to: str) -> Path:
    path = folder / "strada.toml"
    path.write_text(f"[backup]\nto = {json.dumps(to)}\n")
    return path


def test_a_folder_gets_everything_and_a_table_comes_back_as_taught(book: Path, away: Path, tmp_path: Path) -> None:
    done = strada("backup", "--away", "--data", book, "--settings", settings(tmp_path, to=str(away)))
    (name,) = names(away)
    assert done.output == f"{name}\n"
    with zipfile.ZipFile(away / name) as archive:
        packed = set(archive.namelist())
        assert archive.testzip() is None
    assert set(TAUGHT) <= packed
    assert not packed & set(BESIDE)
    assert "and 1 table." in strada("restore", away / name, "--data", tmp_path / "new").output
    assert {each: (tmp_path / "new" / each).read_bytes() for each in TAUGHT} == TAUGHT
    assert resumed(tmp_path / "new") == resumed(book)


def test_the_tables_are_where_the_set_up_keeps_them() -> None:
    assert TABLES == table_setup.TABLES


def test_tables_that_a_backup_lacks_stay_and_one_it_has_is_put_aside(book: Path, away: Path, tmp_path: Path) -> None:
    copy = copied(book, away)
    changed = {"tables/club-20261122-101500/table.json": b"taught otherwise", "tables/attic/table.json": b"{}"}
    written(book, changed)
    (book / "tables" / "link").symlink_to("attic")
    restore(book, copy)
    for each, content in {**TAUGHT, "tables/attic/table.json": b"{}"}.items():
        assert (book / each).read_bytes() == content
    assert (book / "tables" / "link").readlink() == Path("attic")
    (aside,) = book.glob("before-restore-*")
    for each, content in {**BESIDE, **changed}.items():
        if each.startswith("tables"):
            assert (aside / each).read_bytes() == content


def test_a_backup_without_tables_leaves_those_that_are_there(book: Path, tmp_path: Path) -> None:
    play_on(tmp_path / "other", seed=2)
    assert strada("backup", tmp_path / "all.zip", "--data", tmp_path / "other").exit_code == 0
    restore(book, tmp_path / "all.zip")
    assert {each: (book / each).read_bytes() for each in TAUGHT} == TAUGHT


def test_without_pictures_those_that_are_there_stay(book: Path, away: Path) -> None:
    copy = copied(book, away, has_pictures=False)
    kept = sorted((book / "pictures").rglob("*.jpg"))
    restored = restore(book, copy)
    assert (restored.has_pictures, restored.pictures) == (False, 0)
    assert sorted((book / "pictures").rglob("*.jpg")) == kept != []


@pytest.mark.parametrize(
    "name",
    [
        "tables/../evil",
        "tables/club/setup/../../../evil.jpg",
        "tables/.hidden/table.json",
        "tables/club/setup/.hidden.jpg",
        "tables/club/run.sh",
        "tables/club/setup/deep/teach.jpg",
        "tables/club/games/000.jpg",
    ],
)
def test_files_that_no_table_has_are_refused(book: Path, tmp_path: Path, name: str) -> None:
    file = tmp_path / "odd.zip"
    assert strada("backup", file, "--data", book).exit_code == 0
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr(name, b"evil")
    with pytest.raises(BadInputError, match="does not belong into a backup"):
        restore(tmp_path / "new", file)
    assert not (tmp_path / "new" / TABLES).exists()


def test_the_newest_are_kept_and_another_tables_copies_stay(book: Path, away: Path) -> None:
    other = "strada-attic-0007-2026-11-22.zip"
    (away / other).write_bytes(b"of another table")
    for number in range(4):
        copied(book, away, keep=2)
        written(book, {"tables/chosen": b"another%d\n" % number})
    assert [name.split("-")[2] for name in names(away) if name != other] == ["0003", "0004"]
    assert (away / other).exists()


def test_what_has_not_changed_is_not_copied_again_unless_the_copy_is_gone(book: Path, away: Path) -> None:
    copy = copied(book, away)
    made = last_try(book, str(away)).made
    assert copy_away(book, Plan(str(away))) is None
    assert last_try(book, str(away)).made == made
    copy.unlink()  # another stick has been plugged in
    assert copied(book, away) == copy
    play_on(book, seed=3, presses=2)
    copied(book, away)
    assert numbers(away) == ["0001", "0002"]


def test_beside_a_companion_that_writes_it_is_made_all_the_same(away: Path, tmp_path: Path) -> None:
    play = Play(People(1))
    with Logbook(tmp_path / "book", encode=bytes) as logbook:
        play.on(logbook, 4)
        copy = copied(tmp_path / "book", away)
        play.on(logbook, 4)
        assert logbook.trouble is None
    assert restore(tmp_path / "new", copy).games == 1


def test_a_damaged_logbook_costs_no_older_copy(book: Path, away: Path) -> None:
    copied(book, away, keep=1)
    kept = names(away)
    change(book, "UPDATE events SET who = 'mallory' WHERE id = 2")
    written(book, {"tables/chosen": b"another\n"})
    with pytest.raises(BadInputError, match="row 2 of events is not what was written"):
        copy_away(book, Plan(str(away), keep=1))
    assert names(away) == kept
    tried = last_try(book, str(away))
    assert (tried.code, "row 2 of events" in tried.facts["why"]) == ("failed", True)


@pytest.fixture
def full(book: Path, away: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder with three copies, without room for a fourth, and the logbook has changed since."""
    for number in range(3):
        copied(book, away)
        written(book, {"tables/chosen": b"another%d\n" % number})
    monkeypatch.setattr(Folder, "room", lambda self: 0)
    return away


def test_where_there_is_little_room_the_oldest_go_and_never_the_newest(
    book: Path, full: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Folder, "freed_by", lambda self, name: 10**12)
    copied(book, full)
    assert numbers(full) == ["0002", "0003", "0004"]


def spoilt(book: Path, plan: Plan) -> Plan:
    change(book, "UPDATE events SET who = 'mallory' WHERE id = 2")
    return plan


def with_a_bad_key(book: Path, plan: Plan) -> Plan:
    return replace(plan, key=f"age1{'q' * 58}")


@pytest.mark.parametrize(
    ("spoil", "said", "code"),
    [
        (lambda book, plan: plan, "too little", "full"),
        (spoilt, "row 2 of events is not what was written", "failed"),
        pytest.param(with_a_bad_key, "malformed recipient", "failed", marks=needs_age),
    ],
    ids=["no room even without older copies", "a damaged logbook", "a key that age refuses"],
)
def test_what_cannot_be_copied_costs_no_older_copy_where_there_is_little_room(
    book: Path, full: Path, spoil: Callable[[Path, Plan], Plan], said: str, code: str
) -> None:
    with pytest.raises(BadInputError, match=said):
        copy_away(book, spoil(book, Plan(str(full))))
    assert numbers(full) == ["0001", "0002", "0003"]
    assert last_try(book, str(full)).code == code


def test_a_folder_that_is_not_there_is_not_made(book: Path, tmp_path: Path) -> None:
    gone = tmp_path / "nas" / "strada"
    with pytest.raises(BadInputError, match="is not there; nothing was copied") as refused:
        copy_away(book, Plan(str(gone)))
    assert refused.value.code == "absent"
    assert not gone.parent.exists()
    tried = last_try(book, str(gone))
    assert (tried.code, tried.facts, tried.made) == ("absent", {"place": str(gone)}, "")


# A stick. Only the kernel says what is mounted, so its list is made up here.


@pytest.fixture
def stick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The mount point of a stick labelled "TABLE 2", as udev names it; it is not yet in the list of mounts."""
    device = tmp_path / "dev" / "sda1"
    written(tmp_path, {"dev/sda1": b"", "mountinfo": b"23 1 8:2 / / rw - ext4 /dev/root rw\n"})
    (tmp_path / "by-label").mkdir()
    (tmp_path / "by-label" / "TABLE\\x202").symlink_to(device)
    monkeypatch.setattr(durable, "BY_LABEL", tmp_path / "by-label")
    monkeypatch.setattr(durable, "MOUNTINFO", tmp_path / "mountinfo")
    (tmp_path / "media" / "usb").mkdir(parents=True)
    return tmp_path / "media" / "usb"


def mount(tmp_path: Path, point: Path, kind: str = "vfat") -> None:
    with (tmp_path / "mountinfo").open("a") as listed:
        listed.write(f"99 23 8:1 / {point} rw,relatime - {kind} {tmp_path / 'dev' / 'sda1'} rw\n")


@pytest.mark.parametrize("by", ["label", "mount point"])
def test_a_stick_that_is_not_mounted_is_said_and_the_card_is_not_filled(
    book: Path, stick: Path, tmp_path: Path, by: str
) -> None:
    to = "stick:TABLE 2" if by == "label" else f"stick:{stick}"
    for kind in ("", "autofs"):
        if kind:
            mount(tmp_path, stick, kind)
        with pytest.raises(BadInputError, match="is not mounted; nothing was copied") as refused:
            copy_away(book, Plan(to))
        assert refused.value.code == "unmounted"
        assert names(stick) == []
    mount(tmp_path, stick)
    name = copy_away(book, Plan(to))
    assert names(stick / "strada") == [name]
    assert last_try(book, to).code == ""


def test_a_stick_that_is_not_plugged_in_harms_nobody(book: Path, stick: Path) -> None:
    with Logbook(book, encode=bytes) as logbook:
        with pytest.raises(BadInputError, match="CLUB is not there") as refused:
            copy_away(book, Plan("stick:CLUB"))
        Play(People(2)).on(logbook, 3)
        assert logbook.trouble is None
    assert refused.value.code == "absent"


def test_a_copy_that_was_cut_off_is_no_copy_and_is_cleared_away(book: Path, away: Path) -> None:
    own, others = (away / f".strada-{table}-0001-2026-11-22.zip.part" for table in ("club", "club-2"))
    own.write_bytes(b"half")
    others.write_bytes(b"another table is writing that now")
    copy = copied(book, away)
    assert set(away.iterdir()) == {copy, others}


def test_a_try_that_never_ended_stays_noted_as_that(book: Path, away: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def pulled(*_: object) -> None:
        raise PowerCutError

    monkeypatch.setattr(Folder, "put", pulled)
    with pytest.raises(PowerCutError):
        copy_away(book, Plan(str(away)))
    assert last_try(book, str(away)).code == "unfinished"


def test_two_at_once_do_not_take_each_others_name(book: Path, away: Path) -> None:
    held = os.open(book, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with pytest.raises(NotNowError, match="another copy off this machine is being made"):
        copy_away(book, Plan(str(away)))
    assert not (book / NOTE).exists(), "how the other one goes is for itself to say"
    with Logbook(book, encode=bytes) as logbook:
        assert logbook.trouble is None
    os.close(held)
    copied(book, away)


@pytest.mark.parametrize("note", [b"[" * 100_000, b"{}", b'{"to": "/x", "at": 3}', b'{"nonsense": 1}', b"\xff"])
def test_a_note_that_cannot_be_read_tells_of_no_try(book: Path, note: bytes) -> None:
    (book / NOTE).write_bytes(note)
    assert last_try(book, "/x").at == ""


def test_nothing_is_copied_where_nobody_asked_for_it(book: Path, tmp_path: Path) -> None:
    (tmp_path / "strada.toml").write_text("")
    done = strada("backup", "--away", "--data", book, "--settings", tmp_path / "strada.toml")
    assert (done.exit_code, "name no place" in done.output) == (0, True)
    assert not (book / NOTE).exists()
    done = strada("backup", "--away", "--data", tmp_path / "none", "--settings", settings(tmp_path, to="/x"))
    assert (done.exit_code, done.output) == (0, "There is nothing to copy yet.\n")


@pytest.mark.parametrize("arguments", [["--away", "all.zip"], ["--away", "--nightly"], ["--settings", "x", "all.zip"]])
def test_what_does_not_go_together_is_refused(arguments: list[str]) -> None:
    assert "--away" in str(strada("backup", *arguments).exception)
