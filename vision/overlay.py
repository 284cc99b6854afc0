"""A reading drawn over its photograph, for a person to check at a glance."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.view import BoardView, SquareView
from companion.board import (
    QUARTERS,
    SQUARE_DIRECTIONS,
    Cell,
    Color,
    HexCell,
    LaidSection,
    Mountain,
    Reading,
    Road,
    Settlement,
    Snow,
    SquareCell,
    Terrain,
    Tile,
    Workshop,
    by_hexagon,
    by_square,
)
from vision.board.tracks import Tracks, field_centre
from vision.light.flatten import Image

#: Blue, green, red; a light edge round everything keeps it readable on any printing.
_INK = (60, 20, 20)
_SHIFT = 4  # cv2's fixed-point coordinates: sixteenths of a pixel
_SQUARE = np.array([[-1.0, -1.0], [1, -1], [1, 1], [-1, 1], [-1, -1]])


def draw_squares(image: Image, view: SquareView, reading: Reading) -> Image:
    """Return a copy of the photograph with what was read drawn over it.

    A section as its rays and its name, snow and mountains as a letter; unclear cells outlined in magenta, hidden ones
    in blue.
    """
    drawn = image.copy()
    for cell, read in by_square(reading.cells).items():
        tile = read.contents.tile
        if isinstance(tile, LaidSection):
            for ray in tile.rays:
                draw_line(drawn, view, [cell.centre, _towards(cell, ray)], _INK)
        if tile is not None:
            _text(drawn, view, cell, _name(tile))
    for cells, ink in ((reading.unclear, _UNCLEAR), (reading.occluded, _HIDDEN)):
        for each in cells:
            draw_line(drawn, view, _SQUARE * (0.46 * QUARTERS) + each.centre, ink)
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


#: Blue, green, red; a dark edge round everything keeps it readable on any printing.
_INKS = {
    Color.BLACK: (30, 30, 30),
    Color.GREY: (200, 200, 200),
    Color.YELLOW: (40, 210, 255),
    Color.RED: (50, 50, 230),
}
_UNCLEAR, _HIDDEN, _EDGE = (255, 0, 255), (255, 160, 0), (255, 255, 255)
_LETTERS = {"city": "C", "town": "T", "village": "V", "hamlet": "h"}
_TERRAINS = {Terrain.PLAIN: "p", Terrain.FOREST: "f", Terrain.HILL: "H"}


def draw(image: Image, view: BoardView | SquareView, reading: Reading, tracks: Tracks | None = None) -> Image:
    """Return a copy of the photograph with what was read drawn over it.

    Roads as lines with the letter of their tile's terrain, settlements as letters, workshops as squares, merchants as
    counted dots; unclear cells outlined in magenta, hidden ones in blue; markers ringed where `tracks` are given.
    """
    if isinstance(view, SquareView):
        return draw_squares(image, view, reading)
    drawn = image.copy()
    for cell, read in by_hexagon(reading.cells).items():
        x, y = cell.centre
        tile = read.contents.tile
        match tile:
            case Road(color=color, edges=edges):
                draw_line(drawn, view, _road(cell, edges), _INKS[color])
                _letter(drawn, view, (x, y), _TERRAINS[tile.terrain], _INKS[color], size_cells=0.35)
            case Settlement(type=kind):
                _letter(drawn, view, (x, y - 0.2), _LETTERS[kind], (0, 0, 0), 0.7)
            case Workshop(color=color):
                corners = [
                    (x + a, y + b) for a, b in ((-0.4, -0.4), (0.4, -0.4), (0.4, 0.4), (-0.4, 0.4), (-0.4, -0.4))
                ]
                draw_line(drawn, view, corners, _INKS[color])
        for index, (color, count) in enumerate(read.contents.merchants.counts.items()):
            at = (x - 0.55 + 0.38 * index, y + 0.5)
            column, row = _pixel(view, at)
            cv2.circle(drawn, (column, row), round(view.side_px * 0.16), _EDGE, -1, cv2.LINE_AA)
            cv2.circle(drawn, (column, row), round(view.side_px * 0.12), _INKS[color], -1, cv2.LINE_AA)
            if count > 1:
                _letter(drawn, view, (at[0], at[1] + 0.35), str(count), _INKS[color], 0.4)
    for cells, ink in ((reading.unclear, _UNCLEAR), (reading.occluded, _HIDDEN)):
        for each in cells:
            draw_line(drawn, view, _outline(each), ink)
    for color in tracks or ():
        field = reading.tracks.get(color)
        if tracks is not None and field is not None and color not in reading.occluded_tracks:
            ink = _UNCLEAR if color in reading.unclear_tracks else _INKS[color]
            centre = _pixel(view, field_centre(tracks, color, field))
            cv2.circle(drawn, centre, round(view.side_px * 0.6), _EDGE, 4, cv2.LINE_AA)
            cv2.circle(drawn, centre, round(view.side_px * 0.6), ink, 2, cv2.LINE_AA)
    return drawn


def _pixel(view: BoardView, point_cells: tuple[float, float]) -> tuple[int, int]:
    column, row = view.to_image([point_cells])[0]
    return round(float(column)), round(float(row))


def _road(cell: HexCell, edges: tuple[int, int]) -> list[tuple[float, float]]:
    """Return points along the middle of a road, from edge to edge: a quadratic curve through the cell's centre."""
    x, y = cell.centre
    reach = math.sqrt(3) / 2
    (ax, ay), (bx, by) = ((math.cos(math.radians(60 * e)), -math.sin(math.radians(60 * e))) for e in edges)
    points = []
    for step in range(9):
        t = step / 8
        a, b = (1 - t) ** 2 * reach, t**2 * reach
        points.append((x + a * ax + b * bx, y + a * ay + b * by))
    return points


def _outline(cell: Cell) -> list[tuple[float, float]]:
    x, y = cell.centre
    angles = [math.radians(60 * k + 30) for k in range(7)]
    return [(x + 0.92 * math.cos(angle), y + 0.92 * math.sin(angle)) for angle in angles]


def _letter(
    image: Image,
    view: BoardView,
    at_cells: tuple[float, float],
    text: str,
    ink: tuple[int, int, int],
    size_cells: float,
) -> None:
    column, row = _pixel(view, at_cells)
    scale = view.side_px * size_cells / 22
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, 2)
    origin = (column - width // 2, row + height // 2)
    cv2.putText(image, text, origin, cv2.FONT_HERSHEY_SIMPLEX, scale, _EDGE, 4, cv2.LINE_AA)
    cv2.putText(image, text, origin, cv2.FONT_HERSHEY_SIMPLEX, scale, ink, 2, cv2.LINE_AA)
