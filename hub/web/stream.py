"""Server-sent events of the room: what has changed, all of it together once a second, and a heartbeat."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from companion.web.event_stream import EventStream, Places
from hub.room import Room

#: How often a stream tells what changed, how often it says that it is there, and how many one address may have.
TELL_S, BEAT_S, PER_ADDRESS = 1.0, 5.0, 6

#: Returns what has changed since a number of the room's.
News = Callable[[int], Mapping[str, Any]]


class Streams:
    """Opens streams, and refuses those over the cap. Any thread may call it."""

    def __init__(self, room: Room, most: int) -> None:
        self._room, self._places = room, Places(most, PER_ADDRESS)

    def open(self, address: str, beyond: int, news: News, is_gone: Callable[[], bool]) -> EventStream | None:
        """Return a stream of what changes beyond that number; None where there is no place for that address."""
        if not self._places.take(address):
            return None
        return EventStream(self._events(beyond, news, is_gone), lambda: self._places.give_back(address))

    def _events(self, beyond: int, news: News, is_gone: Callable[[], bool]) -> Iterator[bytes]:
        room = self._room
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
