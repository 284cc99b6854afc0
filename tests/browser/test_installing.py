"""An installed scoreboard: the table goes away and comes back, and a screen stays awake while a game goes on."""

from contextlib import closing
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from companion.web import Server
from tests.browser.conftest import PHONE, TV, Visitor, until
from tests.web.playing import Table, game

#: Counts the wake locks that are held, whatever the device supports.
LOCKS = """
window.held = 0;
Object.defineProperty(navigator, "wakeLock", {value: {request: async () => {
  window.held += 1;
  const lock = {released: false, release: async () => { lock.released = true; window.held -= 1; }};
  return lock;
}}});
"""


@pytest.mark.long
def test_the_page_says_that_the_table_is_away_and_comes_back_by_itself(visitor: Visitor, table: Table) -> None:
    server = table.server()
    address, port = f"http://127.0.0.1:{server.port}", server.port
    page = visitor.open(address, PHONE, keeping=True)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    until(page, "navigator.serviceWorker.controller !== null")
    server.close()
    page.goto(address + "/tv")
    expect(page.get_by_role("status")).to_have_text("The table is away; I keep trying.")
    with closing(Server(Table().pages(), table.scoreboard, 20, "127.0.0.1", port)):
        expect(page.locator("body.tv")).to_be_attached()


def test_a_screen_stays_awake_while_a_game_goes_on_and_no_longer(visitor: Visitor, table: Table, address: str) -> None:
    page = visitor.open(address, PHONE, script=LOCKS)
    until(page, "window.held === 1")
    table.scoreboard.publish(replace(game(), phase="over"))
    until(page, "window.held === 0")


def test_a_television_stays_awake_whether_a_game_goes_on_or_not(visitor: Visitor, table: Table, address: str) -> None:
    table.scoreboard.publish(replace(game(), phase="over"))
    page = visitor.open(address + "/tv", TV, script=LOCKS)
    until(page, "window.held === 1")
