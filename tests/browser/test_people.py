"""A keeper taps together who plays, on a phone and at a desk."""

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from companion.board import Color
from companion.commands import NamePlayers, StartGame
from companion.games.contract import Player, unnamed
from companion.logbook.people import PersonRenamed
from companion.scoreboard import Snapshot
from companion.web import Keepers
from tests.browser.conftest import SIZES, Serve, Visitor, flaws
from tests.web.books import Play, played
from tests.web.playing import Table, game
from tests.web.whole import PIN


@pytest.fixture(params=SIZES)
def dealing(request: pytest.FixtureRequest, visitor: Visitor, serve: Serve, table: Table, tmp_path: Path) -> Page:
    """The keeper's page of a table where Bea (black) and Rob (red) have played, and Cleo (black) once against Rob."""
    play = Play(tmp_path)
    for names in (("Cleo", "Rob"), ("Bea", "Rob")):
        play.begin(names)
        play.ended()
    play.closed()
    table.scoreboard.publish(Snapshot())
    address = serve(table, keepers=Keepers(PIN), logbook=lambda: tmp_path, game=lambda: None)
    return visitor.open(f"{address}/keeper", request.param)


def names(page: Page) -> list[str]:
    return [str(name) for name in page.locator("#seats .name").evaluate_all("all => all.map(one => one.value)")]


def test_those_who_played_here_sit_down_with_a_tap_in_their_own_colours(dealing: Page, table: Table) -> None:
    page, people = dealing, dealing.locator("#people button")
    assert people.all_inner_texts()[0].endswith("Bea")
    people.filter(has_text="Rob").click()
    people.filter(has_text="Bea").press("Enter")
    expect(people.filter(has_text="Rob")).to_have_attribute("aria-pressed", "true")
    assert names(page)[:2] == ["Rob", "Bea"]
    page.get_by_role("button", name="Start the game", exact=True).click()
    expect(page.locator("#told")).to_contain_text("Sent: start the game")
    assert table.asked == [StartGame((Player("Rob", Color.RED), Player("Bea", Color.BLACK)))]


def test_a_second_tap_lets_them_get_up_and_a_colour_that_is_taken_stays_with_whoever_has_it(
    dealing: Page, table: Table
) -> None:
    page, people = dealing, dealing.locator("#people button")
    people.filter(has_text="Bea").click()
    people.filter(has_text="Cleo").click()  # black is Bea's colour
    people.filter(has_text="Rob").click()  # this adds a seat
    assert names(page) == ["Bea", "Cleo", "Rob"]
    people.filter(has_text="Rob").click()
    people.filter(has_text="Cleo").click()
    expect(people.filter(has_text="Cleo")).to_have_attribute("aria-pressed", "false")
    assert names(page) == ["Bea", ""]
    page.get_by_role("button", name="Start the game", exact=True).click()
    expect(page.locator("#told")).to_contain_text("Sent: start the game")
    (asked,) = table.asked
    assert isinstance(asked, StartGame)
    assert asked.players[0] == Player("Bea", Color.BLACK)
    assert asked.players[1] == unnamed(asked.players[1].color)


@pytest.mark.long
def test_nothing_is_off_the_screen_and_axe_finds_nothing(dealing: Page) -> None:
    dealing.locator("#people button").first.click()
    assert flaws(dealing) == []


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES)
def test_during_a_game_whoever_has_no_name_is_named_with_a_tap(
    visitor: Visitor, serve: Serve, table: Table, tmp_path: Path, size: dict[str, int]
) -> None:
    played(tmp_path, names=("Bea", "Rob"))
    shown = game()
    unknown = tuple(replace(line, name=str(line.color).capitalize()) for line in shown.players)
    table.scoreboard.publish(replace(shown, players=unknown))
    page = visitor.open(serve(table, keepers=Keepers(PIN), logbook=lambda: tmp_path, game=lambda: None), size)
    page.get_by_role("link", name="Who plays?").click()
    page.locator("#known").get_by_text("Bea").click()
    assert flaws(page) == []
    page.get_by_role("button", name="Save the names").click()
    page.wait_for_url("**/keeper")
    assert table.asked == [NamePlayers((Player("Bea", Color.BLACK), unnamed(Color.RED)))]


def test_a_name_that_was_changed_is_no_longer_offered_where_the_browser_remembers_it(
    visitor: Visitor, serve: Serve, table: Table, tmp_path: Path
) -> None:
    play = Play(tmp_path)
    play.begin(("Bea", "Rob"))
    play.ended()
    play.logbook.note_of_people(PersonRenamed("Bea", "Beatrix", 1), "")
    play.closed()
    table.scoreboard.publish(Snapshot())
    address = serve(table, keepers=Keepers(PIN), logbook=lambda: tmp_path, game=lambda: None)
    page = visitor.open(f"{address}/keeper")
    page.evaluate("""localStorage.setItem("names", '["Bea", "Zoe"]')""")
    page.reload()
    offered = page.locator("#names option").evaluate_all("all => all.map(one => one.value)")
    assert sorted(offered) == ["Beatrix", "Rob", "Zoe"]
