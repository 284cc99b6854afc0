"""The hub's room in a real browser: a thousand tables, four languages, phone and desk, by keyboard."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from companion.session import Session
from hub.store.people import ORGANISER
from hub.store.tables import enrol, enrolled, open_to_all
from tests.browser.conftest import LANGUAGES, PHONE, SIZES, Visitor, flaws, hold, until, wait_until
from tests.hub.pages import PASSWORD, Pages, begun, opened, served, stands

#: With a thousand tables the room must be usable within two seconds, and be no larger than this.
MOST_BYTES = 300_000


@pytest.fixture(scope="module")
def game() -> Session:
    return begun()


@pytest.fixture
def pages(tmp_path: Path) -> Iterator[Pages]:
    with opened(tmp_path) as pages:
        yield pages


@pytest.fixture
def address(pages: Pages) -> Iterator[str]:
    with served(pages) as at:
        yield f"{at}/"


def filled(pages: Pages, game: Session, count: int) -> list[str]:
    """Fill the room with that many tables, each with a game and open to everybody."""
    tables = [enrol(pages.store, f"Table {number}")[0] for number in range(1, count + 1)]
    open_to_all(pages.store, [each.number for each in enrolled(pages.store)], is_open=True)
    pages.room.look_again()
    for number, table in enumerate(tables, 1):
        pages.say(table, stands(game, f"Table {number}"))
    return tables


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", SIZES)
def test_the_room_fits_and_keeps_nobody_out(
    visitor: Visitor, pages: Pages, game: Session, address: str, size: dict[str, int], language: str
) -> None:
    tables = filled(pages, game, 3)
    pages.say(tables[1], stands(game, attention=["dispute", "unclear", "camera"]))
    page = visitor.open(address, size, language)
    expect(page.locator("#cards svg.drawing")).to_have_count(3)
    assert flaws(page) == []
    page.locator("#t2 a").press("Enter")
    expect(page.locator("#board")).to_be_visible()
    assert flaws(page) == []
    page.goto(address + "organise")
    expect(page.locator("#entry")).to_be_visible()
    assert flaws(page) == []


@pytest.mark.long
def test_a_board_that_changes_changes_in_the_room(visitor: Visitor, pages: Pages, game: Session, address: str) -> None:
    tables = filled(pages, game, 2)
    page = visitor.open(address, PHONE)
    expect(page.locator("#t1 .turn")).to_contain_text("Bea")
    pages.say(tables[0], stands(game, attention=["camera"]))
    expect(page.locator("#summary .referee")).to_contain_text("the camera sees nothing")
    expect(page.locator("#t1 a.calls")).to_be_visible()
    pages.say(tables[0], b'{"gone":true}')
    expect(page.locator("#t1 .gone")).to_be_visible()


@pytest.mark.long
def test_an_organiser_makes_an_account_a_code_and_opens_a_table(
    visitor: Visitor, pages: Pages, game: Session, address: str
) -> None:
    pages.say(pages.table("Upstairs", is_open=False), stands(game, "Upstairs"))
    page = visitor.open(address + "organise", PHONE)
    page.locator("#code").fill(pages.people.new_code(ORGANISER))
    page.locator("#who").fill("Oda")
    page.locator("#password").fill(PASSWORD)
    page.locator("#entry button").click()
    page.get_by_role("button", name="New pairing code").click()
    until(page, "/^[A-Z2-9]{4}-[A-Z2-9]{4}$/.test(document.getElementById('new-code').textContent)")
    page.get_by_role("button", name="Open to everybody", exact=True).click()
    expect(page.locator("[aria-pressed=true]")).to_be_visible()
    assert flaws(page) == []
    page.get_by_role("button", name="Revoke the key").click()
    page.get_by_role("button", name="Tap again to revoke it").click()
    expect(page.locator(".tables")).to_have_count(0)
    assert pages.keys.shut


def test_a_tap_before_the_scripts_are_there_is_done_once_they_are(visitor: Visitor, pages: Pages, address: str) -> None:
    page = visitor.open("about:blank", PHONE)
    held = hold(page, "**/organise.js*")
    with page.expect_request("**/organise.js*"):
        page.goto(address + "organise", wait_until="commit")
    for field, typed in (("#code", pages.people.new_code(ORGANISER)), ("#who", "Oda"), ("#password", PASSWORD)):
        page.locator(field).fill(typed)
    page.locator("#entry button").click()
    assert not pages.people.has_organiser
    assert "?" not in page.url
    held[0].continue_()
    expect(page.get_by_role("button", name="New pairing code")).to_be_visible()
    assert pages.people.has_organiser


@pytest.mark.long
def test_a_thousand_tables_are_no_heavier_than_they_may_be(
    visitor: Visitor, pages: Pages, game: Session, address: str
) -> None:
    tables = filled(pages, game, 1000)
    page = visitor.open("about:blank")
    sizes: list[int] = []
    page.on("requestfinished", lambda asked: sizes.append(asked.sizes()["responseBodySize"]))
    page.goto(address)
    until(page, "performance.getEntriesByName('room').length > 0")
    # The page knows of what has arrived (all but itself) before we do.
    wait_until(page, lambda: len(sizes) > page.evaluate("performance.getEntriesByType('resource').length"))
    assert 20_000 < sum(sizes) <= MOST_BYTES, sizes
    shown = page.locator("#cards svg.drawing").count()
    assert 8 <= shown < 100
    for table in tables[:400]:
        pages.say(table, stands(game, attention=["unclear"]))
    expect(page.locator("#t1 a.calls")).to_be_visible()
    page.locator("#t1000").scroll_into_view_if_needed()
    expect(page.locator("#t1000 svg.drawing")).to_be_visible()
    assert page.evaluate("performance.getEntriesByName('room').length") == 1
