"""Pictures of the logbook, cut and made small for a page, as JPEG."""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path

from companion.drawing.seen import Box

#: A picture on a page is so wide at the most.
WIDTH_PX = 1000

#: So much is kept in memory, so many pictures are worked on at once, and a page waits so long for its turn.
KEPT_BYTES, AT_ONCE, WAIT_S = 16 * 1024**2, 2, 5.0


class BusyError(Exception):
    """Too many pictures are asked for at once."""


class Darkroom:
    """Makes and keeps pictures. Any thread may call it."""

    def __init__(self, at_once: int = AT_ONCE) -> None:
        self._lock = threading.Lock()
        self._turns = threading.BoundedSemaphore(at_once)
        self._kept: OrderedDict[tuple[Path, int, Box, int], bytes] = OrderedDict()
        self._bytes = 0

    @property
    def kept_bytes(self) -> int:
        """How much memory the pictures take."""
        return self._bytes

    def picture(self, path: Path, box: Box, width_px: int = WIDTH_PX) -> bytes | None:
        """Return what of the picture lies in the box (left, top, width, height); None where the picture is gone.

        It is so wide at the most. Raises BusyError.
        """
        try:
            key = path, path.stat().st_mtime_ns, box, width_px
        except OSError:
            return None
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        if not self._turns.acquire(timeout=WAIT_S):
            raise BusyError
        # OpenCV takes as long to load as half the pages: nobody who starts the companion waits for it.
        from companion.web.games.enlarger import cut_out  # noqa: PLC0415

        try:
            made = cut_out(path, box, width_px)
        finally:
            self._turns.release()
        if made is not None:
            self._keep(key, made)
        return made

    def _keep(self, key: tuple[Path, int, Box, int], made: bytes) -> None:
        with self._lock:
            if key not in self._kept:
                self._kept[key] = made
                self._bytes += len(made)
            while self._bytes > KEPT_BYTES:
                _, old = self._kept.popitem(last=False)
                self._bytes -= len(old)
