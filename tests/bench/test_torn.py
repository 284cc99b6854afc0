"""What the replays of torn logbooks and of power cuts count as a loss."""

import threading

import pytest

from bench.powercut import CLOSED_S, cut
from bench.torn import FOR_NOTHING, KINDS, ON_TORN, torn
from companion.logbook import opening, salvaging
from companion.logbook.book import Book
from companion.logbook.rows import Rows

pytestmark = pytest.mark.long


def test_a_torn_logbook_loses_what_was_on_the_torn_pages_and_goes_on() -> None:
    found = torn(24, seed=2, presses=120)
    assert found.trials == dict.fromkeys(KINDS, 6)
    assert found.lost[ON_TORN] > 0
    assert (found.lost[FOR_NOTHING], found.silent, found.told) == (0, 0, [])


def test_rows_that_are_not_looked_for_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(salvaging, "_with_a_new_beginning", lambda file, columns: iter(()))
    monkeypatch.setattr(salvaging, "_page_by_page", lambda file, columns: iter(()))
    found = torn(12, seed=2, presses=60)
    assert found.silent > 0
    assert found.lost[FOR_NOTHING] > 0


def test_a_game_that_goes_on_too_early_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Rows, "_by_events", lambda rows, place: None)
    monkeypatch.setattr(opening, "reckon", lambda connection, step: 0)
    found = torn(40, seed=7, presses=60)
    assert found.lost[FOR_NOTHING] > 0
    assert "event" in found.told[0]


def test_a_logbook_that_is_still_being_closed_is_told_as_that_and_takes_nothing_from_the_next_disk(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As on a slow disk: closing a logbook, when SQLite still writes, takes longer than anybody waits."""
    may_close, release = threading.Event(), Book.release

    def slow(book: Book) -> None:
        may_close.wait(CLOSED_S)
        release(book)

    monkeypatch.setattr("bench.powercut.CLOSED_S", 0.1)
    monkeypatch.setattr(Book, "release", slow)
    found = cut(2, seed=7, presses=5)
    may_close.set()
    assert len(found.astray) == sum(found.disks.values()) == 8
    assert all("was not closed within" in line for line in found.astray)
    assert (found.lost, found.damaged) == (0, 0)
