"""The frame round the board as it looks from above: what stays the same while tiles and pieces change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.lens import Points
from calibration.view import PlaneView

Gray = NDArray[np.uint8]

#: Half of what is usual for a cell's side in a 1640 x 1232 picture: finer than this, noise costs more than it tells.
_SIDE_PX = 18.0
#: How far beyond the frame the flat picture reaches, in cell sides: a pushed board must not leave it.
_MARGIN_CELLS = 1.5
#: At most so many features in each of 14 x 14 fields of the frame.
_FIELDS, _PER_FIELD = 14, 2
#: Two places look alike where evenly lit pixels differ by less than this on average. On the shared tables nearly all
#: frame features that are truly the same do (95 of 100 below 13), 4 of 5 others do not.
_ALIKE = 16.0
_NO_MAP = np.zeros(0, np.float32)
#: Pixels of the square that a feature is compared over.
_WINDOW_PX = 15


@dataclass(frozen=True, slots=True)
class FlatFrame:
    """The rectangle of the board plane that is looked at: a square of `half_cells` to all sides."""

    half_cells: float

    @property
    def corner_cells(self) -> float:
        """Where the flat picture's first pixel lies, right and down alike."""
        return -self.half_cells - _MARGIN_CELLS

    def to_board(self, points_px: NDArray[np.float32]) -> Points:
        """Return flat pixels (N, 2) in cell sides."""
        board: Points = np.asarray(points_px, dtype=np.float64) / _SIDE_PX + self.corner_cells
        return board

    def flatten(self, half_image: Gray, view: PlaneView) -> Gray:
        """Return the board from straight above, evenly lit; `half_image` is the picture in grey at half its size."""
        first, last = self.corner_cells, -self.corner_cells
        # An empty second map: the first holds both, which OpenCV's types leave out.
        flat = cv2.remap(half_image, view.flatten_map(_SIDE_PX, first, first, last, last, 2), _NO_MAP, cv2.INTER_LINEAR)
        return evenly_lit(flat.astype(np.uint8, copy=False))


def half_size(image: NDArray[np.uint8]) -> Gray:
    """Return a picture (H, W, 3) in grey at half its size."""
    height, width = image.shape[:2]
    small = cv2.resize(image, (width // 2, height // 2), interpolation=cv2.INTER_AREA)
    return cv2.cvtColor(small, cv2.COLOR_BGR2GRAY).astype(np.uint8, copy=False)


def evenly_lit(gray: Gray) -> Gray:
    """Return the picture without light and shadow: each pixel against mean and spread of its neighbourhood."""
    size = (31, 31)
    values = gray.astype(np.float32)
    mean = cv2.blur(values, size)
    spread = cv2.sqrt(np.maximum(cv2.blur(values * values, size) - mean * mean, 0))
    # 4 of 255 is about the noise of a dim photograph: what varies less is left flat.
    return cv2.convertScaleAbs((values - mean) / (spread + np.float32(4)) * np.float32(40) + np.float32(128)).astype(
        np.uint8, copy=False
    )


def frame_features(flat: Gray, frame: FlatFrame, view: PlaneView) -> NDArray[np.float32]:
    """Return the flat picture's corners (N, 1, 2) that lie on the frame, spread over it."""
    size = flat.shape[0]
    mask = _frame_mask(size, frame, view)
    corners = cv2.goodFeaturesToTrack(flat, 1500, 0.02, 5, mask=mask, blockSize=5)
    found = cast("NDArray[np.float32] | None", corners)  # None for nothing, which OpenCV's types leave out
    if found is None:
        return np.zeros((0, 1, 2), np.float32)
    # They come best first: keep the first few of each field.
    fields = (found[:, 0] * _FIELDS / size).astype(int)
    numbers = fields[:, 1] * _FIELDS + fields[:, 0]
    taken: dict[int, int] = {}
    kept = []
    for index, number in enumerate(numbers.tolist()):
        taken[number] = taken.get(number, 0) + 1
        if taken[number] <= _PER_FIELD:
            kept.append(index)
    return np.ascontiguousarray(found[kept], dtype=np.float32)


def _frame_mask(size: int, frame: FlatFrame, view: PlaneView) -> NDArray[np.uint8]:
    axis = frame.to_board(np.arange(size, dtype=np.float32))
    x, y = np.meshgrid(axis, axis)
    on_frame = np.maximum(np.abs(x), np.abs(y)) < frame.half_cells
    return np.asarray(np.where(view.is_clear_of_cells(x, y) & on_frame, 255, 0), np.uint8)


def tracked(
    reference: Gray, flat: Gray, features: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return where the features (N, 1, 2) of one flat picture lie in another (N, 2), and which look alike there."""
    moved, found, difference = cv2.calcOpticalFlowPyrLK(
        reference, flat, features, features.copy(), winSize=(_WINDOW_PX, _WINDOW_PX), maxLevel=3
    )
    alike = (found[:, 0] > 0) & (difference[:, 0] < _ALIKE)
    return np.asarray(moved[:, 0], np.float32), np.asarray(alike)
