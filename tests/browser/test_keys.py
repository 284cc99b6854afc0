"""The keys of a desktop and of a TV's remote: they do what a tap on the page's own buttons does."""

import pytest
from playwright.sync_api import Page, expect

from companion.commands import Done, Undo
from companion.web import Keepers
from tests.browser.conftest import TV, Serve, Visitor, wait_for
from tests.web.playing import Table
from tests.web.whole import PIN


@pytest.fixture
def keeping_desk(visitor: Visitor, serve: Serve, table: Table) -> Page:
    """The scoreboard of somebody who keeps the game."""
    return visitor.open(serve(table, keepers=Keepers(PIN)))


def test_space_says_done_and_u_takes_back_only_if_it_is_pressed_twice(keeping_desk: Page, table: Table) -> None:
    keeping_desk.keyboard.press("u")
    expect(keeping_desk.locator("#told")).to_contain_text("U again takes back the last move")
    assert table.asked == []
    keeping_desk.keyboard.press("u")
    wait_for(keeping_desk, table, Undo())
    keeping_desk.evaluate("document.activeElement.blur()")
    keeping_desk.keyboard.press(" ")
    wait_for(keeping_desk, table, Undo(), Done(confirmed=False))


def test_a_guest_decides_nothing_with_a_key(visitor: Visitor, address: str, table: Table) -> None:
    page = visitor.open(address, elsewhere=True)
    for key in (" ", "u", "u"):
        page.keyboard.press(key)
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    expect(page.locator("#keys")).not_to_contain_text("Undo")
    assert table.asked == []


def test_a_question_mark_lists_the_keys_and_escape_closes_the_list(board: Page) -> None:
    board.keyboard.press("?")
    expect(board.locator("#keys")).to_be_visible()
    board.keyboard.press("s")
    expect(board.locator("#sound")).to_have_attribute("aria-pressed", "false")  # no key does anything while it is read
    board.keyboard.press("Escape")
    expect(board.locator("#keys")).to_be_hidden()
    board.keyboard.press("s")
    expect(board.locator("#sound")).to_have_attribute("aria-pressed", "true")


def test_space_on_a_button_presses_that_button(keeping_desk: Page, table: Table) -> None:
    keeping_desk.locator("#sound").focus()
    keeping_desk.keyboard.press(" ")
    expect(keeping_desk.locator("#sound")).to_have_attribute("aria-pressed", "true")
    assert table.asked == []


def test_a_remote_walks_through_the_buttons_of_the_tv(visitor: Visitor, address: str) -> None:
    page = visitor.open(f"{address}/tv", TV)
    at = "[document.activeElement.id, document.activeElement.textContent.trim()].join(' ')"
    page.keyboard.press("ArrowRight")
    first = page.evaluate(at)
    page.keyboard.press("ArrowDown")
    assert page.evaluate(at) != first
    page.keyboard.press("ArrowUp")
    assert page.evaluate(at) == first
    page.locator("#sound").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#sound")).to_have_attribute("aria-pressed", "true")
