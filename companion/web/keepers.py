"""Who keeps the game: the PIN that the table shows while its button is held, the tries at it, the signed session.

The table is the key: whoever can put a hand on it may decide. A session is a signed text that their browser keeps; it
ends by itself. Nothing here knows of requests.
"""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from itsdangerous import BadData, URLSafeSerializer

#: How many digits a PIN has: at ten tries an hour one in 100,000 is guessed in an hour.
DIGITS = 6

#: How long a PIN lets keepers in after it was shown.
PIN_S = 120.0

#: How long a session lasts: an evening, but not the next day.
SESSION_S = 12 * 3600

#: A clock may be put right by so much during a session; one that is set back by more ends it.
PUT_RIGHT_S = 3600

#: No more wrong PINs than so many within so many seconds, from one address and for the whole table.
LIMITS = ((3, 60.0), (5, 600.0), (10, 3600.0))

#: A name is cut to so many characters.
MOST_NAME = 40


@dataclass(frozen=True, slots=True)
class Session:
    """Somebody who has shown that they may decide: the name that they chose, or "", and what their browser keeps."""

    name: str
    token: str


@dataclass(frozen=True, slots=True)
class Refused:
    """No session: the PIN was wrong or, where `wait_s` is above 0, nobody may try for so long."""

    wait_s: float = 0.0


class Tries:
    """Counts wrong PINs, for each address and for the table. Times are seconds that never go back."""

    def __init__(self) -> None:
        self._wrong: deque[tuple[float, str]] = deque()

    def wait_s(self, address: str, now_s: float) -> float:
        """Return for how long that address may not try; 0 where it may."""
        longest_s = max(seconds for _, seconds in LIMITS)
        while self._wrong and self._wrong[0][0] <= now_s - longest_s:
            self._wrong.popleft()
        own = [at_s for at_s, who in self._wrong if who == address]
        return max(_wait_s(own, now_s), _wait_s([at_s for at_s, _ in self._wrong], now_s))

    def note(self, address: str, now_s: float) -> None:
        """Note a wrong PIN."""
        self._wrong.append((now_s, address))


def _wait_s(wrong: list[float], now_s: float) -> float:
    """Return for how long the limits let nobody try who was wrong at those times, oldest first."""
    waits = [wrong[-most] + seconds - now_s for most, seconds in LIMITS if len(wrong) >= most]
    return max(0.0, *waits) if waits else 0.0


class Ended(Protocol):
    """The numbers of sessions that somebody signed out of. Any thread may call it."""

    def __contains__(self, number: str) -> bool:
        """Whether that session was ended."""

    def add(self, number: str) -> None:
        """Note that it was."""


class Keepers:
    """Lets those in who know the PIN, and knows them again by what they were given. Any thread may call it.

    A PIN is good for `PIN_S` after it is shown, and each time there is a new one; `pin` is one that is on show already.
    `key` signs the sessions: who keeps it, keeps them; `ended` are those that were signed out of. `clock` times PINs
    and tries and never goes back; `now_s` is the time of day in seconds, by which sessions end.
    """

    def __init__(
        self,
        pin: str | None = None,
        key: bytes | None = None,
        clock: Callable[[], float] = time.monotonic,
        now_s: Callable[[], float] = time.time,
        ended: Ended | None = None,
    ) -> None:
        self._signer = URLSafeSerializer(key or secrets.token_bytes(32), salt="strada-keeper")
        self._clock, self._now_s = clock, now_s
        self._lock = threading.Lock()
        self._tries = Tries()
        self._ended: Ended = set() if ended is None else ended
        self._pin, self._pin_until_s = "", 0.0
        if pin is not None:
            self.show(pin)

    def show(self, pin: str | None = None) -> str:
        """Return a new PIN, or that one, good from now on. Whoever shows it has a hand on the table.

        So wrong tries are forgotten: they keep nobody out who stands there.
        """
        with self._lock:
            self._tries = Tries()
            self._pin, self._pin_until_s = new_pin() if pin is None else pin, self._clock() + PIN_S
            return self._pin

    def sign_in(self, pin: str, name: str, address: str) -> Session | Refused:
        """Return a session for the right PIN. While the limits let nobody try even the right one is refused."""
        with self._lock:
            now_s = self._clock()
            if (wait_s := self._tries.wait_s(address, now_s)) > 0:
                return Refused(wait_s)
            is_right = hmac.compare_digest(pin.encode(), self._pin.encode())
            if not (is_right and now_s < self._pin_until_s):
                self._tries.note(address, now_s)
                return Refused()
        name = proper_name(name)
        until_s = int(self._now_s()) + SESSION_S
        return Session(name, str(self._signer.dumps([name, until_s, secrets.token_hex(8)])))

    def session(self, token: str) -> Session | None:
        """Return the session that the browser kept; None for one that is forged, over or signed out of."""
        match self._signed(token):
            case [str() as name, int() as until_s, str() as number]:
                is_on = 0 < until_s - self._now_s() <= SESSION_S + PUT_RIGHT_S
                return Session(name, token) if is_on and number not in self._ended else None
            case _:
                return None

    def sign_out(self, token: str) -> None:
        """End that session, also for whoever has copied it; a forged one is none."""
        if self.session(token) is not None:
            _name, _until_s, number = self._signed(token)
            self._ended.add(number)

    def _signed(self, token: str) -> Any:
        """Return what we signed; None for what we did not."""
        try:
            return self._signer.loads(token)
        except (BadData, ValueError):
            return None


def new_pin() -> str:
    """Return a PIN that nobody can guess."""
    return f"{secrets.randbelow(10**DIGITS):0{DIGITS}d}"


def proper_name(name: str) -> str:
    """Return the name in one line of printable characters, cut to a length that fits a screen; "" for none."""
    shown = "".join(character if character.isprintable() else " " for character in name)
    return " ".join(shown.split())[:MOST_NAME].rstrip()
