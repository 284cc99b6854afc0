"""From the board plane to the picture and back, and the picture from straight above."""

import cv2
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from calibration import BoardView, CalibratedLens, Lens
from companion.board import HexBoard
from tests.calibration.drawn import true_view

numbers = st.floats(-12, 12)


@given(numbers, numbers, st.floats(-0.15, 0.1), st.floats(-0.03, 0.03), st.integers(2, 7))
def test_to_board_undoes_to_image(x: float, y: float, k1: float, k2: float, rings: int) -> None:
    straight = true_view(6)
    view = BoardView.of(HexBoard(rings), Lens(*straight.size_px, k1, k2), straight.homography)
    assert np.allclose(view.to_board(view.to_image([[x, y]])), [[x, y]], atol=1e-6)


def test_negative_k1_draws_corners_inward_and_leaves_the_centre() -> None:
    places = [[320.0, 240.0], [0.0, 0.0]]
    centre, corner = Lens(641, 481, -0.1).distort(places)
    assert np.allclose(centre, [320, 240])
    assert corner.min() > 20
    assert np.allclose(Lens(641, 481).distort(places), places), "without distortion all stays where it is"


def test_a_lens_that_folds_the_picture_over_is_not_plausible() -> None:
    assert Lens(640, 480, -0.1).is_plausible
    assert not Lens(640, 480, -0.6).is_plausible


calibrated = CalibratedLens(640, 480, 520.0, 524.0, 310.0, 251.0, -0.21, 0.08, 0.001, -0.002, -0.01)


def test_a_calibrated_lens_bends_as_opencv_does() -> None:
    straight = np.array([[310.0, 251.0], [40.0, 30.0], [600.0, 30.0], [620.0, 470.0]])
    rays = np.column_stack([(straight - (310, 251)) / (520, 524), np.ones(4)])
    seen, _ = cv2.projectPoints(rays, np.zeros(3), np.zeros(3), calibrated.camera_matrix, calibrated.distortion)
    assert np.allclose(calibrated.distort(straight), seen.reshape(-1, 2), atol=1e-9)


@given(st.floats(0, 639), st.floats(0, 479))
def test_a_calibrated_lens_undoes_its_own_bending(x: float, y: float) -> None:
    assert np.allclose(calibrated.distort(calibrated.undistort([[x, y]])), [[x, y]], atol=1e-3)


def test_views_with_the_same_numbers_are_equal() -> None:
    assert true_view(6) == true_view(6)
    assert len({true_view(6), true_view(6), true_view(5)}) == 2


def test_flatten_map_agrees_with_to_image_to_a_fiftieth_of_a_pixel() -> None:
    view = true_view(6, size=(1640, 1232), k1=-0.1)
    left, top = -13.0, -12.0
    places = view.flatten_map(33, left, top, 13.0, 12.0)
    rows, columns, _ = places.shape
    assert (columns, rows) == (858, 792)
    column, row = np.meshgrid(np.arange(columns), np.arange(rows))
    exact = view.to_image(np.stack([left + column / 33, top + row / 33], axis=-1))
    assert np.abs(exact - places).max() < 0.02


def test_one_map_serves_a_picture_made_smaller() -> None:
    view = true_view(6, size=(1640, 1232))
    smaller = view.flatten_map(20, -7, -7, 7, 7, shrunk=2)
    assert np.allclose(smaller, view.flatten_map(20, -7, -7, 7, 7) / 2 - 0.25, atol=1e-3)


def test_a_flattened_picture_shows_a_cell_where_the_board_has_it() -> None:
    view = true_view(3)
    width, height = view.size_px
    image = np.zeros((height, width), np.uint8)
    x, y = view.centres_px[view.board.cell("A1")]
    cv2.circle(image, (round(x), round(y)), 5, 255, -1)
    flat = cv2.remap(image, view.flatten_map(20, -7, -7, 7, 7), None, cv2.INTER_LINEAR)
    row, column = np.argwhere(flat > 127).mean(axis=0)
    centre = view.board.cell("A1").centre
    assert np.allclose([column / 20 - 7, row / 20 - 7], centre, atol=0.05)


def test_a_part_of_a_map_is_what_the_whole_map_has_there() -> None:
    view = true_view(6, size=(1640, 1232), k1=-0.1)
    whole, parts = view.flatten_map(32, -14, -14, 14, 14), view.flat_map(32, -14, -14, 14, 14)
    for part in (np.s_[0:50, 800:896], np.s_[324:404, 17:97], np.s_[160:176, :5]):
        assert np.array_equal(parts.part(*part), whole[part])
