"""So many pictures a second, and no more."""

from __future__ import annotations

import time
from collections.abc import Callable


class Pace:
    """Says when the next picture is due. Belongs to the thread that takes pictures."""

    def __init__(self, frames_per_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._period_s, self._clock = 1 / frames_per_s, clock
        self._due_s = clock()

    @property
    def left_s(self) -> float:
        """How long until the next picture is due; 0 where it is."""
        return max(0.0, self._due_s - self._clock())

    def wait(self, timeout_s: float, sleep: Callable[[float], None] = time.sleep) -> float:
        """Wait until the next picture is due, for so long at the most, and note that it is taken; return when it is."""
        if (left_s := min(self.left_s, timeout_s)) > 0:
            sleep(left_s)
        self.next()
        return self._clock()

    def next(self) -> None:
        """Note that a picture was taken; one that came late does not hurry the ones after it."""
        self._due_s = max(self._due_s + self._period_s, self._clock())
