"""Players over all tables: who may see them, seasons from day to day, histories; on SQLite and on PostgreSQL."""

import pytest

from companion.board import BadInputError
from companion.words import LANGUAGES
from hub.seasons import Span, forget_season, games_in, mark, name_season, spans
from hub.store import Store
from hub.store.tables import enrol
from tests.hub.conftest import stores
from tests.hub.pages import Pages, post
from tests.hub.tournament.halls import ends


def ended(store: Store, n: int, day: str, **gold: int) -> None:
    at = f"{day}T10:{n:02}:00.000Z"
    ends(store, [*gold.values()], [*gold], n, began=at, ended=at)


@stores()
def test_a_season_has_the_games_of_its_days_both_included(store: Store) -> None:
    enrol(store, "Window")
    for n, day in enumerate(("2026-01-31", "2026-02-01", "2026-02-28", "2026-03-01"), 1):
        ended(store, n, day, Ada=9, Bo=7)
    number = name_season(store, "February", "2026-02-01", "2026-02-28")
    (span,) = spans(store)
    assert span == Span(number, "February", "2026-02-01", "2026-02-28")
    assert [game.game for game in games_in(store, span)] == [2, 3]
    assert [game.game for game in games_in(store, None)] == [1, 2, 3, 4]
    forget_season(store, number)
    assert spans(store) == ()
    assert mark(store)[0] == 4


@pytest.mark.parametrize(("first", "last", "code"), [
    ("2026-02-01", "2026-01-01", "season-order"), ("", "2026-01-01", "season-days"), ("x", "y", "season-days"),
])  # fmt: skip
def test_a_season_that_cannot_be_is_refused(store: Store, first: str, last: str, code: str) -> None:
    with pytest.raises(BadInputError) as wrong:
        name_season(store, "Odd", first, last)
    assert wrong.value.code == code


def test_players_are_for_organisers_until_they_are_opened(pages: Pages) -> None:
    pages.table()
    ended(pages.store, 1, "2026-02-01", Ada=9, Bo=7)
    organiser, stranger = pages.organiser(), pages.client()
    for address in ("/players", "/players/one?name=Ada"):
        assert stranger.get(address).status_code == 404
        assert organiser.get(address).status_code == 200
    assert 'href="/players"' not in stranger.get("/").get_data(as_text=True)
    for address in ("/players/open", "/seasons", "/seasons/1/remove"):
        assert post(stranger, address, {"open": True}).status_code == 403
    assert post(organiser, "/players/open", {"open": True}).status_code == 200
    assert "Ada" in stranger.get("/players").get_data(as_text=True)
    assert 'href="/players"' in stranger.get("/").get_data(as_text=True)


@pytest.mark.parametrize("language", LANGUAGES)
def test_somebodys_games_are_told_with_the_rating_after_each(pages: Pages, language: str) -> None:
    pages.table("By the window")
    evil = "<script>alert(1)</script>"
    for n in range(1, 6):
        ended(pages.store, n, f"2026-02-0{n}", Ada=9 + n, Bo=7, **{evil: 3})
    organiser = pages.organiser()
    organiser.set_cookie("language", language)
    page = organiser.get("/players/one?name=%20ada").get_data(as_text=True)
    assert page.count("By the window") == 5
    assert 'class="line"' in page
    assert "<script>alert" not in page + organiser.get("/players").get_data(as_text=True)
    assert organiser.get("/players/one?name=Nobody").status_code == 404
    assert organiser.get("/players?season=7").status_code == 404
    assert "%(" not in page


def test_a_season_is_made_on_the_page_and_shown(pages: Pages) -> None:
    pages.table()
    ended(pages.store, 1, "2026-02-01", Ada=9, Bo=7)
    organiser = pages.organiser()
    answer = post(organiser, "/seasons", {"name": "Winter", "first": "2026-01-01", "last": "2026-01-31"})
    assert answer.get_json()["go"] == "/players?season=1"
    assert "Ada" not in organiser.get("/players?season=1").get_data(as_text=True)
    ended(pages.store, 2, "2026-01-05", Ada=9, Bo=7)
    assert "Ada" in organiser.get("/players?season=1").get_data(as_text=True), "what has ended since is there"
    assert post(organiser, "/seasons/1/remove").status_code == 200
    assert organiser.get("/players?season=1").status_code == 404
