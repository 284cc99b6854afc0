"""The latest snapshot, swapped whole: everybody who waits for a new one wakes."""

from __future__ import annotations

import threading
from dataclasses import replace

from companion.board import PlayerColor
from companion.scoreboard.snapshot import Snapshot, Wishes


class Listener:
    """A listener for new snapshots. Belongs to the thread that made it.

    Only the newest snapshot is kept: a slow listener skips those in between and holds nobody up.
    """

    def __init__(self, scoreboard: Scoreboard) -> None:
        self._scoreboard = scoreboard
        self._seen = -1

    def next(self, timeout_s: float) -> Snapshot | None:
        """Return the newest snapshot, waiting for one not returned yet; None if none came in time, or at the end."""
        snapshot = self._scoreboard.wait_beyond(self._seen, timeout_s)
        if snapshot is not None:
            self._seen = snapshot.number
        return snapshot


class Scoreboard:
    """Holds the latest snapshot and wakes those who wait for it. Any thread may call anything."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._latest = Snapshot()
        self._closed = False
        self._is_teaching = False
        self._has_clock = False
        self._wishes = Wishes()
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
        """Make it the latest, under the next number, unless it says nothing new. A PIN being shown stays in it."""
        with self._changed:
            self._publish(snapshot)

    def show_pin(self, pin: str) -> None:
        """Show the keeper's PIN from now on, whatever is published; "" shows none.

        The loop is not involved: the PIN must come and go with the finger on the button, whatever the camera does.
        """
        with self._changed:
            self._pin = pin
            self._publish(self._latest)

    def teach(self, is_on: bool) -> None:
        """Let every screen say what the player can do now, whatever is published, or stop saying it."""
        with self._changed:
            self._is_teaching = is_on
            self._publish(self._latest)

    def show_clock(self, is_on: bool) -> None:
        """Let every screen show the turn clock, whatever is published, or hide it."""
        with self._changed:
            self._has_clock = is_on
            self._publish(self._latest)

    def wish(self, color: PlayerColor) -> bool:
        """Let every screen say that this player would like to play again; return whether they can say so now.

        They can once the game is over, until a keeper declines. Saying it twice changes nothing.
        """
        with self._changed:
            latest, wishes = self._latest, self._wishes
            if latest.phase != "over" or wishes.is_declined or all(line.color != color for line in latest.players):
                return False
            if color not in wishes.players:
                self._wishes = replace(wishes, players=(*wishes.players, color))
                self._publish(latest)
            return True

    def decline(self) -> bool:
        """Let nobody ask for another game until one has begun; return whether there was a request to decline."""
        with self._changed:
            if not self._wishes.players or self._wishes.is_declined:
                return False
            self._wishes = replace(self._wishes, is_declined=True)
            self._publish(self._latest)
            return True

    def listen(self) -> Listener:
        """Return a new listener; it gets the latest snapshot at once."""
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
        if snapshot.phase != "over":
            self._wishes = Wishes()
        snapshot = replace(
            snapshot,
            number=self._latest.number,
            pin=self._pin,
            is_teaching=self._is_teaching,
            has_clock=self._has_clock,
            wishes=self._wishes,
        )
        if snapshot != self._latest:
            self._latest = replace(snapshot, number=self._latest.number + 1)
            self._changed.notify_all()
