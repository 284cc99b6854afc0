"""Hands hide what lies below them; shadows and small things do not."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from simulator import Hand
from tests.vision.conftest import EXTENT, DrawnTable, wrong
from vision.hands import find_hands
from vision.light.flatten import SAMPLE_SIDE_PX, Floats

SIZE = round(2 * EXTENT * SAMPLE_SIDE_PX)
SKIN = (0.55, 0.65, 0.85)


@pytest.fixture
def board() -> Floats:
    """The halved tones of some printing."""
    rng = np.random.default_rng(1)
    coarse = cv2.resize(rng.uniform(0.35, 0.7, (40, 40, 3)).astype(np.float32), (SIZE, SIZE))
    return np.asarray(coarse + rng.normal(0, 0.03, coarse.shape), np.float32)


def polygon(*points_cells: tuple[float, float]) -> np.ndarray:
    mask = np.zeros((SIZE, SIZE), np.uint8)
    corners = (np.array(points_cells) + EXTENT) * SAMPLE_SIDE_PX
    cv2.fillPoly(mask, [np.round(corners).astype(np.int32)], 1)
    return mask.astype(bool)


ARM = polygon((0, 2), (1.8, 2), (2.2, 14), (-0.6, 14))


def laid(board: Floats, *things: tuple[np.ndarray, tuple[float, float, float]], with_arm: bool = False) -> Floats:
    """Return the board with things of one colour each on it, and perhaps an arm over them."""
    seen = board.copy()
    for place, color in things:
        seen[place] = color
    if with_arm:
        seen[ARM] = np.array(SKIN) + np.random.default_rng(2).normal(0, 0.03, (ARM.sum(), 3))
    return seen


def test_an_arm_that_comes_in_over_the_frame_is_a_hand(board: Floats) -> None:
    hands = find_hands(laid(board, with_arm=True), board)
    inside = polygon((0, 2), (1.8, 2), (2.2, 13.5), (-0.6, 13.5))
    assert hands[inside].mean() > 0.99
    far = cv2.dilate(ARM.astype(np.uint8), np.ones((25, 25), np.uint8)).astype(bool)
    assert not hands[~far].any()


def test_an_arms_shadow_is_no_hand(board: Floats) -> None:
    for depth in (0.8, 0.65):
        seen = board.copy()
        seen[ARM] *= depth
        assert not find_hands(seen, board).any(), depth


@pytest.mark.parametrize("aside_cells", [0.9, -0.9, 1.5])
def test_sunlight_that_falls_elsewhere_on_a_pushed_board_is_no_hand(board: Floats, aside_cells: float) -> None:
    def sunlit(left: float) -> Floats:
        window = polygon((left, 2), (left + 4, 2), (left + 5, 14), (left + 1, 14)).astype(np.float32)
        return np.asarray(board * (1 + 1.2 * cv2.GaussianBlur(window, (0, 0), 1.5))[..., None], np.float32)

    assert not find_hands(sunlit(aside_cells), sunlit(0.0)).any()
    assert find_hands(laid(sunlit(aside_cells), with_arm=True), sunlit(0.0))[ARM].mean() > 0.95


def test_an_unchanged_table_has_no_hand(board: Floats) -> None:
    noisy = board + np.random.default_rng(3).normal(0, 0.02, board.shape).astype(np.float32)
    assert not find_hands(noisy, board).any()


def test_a_small_thing_is_no_hand_nor_is_what_lies_on_the_board_alone(board: Floats) -> None:
    for thing in (
        polygon((0, 0), (0.8, 0), (0.8, 0.8), (0, 0.8)),  # a cube that rolled away
        polygon((-3, -1), (3, -1), (3, 1), (-3, 1)),  # tiles side by side
        polygon((0, 2), (0.25, 2), (0.25, 14), (0, 14)),  # a thread over the frame
    ):
        assert not find_hands(laid(board, (thing, SKIN)), board).any()


@pytest.mark.long
@pytest.mark.parametrize(
    "hand", [Hand(0.0, 0.0, 0.0, 0), Hand(4.0, -3.0, 1.5, 1), Hand(-3.0, 4.0, 1.9, 4), Hand(2.0, 1.0, -1.4, 9)]
)
def test_a_drawn_hand_hides_its_cells_and_hardly_more(drawn: DrawnTable, hand: Hand) -> None:
    deal = drawn.dealt(6)
    covered = replace(deal, hand=hand)
    reading = drawn.reader_of_deal(6).read(drawn.camera.picture(covered))
    truth = drawn.camera.truth(covered)
    assert len(truth.occluded) > 10
    # A cell with one corner under a fingertip may still be read.
    assert len(truth.occluded - reading.abstained) <= 4
    assert wrong(reading, covered, list(truth.occluded)) == {}
    assert len(reading.occluded - truth.occluded) <= 4
    assert truth.occluded_tracks <= reading.occluded_tracks
    # What a hand hides stays as it was last seen.
    assert all(reading.contents(cell) == deal.contents(cell) for cell in reading.occluded)
    # A hand's shadow has hard edges; next to fingertips one may look like a road.
    assert len(wrong(reading, covered)) <= 1


@pytest.mark.long
@pytest.mark.parametrize("hand", [Hand(0.0, 0.0, 0.0, 0), Hand(-3.0, 4.0, 1.9, 4)])
def test_tiles_never_seen_before_are_no_part_of_a_hand_beside_them(drawn: DrawnTable, hand: Hand) -> None:
    covered = replace(drawn.dealt(6), hand=hand)
    reading = drawn.reader(is_dealt=False).read(drawn.camera.picture(covered))
    truth = drawn.camera.truth(covered)
    assert len(reading.occluded - truth.occluded) <= 4
    assert wrong(reading, covered, list(truth.occluded - reading.abstained)) == {}


def test_what_is_explained_belongs_to_no_hand_however_it_differs(board: Floats) -> None:
    tiles = polygon((-6, 3), (0.5, 3), (0.5, 5), (-6, 5))
    seen = laid(board, (tiles, (0.3, 0.5, 0.3)), with_arm=True)
    assert find_hands(seen, board)[tiles & ~ARM].mean() > 0.5
    hands = find_hands(seen, board, tiles & ~ARM)
    assert hands[tiles & ~ARM].mean() < 0.1
    assert hands[ARM & polygon((-2, 2), (3, 2), (3, 13.5), (-2, 13.5))].mean() > 0.95


def test_a_tile_apart_from_the_arm_is_no_part_of_the_hand_once_the_tiles_between_are_explained(board: Floats) -> None:
    between, apart = polygon((-3, 3), (-1, 3), (-1, 5), (-3, 5)), polygon((-5, 3), (-3.2, 3), (-3.2, 5), (-5, 5))
    seen = laid(board, (between, (0.3, 0.5, 0.3)), (apart, (0.8, 0.5, 0.2)), with_arm=True)
    assert find_hands(seen, board)[apart].mean() > 0.5
    hands = find_hands(seen, board, between)
    assert not hands[apart].any()
    assert hands[ARM & polygon((-2, 2), (3, 2), (3, 13.5), (-2, 13.5))].mean() > 0.95
