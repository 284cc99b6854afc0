"""The end as a ceremony: counted place by place, skipped, seen again, and gone at once when the end is taken back."""

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from companion.games import RULE_SETS, score
from companion.games.contract import Position
from companion.words.speech import Speech
from companion.words.why import counting
from tests.browser.conftest import DESK, LANGUAGES, PHONE, TV, Serve, Visitor, box_of, flaws, until
from tests.browser.test_motion import LATE_MS
from tests.browser.test_screens import VOICES
from tests.web.ending import end_of, ended, shown, still_playing
from tests.web.playing import Table

#: The first place is shown by then, and the last one is not.
EARLY_MS = 2500

END = end_of("standard")
PATHS = [pytest.param("/", id="scoreboard"), pytest.param("/tv", id="tv", marks=pytest.mark.long)]
COUNTING = "document.body.classList.contains('counting')"


def watch(visitor: Visitor, address: str, table: Table, end: Position = END, size: dict[str, int] = DESK) -> Page:
    """Open the page while the game goes on, as somebody who likes motion, and let the game end."""
    table.scoreboard.publish(still_playing(end))
    page = visitor.open(address, size, moving=True)
    page.wait_for_timeout(LATE_MS)
    table.scoreboard.publish(shown(end))
    until(page, COUNTING)
    return page


def counted(end: Position) -> int:
    """Return how many places are counted."""
    return len(counting(Speech(end.players), end))


def golds(page: Page) -> list[int]:
    return [int(each) for each in page.locator(".podium .gold b").all_inner_texts()]


def in_the_end(page: Page, end: Position = END) -> None:
    """Check that the winners are named, and that everybody has the gold that the referee gives them."""
    until(page, f"!{COUNTING}")
    expect(page.locator("#turn h2")).to_be_visible()
    assert sorted(golds(page)) == sorted(score(end).gold.values())
    expect(page.locator("#counted .count").first).to_be_hidden()


@pytest.mark.long
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "rules", [pytest.param(each, marks=[] if each == "standard" else pytest.mark.long) for each in RULE_SETS]
)
def test_the_count_begins_from_nothing_without_the_winner_and_a_key_skips_it(
    visitor: Visitor, address: str, table: Table, path: str, rules: str
) -> None:
    end = end_of(rules)
    page = watch(visitor, address + path, table, end)
    assert golds(page) == [0] * len(end.players)
    expect(page.locator("#turn")).to_be_hidden()
    expect(page.locator("#counted .count.now")).to_be_visible()
    expect(page.locator(".telling")).to_have_text(page.locator("[data-sums]").first.text_content() or "")
    page.keyboard.press("Escape")
    in_the_end(page, end)


@pytest.mark.long
def test_it_comes_to_its_end_by_itself_and_each_sum_is_one_of_the_referees(
    visitor: Visitor, address: str, table: Table
) -> None:
    page = watch(visitor, address, table)
    told = page.locator("[data-sums]").count()
    page.wait_for_selector(f"#counted .count:nth-child({told}).now", timeout=40_000)
    in_the_end(page)


@pytest.mark.long
@pytest.mark.parametrize(("where", "key"), [(".skip-count button", "Enter"), (".podium li", " "), ("#board", "Escape")])
def test_a_tap_or_a_key_skips_it_and_a_tap_shows_it_again(
    visitor: Visitor, address: str, table: Table, where: str, key: str
) -> None:
    page = watch(visitor, address, table, size=PHONE)
    page.locator(where).first.click(position={"x": 20, "y": 5})
    in_the_end(page)
    page.click("[data-ceremony=count]")
    until(page, COUNTING)
    assert golds(page) == [0] * len(END.players)
    page.wait_for_timeout(100)  # the button that had the focus is gone
    page.keyboard.press(key)
    in_the_end(page)


@pytest.mark.long
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("is_skipped", [False, True])
def test_when_the_end_is_taken_back_all_of_it_goes_at_once(
    visitor: Visitor, address: str, table: Table, path: str, is_skipped: bool
) -> None:
    page = watch(visitor, address + path, table)
    if is_skipped:
        page.keyboard.press("Escape")
    table.scoreboard.publish(still_playing(END))
    expect(page.locator(".ceremony")).to_have_count(0)
    assert not page.evaluate(COUNTING), "nothing of it outlives its markup"
    assert page.evaluate("document.getElementById('counted').childElementCount") == 0
    expect(page.locator("#players .player")).to_have_count(len(END.players))
    expect(page.locator("#players .player").first).to_be_visible()
    page.wait_for_timeout(EARLY_MS)
    assert not page.evaluate(COUNTING), "none of its clocks still runs"
    table.scoreboard.publish(shown(END))
    until(page, COUNTING)


@pytest.mark.long
def test_a_name_that_is_given_afterwards_starts_no_new_count(visitor: Visitor, address: str, table: Table) -> None:
    page = watch(visitor, address, table)
    page.keyboard.press("Escape")
    named = replace(END.players[0], name="Zoë")
    table.scoreboard.publish(shown(replace(END, players=(named, *END.players[1:]))))  # type: ignore[type-var]
    expect(page.locator(".podium")).to_contain_text("Zoë")
    in_the_end(page)


@pytest.mark.long
def test_a_score_that_is_corrected_after_the_end_is_counted_again(visitor: Visitor, address: str, table: Table) -> None:
    page = watch(visitor, address, table)
    other = end_of("standard", 4)
    table.scoreboard.publish(shown(other))
    until(page, f"document.querySelectorAll('[data-sums]').length === {counted(other)} && {COUNTING}")
    assert golds(page) == [0] * len(other.players)
    page.keyboard.press("Escape")
    in_the_end(page, other)


@pytest.mark.long
def test_a_voice_says_who_has_won_once_it_is_counted(visitor: Visitor, address: str, table: Table) -> None:
    table.scoreboard.publish(still_playing(END))
    page = visitor.open(address, language="de", script=VOICES, moving=True)
    page.click("#voice")
    page.wait_for_timeout(LATE_MS)
    table.scoreboard.publish(shown(END))
    until(page, COUNTING)
    winner = next(player.name for player in END.players if player.color in score(END).winners)
    spoken = f"window.spoken.some((each) => each[1].includes('{winner}'))"
    assert not page.evaluate(spoken)
    page.keyboard.press("Escape")
    until(page, spoken)


@pytest.mark.long
def test_who_wants_no_motion_or_comes_late_sees_the_result_at_once(
    visitor: Visitor, address: str, table: Table
) -> None:
    table.scoreboard.publish(still_playing(END))
    calm = visitor.open(address)
    calm.wait_for_timeout(LATE_MS)
    table.scoreboard.publish(shown(END))
    expect(calm.locator(".podium")).to_be_visible()
    expect(calm.locator("[data-ceremony=count]")).to_be_hidden()
    late = visitor.open(address, moving=True)
    for page in (calm, late):
        in_the_end(page)
    expect(late.locator("[data-ceremony=count]")).to_be_visible()


@pytest.mark.long
def test_the_longest_road_is_shown_on_the_board_by_a_tap(visitor: Visitor, address: str, table: Table) -> None:
    table.scoreboard.publish(shown(end_of("danger")))
    page = visitor.open(address)
    expect(page.locator("#counted .biggest")).to_be_hidden()
    page.click("[data-ceremony=biggest]")
    expect(page.locator("#counted .biggest")).to_be_visible()
    expect(page.locator("[data-ceremony=biggest]")).to_have_attribute("aria-pressed", "true")


@pytest.fixture
def kitchen(serve: Serve, table: Table, tmp_path: Path) -> str:
    """A table at which a game has ended and is in the logbook."""
    table.scoreboard.publish(shown(ended(tmp_path, "two-player")))
    return serve(table, logbook=lambda: tmp_path)


@pytest.mark.long
def test_what_the_logbook_remembers_is_there_and_goes_with_the_end(
    visitor: Visitor, kitchen: str, table: Table
) -> None:
    page = visitor.open(kitchen)
    expect(page.locator("#remembered .photo img")).to_be_visible()
    until(page, "document.querySelector('#remembered img').naturalWidth > 0")
    with page.expect_download() as kept:
        page.click("#remembered .share")
    assert kept.value.suggested_filename == "strada-game-0001.png"
    assert Path(kept.value.path()).read_bytes().startswith(b"\x89PNG")
    table.scoreboard.publish(still_playing(END))
    expect(page.locator("#remembered")).to_be_empty()


@pytest.mark.parametrize("path", PATHS)
def test_again_with_the_same_people_asks_twice(visitor: Visitor, kitchen: str, table: Table, path: str) -> None:
    page = visitor.open(kitchen + path, TV)
    again = page.locator("[data-keeper=start]")
    expect(again).to_have_text("Again with the same people")
    again.click()
    expect(again).to_have_text("All laid out? Tap again to start")
    assert table.asked == []


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_it_keeps_nobody_out_and_nothing_sticks_out(
    visitor: Visitor, kitchen: str, size: dict[str, int], language: str
) -> None:
    for scheme in ("light", "dark"):
        page = visitor.open(kitchen, size, language, scheme)
        expect(page.locator("#remembered .photo img")).to_be_visible()
        page.locator("#account summary").click()
        assert flaws(page) == []


@pytest.mark.long
@pytest.mark.parametrize("rules", RULE_SETS)
@pytest.mark.parametrize("language", ["de", "fr"])
def test_a_television_shows_all_of_it_without_scrolling(
    visitor: Visitor, serve: Serve, table: Table, tmp_path: Path, rules: str, language: str
) -> None:
    is_silk = "competitive" in rules or "cooperative" in rules
    end = end_of(rules) if is_silk else ended(tmp_path, rules)
    table.scoreboard.publish(shown(end))
    address = serve(table, **({} if is_silk else {"logbook": lambda: tmp_path}))
    for size in (TV, {"width": 1280, "height": 720}):
        page = visitor.open(address + "/tv", size, language)
        if not is_silk:
            expect(page.locator("#remembered img")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollHeight") == size["height"]
        assert page.evaluate("(({scrollHeight, clientHeight}) => scrollHeight <= clientHeight)(beside)")
        assert page.evaluate("(({scrollHeight, clientHeight}) => scrollHeight <= clientHeight + 1)(remembered)")
        for part in ("#turn h2", ".podium", "[data-keeper=start]"):
            box = box_of(page.locator(part))
            assert box["y"] + box["height"] <= size["height"], part
