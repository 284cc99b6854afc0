"""The sun on the empty board: light with hard edges, which stays where it is when the pieces are put together anew."""

from __future__ import annotations

import cv2
import numpy as np

from companion.board import HexBoard
from vision.light.flatten import SIDE_PX, Floats, corners_of
from vision.light.gain import median_filtered, patch_medians

#: The sun shines on some cells if cells differ by more than this from others of their terrain, on average (logarithms
#: of three channels). On 59 boards to choose by it is 0.25 to 0.74 in the sun, elsewhere 0.22 at most.
_HARD = 0.235
#: Light is the median over squares of this width, in cell sides, of what differs from the terrain: print is finer.
_WIDTH_CELLS = 0.9
#: Less than this (a logarithm) is print, or soft light.
_LEAST = 0.2
#: Light is sought at one part in this of the flat picture's size.
_SCALE = 2


def sunlight(logs: Floats, usual: Floats, board: HexBoard) -> Floats | None:
    """Return the logarithm of the hard light on an empty board, (size, size, 3), 0 around it; None if there is none.

    `logs` is the board's flat picture in light that is even but for the sun, `usual` (cells, 3) is what cells of each
    cell's terrain usually look like there. As it is known what is printed, what remains is light (Horn 1974).
    """
    medians = patch_medians(logs, board.rings)
    cells = len(board.cells)
    if float(np.linalg.norm(medians[:cells] - usual, axis=1).mean()) < _HARD:
        return None
    printed = np.empty_like(logs)
    printed[:] = np.median(medians[cells:], axis=0)
    is_board = np.zeros(logs.shape[:2], np.uint8)
    for cell, tone in zip(board.cells, usual, strict=True):
        corners = np.round(corners_of(cell) * SIDE_PX + len(logs) / 2).astype(np.int32)
        cv2.fillConvexPoly(printed, corners, tone.tolist())
        cv2.fillConvexPoly(is_board, corners, 1)
    size_px = len(logs) // _SCALE
    ratio = cv2.resize(logs - printed, (size_px, size_px), interpolation=cv2.INTER_AREA)
    planes = (np.asarray(ratio[..., channel], np.float32) for channel in range(3))
    light = np.dstack([median_filtered(plane, SIDE_PX / _SCALE, _WIDTH_CELLS) for plane in planes])
    light[np.abs(light.mean(axis=2)) < _LEAST] = 0
    return np.asarray(cv2.resize(light, logs.shape[1::-1]) * is_board[..., None], np.float32)
