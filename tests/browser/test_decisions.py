"""What is tapped twice on the keeper's page: a finger that trembles asks once, whoever means it asks again."""

from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page

from companion.commands import Command, Pause, Undo
from tests.browser.conftest import PHONE, Visitor, until
from tests.web.playing import Table

NOW = datetime(2026, 11, 22, 20, tzinfo=UTC)


@pytest.mark.long
@pytest.mark.parametrize(
    ("between_ms", "asked"),
    [(120, [Undo(1), Pause()]), (300, [Undo(1), Pause()]), (1000, [Undo(1), Undo(1), Pause()])],
)
def test_a_double_tap_on_undo_takes_back_one_move_and_a_later_tap_another(
    visitor: Visitor, address: str, table: Table, between_ms: int, asked: list[Command]
) -> None:
    page = visitor.open(address + "/keeper", PHONE)
    page.clock.set_fixed_time(NOW)
    tap(page, "Undo")
    page.clock.set_fixed_time(NOW + timedelta(milliseconds=between_ms))
    tap(page, "Undo")
    tap(page, "Pause the game")
    assert table.asked == asked


def tap(page: Page, name: str) -> None:
    """Tap that button, and wait until what it asked for is answered."""
    page.locator(".always").get_by_role("button", name=name).click()
    until(page, "!document.querySelector('[aria-busy=true]')")
