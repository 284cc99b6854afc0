"""What a device does with the scoreboard: on a TV, on a phone, with sound, voice, hints and colours of its own."""

from contextlib import closing
from dataclasses import replace
from itertools import pairwise

import cv2
import numpy as np
import pytest
from playwright.sync_api import Page, expect

from companion.board import Color
from companion.games.contract import Hint
from companion.scoreboard import Lamps, Notice, Snapshot
from companion.words import Voice
from hardware.cues import ILLEGAL
from tests.browser.conftest import DESK, LANGUAGES, PHONE, TV, Serve, Visitor, box_of, until
from tests.web.playing import BOARD, Table, game
from tests.web.whole import PIN

SMALL_TV = {"width": 1280, "height": 720}
ADDRESS = "http://192.168.178.42:8000/"
HINT = Hint((BOARD.cell("G9"), BOARD.cell("G10"), BOARD.cell("G11")), 2, is_affordable=True)

SHORT = Notice("legal", "Ada: that move is legal", ("it cost 2 days, 4 are left",))
#: A quarrel: the most that is ever said at once.
LONG = Notice(
    "illegal",
    "Maximiliane-Theodora von Hohenstein: Das ist nicht erlaubt",
    (
        "D10, E11, H11, I11: Das kostet 8 Reisetage, 6 sind übrig",
        "G9: Hier führt der Weg ins Leere; bau ihn fertig oder nimm ihn weg",
        "C4: Auf einem Zielort, der schon erreicht ist, endet kein zweiter Weg",
        "Der Marker von Maximiliane-Theodora von Hohenstein steht auf 0 und gehört auf 6",
        "H7: Dieses Plättchen gehört auf Wald, nicht auf Ebene",
    ),
    frozenset({BOARD.cell("G8")}),
)

#: A browser with one local voice and one from elsewhere; what it says is noted.
VOICES = """
window.spoken = [];
const voices = [
  {lang: "de-DE", localService: false, name: "elsewhere"}, {lang: "de-DE", localService: true, name: "own"},
];
window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
Object.defineProperty(window, "speechSynthesis", {value: {
  getVoices: () => voices, cancel: () => {}, speak: (said) => window.spoken.push([said.voice.name, said.text]),
}});
"""


def sticks_out(page: Page, inside: str) -> list[str]:
    """Return the elements inside that one which stick out of the screen."""
    found: list[str] = page.evaluate(
        """(inside) => [...document.querySelectorAll(inside + " *")].filter((each) => {
            const box = each.getBoundingClientRect();
            if (!box.width || each.closest("svg, .unseen, bdi")) return false;
            return box.right > innerWidth + 1 || box.bottom > innerHeight + 1 || box.left < -1 || box.top < -1;
        }).map((each) => each.tagName + "." + each.className + " " + each.textContent.slice(0, 30))""",
        inside,
    )
    return found


def test_a_long_warning_covers_nothing_on_a_television(visitor: Visitor, address: str, table: Table) -> None:
    table.scoreboard.publish(replace(game(), warning=Voice(language="de").trouble("safe-mode")))
    page = visitor.open(address + "/tv", SMALL_TV, "de")
    warning, turn = box_of(page.locator("#warning")), box_of(page.locator("#turn h2"))
    assert warning["height"] > 0
    assert warning["y"] + warning["height"] <= turn["y"]
    assert page.evaluate("document.documentElement.scrollHeight") == SMALL_TV["height"]
    assert not sticks_out(page, "main")


@pytest.mark.parametrize("size", [TV, SMALL_TV])
def test_the_pin_is_beside_the_board_on_a_television(
    visitor: Visitor, address: str, table: Table, size: dict[str, int]
) -> None:
    table.scoreboard.show_pin("958364")
    page = visitor.open(address + "/tv", size)
    board, pin = box_of(page.locator(".board svg")), box_of(page.locator(".pin"))
    assert board["y"] + board["height"] <= pin["y"]
    assert pin["y"] + pin["height"] <= size["height"] + 1
    assert sticks_out(page, ".board") == []


@pytest.mark.parametrize("path", ["/", "/tv"])
def test_winners_are_named_as_in_a_sentence(visitor: Visitor, address: str, table: Table, path: str) -> None:
    players = tuple(replace(line, is_next=False, has_won=True) for line in game().players)
    third = replace(players[1], name="Cy", color=Color.YELLOW)
    table.scoreboard.publish(replace(game(), phase="over", next=None, players=(*players, third)))
    page = visitor.open(address + path, TV)
    assert " ".join(page.inner_text("#turn h2 .winners").split()) == "Ada, Bo and Cy share the victory"


@pytest.mark.long
@pytest.mark.parametrize("language", ["de", pytest.param("fr", marks=pytest.mark.long)])
def test_a_television_needs_no_scrolling(visitor: Visitor, serve: Serve, table: Table, language: str) -> None:
    one, two = game().players
    four = (one, two, replace(one, name="Ştefan"), replace(one, name=LONG.title))
    address = serve(table, address=lambda: ADDRESS) + "/tv"
    for size in (TV, SMALL_TV):
        page = visitor.open(address, size, language)
        for notice in (SHORT, LONG):
            table.scoreboard.publish(replace(game(), players=four, notice=notice))
            expect(page.locator("#notice")).to_contain_text(notice.title)
            expect(page.locator("#players .player")).to_have_count(4)
            assert page.evaluate("document.documentElement.scrollHeight") == size["height"]
            assert sticks_out(page, "main") == []
            assert page.evaluate("(({scrollHeight, clientHeight}) => scrollHeight <= clientHeight)(beside)")


def test_a_televisions_letters_are_large(visitor: Visitor, address: str) -> None:
    """From 3 m, letters can be read at 1/45 of the height of a screen that is 1 m wide; here they are 1/40 and more."""
    page = visitor.open(address + "/tv", TV)
    for part in ("#turn h2", "#turn p", "#notice h3", "#notice p", ".player h3", ".player .gold b", ".player .left"):
        size = page.locator(part).first.evaluate("(part) => parseFloat(getComputedStyle(part).fontSize)")
        assert size >= TV["height"] / 40, part


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.long)])
def test_a_phone_reads_the_code_on_the_television(visitor: Visitor, serve: Serve, table: Table, scheme: str) -> None:
    page = visitor.open(serve(table, address=lambda: ADDRESS) + "/tv", TV, scheme=scheme)
    seen = cv2.imdecode(np.frombuffer(page.locator("svg.code").screenshot(), np.uint8), cv2.IMREAD_GRAYSCALE)
    assert seen is not None
    assert cv2.QRCodeDetector().detectAndDecode(seen)[0] == ADDRESS


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_phones_tools_and_menu_fit_and_do_not_overlap(
    visitor: Visitor, serve: Serve, table: Table, language: str
) -> None:
    table.scoreboard.publish(replace(game(), hints=(HINT,)))
    page = visitor.open(serve(table, table=table), PHONE, language)
    page.click("#menu-button")
    assert sticks_out(page, "header") == []
    boxes = page.locator(".tools button:visible").evaluate_all(
        """(all) => all.map((each) => {
            const box = each.getBoundingClientRect();
            return [box.left, box.right, box.height, each.scrollWidth - each.clientWidth];
        })"""
    )
    assert len(boxes) >= 4
    for left, right in pairwise(boxes):
        assert left[1] <= right[0]
    assert all(height >= 44 and overflow <= 0 for _, _, height, overflow in boxes)


def test_the_menu_opens_and_closes_by_keyboard(visitor: Visitor, address: str) -> None:
    page = visitor.open(address, PHONE)
    expect(page.locator("#language")).to_be_hidden()
    page.focus("#menu-button")
    page.keyboard.press("Enter")
    expect(page.locator("#language")).to_be_visible()
    expect(page.locator("#menu-button")).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Escape")
    expect(page.locator("#language")).to_be_hidden()
    assert page.evaluate("document.activeElement.id") == "menu-button"


def test_dark_is_as_the_device_is_and_as_somebody_chooses(visitor: Visitor, address: str) -> None:
    page = visitor.open(address, DESK, scheme="dark")
    paper = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(paper)
    page.click("#menu-button")
    page.select_option("#look", "light")
    light = page.evaluate(paper)
    assert light != dark
    page.reload()
    assert page.evaluate(paper) == light
    page.click("#menu-button")
    page.select_option("#look", "")
    assert page.evaluate(paper) == dark


@pytest.mark.long
def test_tunes_are_off_until_somebody_switches_them_on_and_then_stay_on(board: Page, table: Table) -> None:
    board.evaluate("""() => {
        window.tones = 0;
        const start = OscillatorNode.prototype.start;
        OscillatorNode.prototype.start = function (...at) { window.tones += 1; return start.apply(this, at); };
    }""")
    table.scoreboard.publish(replace(game("Cy"), lamps=Lamps(None, ILLEGAL, 4)))
    expect(board.locator("#players")).to_contain_text("Cy")
    assert board.evaluate("window.tones") == 0
    board.click("#sound")
    confirmed = board.evaluate("window.tones")
    assert confirmed > 0
    table.scoreboard.publish(replace(game("Di"), lamps=Lamps(None, ILLEGAL, 5)))
    until(board, f"window.tones > {confirmed}")
    board.reload()
    expect(board.locator("#sound")).to_have_attribute("aria-pressed", "true")


@pytest.mark.long
def test_verdicts_are_spoken_in_the_pages_language_by_a_voice_that_lives_on_the_device(
    visitor: Visitor, address: str, table: Table
) -> None:
    page = visitor.open(address, language="de", script=VOICES)
    table.scoreboard.publish(replace(game(), notice=Notice("legal", "Ada: Das stimmt")))
    expect(page.locator("#notice")).to_contain_text("Das stimmt")
    assert page.evaluate("window.spoken") == [], "nobody has switched it on"
    page.click("#voice")
    table.scoreboard.publish(replace(game(), notice=Notice("illegal", "Bo: Das ist nicht erlaubt", ("G7: zu weit",))))
    until(page, "window.spoken.length >= 2")
    assert page.evaluate("window.spoken.at(-1)") == ["own", "Bo: Das ist nicht erlaubt. G7: zu weit"]
    page.reload()
    expect(page.locator("#voice")).to_have_attribute("aria-pressed", "true")


def test_somebody_whose_device_has_no_voice_is_told_so(visitor: Visitor, address: str) -> None:
    page = visitor.open(address, language="it", script=VOICES)
    page.click("#voice")
    expect(page.locator("#told")).not_to_be_empty()
    expect(page.locator("#voice")).to_have_attribute("aria-pressed", "false")
    assert page.evaluate("window.spoken") == []


def test_hints_are_drawn_where_somebody_wants_them_and_stay(visitor: Visitor, address: str, table: Table) -> None:
    table.scoreboard.publish(replace(game(), hints=(HINT,)))
    page = visitor.open(address)
    expect(page.locator("#hints rect")).to_be_hidden()
    page.click("#hint")
    expect(page.locator("#hints rect")).to_be_visible()
    page.reload()
    expect(page.locator("#hints rect")).to_be_visible()


@pytest.mark.long
def test_a_lost_connection_mends_itself_with_everything_that_happened(visitor: Visitor, table: Table) -> None:
    server = table.server()
    page = visitor.open(f"http://127.0.0.1:{server.port}/")
    expect(page.locator("#players")).to_contain_text("Ada")
    server.close()
    expect(page.locator("#lost")).to_be_visible()
    later = Table()
    for name in ("Cy", "Di"):
        later.scoreboard.publish(game(name))
    with closing(later.server(port=server.port)):
        expect(page.locator("#players")).to_contain_text("Di")
        expect(page.locator("#lost")).to_be_hidden()


def test_the_marks_of_cells_are_legible_on_a_phone(visitor: Visitor, address: str, table: Table) -> None:
    table.scoreboard.publish(replace(game(), notice=LONG))
    page = visitor.open(address, PHONE)
    assert box_of(page.locator(".mark.illegal .name").first)["height"] >= 11


@pytest.mark.parametrize("path", ["/", "/keeper"])
def test_a_phone_held_sideways_shows_the_whole_board(visitor: Visitor, address: str, path: str) -> None:
    page = visitor.open(f"{address.rstrip('/')}{path}", {"width": 844, "height": 390})
    box = box_of(page.locator("#board"))
    assert box["y"] + box["height"] <= 390
    assert box["height"] >= 200


def test_a_television_that_gets_no_answer_asks_for_a_minute(visitor: Visitor, address: str, table: Table) -> None:
    table.scoreboard.publish(Snapshot())
    page = visitor.open(address + "/tv", TV)
    page.clock.install()
    table.scoreboard.publish(game())
    expect(page.locator("#offer")).to_be_visible()
    page.clock.run_for(60_000)
    expect(page.locator("#offer")).to_be_hidden()


def test_nothing_that_a_television_asks_covers_the_pin(visitor: Visitor, address: str, table: Table) -> None:
    page = visitor.open(address + "/tv", TV)
    expect(page.locator("#offer")).to_be_visible()
    table.scoreboard.show_pin(PIN)
    expect(page.locator("#pin .pin")).to_be_visible()
    expect(page.locator("#offer")).to_be_hidden()
    table.scoreboard.show_pin("")
    expect(page.locator("#offer")).to_be_visible()


@pytest.mark.parametrize("path", ["/", pytest.param("/tv", marks=pytest.mark.long)])
def test_a_screen_asks_once_at_its_first_game_whether_it_should_be_heard(
    visitor: Visitor, address: str, table: Table, path: str
) -> None:
    table.scoreboard.publish(Snapshot())
    page = visitor.open(address + path, TV)
    expect(page.locator("#offer")).to_be_hidden()
    table.scoreboard.publish(game())
    expect(page.locator("#offer")).to_be_visible()
    page.locator("[data-offer=sound]").click()
    expect(page.locator("#offer")).to_be_hidden()
    expect(page.locator("#sound")).to_have_attribute("aria-pressed", "true")
    page.reload()
    expect(page.locator("#players .player")).to_have_count(2)
    expect(page.locator("#offer")).to_be_hidden()
    expect(page.locator("#sound")).to_have_attribute("aria-pressed", "true")
