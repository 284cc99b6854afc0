"""Light: a smooth gain is recovered, a shade over a cell changes nothing there, squares still show their ground."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from companion.board import HexBoard, SquareBoard, SquareCell
from tests.vision.conftest import EXTENT, SIZE_PX, DrawnTable
from vision.light.changes import RATHER, sameness
from vision.light.flatten import SIDE_PX, Floats, Image, linear, plane, to_flat, window
from vision.light.gain import FLOOR, gain_logs, logarithm, logarithm_of, patch_centres, patch_medians
from vision.square.fitting import CELL_PX, extent_of, middle_px
from vision.square.reader import Bareness

RINGS = 6
AXIS = np.linspace(-EXTENT, EXTENT, SIZE_PX, endpoint=False, dtype=np.float32)


def smooth_gain(strength: float, tint: tuple[float, float, float] = (0, 0, 0)) -> Floats:
    """Return logarithms of a lamp's light: bright on the left, dim on the right, warmer towards the bottom."""
    x, y = np.meshgrid(AXIS / EXTENT, AXIS / EXTENT)
    lamp = strength * (0.5 * np.exp(-((x + 0.6) ** 2) - y**2) - 0.4 * x)
    return np.asarray(lamp[..., None] + y[..., None] * np.array(tint), np.float32)


def at_cells(picture: Floats) -> NDArray[np.float32]:
    """Return the picture's values at the cells' centres, (cells, 3)."""
    places = np.rint([to_flat(cell.centre, EXTENT) for cell in HexBoard(RINGS).cells]).astype(int)
    return np.asarray(picture[places[:, 1], places[:, 0]])


@pytest.mark.parametrize(("strength", "tint"), [(0.0, (0, 0, 0)), (0.8, (0, 0, 0)), (0.5, (-0.1, 0.0, 0.1))])
def test_a_smooth_gain_is_recovered(drawn: DrawnTable, strength: float, tint: tuple[float, float, float]) -> None:
    look, gain = drawn.taught.look.logs, smooth_gain(strength, tint)
    found = gain_logs(look + gain, look, RINGS)
    # Over the 12 cells that it spans, the gain changes by more than 60 %; what is left is a quarter of one cell's step.
    assert np.abs(at_cells(found) - at_cells(gain)).max() < 0.04


def test_changed_cells_do_not_disturb_the_light_round_them(drawn: DrawnTable) -> None:
    look, gain, cells = drawn.taught.look.logs, smooth_gain(0.6), HexBoard(RINGS).cells
    seen, rng = look + gain, np.random.default_rng(1)
    for index in rng.choice(len(cells), 25, replace=False):
        # A tile of another colour, with houses on it.
        patch = window(seen, cells[index].centre, round(0.8 * SIDE_PX))
        patch[:] = np.log(rng.uniform(0.05, 0.6, 3)) + rng.normal(0, 0.4, patch.shape)
    found = gain_logs(seen, look, RINGS)
    assert np.abs(at_cells(found) - at_cells(gain)).max() < 0.15


def test_light_is_even_once_the_gain_is_out(drawn: DrawnTable, empty_picture: Image) -> None:
    logs = logarithm(drawn.flat(empty_picture))
    left = logs - gain_logs(logs, drawn.taught.look.logs, RINGS) - drawn.taught.look.logs
    assert np.abs(patch_medians(left, RINGS)[:127]).max() < 0.05  # the board's cells


def test_the_logarithm_is_finite_in_the_dark() -> None:
    assert np.isclose(logarithm(np.zeros((2, 2, 3), np.float32)), np.log(FLOOR)).all()


def test_light_is_measured_on_every_cell_first_and_then_on_the_frame() -> None:
    centres = patch_centres(RINGS, EXTENT)
    assert np.allclose(centres[:127], [cell.centre for cell in HexBoard(RINGS).cells])
    assert len(centres) > 127
    assert np.abs(centres).max() < EXTENT - 1


def test_levels_as_photographed_have_the_logarithm_of_their_light() -> None:
    levels = np.arange(255, dtype=np.uint8).reshape(5, 17, 3)
    assert np.allclose(logarithm_of(levels), logarithm(linear(levels)), atol=1e-6)


WIDE_PX = SIDE_PX + 1


@pytest.fixture(scope="module")
def printed() -> Floats:
    """What was last seen of a mottled cell, with one flat pixel round its window."""
    rng = np.random.default_rng(4)
    x, y = plane(WIDE_PX)
    mottled = 0.06 * np.sin(9 * x + 1) * np.sin(8 * y) + rng.normal(0, 0.006, x.shape)
    return np.asarray((0.5 + mottled)[..., None] * np.float32([0.7, 1.0, 1.1]), np.float32)


def seen_now(printed: Floats, light: float | NDArray[np.float32] = 1.0) -> Floats:
    """Return the same cell in another photograph, with that much of the light."""
    noise = np.random.default_rng(5).normal(0, 0.006, printed.shape)
    lit = printed * np.asarray(light, np.float32) + noise
    return np.asarray(lit[1:-1, 1:-1], np.float32)


def half_in_shade() -> NDArray[np.float32]:
    """Return light that falls to two thirds along a line across the cell."""
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
    printed: Floats, change: Callable[[Floats], Floats], is_shaded: bool
) -> None:
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


BOARD = SquareBoard(4)
CELLS = list(BOARD.cells)
#: How sure a reader has to be.
SURE = 0.95


@pytest.fixture(scope="module")
def tones() -> Floats:
    """An empty board: every square has its own print of stripes, on a bright rim."""
    rng = np.random.default_rng(3)
    size = round(2 * extent_of(BOARD) * CELL_PX / 4)
    picture = np.full((size, size, 3), 0.7, np.float32)
    for cell in CELLS:
        column, row = (round(value) for value in middle_px(cell))
        stripes = np.repeat(rng.uniform(0.2, 0.6, (CELL_PX // 6, 1, 3)), 6, axis=0).repeat(CELL_PX, axis=1)
        half = CELL_PX // 2
        picture[row - half : row + half, column - half : column + half] = stripes
    return picture


def with_tile(tones: Floats, cell: SquareCell) -> Floats:
    """Return the same with a pale tile on a square, and a dark cross on that."""
    found = tones.copy()
    column, row = (round(value) for value in middle_px(cell))
    for reach, across, tone in ((20, 20, 0.75), (3, 16, 0.1), (16, 3, 0.1)):
        found[row - reach : row + reach, column - across : column + across] = tone
    return found


def bareness(tones: Floats) -> Bareness:
    return Bareness(tones, [middle_px(cell) for cell in CELLS])


def test_bare_ground_stays_itself_in_shade_and_noise(tones: Floats) -> None:
    rng = np.random.default_rng(4)
    shade = np.linspace(0.8, 1.1, len(tones), dtype=np.float32)[:, None, None]
    shown = np.asarray(tones * shade + rng.normal(0, 0.015, tones.shape), np.float32)
    assert bareness(tones).probabilities(shown, range(len(CELLS))).min() >= SURE


def test_a_tile_is_no_bare_ground_and_its_neighbours_are(tones: Floats) -> None:
    laid = SquareCell(1, 2, 4)
    shares = bareness(tones).probabilities(with_tile(tones, laid), range(len(CELLS)))
    likely = dict(zip(CELLS, shares.tolist(), strict=True))
    assert likely.pop(laid) < 0.5
    assert min(likely.values()) >= SURE


def test_the_ground_of_another_square_is_not_its_own(tones: Floats) -> None:
    first, second, *_ = (middle_px(cell) for cell in CELLS)
    assert Bareness(tones, [first]).probabilities(tones, [0])[0] >= SURE
    moved = np.roll(tones, round(second[0] - first[0]), axis=1)
    assert Bareness(tones, [second]).probabilities(moved, [0])[0] <= 1 - SURE


def test_cells_are_told_the_same_one_by_one_and_together(tones: Floats) -> None:
    shown, asked = with_tile(tones, CELLS[3]), [5, 3, 0]
    one_by_one = [float(bareness(tones).probabilities(shown, [place])[0]) for place in asked]
    assert bareness(tones).probabilities(shown, asked).tolist() == pytest.approx(one_by_one, abs=1e-4)
    assert bareness(tones).probabilities(shown, []).shape == (0,)
