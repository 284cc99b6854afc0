"""Many who look up games at once: some wait for their turn, who is too many is told so, and all places come back."""

import threading
from pathlib import Path

from companion.web.games.turnstile import AT_WORK, WAITING, Turnstile
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


def test_who_waited_in_vain_takes_no_place_along() -> None:
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
