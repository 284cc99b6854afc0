"""Forgetting somebody: their name becomes "Player 7" in everything that the hub stores, and in all that comes later.

The name itself is stored nowhere. A digest of it, with a secret of this hub, says which names to replace when a table
sends them again. Anyone who has the database and guesses a name can see whether it was forgotten, and no more.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import sqlite3
import time
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import psycopg
from sqlalchemy import Column, Connection, Table, bindparam, delete, func, insert, select, update

from companion.board import BadInputError, NotNowError
from companion.commands import name_of
from hub.messages import Told
from hub.store.opening import Store, drawn_once, now
from hub.store.schema import (
    about,
    entrants,
    events,
    forgotten,
    games,
    organisers,
    positions,
    results,
    rounds,
    seasons,
    seats,
    tables,
    tournaments,
)

#: The longest name, the most names that can be forgotten, and how many rows are written at once.
MOST_NAME, MOST_FORGOTTEN, MOST_ROWS = 200, 10_000, 500

#: How often rewriting the database's file is tried, and how long to wait in between.
TRIES, AGAIN_S = 5, 0.5

#: How many texts are remembered as forgotten names, or as not forgotten.
MOST_KNOWN = 20_000

_SECRET = "forget-secret"

#: Where a name may begin in what people write, and where it may end; how many ends are tried from each beginning.
_BEGINS, _ENDS, MOST_ENDS = re.compile(r"(?<!\w)\w|(?<!\S)\S"), re.compile(r"\w(?!\w)|\S(?!\S)"), 16

#: The JSON keys that hold people's names. A name may be any word, such as a colour, so other keys are left alone.
_NAMING = frozenset({"name", "names", "by", "who"})

#: The tables with names, in JSON or on their own, each with its key columns.
_KEYS: Mapping[Table, Sequence[Column[Any]]] = {
    events: (events.c.of, events.c.book, events.c.n),
    positions: (positions.c.of, positions.c.book, positions.c.id),
    tables: (tables.c.number,),
    seats: (seats.c.of, seats.c.book, seats.c.game, seats.c.seat),
    entrants: (entrants.c.number,),
    results: (results.c.number,),
    rounds: (rounds.c.tournament, rounds.c.number),
    tournaments: (tournaments.c.number,),
    seasons: (seasons.c.number,),
}


class Veil:
    """Knows which names are forgotten and what replaces them. If none are, it changes nothing."""

    def __init__(self, secret: str, digests: Mapping[str, int]) -> None:
        self._secret, self._digests = secret, digests
        self._known: dict[str, str | None] = {}

    def __bool__(self) -> bool:
        return bool(self._digests)

    def name(self, name: str) -> str:
        """Return what somebody is called now."""
        return self._instead(name) or name

    def who(self, who: str) -> str:
        """Return who was behind a command, which may be a name followed by an address."""
        return self._instead(who) or self._instead(name_of(who)) or who

    def text(self, text: str) -> str:
        """Return JSON with names replaced; the same text if it has none of them, or makes no sense."""
        return self._rewritten(text, self.plain)

    def plain(self, plain: Any, key: str = "") -> Any:
        """Return JSON values with names replaced; `key` is the one that they are under."""
        match plain:
            case str():
                return self.name(plain) if key in _NAMING else plain
            case list():
                return [self.plain(each, key) for each in plain]
            case dict():
                is_nobody = _is_nobody(plain)
                return {
                    each: value if is_nobody and each == "name" else self.plain(value, each)
                    for each, value in plain.items()
                }
        return plain

    def within(self, text: str) -> str:
        """Return what people write, such as a reason or a table's name, with names replaced."""
        if not self._digests:
            return text
        starts = {mark.start() for mark in _BEGINS.finditer(text)}
        ends = sorted({mark.end() for mark in _ENDS.finditer(text)})
        written, at = list[str](), 0
        while at < len(text):
            # The longest name comes first: "Ada Berg" before "Ada".
            near = [end for end in ends if at < end <= at + MOST_NAME][:MOST_ENDS] if at in starts else []
            end, instead = next(
                ((end, called) for end in reversed(near) if (called := self._instead(text[at:end])) is not None),
                (at + 1, text[at]),
            )
            written.append(instead)
            at = end
        return "".join(written)

    def state(self, told: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a table's state as it is stored; the table's own name is something that people write."""
        named = {"name": self.within(told["name"])} if isinstance(told.get("name"), str) else {}
        return {**self.plain({each: value for each, value in told.items() if each not in named}), **named}

    def standing(self, text: str) -> str:
        """Return JSON of a table's state as it is stored; the same text if it makes no sense."""
        return self._rewritten(text, lambda plain: self.state(plain) if isinstance(plain, dict) else plain)

    def told(self, told: Told) -> Told:
        """Return an event as it is stored."""
        position = told.position
        if position is not None:
            position = {**position, "position": self.text(position["position"])}
        return replace(
            told,
            who=told.who and self.who(told.who),
            event=told.event and self.text(told.event),
            position=position,
        )

    @staticmethod
    def _rewritten(text: str, change: Callable[[Any], Any]) -> str:
        try:
            plain = json.loads(text)
        except (ValueError, RecursionError):
            return text
        changed = change(plain)
        return text if changed == plain else json.dumps(changed, separators=(",", ":"))

    def _instead(self, name: str) -> str | None:
        if not self._digests or not 0 < len(name) <= MOST_NAME:
            return None
        if name not in self._known:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            number = self._digests.get(_digest(self._secret, name))
            self._known[name] = None if number is None else called(number)
        return self._known[name]


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A forgotten name: what replaces it, and since when."""

    number: int
    at: str

    @property
    def name(self) -> str:
        """What replaces it."""
        return called(self.number)


def _is_nobody(plain: Mapping[str, Any]) -> bool:
    """Return whether that is a player whom nobody named, and who is called by their colour."""
    name, color = plain.get("name"), plain.get("color")
    return isinstance(name, str) and isinstance(color, str) and name.strip().casefold() == color.casefold()


def key_of(name: str) -> str:
    """Return a key that is the same for the same person, however their name was typed.

    >>> key_of("  Ada   BERG")
    'ada berg'
    """
    return unicodedata.normalize("NFC", " ".join(name.split()).casefold())  # letters with separate dots are the same


def called(number: int) -> str:
    """Return what somebody is called whose name is forgotten."""
    return f"Player {number}"


def veil_in(connection: Connection) -> Veil:
    """Return the veil with the forgotten names that this connection sees."""
    digests = {row.digest: row.number for row in connection.execute(select(forgotten.c.digest, forgotten.c.number))}
    if not digests:
        return Veil("", {})
    secret = connection.execute(select(about.c.value).where(about.c.name == _SECRET)).scalar()
    return Veil(str(secret), digests)


def veil(store: Store) -> Veil:
    """Return the veil with the names that are forgotten now."""
    with store.reading.connect() as connection:
        return veil_in(connection)


def forgotten_names(store: Store) -> tuple[Forgotten, ...]:
    """Return all forgotten names, without the names themselves."""
    with store.reading.connect() as connection:
        rows = connection.execute(select(forgotten.c.number, forgotten.c.at).order_by(forgotten.c.number))
        return tuple(Forgotten(row.number, row.at) for row in rows)


def forget(store: Store, name: str) -> str:
    """Forget a name and return what replaces it.

    Raises BadInputError for an invalid name, NotNowError if the database's file could not be rewritten. The digest is
    stored first, so that whatever tables send from then on comes without the name. Then everything that is stored is
    searched, and meanwhile no table's events are accepted.
    """
    key = key_of(name)
    if not key or len(name) > MOST_NAME:
        raise BadInputError("say which name is to be forgotten", "forget-name")
    with store.engine.begin() as connection:
        own = organisers.c.name
        if any(key_of(each) == key for each in connection.scalars(select(own))):
            raise BadInputError("somebody of this name has an account; delete it first", "forget-account")
        if (connection.execute(select(func.count()).select_from(forgotten)).scalar() or 0) >= MOST_FORGOTTEN:
            raise BadInputError(f"{MOST_FORGOTTEN} names are forgotten; no more can be", "forget-many")
        secret = drawn_once(connection, _SECRET, 32)
        digest = _digest(secret, name)
        number = connection.execute(select(forgotten.c.number).where(forgotten.c.digest == digest)).scalar()
        if number is None:
            made = connection.execute(insert(forgotten).values(digest=digest, at=now())).inserted_primary_key
            assert made is not None
            number = made[0]
    one = Veil(secret, {digest: int(number)})
    with store.engine.begin() as connection:
        # Whoever takes events or lets players enter locks these rows first, and reads which names are forgotten after
        # that. Tournaments come first: whoever draws a round has locked its tournament, and then refers to tables.
        connection.execute(select(tournaments.c.number).order_by(tournaments.c.number).with_for_update()).all()
        connection.execute(select(tables.c.id).order_by(tables.c.id).with_for_update()).all()
        _forget_in(connection, one)
    _shred(store)
    return called(int(number))


def remember(store: Store, number: int) -> None:
    """Let a forgotten name be used again from now on; what was replaced stays replaced."""
    with store.engine.begin() as connection:
        connection.execute(delete(forgotten).where(forgotten.c.number == number))


def _forget_in(connection: Connection, one: Veil) -> None:
    for of, book, game in _games_with(connection, one):
        for table, column in ((events, events.c.event), (positions, positions.c.position)):
            within = (table.c.of == of) & (table.c.book == book) & (table.c.game == game)
            _rewrite(connection, table, column, one.text, within)
    _rewrite(connection, events, events.c.event, one.text, events.c.game.is_(None))
    _rewrite(connection, positions, positions.c.position, one.text, positions.c.game.is_(None))
    for who in connection.scalars(select(events.c.who).where(events.c.who.is_not(None)).distinct()).all():
        if one.who(who) != who:
            connection.execute(update(events).where(events.c.who == who).values(who=one.who(who)))
    _rewrite(connection, tables, tables.c.state, one.standing)
    for table, column in (
        (seats, seats.c.name), (entrants, entrants.c.name),
        (results, results.c.who), (rounds, rounds.c.drawn_by), (tournaments, tournaments.c.made_by),
    ):  # fmt: skip
        _rewrite(connection, table, column, one.name)
    for table, column in (
        (tables, tables.c.name), (results, results.c.why), (tournaments, tournaments.c.name),
        (seasons, seasons.c.name), (entrants, entrants.c.club),
    ):  # fmt: skip
        _rewrite(connection, table, column, one.within)
    # Whatever pages hold ready about any tournament is rendered anew.
    connection.execute(update(tournaments).values(changed=tournaments.c.changed + 1))


def _games_with(connection: Connection, one: Veil) -> Iterator[tuple[int, int, int]]:
    """Yield the games, by table, book and number, in which somebody with that name was dealt in or named."""
    kinds = events.c.kind.in_(("GameDealt", "PlayersNamed", "GameTakenUp"))
    query = select(events.c.of, events.c.book, events.c.game, events.c.event).where(kinds, events.c.game.is_not(None))
    games_there = set[tuple[int, int, int]]()
    for row in connection.execute(query):
        if row.event is not None and one.text(row.event) != row.event:
            games_there.add((row.of, row.book, row.game))
    sat = select(seats.c.of, seats.c.book, seats.c.game, seats.c.name).join(games)
    games_there |= {(row.of, row.book, row.game) for row in connection.execute(sat) if one.name(row.name) != row.name}
    yield from sorted(games_there)


def _rewrite(
    connection: Connection, table: Table, column: Column[Any], change: Callable[[str], str], where: Any = True
) -> None:
    """Rewrite a column wherever the change makes a difference, in the order of the keys, some rows at once."""
    keys = _KEYS[table]
    query = select(*keys, column.label("told")).where(column.is_not(None), where).order_by(*keys)
    after = update(table).where(*(key == bindparam(f"k_{key.name}") for key in keys)).values({column: bindparam("now")})
    rows = [
        {**{f"k_{key.name}": value for key, value in zip(keys, row[:-1], strict=True)}, "now": changed}
        for row in connection.execute(query)
        if (changed := change(row.told)) != row.told
    ]
    for first in range(0, len(rows), MOST_ROWS):
        connection.execute(after, rows[first : first + MOST_ROWS])


def _shred(store: Store) -> None:
    """Rewrite the database's files, so that nothing is left of what was replaced. Raises NotNowError."""
    for _ in range(TRIES):
        if _is_shredded(store):
            return
        time.sleep(AGAIN_S)
    raise NotNowError("the name is replaced, but the database's file is in use; forget it once more", "forget-busy")


def _is_shredded(store: Store) -> bool:
    """Rewrite the files. Return whether that was possible, as others may be reading them at this moment."""
    raw = store.engine.raw_connection()
    try:
        driver: Any = raw.driver_connection
        if store.is_postgresql:
            driver.autocommit = True
            for table in _KEYS:
                driver.execute(f"VACUUM (FULL) {table.name}")
            driver.autocommit = False
            return True
        driver.execute("VACUUM")
        (is_busy, *_) = driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not is_busy
    except (sqlite3.OperationalError, psycopg.OperationalError):
        return False
    finally:
        raw.close()


def _digest(secret: str, name: str) -> str:
    return hmac.new(secret.encode(), key_of(name).encode("utf-8", "replace"), hashlib.sha256).hexdigest()
