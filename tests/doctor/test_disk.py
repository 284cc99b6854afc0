"""The disk under the games: room, writing, what survives a power cut, the card's health."""

import errno
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from companion.doctor.health import card, keeping, room, there, writing
from tests.doctor.machines import Fake


def mounted(fake: Fake, *lines: str) -> None:
    """Let these be mounted, each as "point kind source options"."""
    written = []
    for number, line in enumerate(lines, 20):
        point, kind, source, options = line.split()
        written.append(f"{number} 1 179:{number} / {point} {options} shared:1 - {kind} {source} {options}")
    fake.write("/proc/self/mountinfo", "\n".join(written))


def room_of(free_bytes: int, files: int = 1000) -> Callable[[Path], Any]:
    """Return a disk with that much room."""

    class Status:
        f_frsize, f_files, f_favail, f_flag = 1000, 5000, files, 0
        f_bavail = free_bytes // 1000

    return lambda path: Status


@pytest.mark.parametrize(
    ("free_bytes", "files", "code"),
    [
        (20 * 10**9, 1000, "room"),
        (400 * 10**6, 1000, "room-little"),
        (99 * 10**6, 1000, "room-none"),
        (20 * 10**9, 0, "room-files"),
    ],
)
def test_room_is_graded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, free_bytes: int, files: int, code: str
) -> None:
    monkeypatch.setattr(os, "statvfs", room_of(free_bytes, files))
    assert room(tmp_path).code == code


def test_a_file_is_written_on_trial_and_none_is_left(tmp_path: Path) -> None:
    found = writing(tmp_path / "not" / "there" / "yet")
    assert (found.grade, found.code) == ("ok", "writing")
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_takes_nothing_is_told_in_its_own_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(file: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", fails)
    found = writing(tmp_path)
    assert (found.grade, found.code, found.facts["why"]) == ("todo", "writing-fails", "Input/output error")


def test_a_disk_that_can_only_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(**place: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    class Status:
        f_flag = os.ST_RDONLY

    monkeypatch.setattr(tempfile, "TemporaryFile", fails)
    monkeypatch.setattr(os, "statvfs", lambda path: Status)
    assert writing(tmp_path).code == "writing-read-only"


def test_the_place_is_the_nearest_folder_that_is_there(tmp_path: Path) -> None:
    assert there(tmp_path / "a" / "b") == tmp_path


@pytest.mark.parametrize(
    ("lines", "grade", "code", "kind"),
    [
        (["/ ext4 /dev/mmcblk0p2 rw,noatime"], "ok", "keeping", "ext4"),
        (["/ ext4 /dev/mmcblk0p2 ro", "/var ext4 /dev/mmcblk0p3 rw"], "ok", "keeping-read-only-root", None),
        (["/ ext4 /dev/mmcblk0p2 ro"], "todo", "keeping-read-only", None),
        (["/ ext4 /dev/sda1 rw", "/var tmpfs tmpfs rw"], "todo", "keeping-memory", None),
        (["/ overlay overlayroot rw,lowerdir=/media/root-ro,upperdir=/media/root-rw"], "todo", "keeping-memory", None),
        (["/ overlay overlay rw,upperdir=/media/rw/up", "/media/rw tmpfs tmpfs rw"], "todo", "keeping-memory", None),
        (["/ overlay overlay rw,upperdir=/var/lib/docker/diff"], "ok", "keeping", "overlay"),
    ],
    ids=["card", "read-only system", "read-only", "in memory", "overlayroot", "overlay in memory", "container"],
)
def test_it_is_told_whether_games_can_be_written_and_outlive_a_power_cut(
    fake: Fake, lines: list[str], grade: str, code: str, kind: str | None
) -> None:
    mounted(fake, *lines)
    found = keeping(fake.machine, Path("/var/lib/strada"))
    assert (found.grade, found.code, found.facts.get("kind")) == (grade, code, kind)


def test_a_machine_that_does_not_say_what_is_mounted_cannot_tell(fake: Fake) -> None:
    assert keeping(fake.machine, Path("/srv")).code == "keeping-unknown"
    assert card(fake.machine, Path("/srv")).code == "card-unknown"


@pytest.mark.parametrize(("errors", "code"), [("0\n", "card-sound"), ("3\n", "card-errors")])
def test_errors_that_the_file_system_noted_are_told(fake: Fake, errors: str, code: str) -> None:
    mounted(fake, "/ ext4 /dev/mmcblk0p2 rw")
    fake.write("/sys/fs/ext4/mmcblk0p2/errors_count", errors)
    assert card(fake.machine, Path("/var/lib/strada")).code == code


@pytest.mark.parametrize(
    ("life", "code"),
    [
        ("0x01 0x02", "card-life"),
        ("0x01 0x09", "card-worn"),
        ("0x0b 0x01", "card-worn-out"),
        ("0x00 0x00", "card-sound"),
    ],
)
def test_a_card_that_tells_its_life_is_believed(fake: Fake, life: str, code: str) -> None:
    mounted(fake, "/ ext4 /dev/mmcblk0p2 rw")
    fake.write("/sys/fs/ext4/mmcblk0p2/errors_count", "0")
    fake.write("/sys/block/mmcblk0/device/life_time", life)
    assert card(fake.machine, Path("/var/lib/strada")).code == code
