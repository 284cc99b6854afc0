"""Somebody takes the set-up's photographs with the phone in their hand."""

from pathlib import Path

import cv2
import numpy as np
import pytest
from playwright.sync_api import Page, expect

from companion.setup.store import Store
from companion.setup.wizard import Use, Wizard
from tests.browser.conftest import PHONE, STEP_MS, Serve, Visitor, fits, serious
from tests.web.playing import Table


@pytest.fixture
def wizard(tmp_path: Path) -> Wizard:
    """A set-up without a camera."""
    return Wizard(Store(tmp_path / "tables"), lambda: None, lambda path: Use.NOW)


@pytest.fixture
def page(visitor: Visitor, serve: Serve, table: Table, wizard: Wizard) -> Page:
    made = visitor.open(serve(table, wizard=wizard) + "/setup", PHONE)
    made.locator("[data-phone=photograph] summary").click()
    return made


def choose(page: Page, photo: Path) -> None:
    page.locator("[data-photo=photograph]").last.set_input_files(photo)


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
    assert fits(page)
    assert serious(page) == []
    page.locator("[data-photo=photograph]").last.focus()
    assert page.evaluate("document.activeElement.type") == "file", "by keyboard too"
