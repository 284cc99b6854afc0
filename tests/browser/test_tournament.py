"""A tournament in a real browser: made, drawn, corrected by keyboard and finger, watched in a hall, four languages."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from hub.store import tournaments as kept
from hub.store.results import correct
from tests.browser.conftest import DESK, LANGUAGES, PHONE, SIZES, TV, Visitor, fits, flaws
from tests.hub.pages import PASSWORD, Pages, opened, post, served
from tests.hub.test_players_pages import ended

NAMES = "Ada,Bern\nBo\nCy\nDi\nEva Anna-Maria von Hohenlohe-Waldenburg\nFay\nGil\nHal\nIvo"


@pytest.fixture
def pages(tmp_path: Path, drawn_once: None) -> Iterator[Pages]:
    with opened(tmp_path) as pages:
        yield pages


@pytest.fixture
def address(pages: Pages) -> Iterator[str]:
    with served(pages) as at:
        yield at


def begun(pages: Pages, names: str = NAMES) -> None:
    organiser = pages.organiser()
    for what, body in (
        ("", {"name": "Spring", "size": 4, "rounds": 3}), ("/1/players", {"text": names}),
        ("/1/settings", {"rounds": 3, "open": True}), ("/1/draw", {}),
    ):  # fmt: skip
        assert post(organiser, f"/tournaments{what}", body).status_code < 300


def sign_in(page: Page, address: str) -> None:
    page.goto(f"{address}/organise")
    page.locator("#who").fill("Oda")
    page.locator("#password").fill(PASSWORD)
    page.locator("#entry button").click()
    expect(page.get_by_role("button", name="New pairing code")).to_be_visible()


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", SIZES)
def test_what_everybody_watches_fits_and_keeps_nobody_out(
    visitor: Visitor, pages: Pages, address: str, size: dict[str, int], language: str
) -> None:
    begun(pages)
    page = visitor.open(address, size, language)
    for place in ("", "/1", "/1/screen", "/1/cards", "/1/print"):
        page.goto(f"{address}/tournaments{place}")
        assert flaws(page) == []


@pytest.mark.long
def test_an_organiser_makes_draws_and_corrects(visitor: Visitor, pages: Pages, address: str) -> None:
    pages.organiser()
    page = visitor.open(f"{address}/organise", PHONE)
    sign_in(page, address)
    page.goto(f"{address}/tournaments")
    page.locator("#name").fill("Spring")
    page.get_by_role("button", name="Make the tournament").click()
    page.locator("#text").fill("Ada\nBo\nAda")
    page.get_by_role("button", name="Enter these players").click()
    expect(page.locator("#refused")).to_contain_text("Line 3")
    assert page.locator("#text").input_value() == "Ada\nBo\nAda", "nothing that was typed is lost"
    from_a_spreadsheet = "Name;Club\r\nZoé;Genève\r\nBo;\r\nCy;\r\n".encode("cp1252")
    page.locator("#csv").set_input_files({"name": "a.csv", "mimeType": "text/csv", "buffer": from_a_spreadsheet})
    expect(page.locator("#text")).to_have_value("Name;Club\nZoé;Genève\nBo;\nCy;\n")
    page.get_by_role("button", name="Enter these players").click()
    expect(page.locator("#players li")).to_have_count(3)
    page.get_by_role("button", name="Draw round 1").click()
    expect(page.locator("#round-1 .seats li")).to_have_count(3)
    for gold in ("9", "12"):
        page.locator("details.decide summary").click()
        if gold == "12":
            page.locator("[data-winner]:checked").uncheck()
            page.locator("[data-why]").fill("One town more")
        for field in page.locator("[data-gold]").all():
            field.fill("5")
        page.locator("[data-gold]").first.fill(gold)
        page.get_by_role("button", name="This result counts").click()
        expect(page.locator(".seats .won b")).to_contain_text(gold)
    page.locator("details.told summary").click()
    expect(page.locator("details.told")).to_contain_text("One town more")
    assert flaws(page) == []


def test_a_result_appears_while_somebody_watches(visitor: Visitor, pages: Pages, address: str) -> None:
    begun(pages)
    page = visitor.open(f"{address}/tournaments/1", DESK)
    expect(page.locator(".seats .won")).to_have_count(0)
    found = kept.tournament(pages.store, 1)
    assert found is not None
    (first, *_) = found.rounds[0].seatings
    correct(pages.store, 1, first.number, [5] * (len(first.players) - 1) + [9], [], "Oda", "")
    pages.halls.look_again()
    expect(page.locator(".seats .won")).to_have_count(1)


@pytest.mark.long
def test_a_hall_sees_all_tables_one_page_after_another(visitor: Visitor, pages: Pages, address: str) -> None:
    begun(pages, "\n".join(f"Player {number}" for number in range(250)))
    page = visitor.open("about:blank", TV)
    page.clock.install()
    page.goto(f"{address}/tournaments/1/screen")
    seen: set[str] = set()
    for _ in range(6):
        shown = page.locator("#tables > li:visible h2").all_inner_texts()
        assert 0 < len(shown) < 63
        seen |= set(shown)
        page.clock.run_for(10_100)
    assert seen == set(map(str, range(1, 64)))
    assert fits(page)


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES)
def test_players_and_their_games_fit_and_keep_nobody_out(
    visitor: Visitor, pages: Pages, address: str, size: dict[str, int]
) -> None:
    pages.table()
    for n in range(1, 6):
        ended(pages.store, n, f"2026-02-0{n}", **{"Eva Anna-Maria von Hohenlohe-Waldenburg": 9 + n, "Bo": 7, "": 3})
    pages.organiser()
    page = visitor.open(f"{address}/organise", size)
    sign_in(page, address)
    page.goto(f"{address}/players")
    assert flaws(page) == []
    page.get_by_role("link", name="Bo", exact=True).click()
    expect(page.locator(".history > li")).to_have_count(5)
    beside_a_long_name = page.locator(".history .won b, .history .victory")
    heights = beside_a_long_name.evaluate_all("(all) => all.map((each) => each.offsetHeight)")
    assert len(heights) == 10, "gold and victory of each game"
    assert max(heights) < 30, "each on one line"
    assert flaws(page) == []
