"""A loose tile's place and turn are found by its print, and by its outline."""

import math

import cv2
import numpy as np
import pytest

from vision.light.flatten import Floats
from vision.square.fitting import PRINT_PX, Print, cut, fitted, likest, tile_poses
from vision.square.light import CELL_PX

SIZE = 4 * CELL_PX
MIDDLE = (SIZE / 2, SIZE / 2)


def printed(seed: int) -> Floats:
    """A picture with soft random print all over."""
    rough = np.random.default_rng(seed).uniform(0.2, 0.8, (SIZE, SIZE, 3)).astype(np.float32)
    smooth = cv2.GaussianBlur(rough, (0, 0), 3)
    return np.asarray((smooth - smooth.mean()) * 6 + 0.5, np.float32)


def at(picture: Floats, x: float, y: float, degrees: float) -> Print:
    return Print(cut(picture, MIDDLE, np.array([[x, y, math.radians(degrees)]]), PRINT_PX, 1.0)[0])


@pytest.mark.parametrize(("x", "y", "degrees"), [(0.0, 0.0, 0.0), (2.6, -1.4, 3.0), (-2.0, 2.2, -3.5)])
def test_the_place_of_a_print_is_found_to_a_tenth_of_a_pixel(x: float, y: float, degrees: float) -> None:
    picture = printed(1)
    prints = [at(printed(2), 0, 0, 0), at(picture, x, y, degrees)]
    rough = np.stack([one.rough for one in prints])
    best, fit = likest(picture, np.asarray(cv2.blur(picture, (2, 2)), np.float32), MIDDLE, prints, rough, (2, 2))[0]
    assert best == 1
    assert np.abs(fit.pose[:2] - (x, y)).max() < 0.1
    assert math.degrees(fit.pose[2]) == pytest.approx(degrees, abs=0.3)
    assert fit.misfit < 0.005


def test_light_haze_and_its_slope_are_no_misfit() -> None:
    picture = printed(1)
    slope = np.linspace(0, 0.1, SIZE, dtype=np.float32)[None, :, None]
    (fit,) = fitted(
        np.asarray(0.7 * picture + 0.05 + slope, np.float32), MIDDLE, [at(picture, 0, 0, 0)], np.zeros((1, 3))
    )
    assert fit.misfit < 0.01


def test_another_colour_is_a_misfit() -> None:
    picture = printed(1)
    tinted = picture + np.array([0.1, 0.0, -0.1], np.float32)
    (fit,) = fitted(np.asarray(tinted, np.float32), MIDDLE, [at(picture, 0, 0, 0)], np.zeros((1, 3)))
    assert fit.misfit > 0.05


@pytest.mark.parametrize(("x", "y", "degrees"), [(0.0, 0.0, 0.0), (2.0, -1.5, 2.0), (-2.5, 2.5, -3.0)])
def test_a_tile_s_outline_tells_how_it_lies(x: float, y: float, degrees: float) -> None:
    bare = np.full((SIZE, SIZE, 3), 0.5, np.float32)
    half, turn = 0.45 * CELL_PX, math.radians(degrees)
    c, s = math.cos(turn), math.sin(turn)
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half @ np.array([[c, s], [-s, c]]) + MIDDLE + (x, y)
    tile = cv2.fillPoly(bare.copy(), [np.round(corners * 16).astype(np.int32)], (0.3, 0.6, 0.7), cv2.LINE_8, 4)
    (pose,) = tile_poses(np.asarray(cv2.GaussianBlur(tile, (0, 0), 0.7), np.float32), bare, [MIDDLE])
    assert np.abs(pose[:2] - (x, y)).max() < 1
    assert math.degrees(pose[2]) == pytest.approx(degrees, abs=2.1)
