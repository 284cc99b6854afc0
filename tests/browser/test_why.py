"""Why? Each number explains itself to a finger and to a key; the lesson is shown to those who want it."""

from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from companion.scoreboard import Notice, Snapshot
from companion.web import Keepers
from tests.browser.conftest import LANGUAGES, PHONE, SIZES, TV, Serve, Visitor, fits, flaws
from tests.games.drawing import BLACK, after, save
from tests.web.playing import Table
from tests.web.test_guide import FIRST, opening
from tests.web.whole import LAST, PIN

START = Snapshot().with_position(opening())
SECOND = START.with_position(after(opening(), FIRST))


@pytest.fixture
def table() -> Table:
    made = Table()
    made.scoreboard.publish(START)
    return made


def ask(page: Page, name: str) -> None:
    page.locator(f'[data-why="{name}"]').first.click()


@pytest.mark.parametrize("size", SIZES)
def test_a_tap_explains_a_number_and_a_tap_beside_it_closes_it(
    visitor: Visitor, address: str, size: dict[str, int]
) -> None:
    page = visitor.open(address, size)
    ask(page, "gold-black")
    expect(page.locator("#why")).to_be_visible()
    expect(page.locator("#why")).to_contain_text("No merchant of theirs is on a settlement yet.")
    expect(page.locator("#why")).to_contain_text("Rulebook, “Scoring”")
    assert fits(page)
    page.mouse.click(4, 4)
    expect(page.locator("#why")).to_be_hidden()


def test_enter_explains_it_escape_closes_it_and_the_focus_is_back_on_the_number(board: Page) -> None:
    board.locator('[data-why="days-black"]').focus()
    board.keyboard.press("Enter")
    expect(board.locator("#why h2")).to_have_text("Ada: 6 days")
    board.keyboard.press("Escape")
    expect(board.locator("#why")).to_be_hidden()
    expect(board.locator('[data-why="days-black"]')).to_be_focused()


def test_an_open_explanation_follows_what_changes(board: Page, table: Table) -> None:
    ask(board, "gold-black")
    table.scoreboard.publish(SECOND)
    expect(board.locator("#why li")).to_have_text("D3, town with 1 merchant: 4 gold")
    board.locator("#why button").click()
    expect(board.locator('[data-why="gold-black"]')).to_be_focused()


def test_whoever_has_tabbed_to_a_number_stays_on_it_when_it_changes(board: Page, table: Table) -> None:
    board.locator('[data-why="gold-black"]').focus()
    table.scoreboard.publish(SECOND)
    expect(board.locator('[data-why="gold-black"]')).to_contain_text("4")
    expect(board.locator('[data-why="gold-black"]')).to_be_focused()


def test_the_quiet_line_says_who_leads_and_opens_what_comes_next(board: Page, table: Table) -> None:
    table.scoreboard.publish(SECOND)
    expect(board.locator("#glance")).to_contain_text("Ada leads with 4 gold")
    ask(board, "next")
    expect(board.locator("#why")).to_contain_text("What comes next")


def test_the_lesson_is_switched_on_for_a_screen_and_remembered(board: Page, table: Table) -> None:
    expect(board.locator("#lesson")).to_be_hidden()
    expect(board.locator("#ahead")).to_be_hidden()
    board.click("#teach")
    expect(board.locator("#ahead .mark").first).to_be_visible()
    expect(board.locator("#lesson")).to_contain_text("What Ada can do now")
    expect(board.locator("#teach")).to_have_attribute("aria-pressed", "true")
    table.scoreboard.publish(START.with_position(after(opening(), save(BLACK))))
    expect(board.locator("#lesson")).to_contain_text("What Bo can do now")
    board.reload()
    expect(board.locator("#lesson")).to_be_visible()
    board.click("#teach")
    expect(board.locator("#lesson")).to_be_hidden()


def test_a_lesson_for_the_table_comes_to_every_screen_and_can_be_closed_on_one(
    visitor: Visitor, address: str, table: Table
) -> None:
    phone, tv = visitor.open(address, PHONE), visitor.open(address + "/tv", TV)
    phone.click('[data-keeper="teach"]')
    for page in (phone, tv):
        expect(page.locator("#lesson")).to_be_visible()
    expect(phone.locator('[data-keeper="teach"]')).to_have_text("End the lesson")
    phone.click("#teach")
    expect(phone.locator("#lesson")).to_be_hidden()
    table.scoreboard.publish(replace(START, number=9).with_position(after(opening(), save(BLACK))))
    expect(tv.locator("#lesson")).to_contain_text("What Bo can do now")
    expect(phone.locator("#lesson")).to_be_hidden()
    phone.click('[data-keeper="teach"]')
    expect(tv.locator("#lesson")).to_be_hidden()


def test_on_the_television_four_players_and_the_lesson_fit(visitor: Visitor, address: str) -> None:
    page = visitor.open(address + "/tv", TV)
    page.mouse.move(200, 200)
    page.click("#teach")
    expect(page.locator("#lesson")).to_be_visible()
    assert page.locator("#beside").evaluate("beside => beside.scrollHeight <= beside.clientHeight + 1")


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_keeps_people_out_of_what_explains_the_game(
    visitor: Visitor, address: str, table: Table, language: str, scheme: str
) -> None:
    table.scoreboard.publish(SECOND)
    page = visitor.open(address, PHONE, language, scheme)
    page.click("#teach")
    expect(page.locator("#lesson ol")).to_be_visible()
    assert flaws(page) == []
    ask(page, "legend")
    assert flaws(page) == []


def test_the_keepers_page_explains_a_verdict_too(visitor: Visitor, serve: Serve, table: Table) -> None:
    table.scoreboard.publish(replace(SECOND, notice=Notice("legal", "Ada: that move is legal", codes=("built",))))
    page = visitor.open(serve(table, game=lambda: LAST) + "/keeper")
    ask(page, "verdict")
    expect(page.locator("#why")).to_contain_text("1 forest tile at 3 days each: 3 days")


def test_each_number_is_as_large_as_a_finger(visitor: Visitor, address: str) -> None:
    page = visitor.open(address, PHONE)
    tapped = page.locator("#players [data-why], .guide button")
    sizes = tapped.evaluate_all("all => all.map((each) => each.getBoundingClientRect().toJSON())")
    assert len(sizes) >= 8
    assert all(min(size["width"], size["height"]) >= 43.5 for size in sizes)


def test_a_guest_gets_the_explanations_but_starts_no_lesson(visitor: Visitor, serve: Serve, table: Table) -> None:
    page = visitor.open(serve(table, keepers=Keepers(PIN)), elsewhere=True)
    ask(page, "gold-red")
    expect(page.locator("#why h2")).to_have_text("Bo: 0 gold")
    expect(page.locator('[data-keeper="teach"]')).to_have_count(0)
