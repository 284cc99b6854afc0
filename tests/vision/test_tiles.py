"""Settlements and workshops are known however they are turned; the box's count settles doubts."""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import permutations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.board import Color, Contents, HexBoard, HexCell, Merchants, Settlement, SettlementType, Workshop
from companion.virtual_table import Scene
from companion.virtual_table.scene import LaidTile
from tests.vision.conftest import DrawnTable, wrong
from vision.inventory import SETTLEMENTS, chances
from vision.memory import Known
from vision.samples import SAMPLE_PX
from vision.settle import settle_workshops
from vision.settlements import unlikeness
from vision.tiles import fit_samples, fit_tiles, teach_tiles

CELLS = HexBoard(6).cells


@st.composite
def stocks(draw: st.DrawFn) -> tuple[np.ndarray, tuple[int, ...]]:
    """How likely each kind looks like each of a few things, and a stock of a few more."""
    stock = tuple(
        draw(st.lists(st.integers(0, 2), min_size=1, max_size=3).filter(lambda counts: 1 <= sum(counts) <= 5))
    )
    things = draw(st.integers(1, sum(stock)))
    return np.array([[draw(st.integers(1, 20)) / 20 for _ in stock] for _ in range(things)]), stock


@given(stocks())
def test_how_likely_things_are_of_each_kind_is_as_trying_every_order_finds(
    case: tuple[np.ndarray, tuple[int, ...]],
) -> None:
    likelihoods, stock = case
    likelihoods = likelihoods / likelihoods.sum(axis=1, keepdims=True)
    things, kinds = likelihoods.shape
    supply = [kind for kind, count in enumerate(stock) for _ in range(count)]
    orders = list(set(permutations(supply)))
    dealt = np.zeros(likelihoods.shape)
    for named in orders:
        share = float(np.prod([likelihoods[thing, named[thing]] for thing in range(things)])) / len(orders)
        for thing in range(things):
            dealt[thing, named[thing]] += share
    by_stock, by_anything = 0.99 * dealt[0].sum(), 0.01 / kinds**things
    expected = (by_stock * dealt / max(dealt[0].sum(), 1e-9) + by_anything * likelihoods) / (by_stock + by_anything)
    assert np.allclose(chances(likelihoods, stock), expected)


def test_what_looks_clear_is_believed_though_the_box_has_fewer_of_it() -> None:
    clear = np.tile([[1.0, 1e-4]], (3, 1))
    assert (chances(clear, (1, 2))[:, 0] > 0.9).all()
    assert np.allclose(chances(np.tile([[0.9, 0.1]], (3, 1)), (1, 1)), [[0.9, 0.1]] * 3)


def test_one_settlement_that_is_hard_to_tell_is_what_the_others_leave_of_the_box() -> None:
    looks = np.full((3, 2), 1e-3)
    looks[0, 0] = looks[1, 1] = 1.0
    looks[2] = 0.6, 0.4
    assert chances(looks, (1, 2))[2, 1] > 0.95


def test_the_box_holds_nineteen_settlements() -> None:
    assert [SETTLEMENTS[kind] for kind in SettlementType] == [4, 5, 5, 5]


@pytest.mark.long
@pytest.mark.parametrize("seed", [11, 12, 13])
def test_a_deal_is_read_settlement_by_settlement(drawn: DrawnTable, seed: int) -> None:
    deal = drawn.dealt(seed)
    reading = drawn.reader().read(drawn.deal_picture(seed))
    assert wrong(reading, deal) == {}
    assert len(reading.unclear) <= 4


@pytest.mark.long
def test_an_incomplete_deal_is_read_as_it_lies(drawn: DrawnTable) -> None:
    deal = drawn.dealt(14)
    missing = next(iter(deal.tiles))
    reading = drawn.reader().read(drawn.camera.picture(deal.take(missing)))
    assert reading.contents(missing) == Contents()
    assert missing not in reading.abstained
    # Without the box's count villages and hamlets are told by looks alone.
    assert len(wrong(reading, deal.take(missing))) <= 1


@pytest.mark.long
def test_workshops_are_read_in_every_turn(drawn: DrawnTable, free_cells: Callable[[Scene], list[HexCell]]) -> None:
    deal = drawn.dealt(15)
    rng = np.random.default_rng(1)
    reader = drawn.reader()
    reader.read(drawn.deal_picture(15))
    scene = deal
    for color, cell in zip(Color, free_cells(deal), strict=False):
        turned = LaidTile(Workshop(color), 0.02, -0.01, float(rng.uniform(0, math.tau)), 0)
        scene = replace(scene, tiles={**scene.tiles, cell: turned})
        reading = reader.read(drawn.camera.picture(scene))
        assert reading.contents(cell) == Contents(Workshop(color))
        assert cell not in reading.abstained
    assert wrong(reading, scene) == {}


def bare_known(*cells: HexCell) -> dict[HexCell, Known]:
    return {cell: Known(Contents(Workshop(Color.BLACK)), 0.5) for cell in cells}


def costs(**by_color: float) -> dict[Workshop, float]:
    return {Workshop(Color(name)): cost for name, cost in by_color.items()}


def test_samples_fitted_together_fit_as_each_does_by_itself() -> None:
    rng = np.random.default_rng(2)
    patches = rng.random((5, SAMPLE_PX, SAMPLE_PX, 3)).astype(np.float32)
    covered = np.zeros((5, SAMPLE_PX, SAMPLE_PX), bool)
    covered[1, 3:12, 5:14] = covered[4, 10:, :9] = True
    kinds = [Settlement(kind) for kind in SettlementType]
    looks = teach_tiles(list(zip(kinds, patches, covered, strict=False)))
    for hidden in (None, covered):
        together = fit_samples(patches, looks, hidden)
        alone = [fit_tiles(patch, looks, None if hidden is None else hidden[k]) for k, patch in enumerate(patches)]
        assert np.allclose(together, alone, atol=1e-5)
    assert np.allclose(np.diag(together[:4]), 0, atol=1e-4)  # each taught tile is like itself, whatever covers it
    assert (together[4] > 0.5).all()  # and the one never taught like none


@pytest.mark.parametrize("aside", [(0, 0), (1, 0), (0, -1)])
def test_a_taught_tile_is_known_turned_and_laid_aside(aside: tuple[int, int]) -> None:
    patch = cv2.GaussianBlur(np.random.default_rng(3).random((SAMPLE_PX, SAMPLE_PX, 3)).astype(np.float32), (0, 0), 2)
    nothing = np.zeros((SAMPLE_PX, SAMPLE_PX), bool)
    looks = teach_tiles([(Settlement(SettlementType.CITY), patch, nothing)])
    quarter = np.roll(np.rot90(patch), aside, (0, 1))
    assert fit_tiles(quarter, looks)[0] < 0.01
    assert fit_tiles(quarter[::-1], looks)[0] > 0.3  # its mirror picture is another tile


def test_two_workshops_alike_are_given_to_two_players() -> None:
    one, two = CELLS[5], CELLS[80]
    fits = {one: costs(black=0.1, red=0.9), two: costs(black=0.2, red=0.3)}
    settled = settle_workshops(fits, bare_known(one, two), {})
    assert {cell: known.contents.tile for cell, known in settled.items()} == {
        one: Workshop(Color.BLACK),
        two: Workshop(Color.RED),
    }


def test_a_players_second_workshop_is_believed_where_nothing_else_fits() -> None:
    one, two = CELLS[5], CELLS[80]
    fits = {one: costs(black=0.1, red=3.0), two: costs(black=0.1, red=3.0)}
    settled = settle_workshops(fits, bare_known(one, two), {})
    assert Counter(known.contents.tile for known in settled.values()) == {Workshop(Color.BLACK): 2}
    assert all(known.is_clear for known in settled.values())


def test_a_workshop_that_lay_there_before_counts_as_laid() -> None:
    old, new = CELLS[5], CELLS[80]
    before = {old: Known(Contents(Workshop(Color.BLACK)), 1.0, is_clear=True, tile_is_clear=True)}
    settled = settle_workshops({new: costs(black=0.2, red=0.4)}, bare_known(new), before)
    assert settled[new].contents.tile == Workshop(Color.RED)


def test_a_workshop_that_could_be_either_players_is_unclear_and_names_both() -> None:
    cell = CELLS[5]
    known = {cell: Known(Contents(Workshop(Color.BLACK), Merchants(red=1)), 0.9)}
    settled = settle_workshops({cell: costs(black=0.30, grey=0.31, red=5.0)}, known, {})[cell]
    assert not settled.is_clear
    assert settled.contents == Contents(Workshop(Color.BLACK), Merchants(red=1))
    assert settled.alternatives[0] == Contents(Workshop(Color.GREY), Merchants(red=1))


def test_nothing_is_settled_where_no_workshop_was_seen() -> None:
    cell = CELLS[5]
    assert settle_workshops({}, {}, {}) == {}
    bare = {cell: Known(Contents(Settlement(SettlementType.CITY)), 1.0)}
    assert settle_workshops({cell: costs(black=0.1, red=0.2)}, bare, {}) == {}


def test_settlements_that_cubes_hide_altogether_are_as_unlike_as_any(drawn: DrawnTable) -> None:
    patch = drawn.taught.look.samples[0]
    hidden = np.ones(patch.shape[:2], bool)
    found = unlikeness([(patch, hidden), (patch, ~hidden)], drawn.taught.settlements)
    assert np.isfinite(found.to_kinds).all()
    assert np.isfinite(found.alike[0, 1])
