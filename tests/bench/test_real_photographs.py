"""Empty squares, and squares with something on them: what the product says of a made-up board in another light."""

import numpy as np
import pytest

from bench.real import JUDGES, Flat, Judged, Word, cleared
from companion.board import SquareBoard, SquareCell
from vision.light.flatten import Floats
from vision.square.fitting import CELL_PX, extent_of, full_places, middle_px

BOARD = SquareBoard(4)
CELLS = list(BOARD.cells)


def box(cell: SquareCell, reach: int = CELL_PX // 2) -> tuple[slice, slice]:
    column, row = (round(value) for value in middle_px(cell))
    return slice(row - reach, row + reach), slice(column - reach, column + reach)


@pytest.fixture(scope="module")
def tones() -> Floats:
    """An empty board: every square has a smooth print of its own, on a bright rim."""
    rng = np.random.default_rng(3)
    size = round(2 * extent_of(BOARD) * CELL_PX / 4)
    picture = np.full((size, size, 3), 0.7, np.float32)
    for cell in CELLS:
        print_ = np.kron(rng.uniform(0.2, 0.6, (4, 4, 3)), np.ones((CELL_PX // 4, CELL_PX // 4, 1)))
        picture[box(cell)] = print_
    return picture


def flat(tones: Floats) -> Flat:
    return Flat(tones, full_places(tones))


@pytest.mark.parametrize("judge", JUDGES)
def test_another_light_lays_nothing_and_a_tile_is_seen_in_it(judge: str, tones: Floats) -> None:
    dim = tones * np.array([0.75, 0.8, 0.85], np.float32)
    laid = SquareCell(1, 2, 4)
    with_tile = dim.copy()
    with_tile[box(laid, 18)] = (0.75, 0.8, 0.85)
    with_tile[box(laid, 6)] = 0.05
    assert JUDGES[judge](flat(tones), flat(dim), BOARD) == [Word.EMPTY] * len(CELLS)
    words = dict(zip(CELLS, JUDGES[judge](flat(tones), flat(with_tile), BOARD), strict=True))
    assert words.pop(laid) is Word.LAIN_ON
    assert set(words.values()) == {Word.EMPTY}


def test_a_square_with_a_piece_is_replaced_by_its_mirrored_twin(tones: Floats) -> None:
    cell, twin = SquareCell(0, 1, 4), SquareCell(3, 1, 4)
    picture, known = cleared(tones, [one == cell for one in CELLS], BOARD)
    assert all(known)
    assert np.array_equal(picture[box(cell, 20)], tones[box(twin, 20)][:, ::-1])
    untouched = box(SquareCell(2, 2, 4))
    assert np.array_equal(picture[untouched], tones[untouched])


def test_a_square_whose_twins_have_pieces_too_is_not_known(tones: Floats) -> None:
    corners = {SquareCell(column, row, 4) for column in (0, 3) for row in (0, 3)}
    _, known = cleared(tones, [cell in corners for cell in CELLS], BOARD)
    assert {cell for cell, is_known in zip(CELLS, known, strict=True) if not is_known} == corners


def test_pieces_not_seen_and_made_up_are_wrong_and_no_word_is_neither() -> None:
    found = Judged()
    words = [Word.EMPTY, Word.EMPTY, Word.LAIN_ON, Word.LAIN_ON, Word.UNDECIDED, Word.EMPTY]
    found.note(words, [False, True, True, False, True, True], [True, True, True, True, True, False])
    assert (found.squares, found.missed, found.made_up, found.undecided, found.wrong) == (5, 1, 1, 1, 2)
    assert found.undecided_share.percent == 20
