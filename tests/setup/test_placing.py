"""On a phone's photograph in which the board was not found, people point to its corners, however it is turned."""

import math
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.board import BadInputError, Cell, HexBoard, HexCell, SquareBoard
from companion.setup.empty_board import EmptyBoard
from companion.setup.placing import anywhere, placed
from companion.setup.state import state_of
from tests.setup.conftest import Drawn, refusal, tiles_on
from tests.setup.test_handheld import from_hand, phone, share_seen, squares_in_hand, wizard_at_board, wizard_seeing
from vision.light.flatten import Image

#: How far off somebody's finger is, in pixels of a phone's photograph: a cell's side has about 40.
OFF_PX = 10.0
#: A phone shook so much that prints are not found again, but the board is; also, a paper hides the board's middle.
SHAKEN_PX, PAPER_PX = 7.0, 190


def corners_in_hand(board: HexBoard | SquareBoard, turns: int = 0) -> dict[Cell, tuple[float, float]]:
    """Return where somebody puts the marks on a phone's photograph, each on the corner `turns` later than its own."""
    at = phone().project([cell.centre for cell in board.corners])
    angles = np.random.default_rng(3).uniform(0, 2 * math.pi, 4)
    places = [(float(x), float(y)) for x, y in at + OFF_PX * np.stack([np.cos(angles), np.sin(angles)], axis=1)]
    return dict(zip(board.corners, places[turns:] + places[:turns], strict=True))


def off_px(laid: Image, shown: Image) -> float:
    """Return how far one picture is offset from another, in pixels."""
    one, other = (cv2.GaussianBlur(cv2.cvtColor(each, cv2.COLOR_BGR2GRAY), (0, 0), 2) for each in (laid, shown))
    part = np.s_[300:900, 500:1100]
    (x, y), _ = cv2.phaseCorrelate(one[part].astype(np.float64), other[part].astype(np.float64))
    return math.hypot(x, y)


def shaken(drawn: Drawn) -> Image:
    return np.asarray(cv2.GaussianBlur(from_hand(drawn, drawn.setup.teach), (0, 0), SHAKEN_PX), np.uint8)


def covered(drawn: Drawn) -> Image:
    photo = from_hand(drawn, drawn.setup.teach)
    right, down = np.mean(list(corners_in_hand(HexBoard()).values()), axis=0).astype(int).tolist()
    cv2.circle(photo, (right, down), PAPER_PX, (235, 235, 235), -1)
    return np.asarray(cv2.GaussianBlur(photo, (0, 0), SHAKEN_PX), np.uint8)


@pytest.mark.long
@pytest.mark.parametrize("turns", [0, 2], ids=["as it is", "half round"])
def test_it_is_laid_where_the_board_is_though_fingers_are_inexact_and_phones_are_turned(
    drawn: Drawn, ground: EmptyBoard, turns: int
) -> None:
    hand = from_hand(drawn, drawn.setup.teach)
    laid = placed(hand, corners_in_hand(HexBoard(), turns), ground.image, ground.view)
    assert laid.is_seen
    assert laid.image.shape == drawn.empty.shape
    assert off_px(laid.image, drawn.shown) < 2


@pytest.mark.long
def test_what_is_not_found_by_itself_waits_for_its_corners_and_is_then_taught(drawn: Drawn, tmp_path: Path) -> None:
    wizard = wizard_at_board(drawn, tmp_path)
    photo = covered(drawn)
    wizard.teach(photo)
    assert wizard.now.unplaced is not None
    assert wizard.now.hexagonal().lessons == ()
    waits = state_of(wizard)["unplaced"]
    assert waits["size"] == [photo.shape[1], photo.shape[0]]
    assert set(waits["corners"]) == {"A1", "A7", "M7", "M1"}
    wizard.place(corners_in_hand(HexBoard()))
    assert wizard.now.unplaced is None
    (lesson,) = wizard.now.hexagonal().lessons
    assert share_seen(lesson, drawn.truth) > 0.5, "the paper hides some"


@pytest.mark.long
def test_a_board_whose_print_is_not_found_again_is_found_by_its_cells(drawn: Drawn, tmp_path: Path) -> None:
    wizard = wizard_at_board(drawn, tmp_path)
    wizard.teach(shaken(drawn))
    assert wizard.now.unplaced is None
    (lesson,) = wizard.now.hexagonal().lessons
    assert share_seen(lesson, drawn.truth) > 0.9


@pytest.mark.long
def test_marks_where_no_board_is_are_refused_and_the_photograph_goes_on_waiting(drawn: Drawn, tmp_path: Path) -> None:
    wizard = wizard_at_board(drawn, tmp_path)
    wizard.teach(np.zeros((900, 1200, 3), np.uint8))
    for corners in (anywhere(HexBoard(), 1200, 900), dict.fromkeys(HexBoard().corners, (500.0, 400.0))):
        assert refusal(wizard.place, corners) in ("photo-elsewhere", "no-board", "corners")
        assert wizard.now.unplaced is not None
        assert wizard.now.hexagonal().lessons == ()
    wizard.put_away()
    assert wizard.now.unplaced is None


@pytest.mark.long
def test_marks_round_the_board_the_wrong_way_are_refused_like_a_mirrored_photograph(
    drawn: Drawn, ground: EmptyBoard
) -> None:
    (one, a), (two, b), (three, c), (four, d) = corners_in_hand(HexBoard()).items()
    hand, wrong = from_hand(drawn, drawn.setup.teach), {one: b, two: a, three: d, four: c}
    assert refusal(placed, hand, wrong, ground.image, ground.view) == "no-board"


@pytest.mark.long
def test_a_mark_outside_the_photograph_or_one_too_few_is_refused(drawn: Drawn, ground: EmptyBoard) -> None:
    corners = corners_in_hand(HexBoard())
    first = next(iter(corners))
    for wrong, code in (({**corners, first: (-50.0, 20.0)}, "corner-outside"), ({first: (5.0, 5.0)}, "corners")):
        assert refusal(placed, drawn.shown, wrong, ground.image, ground.view) == code


def test_corners_are_refused_where_no_photograph_waits_for_them(tmp_path: Path) -> None:
    wizard = wizard_seeing(None, tmp_path)
    with pytest.raises(BadInputError):
        wizard.place(anywhere(HexBoard(), 1200, 900))


@pytest.mark.long
def test_on_a_board_of_squares_each_mark_is_on_its_own_corner(tmp_path: Path) -> None:
    wizard, photo, truth = squares_in_hand(tmp_path)
    ground = wizard.now.square().ground
    laid = placed(photo, corners_in_hand(SquareBoard()), ground.image, ground.view)
    assert laid.is_seen
    (lesson,) = wizard.now.square().taught(laid.image, is_there=True).lessons
    assert set(lesson.lying) == tiles_on(truth)


def test_marks_begin_inside_any_photograph() -> None:
    for board in (HexBoard(), SquareBoard()):
        for width, height in ((1200, 900), (900, 1200), (1000, 1000)):
            assert all(0 < x < width and 0 < y < height for x, y in anywhere(board, width, height).values())
    assert HexCell(0, -6, 6) in anywhere(HexBoard(), 900, 900)
