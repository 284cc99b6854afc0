"""The tables that belong to the hub: enrolled, shown, shut out."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from companion.board import BadInputError
from companion.web import keepers
from hub.store.forgetting import veil_in
from hub.store.opening import Store, now
from hub.store.schema import tables

#: Mosquitto compares keys with PBKDF2 and SHA-512. A key has 256 random bits, so guessing needs no slowing down.
ITERATIONS, SALT_BYTES, HASH_BYTES = 101, 12, 64

#: A name is cut to this many characters.
MOST_NAME = keepers.MOST_NAME


@dataclass(frozen=True, slots=True)
class Digest:
    """What is stored of a key, in the form that the broker compares."""

    password: str
    salt: str
    iterations: int

    def fits(self, key: str) -> bool:
        """Return whether it is that key's digest."""
        made = _hashed(key, base64.b64decode(self.salt), self.iterations)
        return hmac.compare_digest(made, self.password)


@dataclass(frozen=True, slots=True)
class Enrolled:
    """A table of the hub. `number` is used in page addresses, `id` in topics; `book` and `last` say what is stored."""

    number: int
    id: str
    name: str
    joined: str
    is_open: bool
    is_revoked: bool
    book: int
    last: int
    digest: Digest
    has_buttons: bool = False


def digest_of(key: str) -> Digest:
    """Return what is stored of the key."""
    salt = os.urandom(SALT_BYTES)
    return Digest(_hashed(key, salt, ITERATIONS), base64.b64encode(salt).decode(), ITERATIONS)


def enrolled(store: Store) -> tuple[Enrolled, ...]:
    """Return all tables, in the order in which they joined."""
    with store.reading.connect() as connection:
        return tuple(map(_enrolled, connection.execute(select(tables).order_by(tables.c.number))))


def told(store: Store, number: int) -> tuple[int, int]:
    """Return the book that a table sends, and its last event that is stored; zeros if there is none."""
    with store.reading.connect() as connection:
        query = select(tables.c.book, tables.c.last).where(tables.c.number == number)
        row = connection.execute(query).one_or_none()
    return (0, 0) if row is None else (row.book, row.last)


def enrol(store: Store, name: str, before: tuple[str, str] | None = None, *, is_open: bool = False) -> tuple[str, str]:
    """Return the id and new key of a table that joins. With `before`, its present id and key, it keeps its identity.

    Raises BadInputError if that key is not that table's, or was revoked.
    """
    with store.engine.begin() as connection:
        return enrol_in(connection, name, before, is_open=is_open)


def enrol_in(
    connection: Connection, name: str, before: tuple[str, str] | None = None, *, is_open: bool = False
) -> tuple[str, str]:
    """Enrol a table as part of a transaction, as `enrol` does."""
    key = secrets.token_urlsafe(32)
    digest, called = digest_of(key), proper_name(veil_in(connection).within(name))
    kept = {"name": called, "password": digest.password, "salt": digest.salt, "iterations": digest.iterations}
    if before is None:
        table = str(uuid.uuid4())
        fresh = {"id": table, "joined": now(), "is_open": is_open, "book": 1, "last": 0}
        connection.execute(insert(tables).values(**fresh, **kept))
        return table, key
    query = select(tables).where(tables.c.id == before[0]).with_for_update()
    row = connection.execute(query).one_or_none()
    if row is None or row.revoked is not None or not _enrolled(row).digest.fits(before[1]):
        raise BadInputError("that key is not that table's, or it was revoked")
    connection.execute(update(tables).where(tables.c.id == before[0]).values(**kept))
    return before[0], key


def revoke(store: Store, number: int) -> str | None:
    """Revoke that table's key. Return the table's id; None if there is no such table, or it was revoked before."""
    with store.engine.begin() as connection:
        chosen = (tables.c.number == number) & tables.c.revoked.is_(None)
        table = connection.execute(select(tables.c.id).where(chosen)).scalar()
        connection.execute(update(tables).where(chosen).values(revoked=now()))
    return None if table is None else str(table)


def open_to_all(store: Store, numbers: Iterable[int], is_open: bool) -> None:
    """Let everybody watch those tables, or only organisers."""
    chosen = tables.c.number.in_(list(numbers))
    with store.engine.begin() as connection:
        connection.execute(select(tables.c.id).where(chosen).order_by(tables.c.id).with_for_update()).all()
        connection.execute(update(tables).where(chosen).values(is_open=is_open))


def allow_buttons(store: Store, number: int, is_allowed: bool) -> None:
    """Let Home Assistant's buttons reach that table, or not."""
    with store.engine.begin() as connection:
        connection.execute(update(tables).where(tables.c.number == number).values(has_buttons=is_allowed))


def proper_name(name: str) -> str:
    """Return the name as one line of printable characters, cut to a length that fits a screen; never empty."""
    return keepers.proper_name(name) or "?"


def _enrolled(row: Row[Any]) -> Enrolled:
    digest = Digest(row.password, row.salt, row.iterations)
    is_revoked = row.revoked is not None
    told = (row.number, row.id, row.name, row.joined, bool(row.is_open), is_revoked, row.book, row.last)
    return Enrolled(*told, digest, bool(row.has_buttons))


def _hashed(key: str, salt: bytes, iterations: int) -> str:
    made = hashlib.pbkdf2_hmac("sha512", key.encode("utf-8", "replace"), salt, iterations, HASH_BYTES)
    return base64.b64encode(made).decode()
