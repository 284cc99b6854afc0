"""The scoreboard's page as somebody at the table sees it."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from playwright.sync_api import Page, expect

from companion.scoreboard import Eye, Notice
from companion.web import Picture
from tests.browser.conftest import LANGUAGES, SIZES, Visitor, fits
from tests.web.playing import Table, game


def test_a_late_comer_sees_the_whole_state_at_once_and_a_new_verdict_appears_by_itself(
    board: Page, table: Table
) -> None:
    expect(board.locator("#players .player")).to_have_count(2)
    expect(board.locator("#turn")).to_contain_text("Bo")
    expect(board.locator("#notice")).to_contain_text("Ada: that move is legal")
    table.scoreboard.publish(replace(game(), notice=Notice("illegal", "Bo: that move is not legal", ("G7: too far",))))
    expect(board.locator("#notice")).to_contain_text("G7: too far")
    expect(board.locator("#notice .said.illegal")).to_be_visible()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_wider_than_the_screen(visitor: Visitor, address: str, size: dict[str, int], language: str) -> None:
    assert fits(visitor.open(address, size, language))


@pytest.mark.long
def test_the_language_is_the_browsers_and_can_be_changed(visitor: Visitor, address: str) -> None:
    page = visitor.open(address, language="fr")
    assert page.evaluate("document.documentElement.lang") == "fr"
    page.click("#menu-button")
    page.select_option("#language", "it")
    expect(page.locator("html")).to_have_attribute("lang", "it")
    page.reload()
    assert page.evaluate("document.documentElement.lang") == "it"


def test_a_lost_connection_is_shown(board: Page, table: Table) -> None:
    expect(board.locator("#lost")).to_be_hidden()
    table.scoreboard.close()
    expect(board.locator("#lost")).to_be_visible()
    expect(board.locator("#lost")).to_contain_text("Connection lost")


def test_no_picture_is_shown_until_there_is_one(visitor: Visitor, address: str, table: Table) -> None:
    table.scoreboard.publish(replace(game(), eye=Eye("The camera is off in safe mode", 0, 0.0)))
    page = visitor.open(address)
    page.locator("#camera summary").click()
    expect(page.locator("#camera")).to_have_attribute("open", "")
    expect(page.locator("#picture")).to_be_hidden()
    done, content = cv2.imencode(".jpg", np.zeros((60, 80, 3), np.uint8))
    assert done
    table.shown = Picture(content.tobytes(), 1)
    table.scoreboard.publish(replace(game(), eye=Eye("", 1, 80.0)))
    expect(page.locator("#picture")).to_be_visible()
