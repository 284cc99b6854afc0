"""Messages to systemd: that the service is ready, how it is, and that it is alive (sd_notify(3)).

Without systemd, if NOTIFY_SOCKET and WATCHDOG_USEC are not set, nothing is sent.
"""

from __future__ import annotations

import logging
import os
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

_log = logging.getLogger(__name__)

#: A socket that takes nothing for this long is given up.
SEND_S = 1.0


def sd_notify(*assignments: str) -> bool:
    """Send assignments such as "READY=1" or "STATUS=Ada's turn"; return whether they were sent.

    Never raises: a service goes on whether or not its state is known. Each assignment is one line.
    """
    address = os.environ.get("NOTIFY_SOCKET", "")
    if address[:1] not in ("/", "@"):
        return False
    name = "\0" + address[1:] if address.startswith("@") else address
    lines = "\n".join(" ".join(assignment.splitlines()) for assignment in assignments)
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sock:
        sock.settimeout(SEND_S)
        sock.sendto(lines.encode(), name)
        return True
    return False


def watchdog_s() -> float | None:
    """Return the longest interval at which systemd wants WATCHDOG=1 from this process, in seconds; None: not at all."""
    microseconds, process = os.environ.get("WATCHDOG_USEC", ""), os.environ.get("WATCHDOG_PID")
    if not microseconds.isdecimal() or int(microseconds) == 0 or process not in (None, str(os.getpid())):
        return None
    return int(microseconds) / 1e6


class Heartbeat:
    """Feeds the watchdog while every one of the named parts has beaten lately. Any thread may call `beat`.

    A part is late after half of the watchdog's time, so that a hang is noticed within one and a half times that. It
    needs no thread: each beat feeds the watchdog, at most eight times in its time, if no part is late. If one is, a
    part that still beats writes down, once, where the late one hangs, before the watchdog ends them all.
    """

    def __init__(
        self,
        parts: Sequence[str],
        every_s: float | None,
        clock: Callable[[], float] = time.monotonic,
        send: Callable[[str], object] = sd_notify,
    ) -> None:
        """`every_s` is `watchdog_s()`: None if nobody wants to hear anything."""
        self._every_s, self._clock, self._send = every_s, clock, send
        self._lock = threading.Lock()
        self._beaten_s = dict.fromkeys(parts, clock())
        self._fed_s = -float("inf")
        self._threads: dict[str, int] = {}
        self._known_late: tuple[str, ...] = ()
        self._lasts_s, self._until_s = 0.0, -float("inf")

    def beat(self, part: str) -> None:
        """Note that the part is alive: the loop at every pass, with or without a frame; raises KeyError for others."""
        with self._lock:
            if part not in self._beaten_s:
                raise KeyError(part)
            now_s = self._beaten_s[part] = self._clock()
            self._threads[part] = threading.get_ident()
            late, known = self._late(now_s), self._known_late
            self._known_late = late
            is_fed = self._every_s is not None and not late and now_s - self._fed_s >= self._every_s / 8
            if is_fed:
                self._fed_s = now_s
        if is_fed:
            self._send("WATCHDOG=1")
        for each in late:
            if each not in known:
                _log.error("the %s hangs, and will be ended if it goes on so; it is at\n%s", each, self._place(each))

    @contextmanager
    def beating(self, most_s: float) -> Iterator[None]:
        """Beat for every part inside `with`: the work in there takes long, but is no hang.

        It does so for at most this long after it began, or after `progress` was last called.
        """
        self._lasts_s, self._until_s = most_s, self._clock() + most_s
        over = threading.Event()

        def beat() -> None:
            while self._every_s is not None and self._clock() < self._until_s:
                for part in tuple(self._beaten_s):
                    self.beat(part)
                if over.wait(self._every_s / 8):
                    return

        thread = threading.Thread(target=beat, name="beating", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._lasts_s = 0.0
            over.set()
            thread.join()

    def progress(self, part: str) -> None:
        """Note that the part made progress with long work; a start that waits for it is given as long again."""
        self.beat(part)
        if lasts_s := self._lasts_s:
            self._until_s = self._clock() + lasts_s
            self._send(f"EXTEND_TIMEOUT_USEC={lasts_s * 1e6:.0f}")

    def _place(self, part: str) -> str:
        """Return where the thread that last beat for the part is: files, lines and names, no values."""
        frame = sys._current_frames().get(self._threads.get(part, 0))
        return "".join(traceback.format_stack(frame)) if frame is not None else "a thread that has ended"

    def _late(self, now_s: float) -> tuple[str, ...]:
        if self._every_s is None:
            return ()
        return tuple(part for part, beaten_s in self._beaten_s.items() if now_s - beaten_s >= self._every_s / 2)
