import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.steady import Motion, Steadier

RNG = np.random.default_rng(5)
TABLE = cv2.GaussianBlur(RNG.integers(60, 200, (616, 820, 3), np.uint8), (0, 0), 3)


def photographed(scene: NDArray[np.uint8], gain: float = 1.0) -> NDArray[np.uint8]:
    """The scene with a sensor's noise (3 levels) and a lamp's flicker."""
    noisy = scene * gain + RNG.normal(0, 3, scene.shape)
    return np.asarray(np.clip(noisy, 0, 255), np.uint8)


def with_cube(scene: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The scene with a merchant of 15 pixels on it."""
    changed = scene.copy()
    changed[300:315, 400:415] = (20, 20, 200)
    return changed


@pytest.fixture
def steadier() -> Steadier:
    made = Steadier()
    made.look(photographed(TABLE))
    made.keep()
    return made


def test_the_first_picture_is_neither_still_nor_known() -> None:
    assert Steadier().look(TABLE) == Motion(is_still=False, has_changed=True)


@pytest.mark.parametrize("gain", [1.0, 0.98, 1.02])
def test_noise_and_a_flickering_lamp_are_no_change(steadier: Steadier, gain: float) -> None:
    assert steadier.look(photographed(TABLE, gain)) == Motion(is_still=True, has_changed=False)


def test_a_cube_moves_once_and_is_then_a_change_until_it_is_read(steadier: Steadier) -> None:
    assert steadier.look(photographed(with_cube(TABLE))) == Motion(is_still=False, has_changed=True)
    assert steadier.look(photographed(with_cube(TABLE))) == Motion(is_still=True, has_changed=True)
    steadier.keep()
    assert steadier.look(photographed(with_cube(TABLE))) == Motion(is_still=True, has_changed=False)


def test_another_camera_resolution_is_a_change(steadier: Steadier) -> None:
    assert steadier.look(TABLE[:300]) == Motion(is_still=False, has_changed=True)
