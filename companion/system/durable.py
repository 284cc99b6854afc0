"""Files that are read within bounds, and files and folders that are known to be on the disk (fsync(2))."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from pathlib import Path

#: Network file systems may not support this for a folder, and a user may write to a folder without reading it.
_NO_SYNC_OF_FOLDERS = (errno.EINVAL, errno.EACCES)


#: No photograph, record or note of ours is larger.
MOST_READ_BYTES = 64 * 1024**2


def contents(path: Path, most_bytes: int = MOST_READ_BYTES) -> bytes:
    """Return what is in a file; raises OSError, also if it has no end (a pipe, a device) or is larger than that.

    A pipe that nobody writes to would be waited for, `/dev/zero` never ends, and a file with holes says it has 8 GB.
    """
    opened = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    with os.fdopen(opened, "rb") as file:
        status = os.fstat(opened)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is no file but a pipe or a device", str(path))
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
    """Put the content, which may come in chunks, in the place of the old file; on return the disk has it by that name.

    Nobody ever finds half of it, even after a power cut: it is written beside, as `.NAME.MARK`, and then takes the
    name. If several may write at once, each has a mark of its own. `mode` is subject to the umask; a link is
    replaced, not followed. Raises OSError, and so may the chunks; then the older file is left.
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
