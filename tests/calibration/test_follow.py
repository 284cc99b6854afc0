"""From photograph to photograph: pushed, nudged, turned, under an arm, in another light, or not to be found."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration import BoardLost, BoardView, Follower, TableFolder, align, load_photo
from companion.board import HexBoard
from tests.calibration.drawn import Scene, drawn, table_only, true_view

SIZE = (1280, 960)


@pytest.fixture(scope="module")
def scene() -> Scene:
    return drawn(true_view(6, SIZE), seed=4)


@pytest.fixture(scope="module")
def follower(scene: Scene) -> Follower:
    return Follower.of(scene.image, align(scene.image, scene.clicks(5), 6, scene.tracks), scene.tracks)


@pytest.mark.long
def test_a_board_that_stayed_is_found_where_it_was(scene: Scene, follower: Follower) -> None:
    assert scene.rms_px(follower.follow(scene.image)) < 0.3


@pytest.mark.parametrize(
    ("degrees", "right", "down"),
    [(0, 1, 0), (0, -0.7, -0.7), (3, 0, 0), (-3, 0.6, 0.5), pytest.param(20, 0.5, 0.3, id="turned far: searched for")],
)
def test_a_pushed_board_is_followed(
    scene: Scene, follower: Follower, degrees: float, right: float, down: float
) -> None:
    pushed = scene.pushed(degrees, right, down)
    assert pushed.rms_px(follower.follow(pushed.image)) < 0.5


@pytest.mark.long
def test_the_last_view_is_looked_at_first_and_errors_do_not_add_up(scene: Scene, follower: Follower) -> None:
    near = follower.view
    for step in range(1, 6):
        pushed = scene.pushed(step, 0.2 * step, 0)
        found = follower.follow(pushed.image, near)
        assert pushed.rms_px(found) < 0.5
        assert isinstance(found, BoardView)
        near = found


def test_an_arm_over_a_third_of_the_board_does_not_mislead(scene: Scene, follower: Follower) -> None:
    pushed = scene.pushed(2, 0.4, 0.3)
    image = pushed.image.copy()
    width, height = SIZE
    arm = np.array([[0.55, 1.0], [0.45, 0.4], [0.5, 0.25], [0.6, 0.25], [0.68, 0.4], [0.75, 1.0]]) * [width, height]
    cv2.fillPoly(image, [arm.astype(np.int32)], (140, 170, 215))
    assert pushed.rms_px(follower.follow(image)) < 0.5


def test_other_light_does_not_mislead(scene: Scene, follower: Follower) -> None:
    pushed = scene.pushed(-2, 0.3, 0.3)
    light = pushed.image * np.array([0.75, 1.0, 1.2]) * 0.7
    light[:, : SIZE[0] // 2] *= 0.5
    assert pushed.rms_px(follower.follow(np.clip(light, 0, 255).astype(np.uint8))) < 0.5


@pytest.mark.long
def test_other_pieces_on_the_board_do_not_mislead(scene: Scene, follower: Follower) -> None:
    other = drawn(scene.view, seed=77)  # the frame's print is the same, the cells' print is not
    assert other.rms_px(follower.follow(other.image)) < 0.3


EMPTY = np.zeros((SIZE[1], SIZE[0], 3), np.uint8)
LOST: dict[str, Callable[[], NDArray[np.uint8]]] = {
    "a table without the board": lambda: table_only(SIZE),
    "a covered camera, black": lambda: EMPTY,
    "a covered camera, grey": lambda: EMPTY + np.uint8(128),
    "a covered camera, white": lambda: EMPTY + np.uint8(255),
    "noise": lambda: np.random.default_rng(1).integers(0, 255, EMPTY.shape, dtype=np.uint8),
    "another size": lambda: EMPTY[:, :-8],
}


@pytest.mark.parametrize("what", LOST)
def test_a_picture_without_the_board_is_board_lost_and_says_why(follower: Follower, what: str) -> None:
    lost = follower.follow(LOST[what]())
    assert isinstance(lost, BoardLost)
    assert "1272 x 960" in lost.why if what == "another size" else lost.why


def test_a_frame_without_print_cannot_be_followed(scene: Scene, follower: Follower) -> None:
    blank = replace(follower, features=follower.features[:5])
    assert isinstance(blank.follow(scene.image), BoardLost)


@pytest.mark.long
@pytest.mark.parametrize(
    ("table", "photo"),
    [
        ("oak", "games/first/005.jpg"),  # pushed, and the light changed
        ("maple", "games/first/003.jpg"),  # pushed, a hand over 23 cells
        ("elm", "games/evening/026.jpg"),  # a hand over 43 cells
        ("pine", "games/first/002.jpg"),
    ],
)
def test_shared_photographs_are_followed_alike_from_two_references(tables: Path, table: str, photo: str) -> None:
    folder = TableFolder.open(tables / table)
    setup = folder.setup
    empty, _ = folder.load_empty()
    teach, _ = folder.load_teach()
    view = align(empty, setup.clicks, HexBoard(6).rings, setup.tracks)
    first = Follower.of(empty, view, setup.tracks, setup.fiducials)
    taught = first.follow(teach)
    assert isinstance(taught, BoardView)
    second = Follower.of(teach, taught, setup.tracks, setup.fiducials)
    image = load_photo(folder.path / photo, setup.size_px)
    one, other = first.follow(image), second.follow(image)
    assert isinstance(one, BoardView)
    assert Scene(image, one, {}).rms_px(other) < 0.5
    assert one.residual_px < 1
