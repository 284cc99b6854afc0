"""Many people look up games at once: some wait for their turn, the rest are turned away, and all places are freed."""

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from companion.logbook.archive import Archive, Story, story_of
from companion.web.games import shelf
from companion.web.games.shelf import AGAIN_S, AT_WORK, WAITING, Turnstile
from tests.web.whole import whole


def test_so_many_are_let_through_and_the_next_waits_until_one_leaves() -> None:
    gate = Turnstile(at_work=1, waiting=1)
    assert gate.enter()
    entered = threading.Event()
    waiting = threading.Thread(target=lambda: gate.enter() and entered.set())
    waiting.start()
    assert not entered.wait(0.05)
    gate.leave()
    assert entered.wait(5)
    waiting.join()


def test_who_is_one_too_many_is_turned_away_at_once() -> None:
    gate = Turnstile(at_work=1, waiting=0, patience_s=60)
    assert gate.enter()
    assert not gate.enter()
    gate.leave()
    assert gate.enter()


def test_whoever_waited_in_vain_takes_no_place() -> None:
    gate = Turnstile(at_work=1, waiting=1, patience_s=0.01)
    assert gate.enter()
    assert not gate.enter()
    gate.leave()
    assert gate.enter()


def test_pages_of_games_give_their_places_back_whatever_comes_of_them(book: Path) -> None:
    client = whole(book, is_drawn=True).app.test_client()
    for path in ("/games", "/games/1", "/games/999", "/games/x", "/rulings/latest", "/statistics"):
        for _ in range(AT_WORK + WAITING + 1):
            assert client.get(path).status_code in (200, 302, 404), path


def test_a_page_that_was_turned_away_comes_again_by_itself(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = whole(book, is_drawn=True).app
    monkeypatch.setattr(Turnstile, "enter", lambda gate: False)
    page = app.test_client().get("/games", headers={"Accept": "text/html"})
    assert (page.status_code, page.headers["Retry-After"]) == (503, str(AGAIN_S))
    assert f'<meta http-equiv="refresh" content="{AGAIN_S}">' in page.text
    missing = app.test_client().get("/nothing", headers={"Accept": "text/html"})
    assert "Retry-After" not in missing.headers
    assert "refresh" not in missing.text


def test_a_game_that_everybody_asks_for_at_once_is_told_once(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[int] = []

    def slowly(archive: Archive, number: int) -> Story:
        told.append(number)
        threading.Event().wait(0.05)
        return story_of(archive, number)

    monkeypatch.setattr(shelf, "story_of", slowly)
    # On a loaded machine somebody who waits for a game may wait longer than people would.
    monkeypatch.setattr(shelf, "Turnstile", partial(shelf.Turnstile, patience_s=60.0))
    app = whole(book, is_drawn=True).app
    with ThreadPoolExecutor(AT_WORK + WAITING) as people:
        answers = list(people.map(lambda _: app.test_client().get("/games/1").status_code, range(AT_WORK + WAITING)))
    assert answers == [200] * (AT_WORK + WAITING)
    assert told == [1]
