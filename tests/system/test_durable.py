"""What is written whole is on the disk when the call returns: first its content, then its name."""

import errno
import os
from pathlib import Path

import pytest

from companion.system.durable import write_whole
from companion.wiring.machine import STARTS_FILE, Starts


@pytest.fixture
def synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, bytes]]]:
    """Each name that was synced under the folder, and what was there at that moment."""
    seen: list[tuple[str, dict[str, bytes]]] = []
    really = os.fsync

    def listened(descriptor: int) -> None:
        really(descriptor)
        name = str(Path(f"/proc/self/fd/{descriptor}").readlink().relative_to(tmp_path))
        seen.append((name, {path.name: path.read_bytes() for path in tmp_path.iterdir()}))

    monkeypatch.setattr("os.fsync", listened)
    return seen


def test_the_content_is_on_the_disk_before_it_takes_the_name_and_the_name_on_return(
    tmp_path: Path, synced: list[tuple[str, dict[str, bytes]]]
) -> None:
    (tmp_path / "key").write_bytes(b"older")
    write_whole(tmp_path / "key", b"newer")
    assert synced == [(".key.new", {"key": b"older", ".key.new": b"newer"}), (".", {"key": b"newer"})]


def test_a_count_of_failed_starts_that_goes_is_gone_from_the_disk(
    tmp_path: Path, synced: list[tuple[str, dict[str, bytes]]]
) -> None:
    with Starts(tmp_path):
        assert synced[-1] == (".", {STARTS_FILE: b"1\n"})
    assert synced[-1] == (".", {})


def test_what_a_power_cut_left_half_done_is_written_over_and_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(b"other")
    for name in (".key.new", "key"):
        (tmp_path / name).symlink_to(tmp_path / "other")
    write_whole(tmp_path / "key", iter([b"in ", b"chunks"]), mode=0o600)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"key": b"in chunks", "other": b"other"}
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("code", [errno.EINVAL, errno.EIO])
def test_only_a_file_system_that_cannot_sync_folders_may_go_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    really = os.fsync

    def of_files_alone(descriptor: int) -> None:
        if Path(f"/proc/self/fd/{descriptor}").readlink() == tmp_path:
            raise OSError(code, os.strerror(code))
        really(descriptor)

    monkeypatch.setattr("os.fsync", of_files_alone)
    if code == errno.EINVAL:
        write_whole(tmp_path / "record.json", b"{}")
    else:
        with pytest.raises(OSError, match="Input/output error"):
            write_whole(tmp_path / "record.json", b"{}")
    assert (tmp_path / "record.json").read_bytes() == b"{}"
