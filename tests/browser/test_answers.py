"""Answers that come late, twice or never, and taps that come too soon: how the pages deal with them."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from companion.commands import Command, Pause, Undo
from companion.scoreboard import Snapshot
from tests.browser.conftest import PHONE, Visitor, hold, until, wait_until
from tests.web.playing import Table, game
from tests.web.whole import LAST, PIN

#: A test cannot wait ten seconds: the page asks for its usual time limits, and they end fifty times as soon.
HURRY = """
window.limits = [];
const timeout = AbortSignal.timeout.bind(AbortSignal);
AbortSignal.timeout = (ms) => { window.limits.push(ms); return timeout(ms / 50); };
"""

NOW = datetime(2026, 11, 22, 20, tzinfo=UTC)

UNREACHABLE = "The table cannot be reached."


@pytest.fixture
def page(visitor: Visitor, keeping: str) -> Page:
    return visitor.open(keeping, PHONE)


@pytest.fixture
def dealing(page: Page, table: Table) -> Page:
    """The keeper's page before a game."""
    table.scoreboard.publish(Snapshot())
    page.reload()
    return page


@pytest.fixture
def hurried(visitor: Visitor, keeping: str) -> Page:
    """The keeper's page of somebody whose time limits end much sooner than other people's."""
    return visitor.open(keeping, PHONE, script=HURRY)


@pytest.fixture
def signed_in(visitor: Visitor, keeping: str) -> Page:
    page = visitor.at_the_door(keeping, PHONE)
    page.locator("#digits").fill(PIN)
    page.keyboard.press("Enter")
    expect(page.locator("#decisions")).to_be_visible()
    return page


# Twice.


@pytest.mark.long
def test_a_double_tap_on_deal_deals_one_game(dealing: Page, table: Table) -> None:
    deal = dealing.locator("#deal-now")
    deal.dblclick(delay=60)
    expect(dealing.locator("#told")).not_to_be_empty()
    deal.click(delay=500)
    expect(deal).to_contain_text("A game is in progress")  # what was just dealt may not be shown yet
    assert table.asked == [LAST]


@pytest.mark.long
def test_while_a_deal_is_not_answered_another_tap_asks_for_nothing(dealing: Page, table: Table) -> None:
    held = hold(dealing, "**/keeper/start")
    dealing.locator("#deal-now").click()
    wait_until(dealing, lambda: bool(held))
    dealing.locator("#deal-now").click(delay=500)
    held[0].continue_()
    expect(dealing.locator("#told")).not_to_be_empty()
    assert len(held) == 1
    assert table.asked == [LAST]


def test_a_double_tap_on_deal_does_not_end_a_game_in_progress(page: Page, table: Table) -> None:
    page.locator("#go-new").click()
    deal = page.locator("#deal-now")
    deal.dblclick(delay=60)
    expect(deal).to_contain_text("A game is in progress")
    assert table.asked == []
    deal.click(delay=500)
    expect(deal).to_have_text("Start the game")
    expect(page.locator("#told")).not_to_be_empty()
    assert table.asked == [LAST]


@pytest.mark.long
@pytest.mark.parametrize(
    ("between_ms", "asked"),
    [(120, [Undo(1), Pause()]), (300, [Undo(1), Pause()]), (1000, [Undo(1), Undo(1), Pause()])],
)
def test_a_double_tap_on_undo_takes_back_one_move_and_a_later_tap_another(
    page: Page, table: Table, between_ms: int, asked: list[Command]
) -> None:
    page.clock.set_fixed_time(NOW)
    tap(page, "Undo")
    before = page.locator("#books").get_attribute("data-books")
    table.scoreboard.publish(replace(game(), number=8, contents={}))
    expect(page.locator("#books")).not_to_have_attribute("data-books", str(before))
    page.clock.set_fixed_time(NOW + timedelta(milliseconds=between_ms))
    tap(page, "Undo")
    tap(page, "Pause the game")
    assert table.asked == asked


def tap(page: Page, name: str) -> None:
    """Tap that button, and wait until its request is answered."""
    page.locator(".always").get_by_role("button", name=name).click()
    until(page, "!document.querySelector('[aria-busy=true]')")


# Late.


def test_a_cell_whose_answer_comes_late_does_not_replace_the_one_that_is_open(page: Page, table: Table) -> None:
    held = hold(page, "**/keeper/cells/G7")
    page.locator("[data-cell=G7]").click()
    wait_until(page, lambda: bool(held))
    page.locator("[data-cell=G8]").click()
    title = page.locator("#correct-title")
    expect(title).to_have_text("G8")
    with page.expect_response("**/keeper/cells/G7"):
        held[0].continue_()
    page.wait_for_timeout(200)
    expect(title).to_have_text("G8")


def test_a_correction_whose_answer_comes_late_does_not_close_the_next_cell(page: Page, table: Table) -> None:
    held = hold(page, "**/keeper/correct")
    page.locator("[data-cell=G7]").click()
    page.locator("#answers button").first.click()
    wait_until(page, lambda: bool(held))
    page.locator("#correct-close").click()
    page.locator("[data-cell=G8]").click()
    expect(page.locator("#correct-title")).to_have_text("G8")
    held[0].continue_()
    expect(page.locator("#told")).to_have_text("Sent: correct this cell.")
    expect(page.locator("#correct")).to_be_visible()


# Never.


def test_somebody_who_gets_no_answer_is_told_so_and_can_ask_again(hurried: Page, table: Table) -> None:
    held = hold(hurried, "**/keeper/pause")
    pause = hurried.get_by_role("button", name="Pause the game")
    pause.click()
    expect(hurried.locator("#told")).to_have_text(UNREACHABLE)
    assert hurried.evaluate("window.limits") == [10_000]
    assert table.asked == []
    hurried.unroute("**/keeper/pause")
    pause.click()
    expect(hurried.locator("#told")).to_have_text("Sent: pause the game.")
    assert len(held) == 1


def test_a_question_about_a_cell_has_a_time_limit_too(hurried: Page) -> None:
    hold(hurried, "**/keeper/cells/G7")
    hold(hurried, "**/keeper/contents*")
    hurried.locator("[data-cell=G7]").click()
    expect(hurried.locator("#told")).to_have_text(UNREACHABLE)
    hurried.locator("[data-cell=G8]").click()
    hurried.get_by_text("Something else").click()
    expect(hurried.locator("#words")).to_have_text(UNREACHABLE)


# The way out.


@pytest.mark.long
def test_somebody_who_cannot_be_signed_out_is_told_so_and_stays(signed_in: Page) -> None:
    signed_in.route("**/keeper/session", lambda route: route.abort())
    signed_in.click("#menu-button")
    signed_in.click("#sign-out")
    expect(signed_in.locator("#told")).to_have_text(UNREACHABLE)
    expect(signed_in.locator("#decisions")).to_be_visible()


@pytest.mark.long
def test_signing_out_counts_for_every_window_of_that_browser(signed_in: Page, keeping: str) -> None:
    board = signed_in.context.new_page()
    board.goto(keeping.removesuffix("/keeper"))
    expect(board.locator("#decisions button").first).to_be_visible()
    signed_in.click("#menu-button")
    signed_in.click("#sign-out")
    expect(signed_in.locator("#door")).to_be_visible()
    expect(board.locator("#decisions button")).to_have_count(0)
    assert board.url.endswith("/")
