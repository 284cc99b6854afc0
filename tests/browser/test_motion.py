"""What has just happened is shown as motion, on a page that has the new state from the first moment."""

from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from companion.board import Cell, Color, Contents, Merchants, Road, Settlement, SettlementType, Terrain
from companion.scoreboard import Notice, Snapshot
from tests.browser.conftest import Visitor
from tests.web.playing import BOARD, Table, game

#: Notes what is moved: its class, its place on the board, and its first key frame.
NOTE = """window.moved = []; const animate = Element.prototype.animate;
Element.prototype.animate = function (frames, timing) {
  const at = this.closest("#pieces > g")?.getAttribute("transform") ?? "";
  window.moved.push({what: this.getAttribute("class") ?? "", at, delay: timing.delay ?? 0, from: frames[0]});
  return animate.call(this, frames, timing);
}; 0"""

#: Anything that arrives sooner than this after a page was opened counts as old news.
LATE_MS = 1300

#: Bo's road, from right to left.
ROAD = [BOARD.cell(name) for name in ("K6", "K5")]


def built(before: Snapshot) -> Snapshot:
    """Bo has built from right to left, to the settlement K4; it cost 3 days and earned 4."""
    road = {cell: Contents(Road(Color.RED, Terrain.PLAIN, (0, 3))) for cell in ROAD}
    goal = {BOARD.cell("K4"): Contents(Settlement(SettlementType.TOWN), Merchants(red=1))}
    ada, bo = before.players
    return replace(
        before,
        contents={**before.contents, **road, **goal},
        players=(ada, replace(bo, days=bo.days - 3, gold=bo.gold + 4)),
    )


@pytest.fixture
def before(table: Table) -> Snapshot:
    goal = {BOARD.cell("K4"): Contents(Settlement(SettlementType.TOWN))}
    shown = replace(game(), contents={**game().contents, **goal})
    table.scoreboard.publish(shown)
    return shown


@pytest.fixture
def watched(visitor: Visitor, address: str, before: Snapshot) -> Page:
    """The scoreboard, open long enough that news count as news."""
    page = visitor.open(address, script=NOTE, moving=True)
    page.wait_for_timeout(LATE_MS)
    return page


def moved(page: Page, what: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = page.evaluate("window.moved")
    return [each for each in found if what in str(each["what"]).split()]


def test_a_road_draws_itself_from_where_it_starts_and_a_merchant_drops(
    watched: Page, before: Snapshot, table: Table
) -> None:
    table.scoreboard.publish(built(before))
    expect(watched.locator("#pieces .road.red")).to_have_count(3)  # one of them is laid and not judged yet
    lines = sorted(moved(watched, "road"), key=lambda each: float(str(each["delay"])))
    assert [each["at"] for each in lines] == [at(cell) for cell in ROAD], "the end without a merchant comes first"
    assert all(float(str(each["from"]["strokeDashoffset"])) > 0 for each in lines)  # type: ignore[index]
    assert [each["at"] for each in moved(watched, "merchant")] == [at(BOARD.cell("K4"))]


@pytest.mark.long
def test_days_count_down_and_gold_flies_up_to_the_numbers_that_are_true(
    watched: Page, before: Snapshot, table: Table
) -> None:
    table.scoreboard.publish(built(before))
    bo = watched.locator("#players .player").nth(1)
    expect(bo.locator(".gold b")).to_have_text(str(before.players[1].gold + 4))
    expect(bo.locator(".days b")).to_have_text(str(before.players[1].days - 3))
    expect(bo.locator(".gain")).to_have_count(0)
    assert len(moved(watched, "gain")) == 1


@pytest.mark.long
def test_a_refusal_shakes_its_cells(watched: Page, before: Snapshot, table: Table) -> None:
    refused = Notice("illegal", "Bo: that move is not legal", ("C4: too far",), frozenset({BOARD.cell("C4")}))
    table.scoreboard.publish(replace(before, notice=refused))
    expect(watched.locator("#pieces .mark.illegal")).to_have_count(1)
    assert {each["at"] for each in moved(watched, "mark")} == {at(BOARD.cell("C4"))}


@pytest.mark.long
def test_another_deal_is_not_shown_as_a_move(watched: Page, before: Snapshot, table: Table) -> None:
    others = {cell: Contents(Settlement(SettlementType.CITY), Merchants(red=1)) for cell in BOARD.cells[:9]}
    table.scoreboard.publish(replace(before, contents=others))
    expect(watched.locator("#pieces .plate.city")).to_have_count(9)
    assert not moved(watched, "merchant")


@pytest.mark.parametrize(
    ("moving", "wait_ms"),
    [pytest.param(False, LATE_MS, id="wants no motion", marks=pytest.mark.long), pytest.param(True, 0, id="late")],
)
def test_who_wants_no_motion_or_comes_late_sees_the_state_and_no_motion(
    visitor: Visitor, address: str, before: Snapshot, table: Table, moving: bool, wait_ms: int
) -> None:
    page = visitor.open(address, script=NOTE, moving=moving)
    page.wait_for_timeout(wait_ms)
    table.scoreboard.publish(built(before))
    expect(page.locator("#pieces .road.red")).to_have_count(3)
    assert page.evaluate("window.moved") == []


def at(cell: Cell) -> str:
    x, y = (20.0 * part for part in cell.centre)
    return f"translate({x:.1f} {y:.0f})"
