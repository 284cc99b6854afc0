"""Who organises or referees: accounts with a password, sessions, and one-time codes for tables and organisers."""

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
from companion.web import keepers
from companion.web.keepers import SESSION_S, proper_name
from hub.store.forgetting import veil_in
from hub.store.opening import Store, now
from hub.store.schema import codes, organisers, sessions
from hub.store.tables import enrol_in

#: What a code admits: a table, or the person who makes the first account.
TABLE, ORGANISER = "table", "organiser"

#: What somebody with an account may be; a referee sees every table, and decides nothing.
REFEREE = "referee"
ROLES = (ORGANISER, REFEREE)

#: How long codes are valid: long enough to walk to the table and type one in.
CODE_S = {TABLE: 600, ORGANISER: 24 * 3600}

#: The characters of codes, none of which can be mistaken for another. Eight of them have 40 bits.
ALPHABET, LENGTH = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ", 8

#: How many codes may be open at once, and the shortest and the longest password.
MOST_CODES, LEAST_PASSWORD, MOST_PASSWORD = 100, 10, 200

#: Checking a password takes 64 MiB and a tenth of a second, so only this many are checked at once.
AT_ONCE = 2


class Tries(keepers.Tries):
    """Counts wrong passwords and codes: so many are allowed within so many seconds, from one address and from all."""

    own_limits = ((5, 60.0), (20, 3600.0))
    all_limits = ((60, 60.0), (600, 3600.0))


@dataclass(frozen=True, slots=True)
class Official:
    """Somebody who is signed in, as an organiser or as a referee."""

    name: str
    token: str
    role: str = ORGANISER

    @property
    def organises(self) -> bool:
        """Whether they decide, instead of only looking on."""
        return self.role == ORGANISER


class People:
    """The accounts and codes of a store. Any thread may call it.

    `now_s` is the time of day, in seconds. `hasher` sets how much work a password is.
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
        """Make an account, or change its password, which ends its sessions. Return the name as it is stored.

        `is_new`: it is an error if there is already such an account.

        Raises BadInputError for an unsuitable name or password.
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
        """Delete an account, which ends its sessions. Raises BadInputError if nobody would be left to organise."""
        with self._store.engine.begin() as connection:
            own = select(organisers.c.name).where(organisers.c.role == ORGANISER).order_by(organisers.c.name)
            # If two delete each other's accounts, one waits for the other.
            if not set(connection.scalars(own.with_for_update())) - {name}:
                raise BadInputError("somebody has to organise; make another organiser first", "hub-last-account")
            connection.execute(delete(sessions).where(sessions.c.organiser == name))
            connection.execute(delete(organisers).where(organisers.c.name == name))

    @staticmethod
    def check(name: str, password: str) -> str:
        """Return the name as it is stored. Raises BadInputError for an unsuitable name or password."""
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
        """Return who has that session; None if it is forged, over or signed out."""
        if not 0 < len(token) < 100:
            return None
        with self._store.reading.connect() as connection:
            chosen = (sessions.c.digest == _digest(token)) & (sessions.c.until > int(self._now_s()))
            query = select(organisers.c.name, organisers.c.role).join(sessions).where(chosen)
            row = connection.execute(query).one_or_none()
        return None if row is None else Official(row.name, token, row.role)

    def sign_out(self, token: str) -> None:
        """End that session."""
        with self._store.engine.begin() as connection:
            connection.execute(delete(sessions).where(sessions.c.digest == _digest(token)))

    def new_code(self, kind: str) -> str:
        """Return a code that is valid once, for a while. Raises BadInputError if too many are open."""
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
        """Use up that code. Return whether it was valid."""
        with self._store.engine.begin() as connection:
            return self._used(connection, code, kind)

    def pair(self, code: str, name: str, before: tuple[str, str] | None = None) -> tuple[str, str] | None:
        """Return the id and the key of a table that joins with that code; None if the code is not valid.

        This is all or nothing: a code is only used up if a table gets its key for it. With `before`, a table's id and
        key, the table keeps its identity; if that key is another table's, or was revoked, it joins as a new one.
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
