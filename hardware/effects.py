"""What plays now: a glow, a cue over it, and pauses that stop the time of both."""

from __future__ import annotations

import math
from collections.abc import Hashable

from hardware.cues import CALM_GLOW, DARK, Cue, Glow, Moment

#: However long pauses are asked for, and however often anew: after so long the effects go on.
MOST_PAUSE_S = 5.0

SILENT_AND_DARK = Moment(DARK, None)


class Effects:
    """The effects' timeline. All times are the caller's clock's seconds, never going back; belongs to whoever locks it.

    Effects have a time of their own, which stands still while they are paused: they go on from where they were.
    """

    def __init__(self) -> None:
        self.glowing: Glow = CALM_GLOW
        self.last, self.cues = "", 0
        self._glow_s = self._cue_s = 0.0
        self._cue: Cue | None = None
        self._ends_s: dict[Hashable, float] = {}
        self._paused_s = 0.0
        self._stood_s = 0.0

    def play(self, cue: Cue, now_s: float) -> None:
        """Begin the cue in place of the one that is playing; while all is paused, after that."""
        self._cue, self._cue_s = cue, self._own_s(now_s)
        self.last, self.cues = cue.name, self.cues + 1

    def glow(self, glow: Glow, now_s: float) -> None:
        """Let this last under the cues; the same again goes on with its rhythm."""
        if glow != self.glowing:
            self.glowing, self._glow_s = glow, self._own_s(now_s)

    def pause(self, key: Hashable, now_s: float, limit_s: float) -> None:
        """Pause until `resume` with the same key, or for so long at most."""
        if not self.is_paused(now_s):
            self._paused_s = now_s
        self._ends_s[key] = now_s + limit_s

    def resume(self, key: Hashable, now_s: float) -> None:
        """End that pause; the effects go on once none is left."""
        if self.is_paused(now_s):
            self._ends_s.pop(key, None)
            if not self._ends_s:
                self._stood_s += now_s - self._paused_s

    def is_paused(self, now_s: float) -> bool:
        """Whether some pause goes on; those whose limit is over are ended."""
        if self._ends_s and now_s >= self._pause_end_s():
            self._stood_s += self._pause_end_s() - self._paused_s
            self._ends_s.clear()
        return bool(self._ends_s)

    def dark_since_s(self, now_s: float) -> float | None:
        """When the pause that goes on began; None where there is none."""
        return self._paused_s if self.is_paused(now_s) else None

    def at(self, now_s: float) -> tuple[Moment, float]:
        """Return what lamp and buzzer do now, and when that may change next (infinity: not by itself)."""
        if self.is_paused(now_s):
            return SILENT_AND_DARK, self._pause_end_s()
        own_s = self._own_s(now_s)
        if self._cue is not None:
            elapsed_s = own_s - self._cue_s
            moment = self._cue.at(elapsed_s)
            if moment is not None:
                return moment, now_s + min(step_s - elapsed_s for step_s in self._cue.steps_s if step_s > elapsed_s)
            self._glow_s = max(self._glow_s, self._cue_s + self._cue.seconds)
            self._cue = None
        elapsed_s = own_s - self._glow_s
        next_s = self.glowing.next_s(elapsed_s)
        return Moment(self.glowing.at(elapsed_s), None), now_s + (math.inf if next_s is None else next_s - elapsed_s)

    def _pause_end_s(self) -> float:
        return min(max(self._ends_s.values()), self._paused_s + MOST_PAUSE_S)

    def _own_s(self, now_s: float) -> float:
        """Return the effects' own time."""
        return (self._paused_s if self.is_paused(now_s) else now_s) - self._stood_s
