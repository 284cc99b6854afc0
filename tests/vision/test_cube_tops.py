"""Cubes counted by their squares: apart, touching, of the ground's own colour, hidden in part."""

import math

import cv2
import numpy as np
import pytest

from companion.board import Color
from vision.counting import hue_share
from vision.crowds import MOST, number_of
from vision.cube_tops import Fitted, fit_squares
from vision.flatten import SIDE_PX, Floats

GROUND, TOP, OTHER = (np.array(tone, np.float32) for tone in ((0.5, 0.6, 0.4), (0.25, 0.3, 0.8), (0.2, 0.2, 0.2)))
TOPS = {Color.RED: TOP, Color.BLACK: OTHER}
SIZE = 2 * SIDE_PX + 1

#: A cube's place in cell sides from the cell's centre, and its turn in degrees.
Cube = tuple[float, float, float]


def look(seed: int = 1) -> Floats:
    """A cell's window with some print."""
    rng = np.random.default_rng(seed)
    coarse = rng.normal(0, 0.06, (9, 9, 3)).astype(np.float32)
    return np.asarray(GROUND + cv2.resize(coarse, (SIZE, SIZE)), dtype=np.float32)


def with_cubes(below: Floats, *cubes: Cube, top: Floats = TOP, seed: int = 2) -> Floats:
    """The window with cubes on it, and a camera's noise."""
    fine = 8
    large = cv2.resize(below, None, fx=fine, fy=fine, interpolation=cv2.INTER_LINEAR)
    for x, y, turn in cubes:
        middle = ((x + 1) * SIDE_PX + 0.5) * fine, ((y + 1) * SIDE_PX + 0.5) * fine
        corners = cv2.boxPoints((middle, (0.4 * SIDE_PX * fine, 0.4 * SIDE_PX * fine), turn))
        cv2.fillConvexPoly(large, np.rint(corners).astype(np.int32), tuple(map(float, top)))
    small = cv2.resize(large, (SIZE, SIZE), interpolation=cv2.INTER_AREA)
    noise = np.random.default_rng(seed).normal(0, 0.015, small.shape)
    return np.asarray(small + noise, dtype=np.float32)


@pytest.mark.parametrize(
    "cubes",
    [
        [],
        [(0.1, -0.2, 20.0)],
        [(0.0, 0.0, 0.0), (0.42, 0.02, 0.0)],
        [(-0.3, -0.3, 10.0), (0.3, -0.25, 40.0), (0.0, 0.35, 75.0)],
        [(0.25 * x, 0.25 * y, 0.0) for x in (-1, 1) for y in (-1, 1)],
        [(0.5 * x, 0.25 * y, 3.0) for x in (-1, 0, 1) for y in (-1, 1)],
    ],
)
def test_cubes_side_by_side_are_counted(cubes: list[Cube]) -> None:
    below = look()
    fitted = fit_squares(with_cubes(below, *cubes), below, TOPS)
    assert number_of(fitted, Color.RED, is_own=False) == (len(cubes),) * 3
    assert number_of(fitted, Color.BLACK, is_own=False) == (0, 0, 0)


def test_squares_lie_where_the_cubes_stand() -> None:
    below = look()
    (square,) = fit_squares(with_cubes(below, (0.25, -0.125, 15.0)), below, TOPS).squares
    right, down = square.column / SIDE_PX - 1, square.row / SIDE_PX - 1
    assert math.hypot(right - 0.25, down + 0.125) < 0.06


def test_light_that_fell_otherwise_when_the_look_was_learnt_is_no_cube() -> None:
    below = look()
    brighter = np.asarray(with_cubes(below, (0.0, 0.2, 0.0)) * 1.08, dtype=np.float32)
    assert number_of(fit_squares(brighter, below, TOPS), Color.RED, is_own=False) == (1, 1, 1)


def test_cubes_little_unlike_their_ground_are_counted_by_the_whole_of_their_tops() -> None:
    below = np.asarray(np.full((SIZE, SIZE, 3), TOP) + np.array((0.05, -0.03, -0.06)), dtype=np.float32)
    seen = with_cubes(below, (-0.3, 0.1, 30.0), (0.35, -0.1, 60.0))
    fitted = fit_squares(seen, below, {Color.RED: TOP})
    assert len(fitted.of(Color.RED)) == 2
    assert max(fitted.gaps.values()) == math.inf, "of other colours there is none"
    assert 0 < fitted.gaps[Color.RED] < 0.4


def test_what_squares_leave_of_a_heap_says_that_more_may_stand_there() -> None:
    """Three cubes and one half covered by another: it shows, but is no square."""
    below = look()
    heap = [(-0.3, -0.3, 0.0), (0.25, -0.3, 10.0), (0.0, 0.3, 0.0), (0.3, 0.3, 45.0)]
    likely, least, most = number_of(fit_squares(with_cubes(below, *heap), below, TOPS), Color.RED, is_own=False)
    assert least == 3
    assert likely in (3, 4)
    assert most == MOST


def test_art_that_was_not_known_tells_no_number() -> None:
    below = look()
    seen = with_cubes(with_cubes(below, (0.0, -0.3, 0.0), top=np.ones(3, np.float32)), (0.0, 0.3, 0.0))
    fitted = fit_squares(seen, below, TOPS)
    assert fitted.strange > 0.3
    assert number_of(fitted, Color.RED, is_own=True)[1] == 0


def test_cubes_of_their_workshops_colour_that_touch_may_hide_others() -> None:
    def touching(gap: float) -> Fitted:
        apart = 0.2 + gap / 2
        below = look()
        return fit_squares(with_cubes(below, (-apart, apart, 0.0), (apart, apart, 0.0), (0.0, -0.25, 0.0)), below, TOPS)

    assert number_of(touching(0.05), Color.RED, is_own=True) == (3, 3, MOST)
    assert number_of(touching(0.05), Color.RED, is_own=False) == (3, 3, 3)
    assert number_of(touching(0.16), Color.RED, is_own=True) == (3, 3, 3)


def test_a_cubes_side_beside_those_that_came_shows_its_hue() -> None:
    below = look()
    sliver = with_cubes(with_cubes(below, (0.0, 0.0, 0.0), top=TOP * 0.6), (0.2, 0.0, 0.0), top=OTHER)
    assert hue_share(sliver, below, TOP) > 0.06
    assert hue_share(with_cubes(below, (0.1, 0.0, 0.0), top=OTHER), below, TOP) == 0
    assert hue_share(sliver, below, OTHER) == 0, "black has no hue"
