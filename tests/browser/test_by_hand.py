"""A short game of Silk Road without a camera, by taps and keys in a real browser on a phone."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from companion.web import Limits, Server
from tests.browser.conftest import DESK, PHONE, Visitor, fits, serious, until
from tests.web.by_hand import HandTable, square


@pytest.fixture
def table(tmp_path: Path) -> HandTable:
    return HandTable(tmp_path / "book")


@pytest.fixture
def address(table: HandTable) -> Iterator[str]:
    with closing(Server(table.pages(), table.scoreboard, Limits().streams, "127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.port}"


@pytest.mark.long
def test_a_game_is_kept_by_taps_from_the_bare_board_to_a_verdict_and_a_refusal(
    visitor: Visitor, address: str, table: HandTable
) -> None:
    page = visitor.open(f"{address}/keeper", PHONE)
    for cell in ("A1", "B4", "C2", "D4", "E2"):
        page.click(f'[data-cell="{cell}"]')
        page.locator("#answers button").first.click()
        page.wait_for_selector("#correct:not([open])", state="attached")
    until(page, "document.querySelectorAll('#pieces .unjudged').length === 5")
    page.click("#deal-now")
    page.wait_for_selector("#turn bdi")
    assert page.inner_text("#turn bdi") == "Ada"
    # Three taps: the square, the section, "lay it". Before that, the key turns the section.
    page.click('[data-cell="B2"]')
    assert serious(page) == []
    page.locator("#hand button").nth(13).click()
    page.wait_for_selector("#chosen:not([hidden])")
    assert serious(page) == []
    before = page.inner_text("#chosen-words")
    page.keyboard.press("r")
    until(page, f"document.getElementById('chosen-words').textContent !== {before!r}")
    page.click("#lay-it")
    until(page, "document.querySelector('#turn bdi').textContent === 'Bo'")
    assert table.snapshot.contents[square("B2")].tile is not None
    page.click('[data-cell="F6"]')
    page.locator("#hand button").first.click()
    page.click("#lay-it")
    page.wait_for_selector("#notice .said.illegal")
    assert "no way leads here" in page.inner_text("#notice")
    # The refused section is taken away again: tap the square, then "take away".
    page.click('[data-cell="F6"]')
    page.click("#take-away")
    until(page, "!document.querySelector('#pieces .unjudged')")
    assert fits(page)


def test_a_section_is_laid_by_the_keyboard_alone(visitor: Visitor, address: str, table: HandTable) -> None:
    page = visitor.open(f"{address}/keeper", DESK)
    page.fill("#cell-name", "A1")
    for _ in range(2):
        page.keyboard.press("Enter")
        page.wait_for_selector("#correct[open]")
        page.keyboard.press("Escape")
    assert table.snapshot.laid == {}
    page.keyboard.press("Enter")
    page.wait_for_selector("#correct[open]")
    page.locator("#answers button").first.focus()
    page.keyboard.press("Enter")
    until(page, "document.querySelectorAll('#pieces .unjudged').length === 1")
