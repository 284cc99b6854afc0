"""Markers on the frame's corners: they find a pushed board at once, and are not believed if they disagree."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration import BoardLost, BoardView, Fiducials, Follower
from calibration.seeking import Markers, find_markers
from tests.calibration.drawn import Scene, drawn, true_view

SIZE = (1280, 960)
FIDUCIALS = Fiducials("DICT_4X4_50", (0, 1, 2, 3))
CORNERS = {0: (-12.4, -12.4), 1: (12.4, -12.4), 2: (12.4, 12.4), 3: (-12.4, 12.4)}


@pytest.fixture(scope="module")
def scene() -> Scene:
    return drawn(true_view(6, SIZE), seed=4)


@pytest.fixture(scope="module")
def follower(scene: Scene) -> Follower:
    return Follower.of(marked(scene), scene.view, scene.tracks, FIDUCIALS)


@pytest.fixture(scope="module")
def pushed(scene: Scene) -> Scene:
    """The board, pushed by 30 px and turned by 3 degrees."""
    return scene.pushed(3, 0.9, -0.6)


def marked(scene: Scene, aside: dict[int, float] | None = None, hidden: tuple[int, ...] = ()) -> NDArray[np.uint8]:
    """Return the photograph with markers on the frame, some of them `aside` by that many cell sides."""
    image = scene.image.copy()
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    for number, (x, y) in CORNERS.items():
        marker = cv2.aruco.generateImageMarker(dictionary, number, 96)
        card = cv2.copyMakeBorder(marker, 16, 16, 16, 16, cv2.BORDER_CONSTANT, value=255)
        square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * 0.9 + (x + (aside or {}).get(number, 0.0), y)
        corners = np.array([[0, 0], [127, 0], [127, 127], [0, 127]], np.float32)
        warp = cv2.getPerspectiveTransform(corners, scene.view.to_image(square).astype(np.float32))
        shown = cv2.warpPerspective(card, warp, SIZE, flags=cv2.INTER_AREA)
        there = cv2.warpPerspective(np.full_like(card, 255), warp, SIZE, flags=cv2.INTER_AREA)
        if number not in hidden:
            image = np.where(there[..., None] > 127, shown[..., None], image)
    return np.asarray(image, np.uint8)


def without_print(follower: Follower) -> Follower:
    """Return the follower with nothing but the markers to go by."""
    return replace(follower, features=follower.features[:0], half=np.full_like(follower.half, 128))


def markers_of(follower: Follower) -> Markers:
    assert follower.markers is not None
    return follower.markers


def pushed_view(follower: Follower, image: NDArray[np.uint8]) -> BoardView | None:
    """Return the view that the markers alone give."""
    markers = markers_of(follower)
    return markers.pushed(markers.seen_near(image, follower.view))


def test_all_four_markers_are_seen_and_no_others(scene: Scene) -> None:
    assert sorted(find_markers(marked(scene), FIDUCIALS)) == [0, 1, 2, 3]
    assert sorted(find_markers(marked(scene), Fiducials("DICT_4X4_50", (2, 7)))) == [2]
    assert find_markers(scene.image, FIDUCIALS) == {}


@pytest.mark.parametrize("hidden", [(), (1,)], ids=["all four", "three will do"])
def test_a_pushed_board_is_found_by_its_markers_alone(pushed: Scene, follower: Follower, hidden: tuple[int]) -> None:
    assert pushed.rms_px(without_print(follower).follow(marked(pushed, hidden=hidden))) < 0.5


@pytest.mark.parametrize(
    ("aside", "hidden", "are_enough"),
    [({2: 0.3}, (), True), ({2: 0.3, 0: -0.3}, (), False), ({}, (1, 2), False)],
    ids=["one pushed aside is not believed", "two pushed aside", "two alone are not believed"],
)
def test_where_too_few_markers_agree_the_frames_print_decides(
    pushed: Scene, follower: Follower, aside: dict[int, float], hidden: tuple[int, ...], are_enough: bool
) -> None:
    seen = marked(pushed, aside, hidden)
    found = pushed_view(follower, seen)
    assert found is None if not are_enough else pushed.rms_px(found) < 0.5
    assert isinstance(without_print(follower).follow(seen), BoardLost) is not are_enough
    assert pushed.rms_px(follower.follow(seen)) < 0.5


def test_markers_find_a_board_turned_half_round(scene: Scene, follower: Follower) -> None:
    turned = np.ascontiguousarray(marked(scene)[::-1, ::-1])
    found = follower.follow(turned)
    assert isinstance(found, BoardView)
    centres = np.array([SIZE[0] - 1, SIZE[1] - 1]) - np.array(list(scene.view.centres_px.values()))
    assert np.abs(np.array(list(found.centres_px.values())) - centres).max() < 1
    assert sorted(markers_of(follower).seen_anywhere(turned)) == [0, 1, 2, 3]
    assert markers_of(follower).seen_anywhere(scene.image) == {}


def test_where_the_camera_tilted_the_markers_say_about_where_and_the_frames_print_exactly(
    scene: Scene, follower: Follower
) -> None:
    tilt = np.array([[1.01, -0.006, -6.0], [0.008, 0.995, 5.0], [1.2e-5, -0.8e-5, 1.0]])
    tilted = drawn(scene.view.moved(tilt @ np.asarray(scene.view.homography), 0.0), seed=4)
    seen = marked(tilted)
    assert pushed_view(follower, seen) is None
    markers = markers_of(follower)
    assert tilted.rms_px(markers.about(markers.seen_near(seen, follower.view))) < 1
    assert tilted.rms_px(follower.follow(seen)) < 0.5
