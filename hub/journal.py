"""The hub's journal: what is refused is said once for each table and reason, however often it is tried."""

from __future__ import annotations

import logging
import threading

_log = logging.getLogger("hub")

#: So many different complaints are remembered; then they may be said again.
MOST_SAID = 10_000


class Journal:
    """Says things once. Any thread may call it."""

    def __init__(self) -> None:
        self._said: set[tuple[str, str]] = set()
        self._lock = threading.Lock()

    def once(self, about: str, what: str) -> bool:
        """Say it, unless that was said of the same already; return whether it is new. Nothing unprintable gets in."""
        key = (about[:80], what[:200])
        with self._lock:
            if key in self._said:
                return False
            if len(self._said) >= MOST_SAID:
                self._said.clear()
            self._said.add(key)
        self._say(*key)
        return True

    def over(self, about: str, what: str) -> None:
        """Say that it is over what was said of that, if anything was; from now on it may be said again."""
        with self._lock:
            said = {each for each in self._said if each[0] == about[:80]}
            self._said -= said
        if said:
            self._say(about[:80], what)

    @staticmethod
    def _say(*key: str) -> None:
        _log.warning("%s: %s", *("".join(c if c.isprintable() else "?" for c in part) for part in key))
