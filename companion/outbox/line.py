"""What the table sends, and when: one message is on its way at a time, and only the hub's own word ends that.

The broker's acknowledgement is not durable. The hub's is: it names the last event that it has committed, and its
checksum. A table that comes back asks for it first. Nothing here knows about networks or files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from companion.outbox.letters import Letter, Mark

#: How long to wait for an answer before the same is sent again.
AGAIN_S = 1.0


class Source(Protocol):
    """The events of a logbook."""

    @property
    def newest(self) -> int:
        """The sequence of the last event; 0 before the first."""

    def mark(self, sequence: int) -> Mark:
        """Return what the logbook says about that event."""

    def after(self, sequence: int) -> Sequence[Letter]:
        """Return what follows that event, as much as fits into one message."""

    def deleted(self) -> tuple[int, ...]:
        """Return the numbers of the games that people deleted."""


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """The hub's word: it holds everything of that book up to the sequence, whose checksum this is (None: it is gone).

    `is_missing`: something later came, and the hub asks for what is in between.
    """

    book: int
    sequence: int
    sum: int | None = None
    is_missing: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """Events in a row; none at all ask the hub how far it has got. `deleted` are games to be deleted there, too."""

    book: int
    letters: Sequence[Letter] = ()
    deleted: tuple[int, ...] = ()


class Line:
    """The conversation of one table with its hub. Belongs to one thread. Times are seconds that never go back.

    A logbook that was brought back from a copy tells another story under numbers that the hub has heard already: that
    story gets a new `book`, and is told from its beginning. Nothing that the hub heard before is lost.
    """

    def __init__(self, book: int = 1) -> None:
        #: Which of the table's stories this is; it only grows.
        self.book = book
        #: The event up to which the hub has everything; None before it has said so.
        self.held: int | None = None
        self._sent_s: float | None = None
        self._last_sent = 0
        # The deleted games that the hub has heard of on this connection, and those of the message that is on its way.
        self._known_deleted: tuple[int, ...] = ()
        self._told_deleted: tuple[int, ...] = ()

    def connected(self) -> None:
        """Begin again: what was on its way may be lost, and it may be a different hub."""
        self.held, self._sent_s = None, None
        self._known_deleted = self._told_deleted = ()

    def hear(self, word: Acknowledged, source: Source) -> None:
        """Take the hub's word; what is late or out of order does no harm."""
        self.book = max(self.book, word.book)  # a table that forgot which book it is at goes on in the latest
        if word.book < self.book:
            self.held, self._sent_s = 0, None  # the hub has heard nothing of this book yet
            return
        if not _is_same_story(word, source):
            self.book += 1
            self.held, self._sent_s = 0, None
            self._known_deleted = self._told_deleted = ()
            return
        if self.held is None or word.sequence >= self._last_sent or word.is_missing or word.sequence > self.held:
            self._sent_s = None
            self._known_deleted = self._told_deleted
        self.held = word.sequence

    def next(self, source: Source, now_s: float) -> Message | None:
        """Return what is to be sent now; None for nothing."""
        if self._sent_s is not None and now_s - self._sent_s < AGAIN_S:
            return None
        if self.held is None:
            self._sent_s = now_s
            return Message(self.book)
        letters, deleted = source.after(self.held), source.deleted()
        is_told = deleted == self._known_deleted
        if is_told and not letters:
            self._sent_s = None
            return None
        self._sent_s, self._last_sent = now_s, int(letters[-1]["n"]) if letters else self.held
        self._told_deleted = deleted
        return Message(self.book, letters, () if is_told else deleted)

    def wait_s(self, now_s: float, most_s: float) -> float:
        """Return how long it is until something has to be sent again, at most `most_s`."""
        return most_s if self._sent_s is None else max(0.0, min(most_s, self._sent_s + AGAIN_S - now_s))


def _is_same_story(word: Acknowledged, source: Source) -> bool:
    """Whether the hub's last event is one of this logbook."""
    if word.sequence == 0:
        return True
    if word.sequence > source.newest:
        return False
    mark = source.mark(word.sequence)
    return mark.may_differ or word.sum is None or mark.sum == word.sum
