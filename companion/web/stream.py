"""Server-sent events: the whole page first, then the parts that change, and a heartbeat."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any

from companion.scoreboard import Scoreboard
from companion.web.parts import Painter, title

#: How often a stream says something when nothing happens: proxies and phones drop a silent one.
BEAT_S = 5.0


class Streams:
    """Counts the open streams and refuses those over the cap. Any thread may call it."""

    def __init__(self, most: int, most_per_address: int, beat_s: float = BEAT_S) -> None:
        self._most, self._most_per_address, self._beat_s = most, most_per_address, beat_s
        self._lock = threading.Lock()
        self._open: Counter[str] = Counter()

    @property
    def count(self) -> int:
        """How many are open."""
        return self._open.total()

    def open(
        self,
        address: str,
        scoreboard: Scoreboard,
        painter: Painter,
        without: Collection[str] = (),
        language: str = "en",
    ) -> Stream | None:
        """Return a new stream for that address in its language, `without` these parts; None for one too many."""
        with self._lock:
            if self._open.total() >= self._most or self._open[address] >= self._most_per_address:
                return None
            self._open[address] += 1
        return Stream(self, address, scoreboard, painter, self._beat_s, without, language)

    def release(self, address: str) -> None:
        """Forget one stream of that address."""
        with self._lock:
            self._open[address] -= 1
            if self._open[address] <= 0:
                del self._open[address]


class Stream:
    """The bytes of one event stream. The server that iterates it calls `close` whatever happens."""

    def __init__(
        self,
        streams: Streams,
        address: str,
        scoreboard: Scoreboard,
        painter: Painter,
        beat_s: float,
        without: Collection[str] = (),
        language: str = "en",
    ) -> None:
        self._streams, self._address, self._beat_s, self._without = streams, address, beat_s, without
        self._language = language
        self._scoreboard, self._painter = scoreboard, painter
        self._events = self._run()
        self._is_open = True

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        return next(self._events)

    def close(self) -> None:
        """Give the place back; a second call does nothing."""
        if self._is_open:
            self._is_open = False
            self._streams.release(self._address)

    def _run(self) -> Iterator[bytes]:
        listener = self._scoreboard.listen()
        sent: dict[str, str] = {}
        yield b"retry: 2000\n\n"
        while not self._scoreboard.is_closed:
            snapshot = listener.next(self._beat_s)
            if snapshot is None:
                yield b"event: beat\ndata: 1\n\n"
                continue
            parts = {
                name: markup
                for name, markup in self._painter.parts(snapshot, self._language).items()
                if name not in self._without and sent.get(name) != markup
            }
            sent.update(parts)
            news: dict[str, Any] = {"parts": parts, "picture": snapshot.eye.picture, "title": title(snapshot)}
            if "ground" in parts:
                news["view_box"] = self._painter.view_box(snapshot)
            yield f"id: {snapshot.number}\nevent: snapshot\ndata: {json.dumps(news)}\n\n".encode()
