"""Files that are read within bounds, and files and folders that are known to be on the disk (fsync(2)).

Also what is mounted where, as the kernel lists it, and USB sticks by their labels.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

#: Network file systems may not support this for a folder, and a user may write to a folder without reading it.
_NO_SYNC_OF_FOLDERS = (errno.EINVAL, errno.EACCES)


#: No photograph, record or note of ours is larger.
MOST_READ_BYTES = 64 * 1024**2


def contents(path: Path, most_bytes: int = MOST_READ_BYTES) -> bytes:
    """Return what is in a file; raises OSError, also if it has no end (a pipe, a device) or is larger than that.

    A pipe that nobody writes to would be waited for, `/dev/zero` never ends, and a file with holes may claim 8 GB.
    """
    opened = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    with os.fdopen(opened, "rb") as file:
        status = os.fstat(opened)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is not a file but a pipe or a device", str(path))
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise OSError(errno.EFBIG, f"it has more than {most_bytes // 1024**2} MB", str(path))
    return content


def private(path: Path, most_bytes: int = MOST_READ_BYTES) -> bytes | None:
    """Return the first bytes of a file that nobody else may read; None if there is none, or if others may read it.

    No link is followed. Raises OSError.
    """
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    with os.fdopen(opened, "rb") as file:
        is_private = os.fstat(opened).st_mode & 0o077 == 0
        return file.read(most_bytes) if is_private else None


def sync(path: Path) -> None:
    """Wait until the disk has the file, or the names in the folder; raises OSError."""
    opened = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def sync_tree(folder: Path) -> None:
    """Wait until the disk has everything in the folder, however deep; raises OSError."""
    for path in folder.rglob("*"):
        sync(path)
    sync(folder)


def write_whole(path: Path, content: bytes | Iterable[bytes], mode: int = 0o666, mark: str = "new") -> None:
    """Replace the file with this content, which may come in chunks; on return it is on the disk under that name.

    Nobody ever finds half of it, even after a power cut: it is written beside the file, as `.NAME.MARK`, and then takes
    its name. If several may write at once, each needs its own mark. `mode` is subject to the umask; a link is replaced,
    not followed. Raises OSError, and so may the chunks; then the older file stays.
    """
    draft = path.with_name(f".{path.name}.{mark}")
    try:
        draft.unlink(missing_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode), "wb") as file:
            file.writelines([content] if isinstance(content, bytes) else content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    try:
        sync(path.parent)
    except OSError as error:
        if error.errno not in _NO_SYNC_OF_FOLDERS:
            raise


#: The kernel's list for this process, and where udev names each partition by its label.
MOUNTINFO, BY_LABEL = Path("/proc/self/mountinfo"), Path("/dev/disk/by-label")

#: A setting that begins with this names a stick: by its label, or by the folder where it is mounted.
STICK = "stick:"


class MissingError(OSError):
    """A place is not there: `code` is absent (nothing is there) or unmounted (the stick is, but nobody mounted it)."""

    def __init__(self, place: str, code: str) -> None:
        self.place, self.code = place, code
        why = "is not mounted" if code == "unmounted" else "is not there"
        super().__init__(f"{place} {why}")


@dataclass(frozen=True, slots=True)
class Mount:
    """A mounted file system: its mount point, kind, source and options."""

    point: Path
    kind: str
    source: str
    options: tuple[str, ...]


def mounts(mountinfo: str) -> list[Mount]:
    """Return what is mounted, in the order of mounting (proc_pid_mountinfo(5))."""
    mounted = []
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        left, right = before.split(), after.split()
        if len(left) >= 6 and len(right) >= 2:
            point = left[4].encode().decode("unicode_escape")  # a space is written as \040
            options = (*left[5].split(","), *(right[2].split(",") if len(right) > 2 else ()))
            mounted.append(Mount(Path(point), right[0], right[1], options))
    return mounted


def mount_of(path: Path, among: list[Mount]) -> Mount | None:
    """Return the mount that holds that absolute path: of the deepest mount points, the one mounted last."""
    above = [each for each in among if path == each.point or each.point in path.parents]
    return max(above, key=lambda each: len(each.point.parts), default=None) if above else None


def folder_of(place: str) -> Path:
    """Return the folder that a setting names: a folder, `stick:LABEL`, or `stick:/where/it/is/mounted`.

    Raises MissingError if it is not there. A folder is never made, and nothing is written to the mount point of a stick
    that nobody has mounted, because that is then a folder on the card.
    """
    if not place.startswith(STICK):
        if not Path(place).is_dir():
            raise MissingError(place, "absent")
        return Path(place)
    name = place.removeprefix(STICK)
    if not name.startswith("/"):
        return _by_label(name)
    with suppress(OSError):  # an automount waits for somebody to look
        next(Path(name).iterdir(), None)
    if not any(each.point == Path(name) and each.kind != "autofs" for each in _mounted()):
        # An automount without its stick is a folder that cannot be looked into.
        raise MissingError(name, "unmounted" if os.path.lexists(name) else "absent")
    return Path(name)


def _by_label(label: str) -> Path:
    # udev writes whatever is not a letter, a digit or one of #+-.:=@_/ as \x20.
    written = "".join(c if c.isalnum() or c in "#+-.:=@_" else f"\\x{ord(c):02x}" for c in label)
    link = BY_LABEL / written
    if not link.exists():
        raise MissingError(label, "absent")
    device = os.path.realpath(link)
    for mount in reversed(_mounted()):
        if os.path.realpath(mount.source) == device and mount.kind != "autofs":
            return mount.point
    raise MissingError(label, "unmounted")


def _mounted() -> list[Mount]:
    return mounts(MOUNTINFO.read_text("utf-8", errors="replace"))
