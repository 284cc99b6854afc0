"""Strangers with a real key, a stolen key or none, at a real broker: refused, named once, and nothing is lost."""

import json
import logging
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import paho.mqtt.client as mqtt
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from companion.outbox import Membership, Place, Post
from hub.broker import refused_in
from hub.messages import MOST_OF_ONE, Journal
from hub.room import Room
from tests.hub.conftest import Hub, stores
from tests.hub.telling import log_of, own_log, soon
from tests.logbook.playing import played

pytestmark = pytest.mark.long


class Stranger:
    """A client that says and asks for whatever it likes, and remembers the answers."""

    def __init__(self, at: Membership, user: str, key: str, called: str = "") -> None:
        self.heard: list[tuple[str, bytes]] = []
        self.answers: list[str] = []
        self._answered = threading.Event()
        self.client = mqtt.Client(CallbackAPIVersion.VERSION2, client_id=called or user or "x", protocol=mqtt.MQTTv5)
        self.client.username_pw_set(user, key)
        self.client.on_connect = lambda _c, _d, _f, code, _p: self._note(f"connect: {code}")
        self.client.on_disconnect = lambda _c, _d, _f, code, _p: self._note(f"disconnect: {code}")
        self.client.on_publish = lambda _c, _d, _m, code, _p: self._note(f"publish: {code}")
        self.client.on_subscribe = lambda _c, _d, _m, codes, _p: self._note(f"subscribe: {codes[0]}")
        self.client.on_message = lambda _c, _d, message: self.heard.append((message.topic, message.payload))
        self.client.connect(at.host, at.port)
        self.client.loop_start()
        self._wait()

    def says(self, topic: str, payload: bytes, *, retain: bool = False) -> str:
        self._answered.clear()
        self.client.publish(topic, payload, qos=1, retain=retain)
        return self._wait()

    def asks(self, topic: str) -> str:
        self._answered.clear()
        self.client.subscribe(topic, 1)
        return self._wait()

    def leave(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()

    def _note(self, answer: str) -> None:
        self.answers.append(answer)
        self._answered.set()

    def _wait(self) -> str:
        assert self._answered.wait(10)
        return self.answers[-1]


@pytest.fixture
def strangers() -> Iterator[list[Stranger]]:
    begun: list[Stranger] = []
    yield begun
    for each in begun:
        each.leave()


@pytest.fixture
def club(hub: Hub, tmp_path: Path) -> Membership:
    """A table with a game that the hub has completely."""
    folder = tmp_path / "club"
    membership = hub.admit(folder)
    plays_on(hub, membership, folder)
    return membership


def plays_on(hub: Hub, membership: Membership, folder: Path) -> None:
    """Play on until the hub has everything, which shows that it hears what tables say."""
    played(folder, 10)
    post = Post(Place(folder), lambda: b"{}")
    soon(lambda: log_of(hub.store, membership.table) == own_log(folder))
    post.close()


def is_untouched(hub: Hub, membership: Membership, tmp_path: Path) -> bool:
    return log_of(hub.store, membership.table) == own_log(tmp_path / "club")


def event(n: int, said: str = '{"is":"GamePaused"}') -> bytes:
    row = {"n": n, "kind": "GamePaused", "game": None, "at": "2026-11-26T10:00:00.000Z", "who": "", "event": said}
    return json.dumps({"book": 1, "events": [{**row, "sum": 1}]}).encode()


@stores(is_long=True)
def test_a_tables_key_opens_no_other_table(
    hub: Hub, club: Membership, strangers: list[Stranger], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    thief = hub.admit(tmp_path / "thief", "Thief")
    strangers.append(stranger := Stranger(thief, thief.table, thief.key))
    newest = len(own_log(tmp_path / "club"))
    for _ in range(3):
        for what in ("event", "state", "picture"):
            assert stranger.says(club.topic(what), event(newest + 1)) == "publish: Not authorized"
    for topic in (club.topic("ack"), club.topic("ask"), f"strada/{hub.store.hub}/{thief.table}/event"):
        assert stranger.asks(topic) == "subscribe: Not authorized"
    soon(lambda: sum("may not publish" in record.message for record in caplog.records) == 3)
    assert is_untouched(hub, club, tmp_path)


def test_no_key_or_a_wrong_one_lets_nobody_in(
    hub: Hub, club: Membership, strangers: list[Stranger], caplog: pytest.LogCaptureFixture
) -> None:
    for user, key in ((club.table, "guessed"), (club.table, ""), ("hub", "x"), ("admin", "admin"), ("", "")):
        strangers.append(stranger := Stranger(club, user, key))
        assert "connect: Not authorized" in stranger.answers
        stranger.leave()
    soon(lambda: sum("without a key" in record.message for record in caplog.records) == 1)
    assert hub


@pytest.mark.parametrize("is_renewed", [False, True], ids=["just let in", "after a restart"])
def test_a_tables_key_throws_off_nobody_else(
    hub: Hub, club: Membership, strangers: list[Stranger], tmp_path: Path, *, is_renewed: bool
) -> None:
    thief = hub.admit(tmp_path / "thief", "Thief")
    if is_renewed:
        hub.broker.renew()
        plays_on(hub, club, tmp_path / "club")
    strangers.append(victim := Stranger(club, club.table, club.key))
    strangers.append(Stranger(club, "hub", hub.broker.access.password, "hub-room"))
    for called in ("hub-control", "hub-room", club.table, f"{thief.table}-x"):
        strangers.append(stranger := Stranger(thief, thief.table, thief.key, called))
        assert "connect: Not authorized" in stranger.answers, called
        stranger.leave()
    assert victim.says(club.topic("event"), b"{}") == "publish: Success"
    assert [victim.answers, strangers[1].answers] == [["connect: Success", "publish: Success"], ["connect: Success"]]
    strangers.append(stranger := Stranger(thief, thief.table, thief.key))
    assert stranger.answers[-1] == "connect: Success"


def test_wildcards_hear_nothing_and_are_said_once(
    hub: Hub, club: Membership, strangers: list[Stranger], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    thief = hub.admit(tmp_path / "thief", "Thief")
    strangers.append(stranger := Stranger(thief, thief.table, thief.key))
    own = f"strada/{hub.store.hub}"
    for topic in ("#", "+/#", f"{own}/#", f"{own}/+/state", f"$share/hub/{own}/+/event", "$SYS/#", "$CONTROL/#"):
        assert stranger.asks(topic) == stranger.asks(topic) == "subscribe: Not authorized", topic
    assert stranger.asks(thief.topic("ack")) == "subscribe: Granted QoS 1"
    posted = Post(Place(tmp_path / "club"), lambda: b'{"name":"x"}')
    soon(lambda: posted.held)
    posted.close()
    assert stranger.heard == []
    soon(lambda: any("may not subscribe to $CONTROL/#" in line for line in caplog.messages))
    assert caplog.messages.count(f"{thief.table}: refused: it may not subscribe to #") == 1
    assert not any("/ack" in line for line in caplog.messages), "what is its own is not refused"


def test_of_whoever_is_refused_in_a_thousand_ways_a_few_are_said(caplog: pytest.LogCaptureFixture) -> None:
    journal = Journal()
    for number in range(1000):
        journal.once("thief", f"refused: it may not publish to {number}")
    assert len(caplog.messages) == MOST_OF_ONE + 1
    assert "no more is said of it" in caplog.messages[-1]
    assert journal.once("club", "refused: a message that is too large"), "others are said"
    journal.over("thief", "it has left")
    assert journal.once("thief", "refused: it may not publish to 1")


def test_nobody_but_the_hub_changes_who_may_do_what(hub: Hub, club: Membership, strangers: list[Stranger]) -> None:
    strangers.append(stranger := Stranger(club, club.table, club.key))
    wish = {"commands": [{"command": "addClientRole", "username": club.table, "rolename": "hub"}]}
    answer = stranger.says("$CONTROL/dynamic-security/v1", json.dumps(wish).encode())
    assert answer == "publish: Not authorized"
    assert stranger.asks(f"strada/{hub.store.hub}/+/event") == "subscribe: Not authorized"


@stores(is_long=True)
def test_replayed_and_forged_events_change_nothing(
    hub: Hub, club: Membership, strangers: list[Stranger], tmp_path: Path
) -> None:
    """Even with the table's own key: what it has told once stands, and what is too far ahead is not taken."""
    strangers.append(stranger := Stranger(club, club.table, club.key))
    stranger.asks(club.topic("ack"))
    for n in (1, 3, 10**6, 2**62 - 1):
        before = len(stranger.heard)
        stranger.says(club.topic("event"), event(n, '{"is":"GameOver"}'))
        soon(lambda before=before: len(stranger.heard) > before)
    newest = len(own_log(tmp_path / "club"))
    answered = [json.loads(payload) for _, payload in stranger.heard]
    assert {each["sequence"] for each in answered} == {newest}
    assert sum(each.get("missing", False) for each in answered) == 2
    assert is_untouched(hub, club, tmp_path)


BAD: list[Any] = [
    b"", b"\xff\xfe", b"{}", b"[]", b'{"book":1}', b'{"book":0,"events":[]}', b'{"book":1e99,"events":[]}',
    b'{"book":1,"events":[{"n":-1,"kind":"x"}]}', b'{"book":1,"events":[{"n":1,"kind":"x\\u0000"}]}',
    b'{"book":1,"events":[{"n":1,"kind":"x"},{"n":3,"kind":"x"}]}', b"[" * 200_000, b"x" * 300_000,
    event(1, "\\u0000"), event(1, "\ud800".encode("unicode_escape").decode()),
    json.dumps({"book": 1, "events": [{"n": n, "kind": "x"} for n in range(1, 300)]}).encode(),
]  # fmt: skip


@stores(is_long=True)
def test_nonsense_is_refused_once_and_the_table_goes_on(
    hub: Hub, club: Membership, strangers: list[Stranger], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    strangers.append(stranger := Stranger(club, club.table, club.key))
    for _ in range(2):
        for payload in BAD:
            stranger.says(club.topic("event"), payload)
    strangers.pop().leave()
    plays_on(hub, club, tmp_path / "club")
    said = [record.getMessage() for record in caplog.records if record.name == "hub"]
    assert len(said) == len(set(said)), "each is said once"
    assert any("bytes; no table sends more" in each for each in said)


def test_ten_megabytes_are_refused_and_harm_nobody(
    hub: Hub, club: Membership, strangers: list[Stranger], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    strangers.append(stranger := Stranger(club, club.table, club.key))
    stranger.client.publish(club.topic("event"), b"x" * 10_000_000, qos=0)
    soon(lambda: any(each.startswith("disconnect") for each in stranger.answers))
    stranger.leave()
    with caplog.at_level(logging.WARNING):
        soon(lambda: any("too large" in record.message for record in caplog.records))
    plays_on(hub, club, tmp_path / "club")


def test_a_state_that_is_no_state_shows_nothing(
    hub: Hub, club: Membership, strangers: list[Stranger], caplog: pytest.LogCaptureFixture
) -> None:
    room = Room(hub.store, hub.broker.access, hub.workers[0]._journal)
    strangers.append(stranger := Stranger(club, club.table, club.key))
    for payload in (b"<script>", b'{"name":["x"],"phase":"turn","attention":[]}', b"x" * 500_000):
        caplog.clear()
        stranger.says(club.topic("state"), payload, retain=True)
        soon(lambda: any("/state: refused" in record.getMessage() for record in caplog.records))
    assert room.standings(True)[0].told is None
    room.close()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("1: Denied PUBLISH from a-x (d0, q1, r0, m1, 'strada/h/b/event', ... (7 bytes))",
         ("a-x", "refused: it may not publish to strada/h/b/event")),
        ("1: Client <unknown> disconnected, not authorised.",
         ("broker", "refused: somebody without a key of this hub")),
        ("1: Client a disconnected due to oversize packet.", ("a", "refused: a message that is too large")),
        ("1: Error: Address already in use", ("broker", "Error: Address already in use")),
        ("1: Warning: Mosquitto should not be run as root/administrator.", ("broker", "")),
        ("1: Received PUBLISH from a (d0, q1, r0, m1, 'Denied', ... (7 bytes))", ("broker", "")),
    ],
)  # fmt: skip
def test_what_the_broker_refuses_is_said_in_a_few_words(line: str, said: tuple[str, str]) -> None:
    assert refused_in(line) == said
