"""The button's sense of time: which presses count, what a press says yes to, and how long it waits for a look."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from companion.commands import Accept, Command, Done, StartGame, TakeOffer
from companion.events import (
    GameDealt,
    GameOver,
    MoveAccepted,
    MoveRefused,
    MoveUnclear,
    SavingAsked,
    SequenceOffered,
    TurnTaken,
    WorkshopPlaced,
)

#: After a verdict presses are ignored for so long: fingers bounce, and two people press at once.
QUIET_S = 2.0

#: A press within this time of a question says yes to it; one sooner than a person can read it does not.
CONFIRM_S, READ_S = 10.0, 0.4

#: How long a press waits for hands to be gone and the table to be still; then it lapses.
WAIT_S = 5.0

#: Whoever pressed the table's button.
BUTTON = "button"

#: What is a verdict: for a moment after it presses do not count.
VERDICTS = (WorkshopPlaced, TurnTaken, MoveRefused, MoveAccepted, MoveUnclear, GameDealt, GameOver)
#: What the next press says yes to. Another reading of an earlier move is offered unasked: only a tap takes that.
OFFERS = (SavingAsked, SequenceOffered)


@dataclass(frozen=True, slots=True)
class Asked:
    """A command, who gave it and when (the service's clock); `is_press`: it is what a press came to mean."""

    command: Command
    by: str
    asked_s: float
    is_press: bool = False

    @property
    def is_judged(self) -> bool:
        """Whether it is judged on a picture taken after it; others are obeyed at once."""
        return isinstance(self.command, StartGame | Done | Accept | TakeOffer)

    def lapses(self, now_s: float) -> bool:
        """Whether it has waited long enough for a table that can be seen."""
        return now_s - self.asked_s >= WAIT_S


class Button:
    """Says what a press means now. Belongs to the loop's thread; times are the service's.

    `quiet_s` says how long after a verdict presses do not count.
    """

    def __init__(self, quiet_s: Callable[[], float] = lambda: QUIET_S) -> None:
        self._quiet_s = quiet_s
        self._verdict_s: float | None = None
        self._offered_s: float | None = None

    def meaning(self, asked: Asked) -> Asked | None:
        """Return the command that the press stands for; None where it does not count."""
        if self.is_answered(asked):
            return None
        if not isinstance(asked.command, Done) or asked.by != BUTTON:
            return asked
        if self._offered_s is not None:
            if asked.asked_s - self._offered_s < READ_S:
                return None
            if asked.asked_s - self._offered_s <= CONFIRM_S:
                return Asked(TakeOffer(), asked.by, asked.asked_s)
        if self._verdict_s is not None and asked.asked_s - self._verdict_s < self._quiet_s():
            return None
        return asked

    def is_answered(self, asked: Asked) -> bool:
        """Whether it is a press, or a keeper's done or yes, from before the latest verdict: that was the answer to it.

        Whoever pressed has not heard the verdict: he means neither the next player's turn nor what was asked with it.
        """
        is_press = asked.is_press or asked.by == BUTTON or isinstance(asked.command, Done | TakeOffer)
        return is_press and self._verdict_s is not None and asked.asked_s <= self._verdict_s

    def judged(self, now_s: float) -> None:
        """Note that a verdict was given."""
        self._verdict_s, self._offered_s = now_s, None

    def offered(self, now_s: float) -> None:
        """Note that a question was asked which the next press answers."""
        self._offered_s = now_s

    def withdrawn(self) -> None:
        """Note that nothing is offered any more."""
        self._offered_s = None
