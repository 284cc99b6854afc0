"""Who prepares what is new before he wakes those who watch."""

from __future__ import annotations

import logging
import threading
from collections import Counter

from companion.scoreboard import Scoreboard, Snapshot
from companion.web.parts import Painted, Painter

#: How often he looks whether anybody is left to hear him.
LOOK_S = 1.0

#: Whom he prepares it for: a language, and what is kept from him who hears it.
Audience = tuple[str, frozenset[str]]

_log = logging.getLogger(__name__)


class Herald:
    """Paints each new snapshot for all audiences, once, and then wakes who waits for it. Any thread may call it.

    A hundred streams that woke at once to a snapshot that is not painted yet would stand in line for it, and for
    Python's own lock: that took longer than all the rest. His thread lives for as long as anybody listens.
    """

    def __init__(self, scoreboard: Scoreboard, painter: Painter) -> None:
        self._scoreboard, self._painter = scoreboard, painter
        self._told = threading.Condition()
        self._newest: Snapshot | None = None
        self._audiences: Counter[Audience] = Counter()
        self._thread: threading.Thread | None = None

    def join(self, audience: Audience) -> None:
        """Prepare what is new for that audience too."""
        with self._told:
            self._audiences[audience] += 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="herald", daemon=True)
                self._thread.start()

    def leave(self, audience: Audience) -> None:
        """Forget one who joined."""
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
        before: dict[str, Painted] = {}
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
            except Exception:  # each stream tries for itself, and fails alone
                _log.exception("snapshot %d cannot be painted", snapshot.number)
            with self._told:
                self._newest = snapshot
                self._told.notify_all()

    def _prepare(self, snapshot: Snapshot, audiences: list[Audience], before: dict[str, Painted]) -> None:
        painted = {language: self._painter.painted(snapshot, language) for language, _ in audiences}
        for language, without in audiences:
            if language in before:
                self._painter.news(before[language], painted[language], without)
        before.update(painted)
