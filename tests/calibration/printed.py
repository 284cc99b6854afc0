"""Photographs of the printed ChArUco board, as a known lens shows them."""

from __future__ import annotations

from functools import cache, lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration import CalibratedLens
from calibration.lens import charuco_sheet

TRUE_LENS = CalibratedLens(820, 616, 655.0, 652.0, 415.0, 301.0, -0.19, 0.06, 0.0011, -0.0008, -0.01)
#: How the sheet lies: turned about the axes (right, down, away), in radians; where its middle is seen, as a share of
#: the picture from the picture's middle; and how large, its height as a share of the picture's.
POSES = [
    ((0.0, 0.0, 0.1), (0.0, 0.0), 0.8),
    ((0.5, 0.0, 1.5), (-0.22, 0.1), 0.7),
    ((-0.5, 0.1, 1.6), (0.22, -0.1), 0.7),
    ((0.1, 0.55, 0.0), (0.25, 0.0), 0.8),
    ((0.0, -0.55, 0.1), (-0.25, 0.0), 0.8),
    ((0.4, 0.4, 0.8), (0.1, -0.1), 0.75),
    ((-0.4, 0.35, -0.6), (-0.1, 0.1), 0.75),
    ((0.35, -0.4, 2.0), (0.2, 0.15), 0.7),
    ((0.1, 0.3, 1.6), (-0.3, -0.25), 0.6),
    ((-0.3, 0.1, 0.2), (0.33, 0.2), 0.6),
]


def photograph(
    turn: tuple[float, float, float],
    middle: tuple[float, float],
    tall: float,
    lens: CalibratedLens = TRUE_LENS,
    seed: int = 0,
) -> NDArray[np.uint8]:
    """Return the sheet on a grey table through the lens, with grain; each pixel's ray is followed back to the sheet."""
    sheet = charuco_sheet()
    rotation = np.asarray(cv2.Rodrigues(np.array(turn))[0])
    away = lens.fy * sheet.shape[0] / (tall * lens.height_px)
    at = np.array([middle[0] * lens.width_px / lens.fx, middle[1] * lens.height_px / lens.fy, 1.0]) * away
    rays = _rays(lens)
    far = (rotation[:, 2] @ at) / (rays @ rotation[:, 2])
    on_sheet = ((rays * far[:, None] - at) @ rotation)[:, :2] + (np.array(sheet.shape[::-1]) - 1) / 2
    maps = on_sheet.reshape(lens.height_px, lens.width_px, 2).astype(np.float32)
    shrunk = away / lens.fy
    # A camera averages over each pixel: blur the sheet before it is sampled.
    soft = cv2.GaussianBlur(sheet, (0, 0), 0.5 * shrunk)
    seen = cv2.remap(soft, maps, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=110)
    grain = np.random.default_rng(seed).normal(0, 3, seen.shape)
    gray = np.clip(0.8 * seen + 20 + grain, 0, 255).astype(np.uint8)
    return np.asarray(cv2.cvtColor(gray, cv2.COLOR_GRAY2BGR), np.uint8)


@lru_cache(maxsize=1)
def _rays(lens: CalibratedLens) -> NDArray[np.float64]:
    """Return the direction in which each pixel looks (N, 3), row by row."""
    pixels = np.stack(np.meshgrid(np.arange(lens.width_px), np.arange(lens.height_px)), axis=-1).reshape(-1, 2)
    straight = lens.undistort(pixels)
    return np.column_stack([(straight - (lens.cx, lens.cy)) / (lens.fx, lens.fy), np.ones(len(straight))])


@cache
def photographs() -> dict[str, NDArray[np.uint8]]:
    """Return the sheet in every pose, by file name. They are shared: copy one to change it."""
    return {f"{number}.png": photograph(*pose, seed=number) for number, pose in enumerate(POSES)}
