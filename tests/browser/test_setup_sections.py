"""A table of Silk Road is set up on a phone: its sections are described by tapping where their arrows point."""

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from calibration import TableFolder
from companion.board import LaidSection, Mountain, Snow, Tile
from companion.setup.square_draft import sections_of
from simulator.square_camera import SquareCamera, SquareScene, SquareSetup
from tests.browser.conftest import DESK, PHONE, STEP_MS, Evening, Visitor, box_of, fits, rested, serious
from tests.browser.test_setup import drag_corners

Squares = tuple[SquareCamera, SquareSetup]


@pytest.fixture
def scene(squares: Squares) -> SquareScene:
    """Two sections, the snow and a mountain on the board."""
    camera, drawn = squares
    scene, rng = drawn.empty, np.random.default_rng(3)
    sections = camera.art.sets["green"]
    pieces: dict[str, Tile] = {
        "B2": LaidSection(sections[8], "green", 1),
        "D5": LaidSection(sections[3], "green"),
        "A6": Snow(),
        "C3": Mountain(),
    }
    for name, piece in pieces.items():
        scene = scene.lay(scene.board.cell(name), piece, rng)
    return scene


@pytest.fixture
def evening(squares: Squares, tmp_path: Path) -> Evening:
    camera, drawn = squares
    return Evening(tmp_path / "tables", camera.picture(drawn.empty))


def tell(page: Page, laid: LaidSection, by_picture: bool) -> None:
    """Say what is printed on the open piece."""
    form = page.locator("#teller-form")
    expect(form).to_be_visible()
    tile = box_of(form.locator(".tile"))
    for ray in laid.rays:
        if by_picture:
            right, down = 0.5 + 0.35 * np.cos(ray * np.pi / 4), 0.5 - 0.35 * np.sin(ray * np.pi / 4)
            page.mouse.click(tile["x"] + right * tile["width"], tile["y"] + down * tile["height"])
        else:
            form.locator(f"[name=ray][value='{ray}']").press("Space")
    form.locator("[name=color][value=green]").check(force=True)
    form.get_by_label("Number, if any").fill(str(laid.section.number or ""))
    form.locator("[name=horse]").set_checked(laid.section.has_horse, force=True)
    form.locator("[name=dead_end]").set_checked(laid.section.is_dead_end, force=True)
    form.get_by_role("button", name="Confirm").click()
    rested(page)


@pytest.mark.long
def test_sections_are_taught_on_a_phone_by_tapping_where_their_arrows_point(
    visitor: Visitor, setup: str, evening: Evening, squares: Squares, scene: SquareScene
) -> None:
    camera, drawn = squares
    page = visitor.open(setup, PHONE)
    page.get_by_text("6 × 6 squares: Silk Road").click()
    rested(page)
    expect(page.get_by_text("Colours you play with")).to_be_hidden()
    page.get_by_role("button", name="Photograph the empty board").click()
    expect(page.get_by_role("button", name="Corner F6")).to_be_visible(timeout=STEP_MS)
    drag_corners(page, dict(drawn.clicks))
    page.get_by_role("button", name="The grid is right").click()
    evening.seen = camera.picture(scene)
    page.get_by_role("button", name="Photograph the pieces").click()
    describe = page.get_by_role("button", name="Describe the sections: 2 left")
    expect(describe).to_be_visible(timeout=STEP_MS)
    describe.click()
    for name, by_picture in (("B2", True), ("D5", False)):
        expect(page.locator("#teller-title")).to_have_text(f"{name} in photograph 1")
        laid = scene.contents(scene.board.cell(name)).tile
        assert isinstance(laid, LaidSection)
        tell(page, laid, by_picture)
    expect(page.locator("#teller")).to_be_hidden()
    expect(page.locator("#counts li")).to_have_text(["Green: 2 of 14"])
    assert fits(page), "nothing is pushed out of the page"
    page.get_by_role("button", name="All correct").locator("visible=true").click()
    expect(page.locator("#judged")).to_be_visible(timeout=STEP_MS)
    expect(page.locator("#few")).to_contain_text("Green: 2 of the 14 sections were taught")
    page.get_by_label("The table’s name").fill("Silk")
    page.get_by_role("button", name="Save and play on this table").click()
    expect(page.locator("#start")).to_be_visible(timeout=STEP_MS)
    folder = TableFolder.open(evening.used[0])
    _, truth = folder.load_teach()
    assert {name: len(sections) for name, sections in sections_of(folder).items()} == {"green": 2}
    for cell in scene.board.cells:
        true, kept = scene.contents(cell).tile, truth.contents(cell).tile
        if isinstance(true, LaidSection):
            assert isinstance(kept, LaidSection)
            assert (kept.rays, kept.section.number) == (true.rays, true.section.number)
        else:
            assert kept == true


@pytest.mark.long
def test_the_teller_has_no_flaws_for_assistive_technology(
    visitor: Visitor, setup: str, evening: Evening, squares: Squares, scene: SquareScene
) -> None:
    (camera, drawn), wizard = squares, evening.wizard
    wizard.lay(scene.board)
    wizard.freeze()
    wizard.find(drawn.clicks)
    evening.seen = camera.picture(scene)
    wizard.teach()
    for size in (PHONE, DESK):
        page = visitor.open(f"{setup}#teach", size)
        page.locator(".found [data-cell=B2]").click()
        expect(page.locator("#teller")).to_be_visible()
        assert serious(page) == []
