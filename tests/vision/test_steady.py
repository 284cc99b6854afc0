import cv2
import numpy as np
import pytest

from vision.hands import STILL_FRAMES, Motion, Steadier
from vision.light.flatten import Image

RNG = np.random.default_rng(5)
TABLE = cv2.GaussianBlur(RNG.integers(60, 200, (616, 820, 3), np.uint8), (0, 0), 3)
#: A board on the table, in the picture's pixels.
OUTLINE = np.array([[100, 80], [700, 80], [700, 560], [100, 560]], np.float64)


def photographed(scene: Image, gain: float = 1.0, jitter_px: float = 0.0) -> Image:
    """Return the scene with a sensor's noise (3 levels), a lamp's flicker and a trembling camera."""
    shift = np.array([[1, 0, jitter_px], [0, 1, -jitter_px]])
    moved = cv2.warpAffine(scene, shift, (scene.shape[1], scene.shape[0]), borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(np.clip(moved * gain + RNG.normal(0, 3, scene.shape), 0, 255), np.uint8)


def with_cube(scene: Image, left: int = 400, top: int = 300) -> Image:
    """Return the scene with a merchant of 15 pixels on it."""
    changed = scene.copy()
    changed[top : top + 15, left : left + 15] = (20, 20, 200)
    return changed


def looked(steadier: Steadier, scene: Image, times: int = STILL_FRAMES) -> Motion:
    for _ in range(times):
        motion = steadier.look(photographed(scene))
    return motion


@pytest.fixture
def steadier() -> Steadier:
    made = Steadier()
    looked(made, TABLE)
    made.keep()
    return made


def test_the_first_picture_is_neither_still_nor_known() -> None:
    assert Steadier().look(TABLE) == Motion(is_still=False, has_changed=True)


def test_several_pictures_must_be_alike_before_they_are_still() -> None:
    steadier = Steadier()
    still = [steadier.look(photographed(TABLE)).is_still for _ in range(STILL_FRAMES + 1)]
    assert still == [False] * (STILL_FRAMES - 1) + [True, True]


@pytest.mark.parametrize("gain", [1.0, 0.98, 1.02])
def test_noise_and_a_flickering_lamp_are_no_change(steadier: Steadier, gain: float) -> None:
    assert steadier.look(photographed(TABLE, gain)) == Motion(is_still=True, has_changed=False)


def test_a_camera_that_trembles_by_half_a_pixel_sees_no_change_even_on_hard_edges() -> None:
    chequered = np.kron(RNG.choice([40, 210], (22, 30, 1)).astype(np.uint8), np.ones((28, 28, 3), np.uint8))
    steadier = Steadier()
    for jitter_px in (0.0, 0.4, -0.4, 0.5, -0.5):
        motion = steadier.look(photographed(chequered, jitter_px=jitter_px))
    steadier.keep()
    assert motion.is_still
    assert not steadier.look(photographed(chequered, jitter_px=0.5)).has_changed


def test_a_cube_is_motion_then_a_change_until_it_is_read(steadier: Steadier) -> None:
    assert steadier.look(photographed(with_cube(TABLE))) == Motion(is_still=False, has_changed=True)
    assert looked(steadier, with_cube(TABLE)) == Motion(is_still=True, has_changed=True)
    steadier.keep()
    assert steadier.look(photographed(with_cube(TABLE))) == Motion(is_still=True, has_changed=False)


def test_a_cube_taken_away_is_a_change_too(steadier: Steadier) -> None:
    looked(steadier, with_cube(TABLE))
    steadier.keep()
    assert steadier.look(photographed(TABLE)) == Motion(is_still=False, has_changed=True)


def test_what_creeps_is_not_still(steadier: Steadier) -> None:
    creeping = [steadier.look(photographed(with_cube(TABLE, left=400 + 3 * step))) for step in range(12)]
    assert not all(motion.is_still for motion in creeping[3:])


def test_what_moves_beside_the_board_does_not_matter(steadier: Steadier) -> None:
    steadier.keep(OUTLINE)
    assert steadier.look(photographed(with_cube(TABLE, left=750))) == Motion(is_still=True, has_changed=False)
    assert steadier.look(photographed(with_cube(TABLE, left=600))) == Motion(is_still=False, has_changed=True)


def test_a_small_picture_that_the_camera_gives_is_taken_as_it_is(steadier: Steadier) -> None:
    small = cv2.resize(photographed(with_cube(TABLE)), (820 // 4, 616 // 4), interpolation=cv2.INTER_AREA)
    assert steadier.look(photographed(TABLE), small.astype(np.uint8)).has_changed
    assert not steadier.look(photographed(TABLE), small[:50].astype(np.uint8)).has_changed, "of no use: made anew"


def test_another_camera_resolution_is_a_change(steadier: Steadier) -> None:
    steadier.keep(OUTLINE)
    assert steadier.look(TABLE[:300]) == Motion(is_still=False, has_changed=True)


def test_what_is_read_is_the_mean_of_the_still_pictures(steadier: Steadier) -> None:
    single = photographed(TABLE)
    steadier.look(single)
    left = np.abs(steadier.picture().astype(float) - TABLE).mean()
    assert left < 0.7 * np.abs(single.astype(float) - TABLE).mean()
    assert np.array_equal(steadier.picture(most=1), single)
