"""The time of day of this process, which somebody may set; to be imported before anything that reads it.

Only the clock on the wall: the monotonic one is never set. C libraries do not see it (SQLite is never asked the time).
"""

from __future__ import annotations

import datetime
import time

_true_s = time.time
_ahead_s = [0.0]


class _Datetime(datetime.datetime):
    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> _Datetime:
        return super().now(tz) + datetime.timedelta(seconds=_ahead_s[0])


def set_clock(ahead_s: float) -> None:
    """Let the clock be ahead of the true time by so much; behind it, if that is below 0."""
    _ahead_s[0] = ahead_s


time.time = lambda: _true_s() + _ahead_s[0]
datetime.datetime = _Datetime  # type: ignore[misc]
