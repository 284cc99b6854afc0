"""A drawn game watched and kept through the pages: pixels, reader, referee, panel and browsers are all real."""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from companion.board import HexBoard
from companion.drawing.board import hexagon
from companion.settings import Settings
from companion.wiring import Companion
from tests.browser.conftest import DESK, PHONE, STEP_MS, TV, Visitor
from tests.faults.companions import running

#: Far more than a slow machine needs; nothing is measured here.
PATIENCE_MS = 120_000

#: At four times people's pace a game takes about two minutes.
WHOLE_GAME_MS = 900_000

#: After this long without an answer somebody presses again: longer than presses are ignored after a verdict.
AGAIN_MS = 12_000

#: What is wrong with a forest tile on a plain cell, in each language.
WRONG_TERRAIN = {
    "de": "Wald-Plättchen liegt auf einem Ebenenfeld",
    "en": "forest tile is on plain",
    "fr": "tuile de forêt est posée sur un hexagone de plaine",
    "it": "tessera foresta è su uno spazio di pianura",
}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    settings = Settings()
    web = replace(settings.web, port=0, streams=30, streams_per_address=30)
    with running(Companion(replace(settings, web=web))) as companion:
        yield companion.addresses[0].rstrip("/")


def wait(page: Page, part: str, said: str) -> None:
    expect(page.locator(f"#{part}")).to_contain_text(re.compile(said), timeout=PATIENCE_MS)


def wait_until_gone(page: Page, part: str, said: str) -> None:
    expect(page.locator(f"#{part}")).not_to_contain_text(re.compile(said), timeout=PATIENCE_MS)


def press_until(phone: Page, table: Page, told: str) -> None:
    """Press the drawn button as people do, again if nothing happens: right after a verdict no press counts."""
    for _ in range(int(PATIENCE_MS / AGAIN_MS)):
        table.locator("#press").click()
        try:
            expect(phone.locator("#notice")).to_contain_text(told, timeout=AGAIN_MS)
        except AssertionError:
            continue
        return
    raise AssertionError(f"the button was pressed again and again; the notice never told of {told}")


def lay_what_is_not_allowed(phone: Page, table: Page, watchers: dict[str, Page]) -> str:
    """Take over the table and lay a forest tile on plain; return its cell once everybody reads why it is wrong."""
    table.locator("#rest").click()
    expect(table.locator("#rest")).to_have_text("Let the others play on")
    wait_until_gone(table, "outlook", "A hand is in the way")
    now = table.evaluate("fetch('/table/lies.json').then((answer) => answer.json())")
    plain = re.search(r'class="plain" d="([^"]+)"', now["ground"])
    assert plain is not None, "the board has plain cells"
    bare = next(str(cell) for cell in HexBoard(6).cells if hexagon(cell) in plain[1] and str(cell) not in now["cells"])
    # In the colour of the player in turn: for anybody else's, people would be asked whose it is.
    color = (table.locator("#turn .disc").first.get_attribute("class") or "").split()[-1]
    table.locator(f"label.{color}:has([name=color])").first.click()
    table.get_by_text("Road on Forest").click()
    table.locator(f"[data-cell={bare}]").click()
    lies = "cell => fetch('/table/lies.json').then((answer) => answer.json()).then((now) => cell in now.cells)"
    table.wait_for_function(lies, arg=bare, timeout=STEP_MS)
    wait(table, "outlook", "not be legal|disagree|make something out")
    press_until(phone, table, bare)
    for language, said in WRONG_TERRAIN.items():
        expect(watchers[language].locator("#notice")).to_contain_text(said, timeout=PATIENCE_MS)
        expect(watchers[language].locator("#notice")).to_contain_text(bare)
    return bare


def put_right(keeper: Page, cell: str) -> None:
    """Say, as a keeper, that nothing lies there."""
    keeper.locator(f"[data-cell={cell}]").click()
    expect(keeper.locator("#now")).to_contain_text("road")
    keeper.locator("#else summary").click()
    keeper.locator("#builder").get_by_role("group", name="Tile").locator(".option", has_text="None").click()
    keeper.get_by_role("button", name="Confirm").click()


def hold_the_button(table: Page, television: Page) -> None:
    """Hold the table's button, which shows the PIN on the television, and let go."""
    table.locator("#press").hover()
    table.mouse.down()
    expect(television.locator("#pin")).to_contain_text(re.compile(r"\d{3}.?\d{3}"), timeout=PATIENCE_MS)
    table.mouse.up()
    expect(television.locator("#pin")).to_be_empty(timeout=PATIENCE_MS)


def end_early(keeper: Page) -> None:
    """End the game as a keeper; the button asks for a second tap."""
    end = keeper.locator("[data-keeper=end]").first
    end.click()
    keeper.wait_for_timeout(600)
    end.click()


@pytest.mark.long
def test_a_whole_game_is_watched_and_kept_through_the_pages(visitor: Visitor, address: str) -> None:
    phone = visitor.open(address, PHONE)
    television = visitor.open(address + "/tv", TV)
    table = visitor.open(address + "/table", DESK)
    watchers = {language: visitor.open(address, DESK, language) for language in WRONG_TERRAIN}
    for _ in range(2):
        phone.evaluate("fetch('/commands/faster', {method: 'POST', headers: {'X-Strada': '1'}, body: '{}'})")

    # The players deal, place their workshops and build.
    wait(phone, "turn", r"Their turn: \d+ day")
    expect(television.locator("#board")).to_contain_text("B")

    # A visitor takes over and makes an illegal move: everybody reads why it is wrong, in their own language.
    bare = lay_what_is_not_allowed(phone, table, watchers)

    # A page that is reloaded in the middle of the game shows the same at once.
    phone.reload()
    expect(phone.locator("#notice")).to_contain_text(bare)

    # The keeper says that nothing lies there, and is believed. At the table's own machine they are unnamed.
    keeper = visitor.open(address + "/keeper", PHONE)
    put_right(keeper, bare)
    wait(phone, "notice", f"Corrected: {bare}")
    expect(phone.locator("#notice .by")).to_have_count(0)
    wait_until_gone(phone, "outlook", "not be legal|disagree|make something out")

    # Whoever holds the table's button sees the PIN. The keeper takes the last move back.
    hold_the_button(table, television)
    table.get_by_text("Take away").click()
    table.locator(f"[data-cell={bare}]").click()
    wait_until_gone(table, "outlook", "not be legal|disagree|make something out")
    before = television.locator("#turn").inner_text()
    keeper.locator("[data-keeper=undo]").first.click()
    expect(television.locator("#turn")).not_to_have_text(before, timeout=PATIENCE_MS)

    # The players go on until the rules end the game: everybody reads who won, with how much, and by which settlements.
    games = visitor.open(address + "/games", DESK)
    expect(games.locator("main")).to_contain_text("in progress")
    table.locator("#rest").click()
    expect(phone.locator("#turn")).to_contain_text(re.compile("wins|victory"), timeout=WHOLE_GAME_MS)
    expect(television.locator("#notice")).to_contain_text(re.compile(r"\d+ gold, \d+ days? left"))
    phone.keyboard.press("Escape")  # the count is skipped if it is still going
    phone.locator("#account summary").click()
    expect(phone.locator("#account li").first).to_be_visible()
    phone.goto(address + "/games/last")
    expect(phone.locator("#replay")).to_be_visible(timeout=PATIENCE_MS)
    expect(phone.locator(".account li").first).to_be_visible()
    phone.goto(address)

    # They deal the next game, and the keeper ends it.
    wait(phone, "turn", "Their turn")
    end_early(keeper)
    wait(phone, "turn", "wins|victory")
    games.reload()
    expect(games.locator("main")).to_contain_text("ended early")
    expect(games.locator("main")).not_to_contain_text("in progress")
