"""Drawn over a photograph for a person to check at a glance: the grid, two grids to choose from, or a reading."""

from __future__ import annotations

import math
from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.doubt import Doubtful
from calibration.grid import grid_edges
from calibration.view import BoardView, Point, SquareView, track_fields
from companion import board
from companion.board import Color, HexCell, LaidSection, Mountain, Reading, Road, Settlement, Snow, Terrain, Workshop
from vision.board.tracks import Tracks, field_centre
from vision.light.flatten import Image, corners_of

#: The colours of a view's lines (blue, green, red): cyan as clicked, orange for the other view.
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


_SQUARE = np.array([[-1.0, -1.0], [1, -1], [1, 1], [-1, 1], [-1, -1]])
#: Blue, green, red; a light edge round everything keeps it readable on any printing.
_INKS = {
    Color.BLACK: (30, 30, 30),
    Color.GREY: (200, 200, 200),
    Color.YELLOW: (40, 210, 255),
    Color.RED: (50, 50, 230),
}
_UNCLEAR, _HIDDEN, _EDGE, _SECTION = (255, 0, 255), (255, 160, 0), (255, 255, 255), (60, 20, 20)
_LETTERS = {"city": "C", "town": "T", "village": "V", "hamlet": "h"}
_TERRAINS = {Terrain.PLAIN: "p", Terrain.FOREST: "f", Terrain.HILL: "H"}

View = BoardView | SquareView
Ink = tuple[int, int, int]


def draw(image: Image, view: View, reading: Reading, tracks: Tracks | None = None) -> Image:
    """Return a copy of the photograph with what was read drawn over it.

    Roads as lines with the letter of their tile's terrain, settlements as letters, workshops as squares, merchants as
    counted dots; a section as its rays and its name, snow and mountains as a letter. Unclear cells are outlined in
    magenta, hidden ones in blue; markers are ringed where `tracks` are given.
    """
    drawn = image.copy()
    for cell, read in reading.cells.items():
        _tile(drawn, view, cell, read.contents.tile)
        x, y = cell.centre
        for index, (color, count) in enumerate(read.contents.merchants.counts.items()):
            at = (x - 0.55 + 0.38 * index, y + 0.5)
            for radius, ink in ((0.16, _EDGE), (0.12, _INKS[color])):
                cv2.circle(drawn, _pixel(view, at), round(view.side_px * radius), ink, -1, cv2.LINE_AA)
            if count > 1:
                _text(drawn, view, (at[0], at[1] + 0.35), str(count), _INKS[color], 0.4)
    for cells, ink in ((reading.unclear, _UNCLEAR), (reading.occluded, _HIDDEN)):
        for each in cells:
            _line(drawn, view, _outline(each), ink)
    for color in tracks or ():
        field = reading.tracks.get(color)
        if tracks is not None and field is not None and color not in reading.occluded_tracks:
            ink = _UNCLEAR if color in reading.unclear_tracks else _INKS[color]
            centre = _pixel(view, field_centre(tracks, color, field))
            cv2.circle(drawn, centre, round(view.side_px * 0.6), _EDGE, 4, cv2.LINE_AA)
            cv2.circle(drawn, centre, round(view.side_px * 0.6), ink, 2, cv2.LINE_AA)
    return drawn


def _tile(image: Image, view: View, cell: board.Cell, tile: board.Tile | None) -> None:
    x, y = cell.centre
    match tile:
        case Road(color=color, edges=edges):
            _line(image, view, _road(x, y, edges), _INKS[color])
            _text(image, view, (x, y), _TERRAINS[tile.terrain], _INKS[color], 0.35)
        case Settlement(type=kind):
            _text(image, view, (x, y - 0.2), _LETTERS[kind], (0, 0, 0), 0.7)
        case Workshop(color=color):
            _line(image, view, 0.4 * _SQUARE + (x, y), _INKS[color])
        case LaidSection(section=section, turn=turn):
            for right, down in (board.SQUARE_DIRECTIONS[ray] for ray in tile.rays):
                end = (x + 0.42 * board.QUARTERS * right, y + 0.42 * board.QUARTERS * down)
                _line(image, view, [(x, y), end], _SECTION)
            _text(image, view, (x, y), f"{section.id}/{turn}", _SECTION, 0.8)
        case Snow() | Mountain():
            _text(image, view, (x, y), "S" if isinstance(tile, Snow) else "M", _SECTION, 0.8)


def _line(image: Image, view: View, points: ArrayLike, ink: Ink) -> None:
    """Draw a line through points (N, 2) of the board plane, with a light edge."""
    path: NDArray[np.int32] = np.round(view.to_image(points) * 2**_SHIFT).astype(np.int32)
    width = max(2, round(view.side_px * 0.09))
    cv2.polylines(image, [path], False, _EDGE, width + 2, cv2.LINE_AA, _SHIFT)
    cv2.polylines(image, [path], False, ink, width, cv2.LINE_AA, _SHIFT)


def _pixel(view: View, point_cells: tuple[float, float]) -> tuple[int, int]:
    column, row = view.to_image([point_cells])[0]
    return round(float(column)), round(float(row))


def _road(x: float, y: float, edges: tuple[int, int]) -> list[tuple[float, float]]:
    """Return points along the middle of a road, from edge to edge: a quadratic curve through the cell's centre."""
    reach = math.sqrt(3) / 2
    (ax, ay), (bx, by) = ((math.cos(math.radians(60 * e)), -math.sin(math.radians(60 * e))) for e in edges)
    shares = [((1 - step / 8) ** 2 * reach, (step / 8) ** 2 * reach) for step in range(9)]
    return [(x + a * ax + b * bx, y + a * ay + b * by) for a, b in shares]


def _outline(cell: board.Cell) -> NDArray[np.float64]:
    if not isinstance(cell, HexCell):
        return 0.46 * board.QUARTERS * _SQUARE + cell.centre
    corners = (corners_of(cell) - cell.centre) * 0.92 + cell.centre
    return np.vstack([corners, corners[:1]])


def _text(image: Image, view: View, at: tuple[float, float], text: str, ink: Ink, size: float) -> None:
    """Write a text round a point of the board plane, `size` unit sides high; a long one is kept within its square."""
    column, row = _pixel(view, at)
    scale = view.side_px * size / 22
    (width, _), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, 2)
    scale *= min(1.0, 0.84 * board.QUARTERS * view.side_px / width)
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, 2)
    origin = (column - width // 2, row + height // 2)
    cv2.putText(image, text, origin, cv2.FONT_HERSHEY_SIMPLEX, scale, _EDGE, 4, cv2.LINE_AA)
    cv2.putText(image, text, origin, cv2.FONT_HERSHEY_SIMPLEX, scale, ink, 2, cv2.LINE_AA)
