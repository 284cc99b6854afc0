"""The turn clock as screens show it: it runs by itself, and knows when it does not know the time."""

from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from companion.board import Color
from companion.scoreboard import PlayerLine, Snapshot, Times
from tests.browser.conftest import LANGUAGES, PHONE, TV, Serve, Visitor, flaws, until
from tests.browser.test_course import between
from tests.browser.test_screens import LONG, sticks_out
from tests.web.playing import TILES, Table, game
from tests.web.whole import Watch

TIMES = Times(30.0, {Color.BLACK: 754.0, Color.RED: 61.0}, 88.0)


@pytest.fixture
def timed(serve: Serve, table: Table) -> str:
    """The address of a table at which Bo's turn has taken 42 seconds so far."""
    table.scoreboard.publish(replace(game(), times=TIMES))
    table.scoreboard.show_clock(True)
    return serve(table, turn_clock=Watch())


def said(page: Page) -> list[str]:
    return page.locator("#clock b").all_inner_texts()


@pytest.mark.long
def test_screens_count_on_from_what_the_table_says(visitor: Visitor, timed: str) -> None:
    page = visitor.open(timed)
    until(page, "document.querySelector('#clock b').textContent !== '…'")
    before, adas, *_ = said(page)
    assert "0:42" <= before <= "0:59", "30 s were counted, and 12 s have passed since"
    assert adas == "12:34"
    until(page, f"document.querySelector('#clock b').textContent !== '{before}'")
    assert said(page)[1] == "12:34", "whoever is not in turn loses no time"


@pytest.mark.long
def test_another_turn_begins_at_zero_and_a_pause_stops_it(visitor: Visitor, timed: str, table: Table) -> None:
    page = visitor.open(timed)
    table.scoreboard.publish(replace(game(), times=Times(0.0, TIMES.totals_s, 99.9)))
    until(page, "/^0:0[0-9]$/.test(document.querySelector('#clock b').textContent)")
    table.scoreboard.publish(replace(game(), times=Times(5.0, TIMES.totals_s, None)))
    expect(page.locator("#clock b").first).to_have_text("0:05")
    page.wait_for_timeout(1200)
    assert said(page)[0] == "0:05"


@pytest.mark.long
def test_where_the_table_does_not_say_what_time_it_is_nothing_is_made_up(visitor: Visitor, timed: str) -> None:
    page = visitor.open(timed)
    page.route("**/clock", lambda route: route.abort())
    page.reload()
    page.wait_for_timeout(1200)
    assert said(page)[0] == "…"


def test_a_keeper_switches_it_on_and_off_with_a_tap(visitor: Visitor, serve: Serve, table: Table) -> None:
    class Switch(Watch):
        def switch(self, is_on: bool) -> None:
            table.scoreboard.show_clock(is_on)

    table.scoreboard.publish(replace(game(), times=TIMES))
    page = visitor.open(serve(table, turn_clock=Switch()))
    expect(page.locator("#clock .times")).to_have_count(0)
    page.get_by_role("button", name="Show the turn clock").click()
    expect(page.locator("#clock .times")).to_be_visible()
    page.get_by_role("button", name="Hide the turn clock").click()
    expect(page.locator("#clock .times")).to_have_count(0)


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("shown", "size", "path"),
    [(between(), PHONE, "/"), (between(), TV, "/tv"), (replace(game(), notice=LONG), TV, "/tv")],
    ids=["phone", "television", "television with the longest verdict"],
)
def test_with_four_people_and_long_times_it_fits(
    visitor: Visitor, serve: Serve, table: Table, shown: Snapshot, size: dict[str, int], path: str, language: str
) -> None:
    totals = dict.fromkeys((Color.BLACK, Color.GREY, Color.YELLOW, Color.RED), 3605.0)
    players = tuple(PlayerLine(str(color), color, 4, 17, 9, TILES, color == Color.RED, False) for color in totals)
    table.scoreboard.publish(replace(shown, players=players, times=Times(3599.0, totals, None, is_whole=False)))
    table.scoreboard.show_clock(True)
    page = visitor.open(serve(table, turn_clock=Watch()) + path, size, language)
    expect(page.locator("#clock li")).to_have_count(4)
    expect(page.locator("#notice")).to_contain_text(shown.notice.title if shown.notice else "")
    assert flaws(page) == []
    if path == "/tv":
        assert sticks_out(page, "main") == []
