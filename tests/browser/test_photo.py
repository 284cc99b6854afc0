"""Somebody takes the set-up's photographs with the phone in their hand."""

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest
from playwright.sync_api import Page, expect

from calibration import TableFolder
from companion.setup.store import Store
from companion.setup.wizard import Use, Wizard
from tests.browser.conftest import DESK, PHONE, STEP_MS, Evening, Serve, Visitor, flaws, rested
from tests.browser.test_setup import way
from tests.web.playing import Table


@pytest.fixture
def wizard(tmp_path: Path) -> Wizard:
    """A set-up without a camera."""
    return Wizard(Store(tmp_path / "tables"), lambda: None, lambda path: Use.NOW)


@pytest.fixture
def page(visitor: Visitor, serve: Serve, table: Table, wizard: Wizard) -> Page:
    made = visitor.open(serve(table, wizard=wizard) + "/setup", PHONE)
    # Without a camera the part for photographs from a phone opens by itself.
    expect(made.locator("[data-phone=photograph][open]")).to_be_visible(timeout=STEP_MS)
    return made


def choose(page: Page, photo: Path) -> None:
    page.locator("[data-photo=photograph]").last.set_input_files(photo)


@pytest.mark.long
def test_a_large_photograph_is_made_smaller_and_taken_for_the_empty_board(
    page: Page, wizard: Wizard, tmp_path: Path
) -> None:
    noise = np.random.default_rng(1).integers(0, 255, (225, 300, 3), np.uint8)
    cv2.imwrite(str(tmp_path / "photo.jpg"), cv2.resize(noise, (3600, 2700), interpolation=cv2.INTER_LINEAR))
    choose(page, tmp_path / "photo.jpg")
    expect(page.locator('[data-step="corners"]')).to_be_visible(timeout=STEP_MS)
    assert wizard.now.frozen is not None
    assert wizard.now.frozen.shape[:2] == (1230, 1640)
    assert wizard.now.is_handheld


def test_heic_is_refused_in_words_and_another_can_be_chosen(page: Page, tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_bytes(b"\0\0\0\x18ftypheic" + b"\0" * 400)
    choose(page, tmp_path / "photo.jpg")
    expect(page.locator("#wrong")).to_contain_text("HEIC")
    expect(page.locator("[data-phone=photograph] [data-sent]")).to_have_text("")


def test_the_way_from_the_phone_is_for_everybody(page: Page) -> None:
    assert flaws(page) == []
    page.locator("[data-photo=photograph]").last.focus()
    assert page.evaluate("document.activeElement.type") == "file", "by keyboard too"


#: A phone that moved this far, in pixels of its photograph: too far for the board to be found by itself.
SHAKEN_PX = 25


def point(page: Page, cell: object, place: Sequence[float], *, is_tapped: bool) -> None:
    """Tap that place in the waiting photograph, or drag the corner's ring there."""
    ring, goal = way(page, "#place-stage", cell, place)
    if is_tapped:
        page.mouse.click(*goal)
        return
    page.mouse.move(*ring)
    page.mouse.down()
    page.mouse.move(*goal, steps=3)
    page.mouse.up()


@pytest.mark.long
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_a_photograph_in_which_the_board_is_not_found_is_used_by_its_four_corners(
    visitor: Visitor, setup: str, taught: Evening, elm: TableFolder, size: dict[str, int], tmp_path: Path
) -> None:
    taught.wizard.forget(0)
    shown = elm.load_teach()[0]
    height, width = shown.shape[:2]
    leaning = np.array([[0.75, 0.1, 90], [-0.06, 0.8, 120], [-5e-5, 3e-5, 1]])
    photo = cv2.warpPerspective(shown, leaning, (width, height))
    cv2.imwrite(str(tmp_path / "photo.jpg"), cv2.blur(photo, (SHAKEN_PX, 1)))
    page = visitor.open(setup + "#teach", size)
    page.locator("[data-phone=teach] summary").click()
    page.locator("[data-photo=teach]").last.set_input_files(tmp_path / "photo.jpg")
    expect(page.locator("#placing")).to_be_visible(timeout=STEP_MS)
    expect(page.locator("#teach")).to_be_hidden()
    expect(page.locator("#place-known .corner-name")).to_have_count(4)
    assert flaws(page) == []
    clicks = elm.setup.clicks
    at = cv2.perspectiveTransform(np.array([list(clicks.values())], np.float64), leaning)[0]
    for cell, place in zip(clicks, at.tolist(), strict=True):
        point(page, cell, place, is_tapped=size is PHONE)
    page.click("#place-it")
    expect(page.locator("#placing")).to_be_hidden(timeout=STEP_MS)
    rested(page)
    (lesson,) = taught.wizard.now.hexagonal().lessons
    assert len(lesson.lying) > 20


@pytest.mark.long
def test_a_photograph_that_waits_can_be_put_away(visitor: Visitor, setup: str, taught: Evening, tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "photo.jpg"), np.full((900, 1200, 3), 90, np.uint8))
    page = visitor.open(setup + "#teach", PHONE)
    page.locator("#shoot > summary").click()
    page.locator("[data-phone=teach] summary").click()
    page.locator("[data-photo=teach]").last.set_input_files(tmp_path / "photo.jpg")
    expect(page.locator("#placing")).to_be_visible(timeout=STEP_MS)
    page.click("#place-it")
    expect(page.locator("#wrong")).to_contain_text("find", timeout=STEP_MS)
    expect(page.locator("#placing")).to_be_visible()
    page.click("#put-away")
    expect(page.locator("#placing")).to_be_hidden(timeout=STEP_MS)
    expect(page.locator("#teach")).to_be_visible()
    assert len(taught.wizard.now.hexagonal().lessons) == 1, "what was taught before stays"
