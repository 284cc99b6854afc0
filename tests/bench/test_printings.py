"""Counts by printing: shares, their intervals, printings that are refused."""

import numpy as np
import pytest

from bench.comparing import Tally, compare
from bench.printings import Printing, Printings, Shares, by_printing, each, silence
from companion.board import CellReading, Color, HexBoard, Reading

BOARD = HexBoard(2)
TRUTH = Reading(
    BOARD,
    {cell: CellReading() for cell in BOARD.cells},
    dict.fromkeys(Color),
    occluded=frozenset({BOARD.cell("B2")}),
    occluded_tracks=frozenset({Color.RED}),
)


def printing(name: str, silent: int, abstained: int = 0, tracks_wrong: int = 0, cells: int = 100) -> Printing:
    return Printing(name, Tally(1, 0, cells, silent, abstained, tracks=4, tracks_wrong=tracks_wrong))


def test_an_error_in_one_printing_alone_may_be_none_or_several_in_others_like_these() -> None:
    shares = Shares((10, *[0] * 9), (100,) * 10)
    low, high = shares.interval_percent
    assert shares.percent == 1.0
    assert low == 0.0
    # Binomial, of ten with chance one in ten: 97.5 % have at most three.
    assert high == 3.0


def test_printings_that_err_alike_leave_no_doubt() -> None:
    assert Shares((2,) * 8, (200,) * 8).interval_percent == pytest.approx((1.0, 1.0))


def test_an_interval_by_printing_is_wider_than_one_by_cell_where_errors_hang_together() -> None:
    together, apart = Shares((20, *[0] * 19), (100,) * 20), Shares((1,) * 20, (100,) * 20)
    assert np.ptp(together.interval_percent) > np.ptp(apart.interval_percent)


def test_of_nothing_everything_is_possible() -> None:
    assert Shares((), ()).interval_percent == (0.0, 100.0)
    assert Shares((0, 0), (0, 0)).percent == 0.0


def test_a_printing_without_cells_does_no_harm() -> None:
    assert Shares((0, 1), (0, 100)).interval_percent == (1.0, 1.0)


def test_a_wrong_day_track_makes_a_printing_one_with_a_silent_error() -> None:
    found = Printings((printing("a", 0), printing("b", 2, 5), printing("c", 0, 7, tracks_wrong=1)))
    assert found.with_silent == 2
    assert (found.silent.counts, found.abstained.counts) == ((0, 2, 0), (0, 5, 7))
    assert found.silent_with_tracks.of == (104, 104, 104)
    assert found.to_json()["by_printing"]["c"]["tracks_wrong"] == 1


def test_a_refused_table_has_every_visible_cell_not_spoken_for() -> None:
    tally = silence(TRUTH)
    blind, _, _ = compare(Reading(BOARD, {}, occluded=frozenset(BOARD.cells), occluded_tracks=frozenset(Color)), TRUTH)
    for name in ("photos", "cells", "silent", "abstained", "hidden", "tracks", "tracks_wrong", "tracks_abstained"):
        assert getattr(tally, name) == getattr(blind, name), name
    assert tally.abstained == len(BOARD.cells) - 1


def test_the_page_has_a_line_a_printing_and_says_which_was_refused() -> None:
    ways = {"with memory": Printings((printing("t02000", 1), Printing("t02001", silence(TRUTH), "no board")))}
    assert by_printing("Unseen", ways).splitlines()[-2:] == [
        "| t02000 | 1 | 100 | 1 (1.00 %) | 0 (0.00 %) |",
        "| t02001 (refused) | 1 | 18 | 0 (0.00 %) | 18 (100.00 %) |",
    ]


def test_items_come_back_in_their_order_however_many_work() -> None:
    assert list(each(abs, [-3, 2, -1], 1)) == list(each(abs, [-3, 2, -1], 2)) == [3, 2, 1]
