"""Server-sent events of the room: what has changed, all of it together once a second, and a heartbeat."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from hub.room import Room

#: How often a stream tells what changed, how often it says that it is there, and how many one address may have.
TELL_S, BEAT_S, PER_ADDRESS = 1.0, 5.0, 6

#: Returns what has changed since a number of the room's.
News = Callable[[int], Mapping[str, Any]]


class Streams:
    """Counts the open streams, and refuses those over the cap. Any thread may call it."""

    def __init__(self, room: Room, most: int) -> None:
        self.room = room
        self._most, self._lock = most, threading.Lock()
        self._open: Counter[str] = Counter()

    def open(self, address: str, beyond: int, news: News, is_gone: Callable[[], bool]) -> Stream | None:
        """Return a stream of what changes beyond that number; None where there is no place for that address."""
        with self._lock:
            if self._open.total() >= self._most or self._open[address] >= PER_ADDRESS:
                return None
            self._open[address] += 1
        return Stream(self, address, beyond, news, is_gone)

    def release(self, address: str) -> None:
        """Give a place back."""
        with self._lock:
            self._open[address] -= 1
            if self._open[address] <= 0:
                del self._open[address]


class Stream:
    """The bytes of one stream. The server that iterates it calls `close` whatever happens."""

    def __init__(self, streams: Streams, address: str, beyond: int, news: News, is_gone: Callable[[], bool]) -> None:
        self._streams, self._address = streams, address
        self._events, self._is_open = self._run(beyond, news, is_gone), True

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        return next(self._events)

    def close(self) -> None:
        """Give the place back; a second call does nothing."""
        if self._is_open:
            self._is_open = False
            self._streams.release(self._address)

    def _run(self, beyond: int, news: News, is_gone: Callable[[], bool]) -> Iterator[bytes]:
        room = self._streams.room
        yield b"retry: 2000\n\n"
        # A hub that was started anew counts from the beginning: a page from before it is told everything.
        beyond, silent_s = (beyond if beyond <= room.version else 0), BEAT_S
        while not (room.is_closed or is_gone()):
            if room.wait_beyond(beyond, TELL_S):
                now = room.version
                yield b"id: %d\nevent: room\ndata: %b\n\n" % (now, json.dumps(news(beyond)).encode())
                beyond, silent_s = now, 0.0
                room.rest(TELL_S)
            elif (silent_s := silent_s + TELL_S) >= BEAT_S:
                silent_s = 0.0
                yield b"event: beat\ndata: 1\n\n"
