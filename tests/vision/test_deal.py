"""Settlements are named together: the box's count settles what looks leave open, never what they say clearly."""

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from companion.board import Color, Contents, HexBoard, HexCell, Road, Settlement, SettlementType, Terrain, Workshop
from simulator import Scene
from simulator.scene import LaidTile
from tests.tries import tries
from tests.vision.conftest import CITY, HAMLET, VILLAGE, DrawnTable, opinion, wrong
from vision.tiles.box import chances, chances_together
from vision.tiles.settlements import SETTLEMENTS, Settlements

CELLS = HexBoard(6).cells


@st.composite
def stocks(draw: st.DrawFn) -> tuple[np.ndarray, tuple[int, ...]]:
    """How likely a few things look like each kind, and a stock of a few more things."""
    stock = tuple(
        draw(st.lists(st.integers(0, 2), min_size=1, max_size=3).filter(lambda counts: 1 <= sum(counts) <= 5))
    )
    things = draw(st.integers(1, sum(stock)))
    return np.array([[draw(st.integers(1, 20)) / 20 for _ in stock] for _ in range(things)]), stock


def by_every_order(likelihoods: np.ndarray, stock: tuple[int, ...], alike: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the chances if the stock was dealt, and how likely it explains what is seen, by trying every order."""
    things = len(likelihoods)
    orders = [*permutations([kind for kind, count in enumerate(stock) for _ in range(count)])]
    dealt = np.zeros(likelihoods.shape)
    for named in orders:
        pairs = [alike[one, other] for one in range(things) for other in range(one) if named[one] == named[other]]
        share = float(np.prod([likelihoods[thing, named[thing]] for thing in range(things)])) * math.exp(sum(pairs))
        for thing in range(things):
            dealt[thing, named[thing]] += share / len(orders)
    return dealt / dealt[0].sum(), float(dealt[0].sum())


@given(stocks())
def test_chances_of_each_kind_are_what_trying_every_order_finds(case: tuple[np.ndarray, tuple[int, ...]]) -> None:
    likelihoods, stock = case
    likelihoods = likelihoods / likelihoods.sum(axis=1, keepdims=True)
    things, kinds = likelihoods.shape
    dealt, looks = by_every_order(likelihoods, stock, np.zeros((things, things)))
    by_stock, by_anything = 0.99 * looks, 0.01 / kinds**things
    expected = (by_stock * dealt + by_anything * likelihoods) / (by_stock + by_anything)
    assert np.allclose(chances(likelihoods, stock), expected)


@pytest.mark.long
@given(stocks(), st.lists(st.floats(-2.5, 2.5), min_size=10, max_size=10))
@settings(max_examples=tries(200), deadline=None)
def test_drawn_deals_show_what_trying_every_order_finds_where_it_is_known_what_looks_alike(
    case: tuple[np.ndarray, tuple[int, ...]], likenesses: list[float]
) -> None:
    likelihoods, stock = case
    assume(len(likelihoods) > 1)
    alike = np.zeros((5, 5))
    alike[np.triu_indices(5, 1)] = likenesses
    alike = (alike + alike.T)[: len(likelihoods), : len(likelihoods)]
    dealt, _ = by_every_order(likelihoods, stock, alike)
    assert np.allclose(chances_together(likelihoods, stock, alike), dealt, atol=0.1)


def test_two_groups_are_told_apart_by_all_of_them_though_none_is_clear_alone() -> None:
    """Four cities and five towns: one in each group even looks rather like the other kind."""
    looks = np.array([[0.4, 0.6], [0.6, 0.4], [0.65, 0.35], [0.7, 0.3], [0.6, 0.4], *([0.35, 0.65],) * 4])
    of_one_kind = np.equal.outer(np.arange(9) < 4, np.arange(9) < 4)
    together = chances_together(looks, (4, 5), np.where(of_one_kind, 1.5, -1.5))
    assert (together[:4, 0] > 0.95).all()
    assert (together[4:, 1] > 0.95).all()
    assert (chances(looks, (4, 5)).max(axis=1) < 0.9).all()


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
    missing = next(iter(drawn.dealt(14).tiles))
    deal = drawn.dealt(14).take(missing)
    reading = drawn.reader().read(drawn.camera.picture(deal))
    assert reading.contents(missing) == Contents()
    assert missing not in reading.abstained
    # Without the box's count, villages and hamlets are told apart only by their looks.
    assert len(wrong(reading, deal)) <= 1


@pytest.mark.long
def test_workshops_are_read_in_every_turn(drawn: DrawnTable, free_cells: Callable[[Scene], list[HexCell]]) -> None:
    scene, rng, reader = drawn.dealt(15), np.random.default_rng(1), drawn.reader_of_deal(15)
    for color, cell in zip(Color, free_cells(scene), strict=False):
        turned = LaidTile(Workshop(color), 0.02, -0.01, float(rng.uniform(0, math.tau)), 0)
        scene = replace(scene, tiles={**scene.tiles, cell: turned})
        reading = reader.read(drawn.camera.picture(scene))
        assert reading.contents(cell) == Contents(Workshop(color))
        assert cell not in reading.abstained
    assert wrong(reading, scene) == {}


def test_a_settlement_that_looks_alone_leave_open_is_the_one_that_is_left_of_the_box() -> None:
    kinds = [kind for kind, count in SETTLEMENTS.items() for _ in range(count)]
    seen = {cell: opinion((Settlement(kind), 0.98), (None, 0.01)) for cell, kind in zip(CELLS, kinds, strict=False)}
    last = CELLS[len(kinds) - 1]
    assert Settlement(kinds[-1]) == HAMLET
    open_between = (VILLAGE, 0.55), (HAMLET, 0.43)
    found = Settlements.of(seen | {last: opinion(*open_between)}).named()
    assert found[last].best == Contents(HAMLET)
    assert set(found) == set(seen)
    assert all(found[cell].best == seen[cell].best for cell in seen if cell != last)


def test_a_kind_that_the_box_rules_out_is_no_answer_any_more() -> None:
    kinds = [kind for kind, count in SETTLEMENTS.items() for _ in range(count)]
    open_between = {CELLS[0]: opinion((VILLAGE, 0.55), (HAMLET, 0.43), (None, 0.01))}
    found = Settlements.of(open_between, [*map(Settlement, kinds[:-1])]).named()[CELLS[0]]
    assert found.tiles == (HAMLET, None)
    # One that is only somewhat less likely stays.
    assert Settlements.of(open_between).named()[CELLS[0]].tiles == (VILLAGE, HAMLET, None)


def test_what_lies_elsewhere_is_gone_from_the_box() -> None:
    kinds = [kind for kind, count in SETTLEMENTS.items() for _ in range(count)]
    assert Settlement(kinds[-1]) == HAMLET
    open_between = {CELLS[0]: opinion((VILLAGE, 0.55), (HAMLET, 0.43))}
    assert Settlements.of(open_between).named()[CELLS[0]].best == Contents(VILLAGE)
    lying = [*map(Settlement, kinds[:-1]), None]
    assert Settlements.of(open_between, lying).named()[CELLS[0]].best == Contents(HAMLET)
    # If more lies there than the box has, each is named by itself.
    assert Settlements.of(open_between, [*lying, HAMLET]).named()[CELLS[0]].best == Contents(VILLAGE)


def test_if_more_look_like_settlements_than_the_box_holds_the_least_like_one_is_something_else() -> None:
    kinds = [kind for kind, count in SETTLEMENTS.items() for _ in range(count)]
    seen = {cell: opinion((Settlement(kind), 0.98), (None, 0.01)) for cell, kind in zip(CELLS, kinds, strict=False)}
    last = CELLS[len(kinds) - 1]
    doubtful = {last: opinion((VILLAGE, 0.55), (HAMLET, 0.43)), CELLS[-1]: opinion((CITY, 0.6), (None, 0.4))}
    found = Settlements.of(seen | doubtful).named()
    assert found[last].best == Contents(HAMLET)
    assert CELLS[-1] not in found


def test_what_is_rather_no_settlement_is_left_as_it_was_told() -> None:
    road = Road(Color.RED, Terrain.PLAIN, (0, 3))
    assert Settlements.of({}).named() == {}
    assert Settlements.of({CELLS[0]: opinion((road, 0.7), (CITY, 0.2), (None, 0.1))}).named() == {}
