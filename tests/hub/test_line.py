"""The table's half, without a network: the logbook is the outbox, and only the hub's word moves it on."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from companion.logbook.opening import FILE, connect, open_to_write
from companion.logbook.schema import sum_of
from companion.outbox.letters import GONE, MOST_EVENTS, Letters, opened_letters
from companion.outbox.line import AGAIN_S, Acknowledged, Line
from companion.outbox.post import word_from
from tests.logbook.playing import Table, change, played


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("game")
    played(folder, 60)
    return folder


@pytest.fixture
def book(game: Path, tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A logbook of a game of sixty presses, to be changed."""
    folder = Path(shutil.copytree(game, tmp_path / "book"))
    with closing(connect(folder / FILE)) as connection:
        yield connection


@pytest.fixture
def letters(book: sqlite3.Connection, tmp_path: Path) -> Letters:
    return Letters(book, tmp_path / "book")


def heard(letters: Letters, sequence: int, book: int = 1) -> Acknowledged:
    return Acknowledged(book, sequence, letters.mark(sequence).sum)


def line_after(word: Acknowledged, letters: Letters, book: int = 1) -> Line:
    """A line that has heard the hub's word."""
    line = Line(book)
    line.hear(word, letters)
    return line


def delete(book: sqlite3.Connection, events: str) -> None:
    """Delete these events, as if their games had been deleted."""
    book.executescript(f"DELETE FROM moves; DELETE FROM states; DELETE FROM events WHERE id {events}")


def test_a_table_asks_first_how_far_the_hub_is(letters: Letters) -> None:
    message = Line().next(letters, 0.0)
    assert message is not None
    assert not message.letters


def test_all_rows_are_told_in_order_as_they_are_written(letters: Letters, book: sqlite3.Connection) -> None:
    line, told = line_after(Acknowledged(1, 0), letters), []
    while (message := line.next(letters, 0.0)) is not None:
        told += message.letters
        line.hear(heard(letters, told[-1]["n"]), letters)
    rows = book.execute("SELECT id, game, at, who, kind, event, sum FROM events ORDER BY id").fetchall()
    assert [tuple(each[name] for name in ("n", "game", "at", "who", "kind", "event", "sum")) for each in told] == rows
    assert all(sum_of(*row[:-1]) == row[-1] for row in rows)


def test_a_position_goes_with_the_event_that_made_it(letters: Letters, book: sqlite3.Connection) -> None:
    (dealt,) = (each for each in letters.after(0) if each["kind"] == "GameDealt")
    taken = next(each for each in letters.after(0) if each["kind"] == "TurnTaken")
    assert dealt["position"]["previous"] is None
    row = book.execute("SELECT position FROM positions WHERE id = ?", (taken["position"]["id"],)).fetchone()
    assert row == (taken["position"]["position"],)


def test_one_message_is_on_its_way_and_goes_again_after_a_second(letters: Letters) -> None:
    line = line_after(Acknowledged(1, 0), letters)
    first = line.next(letters, 10.0)
    assert line.next(letters, 10.0 + AGAIN_S - 0.01) is None
    assert line.next(letters, 10.0 + AGAIN_S) == first


def test_what_the_hub_misses_is_sent_at_once(letters: Letters) -> None:
    line = line_after(heard(letters, 20), letters)
    assert line.next(letters, 0.0) is not None
    line.hear(Acknowledged(1, 5, letters.mark(5).sum, is_missing=True), letters)
    message = line.next(letters, 0.1)
    assert message is not None
    assert message.letters[0]["n"] == 6


def test_a_word_about_what_was_sent_before_does_not_send_twice(letters: Letters) -> None:
    line = line_after(heard(letters, 3), letters)
    assert line.next(letters, 0.0) is not None
    line.hear(heard(letters, 3), letters)
    assert line.next(letters, 0.1) is None


def test_a_lost_connection_begins_with_the_question(letters: Letters) -> None:
    line = line_after(heard(letters, 20), letters)
    assert line.next(letters, 0.0) is not None
    line.connected()
    message = line.next(letters, 0.1)
    assert message is not None
    assert not message.letters


def test_what_was_deleted_leaves_no_hole(letters: Letters, book: sqlite3.Connection) -> None:
    delete(book, "BETWEEN 4 AND 6")
    told = letters.after(0)
    assert [each["n"] for each in told] == list(range(1, len(told) + 1))
    assert [each["n"] for each in told if each["kind"] == GONE] == [4, 5, 6]


def test_a_large_hole_is_told_message_by_message(letters: Letters, book: sqlite3.Connection) -> None:
    book.execute("DELETE FROM moves")
    book.execute("DELETE FROM states")
    book.execute("UPDATE events SET id = id + 1000 WHERE id = (SELECT max(id) FROM events)")
    after = letters.newest - 500
    assert [each["n"] for each in letters.after(after)] == list(range(after + 1, after + MOST_EVENTS + 1))


def test_a_logbook_from_a_copy_tells_its_other_story_as_a_new_book(letters: Letters) -> None:
    message = line_after(Acknowledged(3, 5, 4711), letters, book=3).next(letters, 0.0)
    assert message is not None
    assert (message.book, message.letters[0]["n"]) == (4, 1)


def test_a_logbook_that_is_shorter_than_what_the_hub_has_is_another_story(letters: Letters) -> None:
    assert line_after(Acknowledged(1, letters.newest + 1, 0), letters).book == 2


def test_a_game_that_was_deleted_since_makes_no_new_book(letters: Letters, book: sqlite3.Connection) -> None:
    delete(book, "= 5")
    line = line_after(Acknowledged(1, 5, 4711), letters)
    assert (line.book, line.held) == (1, 5)


def test_a_table_that_forgot_its_book_goes_on_in_the_latest(letters: Letters) -> None:
    line = line_after(heard(letters, 5, book=7), letters)
    assert (line.book, line.held) == (7, 5)


def test_a_hub_that_has_not_heard_of_the_book_is_told_it_from_the_start(letters: Letters) -> None:
    assert line_after(heard(letters, 5, book=1), letters, book=2).held == 0


def test_what_follows_on_a_lost_end_is_told_as_a_new_book(game: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(game, tmp_path / "damaged"))
    with opened_letters(folder) as letters:
        before, heard_last = letters.newest, heard(letters, letters.newest)
    columns = (("moves", "event"), ("states", "event"), ("events", "id"))
    change(folder, ";".join(f"DELETE FROM {table} WHERE {column} > {before - 20}" for table, column in columns))
    opened = open_to_write(folder, is_damaged=True)
    opened.connection.close()
    assert opened.newest < before
    with opened_letters(folder) as letters:
        message = line_after(heard_last, letters).next(letters, 0.0)
        assert message is not None, "what is new has the numbers of what was lost, and is told too"
        assert (message.book, message.letters[0]["n"]) == (2, 1)


def test_a_ruling_has_its_picture(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.deal()
    folder = table.closed()
    with closing(connect(folder / FILE)) as connection:
        path = Letters(connection, folder).picture(1)
        assert path is not None
        assert path.is_file()
        assert Letters(connection, folder).picture(10**6) is None


@pytest.mark.parametrize(
    "payload",
    [b"", b"[]", b'{"book":1}', b'{"book":"1","sequence":2}', b'{"book":1,"sequence":-1}',
     b'{"book":1,"sequence":true}', b'{"book":1,"sequence":2,"sum":"x"}', b'{"book":1,"sequence":1e99}', b"\xff",
     b"[" * 100_000],
)  # fmt: skip
def test_an_odd_word_is_not_believed(payload: bytes) -> None:
    assert word_from(payload) is None
