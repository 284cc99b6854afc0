"""The room: the state of every table, as the tables themselves report it, and when it last changed."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from paho.mqtt.client import MQTTMessage
from sqlalchemy.exc import SQLAlchemyError

from companion.board import BadInputError
from hub.broker import Access, close
from hub.messages import Journal, state, table_of
from hub.store import Store
from hub.store.forgetting import veil
from hub.store.opening import UNFIT
from hub.store.tables import Enrolled, enrolled
from hub.store.taking import keep_states, states

#: How often the tables' states are stored, and how often to check which tables there are.
KEEP_S = 1.0

#: How often those who wait for news are woken, all together. With 200 of them, each state would otherwise wake 200
#: threads.
NEWS_S = 0.25

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Standing:
    """A table in the room. `told` is its last report, None if it has sent none yet; `is_here`: it is connected.

    Every change in the room gets the next number; `changed` is the number of this table's last change.
    """

    table: Enrolled
    told: Mapping[str, Any] | None = field(default=None, repr=False)
    is_here: bool = False
    changed: int = 0

    @property
    def name(self) -> str:
        """What the table calls itself now."""
        return self.table.name

    @property
    def attention(self) -> tuple[str, ...]:
        """Why somebody should come and look; nothing if the table is gone."""
        return tuple(self.told["attention"]) if self.told is not None and self.is_here else ()


class Room:
    """Knows every table, until `close`. Any thread may ask."""

    def __init__(self, store: Store, access: Access, journal: Journal) -> None:
        self._store, self._journal = store, journal
        self._changed, self._news, self._closing = threading.Condition(), threading.Condition(), threading.Event()
        self._looking = threading.Lock()
        self._sorted: tuple[int, tuple[Standing, ...]] = (-1, ())
        self._standings: dict[str, Standing] = {}
        self._version = 0
        self._unkept: dict[str, str] = {}
        self._pictures: dict[tuple[str, str], bytes] = {}
        self.is_closed = False
        self._veil = veil(store)
        #: How many names are forgotten: when this changes, what was written with them is rewritten.
        self.forgotten = 0
        kept = states(store)
        with self._changed:
            for table in enrolled(store):
                if not table.is_revoked:
                    self._put(Standing(table, _read(kept.get(table.id))))
        topics = [f"strada/{store.hub}/+/state", f"strada/{store.hub}/+/picture"]
        self._client = access.client("hub-room", topics, self._hear, self._begin)
        self._thread = threading.Thread(target=self._run, name="room", daemon=True)
        self._thread.start()
        threading.Thread(target=self._wake, name="news", daemon=True).start()

    @property
    def version(self) -> int:
        """The number of the last change."""
        return self._version

    def standings(self, sees_all: bool) -> tuple[Standing, ...]:
        """Return the tables that somebody may watch, in the order in which they joined."""
        version, known = self._sorted
        if version != self._version:
            with self._changed:
                version = self._version
                known = tuple(sorted(self._standings.values(), key=lambda each: each.table.number))
                self._sorted = version, known
        return known if sees_all else tuple(each for each in known if each.table.is_open)

    def standing(self, number: int, sees_all: bool) -> Standing | None:
        """Return that table; None if there is none, or if whoever asks may not watch it."""
        return next((each for each in self.standings(sees_all) if each.table.number == number), None)

    def wait_beyond(self, version: int, timeout_s: float) -> bool:
        """Return whether something has changed since that version, after waiting for it for at most `timeout_s`."""
        with self._news:
            self._news.wait_for(lambda: self.is_closed or self._version > version, timeout_s)
            return self._version > version and not self.is_closed

    def rest(self, rest_s: float) -> None:
        """Wait this long, or until the room is closed, so that what changes meanwhile is reported together."""
        self._closing.wait(rest_s)

    def tell(self) -> None:
        """Let everybody who watches know that something else has changed."""
        with self._changed:
            self._next()

    def forget(self) -> None:
        """Stop showing a name that was forgotten."""
        with self._changed:
            self._veil = veil(self._store)
            self.forgotten += 1
            self._unkept = {table: self._veil.standing(said) for table, said in self._unkept.items()}
            for standing in tuple(self._standings.values()):
                told = None if standing.told is None else self._veil.state(standing.told)
                self._put(replace(standing, told=told))

    def look_again(self) -> None:
        """Look up which tables there are, because an organiser has changed something."""
        # Whoever looks up later also puts it in place later: else what was so before the change could win.
        with self._looking:
            known = {table.id: table for table in enrolled(self._store) if not table.is_revoked}
            with self._changed:
                self._take_over(known)

    def _take_over(self, known: Mapping[str, Enrolled]) -> None:
        """Show these tables and no others. Call it with the lock held."""
        for gone in self._standings.keys() - known.keys():
            del self._standings[gone]
            self._next()
        for name, table in known.items():
            before = self._standings.get(name)
            if before is None:
                self._put(Standing(table))
            elif _shown(before.table) != _shown(table):
                self._put(replace(before, table=table))
            elif before.table != table:
                self._standings[name] = replace(before, table=table)
                self._sorted = -1, ()

    def picture(self, table: Enrolled, event: int, timeout_s: float) -> bytes | None:
        """Ask the table for the picture of a ruling; None if it has none, or does not answer in time."""
        key = (table.id, str(event))
        self.ask(table, {"picture": event})
        with self._changed:
            self._changed.wait_for(lambda: key in self._pictures or self.is_closed, timeout_s)
            return self._pictures.pop(key, None) or None

    def ask(self, table: Enrolled, what: Mapping[str, Any]) -> None:
        """Ask a table for something: the picture of a ruling, or the command of a button."""
        self._client.publish(f"strada/{self._store.hub}/{table.id}/ask", json.dumps(what), qos=1)

    def close(self) -> None:
        """Stop listening."""
        with self._changed:
            self.is_closed = True
            self._changed.notify_all()
        self._closing.set()
        with self._news:
            self._news.notify_all()
        close(self._client)
        self._thread.join(5)

    def _begin(self) -> None:
        """Count no table as here until it says so: a broker that was killed did not report those that left."""
        with self._changed:
            for standing in tuple(self._standings.values()):
                if standing.is_here:
                    self._put(replace(standing, is_here=False))

    def _hear(self, message: MQTTMessage) -> None:
        try:
            self._take(message)
        except Exception:  # else the client's thread would end, and the room would hear nothing more
            _log.exception("a message was not understood")

    def _take(self, message: MQTTMessage) -> None:
        try:
            table = table_of(message.topic)
            if message.topic.endswith("/picture"):
                self._take_picture(table, message)
                return
            told = state(bytes(message.payload))
            if told is not None and self._veil:
                told = self._veil.state(told)
        except BadInputError as error:
            self._journal.once(message.topic, f"refused: {error}")
            return
        with self._changed:
            before = self._standings.get(table)
            if before is None:
                return  # it joined a moment ago, and counts when it reports again
            if told is None:
                after = replace(before, is_here=False)
            else:
                after = replace(before, told=told, is_here=True)
                self._unkept[table] = json.dumps(told, separators=(",", ":"))
            if after != before:
                self._put(after)

    def _take_picture(self, table: str, message: MQTTMessage) -> None:
        properties: Any = message.properties
        told = dict(getattr(properties, "UserProperty", ()))
        with self._changed:
            if len(self._pictures) >= 8:
                self._pictures.pop(next(iter(self._pictures)))
            self._pictures[table, str(told.get("n", ""))[:20]] = bytes(message.payload)
            self._changed.notify_all()

    def _put(self, standing: Standing) -> None:
        """Make this the table's state. Call it with the lock held."""
        self._next()
        self._standings[standing.table.id] = replace(standing, changed=self._version)

    def _next(self) -> None:
        self._version += 1

    def _wake(self) -> None:
        """Wake those who wait for news, now and then, if there is any."""
        told = 0
        while not self._closing.wait(NEWS_S):
            if self._version != told:
                told = self._version
                with self._news:
                    self._news.notify_all()

    def _run(self) -> None:
        """Store the tables' states and look up which tables there are, now and then."""
        while not self.is_closed:
            self._closing.wait(KEEP_S)
            with self._changed:
                unkept, self._unkept = self._unkept, {}
            try:
                self._keep(unkept)
            except SQLAlchemyError as error:
                self._journal.once("database", f"how the tables stand is not kept ({type(error).__name__})")
                with self._changed:
                    self._unkept = {**unkept, **self._unkept}
            except Exception:  # nothing must end this thread
                _log.exception("how the tables stand is not kept")
            try:
                self.look_again()
            except SQLAlchemyError as error:
                self._journal.once("database", f"which tables there are is not looked up ({type(error).__name__})")
            except Exception:
                _log.exception("which tables there are is not looked up")

    def _keep(self, unkept: Mapping[str, str]) -> None:
        try:
            keep_states(self._store, unkept)
        except UNFIT:
            for table, said in unkept.items():  # one of them cannot be stored; the others must not suffer
                try:
                    keep_states(self._store, {table: said})
                except UNFIT as error:
                    self._journal.once(table, f"how it stands is not kept ({type(error).__name__})")


def _shown(table: Enrolled) -> tuple[object, ...]:
    """Return what the room shows of a table."""
    return (table.name, table.is_open, table.book, table.has_buttons)


def _read(kept: str | None) -> Mapping[str, Any] | None:
    if kept is None:
        return None
    try:
        return state(kept.encode())
    except BadInputError:
        return None
