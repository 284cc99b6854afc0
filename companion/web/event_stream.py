"""What any stream of server-sent events needs: a place for it, and bytes that a server iterates and then closes."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator


class Places:
    """Counts what each address has open, and refuses what is over the caps. Any thread may call it."""

    def __init__(self, most: int, most_per_address: int) -> None:
        self._most, self._most_per_address = most, most_per_address
        self._lock = threading.Lock()
        self._taken: Counter[str] = Counter()

    @property
    def taken(self) -> int:
        """How many are taken."""
        return self._taken.total()

    def take(self, address: str, more: int = 0) -> bool:
        """Take a place for that address, of `more` than others may have; False if there is none."""
        with self._lock:
            if self._taken.total() >= self._most + more or self._taken[address] >= self._most_per_address:
                return False
            self._taken[address] += 1
            return True

    def give_back(self, address: str) -> None:
        """Give one place of that address back."""
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
        """End it; a second call does nothing."""
        if self._is_open:
            self._is_open = False
            self._closed()
