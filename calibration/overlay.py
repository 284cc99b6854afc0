"""The grid drawn over a photograph, for a person to check."""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.framing import Point, track_fields
from calibration.grid import grid_edges, square_edges
from calibration.view import BoardView, SquareView
from companion.board import Color


def draw_grid(
    image: NDArray[np.uint8], view: BoardView | SquareView, tracks: Mapping[Color, tuple[Point, Point]]
) -> NDArray[np.uint8]:
    """Return a copy of the picture with every cell's outline, name and centre, and the day tracks' fields."""
    drawn = image.copy()
    shift = 4  # cv2's fixed-point coordinates: sixteenths of a pixel
    edges = (square_edges(view.board) if isinstance(view, SquareView) else grid_edges(view.rings)).ends
    ends = np.round(view.to_image(edges.reshape(-1, 2)) * 2**shift).astype(np.int32)
    for line in ends.reshape(-1, 2, 2):
        cv2.line(drawn, line[0].tolist(), line[1].tolist(), (255, 255, 0), 1, cv2.LINE_AA, shift)
    size = view.side_px / 90
    for cell, (x, y) in view.centres_px.items():
        cv2.circle(drawn, (round(x * 16), round(y * 16)), 24, (0, 0, 255), -1, cv2.LINE_AA, shift)
        at = (round(x - 22 * size), round(y - 10 * size))
        cv2.putText(drawn, str(cell), at, cv2.FONT_HERSHEY_SIMPLEX, size, (0, 0, 255), 1, cv2.LINE_AA)
    for fields in tracks.values():
        for x, y in view.to_image(track_fields(fields)):
            cv2.circle(drawn, (round(x * 16), round(y * 16)), 64, (255, 0, 255), 1, cv2.LINE_AA, shift)
    return drawn
