"""Square boards are found from four clicks, and found again after a push."""

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from calibration import Follower, SquareView, align_square
from calibration.grid import grid_edges
from calibration.lens import CalibratedLens
from companion.board import BadInputError, SquareBoard, SquareCell
from simulator.scene import Nudge
from simulator.square_camera import SquareCamera, bumped, random_board, square_camera, square_setup

BOARD = SquareBoard(6)


@cache
def drawn(seed: int) -> tuple[SquareCamera, NDArray[np.uint8], dict[SquareCell, tuple[float, float]]]:
    camera = square_camera(seed)
    setup = square_setup(camera, seed)
    return camera, camera.picture(setup.empty), dict(setup.clicks)


def worst_px(view: SquareView, camera: SquareCamera, nudge: Nudge) -> float:
    centres = camera.centres(nudge)
    found = view.to_image([cell.centre for cell in centres])
    return float(np.linalg.norm(found - np.array(list(centres.values())), axis=1).max())


def test_every_edge_is_there_once_and_normals_of_the_rim_all_point_inward_or_all_outward() -> None:
    edges = grid_edges(BOARD)
    assert len(edges.ends) == 2 * 6 * 7
    assert edges.is_rim.sum() == 4 * 6
    assert len({tuple(middle) for middle in edges.middles}) == len(edges.ends)
    assert np.allclose(np.linalg.norm(edges.ends[:, 1] - edges.ends[:, 0], axis=1), 4)
    along = (edges.ends[:, 1] - edges.ends[:, 0])[edges.is_rim]
    normals = np.stack([-along[:, 1], along[:, 0]], axis=1)
    towards = np.sign((normals * edges.middles[edges.is_rim]).sum(axis=1))
    assert len(set(towards.tolist())) == 1


# Boards with thin pale, thin dark, broad and chequered borders.
@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 2, 4, 11])
def test_a_board_is_found_from_rough_clicks_and_followed_when_pushed(seed: int) -> None:
    camera, picture, clicks = drawn(seed)
    view = align_square(picture, clicks, BOARD)
    # A cell's side is 144 px here; this is a thirtieth of it.
    assert worst_px(view, camera, Nudge()) < 5
    scene = bumped(random_board(camera.art, np.random.default_rng(seed)), np.random.default_rng(seed))
    found = Follower.of(picture, view).follow(camera.picture(scene))
    assert isinstance(found, SquareView)
    assert worst_px(found, camera, scene.nudge) < 5


@pytest.mark.long
def test_a_picture_without_a_board_and_swapped_clicks_are_refused() -> None:
    _, picture, clicks = drawn(2)
    noise = np.random.default_rng(1).integers(0, 255, picture.shape).astype(np.uint8)
    first, second, *_ = BOARD.corners
    swapped = clicks | {first: clicks[second], second: clicks[first]}
    for image, clicked in ((noise, clicks), (picture, swapped)):
        with pytest.raises(BadInputError, match="no board grid found near the clicks"):
            align_square(image, clicked, BOARD)


@pytest.mark.long
def test_clicks_that_cannot_be_are_named() -> None:
    _, picture, clicks = drawn(2)
    first = BOARD.corners[0]
    with pytest.raises(BadInputError, match="no click on A1"):
        align_square(picture, {cell: click for cell, click in clicks.items() if cell != first}, BOARD)
    with pytest.raises(BadInputError, match=r"the click on A1 at \(-5, 3\) lies outside the picture"):
        align_square(picture, clicks | {first: (-5.0, 3.0)}, BOARD)
    with pytest.raises(BadInputError, match="the lens was calibrated with 640 x 480"):
        align_square(picture, clicks, BOARD, CalibratedLens(640, 480, 500.0, 500.0, 320.0, 240.0))
