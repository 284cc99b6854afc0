"""The pages of the games in a real browser: replays by slider and keys, rulings, what is shared."""

import struct
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import DESK, LANGUAGES, PHONE, TV, Serve, Visitor, box_of, fits, serious, until
from tests.web.books import played, story
from tests.web.playing import Table, game


@pytest.fixture
def site(serve: Serve, table: Table, book: Path) -> str:
    return serve(table, logbook=lambda: book)


def addresses(book: Path) -> list[str]:
    refused = next(step.number for step in story(book).rulings if step.kind == "illegal")
    return ["/games", "/games/1", "/games/2", f"/games/1/rulings/{refused}", "/statistics", "/games/77"]


@pytest.fixture
def ruling(site: str, book: Path) -> str:
    """The page of a move that was refused."""
    return site + addresses(book)[3]


@pytest.mark.long
def test_a_replay_goes_step_by_step_with_arrow_keys_buttons_and_slider(visitor: Visitor, site: str, book: Path) -> None:
    last = len(story(book).steps) - 1
    page = visitor.open(f"{site}/games/1?step=4")
    said = page.locator("#said")
    before = said.inner_text()
    page.keyboard.press("ArrowRight")
    expect(said).not_to_have_text(before)
    assert page.inner_text("#count") == f"5 / {last}"
    page.keyboard.press("ArrowLeft")
    expect(said).to_have_text(before.replace("\n", ""), use_inner_text=False)
    page.keyboard.press("Home")
    expect(said).to_contain_text("The game begins")
    page.locator("#last").click()
    expect(page.locator("#count")).to_have_text(f"{last} / {last}")
    page.locator("#slider").fill("2")
    expect(page).to_have_url(f"{site}/games/1?step=2")
    assert page.inner_text("#count") == f"2 / {last}"


@pytest.mark.long
def test_the_board_and_who_has_what_follow_the_step(visitor: Visitor, site: str) -> None:
    page = visitor.open(f"{site}/games/1?step=0")
    assert page.locator("#pieces .road").count() == 0
    page.locator("#last").click()
    expect(page.locator("#pieces .road").first).to_be_attached()
    assert page.locator("#lines .gold b").all_inner_texts() == page.locator(".result .gold b").all_inner_texts()


@pytest.mark.long
def test_many_keys_at_once_end_at_the_step_they_name(visitor: Visitor, site: str) -> None:
    page = visitor.open(f"{site}/games/1?step=0")
    for _ in range(12):
        page.keyboard.press("ArrowRight")
    expect(page).to_have_url(f"{site}/games/1?step=12")
    expect(page.locator("#said")).to_have_text(
        visitor.open(f"{site}/games/1?step=12").locator("#said").text_content() or "", use_inner_text=False
    )


@pytest.mark.long
def test_a_key_while_the_next_step_is_fetched_ahead_counts(visitor: Visitor, site: str) -> None:
    page = visitor.open(f"{site}/games/1?step=0")
    ahead = page.expect_request("**/steps/2")
    page.route("**/steps/2", lambda route: None)  # never answered
    with ahead:
        page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    expect(page).to_have_url(f"{site}/games/1?step=0")


@pytest.mark.long
def test_a_tap_on_the_plot_leads_to_that_step(visitor: Visitor, site: str, book: Path) -> None:
    page = visitor.open(f"{site}/games/1?step=0")
    page.locator("#plot").scroll_into_view_if_needed()
    scale = box_of(page.locator("#plot line.scale").first)
    page.mouse.click(scale["x"] + scale["width"], scale["y"] + 10)
    last = len(story(book).steps) - 1
    expect(page).to_have_url(f"{site}/games/1?step={last}")


@pytest.mark.long
def test_the_reading_over_a_rulings_pictures_goes_off_and_on(visitor: Visitor, ruling: str) -> None:
    page = visitor.open(ruling)
    read = page.locator(".over .read").last
    expect(read).to_be_visible()
    page.get_by_role("button", name="Show the reading").click()
    expect(read).to_be_hidden()
    expect(page.locator(".over .about").last).to_be_visible()
    page.get_by_role("button", name="Show the reading").click()
    expect(read).to_be_visible()


@pytest.mark.long
def test_the_drawing_lies_on_the_picture(visitor: Visitor, ruling: str) -> None:
    page = visitor.open(ruling)
    image, over = page.locator(".shot img").last, page.locator(".shot .over").last
    expect(image).to_have_js_property("complete", True)
    assert image.bounding_box() == over.bounding_box()
    box = [float(part) for part in (over.get_attribute("viewBox") or "").split()]
    natural = page.evaluate("image => image.naturalWidth / image.naturalHeight", image.element_handle())
    assert natural == pytest.approx(box[2] / box[3], rel=0.01)


@pytest.mark.long
def test_a_picture_that_is_dropped_while_somebody_looks_says_so(
    visitor: Visitor, serve: Serve, table: Table, tmp_path: Path
) -> None:
    played(tmp_path, "refused")
    page = visitor.open(serve(table, logbook=lambda: tmp_path))
    page.route("**/after.jpg", lambda route: route.fulfill(status=404, body="{}"))
    page.locator(".said .show").click()
    expect(page.locator(".pair .none")).to_contain_text("deleted to make room")


def test_on_a_television_a_ruling_needs_no_scrolling(visitor: Visitor, ruling: str) -> None:
    page = visitor.open(f"{ruling}?tv=1", TV)
    assert page.evaluate("document.documentElement.scrollHeight") <= TV["height"]
    assert page.evaluate("document.documentElement.scrollWidth") <= TV["width"]
    boxes = [box_of(shot) for shot in page.locator(".shot").all()]
    assert boxes
    assert all(box["height"] > 400 and box["y"] + box["height"] <= TV["height"] for box in boxes)
    size = page.evaluate("getComputedStyle(document.querySelector('.reason, .rule')).fontSize")
    assert float(size.removesuffix("px")) >= 24


@pytest.fixture
def television(visitor: Visitor, ruling: str) -> Page:
    page = visitor.open(f"{ruling}?tv=1", TV)
    expect(page.locator("#back")).to_be_visible()
    until(page, "performance.getEntriesByName('live').length")  # it has heard the latest ruling
    return page


@pytest.mark.long
def test_on_a_television_a_ruling_makes_way_for_the_next_verdict(television: Page, site: str, table: Table) -> None:
    before = game()
    table.scoreboard.publish(replace(before, eye=replace(before.eye, picture=8), warning="The lamp is off."))
    television.wait_for_timeout(300)
    expect(television.locator("#back")).to_be_visible()
    table.scoreboard.publish(game("Cy"))
    television.wait_for_url(f"{site}/tv")
    expect(television.locator("#notice")).to_contain_text("Cy: that move is legal")


def test_on_a_television_a_ruling_makes_way_for_the_keepers_pin(television: Page, site: str, table: Table) -> None:
    table.scoreboard.show_pin("482915")
    television.wait_for_url(f"{site}/tv")
    expect(television.locator("#pin b")).to_have_text("482\u202f915")


@pytest.mark.long
def test_on_a_television_a_ruling_goes_by_itself_after_a_minute(visitor: Visitor, site: str, ruling: str) -> None:
    page = visitor.open(site)
    page.clock.install()
    page.goto(f"{ruling}?tv=1")
    expect(page.locator("#back")).to_be_visible()
    page.clock.run_for(59_000)
    assert "/rulings/" in page.url
    page.clock.run_for(1_000)
    page.wait_for_url(f"{site}/tv")


@pytest.mark.long
def test_the_result_becomes_a_png_in_the_browser(visitor: Visitor, site: str) -> None:
    page = visitor.open(f"{site}/games/1")
    with page.expect_download() as download:
        page.locator("#picture").click()
    assert download.value.suggested_filename == "strada-game-0001.png"
    content = download.value.path().read_bytes()
    assert content.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", content[16:24])
    assert min(width, height) > 500
    assert len(content) > 50_000  # an empty picture is much smaller


def test_where_there_is_no_clipboard_the_address_is_marked(visitor: Visitor, site: str) -> None:
    page = visitor.open(f"{site}/games/1")
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.locator("#copy").click()
    expect(page.locator("#copy")).to_have_text("Copied")
    marked = "(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd))"
    assert page.evaluate(f"getSelection().toString() || {marked}(document.activeElement)") == f"{site}/games/1"


@pytest.mark.long
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_wider_than_the_screen(
    visitor: Visitor, site: str, book: Path, size: dict[str, int], language: str
) -> None:
    page = visitor.open(site, size, language)
    for address in addresses(book):
        page.goto(site + address)
        assert fits(page), address


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(visitor: Visitor, site: str, book: Path, scheme: str) -> None:
    page = visitor.open(site, scheme=scheme)
    for address in (*addresses(book), f"{addresses(book)[3]}?tv=1"):
        page.goto(site + address)
        assert serious(page) == []


@pytest.mark.long
def test_a_finger_has_room_on_every_button_and_link(visitor: Visitor, site: str, book: Path) -> None:
    page = visitor.open(site, PHONE)
    for address in addresses(book):
        page.goto(site + address)
        for button in page.locator("main :is(button, .button, summary):visible").all():
            assert box_of(button)["height"] >= 43.5, (address, button.inner_text())
