"""The made-up person who sets tables up taps no more than they must, and their taps are added up correctly."""

from pathlib import Path

import pytest

from bench.setting_up import _swaps
from bench.setup import Took, summary, took
from bench.tapper import _by_buttons
from bench.viewing import chromium, has_browser
from companion.board import BARE, CellReading, Color, Contents, HexBoard, Merchants, Terrain, Workshop

BOARD = HexBoard(6)
TRUTH = {cell: CellReading(BARE, list(Terrain)[k % 3]) for k, cell in enumerate(BOARD.cells)}


def said(names: dict[str, str]) -> dict[str, str]:
    """Return the terrains of a board on which every third cell is of the same kind, under those names."""
    kinds = [kind.value for kind in Terrain]
    return {str(cell): names.get(kinds[k % 3], kinds[k % 3]) for k, cell in enumerate(BOARD.cells)}


@pytest.mark.parametrize(
    ("names", "swaps"),
    [({}, 0), ({"forest": "hill", "hill": "forest"}, 1), ({"plain": "forest", "forest": "hill", "hill": "plain"}, 2)],
)
def test_names_that_were_mixed_up_are_swapped_in_as_few_taps_as_can_be(names: dict[str, str], swaps: int) -> None:
    assert len(_swaps(said(names), TRUTH)) == swaps


def test_a_single_wrong_cell_is_no_reason_to_swap() -> None:
    assert _swaps({**said({}), "A1": "hill"}, TRUTH) == ()


def test_the_figures_are_those_of_the_table_in_the_middle_and_of_nearly_all() -> None:
    all_took = [Took(f"t{taps}", taps, float(taps), {"photograph": taps}) for taps in range(1, 22)]
    figures = summary(all_took)
    assert figures["taps_median"] == 11
    assert figures["taps_95"] == 20
    assert figures["waited_median_s"] == 11.0
    assert str(all_took[0]) == "t1: 1 taps (photograph 1), 1 s of waiting"


@pytest.mark.long
def test_elm_is_set_up_truly_on_a_phone(tables: Path) -> None:
    if not has_browser():
        pytest.skip("Chromium and Playwright are not there")
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"])
        found = took(browser, tables / "elm")
        browser.close()
    assert found.by_step["corners"] == 0, "elm's board is found by itself"
    assert (found.by_step["terrain"], found.by_step["sites"]) == (0, 1), "elm's are proposed rightly: only to go on"
    assert found.taps == sum(found.by_step.values())


def test_merchants_on_bare_cells_are_put_right_by_their_buttons_where_that_takes_no_more_taps() -> None:
    held, wanted = (Contents(None, Merchants(**counts)) for counts in ({"black": 1, "red": 1}, {"red": 1}))
    assert _by_buttons(held, wanted)
    assert not _by_buttons(BARE, wanted), "it has no card, and so no buttons"
    assert not _by_buttons(held, Contents(Workshop(Color.RED), held.merchants))
    assert not _by_buttons(held, Contents(None, Merchants(grey=1))), "three buttons, or one name in two taps"
