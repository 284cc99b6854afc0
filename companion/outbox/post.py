"""The thread that talks to the hub: it publishes what happened and how the table stands, and hears what the hub has.

A table can play alone: whatever the network, the broker or the hub do, nobody at the table waits for them.
"""

from __future__ import annotations

import json
import logging
import sqlite3
import ssl
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from paho.mqtt.client import MQTT_ERR_QUEUE_SIZE, MQTT_ERR_SUCCESS, Client, MQTTMessage, MQTTv5
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from companion.board import BadInputError
from companion.logbook.opening import FILE
from companion.outbox.letters import GONE_NOW, Letters, opened_letters
from companion.outbox.line import Acknowledged, Line
from companion.outbox.membership import Membership, Place
from companion.system.durable import contents

#: How often to look at the logbook if nobody says that something happened, and how often the standing may go out.
LOOK_S, STANDING_S = 0.5, 0.5

#: How long the broker may be silent, how soon a lost connection is tried again, and how long that may grow.
KEEPALIVE_S, RETRY_S, MOST_RETRY_S = 20, 1, 15

#: How many words of the hub may wait, and the largest picture that is sent: the broker takes no packet above 1 MiB.
MOST_WORDS, MOST_PICTURE_BYTES = 64, 1_000_000

_log = logging.getLogger(__name__)


class Post:
    """Talks to the hub that `place` names, for the logbook in that folder, until `close`.

    `standing` returns what the hub is shown now. `shrunk` makes a picture's JPEG small enough. `obey` is called with
    what the hub asks the table to do, and with the hub's name; None if this table obeys none. Any thread may call it.
    """

    def __init__(
        self,
        place: Place,
        standing: Callable[[], bytes],
        shrunk: Callable[[Path], bytes] = lambda path: contents(path, MOST_PICTURE_BYTES),
        clock: Callable[[], float] = time.monotonic,
        obey: Callable[[str, str], None] | None = None,
    ) -> None:
        self._obey, self._obeyed = obey, deque[str](maxlen=MOST_WORDS)
        self._place, self._standing, self._shrunk, self._clock = place, standing, shrunk, clock
        self._woken = threading.Condition()
        self._words: deque[tuple[str, bytes]] = deque(maxlen=MOST_WORDS)
        self._has_news = self._is_closing = self._is_other_hub = self._has_begun = False
        self._membership = place.read()
        #: Whether the broker has let the table in, and how it last refused ("": it did not).
        self.is_connected, self.refusal = False, ""
        #: The event up to which the hub has everything; None before it has said so.
        self.held: int | None = None
        self._thread = threading.Thread(target=self._run, name="hub", daemon=True)
        self._thread.start()

    @property
    def membership(self) -> Membership | None:
        """The hub that the table belongs to; None for none."""
        return self._membership

    def wake(self) -> None:
        """Say that something was written into the logbook."""
        with self._woken:
            self._has_news = True
            self._woken.notify()

    def belong(self, membership: Membership | None) -> None:
        """Belong to that hub from now on, or to none; raises NotNowError if that cannot be kept."""
        if membership is None:
            self._place.leave()
        else:
            self._place.keep(membership)
        with self._woken:
            self._membership, self._is_other_hub = membership, True
            self._woken.notify()

    def close(self) -> None:
        """Say that the table is gone, and end; within a second."""
        with self._woken:
            self._is_closing = True
            self._woken.notify()
        self._thread.join(1.0)

    def _run(self) -> None:
        while not self._is_closing:
            membership = self._membership
            with self._woken:
                self._is_other_hub = False
                if membership is None:
                    self._woken.wait_for(lambda: self._is_closing or self._is_other_hub)
                    continue
            try:
                self._belong_to(membership)
            except Exception:  # whatever goes wrong with a hub, the table plays on
                _log.exception("the talk with the hub is begun again")
                with self._woken:
                    self._woken.wait_for(lambda: self._is_closing or self._is_other_hub, MOST_RETRY_S)

    def _belong_to(self, membership: Membership) -> None:
        client = self._client(membership)
        line, shown, shown_s = Line(membership.book), b"", 0.0
        self.held = None
        try:
            client.connect_async(membership.host, membership.port, KEEPALIVE_S, clean_start=True)
            client.loop_start()
            with ExitStack() as stack:
                letters, inode = None, 0
                while not (self._is_closing or self._is_other_hub):
                    self._wait(line)
                    if not self._take_begun(line):
                        continue
                    if self._has_begun:  # the broker may have said "gone" meanwhile
                        shown, shown_s, self._has_begun = b"", 0.0, False
                    try:
                        if letters is None or self._inode() != inode:
                            # A file that replaced another may tell another story: the hub is asked how far it has got.
                            stack.close()
                            letters, inode = stack.enter_context(opened_letters(self._place.folder)), self._inode()
                            line.connected()
                        self._talk(client, membership, line, letters)
                    except (sqlite3.Error, OSError, BadInputError):
                        letters = None
                        line.connected()
                        while self._next_word() is not None:  # it is asked for again
                            pass
                    now_s = self._clock()
                    if now_s - shown_s >= STANDING_S and (standing := self._standing()) != shown:
                        sent = client.publish(membership.topic("state"), standing, qos=1, retain=True)
                        shown_s = now_s
                        if sent.rc != MQTT_ERR_QUEUE_SIZE:
                            shown = standing
        finally:
            if self.is_connected:
                with suppress(ValueError, RuntimeError):
                    client.publish(membership.topic("state"), GONE_NOW, qos=1, retain=True).wait_for_publish(0.5)
            client.disconnect()
            client.loop_stop()
            self._is_away()

    def _inode(self) -> int:
        """Return which file the logbook is; raises OSError."""
        return (self._place.folder / FILE).stat().st_ino

    def _wait(self, line: Line) -> None:
        """Wait for a word from the hub or for news from the table, or until something has to be sent again."""
        with self._woken:
            self._woken.wait_for(
                lambda: self._words or self._has_news or self._is_closing or self._is_other_hub,
                max(0.01, line.wait_s(self._clock(), LOOK_S)) if self.is_connected else LOOK_S,
            )
            self._has_news = False

    def _take_begun(self, line: Line) -> bool:
        """Return whether the table is connected; if it has only just connected, the talk begins again."""
        with self._woken:
            if self._words and self._words[0][0] == "connected":
                self._words.popleft()
                self._has_begun = True
                line.connected()
            return self.is_connected

    def _next_word(self) -> tuple[str, bytes] | None:
        """Return the hub's oldest unheard word; None if there is none, or if a new connection comes first."""
        with self._woken:
            return self._words.popleft() if self._words and self._words[0][0] != "connected" else None

    def _talk(self, client: Client, membership: Membership, line: Line, letters: Letters) -> None:
        while (said := self._next_word()) is not None:
            topic, payload = said
            if topic == "ack" and (word := word_from(payload)) is not None:
                line.hear(word, letters)
                self._place.turn_to(line.book)
                self.held = line.held
            elif topic == "ask" and (wish := wish_from(payload)) is not None:
                self._do(wish, membership)
            elif topic == "ask":
                self._send_picture(client, membership, letters, payload)
        message = line.next(letters, self._clock())
        if message is not None:
            told: dict[str, Any] = {"book": message.book, "events": message.letters}
            if message.deleted:
                told["deleted"] = message.deleted
            client.publish(membership.topic("event"), json.dumps(told, separators=(",", ":")), qos=1)

    def _do(self, wish: tuple[str, str], membership: Membership) -> None:
        """Obey the hub, if this table does, but only once: the broker may bring the same wish twice."""
        what, number = wish
        if self._obey is not None and number not in self._obeyed:
            self._obeyed.append(number)
            self._obey(what, membership.called or membership.hub)

    def _send_picture(self, client: Client, membership: Membership, letters: Letters, asked: bytes) -> None:
        """Send the picture of a ruling, or an empty one if there is none, so that nobody waits for it.

        There is none if the picture is gone, cannot be read or is too large.
        """
        try:
            number = json.loads(asked)["picture"]
        except (ValueError, KeyError, TypeError, RecursionError):
            return
        path = letters.picture(number) if type(number) is int and number < 2**62 else None
        try:
            picture = b"" if path is None else self._shrunk(path)
        except OSError:
            picture = b""
        properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
        properties.UserProperty = [("n", str(number))]
        sent = picture if len(picture) <= MOST_PICTURE_BYTES else b""
        client.publish(membership.topic("picture"), sent, qos=0, properties=properties)

    def _client(self, membership: Membership) -> Client:
        client = Client(CallbackAPIVersion.VERSION2, client_id=membership.table, protocol=MQTTv5)
        client.username_pw_set(membership.table, membership.key)
        if membership.tls:
            client.tls_set_context(ssl.create_default_context(cadata=membership.authority or None))
        client.will_set(membership.topic("state"), GONE_NOW, qos=1, retain=True)
        client.reconnect_delay_set(RETRY_S, MOST_RETRY_S)
        client.max_queued_messages_set(8)
        client.on_connect = self._on_connect(membership)
        client.on_disconnect = lambda *_: self._is_away()
        client.on_message = lambda _client, _data, message: self._hear(message)
        return client

    def _on_connect(self, membership: Membership) -> Callable[..., None]:
        def connected(client: Client, _data: Any, _flags: Any, code: ReasonCode, _properties: Any) -> None:
            if code.is_failure:
                if str(code) != self.refusal:
                    _log.warning("the hub %s does not let this table in: %s", membership.hub, code)
                self.refusal = str(code)
                return
            wanted = [(membership.topic(what), 1) for what in ("ack", "ask")]
            if client.subscribe(wanted)[0] != MQTT_ERR_SUCCESS:
                return
            self.refusal = ""
            with self._woken:
                self._words.clear()
                self._words.append(("connected", b""))
                self.is_connected = True
                self._woken.notify()

        return connected

    def _is_away(self) -> None:
        """Forget what the hub said on a connection that has ended: it means nothing any more."""
        with self._woken:
            self.is_connected = False
            self._words.clear()

    def _hear(self, message: MQTTMessage) -> None:
        with self._woken:
            self._words.append((message.topic.rpartition("/")[2], bytes(message.payload)))
            self._woken.notify()


def word_from(payload: bytes) -> Acknowledged | None:
    """Return the hub's word; None for anything else."""
    try:
        told = json.loads(payload)
        word = Acknowledged(told["book"], told["sequence"], told.get("sum"), bool(told.get("missing", False)))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    numbers = (word.book, word.sequence, 0 if word.sum is None else word.sum)
    return word if all(type(number) is int and 0 <= number < 2**62 for number in numbers) else None


def wish_from(payload: bytes) -> tuple[str, str] | None:
    """Return what the hub asks this table to do, and the wish's own number; None for anything else."""
    try:
        told = json.loads(payload)
        what, number = told["do"], told["id"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return (what, number) if isinstance(what, str) and isinstance(number, str) and len(what + number) < 80 else None
