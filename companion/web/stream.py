"""Server-sent events: the whole page first, then the parts that change, and a heartbeat."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterator

from companion.scoreboard import Scoreboard, Snapshot
from companion.web.herald import LOOK_S, Herald
from companion.web.parts import Painted, Painter

#: How often a stream says something when nothing happens: proxies and phones drop a silent one.
BEAT_S = 5.0


class Streams:
    """Counts the open streams and refuses those over the cap. Any thread may call it."""

    def __init__(self, most: int, most_per_address: int, beat_s: float = BEAT_S) -> None:
        self._most, self._most_per_address, self._beat_s = most, most_per_address, beat_s
        self._lock = threading.Lock()
        self._open: Counter[str] = Counter()
        self._herald: Herald | None = None

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
        is_gone: Callable[[], bool] = lambda: False,
        seen: str = "",
    ) -> Stream | None:
        """Return a new stream for that address in its language, `without` these parts; None for one too many.

        `is_gone` tells whether its listener has gone away; `seen` names the snapshot that its page was painted with.
        """
        with self._lock:
            if self._open.total() >= self._most or self._open[address] >= self._most_per_address:
                return None
            self._open[address] += 1
            self._herald = self._herald or Herald(scoreboard, painter)
        return Stream(self, address, scoreboard, painter, self._herald, self._beat_s, without, language, is_gone, seen)

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
        herald: Herald,
        beat_s: float,
        without: Collection[str] = (),
        language: str = "en",
        is_gone: Callable[[], bool] = lambda: False,
        seen: str = "",
    ) -> None:
        self._streams, self._address, self._beat_s, self._without = streams, address, beat_s, frozenset(without)
        self._language, self._is_gone, self._seen = language, is_gone, seen
        self._scoreboard, self._painter, self._herald = scoreboard, painter, herald
        self._herald.join((self._language, self._without))
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
            self._herald.leave((self._language, self._without))
            self._streams.release(self._address)

    def _run(self) -> Iterator[bytes]:
        told: Painted | None = self._painter.recalled(self._seen, self._language)
        look_s, silent_s = min(LOOK_S, self._beat_s), 0.0
        yield b"retry: 2000\n\n"
        snapshot: Snapshot | None = self._scoreboard.latest
        while not self._scoreboard.is_closed and not self._is_gone():
            if snapshot is not None:
                now = self._painter.painted(snapshot, self._language)
                news = self._painter.news(told, now, self._without)
                told, silent_s = now, 0.0
                yield b"id: %d\nevent: snapshot\ndata: %b\n\n" % (now.number, news)
            elif (silent_s := silent_s + look_s) >= self._beat_s:
                silent_s = 0.0
                yield b"event: beat\ndata: 1\n\n"
            snapshot = self._herald.wait_beyond(told.number if told else -1, look_s)
