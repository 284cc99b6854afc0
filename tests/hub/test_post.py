"""The thread that talks with the hub, with a broker that is not there: what paho is told, and what it says."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from paho.mqtt.client import MQTT_ERR_QUEUE_SIZE, MQTT_ERR_SUCCESS

from companion.outbox import Membership, Place, Post
from companion.outbox.post import MOST_PICTURE_BYTES
from tests.hub.telling import soon
from tests.logbook.playing import Table, played

HUB = Membership("0a1b2c3d", "Club", "4e5f6a7b", "key", "hub.local", 1883)


class Client:
    """A client without a broker: it notes what is published, and the test says what happens on the connection."""

    def __init__(self) -> None:
        self.published: list[tuple[str, bytes]] = []
        self.is_full, self.refused = False, 0
        self.on_connect: Any = None
        self.on_disconnect: Any = None
        self.on_message: Any = None

    def connect(self) -> None:
        self.on_connect(self, None, None, SimpleNamespace(is_failure=False), None)

    def say(self, what: str, payload: bytes) -> None:
        self.on_message(self, None, SimpleNamespace(topic=HUB.topic(what), payload=payload))

    def subscribe(self, _wanted: object) -> tuple[int, int]:
        return MQTT_ERR_SUCCESS, 1

    def publish(self, topic: str, payload: bytes, **_: object) -> SimpleNamespace:
        if self.is_full:
            self.refused += 1
            return SimpleNamespace(rc=MQTT_ERR_QUEUE_SIZE, wait_for_publish=lambda _timeout_s: None)
        self.published.append((topic.rpartition("/")[2], payload))
        return SimpleNamespace(rc=MQTT_ERR_SUCCESS, wait_for_publish=lambda _timeout_s: None)

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: None


class Clock:
    """Notices if it is read far more often than by a thread that waits."""

    def __init__(self) -> None:
        self.readings, self.is_spinning = 0, threading.Event()

    def __call__(self) -> float:
        self.readings += 1
        if self.readings > 100:
            self.is_spinning.set()
        return time.monotonic()


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Client:
    """The client that the thread makes."""
    made = Client()
    monkeypatch.setattr("companion.outbox.post.Client", lambda *_, **__: made)
    return made


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def post(client: Client, clock: Clock, tmp_path: Path) -> Iterator[Post]:
    """The thread, once the broker has admitted the table."""
    Place(tmp_path).keep(HUB)
    begun = Post(Place(tmp_path), lambda: b"{}", clock=clock)
    soon(lambda: client.on_message)
    client.connect()
    soon(lambda: "state" in dict(client.published))
    yield begun
    begun.close()


@pytest.mark.long
def test_nobody_spins_over_words_of_a_connection_that_has_ended(
    post: Post, client: Client, clock: Clock, tmp_path: Path
) -> None:
    played(tmp_path, 3)
    post.wake()
    soon(lambda: "event" in dict(client.published))
    with post._woken:  # both before the thread looks again
        client.say("ack", b'{"book":1,"sequence":0}')
        client.on_disconnect()
    assert not clock.is_spinning.wait(2.0)


@pytest.mark.long
def test_nobody_spins_over_words_while_the_logbook_cannot_be_opened(post: Post, client: Client, clock: Clock) -> None:
    client.say("ack", b'{"book":1,"sequence":0}')
    assert not clock.is_spinning.wait(2.0)


def test_a_standing_that_paho_had_no_room_for_is_shown_later(post: Post, client: Client) -> None:
    client.is_full = True
    client.published.clear()
    client.connect()  # the broker is shown the table's standing again
    soon(lambda: client.refused)
    client.is_full = False
    soon(lambda: ("state", b"{}") in client.published, within_s=5)


def test_a_picture_that_cannot_be_sent_is_said_to_be_gone(post: Post, client: Client, tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.deal()
    for picture in table.closed().rglob("*.jpg"):
        picture.write_bytes(bytes(MOST_PICTURE_BYTES + 1))
    client.say("ask", b'{"picture":1}')
    soon(lambda: ("picture", b"") in client.published)
