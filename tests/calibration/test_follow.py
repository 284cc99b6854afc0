"""From photograph to photograph: pushed, nudged, turned, under an arm, under another lamp, or not to be found."""

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

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


def moved(scene: Scene, degrees: float, right_cells: float, down_cells: float, seed: int = 9) -> Scene:
    """The same print elsewhere on the table: the drawing's seed is the scene's, only the view differs."""
    turn = np.radians(degrees)
    push = np.array([[np.cos(turn), -np.sin(turn), right_cells], [np.sin(turn), np.cos(turn), down_cells], [0, 0, 1]])
    return drawn(scene.view.moved(np.asarray(scene.view.homography) @ push, 0.0), seed=4)


def test_a_board_that_stayed_is_found_where_it_was(scene: Scene, follower: Follower) -> None:
    assert scene.off_px(follower.follow(scene.image)) < 0.3


@pytest.mark.parametrize(("degrees", "right", "down"), [(0, 1, 0), (0, -0.7, -0.7), (3, 0, 0), (-3, 0.6, 0.5)])
def test_a_pushed_board_is_followed(
    scene: Scene, follower: Follower, degrees: float, right: float, down: float
) -> None:
    pushed = moved(scene, degrees, right, down)
    assert pushed.off_px(follower.follow(pushed.image)) < 0.5


def test_a_board_turned_far_is_searched_for(scene: Scene, follower: Follower) -> None:
    turned = moved(scene, 20, 0.5, 0.3)
    assert turned.off_px(follower.follow(turned.image)) < 0.5


@pytest.mark.long
def test_the_last_view_is_looked_at_first_and_errors_do_not_add_up(scene: Scene, follower: Follower) -> None:
    near = follower.view
    for step in range(1, 6):
        pushed = moved(scene, step, 0.2 * step, 0)
        found = follower.follow(pushed.image, near)
        assert pushed.off_px(found) < 0.5
        assert isinstance(found, BoardView)
        near = found


def test_an_arm_over_a_third_of_the_board_does_not_mislead(scene: Scene, follower: Follower) -> None:
    pushed = moved(scene, 2, 0.4, 0.3)
    image = pushed.image.copy()
    width, height = SIZE
    arm = np.array([[0.55, 1.0], [0.45, 0.4], [0.5, 0.25], [0.6, 0.25], [0.68, 0.4], [0.75, 1.0]]) * [width, height]
    cv2.fillPoly(image, [arm.astype(np.int32)], (140, 170, 215))
    assert pushed.off_px(follower.follow(image)) < 0.5


def test_other_light_does_not_mislead(scene: Scene, follower: Follower) -> None:
    pushed = moved(scene, -2, 0.3, 0.3)
    light = pushed.image * np.array([0.75, 1.0, 1.2]) * 0.7
    light[:, : SIZE[0] // 2] *= 0.5
    assert pushed.off_px(follower.follow(np.clip(light, 0, 255).astype(np.uint8))) < 0.5


def test_other_pieces_on_the_board_do_not_mislead(scene: Scene, follower: Follower) -> None:
    other = drawn(scene.view, seed=77)  # the frame's print is the same, the cells' is not
    assert other.off_px(follower.follow(other.image)) < 0.3


def test_a_table_without_the_board_is_board_lost(follower: Follower) -> None:
    lost = follower.follow(table_only(SIZE))
    assert isinstance(lost, BoardLost)
    assert lost.why


@pytest.mark.parametrize("level", [0, 128, 255])
def test_a_covered_camera_is_board_lost(follower: Follower, level: int) -> None:
    assert isinstance(follower.follow(np.full((SIZE[1], SIZE[0], 3), level, np.uint8)), BoardLost)


def test_noise_is_board_lost(follower: Follower) -> None:
    noise = np.random.default_rng(1).integers(0, 255, (SIZE[1], SIZE[0], 3), dtype=np.uint8)
    assert isinstance(follower.follow(noise), BoardLost)


def test_a_photograph_of_another_size_is_board_lost(scene: Scene, follower: Follower) -> None:
    lost = follower.follow(np.ascontiguousarray(scene.image[:, :-8]))
    assert isinstance(lost, BoardLost)
    assert "1272 x 960" in lost.why


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
    assert isinstance(other, BoardView)
    off = np.array(list(one.centres_px.values())) - np.array(list(other.centres_px.values()))
    assert np.sqrt(np.mean(np.sum(off**2, axis=1))) < 0.5
    assert one.residual_px < 1
