"""People who set a table up may tap quickly, use the keyboard alone, or share the work: nothing is lost unasked."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from companion.board import Color, Contents, HexBoard, Road, Settlement, SettlementType
from companion.setup.piles import renamed
from companion.setup.state import state_of
from tests.browser.conftest import STEP_MS, Evening, Visitor, hold, rested

BOARD = HexBoard(6)


@pytest.fixture
def page(visitor: Visitor, setup: str, taught: Evening) -> Page:
    """On a phone, the step at which pieces are taught, once they have been photographed."""
    page = visitor.open(f"{setup}#teach", {"width": 390, "height": 844})
    expect(page.locator("[data-pile]").first).to_be_visible()
    return page


def lessons(evening: Evening) -> int:
    return len(evening.wizard.now.needed().lessons)


def focused(page: Page) -> str:
    """Return what has the focus, by its name or its words."""
    found: str = page.evaluate(
        "(({ ariaLabel, dataset, textContent }) => ariaLabel || dataset.cell || textContent)(document.activeElement)"
    )
    return found


@pytest.mark.long
def test_what_was_taught_outlives_a_tap_on_a_ring(visitor: Visitor, setup: str, taught: Evening) -> None:
    page = visitor.open(f"{setup}#corners")
    before = taught.wizard.now
    corner = page.get_by_role("button", name="Corner A1")
    corner.click()
    expect(page.get_by_role("button", name="Find the grid")).to_be_hidden()
    corner.press("ArrowRight")
    find = page.get_by_role("button", name="Find the grid")
    expect(find).to_be_visible()
    find.click()
    asked = page.get_by_role("button", name="Tap again to forget what was taught")
    expect(asked).to_be_visible()
    assert taught.wizard.now is before
    page.wait_for_timeout(500)
    asked.click()
    expect(page.locator("#find")).to_be_hidden(timeout=STEP_MS)
    rested(page)
    assert lessons(taught) == 0


@pytest.mark.long
def test_the_empty_board_is_photographed_again_over_what_was_taught_only_when_asked_twice(
    visitor: Visitor, setup: str, taught: Evening
) -> None:
    page = visitor.open(f"{setup}#camera")
    page.get_by_role("button", name="Photograph the empty board").click()
    asked = page.locator("#photograph")
    expect(asked).to_have_text("Tap again to forget what was taught")
    assert lessons(taught) == 1
    page.wait_for_timeout(500)
    asked.click()
    expect(page.locator("[data-step=corners] h2")).to_be_visible(timeout=STEP_MS)
    rested(page)
    assert taught.wizard.now.draft is None, "nor is a board with pieces on it taken for an empty one"


@pytest.mark.long
def test_each_of_several_quick_taps_counts(visitor: Visitor, setup: str, taught: Evening) -> None:
    page = visitor.open(f"{setup}#terrain")
    before = ground = taught.wizard.now.needed().ground
    for name in ("A1", "A2", "A1"):
        page.locator(f"#terrain-stage [data-cell={name}]").dispatch_event("click")
        cell = BOARD.cell(name)
        ground = ground.changed(cell, ground.next_terrain(cell), cell in ground.sites)
    rested(page)
    after = taught.wizard.now.needed().ground
    first, second = BOARD.cell("A1"), BOARD.cell("A2")
    assert after.terrain[first] not in (before.terrain[first], before.next_terrain(first)), "two taps, two steps"
    assert after.terrain[second] is not before.terrain[second]
    assert after.terrain == ground.terrain


@pytest.mark.long
def test_both_ends_of_a_track_moved_at_once_are_kept(visitor: Visitor, setup: str, taught: Evening) -> None:
    page = visitor.open(f"{setup}#tracks")
    before = state_of(taught.wizard)["tracks"]["black"]
    for field in (0, 10):
        page.get_by_role("button", name=f"Black {field}", exact=True).focus()
        page.keyboard.press("Shift+ArrowRight")
    page.wait_for_timeout(1000)
    rested(page)
    after = state_of(taught.wizard)["tracks"]["black"]
    assert {end: x for end, (x, _) in after.items()} == {
        end: pytest.approx(x + 10, abs=0.3) for end, (x, _) in before.items()
    }


@pytest.mark.long
def test_a_corner_moved_during_a_search_stays_where_it_was_put(
    visitor: Visitor, setup: str, yesterday: Evening
) -> None:
    yesterday.wizard.freeze()
    before = state_of(yesterday.wizard)["corners"]
    page = visitor.open(f"{setup}#corners")
    held = hold(page, "**/setup/corners", times=1)
    for cell in ("A1", "A7", "M7"):
        page.get_by_role("button", name=f"Corner {cell}").focus()
        page.keyboard.press("Shift+ArrowRight")
        page.wait_for_timeout(900)
    assert len(held) == 1
    held[0].continue_()
    rested(page)
    after = state_of(yesterday.wizard)["corners"]
    assert yesterday.wizard.now.version == 3, "of the two that waited, only the newer one was looked for"
    for cell, (x, y) in before.items():
        assert after[cell] == pytest.approx([x + 10 * (cell in ("A1", "A7", "M7")), y], abs=0.11)


@pytest.mark.long
def test_what_somebody_else_changed_meanwhile_is_shown_first(visitor: Visitor, setup: str, taught: Evening) -> None:
    page = visitor.open(f"{setup}#teach")
    expect(page.locator(".found li").first).to_be_visible()
    taught.wizard.forget(0)
    page.get_by_role("button", name="Delete it").click()
    expect(page.locator("#wrong")).to_have_text(
        "Somebody else has changed the set-up in the meantime. Check it, then go on."
    )
    expect(page.locator(".found li")).to_have_count(0)


@pytest.mark.long
def test_pieces_and_tracks_are_worked_by_keys_alone(visitor: Visitor, setup: str, taught: Evening) -> None:
    page = visitor.open(f"{setup}#terrain")
    page.get_by_role("button", name="All correct").locator("visible=true").press("Enter")
    assert focused(page) == "Teach the pieces"
    # For a road, people choose colour, terrain and way one after the other; a settlement has one name.
    card = page.locator("[data-pile^=settlement] .found button").first
    name = card.get_attribute("data-cell")
    card.press("Enter")
    expect(page.locator("#picker")).to_be_visible()
    expect(page.locator("#picker [aria-pressed=true]").first).to_be_focused()
    page.keyboard.press("Enter")
    rested(page)
    expect(page.locator(f".found [data-cell={name}]")).to_be_focused()
    expect(page.locator(f".found [data-cell={name}]")).to_have_class("corrected")
    page.keyboard.press("Enter")
    page.locator("#picker [data-kind=nothing]").press("Enter")
    rested(page)
    expect(page.locator(f".found [data-cell={name}]")).to_have_count(0)
    expect(page.locator(f"#lessons .stage [data-cell={name}]")).to_be_focused()
    page.get_by_role("button", name="All correct").locator("visible=true").press("Enter")
    assert focused(page) == "Check and save", "the day tracks are surely right"
    rested(page)  # what was taught has been checked
    page.get_by_role("button", name="No, move the day tracks").press("Enter")
    assert focused(page) == "The day tracks"
    end = page.get_by_role("button", name="Black 0", exact=True)
    end.focus()
    before = taught.wizard.now.version
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(1000)
    rested(page)
    assert taught.wizard.now.version == before + 1
    expect(end).to_be_focused()
    more = page.locator("#markers .stepper").first.get_by_role("button", name="Black marker on: 1")
    more.press("Enter")
    rested(page)
    expect(page.locator("#markers output").first).to_have_text("1")
    expect(page.locator("#markers .stepper").first.get_by_role("button", name="Black marker on: 2")).to_be_focused()


@pytest.mark.long
def test_back_leads_to_the_step_before(visitor: Visitor, setup: str, taught: Evening) -> None:
    page = visitor.open(f"{setup}#terrain")
    page.locator(".steps [data-go=teach]").click()
    page.locator(".steps [data-go=tracks]").click()
    page.go_back()
    expect(page.get_by_role("heading", name="Teach the pieces")).to_be_focused()
    page.go_back()
    expect(page.get_by_role("heading", name="Plain, forest, hill")).to_be_focused()
    page.go_forward()
    expect(page.get_by_role("heading", name="Teach the pieces")).to_be_visible()


@pytest.mark.usefixtures("yesterday")
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda route: route.fulfill(status=503, json={"message": "Not now."}), "Not now."),
        (lambda route: route.abort(), "The table cannot be reached."),
    ],
    ids=["refused", "unreachable"],
)
def test_a_set_up_that_cannot_be_fetched_says_so(
    visitor: Visitor, setup: str, answer: Callable[[Route], None], said: str
) -> None:
    page = visitor.open(setup.removesuffix("/setup"))
    page.route("**/setup/state.json", answer)
    page.goto(setup)
    expect(page.locator("#wrong")).to_have_text(said)
    page.unroute("**/setup/state.json")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("heading", name="Elm & friends")).to_be_visible()
    expect(page.locator("#wrong")).to_be_empty()


@pytest.mark.long
def test_what_lies_there_is_drawn_in_the_boards_own_shapes(page: Page) -> None:
    drawn = set(page.locator("#lessons .stage use").evaluate_all("all => all.map((one) => one.getAttribute('href'))"))
    assert {"#city", "#town", "#village", "#hamlet", "#workshop", "#o-red", "#o-grey"} <= drawn
    assert all(page.locator(name).count() == 1 for name in drawn)


@pytest.mark.long
def test_one_tap_names_a_pile_and_everything_on_the_photograph_is_in_one(page: Page, taught: Evening) -> None:
    pieces = page.locator("[data-pile] [data-piece]")
    expect(pieces.first).to_be_visible()
    lesson = taught.wizard.now.needed().lessons[0]
    assert set(pieces.evaluate_all("all => all.map((one) => one.dataset.piece)")) == set(map(str, lesson.lying))
    buttons = page.locator("[data-pile] li button:visible, .glance button:visible")
    assert buttons.evaluate_all("all => all.every((one) => one.getBoundingClientRect().right <= innerWidth)")
    pile = page.locator("[data-pile^='settlement'], [data-pile^='workshop']").first
    named = pile.locator("[data-piece]").evaluate_all("all => all.map((one) => one.dataset.piece)")
    pile.locator("[data-kind=settlement-hamlet]").click()
    rested(page)
    reading = taught.wizard.now.hexagonal().lessons[0].reading
    assert {str(reading.contents(BOARD.cell(cell)).tile) for cell in named} == {str(Settlement(SettlementType.HAMLET))}


@pytest.mark.long
def test_what_seems_right_is_shown_small_until_a_piece_of_it_is_wrong(page: Page, taught: Evening) -> None:
    lying = taught.wizard.now.needed().lessons[0].lying
    small = page.locator("[data-glance]")
    cells = small.evaluate_all("all => all.map((one) => one.dataset.glance)")
    asked = page.locator("[data-piece]:visible").evaluate_all("all => all.map((one) => one.dataset.piece)")
    assert cells, "on a drawn table most pieces are guessed rightly"
    assert {*cells, *asked} == set(map(str, lying))
    assert not {*cells} & {*asked}
    page.evaluate("document.querySelector('.clear summary').click()")
    expect(small.first).to_be_hidden()
    expect(page.locator("[data-piece]:visible")).to_have_count(len(lying))
    page.locator(f"[data-cube='{cells[0]} red']").click()
    rested(page)
    expect(page.locator(f".clear [data-piece={cells[0]}]")).to_have_count(0)
    expect(page.locator(f"[data-piece={cells[0]}]")).to_be_visible()


@pytest.mark.long
def test_the_camera_is_out_of_the_way_once_all_is_photographed(page: Page) -> None:
    expect(page.locator("#teach")).to_be_hidden()
    page.locator("#shoot > summary").click()
    expect(page.locator("#teach")).to_be_visible()
    page.get_by_role("button", name="Delete it").click()
    rested(page)
    expect(page.locator("#shoot > summary")).to_be_hidden()
    expect(page.locator("#teach")).to_be_visible()


def held(evening: Evening, cell: str) -> Contents:
    return evening.wizard.now.hexagonal().lessons[0].reading.contents(BOARD.cell(cell))


@pytest.mark.long
def test_a_tap_puts_a_merchant_on_a_piece_or_takes_all_of_a_colour_off(page: Page, taught: Evening) -> None:
    cell = page.locator("[data-piece]").first.get_attribute("data-piece") or ""
    before = held(taught, cell)
    button = page.locator(f"[data-cube='{cell} red']")
    for _ in range(2):
        was = held(taught, cell).merchants[Color.RED]
        button.click()
        rested(page)
        assert held(taught, cell).merchants[Color.RED] == (0 if was else 1)
        expect(button).to_have_attribute("aria-pressed", "false" if was else "true")
    assert held(taught, cell).tile == before.tile


@pytest.mark.long
def test_one_tap_on_another_name_moves_a_stray(page: Page, taught: Evening) -> None:
    # What may be a road instead is another test, below.
    button = page.locator("[data-other]:not([data-other$=' road'])").first
    cell, kind = (button.get_attribute("data-other") or "").split()
    expect(button).to_have_accessible_name(re.compile(f"^{cell}: ."))
    wanted = renamed(held(taught, cell), kind)
    button.click()
    rested(page)
    assert held(taught, cell) == wanted
    expect(page.locator(f"[data-other='{cell} {kind}']")).to_have_count(0)


@pytest.mark.long
def test_taps_faster_than_the_page_each_count(page: Page, taught: Evening) -> None:
    cell = page.locator("[data-piece]").first.get_attribute("data-piece") or ""
    before = held(taught, cell).merchants
    for color in ("red", "grey", "red"):
        page.locator(f"[data-cube='{cell} {color}']").dispatch_event("click")
    rested(page)
    assert held(taught, cell).merchants[Color.GREY] == (0 if before[Color.GREY] else 1)
    assert held(taught, cell).merchants[Color.RED] == (1 if before[Color.RED] else 0)


@pytest.mark.long
def test_what_was_no_road_becomes_the_likeliest_one_and_is_turned_by_a_tap(page: Page, taught: Evening) -> None:
    pile = page.locator("[data-pile^='settlement']").first
    cell = pile.locator("[data-piece]").first.get_attribute("data-piece") or ""
    pile.locator("[data-piece]").first.click()
    page.locator("#picker [data-kind=road]").click()
    rested(page)
    expect(page.locator("#picker")).to_be_visible()
    page.locator("#picker [data-kind=way-13]").click()
    rested(page)
    expect(page.locator("#picker")).to_be_hidden()
    tile = held(taught, cell).tile
    assert isinstance(tile, Road)
    assert tile.edges == (1, 3)


@pytest.mark.long
def test_merchants_are_counted_by_taps(page: Page, taught: Evening) -> None:
    card = page.locator("[data-piece]").first
    cell = card.get_attribute("data-piece") or ""
    before = held(taught, cell).merchants[Color.RED]
    card.click()
    for _ in range(2):  # faster than the page
        page.locator("#picker [data-by='red 1']").dispatch_event("click")
    rested(page)
    assert held(taught, cell).merchants[Color.RED] == before + 2
    page.locator("#picker [data-by='red -1']").click()
    rested(page)
    assert held(taught, cell).merchants[Color.RED] == before + 1


@pytest.mark.long
def test_a_wrong_name_is_taken_back_with_all_that_followed_from_it(page: Page, taught: Evening) -> None:
    undo = page.locator("[data-step=teach] [data-undo]")
    expect(undo).to_be_hidden()
    before = taught.wizard.now.needed().lessons[0]
    pile = page.locator("[data-pile^='settlement'], [data-pile^='workshop']").first
    pile.locator("[data-kind][aria-pressed=false]").first.click()
    rested(page)
    assert taught.wizard.now.needed().lessons[0] != before
    expect(undo).to_be_in_viewport()
    undo.click()
    rested(page)
    assert taught.wizard.now.needed().lessons[0] is before
    expect(undo).to_be_hidden()
