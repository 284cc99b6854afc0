"""Light: a known smooth gain is recovered, whatever was laid on the board meanwhile."""

import numpy as np
import pytest
from numpy.typing import NDArray

from companion.board import HexBoard
from tests.vision.conftest import EXTENT, SIZE_PX, DrawnTable
from vision.light.flatten import SIDE_PX, Floats, linear, to_flat, window
from vision.light.gain import FLOOR, gain_logs, logarithm, logarithm_of, patch_centres, patch_medians

RINGS = 6
AXIS = np.linspace(-EXTENT, EXTENT, SIZE_PX, endpoint=False, dtype=np.float32)


def smooth_gain(strength: float, tint: tuple[float, float, float] = (0, 0, 0)) -> Floats:
    """Logarithms of a lamp's light: bright on the left, dim on the right, warmer towards the bottom."""
    x, y = np.meshgrid(AXIS / EXTENT, AXIS / EXTENT)
    lamp = strength * (0.5 * np.exp(-((x + 0.6) ** 2) - y**2) - 0.4 * x)
    return np.asarray(lamp[..., None] + y[..., None] * np.array(tint), np.float32)


def at_cells(picture: Floats) -> NDArray[np.float32]:
    """The picture's values at the cells' centres, (cells, 3)."""
    places = np.rint([to_flat(cell.centre, EXTENT) for cell in HexBoard(RINGS).cells]).astype(int)
    return np.asarray(picture[places[:, 1], places[:, 0]])


@pytest.mark.parametrize(("strength", "tint"), [(0.0, (0, 0, 0)), (0.8, (0, 0, 0)), (0.5, (-0.1, 0.0, 0.1))])
def test_a_smooth_gain_is_recovered(drawn: DrawnTable, strength: float, tint: tuple[float, float, float]) -> None:
    look, gain = drawn.taught.look.logs, smooth_gain(strength, tint)
    found = gain_logs(look + gain, look, RINGS)
    # Over the 12 cells that it spans the gain changes by more than 60 %; a quarter of a cell's step is left.
    assert np.abs(at_cells(found) - at_cells(gain)).max() < 0.04


def test_changed_cells_do_not_disturb_the_light_round_them(drawn: DrawnTable) -> None:
    look, gain = drawn.taught.look.logs, smooth_gain(0.6)
    seen = look + gain
    rng = np.random.default_rng(1)
    changed = rng.choice(len(HexBoard(RINGS).cells), 25, replace=False)
    for index in changed:
        cell = HexBoard(RINGS).cells[index]
        # A tile of another colour, with houses on it.
        patch = window(seen, cell.centre, round(0.8 * SIDE_PX))
        patch[:] = np.log(rng.uniform(0.05, 0.6, 3)) + rng.normal(0, 0.4, patch.shape)
    found = gain_logs(seen, look, RINGS)
    assert np.abs(at_cells(found) - at_cells(gain)).max() < 0.15


def test_light_is_even_once_the_gain_is_out(drawn: DrawnTable, empty_picture: NDArray[np.uint8]) -> None:
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
