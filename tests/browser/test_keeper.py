"""The keeper's page as somebody who keeps a game uses it: with a finger, with a mouse, with the keyboard alone."""

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from companion.board import BARE, Color, Contents, Merchants, Road, Settlement, SettlementType, Terrain, Workshop
from companion.commands import Accept, CorrectCell, Done, EndGame, Pause, StartGame, TakeOffer, Undo
from companion.events import Outlook
from companion.games.contract import Player
from companion.scoreboard import Choice, Snapshot
from companion.setup.store import Store
from companion.setup.wizard import Wizard
from companion.web import Keepers
from companion.web.keeper import CLAIMED_S
from tests.browser.conftest import LANGUAGES, PHONE, SIZES, Serve, Visitor, box_of, fits, hold, serious, until, wait_for
from tests.web.playing import BOARD, Table, game
from tests.web.whole import LAST, OTHER_ROAD, PIN

WRONG = "471103"


@pytest.fixture(params=SIZES)
def page(request: pytest.FixtureRequest, visitor: Visitor, keeping: str) -> Page:
    return visitor.open(keeping, request.param)


@pytest.fixture
def dealing(visitor: Visitor, keeping: str, table: Table) -> Page:
    """The keeper's page before a game."""
    table.scoreboard.publish(Snapshot())
    return visitor.open(keeping)


@pytest.mark.long
def test_a_tap_before_the_scripts_are_there_is_done_once_they_are(visitor: Visitor, keeping: str, table: Table) -> None:
    page = visitor.open("about:blank")
    held = hold(page, "**/keeper.js*")
    with page.expect_request("**/keeper.js*"):
        page.goto(keeping, wait_until="commit")
    page.get_by_role("button", name="Pause the game").click()
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="Pause the game").click()
    assert table.asked == []
    held[0].continue_()
    wait_for(page, table, Pause())
    expect(page.locator("#menu")).not_to_have_class("open")


# The door.


def test_the_pin_opens_the_door_for_a_phone_and_signing_out_closes_it(
    visitor: Visitor, keeping: str, table: Table
) -> None:
    page = visitor.at_the_door(keeping, PHONE)
    page.locator("#digits").fill(PIN)
    page.locator("#who").fill("Ada")
    page.keyboard.press("Enter")
    expect(page.locator("#decisions")).to_be_visible()
    page.get_by_role("button", name="Pause the game").click()
    wait_for(page, table, Pause())
    assert table.asked_by == ["Ada"]
    page.click("#menu-button")
    page.click("#sign-out")
    expect(page.locator("#door")).to_be_visible()
    expect(page.locator("#who")).to_have_value("Ada")  # remembered on this device


@pytest.mark.long
def test_a_wrong_pin_is_refused_and_after_three_there_is_a_wait(visitor: Visitor, keeping: str, table: Table) -> None:
    page = visitor.at_the_door(keeping)
    for said in ("That is not the PIN", "That is not the PIN", "That is not the PIN", "Too many wrong PINs"):
        page.locator("#digits").fill(WRONG)
        page.get_by_role("button", name="Sign in").click()
        expect(page.locator("#refused")).to_contain_text(said)
    page.locator("#digits").fill(PIN)
    page.keyboard.press("Enter")
    expect(page.locator("#refused")).to_contain_text("Too many wrong PINs")
    assert table.asked == []


@pytest.mark.long
def test_the_pin_is_shown_on_the_tv_while_the_button_is_held_and_on_no_phone(
    visitor: Visitor, address: str, table: Table
) -> None:
    tv, phone = visitor.open(address + "/tv"), visitor.open(address, PHONE)
    expect(tv.locator("#turn")).to_contain_text("Bo")
    table.scoreboard.show_pin(PIN)
    expect(tv.locator("#pin b")).to_have_text("471\u202f102")
    # Three digits alone could be part of an address on the page; the whole PIN, in any form, is nowhere.
    assert not any(one in phone.content() for one in (PIN, "471\u202f102", "471 102"))
    table.scoreboard.show_pin("")
    expect(tv.locator("#pin")).to_be_empty()


def test_the_set_ups_door_shows_the_pin_while_the_button_is_held(
    visitor: Visitor, serve: Serve, table: Table, tmp_path: Path
) -> None:
    wizard = Wizard(Store(tmp_path), lambda: None)
    page = visitor.at_the_door(serve(table, wizard=wizard, keepers=Keepers(PIN)) + "/setup", PHONE)
    table.scoreboard.show_pin(PIN)
    expect(page.locator("#pin")).to_contain_text("471")
    page.locator("#digits").fill(PIN)
    table.scoreboard.show_pin("")
    expect(page.locator("#pin")).to_be_empty()
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("#door")).to_have_count(0)
    assert "/setup" in page.url


# Decisions.


@pytest.mark.long
def test_decisions_take_a_tap_and_the_end_two(page: Page, table: Table) -> None:
    page.locator(".tools").get_by_role("button", name="Done").click()
    wait_for(page, table, Done(confirmed=False))
    page.locator(".always").get_by_role("button", name="Undo").click()
    wait_for(page, table, Done(confirmed=False), Undo(1))
    page.wait_for_timeout(1000 * CLAIMED_S)  # sooner, this table, which changes nothing, takes it for somebody else's
    page.get_by_role("button", name="Accept as it lies").click()
    wait_for(page, table, Done(confirmed=False), Undo(1), Accept())
    end = page.locator('[data-keeper="end"]')
    end.click()
    expect(end).to_contain_text("Tap again")
    page.wait_for_timeout(1000 * CLAIMED_S)  # sooner than 400 ms, the second tap could be an echo of the first
    end.click()
    wait_for(page, table, Done(confirmed=False), Undo(1), Accept(), EndGame())
    expect(page.locator("#told")).to_contain_text("Sent: end the game now.")


def test_one_decision_at_a_time_waits_for_its_second_tap(page: Page, table: Table) -> None:
    end = page.locator('[data-keeper="end"]')
    end.click()
    page.locator("#back-all").click()
    expect(end).to_have_text("End the game")
    page.wait_for_timeout(500)
    end.click()
    expect(end).to_contain_text("Tap again")
    assert table.asked == []


def test_several_moves_are_taken_back_at_once(page: Page, table: Table) -> None:
    for name in ("One more", "One more", "One less"):
        page.locator("#back").get_by_role("button", name=name).click()
    page.locator("#back-all").click()
    page.wait_for_timeout(500)
    page.locator("#back-all").click()
    wait_for(page, table, Undo(3))


def test_an_offer_that_comes_up_is_taken_with_a_tap(page: Page, table: Table) -> None:
    table.scoreboard.publish(replace(game(), choices=(Choice("Does Bo save their days?", "yes"),)))
    offer = page.get_by_role("button", name="Does Bo save their days?")
    expect(offer).to_be_visible()
    page.wait_for_timeout(500)  # a tap before it can be read was meant for something else
    offer.click()
    wait_for(page, table, TakeOffer())


# Cells.


def test_a_tapped_cell_is_put_right_with_the_likeliest_answer(page: Page, table: Table) -> None:
    page.locator('[data-cell="C4"]').click()
    dialog = page.locator("#correct")
    expect(dialog.get_by_role("heading", name="C4")).to_be_visible()
    expect(dialog.locator("#now")).to_contain_text("road of Bo")
    dialog.locator("#answers button").first.click()
    wait_for(page, table, CorrectCell(BOARD.cell("C4"), OTHER_ROAD))
    expect(dialog).to_be_hidden()
    expect(page.locator("#told")).to_contain_text("Sent: correct this cell.")


def test_a_cell_is_reached_and_put_right_by_the_keys_alone(page: Page, table: Table) -> None:
    page.locator('[data-cell="G7"]').focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowUp", "ArrowLeft", "ArrowDown"):
        page.keyboard.press(key)
    assert page.evaluate("document.activeElement.dataset.cell") == "G8"
    page.keyboard.press("Enter")
    expect(page.locator("#correct h2")).to_have_text("G8")
    expect(page.locator("#answers")).to_contain_text("empty")
    page.locator("#answers button", has_text="empty").focus()
    page.keyboard.press("Enter")
    wait_for(page, table, CorrectCell(BOARD.cell("G8"), BARE))
    until(page, "document.activeElement.dataset.cell === 'G8'")  # where the focus was before


def test_a_cell_is_opened_by_its_name_and_a_name_of_no_cell_is_refused(page: Page, table: Table) -> None:
    page.locator("#cell-name").fill("z9")
    page.keyboard.press("Enter")
    expect(page.locator("#told")).to_contain_text("no cell “Z9” on this board")
    page.locator("#cell-name").fill("c4")
    page.keyboard.press("Enter")
    expect(page.locator("#correct h2")).to_have_text("C4")
    page.keyboard.press("Escape")
    expect(page.locator("#correct")).to_be_hidden()
    assert table.asked == []


def test_a_link_leads_to_the_correction_of_its_cell(visitor: Visitor, keeping: str) -> None:
    page = visitor.open(keeping + "?cell=G9")
    expect(page.locator("#correct h2")).to_have_text("G9")
    expect(page.locator("#now")).to_contain_text("city")


def build(page: Page, name: str) -> None:
    """Open that cell to say that something else lies there."""
    page.locator(f'[data-cell="{name}"]').click()
    page.locator("#else summary").click()


def choose(page: Page, group: str, label: str) -> None:
    page.locator("#builder").get_by_role("group", name=group).locator(".option", has_text=label).click()


def test_a_road_is_put_together_side_by_side(page: Page, table: Table) -> None:
    build(page, "D4")
    choose(page, "Tile", "Road")
    choose(page, "Colour", "Grey")
    choose(page, "Terrain", "Hill")
    so = page.get_by_role("button", name="Confirm")
    expect(so).to_be_disabled()
    page.get_by_role("checkbox", name="Right", exact=True).click()
    page.get_by_role("checkbox", name="Upper right").click()
    expect(page.get_by_role("checkbox", name="Right", exact=True)).not_to_be_checked()
    page.get_by_role("checkbox", name="Left", exact=True).focus()
    page.keyboard.press("Space")
    expect(page.locator("#words")).to_contain_text("road of Grey, hill ↗←")
    so.click()
    road = Contents(Road(Color.GREY, Terrain.HILL, (1, 3)))
    wait_for(page, table, CorrectCell(BOARD.cell("D4"), road))


@pytest.mark.long
def test_a_settlement_with_merchants_is_put_together(page: Page, table: Table) -> None:
    build(page, "D4")
    choose(page, "Tile", "Settlement")
    choose(page, "Settlement", "Town")
    for label, count in (("Black", 1), ("Red", 2)):
        for _ in range(count):
            page.get_by_role("group", name=f"Merchants {label}").get_by_role("button", name="One more").click()
    page.get_by_role("group", name="Merchants Red").get_by_role("button", name="One less").click()
    page.get_by_role("button", name="Confirm").click()
    town = Contents(Settlement(SettlementType.TOWN), Merchants(black=1, red=1))
    wait_for(page, table, CorrectCell(BOARD.cell("D4"), town))


def test_putting_a_cell_together_begins_with_what_lies_there(page: Page, table: Table) -> None:
    build(page, "G7")
    expect(page.locator("#words")).to_contain_text("workshop of Ada")
    choose(page, "Colour", "Yellow")
    page.get_by_role("button", name="Confirm").click()
    wait_for(page, table, CorrectCell(BOARD.cell("G7"), Contents(Workshop(Color.YELLOW))))


# Another game.


@pytest.mark.long
def test_the_next_game_with_the_same_players_takes_two_taps(visitor: Visitor, keeping: str, table: Table) -> None:
    table.scoreboard.publish(replace(game(), phase="over", outlook=Outlook.OVER))
    page = visitor.open(keeping, PHONE)
    again = page.locator(".again")
    again.click()
    expect(again).to_contain_text("Tap again to start")
    again.click(delay=500)
    wait_for(page, table, LAST)


@pytest.mark.long
def test_another_game_is_put_together_seats_and_colours_and_house_rules(dealing: Page, table: Table) -> None:
    page = dealing
    page.get_by_role("button", name="Add a player").click()
    seats = page.locator("#seats .seat")
    expect(seats).to_have_count(3)
    seats.nth(2).get_by_label("Name").fill("Cy")
    seats.nth(2).get_by_label("Colour").select_option("black")  # Ada takes the colour that was free
    seats.nth(2).get_by_role("button", name="Move up one seat").click()
    page.get_by_text("The game ends when nobody can pay").click()
    page.get_by_text("Hints: the scoreboard").click()
    page.get_by_text("Start some players with more or fewer days").click()
    for _ in range(2):  # six is usual
        seats.nth(0).get_by_role("button", name="One less").click()
    expect(seats.nth(0).get_by_label("Days in the first turn")).to_have_value("4")
    page.get_by_role("button", name="Start the game", exact=True).click()
    players = (Player("Ada", Color.GREY), Player("Cy", Color.BLACK), Player("Bo", Color.RED))
    wait_for(page, table, StartGame(players, "standard", {"end": "now", "first_days": {"grey": 4}}))
    expect(page.locator("#told")).to_contain_text("Sent: start the game")
    page.reload()
    assert "Cy" in page.locator("#names option").evaluate_all("options => options.map(option => option.value)")


def test_a_game_for_two_has_two_seats(dealing: Page, table: Table) -> None:
    page = dealing
    page.get_by_role("button", name="Add a player").click()
    page.get_by_text("Nick Danger’s game for two").click()
    expect(page.locator("#seats .seat")).to_have_count(2)
    expect(page.get_by_role("button", name="Add a player")).to_be_hidden()
    expect(page.get_by_text("The game ends when nobody can pay")).to_be_hidden()
    page.get_by_role("button", name="Start the game", exact=True).click()
    wait_for(page, table, StartGame(LAST.players, "danger", {"hints": True}))


def test_seats_are_dragged_by_their_grips(dealing: Page, table: Table) -> None:
    page = dealing
    grip, below = page.locator("#seats .grip").first, page.locator("#seats .seat").nth(1)
    below.scroll_into_view_if_needed()
    start, end = box_of(grip), box_of(below)
    page.mouse.move(start["x"] + 5, start["y"] + 5)
    page.mouse.down()
    page.mouse.move(start["x"] + 5, end["y"] + end["height"] - 4, steps=6)
    page.mouse.up()
    page.get_by_role("button", name="Start the game", exact=True).click()
    wait_for(page, table, StartGame(tuple(reversed(LAST.players)), "standard", {"hints": True}))


@pytest.mark.long
def test_while_a_game_is_on_another_one_is_asked_for_twice_and_what_is_wrong_is_named(page: Page, table: Table) -> None:
    page.locator("#go-new").click()
    page.locator("#seats .name").first.fill(page.locator("#seats .name").last.input_value())
    deal = page.locator("#deal-now")
    deal.click()
    expect(deal).to_contain_text("A game is in progress")
    deal.click(delay=500)  # sooner, the second tap could be an echo of the first
    expect(page.locator("#deal-said")).to_contain_text("Two players are called")
    again = page.locator(".again")
    again.click()
    expect(again).to_contain_text("A game is in progress")
    table.scoreboard.publish(replace(game(), phase="over", outlook=Outlook.OVER))
    expect(page.locator("#outlook")).to_be_empty()
    page.locator("#back-all").click()
    again.click()
    expect(again).to_contain_text("All laid out?")
    assert table.asked == []


# For everybody.


def everything_open(visitor: Visitor, keeping: str, language: str = "en", scheme: str = "light") -> Page:
    """Return the keeper's page on a phone with the form of another game, and a cell to be put together, open."""
    page = visitor.open(keeping, PHONE, language, scheme)
    page.locator("#go-new").click()
    page.locator("#fewer-days").check()
    page.locator('[data-cell="C4"]').click()
    page.locator("#else summary").click()
    expect(page.locator("#words")).not_to_be_empty()
    return page


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_wider_than_a_phone_and_what_is_tapped_is_large_enough_for_a_finger(
    visitor: Visitor, keeping: str, language: str
) -> None:
    assert fits(visitor.at_the_door(keeping, PHONE, language))
    page = everything_open(visitor, keeping, language)
    assert fits(page)
    assert page.evaluate("document.getElementById('correct').scrollWidth") <= PHONE["width"] - 20
    small = page.locator("button:visible, select:visible, summary:visible, .option:visible").evaluate_all(
        "all => all.filter(each => each.getBoundingClientRect().height < 44).map(each => each.outerHTML.slice(0, 90))"
    )
    assert small == []


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(visitor: Visitor, keeping: str, scheme: str) -> None:
    door = visitor.at_the_door(keeping)
    door.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    assert serious(door) == []
    page = everything_open(visitor, keeping, scheme=scheme)
    assert serious(page) == []
    page.keyboard.press("Escape")
    assert serious(page) == []
