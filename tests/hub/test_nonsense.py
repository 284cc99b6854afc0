"""Whatever a table says, and whatever the database makes of it, the hub's threads go on and others do not suffer."""

import json
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

import hub.room
import hub.worker
from companion.board import BadInputError
from hub.messages import message, state
from hub.store import Store
from hub.store.tables import enrol
from hub.store.taking import states
from hub.worker import Worker
from tests.hub.pages import Pages, heard
from tests.hub.telling import change, log_of, soon, told

TOLD: dict[str, Any] = {"name": "Club", "phase": "waiting", "attention": []}
TOPIC = "strada/abc/00000000-0000-4000-8000-000000000000/event"


def refuse(store: Store, when: str, column: str) -> None:
    """Make the database refuse to write “unfit” there."""
    does = f"WHEN instr(NEW.{column}, 'unfit') BEGIN SELECT RAISE(ABORT, 'unfit'); END"
    change(store, text(f"CREATE TRIGGER unfit BEFORE {when} {does}"))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-8-sig"])
def test_json_that_is_not_in_utf_8_is_refused(encoding: str) -> None:
    with pytest.raises(BadInputError, match="UTF-8"):
        state(json.dumps(TOLD).encode(encoding))
    with pytest.raises(BadInputError, match="UTF-8"):
        message(TOPIC, '{"book":1,"events":[]}'.encode(encoding))


@pytest.mark.parametrize("odd", ["\0", "\ud800", {"\0": 1}, [["\0"]], {"x": ["\udfff"]}], ids=ascii)
def test_half_characters_and_nul_are_refused_wherever_they_are(odd: object) -> None:
    with pytest.raises(BadInputError, match="characters"):
        state(json.dumps({**TOLD, "more": odd}).encode())


def test_names_in_every_script_are_kept() -> None:
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
def test_one_state_that_cannot_be_stored_does_not_hold_up_the_others(
    pages: Pages, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(hub.room, "KEEP_S", 0.02)
    one, two = pages.table("One"), pages.table("Two")
    refuse(pages.store, "UPDATE OF state ON tables", "state")
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


def test_one_event_that_cannot_be_kept_is_refused_and_others_are_taken(
    store: Store, worker: Worker, caplog: pytest.LogCaptureFixture
) -> None:
    one, two = enrol(store, "One")[0], enrol(store, "Two")[0]
    refuse(store, "INSERT ON events", "event")
    worker._take([told(one, [1], said="unfit"), told(two, [1, 2])])
    assert (len(log_of(store, one)), len(log_of(store, two))) == (0, 2)
    worker._take([told(one, [1], said="unfit")])
    assert [f"{one}: refused" in record.getMessage() for record in caplog.records] == [True]


def test_while_the_database_is_away_no_event_is_called_refused(
    store: Store, worker: Worker, caplog: pytest.LogCaptureFixture
) -> None:
    one, two = enrol(store, "One")[0], enrol(store, "Two")[0]
    change(store, text("ALTER TABLE events RENAME TO away"))
    with pytest.raises(OperationalError):
        worker._take([told(one, [1]), told(two, [1])])
    assert caplog.records == []


def test_a_worker_that_ends_goes_through_no_batch_first(store: Store, worker: Worker) -> None:
    one, two = enrol(store, "One")[0], enrol(store, "Two")[0]
    refuse(store, "INSERT ON events", "event")
    worker._is_closing.set()
    worker._take([told(two, [1]), told(one, [1], said="unfit")])
    assert log_of(store, two) == []
