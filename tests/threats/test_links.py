"""Root restores a backup into a folder of the service's, where whoever took the service over may have put links."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from companion.board import BadInputError
from companion.logbook import restoring
from companion.logbook.backup import packed
from companion.logbook.opening import FILE, LOCK, NEWEST, read_newest, write_newest
from companion.logbook.restoring import DECIDED, MOVED, READY, restore
from tests.logbook.playing import resumed
from tests.logbook.test_restore import played

#: A user that every system has, and that is nobody.
NOBODY = 65534


@pytest.fixture(scope="module")
def backup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("book")
    played(folder, 1, 4)
    with packed(folder) as chunks:
        (folder / "all.zip").write_bytes(b"".join(chunks))
    return folder / "all.zip"


def test_where_root_brings_it_back_it_goes_on_as_the_folders_owner(
    backup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    became: list[tuple[object, ...]] = []
    owner = (4711, 4712)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    for name in ("setgroups", "setgid", "setuid"):
        monkeypatch.setattr(os, name, lambda *ids, name=name: became.append((name, *ids)))
    monkeypatch.setattr(restoring, "_owner_of", lambda folder: owner if folder == tmp_path / "theirs" else None)
    restore(tmp_path / "mine", backup)
    assert became == []
    restore(tmp_path / "theirs", backup)
    assert became == [("setgroups", [4712]), ("setgid", 4712), ("setuid", 4711)]


LINKED = """
import sys
from pathlib import Path
from companion.logbook.restoring import restore
folder, backup = map(Path, sys.argv[1:])
restore(folder / "warm", backup)  # loads all that is loaded late: who it becomes may not read Python's own folder
restore(folder / "data", backup)
"""


def test_a_link_that_leads_to_itself_is_refused_in_one_sentence(
    backup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    (tmp_path / "data").symlink_to(tmp_path / "data")
    with pytest.raises(BadInputError, match="cannot be written"):
        restore(tmp_path / "data", backup)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become somebody else")
@pytest.mark.parametrize("name", [READY, LOCK, "nothing"])
def test_root_follows_no_link_of_the_folders_owner(name: str, backup: Path) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        folder.chmod(0o755)
        secret, data = folder / "secret", folder / "data"
        (secret / "new").mkdir(parents=True)
        (secret / "file").write_text("root's own")
        data.mkdir()
        if name != "nothing":
            (data / name).symlink_to(secret if name == READY else secret / "file")
        for path in (data, *data.iterdir()):
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
        command = [sys.executable, "-c", LINKED, folder, backup]
        done = subprocess.run(command, capture_output=True, timeout=60, check=False)
        assert (secret / "file").read_text() == "root's own"
        assert {path.stat().st_uid for path in (secret, *secret.rglob("*"))} == {0}
        assert sorted(path.name for path in secret.rglob("*")) == ["file", "new"]
        assert {path.lstat().st_uid for path in data.rglob("*")} == {NOBODY}
        assert (data / FILE).is_file() == (done.returncode == 0) == (name == "nothing")


@pytest.mark.parametrize("name", [READY, DECIDED, MOVED])
def test_a_link_in_the_place_of_a_restore_is_refused_and_left_alone_at_a_start(
    name: str, backup: Path, tmp_path: Path
) -> None:
    elsewhere, folder = tmp_path / "elsewhere", tmp_path / "data"
    (elsewhere / "new").mkdir(parents=True)
    played(folder, 2, 4)
    (folder / name).symlink_to(elsewhere)
    with pytest.raises(BadInputError, match="is a link, which no restore has made"):
        restore(folder, backup)
    resumed(folder)
    assert [path.name for path in elsewhere.iterdir()] == ["new"]


def test_a_link_in_the_place_of_the_lock_empties_no_other_file(backup: Path, tmp_path: Path) -> None:
    other, folder = tmp_path / "other", tmp_path / "data"
    other.write_text("somebody's")
    folder.mkdir()
    (folder / LOCK).symlink_to(other)
    with pytest.raises(BadInputError, match="cannot be written"):
        restore(folder, backup)
    write_newest(folder, 1)
    assert read_newest(folder) == 1
    (folder / NEWEST).unlink()
    (folder / NEWEST).symlink_to(other)
    write_newest(folder, 2)
    assert other.read_text() == "somebody's"
