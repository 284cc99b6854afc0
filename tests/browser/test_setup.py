"""A table is set up in a real browser: from the camera's picture to a folder that the reader is taught from."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from bench.tapper import Person, Pieces
from calibration import TableFolder
from companion.board import HexBoard, HexCell
from companion.setup.draft import Draft
from tests.browser.conftest import DESK, PHONE, STEP_MS, Evening, Visitor, box_of, fits, flaws, keep, rested, until
from tests.calibration.rims import Rim, beside, rimmed, tilted_view
from vision.reader import Reader

BOARD = HexBoard(6)


def way(page: Page, stage: str, cell: object, place: Sequence[float]) -> tuple[list[float], list[float]]:
    """Return where on the screen the ring of a corner is, and where that place of the stage's picture is."""
    page.locator(f'{stage} [aria-label="Corner {cell}"]').scroll_into_view_if_needed()
    places: list[float] = page.evaluate(
        """([stage, cell, x, y]) => {
            const m = document.querySelector(`${stage} svg`).getScreenCTM();
            const ring = document.querySelector(`${stage} [aria-label="Corner ${cell}"]`);
            const at = ring.transform.baseVal.consolidate().matrix;
            return [at.e * m.a + m.e, at.f * m.d + m.f, x * m.a + m.e, y * m.d + m.f];
        }""",
        [stage, str(cell), *place],
    )
    return places[:2], places[2:]


def drag_corners(page: Page, clicks: dict[HexCell, tuple[float, float]]) -> None:
    for cell, place in clicks.items():
        ring, goal = way(page, "#corner-stage", cell, place)
        page.mouse.move(*ring)
        page.mouse.down()
        page.mouse.move(*goal, steps=3)
        expect(page.locator("#magnifier")).to_be_visible()
        page.mouse.up()
        rested(page)
    expect(page.locator("#residual")).to_have_class("lamp good", timeout=STEP_MS)


@pytest.mark.long
def test_the_wizard_leads_from_elms_picture_to_a_taught_table(
    visitor: Visitor, setup: str, evening: Evening, elm: TableFolder
) -> None:
    page = visitor.open(setup, PHONE)
    expect(page.get_by_text("The picture is good.")).to_be_visible(timeout=STEP_MS)
    page.get_by_role("button", name="Photograph the empty board").click()
    expect(page.get_by_text("I found the board by myself.")).to_be_visible(timeout=STEP_MS)
    page.get_by_role("button", name="No, move the corners").click()
    drag_corners(page, dict(elm.setup.clicks))
    page.get_by_role("button", name="The grid is right").click()
    expect(page.get_by_text("I found the board by myself.")).to_be_hidden()
    expect(page.locator("#terrain-count")).to_contain_text("sites: 19")
    page.get_by_role("button", name="All correct").locator("visible=true").click()
    evening.seen, truth = elm.load_teach()
    page.get_by_role("button", name="Photograph the pieces").click()
    expect(page.locator(".found li").first).to_be_visible(timeout=STEP_MS)
    Pieces(Person(page), truth).put_right()
    expect(page.locator("#missing")).to_be_hidden()
    page.get_by_role("button", name="All correct").locator("visible=true").click()
    expect(page.get_by_text("Are the day tracks and the markers where I drew them?")).to_be_visible()
    page.get_by_role("button", name="No, move the day tracks").click()
    expect(page.get_by_role("button", name="Black 10")).to_be_visible()
    page.get_by_role("button", name="All correct").locator("visible=true").click()
    expect(page.locator("#judged")).to_be_visible(timeout=STEP_MS)
    page.get_by_label("The table’s name").fill("Elm")
    page.get_by_role("button", name="Save and play on this table").click()
    expect(page.locator("#start")).to_be_visible(timeout=STEP_MS)
    (path,) = evening.used
    _, kept = TableFolder.open(path).load_teach()
    assert all(kept.contents(cell) == truth.contents(cell) for cell in BOARD.cells)
    Reader.of(TableFolder.open(path))


@pytest.fixture
def hazel(yesterday: Evening, tables: Path) -> None:
    """Another table beside elm, set up later."""
    keep(yesterday, TableFolder.open(tables / "hazel"), "hazel-20261121-090000", "Hazel", "2026-11-21T09:00:00+00:00")


@pytest.mark.long
def test_yesterdays_table_that_still_fits_is_one_tap_away(visitor: Visitor, setup: str, yesterday: Evening) -> None:
    page = visitor.open(setup, PHONE)
    expect(page.get_by_role("heading", name="Elm & friends")).to_be_visible()
    expect(page.get_by_text("This table still fits.")).to_be_visible(timeout=STEP_MS)
    page.get_by_role("button", name="Play on this table").first.click()
    expect(page.get_by_text("This table is now in use.")).to_be_visible(timeout=STEP_MS)
    assert [path.name for path in yesterday.used] == ["elm-20261120-200000"]


@pytest.mark.long
@pytest.mark.usefixtures("hazel")
def test_of_several_tables_the_one_that_lies_there_is_offered(visitor: Visitor, setup: str, yesterday: Evening) -> None:
    page = visitor.open(setup, PHONE)
    expect(page.get_by_text("This table still fits.")).to_be_visible(timeout=STEP_MS)
    expect(page.locator("#table-name")).to_have_text("Elm & friends")
    expect(page.locator("#tables")).to_contain_text("Hazel")
    page.locator("#use-table").click()
    expect(page.get_by_text("This table is now in use.")).to_be_visible(timeout=STEP_MS)
    assert [path.name for path in yesterday.used] == ["elm-20261120-200000"]


@pytest.mark.long
@pytest.mark.usefixtures("hazel")
def test_where_no_table_lies_there_the_newest_says_why(visitor: Visitor, setup: str, yesterday: Evening) -> None:
    yesterday.seen = (yesterday.seen * 0.5).astype(yesterday.seen.dtype)
    page = visitor.open(setup, PHONE)
    expect(page.locator("#fit-bad")).to_be_visible(timeout=STEP_MS)
    expect(page.locator("#table-name")).to_have_text("Hazel")


@pytest.mark.long
def test_a_table_that_does_not_fit_says_why(visitor: Visitor, setup: str, yesterday: Evening) -> None:
    yesterday.seen = (yesterday.seen * 0.5).astype(yesterday.seen.dtype)
    page = visitor.open(setup)
    expect(page.locator("#fit-bad")).to_contain_text("darker", timeout=STEP_MS)


@pytest.mark.long
def test_a_camera_that_comes_later_is_noticed(visitor: Visitor, setup: str, yesterday: Evening) -> None:
    seen, yesterday.seen = yesterday.seen, None  # type: ignore[assignment]
    page = visitor.open(setup, PHONE)
    expect(page.locator("#fit-bad")).to_contain_text("no picture")
    yesterday.seen = seen
    expect(page.get_by_text("This table still fits.")).to_be_visible(timeout=STEP_MS)


@pytest.mark.long
def test_one_piece_is_taught_again_alone(visitor: Visitor, setup: str, yesterday: Evening, elm: TableFolder) -> None:
    page = visitor.open(setup)
    page.get_by_label("What to teach again").select_option("workshop-red")
    page.get_by_role("button", name="Teach it again").click()
    expect(page.get_by_role("heading", name="Teach again: Workshop: Red")).to_be_visible(timeout=STEP_MS)
    yesterday.seen = elm.load_teach()[0]
    page.get_by_role("button", name="Photograph the pieces").click()
    expect(page.locator(".found li").first).to_contain_text("Workshop: Red", timeout=STEP_MS)


@pytest.mark.long
def test_corners_and_terrain_are_worked_by_keys_alone(
    visitor: Visitor, setup: str, yesterday: Evening, elm: TableFolder
) -> None:
    page = visitor.open(f"{setup}#camera")
    page.get_by_role("button", name="Photograph the empty board").press("Enter")
    page.get_by_role("button", name="No, move the corners").press("Enter", timeout=STEP_MS)
    page.get_by_role("button", name="Corner A1").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#residual")).to_have_class("lamp good", timeout=STEP_MS)
    rested(page)
    page.get_by_role("button", name="The grid is right").press("Enter")
    first = page.locator("#terrain-stage [data-cell=A1]")
    first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#terrain-stage [data-cell=A2]")).to_be_focused()
    before = page.locator("#terrain-stage [data-cell=A2]").get_attribute("class")
    page.keyboard.press("Enter")
    rested(page)
    expect(page.locator("#terrain-stage [data-cell=A2]")).not_to_have_class(str(before))


STEPS = ("camera", "corners", "terrain", "teach", "tracks", "save")


@pytest.mark.long
@pytest.mark.usefixtures("taught")
def test_no_step_is_wider_than_a_phone_or_keeps_anybody_out(visitor: Visitor, setup: str) -> None:
    phone, page = (visitor.open(f"{setup}#camera", size) for size in (PHONE, DESK))
    for step in STEPS:
        for each in (phone, page):
            each.locator(f".steps [data-go={step}]").click()
            rested(each)
        assert fits(phone), step
        assert flaws(page) == [], step
    page.locator(".steps [data-go=teach]").click()
    page.locator(".found button").first.click()
    expect(page.locator("#picker")).to_be_visible()
    assert flaws(page) == []


@pytest.mark.long
def test_the_whole_board_is_on_a_phones_screen_while_corners_are_set(
    visitor: Visitor, setup: str, yesterday: Evening
) -> None:
    yesterday.wizard.freeze()
    page = visitor.open(f"{setup}#corners", PHONE)
    view, drawing = (box_of(page.locator(f"#corner-stage {part}")) for part in (".view", ".view > svg"))
    assert drawing["width"] <= view["width"] + 1
    assert drawing["height"] <= PHONE["height"] * 0.72
    for corner in ("A1", "A7", "M7", "M1"):
        reach = box_of(page.locator(f'[aria-label="Corner {corner}"] .reach'))
        assert min(reach["width"], reach["height"]) >= 44


@pytest.mark.long
@pytest.mark.usefixtures("taught")
@pytest.mark.parametrize(("step", "stage"), [("terrain", "#terrain-stage"), ("teach", "#lessons .stage")])
def test_the_whole_board_is_on_a_phones_screen_while_cells_are_put_right(
    visitor: Visitor, setup: str, step: str, stage: str
) -> None:
    page = visitor.open(f"{setup}#{step}", {"width": 390, "height": 844})
    view = box_of(page.locator(f"{stage} .view"))
    for cell in ("A1", "G1", "G13", "M7"):
        box = box_of(page.locator(f"{stage} [data-cell={cell}]"))
        assert view["x"] - 1 <= box["x"]
        assert box["x"] + box["width"] <= view["x"] + view["width"] + 1
        assert view["y"] - 1 <= box["y"]
        assert box["y"] + box["height"] <= view["y"] + view["height"] + 1
        assert box["width"] >= 24, "a finger hits it"


@pytest.mark.long
def test_nobody_is_asked_if_all_is_right_before_a_piece_is_photographed(
    visitor: Visitor, setup: str, taught: Evening
) -> None:
    page = visitor.open(f"{setup}#teach", PHONE)
    expect(page.locator("#pieces-right")).to_be_visible()
    taught.wizard.forget(0)
    page.reload()
    expect(page.locator("#teach")).to_be_visible()
    expect(page.locator("#pieces-right")).to_be_hidden()


@pytest.mark.long
def test_a_full_board_is_refused_in_words_and_may_be_insisted_on(
    visitor: Visitor, setup: str, evening: Evening, elm: TableFolder
) -> None:
    evening.seen = elm.load_teach()[0]
    evening.wizard.freeze()
    evening.wizard.find(elm.setup.clicks)
    page = visitor.open(f"{setup}#corners", PHONE)
    said = page.locator("#not-empty")
    expect(said).to_contain_text("There are tiles on it: ")
    expect(said).to_contain_text("Clear the board, then photograph it again.")
    expect(page.locator("#corner-stage .covered").first).to_be_attached()
    expect(page.locator("#corners-right")).to_be_hidden()
    assert flaws(page) == []
    said.get_by_role("button", name="No, the board is empty").press("Enter")
    rested(page)
    expect(said).to_be_hidden()
    expect(page.locator("#corners-right")).to_be_visible()


@pytest.mark.long
def test_where_no_board_is_seen_its_corners_are_asked_for(visitor: Visitor, setup: str, evening: Evening) -> None:
    evening.seen = evening.seen // 4 + 90
    evening.seen[:, : evening.seen.shape[1] // 2] = 90
    page = visitor.open(f"{setup}#camera", PHONE)
    page.get_by_role("button", name="Photograph the empty board").click()
    expect(page.get_by_text("I can’t find the board by myself.")).to_be_visible(timeout=STEP_MS)
    expect(page.get_by_role("button", name="Corner A1")).to_be_visible()
    expect(page.locator("#corners-right")).to_be_hidden()
    assert flaws(page) == []


@pytest.mark.long
def test_a_reload_and_a_new_visit_come_back_to_the_same_step(visitor: Visitor, setup: str, taught: Evening) -> None:
    page = visitor.open(f"{setup}#terrain")
    page.locator(".steps [data-go=tracks]").click()
    page.reload()
    expect(page.get_by_role("heading", name="The day tracks")).to_be_visible()
    page.goto(setup)
    expect(page.get_by_role("heading", name="The day tracks")).to_be_visible()
    elsewhere = visitor.open(setup)
    expect(elsewhere.get_by_role("heading", name="Teach the pieces")).to_be_visible()


@pytest.mark.long
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_two_grids_that_may_be_right_are_drawn_and_one_is_taken(
    visitor: Visitor, setup: str, evening: Evening, size: dict[str, int]
) -> None:
    scene = rimmed(tilted_view(6, tilt=0.06), Rim(0.8))
    evening.seen = scene.image
    evening.wizard.freeze()
    evening.wizard.find(beside(scene, 1, 0, 3))
    page = visitor.open(f"{setup}#corners", size)
    expect(page.get_by_text("There are two possible grids, one cell apart.")).to_be_visible()
    expect(page.locator("#corners-right")).to_be_hidden()
    lines = len(scene.view.board.cells) * 3 + 39
    expect(page.locator("#corner-stage .gridline")).to_have_count(2 * lines)
    expect(page.locator("#corner-stage .gridline.other")).to_have_count(lines)
    assert page.locator("#corner-stage .gridline.other").first.evaluate("line => line.getClientRects().length") == 1
    assert flaws(page) == []
    page.get_by_role("button", name="Use the dashed orange grid beside it").click()
    expect(page.locator("#terrain-stage")).to_be_visible(timeout=STEP_MS)
    page.locator(".steps [data-go=corners]").click()
    expect(page.locator("#two-grids")).to_be_hidden()
    expect(page.locator("#residual")).to_have_class("lamp good", timeout=STEP_MS)
    draft = evening.wizard.now.draft
    assert isinstance(draft, Draft)
    assert scene.rms_px(draft.ground.view) < 1
    expect(page.locator("#corners-right")).to_be_visible()


def test_a_picture_that_is_on_its_way_is_not_shown_as_a_broken_one(
    visitor: Visitor, setup: str, evening: Evening
) -> None:
    page = visitor.open("about:blank", PHONE)
    page.route("**/setup/live.json*", lambda route: None)  # never answered
    page.goto(f"{setup}#camera")
    expect(page.locator("[data-step=camera] h2")).to_be_visible()
    expect(page.locator("#live")).to_be_hidden()
    page.unroute("**/setup/live.json*")
    page.reload()
    expect(page.locator("#live")).to_be_visible()
    until(page, "document.getElementById('live').naturalWidth > 0")


@pytest.mark.usefixtures("yesterday")
def test_numbers_are_written_as_the_page_writes_them(visitor: Visitor, setup: str) -> None:
    page = visitor.open("about:blank", PHONE, "de")
    measured = {"fits": True, "why": "", "residual_px": 0.6, "moved_cells": 0.01, "stops": 0.5, "message": ""}
    page.route("**/setup/check", lambda route: route.fulfill(json=measured))
    page.goto(setup)
    expect(page.locator("#fit-measured")).to_contain_text("0,6 Pixel")
    expect(page.locator("#fit-measured")).to_contain_text("1,4-mal so hell")


@pytest.mark.long
@pytest.mark.usefixtures("taught")
def test_the_name_of_the_last_step_touches_no_other_step(visitor: Visitor, setup: str) -> None:
    page = visitor.open(f"{setup}#save", PHONE, "fr")
    name = page.locator(".steps [aria-current] span")
    expect(name).to_have_text("Enregistrer")
    named, before = box_of(name), box_of(page.locator(".steps button:nth-last-child(2)"))
    assert named["x"] >= before["x"] + before["width"]
    assert before["width"] >= 36
    assert fits(page)
