"""Server-sent events: the whole page first, then the parts that change, and a heartbeat."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterator

from companion.scoreboard import Scoreboard, Snapshot
from companion.web.parts import Rendered, Renderer
from companion.web.security import HERE

#: How often a stream says something when nothing happens: proxies and phones drop a silent one.
BEAT_S = 5.0

#: How often a stream checks whether anybody is still listening.
LOOK_S = 1.0

#: How many more streams than others this machine itself may have, for its TV and its kiosk.
KEPT_STREAMS = 4

#: Whom snapshots are prepared for: a language, and the parts that are withheld.
Audience = tuple[str, frozenset[str]]

_log = logging.getLogger(__name__)


class Streams:
    """Opens streams, and refuses those over the limit, which is `KEPT_STREAMS` higher for this machine itself.

    Any thread may call it.
    """

    def __init__(
        self, scoreboard: Scoreboard, renderer: Renderer, most: int, most_per_address: int, beat_s: float = BEAT_S
    ) -> None:
        self._scoreboard, self._renderer, self._beat_s = scoreboard, renderer, beat_s
        self._broadcaster = Broadcaster(scoreboard, renderer)
        self._places = Places(most, most_per_address)

    @property
    def count(self) -> int:
        """How many streams are open."""
        return self._places.taken

    def open(
        self,
        address: str,
        without: frozenset[str] = frozenset(),
        language: str = "en",
        is_gone: Callable[[], bool] = lambda: False,
        seen: str = "",
    ) -> EventStream | None:
        """Return a new stream for that address, in its language and `without` these parts; None if there are too many.

        `is_gone` says whether its listener has gone away; `seen` names the snapshot that its page was rendered with.
        """
        if not self._places.take(address, KEPT_STREAMS if address in HERE else 0):
            return None
        audience = language, without
        self._broadcaster.join(audience)

        def closed() -> None:
            self._broadcaster.leave(audience)
            self._places.give_back(address)

        return EventStream(self._events(audience, seen, is_gone), closed)

    def _events(self, audience: Audience, seen: str, is_gone: Callable[[], bool]) -> Iterator[bytes]:
        language, without = audience
        told = self._renderer.recalled(seen, language)
        look_s, silent_s = min(LOOK_S, self._beat_s), 0.0
        yield b"retry: 2000\n\n"
        snapshot: Snapshot | None = self._scoreboard.latest
        while not self._scoreboard.is_closed and not is_gone():
            if snapshot is not None:
                now = self._renderer.rendered(snapshot, language)
                news = self._renderer.news(told, now, without)
                told, silent_s = now, 0.0
                yield b"id: %d\nevent: snapshot\ndata: %b\n\n" % (now.number, news)
            elif (silent_s := silent_s + look_s) >= self._beat_s:
                silent_s = 0.0
                yield b"event: beat\ndata: 1\n\n"
            snapshot = self._broadcaster.wait_beyond(told.number if told else -1, look_s)


class Broadcaster:
    """Renders each new snapshot once for each audience, and then wakes those who wait for it. Any thread may call it.

    If a hundred streams woke at once for a snapshot that is not rendered yet, they would queue for it and for Python's
    own lock, which took longer than all the rest. The thread lives for as long as anybody listens.
    """

    def __init__(self, scoreboard: Scoreboard, renderer: Renderer) -> None:
        self._scoreboard, self._renderer = scoreboard, renderer
        self._told = threading.Condition()
        self._newest: Snapshot | None = None
        self._audiences: Counter[Audience] = Counter()
        self._thread: threading.Thread | None = None

    def join(self, audience: Audience) -> None:
        """Prepare news for that audience, too."""
        with self._told:
            self._audiences[audience] += 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="broadcast", daemon=True)
                self._thread.start()

    def leave(self, audience: Audience) -> None:
        """Forget a listener who joined."""
        with self._told:
            self._audiences[audience] -= 1
            if self._audiences[audience] <= 0:
                del self._audiences[audience]

    def wait_beyond(self, number: int, timeout_s: float) -> Snapshot | None:
        """Return the newest snapshot once its number is larger; None after `timeout_s`, or when all is over."""
        with self._told:
            self._told.wait_for(lambda: self._scoreboard.is_closed or self._is_beyond(number), timeout_s)
            return self._newest if self._is_beyond(number) and not self._scoreboard.is_closed else None

    def _is_beyond(self, number: int) -> bool:
        return self._newest is not None and self._newest.number > number

    def _run(self) -> None:
        listener = self._scoreboard.listen()
        before: dict[str, Rendered] = {}
        while True:
            snapshot = listener.next(LOOK_S)
            with self._told:
                if self._scoreboard.is_closed or not self._audiences:
                    self._thread = None
                    self._told.notify_all()
                    return
                audiences = list(self._audiences)
            if snapshot is None:
                continue
            try:
                self._prepare(snapshot, audiences, before)
            except Exception:  # each stream then tries for itself, and only that one fails
                _log.exception("snapshot %d cannot be rendered", snapshot.number)
            with self._told:
                self._newest = snapshot
                self._told.notify_all()

    def _prepare(self, snapshot: Snapshot, audiences: list[Audience], before: dict[str, Rendered]) -> None:
        rendered = {language: self._renderer.rendered(snapshot, language) for language, _ in audiences}
        for language, without in audiences:
            if language in before:
                self._renderer.news(before[language], rendered[language], without)
        before.update(rendered)


class Places:
    """Counts how many streams each address has open, and refuses those over the limits. Any thread may call it."""

    def __init__(self, most: int, most_per_address: int) -> None:
        self._most, self._most_per_address = most, most_per_address
        self._lock = threading.Lock()
        self._taken: Counter[str] = Counter()

    @property
    def taken(self) -> int:
        """How many places are taken."""
        return self._taken.total()

    def take(self, address: str, more: int = 0) -> bool:
        """Take a place for that address, which may use `more` places than others; return False if there is none."""
        with self._lock:
            if self._taken.total() >= self._most + more or self._taken[address] >= self._most_per_address:
                return False
            self._taken[address] += 1
            return True

    def give_back(self, address: str) -> None:
        """Give back one of that address's places."""
        with self._lock:
            self._taken[address] -= 1
            if self._taken[address] <= 0:
                del self._taken[address]


class EventStream:
    """The bytes of one stream. The server that iterates it calls `close` whatever happens; then `closed` is called."""

    def __init__(self, events: Iterator[bytes], closed: Callable[[], None]) -> None:
        self._events, self._closed = events, closed
        self._is_open = True

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        return next(self._events)

    def close(self) -> None:
        """End the stream. A second call does nothing."""
        if self._is_open:
            self._is_open = False
            self._closed()
