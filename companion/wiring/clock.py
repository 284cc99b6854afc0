"""Whether the time of day jumps: a Pi has no clock of its own that goes on while it is off, and is put right later."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

#: What people are told once the clock has jumped: a code of TROUBLES.
JUMPED = "clock"

#: Who changes the clock by an hour has changed summer time by hand, or worse; the network's corrections are smaller.
MOST_S = 3600.0

#: For so long people are told of it: nothing is left to do but to sign in again.
TOLD_S = 120.0

_log = logging.getLogger(__name__)


def steady_s() -> float:
    """Return the seconds since the machine was started; those that it slept count."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class ClockWatch:
    """Tells of jumps of the time of day, seen against a clock that never jumps. Belongs to one thread."""

    def __init__(self, today_s: Callable[[], float] = time.time, clock: Callable[[], float] = steady_s) -> None:
        self._today_s, self._clock = today_s, clock
        self._apart_s = today_s() - clock()
        self._jumped_s = -float("inf")

    def look(self) -> str:
        """Return JUMPED for a while after a jump, "" otherwise; the journal is told once."""
        now_s = self._clock()
        apart_s = self._today_s() - now_s
        jump_s, self._apart_s = apart_s - self._apart_s, apart_s
        if abs(jump_s) > MOST_S:
            self._jumped_s = now_s
            _log.warning(
                "the clock was set %s by %.1f hours: the game goes on; keepers may have to sign in again",
                "forward" if jump_s > 0 else "back", abs(jump_s) / 3600,
            )  # fmt: skip
        return JUMPED if now_s - self._jumped_s < TOLD_S else ""
