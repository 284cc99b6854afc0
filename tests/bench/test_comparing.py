from dataclasses import replace

import pytest

from bench.bars import Bar, told
from bench.comparing import Share, compare, words_about_hidden
from companion.board import (
    BARE,
    CellReading,
    Color,
    Contents,
    HexBoard,
    Merchants,
    Reading,
    Road,
    Settlement,
    SettlementType,
    Terrain,
)

BOARD = HexBoard(2)
G1, G2, *_ = BOARD.cells
RED = Contents(Road(Color.RED, Terrain.PLAIN, (0, 2)))
TOWN = Contents(Settlement(SettlementType.TOWN), Merchants(red=2))


def reading(**more: object) -> Reading:
    """A bare board of plains with a red road on its first cell and a town on its second."""
    cells = {cell: CellReading(BARE, Terrain.PLAIN, False) for cell in BOARD.cells}
    cells |= {G1: CellReading(RED, Terrain.PLAIN, False), G2: CellReading(TOWN, Terrain.PLAIN, True)}
    return replace(Reading(BOARD, cells, dict.fromkeys(Color, 4)), **more)  # type: ignore[arg-type]


def with_cell(cell_reading: CellReading, **more: object) -> Reading:
    return reading(cells={**reading().cells, G1: cell_reading}, **more)


# Wilson's interval: Newcombe 1998 (doi 10.1002/(SICI)1097-0258(19980430)17:8<857::AID-SIM777>3.0.CO;2-E), table I.
@pytest.mark.parametrize(
    ("count", "of", "low", "high"),
    [(81, 263, 25.53, 36.62), (15, 148, 6.24, 16.05), (0, 20, 0.0, 16.11), (1, 29, 0.61, 17.18), (29, 29, 88.3, 100)],
)
def test_wilsons_interval_is_that_of_the_literature(count: int, of: int, low: float, high: float) -> None:
    assert Share(count, of).interval_percent == pytest.approx((low, high), abs=0.01)


def test_of_nothing_everything_is_possible() -> None:
    assert Share(0, 0).interval_percent == (0, 100)


def test_a_reading_that_is_the_truth_is_exact() -> None:
    tally, errors, tracks = compare(reading(), reading())
    assert (tally.exact, tally.cells, tally.silent, tally.abstained, errors, tracks) == (1, 19, 0, 0, [], [])


@pytest.mark.parametrize(
    ("read", "attributes"),
    [
        (CellReading(BARE, Terrain.PLAIN, False), ("kind",)),
        (CellReading(Contents(replace(RED.tile, edges=(0, 3))), Terrain.PLAIN, False), ("road edges",)),  # type: ignore[type-var]
        (CellReading(replace(RED, merchants=Merchants(grey=1)), Terrain.PLAIN, False), ("merchants",)),
        (CellReading(RED, Terrain.HILL, False), ("terrain",)),
        (CellReading(RED, Terrain.PLAIN, True), ("site",)),
    ],
)
def test_a_cell_is_silently_wrong_in_whatever_differs(read: CellReading, attributes: tuple[str, ...]) -> None:
    tally, (error,), _ = compare(with_cell(read), reading())
    assert (tally.silent, tally.exact, error.cell, error.attributes) == (1, 0, G1, attributes)
    assert {name: tally.attribute_share(name).count for name in tally.compared if tally.wrong[name]} == dict.fromkeys(
        attributes, 1
    )


def test_what_is_not_said_is_not_wrong() -> None:
    tally, errors, _ = compare(with_cell(CellReading(RED, None, None)), reading())
    assert (tally.silent, tally.terrain_unknown, errors) == (0, 1, [])
    tally, errors, _ = compare(with_cell(CellReading(BARE), unclear=frozenset({G1})), reading())
    assert (tally.silent, tally.abstained, tally.exact, errors) == (0, 1, 0, [])


def test_hidden_cells_are_counted_by_themselves() -> None:
    truth = reading(occluded=frozenset({G1, G2}))
    guessed = with_cell(CellReading(BARE))
    tally, errors, _ = compare(guessed, truth)
    assert (tally.cells, tally.hidden, tally.hidden_spoken, tally.hidden_wrong, errors) == (17, 2, 2, 1, [])
    assert [error.cell for error in words_about_hidden(guessed, truth)] == [G1]
    assert words_about_hidden(replace(guessed, occluded=frozenset({G1})), truth) == []


def test_the_same_error_on_another_photograph_is_the_same_however_sure_the_reader_was() -> None:
    once, again = (compare(with_cell(CellReading(BARE, confidence=sure)), reading())[1][0] for sure in (0.8, 0.9))
    assert once != again
    assert once.again == again.again


def test_a_track_is_wrong_only_where_it_is_spoken_of_and_seen() -> None:
    off = reading(tracks={**dict.fromkeys(Color, 4), Color.RED: 5})
    assert compare(off, reading())[0].tracks_wrong == 1
    assert compare(replace(off, unclear_tracks=frozenset({Color.RED})), reading())[0].tracks_wrong == 0
    assert compare(off, reading(occluded_tracks=frozenset({Color.RED})))[0].tracks == 3


def test_a_bar_holds_up_to_itself_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    figures = told([Bar("at it", 0.3, 0.3), Bar("over it", 0.301, 0.3)])
    assert (figures["at it"]["holds"], figures["over it"]["holds"]) == (True, False)
    assert capsys.readouterr().out.splitlines() == [
        "bar: at it: 0.3 %, at most 0.3 %: holds",
        "bar: over it: 0.301 %, at most 0.3 %: DOES NOT HOLD",
    ]


def test_what_was_read_right_is_counted_by_tenths_of_confidence_even_where_it_was_not_spoken_for() -> None:
    truth = reading()
    sure, unsure = CellReading(RED, Terrain.PLAIN, False, 0.87), CellReading(BARE, Terrain.PLAIN, False, 0.42)
    assert compare(with_cell(sure), truth)[0].right_by_confidence()["0.8 to 0.9"] == Share(1, 1)
    tally = compare(with_cell(unsure, unclear=frozenset({G1})), truth)[0]
    assert tally.right_by_confidence()["0.4 to 0.5"] == Share(0, 1)
    assert tally.right_by_confidence()["0.9 to 1.0"] == Share(18, 18)
