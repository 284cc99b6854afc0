"""Files and folders of which it is known that the disk has them (fsync(2))."""

from __future__ import annotations

import os
from pathlib import Path


def sync(path: Path) -> None:
    """Wait until the disk has the file, or the names in the folder; raises OSError."""
    opened = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def sync_tree(folder: Path) -> None:
    """Wait until the disk has all that lies in the folder, however deep; raises OSError."""
    for path in folder.rglob("*"):
        sync(path)
    sync(folder)
