"""A guest's tap asks for another game, a keeper's tap begins it: on phones, at a desk and on the television."""

import pytest
from playwright.sync_api import expect

from companion.commands import StartGame
from tests.browser.conftest import DESK, PHONE, TV, Serve, Visitor, flaws
from tests.web.ending import end_of, shown
from tests.web.playing import Table

END = end_of("standard")
LAST = StartGame(END.players)
UNREAD_MS = 500


@pytest.fixture
def address(serve: Serve, table: Table) -> str:
    table.scoreboard.publish(shown(END))
    return serve(table, game=lambda: LAST)


@pytest.mark.long
@pytest.mark.parametrize("path", ["/", *(pytest.param(path, marks=pytest.mark.long) for path in ("/keeper", "/tv"))])
def test_a_guests_tap_asks_and_a_keepers_tap_begins(visitor: Visitor, address: str, table: Table, path: str) -> None:
    keeper = visitor.open(address + path, TV if path == "/tv" else PHONE)
    who = END.players[1].name
    asking = visitor.open(address, PHONE, elsewhere=True)
    asking.locator("#wish button", has_text=who).click()
    expect(asking.locator("#wish")).to_contain_text(f"{who} would like to play again. The keeper is asked.")
    expect(asking.locator("#wish button", has_text=who)).to_be_disabled()
    expect(keeper.locator("#asked")).to_contain_text(f"{who} would like to play again.")
    assert flaws(keeper) == []
    assert table.asked == []
    keeper.wait_for_timeout(UNREAD_MS)
    keeper.locator("#asked [data-keeper=start]").click()
    expect(keeper.locator("#told")).to_contain_text("Sent: start the game")
    assert table.asked == [LAST]


@pytest.mark.long
def test_a_tap_on_what_has_only_just_come_begins_nothing(visitor: Visitor, address: str, table: Table) -> None:
    keeper = visitor.open(address, DESK)
    keeper.evaluate(
        """() => new MutationObserver(() => {
            document.querySelector("#asked [data-keeper=start]")?.click();
        }).observe(document.getElementById("asked"), {childList: true})"""
    )
    visitor.open(address, PHONE, elsewhere=True).locator("#wish button").first.click()
    expect(keeper.locator("#asked [data-keeper=start]")).to_be_visible()
    keeper.wait_for_timeout(UNREAD_MS)
    assert table.asked == []


@pytest.mark.long
@pytest.mark.parametrize("language", ["de", "fr"])
def test_not_now_is_told_to_guests_and_nothing_sticks_out(visitor: Visitor, address: str, language: str) -> None:
    keeper, asking = (visitor.open(address, PHONE, language, elsewhere=is_guest) for is_guest in (False, True))
    for each in asking.locator("#wish button").all():
        each.press("Enter")
        expect(each).to_be_disabled()
    assert flaws(asking) == []
    keeper.wait_for_timeout(UNREAD_MS)
    keeper.locator("#asked [data-keeper=not-again]").click()
    expect(keeper.locator("#asked")).to_be_empty()
    expect(asking.locator("#wish button")).to_have_count(0)
    expect(asking.locator("#wish p")).to_have_count(1)
