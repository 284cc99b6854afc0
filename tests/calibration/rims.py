"""Boards with a broad printed rim: bands of many widths and patterns round the cells, seen by a tilted camera."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration import BoardView, Lens
from companion.board import HexBoard, HexCell
from tests.calibration.drawn import FLAT_PX, TERRAINS, Scene, board_points, paint_cell, to_px

#: What the table, the band and the lines on it may look like (blue, green, red).
TABLE, DARK, LIGHT, LINE = (70, 105, 150), (40, 42, 48), (215, 222, 226), (35, 45, 60)
#: What is printed on the band: nothing, on a dark or a pale one; a line along its middle; teeth; another row of cells,
#: as far as the band reaches.
PATTERNS = ("dark", "pale", "line", "teeth", "cells")
#: The band's outline: straight like a hexagon, or jagged like the cells.
OUTLINES = ("straight", "jagged")
Picture = NDArray[np.uint8]
_ANGLES = np.radians(np.arange(30, 390, 60))
_HEXAGON = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1)
_STRAIGHT = np.stack([np.cos(_ANGLES - np.pi / 6), np.sin(_ANGLES - np.pi / 6)], axis=1)


@dataclass(frozen=True)
class Rim:
    """A band round the board, of that many cell sides."""

    width_cells: float
    pattern: str = "dark"
    outline: str = "straight"
    #: How the cells' borders are printed: as lines, not at all, or as broad gaps in the band's colour that run into it.
    borders: str = "lines"


def tilted_view(rings: int = 6, tilt: float = 0.0, turn: float = 3.0, size: tuple[int, int] = (1200, 960)) -> BoardView:
    """Return a view of the board turned by that many degrees, its far edge smaller by about twice `tilt`."""
    side = 0.42 * size[1] / (rings * np.sqrt(3) + 3)
    c, s = np.cos(np.radians(turn)) * side, np.sin(np.radians(turn)) * side
    x, y, lean = size[0] / 2, size[1] / 2, tilt / (rings * np.sqrt(3) + 1)
    middle = np.array([[1, 0, x], [0, 1, y], [0, 0, 1]])
    homography = middle @ np.array([[c, -s, 0], [s, c, 0], [0.3 * lean, lean, 1]])
    return BoardView.of(HexBoard(rings), Lens(*size, -0.04), homography)


@lru_cache(maxsize=4)
def rimmed(view: BoardView, rim: Rim, seed: int = 0) -> Scene:
    """Return the photograph of a board with that rim, on a plain table, with grain; it cannot be written to."""
    rng = np.random.default_rng(seed)
    half = view.rings * np.sqrt(3) + 4.5
    flat = _flat(view.rings, half, rim, rng)
    at = (board_points(view) + np.float32(half)) * np.float32(FLAT_PX)
    picture = cv2.remap(flat, at, None, cv2.INTER_AREA, borderMode=cv2.BORDER_CONSTANT, borderValue=TABLE)
    picture = cv2.GaussianBlur(picture, (0, 0), 0.8)
    image = np.clip(picture + rng.normal(0, 3, picture.shape), 0, 255).astype(np.uint8)
    image.flags.writeable = False
    return Scene(image, view, {})


def beside(scene: Scene, q: int, r: int, off_px: float = 0.0, seed: int = 0) -> dict[HexCell, tuple[float, float]]:
    """Return clicks q cells to the right of the corner cells and r to the lower right, each off by that many pixels."""
    step, moved = np.array(HexCell(q, r, scene.view.rings).centre), {}
    for cell, (x, y) in scene.clicks(off_px, seed).items():
        (from_x, from_y), (to_x, to_y) = scene.view.to_image([cell.centre, np.array(cell.centre) + step]).tolist()
        moved[cell] = (x + to_x - from_x, y + to_y - from_y)
    return moved


def _flat(rings: int, half: float, rim: Rim, rng: np.random.Generator) -> Picture:
    size = round(2 * half * FLAT_PX)
    flat = np.full((size, size, 3), TABLE, np.uint8)
    is_dark = rim.pattern in ("dark", "teeth")
    band = _band(rings, half, rim, 1.0)
    flat[band] = DARK if is_dark else LIGHT
    if rim.pattern == "line":
        along, _ = cv2.findContours(
            _band(rings, half, rim, 0.5).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE
        )
        cv2.drawContours(flat, along, -1, LINE, 6, cv2.LINE_AA)
    if rim.pattern in ("cells", "teeth"):
        over = flat.copy()
        for cell in HexBoard(rings + 2).cells:
            if cell.distance(HexCell(0, 0, rings + 2)) <= rings:
                continue
            if rim.pattern == "teeth":
                _fill(over, half, np.array(cell.centre) + _HEXAGON * 0.6, LIGHT)
                continue
            _fill(over, half, np.array(cell.centre) + _HEXAGON, (np.array(LIGHT) * rng.uniform(0.75, 1.0)).tolist())
            cv2.polylines(over, [to_px(np.array(cell.centre) + _HEXAGON, half)], True, LINE, 5, cv2.LINE_AA, 4)
        flat[band] = over[band]
    _cells(flat, half, rings, rim, DARK if is_dark else LIGHT, rng)
    return flat


def _band(rings: int, half: float, rim: Rim, share: float) -> NDArray[np.bool_]:
    """Return which pixels are covered by the board and that share of its band."""
    mask = np.zeros((round(2 * half * FLAT_PX),) * 2, np.uint8)
    if rim.outline == "straight":
        _fill(mask, half, _STRAIGHT * (rings * 1.5 + 1 + share * rim.width_cells) * 2 / np.sqrt(3), 255)
    else:
        for cell in HexBoard(rings).cells:
            _fill(mask, half, np.array(cell.centre) + _HEXAGON * (1 + share * rim.width_cells), 255)
    return np.asarray(mask > 127)


def _cells(flat: Picture, half: float, rings: int, rim: Rim, gap, rng: np.random.Generator) -> None:
    board = HexBoard(rings)
    if rim.borders == "gaps":
        for cell in board.cells:
            _fill(flat, half, np.array(cell.centre) + _HEXAGON * 1.02, gap)
    for cell in board.cells:
        outline = np.array(cell.centre) + _HEXAGON * (0.93 if rim.borders == "gaps" else 1.0)
        color = np.array(TERRAINS[rng.integers(3)]) * rng.uniform(0.9, 1.1)
        paint_cell(flat, half, outline, color, LINE if rim.borders == "lines" else None, rng)


def _fill(picture: Picture, half: float, points, color) -> None:
    cv2.fillPoly(picture, [to_px(points, half)], color, cv2.LINE_AA, 4)
