"""Pictures of rulings: a table is asked for each of them once, for no others, and for a few at a time."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hub.store.games import story
from hub.web.table import AT_ONCE
from tests.hub.pages import Pages
from tests.hub.telling import talk
from tests.logbook.playing import played


@pytest.fixture
def ruled(pages: Pages, tmp_path: Path) -> list[int]:
    """The numbers of the events on the first table's page that are rulings, newest first."""
    table = pages.table()
    played(tmp_path, 8)
    talk(pages.store, table, tmp_path)
    found = story(pages.store, 1, 1)
    assert found is not None
    return [each.number for each in found.rulings]


def test_a_picture_comes_on_request_and_is_asked_for_once(pages: Pages, ruled: list[int]) -> None:
    (table,) = (each.table.id for each in pages.room.standings(True))
    pages.room._pictures[table, str(ruled[0])] = b"\xff\xd8 a picture"
    client = pages.client()
    assert client.get(f"/tables/1/rulings/{ruled[0]}.jpg").data == b"\xff\xd8 a picture"
    assert client.get(f"/tables/1/rulings/{ruled[0]}.jpg").status_code == 200, "kept here, not asked for again"
    pages.room._pictures[table, str(ruled[1])] = b"<script>"
    assert client.get(f"/tables/1/rulings/{ruled[1]}.jpg").status_code == 404


def test_counting_finds_no_pictures_of_what_is_not_shown(pages: Pages, ruled: list[int]) -> None:
    (table,) = (each.table.id for each in pages.room.standings(True))
    hidden = [event for event in range(1, ruled[0] + 3) if event not in ruled]
    for event in hidden[:3] + hidden[-3:]:
        pages.room._pictures.clear()
        pages.room._pictures[table, str(event)] = b"\xff\xd8 an old picture"
        assert pages.client().get(f"/tables/1/rulings/{event}.jpg").status_code == 404
        assert pages.room._pictures, "the table is not asked"


def test_nobody_waits_in_line_for_a_picture(pages: Pages, ruled: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    begun, may_go = threading.Semaphore(0), threading.Event()

    def slow(*_: object) -> None:
        begun.release()
        may_go.wait(20)

    monkeypatch.setattr(pages.room, "picture", slow)
    address = f"/tables/1/rulings/{ruled[0]}.jpg"
    with ThreadPoolExecutor(AT_ONCE) as others:
        for _ in range(AT_ONCE):
            others.submit(pages.client().get, address)
            assert begun.acquire(timeout=20)
        refused = pages.client().get(address)
        may_go.set()
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "2")
