"""A game that people delete at a table also disappears from its hub; each change is one transaction, and bounded."""

import threading
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.exc import OperationalError

import hub.store.people
from companion.board import BadInputError
from companion.logbook import Logbook
from companion.outbox import Place, Post
from companion.outbox.letters import GONE, opened_letters
from companion.outbox.line import Acknowledged, Line
from companion.session import Session
from hub.messages import message
from hub.room import Room
from hub.store import Store
from hub.store.games import games_ended
from hub.store.people import TABLE, People
from hub.store.schema import codes, events, games, positions, tables
from hub.store.tables import enrol
from hub.store.taking import take
from hub.worker import Worker
from tests.hub.conftest import Hub, stores
from tests.hub.pages import Pages, heard, stands
from tests.hub.telling import change, log_of, own_log, rows, soon, talk, tell, told
from tests.hub.test_nonsense import TOPIC


def delete_first(folder: Path) -> int:
    """Delete the first game at the table, as its page does; return its number."""
    with opened_letters(folder) as letters:
        game = min(each["game"] for each in letters.after(0) if each.get("game"))
    with Logbook(folder) as logbook:
        logbook.forget(game)
    return int(game)


def kept_of(store: Store, game: int) -> list[int]:
    return [len(rows(store, select(each).where(each.c.game == game))) for each in (events, positions, games)]


@stores(is_long=True)
def test_a_game_that_is_deleted_at_the_table_goes_from_the_hub(store: Store, folder: Path) -> None:
    table, _ = enrol(store, "Club")
    line = Line()
    talk(store, table, folder, line)
    tell(store, table, folder)
    before = games_ended(store)
    game = delete_first(folder)
    assert all(kept_of(store, game))
    assert talk(store, table, folder, line) == 1
    assert kept_of(store, game) == [0, 0, 0]
    assert games_ended(store) == before[1:]
    assert log_of(store, table) == own_log(folder), "the numbers stay, marked as gone"
    assert talk(store, table, folder, line) == 0, "it is told once per connection"
    line.connected()
    assert talk(store, table, folder, line) == 1
    assert log_of(store, table) == own_log(folder)


@stores(is_long=True)
def test_it_goes_from_the_previous_book_as_well(store: Store, folder: Path) -> None:
    table, _ = enrol(store, "Club")
    tell(store, table, folder)
    tell(store, table, folder, book=2)
    game = delete_first(folder)
    with opened_letters(folder) as letters:
        deleted = letters.deleted()
    take(store, [told(table, [], book=2, deleted=deleted)])
    assert kept_of(store, game) == [0, 0, 0]


@pytest.mark.long
def test_what_is_deleted_goes_with_the_next_message_until_it_is_acknowledged(folder: Path) -> None:
    line = Line()
    with opened_letters(folder) as letters:
        newest = letters.newest
        line.hear(Acknowledged(1, newest, letters.mark(newest).sum), letters)
        assert line.next(letters, 0.0) is None
    game = delete_first(folder)
    with opened_letters(folder) as letters:
        for now_s in (0.0, 5.0):  # the first is lost on the way
            said = line.next(letters, now_s)
            assert said is not None
            assert said.deleted == (game,)
        line.hear(Acknowledged(1, newest, letters.mark(newest).sum), letters)
        assert line.next(letters, 9.0) is None


@pytest.mark.parametrize("deleted", ['"x"', "[0]", "[-1]", "[true]", "[1.5]", "{}", str([1] * 1001)])
def test_deleted_games_that_make_no_sense_are_refused(deleted: str) -> None:
    with pytest.raises(BadInputError):
        message(TOPIC, f'{{"book":1,"events":[],"deleted":{deleted}}}'.encode())
    assert message(TOPIC, b'{"book":1,"events":[],"deleted":[7]}').deleted == (7,)


@stores()
def test_nobody_deletes_another_tables_games(store: Store) -> None:
    one, two = enrol(store, "One")[0], enrol(store, "Two")[0]
    take(store, [told(one, [1])])
    change(store, events.update().values(game=1))
    take(store, [told(two, [], deleted=[1])])
    take(store, [told(one, [], book=7, deleted=[1])])
    assert rows(store, select(events.c.kind)) != [(GONE,)]


@pytest.mark.long
def test_it_goes_over_a_real_broker_while_the_table_is_connected(hub: Hub, folder: Path, posts: list[Post]) -> None:
    hub.admit(folder)
    posts.append(post := Post(Place(folder), lambda: b"{}"))
    soon(lambda: post.held == len(own_log(folder)))
    game = delete_first(folder)
    soon(lambda: kept_of(hub.store, game)[0] == 0)


@stores()
def test_a_pairing_code_is_used_up_only_where_a_table_gets_its_key(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = People(store)
    code = people.new_code(TABLE)

    def fail(*_: object) -> None:
        raise OperationalError("", None, Exception("the disk is full"))

    with monkeypatch.context() as patched:
        patched.setattr(hub.store.people, "enrol_in", fail)
        with pytest.raises(OperationalError):
            people.pair(code, "Club")
    assert len(rows(store, select(codes))) == 1
    assert people.pair(code, "Club") is not None
    assert people.pair(code, "Club") is None
    assert len(rows(store, select(tables))) == 1


def test_a_worker_keeps_no_more_waiting_than_it_may(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hub.worker.MOST_WAITING_BYTES", 1000)
    gate = threading.Event()
    monkeypatch.setattr(worker, "_take", lambda messages: gate.wait(20))
    for _ in range(100):
        worker._hear(heard(TOPIC, b'{"book":1,"events":[]}' + b" " * 178))
    assert worker._waiting.qsize() <= 5
    gate.set()
    soon(worker._waiting.empty)
    worker._hear(heard(TOPIC, b'{"book":1,"events":[]}'))
    soon(lambda: worker._bytes == 0)


def test_many_states_wake_those_who_wait_together(pages: Pages, game: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    table = pages.table()
    room: Room = pages.room
    woken: list[int] = []
    own = room._news.notify_all
    monkeypatch.setattr(room._news, "notify_all", lambda: (woken.append(room.version), own()))
    before = room.version
    for number in range(200):
        pages.say(table, stands(game, attention=["camera"] if number % 2 else []))
    assert room.version >= before + 199
    assert len(woken) < 50
    assert room.wait_beyond(before, 5)
