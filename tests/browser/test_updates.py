"""A keeper says yes to an update, on a phone, in each language."""

import pytest
from playwright.sync_api import expect

from companion.web import Keepers
from companion.web.keeper import CLAIMED_S
from tests.browser.conftest import LANGUAGES, PHONE, Serve, Visitor, flaws
from tests.web.playing import Table
from tests.web.whole import PIN, Waiting


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_an_update_is_installed_by_a_second_tap_and_no_sooner(
    visitor: Visitor, serve: Serve, table: Table, language: str
) -> None:
    updates = Waiting()
    page = visitor.open(serve(table, keepers=Keepers(PIN), updates=updates) + "/keeper", PHONE, language)
    button = page.locator('[data-keeper="install-update"]')
    expect(button).to_contain_text("9.1.0")
    assert flaws(page) == []
    button.click()
    assert updates.asked == [], "one tap may be a mistake"
    page.wait_for_timeout(1000 * CLAIMED_S)  # sooner than 400 ms, the second tap could be an echo of the first
    button.click()
    expect(page.locator("#told")).to_contain_text("9.1.0")
    assert updates.asked == ["9.1.0"]
