"""What a finger does to the button, from the raw levels of a contact that bounces."""

from __future__ import annotations

from collections import deque
from enum import Enum

#: A level counts once it has lasted this long: contacts bounce for a few milliseconds, quick fingers press for 50.
BOUNCE_S = 0.03

#: A press that lasts this long is a hold.
HOLD_S = 1.5

#: How many gestures may wait to be taken; older ones are forgotten, because nobody waits for them any more.
MOST_WAITING = 16


class Gesture(Enum):
    """A gesture on the button."""

    #: Pressed and released before it was a hold.
    TAP = "tap"
    #: Pressed until it was a hold.
    HOLD = "hold"
    #: Released after a hold.
    RELEASE = "release"


class Contact:
    """Turns levels into gestures; times are seconds on one clock, and never go back. Belongs to whoever locks it.

    A tap is reported when the finger lifts, because until then it could become a hold, which is never a tap as well. A
    button that is down from the first moment (stuck, or wired the other way round) does nothing until it has been up:
    `is_ignored`. `is_held`: a hold goes on.
    """

    def __init__(self, is_down: bool, at_s: float) -> None:
        self._raw, self._raw_s = is_down, at_s
        self._is_down, self._down_s = is_down, at_s
        self.is_ignored, self.is_held = is_down, False
        self._gestures: deque[Gesture] = deque(maxlen=MOST_WAITING)

    def note(self, is_down: bool, at_s: float) -> None:
        """Note the contact's level at that moment."""
        self._advance(at_s)
        if is_down != self._raw:
            self._raw, self._raw_s = is_down, at_s

    def gestures(self, now_s: float) -> tuple[Gesture, ...]:
        """Return the gestures up to now that were not returned before."""
        self._advance(now_s)
        taken = tuple(self._gestures)
        self._gestures.clear()
        return taken

    @property
    def is_raw_down(self) -> bool:
        """The level that was noted last."""
        return self._raw

    @property
    def next_s(self) -> float | None:
        """When something changes although the level stays; None if nothing will."""
        if self._raw != self._is_down:
            return self._raw_s + BOUNCE_S
        if self._is_down and not self.is_held and not self.is_ignored:
            return self._down_s + HOLD_S
        return None

    def _advance(self, now_s: float) -> None:
        if self._raw and not self._is_down and now_s >= self._raw_s + BOUNCE_S:
            self._is_down, self._down_s = True, self._raw_s
        if not self._is_down:
            return
        until_s = now_s if self._raw else self._raw_s
        if not self.is_held and not self.is_ignored and until_s >= self._down_s + HOLD_S:
            self.is_held = True
            self._gestures.append(Gesture.HOLD)
        if not self._raw and now_s >= self._raw_s + BOUNCE_S:
            if not self.is_ignored:
                self._gestures.append(Gesture.RELEASE if self.is_held else Gesture.TAP)
            self._is_down = self.is_held = self.is_ignored = False
