"""A time of day for this process that can be set; import it before anything that reads the time.

Only the wall clock can be set, never the monotonic one. C libraries do not notice (SQLite is never asked the time).
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
    """Set the clock ahead of the true time by that much, or behind it if the number is below 0."""
    _ahead_s[0] = ahead_s


time.time = lambda: _true_s() + _ahead_s[0]
datetime.datetime = _Datetime  # type: ignore[misc]
