"""Pictures of the logbook, cut and made small for a page, as JPEG."""

# OpenCV takes as long to load as half the pages: nobody who starts the companion waits for it.
# ruff: noqa: PLC0415

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING

from companion.drawing.overlays import Box

if TYPE_CHECKING:
    import cv2

#: A picture on a page is so wide at the most.
WIDTH_PX = 1000

#: A picture on a page is so high at the most.
HEIGHT_PX = 900

#: A small cut-out is made so many times larger at the most.
MOST_ENLARGED = 3.0

QUALITY = 80

#: No picture of ours is larger; what is cannot be one.
MOST_BYTES = 48 * 1024**2

#: Beyond the picture's edge.
_DARK = (32, 28, 26)

#: So much is kept in memory, so many pictures are worked on at once, and a page waits so long for its turn.
KEPT_BYTES, AT_ONCE, WAIT_S = 16 * 1024**2, 2, 5.0


class BusyError(Exception):
    """Too many pictures are asked for at once."""


class Thumbnails:
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


def cut_out(path: Path, box: Box, width_px: int) -> bytes | None:
    """Return what of the picture lies in the box as JPEG, so wide at the most; None where it cannot be read."""
    import cv2
    import numpy as np

    from companion.system.durable import contents
    from companion.system.pictures import is_sane, jpeg

    try:
        content = contents(path, MOST_BYTES)
        if not is_sane(content):
            return None
        image = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR)
    except (OSError, cv2.error):
        return None
    if image is None:
        return None
    cut = _cut(image, box)
    height, width = cut.shape[:2]
    scale = min(width_px / width, HEIGHT_PX / height, MOST_ENLARGED)
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    shown = cv2.resize(cut, (max(1, round(width * scale)), max(1, round(height * scale))), interpolation=way)
    return jpeg(shown, QUALITY)


def _cut(image: cv2.typing.MatLike, box: Box) -> cv2.typing.MatLike:
    """Return what lies in the box, dark where it reaches beyond the picture."""
    import numpy as np

    left, top, width, height = box
    high, wide = image.shape[:2]
    shown = np.full((height, width, 3), _DARK, np.uint8)
    a, b, c, d = max(0, left), max(0, top), min(wide, left + width), min(high, top + height)
    if a < c and b < d:
        shown[b - top : d - top, a - left : c - left] = image[b:d, a:c]
    return shown
