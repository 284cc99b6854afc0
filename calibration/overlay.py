"""The grid drawn over a photograph for a person to check, or the two grids for a person to choose from."""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.doubt import Doubtful
from calibration.framing import Point, track_fields
from calibration.grid import grid_edges
from calibration.view import BoardView, SquareView
from companion.board import Color

#: A view's lines, blue, green and red: as clicked cyan, the other one orange.
CLICKED, BESIDE = (255, 255, 0), (0, 140, 255)
_SHIFT = 4  # cv2's fixed-point coordinates: sixteenths of a pixel


def draw_grid(
    image: NDArray[np.uint8], view: BoardView | SquareView, tracks: Mapping[Color, tuple[Point, Point]]
) -> NDArray[np.uint8]:
    """Return a copy of the picture with every cell's outline, name and centre, and the day tracks' fields."""
    drawn = image.copy()
    _draw_edges(drawn, view, CLICKED, 1)
    size = view.side_px / 90
    for cell, (x, y) in view.centres_px.items():
        cv2.circle(drawn, (round(x * 16), round(y * 16)), 24, (0, 0, 255), -1, cv2.LINE_AA, _SHIFT)
        at = (round(x - 22 * size), round(y - 10 * size))
        cv2.putText(drawn, str(cell), at, cv2.FONT_HERSHEY_SIMPLEX, size, (0, 0, 255), 1, cv2.LINE_AA)
    for fields in tracks.values():
        for x, y in view.to_image(track_fields(fields)):
            cv2.circle(drawn, (round(x * 16), round(y * 16)), 64, (255, 0, 255), 1, cv2.LINE_AA, _SHIFT)
    return drawn


def draw_doubt(image: NDArray[np.uint8], doubt: Doubtful) -> NDArray[np.uint8]:
    """Return a copy of the picture with both grids, in two colours, the corner cells' names, and a legend."""
    drawn = image.copy()
    grids = ((doubt.beside, BESIDE, "beside"), (doubt.clicked, CLICKED, "clicked"))
    for view, color, _ in grids:
        # Orange is broad and drawn first: where both run along one line, it is seen on both sides of the cyan.
        _draw_edges(drawn, view, color, 1 if color == CLICKED else 3)
    size = max(image.shape[1] / 1640, 0.4)
    for view, color, _ in grids:
        for cell in view.board.corners:
            x, y = view.centres_px[cell]
            _write(drawn, str(cell), (round(x - 14 * size), round(y + 8 * size)), 0.8 * size, color)
    for line, (_, color, name) in enumerate(reversed(grids)):
        _write(drawn, f"--take {name}", (round(12 * size), round((34 + 36 * line) * size)), size, color)
    return drawn


def _draw_edges(
    drawn: NDArray[np.uint8], view: BoardView | SquareView, color: tuple[int, int, int], width_px: int
) -> None:
    ends = np.round(view.to_image(grid_edges(view.board).ends.reshape(-1, 2)) * 2**_SHIFT).astype(np.int32)
    for line in ends.reshape(-1, 2, 2):
        cv2.line(drawn, line[0].tolist(), line[1].tolist(), color, width_px, cv2.LINE_AA, _SHIFT)


def _write(drawn: NDArray[np.uint8], words: str, at: tuple[int, int], size: float, color: tuple[int, int, int]) -> None:
    """Write on black, so that it can be read on any picture."""
    for each, width_px in (((0, 0, 0), 5), (color, 2)):
        cv2.putText(drawn, words, at, cv2.FONT_HERSHEY_SIMPLEX, size, each, width_px, cv2.LINE_AA)
