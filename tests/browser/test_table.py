"""The drawn table's page, as a visitor uses it."""

from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from companion.board import Color, Contents, Reading, Road, Terrain
from companion.board.reading import CellReading
from tests.browser.conftest import DESK, SIZES, Serve, Visitor, box_of, fits, wait_until
from tests.web.playing import BOARD, Table, game
from tests.web.test_hands import Fingers

G7, G9 = BOARD.cell("G7"), BOARD.cell("G9")
ROAD = Road(Color.BLACK, Terrain.PLAIN, (0, 3))


@pytest.fixture
def fingers() -> Fingers:
    cells = {cell: CellReading(Contents(), Terrain.PLAIN) for cell in BOARD.cells}
    return Fingers(lies=Reading(BOARD, {**cells, G9: CellReading(Contents(ROAD), Terrain.PLAIN)}, {}))


@pytest.fixture
def address(serve: Serve, table: Table, fingers: Fingers) -> str:
    return serve(table, table=table, hands=fingers) + "/table"


def opened(visitor: Visitor, address: str, size: dict[str, int] = DESK) -> Page:
    page = visitor.open(address, size)
    expect(page.locator("#edges button")).to_have_count(9)
    return page


@pytest.fixture
def page(visitor: Visitor, address: str) -> Page:
    return opened(visitor, address)


def middle(page: Page, cell: str) -> tuple[float, float]:
    box = box_of(page.locator(f"[data-cell={cell}]"))
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def carry(page: Page, start: str, end: str) -> None:
    """Drag what lies on one cell to another."""
    page.mouse.move(*middle(page, start))
    page.mouse.down()
    page.mouse.move(*middle(page, end), steps=5)
    page.mouse.up()


def until(page: Page, fingers: Fingers, *done: tuple[object, ...]) -> None:
    wait_until(page, lambda: fingers.done == [*done])
    assert fingers.done == [*done]


@pytest.mark.parametrize("size", SIZES)
def test_a_tap_lays_what_is_chosen_and_another_tap_turns_it_and_nothing_is_wider_than_the_screen(
    visitor: Visitor, address: str, fingers: Fingers, size: dict[str, int]
) -> None:
    page = opened(visitor, address, size)
    assert fits(page)
    page.get_by_text("Road on Hill").click()
    page.locator("[data-cell=G7]").click()
    until(page, fingers, ("lay", G7, replace(ROAD, terrain=Terrain.HILL)))
    page.get_by_text("Road on Plain").click()
    page.locator("[data-cell=G9]").click()  # the same road lies there already
    until(page, fingers, *fingers.done[:1], ("lay", G9, replace(ROAD, edges=(1, 4))))


def test_a_finger_carries_a_tile_to_another_cell(page: Page, fingers: Fingers) -> None:
    carry(page, "G9", "G7")
    until(page, fingers, ("lay", G7, ROAD), ("take", G9))


def test_a_tile_that_cannot_be_laid_there_stays_where_it_was_and_that_is_still_said_after_the_next_event(
    page: Page, table: Table, fingers: Fingers
) -> None:
    page.route("**/table/lay", lambda route: route.fulfill(status=503, json={"message": "Not there."}))
    carry(page, "G9", "G7")
    expect(page.locator("#told")).to_have_text("Not there.")
    table.scoreboard.publish(game("Cy"))
    expect(page.locator("#notice")).to_contain_text("Cy")
    expect(page.locator("#told")).to_have_text("Not there.")
    assert fingers.done == []


def test_a_marker_is_moved_and_taken_off_the_board(page: Page, fingers: Fingers) -> None:
    assert fingers.lies is not None
    fingers.lies = replace(fingers.lies, tracks={Color.BLACK: 4})
    page.reload()
    expect(page.locator("[data-track=black]")).to_have_value("4")
    expect(page.locator("[data-track=red]")).to_have_value("")
    page.locator("[data-track=red]").select_option("7")
    until(page, fingers, ("move_marker", Color.RED, 7))
    page.locator("[data-track=black]").select_option("–")
    until(page, fingers, ("move_marker", Color.RED, 7), ("move_marker", Color.BLACK, None))


def test_the_kit_can_be_dragged_onto_the_board(page: Page, fingers: Fingers) -> None:
    page.get_by_text("Merchant", exact=True).hover()
    page.mouse.down()
    page.mouse.move(*middle(page, "G7"), steps=5)
    page.mouse.up()
    until(page, fingers, ("put", G7, Color.BLACK))


def test_keys_alone_lay_and_press(page: Page, fingers: Fingers) -> None:
    page.locator("[data-cell=G7]").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    until(page, fingers, ("lay", BOARD.cell("H8"), ROAD))
    page.locator("#press").focus()
    page.keyboard.press("Enter")
    until(page, fingers, *fingers.done[:1], ("hold", True), ("hold", False))


@pytest.mark.long
def test_a_finger_that_stays_on_the_button_holds_it(page: Page, fingers: Fingers) -> None:
    page.locator("#press").hover()
    page.mouse.down()
    until(page, fingers, ("hold", True), ("hold", True))
    page.mouse.up()
    until(page, fingers, ("hold", True), ("hold", True), ("hold", False))
    assert fingers.is_paused, "the players rest for the visitor"
    expect(page.locator("#rest")).to_have_text("Let the others play on")
