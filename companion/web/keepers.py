"""Who keeps the game: the PIN that the table shows while its button is held, the attempts, the signed session.

The table is the key: anyone who can reach its button may decide. A session is a signed text that their browser keeps
and that expires by itself. Nothing here deals with requests.
"""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from itsdangerous import BadData, URLSafeSerializer

#: How many digits a PIN has. At ten tries an hour, one PIN in 100,000 is guessed within an hour.
DIGITS = 6

#: How long a PIN is accepted after it was shown.
PIN_S = 120.0

#: How long a session lasts: an evening, but not the next day.
SESSION_S = 12 * 3600

#: A clock may be set back by this much during a session; if it is set back by more, the session ends.
PUT_RIGHT_S = 3600

#: How many wrong PINs are allowed within how many seconds, from one address and for the whole table.
Limits = tuple[tuple[int, float], ...]
LIMITS: Limits = ((3, 60.0), (5, 600.0), (10, 3600.0))

#: A name is cut to this many characters.
MOST_NAME = 40


#: How many may be signed in at once; if there are more, those who came first are signed out.
MOST_SIGNED_IN = 100


@dataclass(frozen=True, slots=True)
class Session:
    """Somebody who has shown that they may decide: the name that they chose, or "", and the token in their browser.

    `number` identifies the session among those that are signed in.
    """

    name: str
    token: str
    number: str


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A valid session: its number, name or "", device ("Android", ...; "": unknown), and from when to when it lasts.

    Times are times of day, in seconds.
    """

    number: str
    name: str
    device: str
    since_s: int
    until_s: int


@dataclass(frozen=True, slots=True)
class Refused:
    """No session: the PIN was wrong or, if `wait_s` is above 0, nobody may try for that long."""

    wait_s: float = 0.0


class Tries:
    """Counts wrong tries, per address and in all, within the limits for each. Any thread may call it.

    `clock` never goes back.
    """

    own_limits: ClassVar[Limits] = LIMITS
    all_limits: ClassVar[Limits] = LIMITS

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._wrong: list[tuple[float, str]] = []

    def wait_s(self, address: str) -> float:
        """Return how long that address may not try; 0 if it may."""
        with self._lock:
            now_s, longest_s = self._clock(), max(span_s for _, span_s in self.all_limits)
            self._wrong = [each for each in self._wrong if each[0] > now_s - longest_s]
            own = [at_s for at_s, who in self._wrong if who == address]
            both = ((own, self.own_limits), ([at_s for at_s, _ in self._wrong], self.all_limits))
            waits = [at[-most] + span_s - now_s for at, limits in both for most, span_s in limits if len(at) >= most]
            return max(0.0, *waits) if waits else 0.0

    def note(self, address: str) -> None:
        """Note a wrong try."""
        with self._lock:
            self._wrong.append((self._clock(), address))


class Roster(Protocol):
    """Remembers who is signed in across restarts."""

    def read(self) -> Sequence[SignedIn]:
        """Return who was signed in, those who came first first."""

    def write(self, signed_in: Sequence[SignedIn]) -> None:
        """Store who is signed in."""


class Keepers:
    """Admits those who know the PIN, and recognises them by the token that they were given. Any thread may call it.

    A PIN is valid for `PIN_S` after it is shown, and each showing makes a new one; `pin` is one that is already on
    show. `key` signs the sessions, and `roster` stores which of them are valid: if both are kept, sessions outlive a
    restart. `clock` times PINs and tries, and never goes back. `now_s` is the time of day in seconds, by which sessions
    end.
    """

    def __init__(
        self,
        pin: str | None = None,
        key: bytes | None = None,
        clock: Callable[[], float] = time.monotonic,
        now_s: Callable[[], float] = time.time,
        roster: Roster | None = None,
    ) -> None:
        self._signer = URLSafeSerializer(key or secrets.token_bytes(32), salt="strada-keeper")
        self._clock, self._now_s = clock, now_s
        self._lock = threading.Lock()
        self._tries = Tries(clock)
        self._roster = roster
        self._signed_in = {each.number: each for each in (roster.read() if roster else ())}
        self._pin, self._pin_until_s = "", 0.0
        if pin is not None:
            self.show(pin)

    def show(self, pin: str | None = None) -> str:
        """Return a new PIN, or the given one, valid from now on. Only somebody at the table can make it show.

        So wrong tries are forgotten: they must not keep out somebody who is there.
        """
        with self._lock:
            self._tries = Tries(self._clock)
            self._pin, self._pin_until_s = new_pin() if pin is None else pin, self._clock() + PIN_S
            return self._pin

    def sign_in(self, pin: str, name: str, address: str, device: str = "") -> Session | Refused:
        """Return a session for the right PIN. While the limits allow no tries, even the right one is refused."""
        with self._lock:
            if (wait_s := self._tries.wait_s(address)) > 0:
                return Refused(wait_s)
            is_right = hmac.compare_digest(pin.encode(), self._pin.encode())
            if not (is_right and self._clock() < self._pin_until_s):
                self._tries.note(address)
                return Refused()
            since_s = int(self._now_s())
            one = SignedIn(secrets.token_hex(8), proper_name(name), device, since_s, since_s + SESSION_S)
            # Nobody is signed out because of the clock, as it may be wrong for a minute.
            self._keep([*self._signed_in.values(), one][-MOST_SIGNED_IN:])
        return Session(one.name, str(self._signer.dumps([one.name, one.until_s, one.number])), one.number)

    def session(self, token: str) -> Session | None:
        """Return the session that the browser kept; None if it is forged, over or signed out."""
        match self._signed(token):
            case [str() as name, int() as until_s, str() as number]:
                return Session(name, token, number) if self._is_on(until_s) and number in self._signed_in else None
            case _:
                return None

    @property
    def signed_in(self) -> tuple[SignedIn, ...]:
        """Who is signed in now, those who came first first."""
        return tuple(each for each in list(self._signed_in.values()) if self._is_on(each.until_s))

    def sign_out(self, number: str) -> bool:
        """End the session with that number, for anyone who has copied it, too. Return whether it was valid."""
        with self._lock:
            was_on = number in self._signed_in
            if was_on:
                self._keep([each for each in self._signed_in.values() if each.number != number])
            return was_on

    def sign_all_out(self) -> None:
        """End all sessions."""
        with self._lock:
            self._keep([])

    def _keep(self, signed_in: Sequence[SignedIn]) -> None:
        self._signed_in = {each.number: each for each in signed_in}
        if self._roster is not None:
            self._roster.write(signed_in)

    def _is_on(self, until_s: int) -> bool:
        return 0 < until_s - self._now_s() <= SESSION_S + PUT_RIGHT_S

    def _signed(self, token: str) -> Any:
        """Return what Strada signed; None for anything else."""
        try:
            return self._signer.loads(token)
        except (BadData, ValueError):
            return None


def new_pin() -> str:
    """Return a PIN that nobody can guess."""
    return f"{secrets.randbelow(10**DIGITS):0{DIGITS}d}"


def proper_name(name: str) -> str:
    """Return the name as one line of printable characters, cut to a length that fits a screen; "" for none."""
    shown = "".join(character if character.isprintable() else " " for character in name)
    return " ".join(shown.split())[:MOST_NAME].rstrip()
