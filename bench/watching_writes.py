"""The files that a process opens for writing, renames, makes or removes outside the folders where it may."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

#: What a watched process writes before the path of a file that it should not have changed.
ASTRAY = "ASTRAY"

#: The audit events that change the file system; which of their arguments are paths, and the open folders that these are
#: in (https://docs.python.org/3/library/audit_events.html).
_CHANGING: dict[str, tuple[tuple[int, int | None], ...]] = {
    "os.mkdir": ((0, 2),), "os.remove": ((0, 1),), "os.rename": ((0, 2), (1, 3)), "os.rmdir": ((0, 1),),
    "os.symlink": ((1, 2),), "os.link": ((1, 3),), "os.truncate": ((0, None),), "os.chmod": ((0, 2),),
    "os.chown": ((0, 3),), "os.utime": ((0, 3),), "sqlite3.connect": ((0, None),),
}  # fmt: skip

#: What these do to a link they do to the link itself, not to what it leads to.
_OF_LINKS = ("os.remove", "os.rename", "os.symlink")

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

#: Devices that keep nothing.
_NOWHERE = ("/dev/null", "/dev/tty", "/dev/urandom")


def watch_writes(allowed: Sequence[Path], told: Callable[[str], None]) -> None:
    """Report every change of a file outside the allowed folders, as long as this process lives.

    It does not see C libraries that bypass Python, but it sees SQLite, by the file that SQLite is asked to open.
    """
    roots = [os.path.realpath(path) for path in allowed]

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _mode, flags = arguments
            if not isinstance(flags, int) or not flags & _WRITING:
                return
            paths: list[tuple[Any, Any]] = [(path, -1)]
        elif event in _CHANGING:
            paths = [(arguments[at], -1 if folder is None else arguments[folder]) for at, folder in _CHANGING[event]]
        else:
            return
        for path, folder in paths:
            if isinstance(path, int) or path is None:
                continue  # an open file was looked at when it was opened
            name = os.fsdecode(path)
            if isinstance(folder, int) and folder >= 0:
                name = str(Path(f"/proc/self/fd/{folder}").readlink() / name)
            if event == "sqlite3.connect":
                if "mode=ro" in name or name == ":memory:":
                    continue
                name = name.removeprefix("file://")
            above, last = os.path.split(name)
            real = os.path.join(os.path.realpath(above), last) if event in _OF_LINKS else os.path.realpath(name)  # noqa: PTH118
            if real not in _NOWHERE and not any(real == root or real.startswith(root + os.sep) for root in roots):
                told(f"{event} {real}")

    sys.addaudithook(hook)
