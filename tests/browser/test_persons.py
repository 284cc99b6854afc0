"""What people have of their own is chosen with a tap, and heard and spoken when their turn begins."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from companion.board import Color
from companion.logbook.archive import opened_archive
from companion.logbook.people import PersonChose
from companion.scoreboard import Snapshot
from companion.web import Keepers
from companion.web.people import TUNES
from tests.browser.conftest import SIZES, Serve, Visitor, flaws
from tests.web.books import Play
from tests.web.playing import Table, game
from tests.web.whole import PIN

#: A browser that notes what it plays, and what it says in which voice; it has no French voice.
HEARD = """
window.played = []; window.spoken = [];
const node = {connect: (to) => to};
window.AudioContext = class {
  state = "running"; currentTime = 0; destination = node;
  createGain() { return {...node, gain: {setValueAtTime() {}, linearRampToValueAtTime() {}}}; }
  createOscillator() {
    const tone = {...node, frequency: {}, stop() {}, start: () => window.played.push(tone.frequency.value)};
    return tone;
  }
  close() {} resume() {}
};
const voices = ["en-GB", "de-DE"].map((lang) => ({lang, localService: true}));
window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
Object.defineProperty(window, "speechSynthesis", {value: {
  getVoices: () => voices, cancel() {}, speak: (said) => window.spoken.push([said.lang, said.text]),
}});
"""


LONG_NAME = "Beatrix-Leopoldine von und zu Hohenstein"


def hertz(code: str) -> list[float]:
    return [hz for hz, _seconds in TUNES[code] if hz]


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Play]:
    made = Play(tmp_path)
    for names in (("Bea", "Rob"), (LONG_NAME, "Rob")):
        made.begin(names)
        made.ended()
    yield made
    made.logbook.close()


@pytest.fixture
def address(serve: Serve, table: Table, play: Play) -> str:
    table.scoreboard.publish(Snapshot())
    return serve(
        table, keepers=Keepers(PIN), logbook=lambda: play.folder, note=play.logbook.note_of_people, game=lambda: None
    )


@pytest.fixture(params=SIZES)
def page(request: pytest.FixtureRequest, visitor: Visitor, address: str) -> Page:
    return visitor.open(f"{address}/keeper/people", request.param, script=HEARD)


def test_a_tune_is_heard_as_it_is_chosen_and_kept_with_two_taps(page: Page, play: Play) -> None:
    rob = page.locator("[data-person=Rob]")
    rob.locator("[data-choice=tune]").select_option("bells")
    expect(page.locator("#told")).to_have_text("Saved.")
    assert page.evaluate("played") == hertz("bells")
    rob.get_by_role("button", name="Hear the tune of Rob").click()
    assert page.evaluate("played") == 2 * hertz("bells")
    with page.expect_response("**/keeper/person"):
        rob.locator("[data-choice=language]").select_option("de")
    with opened_archive(play.folder) as archive:
        assert archive.people.choices["Rob"].tune == "bells"
    page.reload()
    expect(rob.locator("[data-choice=tune]")).to_have_value("bells")
    expect(rob.locator("[data-choice=language]")).to_have_value("de")


def test_a_colour_is_chosen_and_their_shape_is_that_colours(page: Page) -> None:
    rob = page.locator("[data-person=Rob]")
    expect(rob.locator("svg.disc")).to_have_class("disc red")
    rob.locator("[data-choice=color]").select_option("yellow")
    expect(rob.locator("svg.disc")).to_have_class("disc yellow")
    expect(rob.locator("[data-choice=color]")).to_have_value("yellow")


def rename(bea: Locator, name: str) -> None:
    """Ask, by keyboard, for another name for Bea."""
    bea.get_by_label("New name of Bea").fill(name)
    bea.get_by_role("button", name="Change it everywhere").press("Enter")


@pytest.mark.long
def test_two_names_that_are_one_person_are_put_together_after_a_question_and_taken_apart_again(page: Page) -> None:
    bea = page.locator("[data-person=Bea]")
    bea.get_by_text("Change the name").click()
    rename(bea, "Rob")
    expect(bea.get_by_role("alert")).to_contain_text("they are two people")
    rename(bea, LONG_NAME)
    expect(bea.get_by_role("alert")).to_contain_text("one person?")
    expect(bea.get_by_role("button", name="Yes, one person")).to_be_focused()
    assert flaws(page) == []
    page.keyboard.press("Enter")
    expect(bea).to_have_count(0)
    expect(page.locator("#people > li")).to_have_count(2)
    undo = page.locator(".changed button")
    undo.click()
    expect(undo).to_have_text("Tap again to take it back")
    page.wait_for_timeout(500)  # a second tap any sooner does not count
    undo.click()
    expect(bea).to_have_count(1)


def test_no_question_stays_open_once_another_name_is_typed(page: Page) -> None:
    bea = page.locator("[data-person=Bea]")
    bea.get_by_text("Change the name").click()
    rename(bea, LONG_NAME)
    expect(bea.get_by_role("button", name="Yes, one person")).to_be_visible()
    bea.get_by_label("New name of Bea").fill("Ida")
    expect(bea.get_by_role("button", name="Yes, one person")).to_be_hidden()
    bea.get_by_role("button", name="Change it everywhere").click()
    expect(page.locator("[data-person=Ida]")).to_have_count(1)


def in_turn(color: Color) -> Snapshot:
    shown = game()
    names = {Color.BLACK: "Bea", Color.RED: "Rob"}
    lines = tuple(replace(line, name=names[line.color], is_next=line.color == color) for line in shown.players)
    return replace(shown, players=lines, next=color, notice=None)


def test_their_tune_and_their_language_are_heard_as_their_turn_begins(
    visitor: Visitor, address: str, table: Table, play: Play
) -> None:
    play.logbook.note_of_people(PersonChose("Rob", "bells", "de"), "")
    play.logbook.note_of_people(PersonChose("Bea", "lark", "fr"), "")
    table.scoreboard.publish(in_turn(Color.BLACK))
    board = visitor.open(address, script=HEARD)
    for switch in ("#sound", "#voice"):
        board.click(switch)
    board.evaluate("played.length = spoken.length = 0")
    table.scoreboard.publish(in_turn(Color.RED))
    expect(board.locator("#turn bdi")).to_have_text("Rob")
    assert board.evaluate("played") == hertz("bells")
    assert board.evaluate("spoken") == [["de-DE", "Rob. ist dran: noch 4 Reisetage"]]
    table.scoreboard.publish(replace(in_turn(Color.RED), warning="The disk is full"))
    expect(board.locator("#warning")).to_contain_text("full")
    assert board.evaluate("played") == hertz("bells"), "their turn does not begin twice"
    table.scoreboard.publish(in_turn(Color.BLACK))
    expect(board.locator("#turn bdi")).to_have_text("Bea")
    assert board.evaluate("played") == hertz("bells") + hertz("lark")
    assert board.evaluate("spoken")[1] == ["en-GB", "Bea. Their turn: 4 days left"], "there is no French voice here"
    assert json.loads(board.locator("#lamp").get_attribute("data-own") or "")
