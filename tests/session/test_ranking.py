"""Choices are found cheapest first, just as a naive search through all of them finds them."""

from collections.abc import Iterator
from itertools import product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.session.answers import best_first, best_that_sum, share_that_sums

ROW = st.lists(st.tuples(st.floats(0.001, 1.0), st.integers(0, 4)), min_size=1, max_size=5)
ROWS = st.lists(ROW, min_size=1, max_size=4)


@given(ROWS)
def test_all_choices_come_cheapest_first(rows: list[list[tuple[float, int]]]) -> None:
    costs = [sorted(cost for cost, _ in row) for row in rows]
    found = [cost for cost, _ in best_first(costs, 1000)]
    assert found == pytest.approx(sorted(sum(chosen) for chosen in product(*costs)))


@given(ROWS, st.integers(0, 12))
def test_those_that_sum_up_to_a_total_come_cheapest_first(rows: list[list[tuple[float, int]]], total: int) -> None:
    costs, numbers = ([[one[place] for one in row] for row in rows] for place in (0, 1))
    found = list(best_that_sum(costs, numbers, total, 1000))
    for cost, ranks in found:
        chosen = [row[rank] for row, rank in zip(rows, ranks, strict=True)]
        assert sum(number for _, number in chosen) == total
        assert sum(one for one, _ in chosen) == pytest.approx(cost)
    every = [chosen for chosen in product(*rows) if sum(number for _, number in chosen) == total]
    assert len({ranks for _, ranks in found}) == len(every)
    cheapest = sorted(sum(cost for cost, _ in chosen) for chosen in every)
    assert [cost for cost, _ in found] == pytest.approx(cheapest)


@given(ROWS, st.integers(0, 12))
def test_how_likely_a_total_is_is_the_sum_of_its_choices(rows: list[list[tuple[float, int]]], total: int) -> None:
    shares, numbers = ([[one[place] for one in row] for row in rows] for place in (0, 1))
    every = [chosen for chosen in product(*rows) if sum(number for _, number in chosen) == total]
    naive = sum(prod(share for share, _ in chosen) for chosen in every)
    assert share_that_sums(shares, numbers, total) == pytest.approx(naive)


def test_no_more_are_looked_for_than_are_asked_for() -> None:
    assert len(list(best_that_sum([[0.0, 1.0]] * 3, [[0, 1]] * 3, 2, 2))) == 2


def test_of_many_that_cost_the_same_only_as_many_are_looked_at_as_are_asked_for() -> None:
    looked_at: list[float] = []

    class Row(list[float]):
        def __iter__(self) -> Iterator[float]:
            looked_at.append(len(self))
            return super().__iter__()

    cells, most = 9, 5
    found = list(best_that_sum([Row([0.1, 0.1, 0.1])] * cells, [[0, 0, 0]] * cells, 0, most))
    assert len(found) == most
    assert len(looked_at) <= cells + most * cells
