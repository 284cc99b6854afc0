"""A small renderer: a board of any size, printed one way or another, seen by a tilted camera with a bent lens."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration import BoardLost, BoardView, Lens, track_fields
from companion.board import Color, HexBoard

#: How cells' borders are printed: line colour (blue, green, red), or None for no line at all.
PRINTINGS = {"dark lines": (35, 45, 60), "pale lines": (235, 240, 240), "terrain only": None}
TERRAINS = ((70, 200, 205), (60, 130, 75), (85, 120, 180))
PLAYERS = ((60, 60, 60), (150, 150, 150), (60, 180, 220), (60, 60, 180))
#: Pixels a cell side in the flat drawing.
FLAT_PX = 64
#: Where pixels lie on the board is computed for every fourth pixel.
_APART_PX = 4


@dataclass(frozen=True)
class Scene:
    """A drawn photograph and the view that it was drawn from."""

    image: NDArray[np.uint8]
    view: BoardView
    tracks: dict[Color, tuple[tuple[float, float], tuple[float, float]]]

    def clicks(self, off_px: float = 0.0, seed: int = 0):
        """Return clicks on the four corner cells, each off by that many pixels in a random direction."""
        rng = np.random.default_rng(seed)
        clicks = {}
        for cell in self.view.board.corners:
            angle = rng.uniform(0, 2 * np.pi)
            x, y = self.view.centres_px[cell]
            clicks[cell] = (x + off_px * np.cos(angle), y + off_px * np.sin(angle))
        return clicks

    def pushed(self, degrees: float, right_cells: float, down_cells: float, seed: int = 4) -> Scene:
        """Return the same board elsewhere on the table; with the same print too, if the seed is the scene's own."""
        c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
        push = np.array([[c, -s, right_cells], [s, c, down_cells], [0, 0, 1]])
        return drawn(self.view.moved(np.asarray(self.view.homography) @ push), seed=seed)

    def rms_px(self, found: BoardView | BoardLost | None) -> float:
        """Return how far the cells lie from the true ones in a view that must have been found."""
        assert isinstance(found, BoardView), found
        off = np.array(list(found.centres_px.values())) - np.array(list(self.view.centres_px.values()))
        return float(np.sqrt(np.mean(np.sum(off**2, axis=1))))


def true_view(rings: int, size=(1000, 800), side_px: float | None = None, k1: float = -0.05) -> BoardView:
    """Return a camera's view of the whole board and its frame: tilted, turned by three degrees."""
    side = side_px or 0.38 * size[1] / (rings * np.sqrt(3) + 3)
    turn = np.radians(3)
    c, s = np.cos(turn) * side, np.sin(turn) * side
    tilt = 0.03 / (rings * np.sqrt(3) + 1)
    x, y = size[0] / 2 + 6, size[1] / 2 - 4
    homography = np.array([[c + tilt * x, -s, x], [s, c, y], [tilt, 0, 1]])
    homography[:, 1] += np.array([tilt * x, tilt * y, tilt]) * 0.5
    homography[1, 0] += tilt * y
    return BoardView.of(HexBoard(rings), Lens(*size, k1), homography)


def frame_cells(rings: int) -> float:
    """Return half the frame's side, in cell sides."""
    return rings * np.sqrt(3) + 3.4


def tracks_of(rings: int):
    """Return day tracks on the four sides of the frame."""
    far, long = frame_cells(rings) - 1.1, 0.6 * frame_cells(rings)
    return {
        Color.BLACK: ((far, long), (far, -long)),
        Color.GREY: ((-far, long), (-far, -long)),
        Color.YELLOW: ((long, -far), (-long, -far)),
        Color.RED: ((-long, far), (long, far)),
    }


@lru_cache(maxsize=4)
def drawn(view: BoardView, printing: str = "dark lines", seed: int = 0) -> Scene:
    """Return the photograph of a board in that view, on a plain table, with grain; it cannot be written to."""
    flat, wood, grain = _made(view.rings, view.size_px, printing, seed)
    at = (board_points(view) + np.float32(frame_cells(view.rings))) * np.float32(FLAT_PX)
    picture = cv2.remap(flat, at, None, cv2.INTER_AREA, borderMode=cv2.BORDER_TRANSPARENT, dst=wood.copy())
    # The drawing is finer than the picture: one blur stands for what a lens does.
    picture = cv2.GaussianBlur(picture, (0, 0), 0.8)
    image = np.clip(picture + grain, 0, 255).astype(np.uint8)
    image.flags.writeable = False
    return Scene(image, view, tracks_of(view.rings))


def board_points(view: BoardView) -> NDArray[np.float32]:
    """Return where on the board each pixel lies, in cell sides (height, width, 2), computed for every fourth.

    Even the strongest lens here bends so little over four pixels that those between are off by 0.003 px at most.
    """
    width, height = view.size_px
    across, down = np.arange(0, width + _APART_PX, _APART_PX), np.arange(0, height + _APART_PX, _APART_PX)
    nodes = np.stack(np.meshgrid(across, down), axis=-1).reshape(-1, 2)
    coarse = view.to_board(nodes).reshape(len(down), len(across), 2).astype(np.float32)
    x, y = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
    return np.asarray(cv2.remap(coarse, x / _APART_PX, y / _APART_PX, cv2.INTER_LINEAR), np.float32)


@lru_cache(maxsize=2)
def _made(rings: int, size_px: tuple[int, int], printing: str, seed: int) -> tuple[NDArray[np.uint8], ...]:
    """Return the flat board, the bare table and the grain of a photograph: everything that is the same in each view."""
    rng = np.random.default_rng(seed)
    flat, wood = _flat(rings, printing, rng), _wood(size_px, rng)
    return flat, wood, rng.normal(0, 3, wood.shape)


def table_only(size=(1000, 800), seed: int = 0) -> NDArray[np.uint8]:
    """Return a photograph of a bare wooden table."""
    rng = np.random.default_rng(seed)
    wood = _wood(size, rng)
    return np.clip(wood + rng.normal(0, 3, wood.shape), 0, 255).astype(np.uint8)


def _wood(size, rng):
    width, height = size
    grain = cv2.GaussianBlur(rng.normal(0, 60, (height, width)).astype(np.float32), (0, 0), sigmaX=40, sigmaY=2)
    return (np.array([70, 105, 150]) + grain[..., None] * 4).clip(0, 255).astype(np.uint8)


def to_px(points, half: float) -> NDArray[np.int32]:
    """Return places on the board plane in a flat drawing of that half width, in sixteenths of a pixel."""
    return np.round((np.asarray(points) + half) * FLAT_PX * 16).astype(np.int32)


def paint_cell(flat, half: float, outline, color, line, rng: np.random.Generator) -> None:
    """Paint a cell with that outline (6, 2) on the board plane, bushes on it, and a line round it if one is given."""
    cv2.fillPoly(flat, [to_px(outline, half)], color.tolist(), cv2.LINE_AA, 4)
    for _ in range(12):  # bushes
        angle, far = rng.uniform(0, 2 * np.pi), rng.uniform(0, 0.7)
        at = to_px(outline.mean(axis=0) + far * np.array([np.cos(angle), np.sin(angle)]), half)
        cv2.circle(flat, at.tolist(), 4 * 16, (color * 0.7).tolist(), -1, cv2.LINE_AA, 4)
    if line:
        cv2.polylines(flat, [to_px(outline, half)], True, line, 5, cv2.LINE_AA, 4)


def _flat(rings, printing, rng):
    half = frame_cells(rings)
    size = round(2 * half * FLAT_PX)
    flat = np.full((size, size, 3), (150, 185, 205), np.uint8)
    for cell in HexBoard(rings).cells:
        shade = rng.uniform(0.9, 1.1)
        color = np.array(TERRAINS[rng.integers(3)]) * shade
        paint_cell(flat, half, np.array(cell.outline), color, PRINTINGS[printing], rng)
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    cv2.polylines(flat, [to_px(square * (half - 0.3), half)], True, (60, 80, 100), 5, cv2.LINE_AA, 4)
    for number, ends in enumerate(tracks_of(rings).values()):
        for field, centre in enumerate(track_fields(ends)):
            cv2.fillPoly(flat, [to_px(centre + square * 0.4, half)], PLAYERS[number], cv2.LINE_AA, 4)
            x, y = (to_px(centre, half) // 16).tolist()
            cv2.putText(flat, str(field), (x - 14, y + 12), cv2.FONT_HERSHEY_SIMPLEX, 1, (250, 250, 250), 3)
    for corner, word in (((-0.9, -0.8), "LA"), ((0.6, -0.8), "STRADA"), ((-0.9, 0.85), "via"), ((0.65, 0.85), "1992")):
        x, y = (to_px(np.array(corner) * half, half) // 16).tolist()
        cv2.putText(flat, word, (x, y), cv2.FONT_HERSHEY_SIMPLEX, 2, (40, 50, 70), 5, cv2.LINE_AA)
    return flat
