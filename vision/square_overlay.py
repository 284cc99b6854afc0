"""A reading of a square board drawn over its photograph, for a person to check at a glance."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.view import BoardView, SquareView
from companion.board import QUARTERS, SQUARE_DIRECTIONS, LaidSection, Mountain, Reading, Snow, SquareCell, Tile
from vision.flatten import Image

#: Blue, green, red; a light edge round everything keeps it readable on any printing.
_INK, _UNCLEAR, _HIDDEN, _EDGE = (60, 20, 20), (255, 0, 255), (255, 160, 0), (255, 255, 255)
_SHIFT = 4  # cv2's fixed-point coordinates: sixteenths of a pixel
_SQUARE = np.array([[-1.0, -1.0], [1, -1], [1, 1], [-1, 1], [-1, -1]])


def draw_squares(image: Image, view: SquareView, reading: Reading) -> Image:
    """Return a copy of the photograph with what was read drawn over it.

    A section as its rays and its name, snow and mountains as a letter; unclear cells outlined in magenta, hidden ones
    in blue.
    """
    drawn = image.copy()
    for cell, read in reading.cells.items():
        tile = read.contents.tile
        if isinstance(tile, LaidSection):
            for ray in tile.rays:
                draw_line(drawn, view, [cell.centre, _towards(cell, ray)], _INK)
        if tile is not None:
            _text(drawn, view, cell, _name(tile))
    for cells, ink in ((reading.unclear, _UNCLEAR), (reading.occluded, _HIDDEN)):
        for cell in cells:
            draw_line(drawn, view, _SQUARE * (0.46 * QUARTERS) + cell.centre, ink)
    return drawn


def _name(tile: Tile) -> str:
    match tile:
        case LaidSection(section=section, turn=turn):
            return f"{section.id}/{turn}"
        case Snow():
            return "S"
        case Mountain():
            return "M"
        case _:
            raise ValueError(f"{tile} lies on no square board")


def _towards(cell: SquareCell, ray: int) -> tuple[float, float]:
    (x, y), (right, down) = cell.centre, SQUARE_DIRECTIONS[ray]
    return x + 0.42 * QUARTERS * right, y + 0.42 * QUARTERS * down


def draw_line(image: Image, view: BoardView | SquareView, points: ArrayLike, ink: tuple[int, int, int]) -> None:
    """Draw a line through points (N, 2) of the board plane, with a light edge."""
    path: NDArray[np.int32] = np.round(view.to_image(points) * 2**_SHIFT).astype(np.int32)
    width = max(2, round(view.side_px * 0.09))
    cv2.polylines(image, [path], False, _EDGE, width + 2, cv2.LINE_AA, _SHIFT)
    cv2.polylines(image, [path], False, ink, width, cv2.LINE_AA, _SHIFT)


def _text(image: Image, view: SquareView, cell: SquareCell, text: str) -> None:
    column, row = (round(float(value)) for value in view.to_image([cell.centre])[0])
    scale = view.side_px * 0.8 / 22
    (width, _), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, 2)
    scale *= min(1.0, 0.84 * QUARTERS * view.side_px / width)  # a long name keeps to its square
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, 2)
    origin = (column - width // 2, row + height // 2)
    cv2.putText(image, text, origin, cv2.FONT_HERSHEY_SIMPLEX, scale, _EDGE, 4, cv2.LINE_AA)
    cv2.putText(image, text, origin, cv2.FONT_HERSHEY_SIMPLEX, scale, _INK, 2, cv2.LINE_AA)
