"""A shade that falls over a cell changes nothing on it; what came or went there does, in any shade."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.conftest import DrawnTable
from vision.light.flatten import SIDE_PX, Floats, plane
from vision.light.shade import RATHER, sameness

WIDE_PX = SIDE_PX + 1


@pytest.fixture(scope="module")
def printed() -> Floats:
    """What was last seen of a mottled cell, with a flat pixel round its window."""
    rng = np.random.default_rng(4)
    x, y = plane(WIDE_PX)
    mottled = 0.06 * np.sin(9 * x + 1) * np.sin(8 * y) + rng.normal(0, 0.006, x.shape)
    return np.asarray((0.5 + mottled)[..., None] * np.float32([0.7, 1.0, 1.1]), np.float32)


def seen_now(printed: Floats, light: float | NDArray[np.float32] = 1.0) -> Floats:
    """The same cell in another photograph, in so much of the light."""
    noise = np.random.default_rng(5).normal(0, 0.006, printed.shape)
    lit = printed * np.asarray(light, np.float32) + noise
    return np.asarray(lit[1:-1, 1:-1], np.float32)


def half_in_shade() -> NDArray[np.float32]:
    """Light that falls to two thirds along a line across the cell."""
    x, y = plane(WIDE_PX)
    return np.asarray(1 - np.clip((0.8 * x + 0.6 * y - 0.1) / 0.15 + 0.5, 0, 1) / 3, np.float32)[..., None]


def with_strip(window: Floats) -> Floats:
    x, _ = plane(SIDE_PX)
    return np.asarray(np.where((np.abs(x - 0.1) < 0.2)[..., None], np.float32([0.2, 0.4, 0.65]), window), np.float32)


def with_cube(window: Floats) -> Floats:
    x, y = plane(SIDE_PX)
    on_top = (np.abs(x - 0.2) < 0.2) & (np.abs(y + 0.1) < 0.2)
    return np.asarray(np.where(on_top[..., None], np.float32([0.55, 0.6, 0.6]), window), np.float32)


def test_a_cell_in_half_a_shade_is_the_same_and_known_to_be_in_shade(printed: Floats) -> None:
    found = sameness(seen_now(printed, half_in_shade()), printed)
    assert found.otherness < 1
    assert found.is_in_shade
    assert found.depth == pytest.approx(-np.log(2 / 3), abs=0.08)


def test_the_same_light_is_no_shade_wherever_the_camera_trembles(printed: Floats) -> None:
    found = sameness(seen_now(np.roll(printed, (1, -1), axis=(0, 1))), printed)
    assert found.otherness < 1
    assert not found.is_in_shade


@pytest.mark.parametrize("change", [with_strip, with_cube])
@pytest.mark.parametrize("is_shaded", [False, True])
def test_a_strip_or_a_cube_that_came_is_another_look_in_any_shade(
    printed: Floats, change: object, is_shaded: bool
) -> None:
    assert callable(change)
    light = half_in_shade()[1:-1, 1:-1] if is_shaded else np.float32(1)
    assert sameness(np.asarray(change(seen_now(printed)) * light, np.float32), printed).otherness > RATHER


@pytest.mark.long
def test_a_shade_over_the_board_leaves_all_as_it_was_known_and_goes_again(drawn: DrawnTable) -> None:
    reader, scene = drawn.reader(), drawn.dealt(21)
    picture = drawn.deal_picture(21)
    before = reader.read(picture)
    height, width = picture.shape[:2]
    x, y = np.meshgrid(np.arange(width), np.arange(height))
    middle = reader.view.to_image(np.array([[1.0, -2.0]]))[0]
    far = np.hypot(x - middle[0], y - middle[1])
    shade = 1 - 0.5 * np.clip((140 - far) / 12 + 0.5, 0, 1)
    shaded = reader.read(np.asarray(picture * shade[..., None], np.uint8))
    after = reader.read(picture)
    for reading in (shaded, after):
        assert reading.unclear <= before.unclear
        assert all(reading.contents(cell) == scene.contents(cell) for cell in scene.board.cells)
