"""Forgetting somebody: their name becomes "Player 7" in everything that the hub keeps, and in all that comes later.

The name itself is kept nowhere. A digest of it, with a secret of this hub, says which names are to be replaced when a
table tells them again. Whoever has the database and guesses a name can see whether it was forgotten, and no more.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
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
from hub.store.opening import Store, now
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

#: No name is longer, no more names are forgotten, and so many rows are read at once.
MOST_NAME, MOST_FORGOTTEN, MOST_ROWS = 200, 10_000, 500

#: How often it is tried to write the database's file anew, and how soon again.
TRIES, AGAIN_S = 5, 0.5

#: So many texts are known to be names that are forgotten, or none.
MOST_KNOWN = 20_000

_SECRET = "forget-secret"

#: Where a name may begin in what people write, and where it may end; so many ends are tried from each beginning.
_BEGINS, _ENDS, MOST_ENDS = re.compile(r"(?<!\w)\w|(?<!\S)\S"), re.compile(r"\w(?!\w)|\S(?!\S)"), 16

#: Under these keys JSON has names of people. A name may be any word, such as a colour, and is one nowhere else.
_NAMING = frozenset({"name", "names", "by", "who"})

#: Where names stand in JSON, and where they stand alone, each with its table's key.
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
    """Knows which names are forgotten, and what stands in their place. Empty, it leaves everything as it is."""

    def __init__(self, secret: str, digests: Mapping[str, int]) -> None:
        self._secret, self._digests = secret, digests
        self._known: dict[str, str | None] = {}

    def __bool__(self) -> bool:
        return bool(self._digests)

    def name(self, name: str) -> str:
        """Return what somebody is called now."""
        return self._instead(name) or name

    def who(self, who: str) -> str:
        """Return who was behind a command, which may have their address behind the name."""
        return self._instead(who) or self._instead(name_of(who)) or who

    def text(self, text: str) -> str:
        """Return JSON with other names in it; the same text where there is none of them, or it makes no sense."""
        return self._rewritten(text, self.plain)

    def plain(self, plain: Any, key: str = "") -> Any:
        """Return JSON values with other names in them; `key`: under which they stand."""
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
        """Return what people write, such as a reason or a table's name, with other names in it."""
        if not self._digests:
            return text
        starts = {mark.start() for mark in _BEGINS.finditer(text)}
        ends = sorted({mark.end() for mark in _ENDS.finditer(text)})
        written, at = list[str](), 0
        while at < len(text):
            # The longest name first: "Ada Berg" before "Ada".
            near = [end for end in ends if at < end <= at + MOST_NAME][:MOST_ENDS] if at in starts else []
            end, instead = next(
                ((end, called) for end in reversed(near) if (called := self._instead(text[at:end])) is not None),
                (at + 1, text[at]),
            )
            written.append(instead)
            at = end
        return "".join(written)

    def state(self, told: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return how a table stands, as it is kept: its own name is what people write."""
        named = {"name": self.within(told["name"])} if isinstance(told.get("name"), str) else {}
        return {**self.plain({each: value for each, value in told.items() if each not in named}), **named}

    def standing(self, text: str) -> str:
        """Return JSON of how a table stands as it is kept; the same text where it makes no sense."""
        return self._rewritten(text, lambda plain: self.state(plain) if isinstance(plain, dict) else plain)

    def told(self, told: Told) -> Told:
        """Return an event as it is kept."""
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
    """A name that is forgotten: what stands in its place, and since when."""

    number: int
    at: str

    @property
    def name(self) -> str:
        """What stands in its place."""
        return called(self.number)


def _is_nobody(plain: Mapping[str, Any]) -> bool:
    """Whether that is a player whom nobody named: such a one is called by their colour."""
    name, color = plain.get("name"), plain.get("color")
    return isinstance(name, str) and isinstance(color, str) and name.strip().casefold() == color.casefold()


def key_of(name: str) -> str:
    """Return what is the same for the same person, however their name was typed.

    >>> key_of("  Ada   BERG")
    'ada berg'
    """
    return unicodedata.normalize("NFC", " ".join(name.split()).casefold())  # a letter with its dots apart is the same


def called(number: int) -> str:
    """Return what somebody is called whose name is forgotten."""
    return f"Player {number}"


def veil_in(connection: Connection) -> Veil:
    """Return what this connection sees of the names that are forgotten."""
    digests = {row.digest: row.number for row in connection.execute(select(forgotten.c.digest, forgotten.c.number))}
    if not digests:
        return Veil("", {})
    secret = connection.execute(select(about.c.value).where(about.c.name == _SECRET)).scalar()
    return Veil(str(secret), digests)


def veil(store: Store) -> Veil:
    """Return which names are forgotten now."""
    with store.reading.connect() as connection:
        return veil_in(connection)


def forgotten_names(store: Store) -> tuple[Forgotten, ...]:
    """Return all names that are forgotten, without the names."""
    with store.reading.connect() as connection:
        rows = connection.execute(select(forgotten.c.number, forgotten.c.at).order_by(forgotten.c.number))
        return tuple(Forgotten(row.number, row.at) for row in rows)


def forget(store: Store, name: str) -> str:
    """Forget a name; return what stands in its place.

    Raises BadInputError for what is no name, NotNowError where the database's file could not be written anew.
    First the digest is kept: whatever tables tell from then on comes without the name. Then all that is there is gone
    through, while no table's events are taken.
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
        secret = _secret_in(connection)
        digest = _digest(secret, name)
        number = connection.execute(select(forgotten.c.number).where(forgotten.c.digest == digest)).scalar()
        if number is None:
            made = connection.execute(insert(forgotten).values(digest=digest, at=now())).inserted_primary_key
            assert made is not None
            number = made[0]
    one = Veil(secret, {digest: int(number)})
    with store.engine.begin() as connection:
        # Whoever takes events or lets players enter has these rows, and has read which names are forgotten after that.
        # A tournament's comes first: whoever draws a round has it, and then refers to tables.
        connection.execute(select(tournaments.c.number).order_by(tournaments.c.number).with_for_update()).all()
        connection.execute(select(tables.c.id).order_by(tables.c.id).with_for_update()).all()
        _forget_in(connection, one)
    _shred(store)
    return called(int(number))


def remember(store: Store, number: int) -> None:
    """Let a name that was forgotten be used again from now on; what was replaced stays replaced."""
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
    # Whatever pages hold ready of any tournament is written anew.
    connection.execute(update(tournaments).values(changed=tournaments.c.changed + 1))


def _games_with(connection: Connection, one: Veil) -> Iterator[tuple[int, int, int]]:
    """Yield the games, by table, book and number, in which somebody of that name was dealt in or named."""
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
    """Write a column anew wherever the change makes a difference, in the order of the keys, some rows at once."""
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
    """Write the database's files anew, so that nothing is left of what was replaced; raises NotNowError."""
    for _ in range(TRIES):
        if _is_shredded(store):
            return
        time.sleep(AGAIN_S)
    raise NotNowError("the name is replaced, but the database's file is in use; forget it once more", "forget-busy")


def _is_shredded(store: Store) -> bool:
    """Whether the files could be written anew: others may read in them at this moment."""
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


def _secret_in(connection: Connection) -> str:
    secret = connection.execute(select(about.c.value).where(about.c.name == _SECRET)).scalar()
    if secret is None:
        secret = secrets.token_hex(32)
        connection.execute(insert(about).values(name=_SECRET, value=secret))
    return str(secret)


def _digest(secret: str, name: str) -> str:
    return hmac.new(secret.encode(), key_of(name).encode("utf-8", "replace"), hashlib.sha256).hexdigest()
