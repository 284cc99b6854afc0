"""Who organises or referees: accounts with a password, sessions, and codes that let a table or an organiser in once."""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import Connection, delete, func, insert, select

from companion.board import BadInputError
from companion.web.keepers import SESSION_S, proper_name
from hub.store.forgetting import veil_in
from hub.store.opening import Store, now
from hub.store.schema import codes, organisers, sessions
from hub.store.tables import enrol_in

#: What a code lets in: a table, or whoever makes the first account.
TABLE, ORGANISER = "table", "organiser"

#: What somebody with an account may be: a referee sees every table, and decides nothing.
REFEREE = "referee"
ROLES = (ORGANISER, REFEREE)

#: How long codes are good: long enough to walk to the table and type one in.
CODE_S = {TABLE: 600, ORGANISER: 24 * 3600}

#: What codes are made of: nothing that is taken for something else. Eight of them have 40 bits.
ALPHABET, LENGTH = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ", 8

#: No more codes are open at once, and the shortest and longest password.
MOST_CODES, LEAST_PASSWORD, MOST_PASSWORD = 100, 10, 200

#: A password takes 64 MiB and a tenth of a second to check: so many are checked at once.
AT_ONCE = 2

#: No more wrong passwords or codes than so many within so many seconds, from one address and from all together.
OWN_LIMITS, ALL_LIMITS = ((5, 60.0), (20, 3600.0)), ((60, 60.0), (600, 3600.0))


class Tries:
    """Counts wrong tries, for each address and in all. Any thread may call it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._wrong: list[tuple[float, str]] = []

    def wait_s(self, address: str) -> float:
        """Return for how long that address may not try; 0 where it may."""
        with self._lock:
            now_s = self._clock()
            self._wrong = [each for each in self._wrong if each[0] > now_s - 3600]
            own = [at_s for at_s, who in self._wrong if who == address]
            both = ((own, OWN_LIMITS), ([at_s for at_s, _ in self._wrong], ALL_LIMITS))
            waits = [at[-most] + span - now_s for at, limits in both for most, span in limits if len(at) >= most]
            return max(0.0, *waits) if waits else 0.0

    def note(self, address: str) -> None:
        """Note a wrong one."""
        with self._lock:
            self._wrong.append((self._clock(), address))


@dataclass(frozen=True, slots=True)
class Official:
    """Somebody who is signed in, as an organiser or as a referee."""

    name: str
    token: str
    role: str = ORGANISER

    @property
    def organises(self) -> bool:
        """Whether they decide, and do not only look."""
        return self.role == ORGANISER


class People:
    """The accounts and codes of a store. Any thread may call it.

    `now_s` is the time of day, in seconds; `hasher` says how much work a password is.
    """

    def __init__(
        self, store: Store, now_s: Callable[[], float] = time.time, hasher: PasswordHasher | None = None
    ) -> None:
        self._store, self._now_s = store, now_s
        self._hasher, self._turns = hasher or PasswordHasher(), threading.BoundedSemaphore(AT_ONCE)
        self._nobody = self._hasher.hash(secrets.token_hex(16))

    @property
    def has_organiser(self) -> bool:
        """Whether any organiser has an account."""
        with self._store.reading.connect() as connection:
            own = organisers.c.role == ORGANISER
            return bool(connection.execute(select(func.count()).select_from(organisers).where(own)).scalar())

    def accounts(self) -> tuple[tuple[str, str], ...]:
        """Return the name and the role of everybody who has an account, by name."""
        with self._store.reading.connect() as connection:
            rows = connection.execute(select(organisers.c.name, organisers.c.role).order_by(organisers.c.name))
            return tuple((row.name, row.role) for row in rows)

    def add(self, name: str, password: str, role: str = ORGANISER, *, is_new: bool = False) -> str:
        """Make an account, or give it another password, which ends its sessions; return the name as it is kept.

        `is_new`: it is an error if there is one already.

        Raises BadInputError for a name or a password that will not do.
        """
        called = self.check(name, password)
        with self._turns:
            kept = self._hasher.hash(password.encode("utf-8", "replace"))
        with self._store.engine.begin() as connection:
            own = organisers.c.name == called
            if veil_in(connection).name(called) != called:
                raise BadInputError("this name is forgotten; allow it again first", "hub-account-forgotten")
            if is_new and connection.execute(select(organisers.c.name).where(own)).scalar() is not None:
                raise BadInputError(f"{called} has an account already", "hub-account-taken")
            connection.execute(delete(sessions).where(sessions.c.organiser == called))
            connection.execute(delete(organisers).where(own))
            connection.execute(insert(organisers).values(name=called, password=kept, made=now(), role=role))
        return called

    def remove(self, name: str) -> None:
        """Delete an account, which ends its sessions; raises BadInputError where nobody could organise any more."""
        with self._store.engine.begin() as connection:
            own = select(organisers.c.name).where(organisers.c.role == ORGANISER).order_by(organisers.c.name)
            # Two who delete each other's account wait for one another.
            if not set(connection.scalars(own.with_for_update())) - {name}:
                raise BadInputError("somebody has to organise; make another organiser first", "hub-last-account")
            connection.execute(delete(sessions).where(sessions.c.organiser == name))
            connection.execute(delete(organisers).where(organisers.c.name == name))

    @staticmethod
    def check(name: str, password: str) -> str:
        """Return the name as it is kept; raises BadInputError for a name or a password that will not do."""
        called = proper_name(name)
        if not called:
            raise BadInputError("an organiser needs a name", "hub-no-name")
        if not LEAST_PASSWORD <= len(password) <= MOST_PASSWORD:
            wrong = f"a password has {LEAST_PASSWORD} to {MOST_PASSWORD} characters"
            raise BadInputError(wrong, "hub-password", least=LEAST_PASSWORD, most=MOST_PASSWORD)
        return called

    def sign_in(self, name: str, password: str) -> Official | None:
        """Return a session for the right password; None otherwise. An unknown name takes as long as a known one."""
        called = proper_name(name)
        with self._store.reading.connect() as connection:
            query = select(organisers.c.password, organisers.c.role).where(organisers.c.name == called)
            row = connection.execute(query).one_or_none()
        kept = None if row is None else row.password
        with self._turns:
            try:
                typed = password[: MOST_PASSWORD + 1].encode("utf-8", "replace")
                self._hasher.verify(kept or self._nobody, typed)
            except (VerificationError, InvalidHashError):
                return None
        if row is None:
            return None
        token = secrets.token_urlsafe(32)
        until_s = int(self._now_s()) + SESSION_S
        with self._store.engine.begin() as connection:
            connection.execute(delete(sessions).where(sessions.c.until < int(self._now_s())))
            connection.execute(insert(sessions).values(digest=_digest(token), organiser=called, until=until_s))
        return Official(called, token, row.role)

    def official(self, token: str) -> Official | None:
        """Return who has that session; None for one that is forged, over or signed out of."""
        if not 0 < len(token) < 100:
            return None
        with self._store.reading.connect() as connection:
            chosen = (sessions.c.digest == _digest(token)) & (sessions.c.until > int(self._now_s()))
            query = select(organisers.c.name, organisers.c.role).join(sessions).where(chosen)
            row = connection.execute(query).one_or_none()
        return None if row is None else Official(row.name, token, row.role)

    def organiser(self, token: str) -> Official | None:
        """Return the organiser who has that session; None for everybody else, referees too."""
        official = self.official(token)
        return official if official is not None and official.organises else None

    def sign_out(self, token: str) -> None:
        """End that session."""
        with self._store.engine.begin() as connection:
            connection.execute(delete(sessions).where(sessions.c.digest == _digest(token)))

    def new_code(self, kind: str) -> str:
        """Return a code that is good once, for a while; raises BadInputError where too many are open."""
        drawn = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
        now_s = int(self._now_s())
        with self._store.engine.begin() as connection:
            connection.execute(delete(codes).where(codes.c.until < now_s))
            if kind == ORGANISER:
                connection.execute(delete(codes).where(codes.c.kind == kind))
            if (connection.execute(select(func.count()).select_from(codes)).scalar() or 0) >= MOST_CODES:
                raise BadInputError(f"{MOST_CODES} codes are open; use one of them, or wait", "hub-many-codes")
            kept = {"digest": _digest(drawn), "kind": kind, "until": now_s + CODE_S[kind]}
            connection.execute(insert(codes).values(**kept))
        return f"{drawn[:4]}-{drawn[4:]}"

    def use_code(self, code: str, kind: str) -> bool:
        """Whether that code is good; from now on it is not."""
        with self._store.engine.begin() as connection:
            return self._used(connection, code, kind)

    def pair(self, code: str, name: str, before: tuple[str, str] | None = None) -> tuple[str, str] | None:
        """Return the id and the key of a table that joins by that code; None for a code that is not good.

        All of it or nothing: a code is used up only where a table has its key for it. With `before`, the id and key
        of a table, it stays itself; where that key is another one's, or was revoked, it comes as a new one.
        """
        with self._store.engine.begin() as connection:
            if not self._used(connection, code, TABLE):
                return None
            try:
                return enrol_in(connection, name, before)
            except BadInputError:
                return enrol_in(connection, name)

    def _used(self, connection: Connection, code: str, kind: str) -> bool:
        plain = "".join(each for each in code.upper() if each in ALPHABET)
        chosen = (codes.c.digest == _digest(plain)) & (codes.c.kind == kind) & (codes.c.until >= int(self._now_s()))
        return connection.execute(delete(codes).where(chosen)).rowcount == 1


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
