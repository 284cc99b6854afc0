"""The photographs of a folder, one at a time: the one on show stays until a step of the set-up asks for the next."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

from hardware.camera.recorded import photographs_in, read_photograph
from vision.light.flatten import Image


class Roll:
    """A folder of photographs that waits. Any thread may call it.

    The folder is looked at again each time: whoever sets a table up may put another photograph there meanwhile.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._lock = folder, threading.Lock()
        self._shown: Path | None = None
        self._read: tuple[Path, Image | None] | None = None

    @property
    def place(self) -> tuple[int, int, str]:
        """Which photograph is on show, from 0, how many there are, and its file's name; (0, 0, "") for none."""
        with self._lock:
            paths, at = self._now()
            return at, len(paths), paths[at].name if paths else ""

    def turn(self, by: int) -> None:
        """Show the photograph that comes so many later, at most the first or the last."""
        with self._lock:
            paths, at = self._now()
            if paths:
                self._shown = paths[min(max(at + by, 0), len(paths) - 1)]

    def picture(self) -> Image | None:
        """Return the photograph on show; None where there is none, or where it cannot be read."""
        with self._lock:
            paths, at = self._now()
            if not paths:
                return None
            if self._read is None or self._read[0] != paths[at] or self._read[1] is None:
                self._read = paths[at], read_photograph(paths[at])
            return self._read[1]

    def _now(self) -> tuple[Sequence[Path], int]:
        """Return the photographs that are there now, and the place of the one on show, of one that is gone the first's.

        Photographs that come in before it by their names do not change which one it is.
        """
        paths = photographs_in(self._folder)
        if self._shown not in paths:
            self._shown = paths[0] if paths else None
        return paths, 0 if self._shown is None else paths.index(self._shown)
