"""`strada restore`: a backup becomes the logbook again, whole or not at all, and nothing that was there is lost."""

import os
import shutil
import sqlite3
import zipfile
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from bench.made_up import People
from companion.board import BadInputError
from companion.logbook import Logbook, restoring
from companion.logbook.backup import copy_tonight
from companion.logbook.opening import FILE, NEWEST, Lock, copies, read_newest
from companion.logbook.restoring import DECIDED, MOVED, READY, finish, restore
from companion.session.state import State
from tests.logbook.playing import Play, PowerCutError, listed, resumed, strada


def played(folder: Path, seed: int, presses: int = 12) -> State:
    """Play an evening with pictures in that folder; return the state of the game at its end."""
    play = Play(People(seed))
    with Logbook(folder, encode=bytes) as logbook:
        play.on(logbook, presses, is_pictured=True)
    return play.session.state


def content(folder: Path) -> dict[str, bytes]:
    """Return all files in the folder, except the lock and an empty log that readers leave behind."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "logbook.lock" and not path.name.endswith(("-wal", "-shm"))
    }


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("book")
    played(folder, 1)
    return folder


@pytest.fixture(scope="module")
def backup(book: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("backup") / "all.zip"
    assert strada("backup", file, "--data", book).exit_code == 0
    return file


def repacked(backup: Path, file: Path, change: Callable[[dict[str, bytes]], object]) -> Path:
    """Return the backup with that change in it."""
    with zipfile.ZipFile(backup) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    change(entries)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, entry in entries.items():
            archive.writestr(name, entry)
    return file


def test_in_a_new_folder_the_game_goes_on_where_the_backup_was_made(book: Path, backup: Path, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "card"
    done = strada("restore", backup, "--data", folder)
    assert done.output == f"{folder} now holds 1 game with 12 pictures.\n"
    assert content(folder).keys() == content(book).keys()
    assert content(folder / "pictures") == content(book / "pictures") != {}
    assert listed(folder) == listed(book)
    assert resumed(folder) == resumed(book)


def test_what_was_there_is_put_aside_whole(backup: Path, book: Path, tmp_path: Path) -> None:
    played(tmp_path, 2)
    (tmp_path / "keeper.key").write_text("mine")
    before = content(tmp_path)
    assert "what was there before lies in" in strada("restore", backup, "--data", tmp_path).output
    (aside,) = tmp_path.glob("before-restore-*")
    assert content(aside) == {name: it for name, it in before.items() if name != "keeper.key"}
    assert (tmp_path / "keeper.key").read_text() == "mine"
    assert resumed(tmp_path) == resumed(book)


def test_restored_twice_both_that_were_there_are_kept(backup: Path, tmp_path: Path) -> None:
    played(tmp_path, 2)
    restore(tmp_path, backup)
    restore(tmp_path, backup)
    assert len(list(tmp_path.glob("before-restore-*"))) == 2


def test_a_damaged_logbook_makes_way_as_it_is(backup: Path, tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"no database any more")
    restore(tmp_path, backup)
    (aside,) = tmp_path.glob("before-restore-*")
    assert (aside / FILE).read_bytes() == b"no database any more"
    resumed(tmp_path)


def test_a_nightly_copy_is_taken_back_and_the_pictures_stay(tmp_path: Path) -> None:
    played(tmp_path, 1)
    assert copy_tonight(tmp_path) is not None
    was, pictures = resumed(tmp_path), content(tmp_path / "pictures")
    (tmp_path / FILE).write_bytes(b"")
    (copy,) = copies(tmp_path)
    done = strada("restore", copy, "--data", tmp_path)
    assert done.output.startswith(f"{tmp_path} now holds 1 game; what was there before lies in ")
    assert content(tmp_path / "pictures") == pictures != {}
    assert resumed(tmp_path) == was
    assert copies(tmp_path) == [copy]


def test_while_a_companion_writes_there_nothing_is_changed(backup: Path, tmp_path: Path) -> None:
    lock = Lock(tmp_path)
    done = strada("restore", backup, "--data", tmp_path)
    assert "another Strada" in str(done.exception)
    assert [path.name for path in tmp_path.iterdir()] == ["logbook.lock"]
    lock.release()
    restore(tmp_path, backup)


def bitten(name: str, at: float) -> Callable[[dict[str, bytes]], None]:
    """Damage that file inside a ZIP whose own checksums are right."""

    def change(entries: dict[str, bytes]) -> None:
        whole = bytearray(entries[name])
        start = int(len(whole) * at)
        whole[start : start + 300] = bytes(each ^ 0x55 for each in whole[start : start + 300])
        entries[name] = bytes(whole)

    return change


def of_another_form(statement: str) -> Callable[[dict[str, bytes]], None]:
    def change(entries: dict[str, bytes]) -> None:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.deserialize(entries[FILE])
            connection.executescript(statement)
            entries[FILE] = connection.serialize()

    return change


#: What makes our database one of another form, and what is said of it.
OTHER_FORMS = {
    "a changed row": ("UPDATE events SET who = 'mallory' WHERE id = 3", "is damaged"),
    "a database of something else": ("DROP TABLE about", "is damaged"),
    "a newer version": (
        "PRAGMA user_version = 99; UPDATE about SET value = '99' WHERE name = 'version'",
        "newer version of Strada",
    ),
    "a trigger": ("CREATE TRIGGER evil AFTER INSERT ON events BEGIN DELETE FROM games; END", "has trigger 'evil'"),
    "a table of their own": ("CREATE TABLE more (x)", "has table 'more'"),
    "a generated column": ("ALTER TABLE seats ADD COLUMN much BLOB AS (zeroblob(400000000))", "has table 'seats'"),
    "an index of 400 MB a row": ("CREATE INDEX heavy ON games (length(zeroblob(400000000)) )", "has index 'heavy'"),
    "an index that stops us": ("CREATE UNIQUE INDEX one ON events (game IS NULL) WHERE id > 9999", "has index 'one'"),
}
UNUSABLE: Mapping[str, tuple[Callable[[dict[str, bytes]], object], str]] = {
    "a name that leads out of the folder": (lambda it: it.update({"../evil": b""}), "does not belong"),
    "an absolute name": (lambda it: it.update({"/tmp/evil": b""}), "does not belong"),
    "a keeper's key": (lambda it: it.update({"keeper.key": b"mine"}), "does not belong"),
    "a picture outside its game": (lambda it: it.update({"pictures/../x.jpg": b""}), "does not belong"),
    "no database": (lambda it: it.pop(FILE), "holds no logbook.sqlite"),
    "something else as database": (lambda it: it.update({FILE: b"x" * 5000}), "is damaged"),
    "a damaged page": (bitten(FILE, 0.3), "is damaged"),
    "a schema that is not text": (
        lambda it: it.update({FILE: it[FILE].replace(b"CREATE TABLE positions", b"CREATE TABL\xb5 positions")}),
        "is damaged",
    ),
    **{what: (of_another_form(statement), said) for what, (statement, said) in OTHER_FORMS.items()},
}


@pytest.mark.parametrize("what", UNUSABLE)
def test_what_cannot_be_used_changes_nothing(what: str, backup: Path, tmp_path: Path) -> None:
    change, said = UNUSABLE[what]
    file = repacked(backup, tmp_path / "changed.zip", change)
    folder = tmp_path / "data"
    played(folder, 2, 4)
    before = content(folder)
    done = strada("restore", file, "--data", folder)
    assert isinstance(done.exception, BadInputError)
    assert said in str(done.exception)
    assert "nothing was changed" in str(done.exception)
    assert content(folder) == before
    assert sorted(path.name for path in folder.parent.iterdir()) == ["changed.zip", "data"]


def with_a_flipped_byte(whole: bytes) -> bytes:
    at = len(whole) // 2
    return whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]


def with_a_name_that_is_no_text(whole: bytes) -> bytes:
    """Spoil a name in the list at the end, where a flag says that it is UTF-8."""
    at = whole.rindex(b"PK\x01\x02")
    return whole[: at + 9] + b"\x08" + whole[at + 10 : at + 46] + b"\xf8" + whole[at + 47 :]


BROKEN: Mapping[str, tuple[Callable[[bytes], bytes], str]] = {
    "nothing": (lambda whole: b"", "not a backup, or only a part of one"),
    "its first bytes": (lambda whole: whole[:10], "not a backup, or only a part of one"),
    "half of it": (lambda whole: whole[: len(whole) // 2], "not a backup, or only a part of one"),
    "all but its last byte": (lambda whole: whole[:-1], "not a backup, or only a part of one"),
    "a flipped byte": (with_a_flipped_byte, "is damaged"),
    "a name that is not text": (with_a_name_that_is_no_text, "is damaged"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_file_that_is_broken_changes_nothing(what: str, backup: Path, tmp_path: Path) -> None:
    broken, said = BROKEN[what]
    file = tmp_path / "broken.zip"
    file.write_bytes(broken(backup.read_bytes()))
    with pytest.raises(BadInputError, match=said):
        restore(tmp_path / "data", file)
    assert content(tmp_path / "data") == {}
    assert (tmp_path / "data").exists() is (said == "is damaged"), "what is not a backup at all makes no folder"


def test_a_name_that_is_there_twice_changes_nothing(backup: Path, tmp_path: Path) -> None:
    file = tmp_path / "twice.zip"
    shutil.copy(backup, file)
    with zipfile.ZipFile(file, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr(NEWEST, b"")
    with pytest.raises(BadInputError, match="a name is in it twice"):
        restore(tmp_path / "data", file)


def test_without_room_nothing_is_changed(backup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restoring, "RESERVE_BYTES", 10**18)
    with pytest.raises(BadInputError, match="make room first; nothing was changed"):
        restore(tmp_path, backup)
    assert content(tmp_path) == {}


@pytest.mark.parametrize("name", ["", "missing.zip"])
def test_a_folder_or_a_missing_file_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="name what `strada backup` wrote"):
        restore(tmp_path / "data", tmp_path / name)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadInputError, match="is not a file"):
        restore(tmp_path / "data", tmp_path / "pipe")


def test_a_backup_that_somebody_packed_anew_with_its_folders_is_one(backup: Path, tmp_path: Path) -> None:
    folders = {"pictures/": b"", "pictures/game-0001/": b""}
    file = repacked(backup, tmp_path / "again.zip", lambda it: it.update(folders))
    assert restore(tmp_path / "data", file).pictures == 12


def cut_off_after(steps: int) -> Callable[[Path, Path], Path]:
    """Return a rename that works that many times and then never again."""
    rename, left = Path.rename, [steps]

    def cut(path: Path, target: Path) -> Path:
        left[0] -= 1
        if left[0] < 0:
            raise PowerCutError
        return rename(path, target)

    return cut


@pytest.mark.long
def test_cut_off_at_any_step_it_is_as_before_or_done_and_what_was_there_is_kept(
    backup: Path, book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = tmp_path / "original"
    played(original, 2, 6)
    old, new = resumed(original), resumed(book)
    kept = content(original / "pictures")
    outcomes = []
    for step in range(100):
        folder = tmp_path / f"{step}"
        shutil.copytree(original, folder)
        with monkeypatch.context() as patched:
            patched.setattr(Path, "rename", cut_off_after(step))
            # Whatever a cut leaves is not tidied up either.
            patched.setattr(restoring.shutil, "rmtree", lambda *_, **__: None)
            try:
                restore(folder, backup)
                is_cut = False
            except PowerCutError:
                is_cut = True
        state = resumed(folder)
        assert state in (old, new)
        assert not [name for name in (READY, DECIDED, MOVED) if (folder / name).exists()]
        outcomes.append(state == new)
        if state == new:
            (aside,) = folder.glob("before-restore-*")
            assert resumed(aside) == old
            assert content(aside / "pictures") == kept
        if not is_cut:
            break
    assert outcomes == sorted(outcomes)  # as before up to some step, done from there on
    assert (outcomes[0], outcomes[-1]) == (False, True)
    assert len(outcomes) > 8


def test_what_is_left_of_a_restore_that_was_not_decided_goes(tmp_path: Path) -> None:
    played(tmp_path, 2, 4)
    (tmp_path / READY / "new").mkdir(parents=True)
    (tmp_path / READY / "new" / FILE).write_bytes(b"half")
    finish(tmp_path)
    assert not (tmp_path / READY).exists()
    resumed(tmp_path)


def test_what_a_damaged_logbooks_own_log_holds_is_brought_back_with_it(tmp_path: Path) -> None:
    """Nobody closed a logbook that a restore put aside: its newest entries are in the log beside it."""
    play = Play(People(1))
    with Logbook(tmp_path / "old", encode=bytes) as logbook:
        play.on(logbook, 4, is_pictured=True)
        # Pictures are still being written: a draft may become a picture during the copy.
        shutil.copytree(tmp_path / "old", tmp_path / "aside", ignore=shutil.ignore_patterns(".*"))
    assert (tmp_path / "aside" / f"{FILE}-wal").stat().st_size > 0
    restore(tmp_path / "new", tmp_path / "aside" / FILE)
    assert resumed(tmp_path / "new") == play.session.state


def test_the_last_number_is_the_databases_own(backup: Path, book: Path, tmp_path: Path) -> None:
    file = repacked(backup, tmp_path / "odd.zip", lambda it: it.update({NEWEST: b"999 1\n"}))
    restore(tmp_path / "data", file)
    assert read_newest(tmp_path / "data") == read_newest(book)
