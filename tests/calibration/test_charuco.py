"""A lens is recovered from photographs of the printed ChArUco board, or the photographs are refused."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration import BoardView, CalibratedLens, align
from calibration.lens import LensCalibration, calibrate_lens, charuco_sheet
from companion.board import BadInputError, HexBoard
from tests.calibration.drawn import drawn, true_view
from tests.calibration.printed import POSES, TRUE_LENS, photograph, photographs


@pytest.fixture(scope="module")
def found() -> LensCalibration:
    return calibrate_lens(photographs())


def reprojected_px(lens: CalibratedLens, truth: CalibratedLens) -> NDArray[np.float64]:
    """Return how far off pixels all over the picture are seen through the found lens, apart from a shift.

    A shift of the whole picture is a turn of the camera, which no photograph can tell from a shifted lens.
    """
    across, down = np.linspace(20, truth.width_px - 21, 15), np.linspace(20, truth.height_px - 21, 11)
    seen = np.stack(np.meshgrid(across, down), axis=-1).reshape(-1, 2)
    rays = (truth.undistort(seen) - (truth.cx, truth.cy)) / (truth.fx, truth.fy)
    off = lens.distort(rays * (lens.fx, lens.fy) + (lens.cx, lens.cy)) - seen
    return np.asarray(np.linalg.norm(off - off.mean(axis=0), axis=1))


def test_the_true_lens_is_recovered(found: LensCalibration) -> None:
    assert (found.photos, found.corners) == (len(POSES), 54 * len(POSES))
    assert found.rms_px < 0.15
    off = reprojected_px(found.lens, TRUE_LENS)
    assert np.sqrt(np.mean(off**2)) < 0.3
    assert found.lens.fx == pytest.approx(TRUE_LENS.fx, rel=0.005)
    assert found.lens.fy == pytest.approx(TRUE_LENS.fy, rel=0.005)


def test_without_the_lens_pixels_would_be_far_off() -> None:
    straight = replace(TRUE_LENS, k1=0.0, k2=0.0, k3=0.0, p1=0.0, p2=0.0)
    assert reprojected_px(straight, TRUE_LENS).max() > 20


def test_part_of_the_sheet_will_do() -> None:
    covered = {name: photo.copy() for name, photo in photographs().items()}
    for photo in covered.values():
        photo[:, 380:440] = 90  # somebody's finger over each photograph
    found = calibrate_lens(covered)
    assert found.corners < 54 * len(POSES)
    assert np.sqrt(np.mean(reprojected_px(found.lens, TRUE_LENS) ** 2)) < 0.5


def test_too_few_photographs_are_refused_with_what_each_shows() -> None:
    blank = {name: np.full_like(photo, 90) for name, photo in list(photographs().items())[5:]}
    with pytest.raises(BadInputError, match=r"5 photographs show .* 6 must \(0.png 54, .*9.png 0\)"):
        calibrate_lens(photographs() | blank)
    with pytest.raises(BadInputError, match=r"0 photographs show .*none was given"):
        calibrate_lens({})


def test_a_photograph_of_another_size_is_refused() -> None:
    other = photographs() | {"wide.png": np.zeros((616, 1000, 3), np.uint8)}
    with pytest.raises(BadInputError, match=r"wide.png has 1000 x 616 pixels, the first has 820 x 616; .*camera mode"):
        calibrate_lens(other)
    with pytest.raises(BadInputError, match=r"0.png has 820 x 616 pixels, the table was set up with 1640 x 1232"):
        calibrate_lens(photographs(), (1640, 1232))


@pytest.mark.long
def test_photographs_from_straight_above_alone_are_refused() -> None:
    places = [(0.0, 0.0), (-0.25, -0.1), (0.25, 0.1), (-0.25, 0.15), (0.25, -0.15), (0.1, 0.1)]
    alike = {f"{k}.png": photograph((0.0, 0.0, 0.1), place, 0.7, seed=k) for k, place in enumerate(places)}
    with pytest.raises(BadInputError, match=r"too much alike: tilted by 0 degrees .*tilt the sheet"):
        calibrate_lens(alike)


@pytest.mark.long
def test_a_sheet_seen_in_the_middle_only_is_refused() -> None:
    small = {f"{k}.png": photograph(turn, (0.0, 0.0), 0.4, seed=k) for k, (turn, _, _) in enumerate(POSES)}
    with pytest.raises(BadInputError, match=r"was seen in \d+% of the picture, it should be in 50% at least"):
        calibrate_lens(small)


def test_a_sheet_that_is_not_flat_is_refused() -> None:
    across = np.arange(820, dtype=np.float32)
    maps = np.meshgrid(across + 5 * np.sin(across / 40), np.arange(616, dtype=np.float32))
    wavy = {
        name: np.asarray(cv2.remap(photo, *(m.astype(np.float32) for m in maps), cv2.INTER_LINEAR), np.uint8)
        for name, photo in photographs().items()
    }
    with pytest.raises(BadInputError, match=r"px \(rms\) from where the lens has them, .* lay the sheet flat"):
        calibrate_lens(wavy)


def test_the_sheet_fits_on_a4_with_its_margin_white() -> None:
    height, width = charuco_sheet().shape
    assert width / height == pytest.approx(210 / 297, abs=0.03)
    assert charuco_sheet()[:200].min() == 255


def test_a_calibrated_lens_is_kept_as_it_is_when_a_board_is_aligned() -> None:
    lens = CalibratedLens(1000, 800, 905.0, 900.0, 508.0, 394.0, -0.12, 0.03, 0.001, -0.001)
    scene = drawn(BoardView.of(HexBoard(4), lens, true_view(4).homography))
    clicks = scene.clicks(7)
    found = align(scene.image, clicks, 4, scene.tracks, lens)
    assert found.lens == lens
    assert scene.rms_px(found) < 0.3
    with pytest.raises(BadInputError, match="picture has 1000 x 800 pixels, the lens was calibrated with 820 x 616"):
        align(scene.image, clicks, 4, scene.tracks, TRUE_LENS)
