"""The board from straight above, in linear light."""

import numpy as np
import pytest

from companion.board import Color, HexCell
from tests.vision.conftest import EXTENT, SIZE_PX, DrawnTable
from vision.light import flatten
from vision.light.flatten import Image


def test_the_boards_middle_is_the_flat_pictures_middle() -> None:
    assert flatten.to_flat((0.0, 0.0), EXTENT) == (SIZE_PX / 2, SIZE_PX / 2)
    assert flatten.to_flat((-EXTENT, -EXTENT), EXTENT) == (0, 0)


def test_a_flat_picture_reaches_beyond_the_day_tracks_and_tells_how_far() -> None:
    for rings, far, reach in ((6, 12.69, 14.0), (5, 10.74, 12.0), (7, 14.65, 16.0)):
        tracks = {Color.RED: ((-far, 7.0), (-far, -7.0)), Color.GREY: ((7.0, far), (-7.0, far))}
        assert flatten.extent_of(rings, tracks) == reach
        size = flatten.size_of(reach)
        assert flatten.extent_cells(np.zeros((size, size, 3), np.float32)) == reach


def test_without_day_tracks_a_flat_picture_reaches_beyond_the_boards_corners() -> None:
    for rings in range(2, 8):
        # These tracks cannot be tracks.
        assert flatten.extent_of(rings, {Color.RED: ((-1, 2), (1, 2))}) >= rings * np.sqrt(3) + 1
        assert rings * np.sqrt(3) + 2 < flatten.extent_of(rings, {}) < 1.5 * rings * np.sqrt(3) + 2


def test_a_flat_pixel_shows_what_the_photograph_shows_there(drawn: DrawnTable) -> None:
    view, (width, height) = drawn.taught_reader.view, drawn.folder.setup.size_px
    # A picture whose pixels give their own position: columns in blue, rows in green.
    x, y = np.meshgrid(np.linspace(0, 255, width), np.linspace(0, 255, height))
    picture = np.stack([x, y, np.zeros_like(x)], axis=2).round().astype(np.uint8)
    flat = flatten.flatten(picture, view, EXTENT)
    assert flat.shape == (SIZE_PX, SIZE_PX, 3)
    for cell in view.board.cells:
        column, row = (round(value) for value in flatten.to_flat(cell.centre, EXTENT))
        place = (column / flatten.SIDE_PX - EXTENT, row / flatten.SIDE_PX - EXTENT)
        shown = flat[row, column, :2] ** (1 / 2.2) * (width - 1, height - 1)
        # 255 levels over 1640 columns: one level is 6.4 pixels.
        assert np.abs(shown - view.to_image([place])[0]).max() < 4.0, cell


def test_light_is_linear_between_black_and_white() -> None:
    levels = flatten.linear(np.arange(256, dtype=np.uint8))
    assert (levels[0], levels[255]) == (0, 1)
    assert (np.diff(levels) > 0).all()
    assert np.isclose(levels[186], 0.5, atol=0.005)  # half the light is grey 186 in sRGB


def test_what_lies_outside_the_photograph_is_black(drawn: DrawnTable) -> None:
    view = drawn.taught_reader.view
    aside = view.moved(np.array([[1, 0, 900], [0, 1, 0], [0, 0, 1]]) @ np.asarray(view.homography), 0.0)
    white = np.full((*drawn.folder.setup.size_px[::-1], 3), 255, np.uint8)
    flat = flatten.flatten(white, aside, EXTENT)
    assert flat[SIZE_PX // 2, -100].max() == 0
    assert flat[SIZE_PX // 2, 100].min() == 1


def test_a_window_is_cut_round_its_point(drawn: DrawnTable, empty_picture: Image) -> None:
    flat = drawn.flat(empty_picture)
    for cell in drawn.taught.board.corners:
        column, row = (round(value) for value in flatten.to_flat(cell.centre, EXTENT))
        cut = flatten.window(flat, cell.centre, 10)
        assert cut.shape == (21, 21, 3)
        assert (cut[10, 10] == flat[row, column]).all()
    x, y = flatten.plane(10)
    assert (x[10, 10], y[10, 10]) == (0, 0)
    assert np.isclose(x[0, 20], 10 / flatten.SIDE_PX)
    assert np.isclose(y[20, 0], 10 / flatten.SIDE_PX)


def test_every_level_comes_back_from_linear_light_and_what_is_lighter_than_white_is_white() -> None:
    every = np.arange(256, dtype=np.uint8).reshape(1, 256, 1).repeat(3, axis=2)
    assert (flatten.levels(flatten.linear(every)) == every).all()
    assert (flatten.levels(1.5 * flatten.linear(every[:, 250:])) == 255).all()


@pytest.mark.parametrize(("level", "share"), [(255, 0.5), (250, 0.5), (249, 0.0)])
def test_a_cell_is_overexposed_where_any_channel_has_all_the_light_that_a_camera_takes(
    level: int, share: float
) -> None:
    cell, size = HexCell(1, 1), flatten.size_of(12)
    seen = np.full((size, size, 3), 120, np.uint8)
    column, _ = flatten.to_flat(cell.centre, 12)
    seen[:, : round(column), 2] = level
    assert flatten.overexposed(seen, cell) == pytest.approx(share, abs=0.02)
    assert flatten.overexposed(seen, HexCell(6, 0)) == 0
