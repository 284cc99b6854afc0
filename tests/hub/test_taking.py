"""The hub takes each event once and in order, on SQLite and on PostgreSQL."""

import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import event, select

from companion.board import BadInputError, NotNowError
from hub.store import Store, open_store
from hub.store.forgetting import forget
from hub.store.games import reckon
from hub.store.opening import migrate
from hub.store.people import People
from hub.store.schema import METADATA, positions
from hub.store.tables import enrol, enrolled, open_to_all, proper_name, revoke
from hub.store.taking import _locked, keep_states, states, take
from tests.hub.conftest import stores
from tests.hub.telling import log_of, only, own_log, rows, talk, told
from tests.logbook.playing import played

NOBODY = "00000000-0000-4000-8000-000000000000"


def numbers(store: Store, table: str, book: int = 1) -> list[int]:
    return [row[0] for row in log_of(store, table, book)]


@stores()
def test_the_next_event_is_taken_and_one_further_on_is_asked_for(store: Store) -> None:
    table, _ = enrol(store, "Club")
    assert only(store, told(table, [1, 2])).sequence == 2
    ahead = only(store, told(table, [4]))
    assert (ahead.sequence, ahead.is_missing) == (2, True)
    assert only(store, told(table, [3])).sequence == 3
    assert numbers(store, table) == [1, 2, 3]


@stores()
def test_what_was_taken_before_is_passed_over_whatever_it_says_now(store: Store) -> None:
    table, _ = enrol(store, "Club")
    only(store, told(table, [1, 2]))
    again = only(store, told(table, [1, 2, 3], said='{"forged":1}'))
    assert (again.sequence, again.taken) == (3, 1)
    assert [row[5] for row in log_of(store, table)] == ["{}", "{}", '{"forged":1}']


@stores()
def test_a_question_is_answered_and_changes_nothing(store: Store) -> None:
    table, _ = enrol(store, "Club")
    only(store, told(table, [1]))
    assert only(store, told(table, [])) == only(store, told(table, []))
    assert only(store, told(table, [])).sequence == 1


@stores()
def test_several_messages_of_several_tables_are_one_transaction(store: Store) -> None:
    one, two = enrol(store, "One")[0], enrol(store, "Two")[0]
    held = take(store, [told(two, [1]), told(one, [1, 2]), told(two, [2]), told(one, [2, 3])])
    assert (held[one].sequence, held[two].sequence) == (3, 2)
    assert (numbers(store, one), numbers(store, two)) == ([1, 2, 3], [1, 2])


@stores()
def test_a_new_book_begins_with_its_first_event_and_the_old_one_stays(store: Store) -> None:
    table, _ = enrol(store, "Club")
    only(store, told(table, [1, 2, 3]))
    assert only(store, told(table, [2], book=2)).book == 1
    assert only(store, told(table, [1], book=2)).book == 2
    assert only(store, told(table, [4], book=1)).book == 2
    assert (numbers(store, table), numbers(store, table, book=2)) == ([1, 2, 3], [1])


@stores()
def test_nothing_is_taken_from_strangers_or_with_a_revoked_key(store: Store) -> None:
    table, _ = enrol(store, "Club")
    assert revoke(store, enrolled(store)[0].number) == table
    assert take(store, [told(table, [1]), told(NOBODY, [1])]) == {}
    assert revoke(store, enrolled(store)[0].number) is None


@stores()
def test_whoever_changes_several_tables_locks_them_in_the_order_of_their_ids(store: Store) -> None:
    """Two that lock them in different orders would wait for each other until the database ends one of them."""
    known = [enrol(store, f"Table {number}")[0] for number in range(12)]
    changed: list[str] = []

    def note(_c: object, _cursor: object, statement: str, parameters: object, _context: object, _many: bool) -> None:
        if "state" in statement and isinstance(parameters, list):
            changed.extend(next(each for each in row if each in known) for row in map(_values, parameters))

    event.listen(store.engine, "before_cursor_execute", note)
    with store.engine.begin() as connection:
        assert list(_locked(connection, known)) == sorted(known)
    keep_states(store, dict.fromkeys(known, "{}"))
    assert changed == sorted(known)


def _values(row: Any) -> list[Any]:
    return list(row.values() if isinstance(row, dict) else row)


@stores(is_long=True)
def test_workers_side_by_side_take_each_event_once(store: Store) -> None:
    known = [enrol(store, f"Table {number}")[0] for number in range(4)]
    sent = [told(table, [n]) for table in known for n in range(1, 41)] * 2
    random.Random(5).shuffle(sent)

    def work(messages: list[object]) -> None:
        for message in messages:
            take(store, [message])  # type: ignore[list-item]

    for _ in range(60):
        with ThreadPoolExecutor(4) as workers:
            list(workers.map(work, [sent[at::4] for at in range(4)]))
        if all(len(numbers(store, table)) == 40 for table in known):
            break
    assert all(numbers(store, table) == list(range(1, 41)) for table in known)


@stores(is_long=True)
def test_a_whole_logbook_arrives_as_it_is(store: Store, tmp_path: Path) -> None:
    play = played(tmp_path / "game", 80)
    table, _ = enrol(store, "Club")
    talk(store, table, tmp_path / "game")
    assert log_of(store, table) == own_log(tmp_path / "game")
    assert len(log_of(store, table)) == len(play.announced)
    assert len(rows(store, select(positions))) > 20


@stores()
def test_a_table_that_comes_back_with_its_key_stays_itself(store: Store) -> None:
    table, key = enrol(store, "Club")
    only(store, told(table, [1]))
    again, other = enrol(store, "Club, upstairs", (table, key))
    assert again == table
    assert other != key
    (known,) = enrolled(store)
    assert (known.name, known.last) == ("Club, upstairs", 1)
    assert known.digest.fits(other)
    assert not known.digest.fits(key)


@stores()
def test_nobody_becomes_another_table_without_its_key(store: Store) -> None:
    table, key = enrol(store, "Club")
    for claimed in ((table, "wrong"), (NOBODY, key)):
        with pytest.raises(BadInputError):
            enrol(store, "Thief", claimed)


@stores()
def test_how_tables_stand_and_who_may_watch_is_kept(store: Store) -> None:
    table, _ = enrol(store, "Club")
    keep_states(store, {table: '{"phase":"turn"}'})
    open_to_all(store, [1], is_open=True)
    assert states(store) == {table: '{"phase":"turn"}'}
    assert enrolled(store)[0].is_open


@stores()
def test_the_migrations_make_what_the_schema_says(store: Store) -> None:
    with store.reading.connect() as connection:
        found = compare_metadata(MigrationContext.configure(connection), METADATA)
    assert found == []


@stores()
def test_what_a_hub_kept_before_there_were_tournaments_is_there_after(store: Store) -> None:
    """Its tables, with their keys and events, and its organisers are; then games are worked out."""
    with store.engine.begin() as connection:
        METADATA.drop_all(connection)
        connection.exec_driver_sql("DROP TABLE alembic_version")
        migrate(connection, "0001")
        for old in (
            "INSERT INTO about VALUES ('hub', 'abcd1234')",
            "INSERT INTO tables (number, id, name, joined, password, salt, iterations, is_open, book, last)"
            " VALUES (1, 'a', 'Club', '', 'p', 's', 101, true, 1, 2)",
            "INSERT INTO events VALUES (1, 1, 1, NULL, '', 'Ada', 'X', '{}', 7)",
            "INSERT INTO events VALUES (1, 1, 2, 1, '', NULL, 'GameDealt', '{', 8)",
            "INSERT INTO organisers (name, password, made) VALUES ('Oda', 'p', '')",
        ):
            connection.exec_driver_sql(old)
        migrate(connection)
    (table,) = enrolled(store)
    assert (table.name, table.last, table.has_buttons, table.is_open) == ("Club", 2, False, True)
    assert People(store).accounts() == (("Oda", "organiser"),)
    assert reckon(store).tables == 1
    assert reckon(store).tables == 0
    assert forget(store, "Ada") == "Player 1"


@stores()
def test_a_store_that_is_opened_again_is_the_same_hub(store: Store) -> None:
    again = open_store(store.engine.url.render_as_string(hide_password=False))
    assert again.hub == store.hub
    again.close()


def test_a_database_that_nobody_serves_is_said_in_one_line() -> None:
    with pytest.raises(NotNowError, match="database cannot be used"):
        open_store("postgresql://strada@127.0.0.1:9/strada")
    with pytest.raises(BadInputError, match="is of mysql"):
        open_store("mysql://127.0.0.1/strada")
    with pytest.raises(BadInputError, match="is not a URL"):
        open_store("what")


def test_a_name_is_one_line_that_fits_a_screen() -> None:
    assert proper_name(" Club\n\x1b[31m " + "x" * 100) == "Club [31m " + "x" * 30
    assert proper_name("\0") == "?"
