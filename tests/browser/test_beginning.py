"""Somebody opens the first page, and nothing is set up."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import LANGUAGES, MOST_MS, PHONE, SIZES, Serve, Visitor, flaws
from tests.web.playing import Table
from tests.web.whole import Choice


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_cards_fit_and_are_for_everybody(
    visitor: Visitor, serve: Serve, table: Table, size: dict[str, int], language: str, scheme: str
) -> None:
    page = visitor.open(serve(table, beginning=Choice(None)), size, language, scheme)
    expect(page.locator(".way")).to_have_count(3)
    assert flaws(page) == []


@pytest.mark.long
def test_a_card_is_chosen_by_keyboard_and_leads_there(visitor: Visitor, serve: Serve, table: Table) -> None:
    choice = Choice(None)
    page = visitor.open(serve(table, beginning=choice), PHONE)
    page.get_by_text("Silk Road").click()
    page.locator("[data-way=hand]").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#began")).to_have_text("One moment …")
    choice.now = "hand"  # the companion that begins in its place says so
    page.wait_for_url("**/keeper*")
    assert choice.chosen == [("hand", "silk-road")]


@pytest.mark.long
def test_somebody_who_only_looks_goes_on_once_a_card_is_chosen(visitor: Visitor, serve: Serve, table: Table) -> None:
    choice = Choice(None)
    page = visitor.open(serve(table, beginning=choice), PHONE)
    choice.now = "hand"
    expect(page.locator(".way")).to_have_count(0, timeout=MOST_MS)
