"""Who is told of a new snapshot: the latest is swapped whole, and everybody waiting wakes."""

from __future__ import annotations

import threading
from dataclasses import replace

from companion.scoreboard.snapshot import Snapshot


class Listener:
    """One who wants to know of new snapshots. Belongs to the thread that made it.

    Only the newest snapshot is kept for him: a slow listener skips those in between and holds nobody up.
    """

    def __init__(self, scoreboard: Scoreboard) -> None:
        self._scoreboard = scoreboard
        self._seen = -1

    def next(self, timeout_s: float) -> Snapshot | None:
        """Return the newest snapshot, waiting for one not returned yet; None when none came in time, or at the end."""
        snapshot = self._scoreboard.wait_beyond(self._seen, timeout_s)
        if snapshot is not None:
            self._seen = snapshot.number
        return snapshot


class Scoreboard:
    """Holds the latest snapshot and wakes who waits for it. Any thread may call anything."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._latest = Snapshot()
        self._closed = False
        self._pin = ""

    @property
    def latest(self) -> Snapshot:
        """The newest snapshot."""
        return self._latest

    @property
    def is_closed(self) -> bool:
        """Whether no more snapshots will come."""
        return self._closed

    def publish(self, snapshot: Snapshot) -> None:
        """Make it the latest, under the next number, unless it says nothing new. A PIN that is shown stays in it."""
        with self._changed:
            self._publish(snapshot)

    def show_pin(self, pin: str) -> None:
        """Show the keeper's PIN from now on, whatever is published; "" shows none.

        The loop is not asked: the PIN must come and go with the finger, whatever the camera does.
        """
        with self._changed:
            self._pin = pin
            self._publish(self._latest)

    def listen(self) -> Listener:
        """Return a new listener; its first snapshot is the latest, at once."""
        return Listener(self)

    def wait_beyond(self, number: int, timeout_s: float) -> Snapshot | None:
        """Return the latest snapshot once its number is larger; None after `timeout_s`, or when closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._latest.number > number, timeout_s)
            return None if self._closed or self._latest.number <= number else self._latest

    def close(self) -> None:
        """Tell every listener that it is over."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _publish(self, snapshot: Snapshot) -> None:
        snapshot = replace(snapshot, number=self._latest.number, pin=self._pin)
        if snapshot != self._latest:
            self._latest = replace(snapshot, number=self._latest.number + 1)
            self._changed.notify_all()
