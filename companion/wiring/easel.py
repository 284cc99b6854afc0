"""The camera's picture on the scoreboard, with the reading drawn over it."""

from __future__ import annotations

import threading

from companion.service import Service
from companion.system.pictures import jpeg
from companion.web import Picture
from vision.overlay import draw

#: The camera's picture on the scoreboard: wide enough to recognise a merchant, small enough for a phone's Wi-Fi.
PICTURE_WIDTH_PX, PICTURE_QUALITY = 1000, 80


class Easel:
    """Draws the reading over the newest picture, once however many ask. Any thread may call it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._newest: Picture | None = None

    def picture(self, service: Service) -> Picture | None:
        """Return the newest picture that was read as a JPEG, or None before the first."""
        with self._lock:
            seen = service.seen
            if seen is None or seen.view is None:  # before the first picture, and where there is no camera
                return self._newest
            if self._newest is None or self._newest.number != seen.number:
                drawn = draw(seen.image, seen.view, seen.reading)
                self._newest = Picture(jpeg(drawn, PICTURE_QUALITY, PICTURE_WIDTH_PX), seen.number)
            return self._newest
