"""The set-up's terrain step in a real browser: what is in doubt, what is put right, where a lamp is reflected."""

from dataclasses import replace

import pytest
from playwright.sync_api import expect

from bench.tapper import Person
from companion.board import HexBoard, Terrain
from tests.browser.conftest import PHONE, Evening, Visitor, flaws, rested

BOARD = HexBoard(6)


@pytest.mark.long
def test_doubtful_sites_are_cards_that_a_tap_puts_right(visitor: Visitor, setup: str, taught: Evening) -> None:
    draft = taught.wizard.now.hexagonal()
    site, bare = sorted(draft.ground.sites, key=str)[0], BOARD.cell("A1")
    ground = replace(draft.ground, doubtful=(site, bare), looks=None)
    taught.wizard._change(draft=replace(draft, ground=ground))
    page = visitor.open(f"{setup}#terrain", PHONE)
    cards = page.locator("#doubtful button")
    expect(cards).to_have_count(2)
    expect(cards.first).to_have_text(f"Settlement site{site}")
    expect(page.locator("#terrain-stage .cell.doubtful")).to_have_count(2)
    assert flaws(page) == []
    cards.nth(1).press("Enter")
    rested(page)
    expect(cards).to_have_count(1)
    assert BOARD.cell("A1") in taught.wizard.now.needed().ground.sites


@pytest.mark.long
def test_where_a_lamp_is_reflected_people_are_asked_to_move_it(visitor: Visitor, setup: str, taught: Evening) -> None:
    draft = taught.wizard.now.hexagonal()
    veiled = tuple(map(BOARD.cell, ("G7", "F7", "F8")))
    taught.wizard._change(draft=replace(draft, ground=replace(draft.ground, veiled=veiled)))
    page = visitor.open(f"{setup}#terrain", PHONE)
    said = page.locator("#veiled")
    expect(said).to_contain_text("A lamp or a window is reflected in the board: G7, F7, F8")
    expect(page.locator("#terrain-stage .cell.veiled")).to_have_count(3)
    assert flaws(page) == []
    said.get_by_role("button", name="Photograph it again").press("Enter")
    expect(page.get_by_role("button", name="Photograph the empty board")).to_be_visible()
    taught.wizard._change(draft=draft)
    page.goto(f"{setup}#terrain")
    page.reload()
    expect(page.locator("#terrain-count")).to_be_visible()
    expect(said).to_be_hidden()


@pytest.mark.long
def test_two_terrains_mixed_up_are_swapped_with_one_tap(visitor: Visitor, setup: str, taught: Evening) -> None:
    before = taught.wizard.now.needed().ground.terrain
    page = visitor.open(f"{setup}#terrain", PHONE)
    page.get_by_role("button", name="Swap forest and hill").click()
    rested(page)
    after = taught.wizard.now.needed().ground.terrain
    assert {cell for cell, kind in before.items() if kind.value == "forest"} == {
        cell for cell, kind in after.items() if kind.value == "hill"
    }


@pytest.mark.long
def test_a_finger_drawn_over_cells_makes_all_of_them_the_chosen_terrain(
    visitor: Visitor, setup: str, taught: Evening
) -> None:
    page = visitor.open(f"{setup}#terrain", PHONE)
    row = [BOARD.cell(name) for name in ("A1", "A2", "A3", "A4")]
    person = Person(page)
    person.check(page.locator("[name=tap][value=hill]"))
    person.swipe([f"#terrain-stage [data-cell={cell}]" for cell in row])
    assert person.taps == 2
    ground = taught.wizard.now.hexagonal().ground
    assert {ground.terrain[cell] for cell in row} == {Terrain.HILL}
    assert ground.corrected == frozenset(row)
    page.locator("#terrain-stage [data-cell=G7]").press("Enter")
    rested(page)
    assert taught.wizard.now.hexagonal().ground.terrain[BOARD.cell("G7")] is Terrain.HILL, "a key paints one"
