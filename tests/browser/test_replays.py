"""A replay in a real browser: motion shows what happened, the photographs go along, and a film is made."""

import base64
import itertools
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import DESK, PHONE, Serve, Visitor, box_of, until
from tests.browser.test_motion import NOTE, moved
from tests.web.books import story
from tests.web.playing import Table


@pytest.fixture
def site(serve: Serve, table: Table, book: Path) -> str:
    return serve(table, logbook=lambda: book)


@pytest.fixture(scope="session")
def road(book: Path) -> int:
    """A step at which a road, and merchants with it, appeared on the board."""
    steps = story(book).steps
    return next(
        index
        for index, step in enumerate(steps)
        if step.kind == "legal" and step.position.expected() != steps[index - 1].position.expected() and index > 6
    )


def at_step(page: Page, index: int) -> None:
    until(page, f"location.search === '?step={index}'")


@pytest.mark.long
def test_a_step_forward_moves_as_at_the_table_and_what_goes_back_or_leaps_does_not(
    visitor: Visitor, site: str, road: int
) -> None:
    page = visitor.open(f"{site}/games/1?step={road - 1}", script=NOTE, moving=True)
    page.locator("#on").click()
    at_step(page, road)
    assert moved(page, "road")
    page.evaluate("window.moved = []")
    page.locator("#back").click()
    at_step(page, road - 1)
    page.locator("#last").click()
    expect(page.locator("#said")).to_contain_text("win")
    assert page.evaluate("window.moved") == []


@pytest.mark.long
def test_who_wants_no_motion_sees_none(visitor: Visitor, site: str, road: int) -> None:
    page = visitor.open(f"{site}/games/1?step={road - 1}", script=NOTE)
    page.locator("#on").click()
    at_step(page, road)
    assert page.evaluate("window.moved") == []


@pytest.mark.long
def test_while_it_plays_each_photograph_is_there_before_it_takes_the_place_of_the_last(
    visitor: Visitor, site: str, book: Path
) -> None:
    page = visitor.open(f"{site}/games/1?step=0")
    page.evaluate(
        """window.empty = 0; window.seen = new Set();
        new MutationObserver(() => {
          for (const image of document.querySelectorAll("#shown img")) {
            window.seen.add(image.getAttribute("src"));
            if (!image.complete || !image.naturalWidth) window.empty += 1;
          }
        }).observe(document.getElementById("shown"), { childList: true, subtree: true }); 0"""
    )
    page.locator("#speed").select_option("4")
    page.locator("#play").click()
    at_step(page, 6)
    page.locator("#play").click()
    seen, empty = page.evaluate("[window.seen.size, window.empty]")
    assert seen >= len({step.number for step in story(book).steps[1:6]})
    assert empty == 0


@pytest.mark.long
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_while_it_plays_the_board_is_on_the_screen_and_no_verdict_moves_it(
    visitor: Visitor, site: str, size: dict[str, int]
) -> None:
    page = visitor.open(f"{site}/games/1?step=0", size, "de")
    page.evaluate(
        """window.seen = [];
        new MutationObserver(() => {
          const box = (where) => document.querySelector(where).getBoundingClientRect();
          const [board, said] = [box("#replay .board"), box("#said")];
          window.seen.push([Math.round(board.top), Math.round(board.bottom), Math.round(said.height)]);
        }).observe(document.getElementById("said"), { childList: true, subtree: true }); 0"""
    )
    page.locator("#speed").select_option("4")
    page.locator("#play").click()
    until(page, "window.seen.length >= 8")
    page.locator("#play").click()
    tops, bottoms, heights = map(set, zip(*page.evaluate("window.seen"), strict=True))
    assert len(tops) == 1
    assert min(tops) >= 0
    assert max(bottoms) <= size["height"]
    assert len(heights) > 1, "some verdicts are longer than others"


def test_the_address_to_share_leads_to_the_step_that_is_shown(visitor: Visitor, site: str) -> None:
    page = visitor.open(f"{site}/games/1")
    page.locator("#back").click()
    at_step(page, int(page.locator("#slider").get_attribute("max") or "0") - 1)
    shared = page.locator("#address").input_value()
    assert shared.startswith(f"{site}/games/1?step=")
    page.locator("#last").click()
    expect(page.locator("#address")).to_have_value(f"{site}/games/1")


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_each_turning_point_is_marked_where_the_slider_stands_at_it(
    visitor: Visitor, site: str, size: dict[str, int]
) -> None:
    page = visitor.open(f"{site}/games/1", size)
    marks = page.locator(".turns rect").all()
    assert len(marks) == page.locator("#turning a").count()
    end, slider = box_of(marks[-1]), box_of(page.locator("#slider"))
    assert abs(end["x"] + end["width"] / 2 - (slider["x"] + slider["width"] - 8)) < 2


@pytest.mark.long
@pytest.mark.parametrize(("button", "kind"), [("#film", "gif"), ("#film-webp", "webp")])
def test_a_film_is_a_picture_of_every_step_that_counted_and_plays_in_a_browser(
    visitor: Visitor, site: str, button: str, kind: str
) -> None:
    page = visitor.open(f"{site}/games/1")
    with page.expect_download() as download:
        page.locator(button).click()
    assert download.value.suggested_filename == f"strada-game-0001.{kind}"
    film = download.value.path().read_bytes()
    steps = (page.locator("#film").get_attribute("data-steps") or "").split()
    told = page.evaluate(
        """async ([text, type]) => {
          const data = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
          const decoder = new ImageDecoder({ data, type });
          await decoder.tracks.ready;
          await decoder.completed;
          const { frameCount, repetitionCount } = decoder.tracks.selectedTrack;
          const canvas = document.createElement("canvas");
          const paper = canvas.getContext("2d", { willReadFrequently: true });
          const sums = [];
          for (let frameIndex = 0; frameIndex < frameCount; frameIndex += 1) {
            const { image } = await decoder.decode({ frameIndex });
            [canvas.width, canvas.height] = [image.displayWidth, image.displayHeight];
            paper.drawImage(image, 0, 0);
            sums.push(paper.getImageData(0, 0, canvas.width, canvas.height).data.reduce((sum, each) => sum + each, 0));
          }
          return { frameCount, repetitionCount, sums, width: canvas.width };
        }""",
        [base64.b64encode(film).decode(), f"image/{kind}"],
    )
    assert told["frameCount"] == len(steps)
    assert told["repetitionCount"] in (None, float("inf"), -1), "for ever"
    assert told["width"] == 640
    assert all(one != other for one, other in itertools.pairwise(told["sums"])), "each shows another moment"
    assert len(film) < 40_000 * len(steps)


@pytest.mark.long
def test_a_film_as_a_webp_shows_each_moment_as_it_was_drawn(visitor: Visitor, site: str) -> None:
    page = visitor.open(f"{site}/games/1")
    with page.expect_download() as download:
        page.locator("#film-webp").click()
    off = page.evaluate(
        """async (text) => {
          const data = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
          const decoder = new ImageDecoder({ data, type: "image/webp" });
          await decoder.completed;
          const steps = document.querySelector("#film").dataset.steps.split(" ");
          const drawn = async (source) => {
            const canvas = document.createElement("canvas");
            const paper = canvas.getContext("2d", { willReadFrequently: true });
            [canvas.width, canvas.height] = [source.displayWidth, source.displayHeight];
            if (!source.src) paper.drawImage(source, 0, 0);
            else paper.drawImage(source, 0, 0, canvas.width, canvas.height);
            return paper.getImageData(0, 0, canvas.width, canvas.height).data;
          };
          const most = [];
          for (const frameIndex of [0, Math.floor(steps.length / 2), steps.length - 1]) {
            const { image } = await decoder.decode({ frameIndex });
            const step = new Image();
            step.src = `${location.pathname}/steps/${steps[frameIndex]}.svg`;
            await step.decode();
            [step.displayWidth, step.displayHeight] = [image.displayWidth, image.displayHeight];
            const [one, other] = [await drawn(image), await drawn(step)];
            most.push(one.reduce((far, each, at) => far + Math.abs(each - other[at]), 0) / one.length);
          }
          return most;
        }""",
        base64.b64encode(download.value.path().read_bytes()).decode(),
    )
    assert max(off) < 3, "of 255"


@pytest.mark.long
def test_where_a_browser_packs_no_webp_only_the_gif_is_offered(visitor: Visitor, site: str) -> None:
    no_webp = """const pack = HTMLCanvasElement.prototype.toBlob;
        HTMLCanvasElement.prototype.toBlob = function (done) { pack.call(this, done, "image/png"); };"""
    page = visitor.open(f"{site}/games/1", script=no_webp)
    expect(page.locator("#film")).to_be_visible()
    page.wait_for_timeout(300)
    expect(page.locator("#film-webp")).to_be_hidden()


@pytest.mark.long
def test_a_second_tap_cancels_the_film(visitor: Visitor, site: str) -> None:
    page = visitor.open(f"{site}/games/1")
    page.route("**/steps/*.svg", lambda route: None)  # never answered
    film = page.locator("#film")
    film.click()
    expect(film).to_have_attribute("aria-busy", "true")
    film.click()
    expect(film).not_to_have_attribute("aria-busy", "true")
    expect(film).to_have_text("Film of the game (GIF)")
    expect(page.locator("#lost")).to_be_hidden()
