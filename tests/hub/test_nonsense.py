"""Whatever a table says, and whatever the database makes of it, the hub's threads go on and others do not suffer."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from paho.mqtt.client import MQTTMessage
from sqlalchemy.exc import OperationalError

import hub.room
import hub.worker
from bench.servers import free_port
from companion.board import BadInputError
from hub.broker import Access
from hub.messages import Journal, message, state
from hub.store import Store
from hub.store.tables import enrol
from hub.store.taking import states
from hub.worker import Worker
from tests.hub.pages import Pages
from tests.hub.telling import log_of, soon, told

TOLD: dict[str, Any] = {"name": "Club", "phase": "waiting", "attention": []}
TOPIC = "strada/abc/00000000-0000-4000-8000-000000000000/event"


@pytest.fixture
def worker(store: Store) -> Iterator[Worker]:
    """A worker whose broker is away."""
    begun = Worker(store, Access("127.0.0.1", free_port(), "hub", "x", retry_s=(0.02, 0.05)), Journal())
    yield begun
    begun.close()


def heard(topic: str, payload: bytes) -> MQTTMessage:
    found = MQTTMessage(topic=topic.encode())
    found.payload = payload
    return found


def refuse_states_with(store: Store, part: str) -> None:
    """Make the database refuse states with that in them."""
    with store.engine.begin() as connection:
        connection.exec_driver_sql(
            f"CREATE TRIGGER unfit BEFORE UPDATE OF state ON tables WHEN instr(NEW.state, '{part}')"
            " BEGIN SELECT RAISE(ABORT, 'unfit'); END"
        )


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-8-sig"])
def test_json_that_is_not_in_utf_8_is_none(encoding: str) -> None:
    with pytest.raises(BadInputError, match="UTF-8"):
        state(json.dumps(TOLD).encode(encoding))
    with pytest.raises(BadInputError, match="UTF-8"):
        message(TOPIC, '{"book":1,"events":[]}'.encode(encoding))


@pytest.mark.parametrize("odd", ["\0", "\ud800", {"\0": 1}, [["\0"]], {"x": ["\udfff"]}], ids=ascii)
def test_characters_that_are_none_are_refused_wherever_they_are(odd: object) -> None:
    with pytest.raises(BadInputError, match="characters"):
        state(json.dumps({**TOLD, "more": odd}).encode())


def test_names_in_every_script_are_none_of_them() -> None:
    assert state(json.dumps({**TOLD, "name": "Zoë 🎲 Łódź"}).encode()) == {**TOLD, "name": "Zoë 🎲 Łódź"}


def test_a_state_in_utf_16_is_refused_once_and_the_room_hears_on(
    pages: Pages, caplog: pytest.LogCaptureFixture
) -> None:
    table = pages.table()
    for _ in range(3):
        pages.say(table, json.dumps(TOLD).encode("utf-16"))
    assert sum("refused" in record.getMessage() for record in caplog.records) == 1
    pages.say(table, json.dumps(TOLD).encode())
    assert pages.room.standings(True)[0].told == TOLD


def test_no_message_ends_a_clients_thread(
    pages: Pages, worker: Worker, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("nobody thought of it")

    monkeypatch.setattr(hub.room, "state", fails)
    monkeypatch.setattr(hub.worker, "message", fails)
    pages.say(pages.table(), b"{}")
    worker._hear(heard(TOPIC, b"{}"))
    assert [record.getMessage() for record in caplog.records if record.exc_info] == ["a message was not understood"] * 2


@pytest.mark.long
def test_one_tables_state_that_cannot_be_kept_does_not_keep_others_from_it(
    pages: Pages, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(hub.room, "KEEP_S", 0.02)
    one, two = pages.table("One"), pages.table("Two")
    refuse_states_with(pages.store, "unfit")
    with pages.room._changed:
        pages.say(one, json.dumps({**TOLD, "more": "unfit"}).encode())
        pages.say(two, json.dumps(TOLD).encode())
    soon(lambda: states(pages.store).keys() == {two})
    soon(lambda: any("how it stands is not kept" in record.getMessage() for record in caplog.records))


@pytest.mark.long
def test_tables_are_looked_up_though_nothing_can_be_kept(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub.room, "KEEP_S", 0.02)
    looked: list[int] = []

    def fails(*_: object) -> None:
        raise ValueError("whatever it is")

    monkeypatch.setattr(hub.room, "keep_states", fails)
    monkeypatch.setattr(pages.room, "look_again", lambda: looked.append(1))
    soon(lambda: len(looked) > 2)


def refuse_events_with(store: Store, part: str) -> None:
    """Make the database refuse events with that in them."""
    with store.engine.begin() as connection:
        connection.exec_driver_sql(
            f"CREATE TRIGGER unfit_event BEFORE INSERT ON events WHEN instr(NEW.event, '{part}')"
            " BEGIN SELECT RAISE(ABORT, 'unfit'); END"
        )


def test_one_event_that_cannot_be_kept_is_refused_and_others_are_taken(
    store: Store, worker: Worker, caplog: pytest.LogCaptureFixture
) -> None:
    one, two = enrol(store, "One")[0], enrol(store, "Two")[0]
    refuse_events_with(store, "unfit")
    worker._take([told(one, [1], said="unfit"), told(two, [1, 2])])
    assert (len(log_of(store, one)), len(log_of(store, two))) == (0, 2)
    worker._take([told(one, [1], said="unfit")])
    assert [f"{one}: refused" in record.getMessage() for record in caplog.records] == [True]


def test_while_the_database_is_away_no_event_is_called_refused(
    store: Store, worker: Worker, caplog: pytest.LogCaptureFixture
) -> None:
    one, two = enrol(store, "One")[0], enrol(store, "Two")[0]
    with store.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE events RENAME TO away")
    with pytest.raises(OperationalError):
        worker._take([told(one, [1]), told(two, [1])])
    assert caplog.records == []


def test_a_worker_that_ends_goes_through_no_batch_first(store: Store, worker: Worker) -> None:
    one, two = enrol(store, "One")[0], enrol(store, "Two")[0]
    refuse_events_with(store, "unfit")
    worker._is_closing.set()
    worker._take([told(two, [1]), told(one, [1], said="unfit")])
    assert log_of(store, two) == []
