"""The two threads that keep up with the tables: one takes in what they send, the other works out what follows from it.

Several workers may run side by side, because the database serialises each table. The halls work out the games that have
ended, and give tournaments their results. Pages learn from them which tournaments have changed.
"""

from __future__ import annotations

import json
import logging
import queue
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence

from paho.mqtt.client import MQTTMessage
from sqlalchemy.exc import SQLAlchemyError

from companion.board import BadInputError
from hub.broker import SHARED, Access, close
from hub.messages import Journal, Message, message
from hub.store import Store
from hub.store.games import Reckoned, reckon
from hub.store.opening import UNFIT
from hub.store.results import collect
from hub.store.taking import MOST_MESSAGES, Held, take
from hub.store.tournaments import changes

#: How many messages, and bytes of them, may wait to be taken in; if there are more, tables send theirs again a second
#: later.
MOST_WAITING, MOST_WAITING_BYTES = 4096, 32 * 1024 * 1024

#: How long to wait after the database has failed.
PAUSE_S = 0.5

_log = logging.getLogger(__name__)

#: How often to check what tables have sent.
LOOK_S = 1.0


class Worker:
    """Takes in events until `close`, on a thread of its own, and acknowledges what is committed."""

    def __init__(self, store: Store, access: Access, journal: Journal) -> None:
        self._store, self._journal = store, journal
        self._waiting: queue.Queue[tuple[Message, int]] = queue.Queue(MOST_WAITING)
        self._bytes, self._counting = 0, threading.Lock()
        self._is_closing, self._has_failed = threading.Event(), False
        topic = f"{SHARED}strada/{store.hub}/+/event"
        self._client = access.client(f"hub-worker-{secrets.token_hex(4)}", [topic], self._hear)
        self._thread = threading.Thread(target=self._run, name="worker", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Take in nothing more."""
        self._is_closing.set()
        self._thread.join(5)
        close(self._client)

    def _hear(self, heard: MQTTMessage) -> None:
        size = len(heard.payload)
        try:
            with self._counting:
                if self._bytes + size > MOST_WAITING_BYTES:
                    return
            self._waiting.put_nowait((message(heard.topic, bytes(heard.payload)), size))
            with self._counting:
                self._bytes += size
        except BadInputError as error:
            self._journal.once(heard.topic, f"refused: {error}")
        except queue.Full:
            pass
        except Exception:  # else the client's thread would end, and this worker would hear nothing more
            _log.exception("a message was not understood")

    def _run(self) -> None:
        while not self._is_closing.is_set():
            messages = self._next()
            if not messages:
                continue
            try:
                self._take(messages)
                if self._has_failed:
                    self._has_failed = False
                    self._journal.over("database", "it answers again")
            except SQLAlchemyError as error:
                self._has_failed = True
                self._journal.once("database", f"nothing is taken in ({type(error).__name__})")
                self._is_closing.wait(PAUSE_S)
            except Exception:  # one message must never end the worker
                _log.exception("messages were not taken in")

    def _next(self) -> Sequence[Message]:
        """Return what is waiting, after waiting a little for the first message."""
        try:
            waiting = [self._waiting.get(timeout=0.2)]
        except queue.Empty:
            return ()
        while len(waiting) < MOST_MESSAGES:
            try:
                waiting.append(self._waiting.get_nowait())
            except queue.Empty:
                break
        with self._counting:
            self._bytes -= sum(size for _, size in waiting)
        return [each for each, _ in waiting]

    def _take(self, messages: Sequence[Message]) -> None:
        try:
            held = take(self._store, messages)
        except UNFIT:
            for each in messages:  # the database cannot store one of them; the others must not suffer
                if self._is_closing.is_set():
                    return
                try:
                    self._acknowledge(take(self._store, [each]))
                except UNFIT as wrong:
                    self._journal.once(each.table, f"refused: the database cannot keep it ({type(wrong).__name__})")
            return
        for each in messages:
            if each.table not in held:
                self._journal.once(each.table, "refused: no table of this hub, or its key was revoked")
        self._acknowledge(held)

    def _acknowledge(self, held: dict[str, Held]) -> None:
        for table, each in held.items():
            word = {"book": each.book, "sequence": each.sequence, "sum": each.sum}
            if each.is_missing:
                word["missing"] = True
            self._client.publish(f"strada/{self._store.hub}/{table}/ack", json.dumps(word), qos=0)


class Halls:
    """Keeps up with the tables, until `close`. `tell` is called once a tournament has changed. Any thread may ask."""

    def __init__(self, store: Store, journal: Journal, tell: Callable[[], None]) -> None:
        self._store, self._journal, self._tell = store, journal, tell
        self._ending = threading.Event()
        self._collected = False
        #: The number of the last change of each tournament, and whether everybody may watch it.
        self.changes: Mapping[int, tuple[int, bool]] = changes(store)
        self._thread = threading.Thread(target=self._run, name="halls", daemon=True)

    def start(self) -> None:
        """Begin to keep up, on a thread of its own."""
        self._thread.start()

    def close(self) -> None:
        """End."""
        self._ending.set()
        if self._thread.is_alive():
            self._thread.join(5)

    def look(self) -> None:
        """Work out what there is to work out, and check which tournaments have changed. Raises SQLAlchemyError."""
        changed, done = set[int](), Reckoned(1, frozenset())
        while done.tables and not self._ending.is_set():  # each table once, so one that never stops sending ends too
            done = reckon(self._store, done.last)
            changed |= done.changed
        if not self._collected:
            collect(self._store)
            self._collected = True
        elif changed:
            collect(self._store, changed)
        self.look_again()

    def look_again(self) -> None:
        """Check which tournaments have changed, because an organiser has changed something."""
        now = changes(self._store)
        if now != self.changes:
            self.changes = now
            self._tell()

    def _run(self) -> None:
        while not self._ending.wait(LOOK_S):
            try:
                self.look()
            except SQLAlchemyError as error:
                self._collected = False  # what was worked out may not have reached its tournament
                self._journal.once("database", f"games are not reckoned ({type(error).__name__})")
            except Exception:  # nothing must end this thread
                _log.exception("games are not reckoned")
