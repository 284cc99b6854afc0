"""A board is found by itself if nobody has said where its corners are."""

import numpy as np
import pytest

from calibration import corners_sought
from companion.board import HexBoard, SquareBoard
from companion.setup.finding import Fit, fit_of
from tests.setup.conftest import Drawn, Hall

BOARD = HexBoard(6)


def far_off(hall: Hall, drawn: Drawn) -> float:
    """Return how far the found cells are from where they were drawn, in pixels."""
    found, true = hall.wizard.now.hexagonal().ground.view, drawn.folder.setup.clicks
    places = found.to_image([cell.centre for cell in true])
    return float(np.linalg.norm(places - np.array(list(true.values())), axis=1).max())


@pytest.mark.long
def test_the_board_is_found_where_it_is(hall: Hall, drawn: Drawn) -> None:
    hall.freeze(drawn.empty)
    hall.wizard.seek()
    assert hall.wizard.now.is_sought
    assert fit_of(hall.wizard.now.hexagonal().ground.view) is Fit.GOOD
    assert far_off(hall, drawn) < 12


@pytest.mark.long
def test_corners_that_a_person_puts_count_more(hall: Hall, drawn: Drawn) -> None:
    hall.freeze(drawn.empty)
    hall.wizard.seek()
    corners = {cell: (x + 3, y) for cell, (x, y) in drawn.folder.setup.clicks.items()}
    hall.wizard.find(corners)
    assert not hall.wizard.now.is_sought
    version = hall.wizard.now.version
    hall.wizard.seek()
    assert hall.wizard.now.version == version, "what was found is not looked for again"


@pytest.mark.long
@pytest.mark.parametrize("picture", ["grey", pytest.param("noise", marks=pytest.mark.long), "half"])
def test_no_board_is_found_where_none_is(hall: Hall, drawn: Drawn, picture: str) -> None:
    seen = drawn.empty.copy()
    if picture == "grey":
        seen[:] = 120
    elif picture == "noise":
        seen[:] = np.random.default_rng(1).integers(0, 255, seen.shape)
    else:
        seen[:, : seen.shape[1] // 2] = seen[0, 0]
    hall.freeze(seen)
    hall.wizard.seek()
    assert hall.wizard.now.draft is None
    assert hall.wizard.now.asked is None
    assert hall.wizard.now.is_sought
    version = hall.wizard.now.version
    hall.wizard.seek()
    assert hall.wizard.now.version == version, "it is looked for once in each photograph"
    hall.freeze(drawn.empty)
    assert not hall.wizard.now.is_sought


@pytest.mark.long
def test_a_board_upside_down_has_its_top_row_where_the_picture_has_its_top(drawn: Drawn) -> None:
    found = corners_sought(np.ascontiguousarray(drawn.empty[::-1, ::-1]), BOARD)
    assert found is not None
    (first, second, third, fourth) = (found[cell] for cell in BOARD.corners)
    assert first[1] < fourth[1], "the first corner is above"
    assert first[0] < second[0], "and left"
    assert second[1] < third[1]


def test_a_board_of_squares_is_not_looked_for(hall: Hall, drawn: Drawn) -> None:
    hall.wizard.lay(SquareBoard())
    hall.freeze(drawn.empty)
    hall.wizard.seek()
    assert hall.wizard.now.draft is None
