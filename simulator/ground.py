"""The table under the board, and the things beside it: stocks of tiles and cubes, a mug, a pencil, a score pad."""

from __future__ import annotations

import math

import cv2
import numpy as np

from companion.board import Color, Road, Terrain
from simulator import paint
from simulator.art import Art, Printing
from simulator.board_art import Sheet
from simulator.solids import Lamp, Stage, cube_shadow, draw_cube, draw_turned, turned_shadow
from simulator.tile_art import TileArt
from simulator.view import View

#: The mug: its profile (radius, height) in cell sides.
_MUG = ((1.75, 0.0), (1.95, 0.3), (2.0, 3.6))


def table_sheet(art: Printing, half: float, side_px: float) -> Sheet:
    """Return the bare table: planks, paint or cloth."""
    size = round(2 * half * side_px)
    rng = np.random.default_rng((art.seed, 3))
    match art.table:
        case "planks":
            image = _planks(art, size, side_px, rng)
        case "cloth":
            image = paint.mottled(rng, (size, size), art.table_color, side_px * 9, 0.1)
            weave = rng.standard_normal((size, size), np.float32)
            image = paint.mottle(image, np.clip(np.asarray(cv2.blur(weave, (2, 2))), -1, 1).astype(np.float32), 0.1)
        case _:
            image = paint.mottled(rng, (size, size), art.table_color, side_px * 12, 0.03)
    return Sheet(image, half, side_px)


def _planks(art: Printing, size: int, side_px: float, rng: np.random.Generator) -> paint.Image:
    image = paint.flat(size, size, art.table_color)
    tall = 3.4 * side_px
    top = -rng.uniform(0, tall)
    while top < size:
        left = -rng.uniform(0, size * 0.5)
        while left < size:
            wide = rng.uniform(0.5, 0.9) * size
            a, b = max(0, round(top)), min(size, round(top + tall))
            c, d = max(0, round(left)), min(size, round(left + wide))
            if b > a and d > c:
                image[a:b, c:d] = _plank(paint.varied(art.table_color, rng, 0.07), b - a, d - c, side_px, rng)
                corners = np.array([[c, a], [d, a], [d, b], [c, b]], np.float64)
                paint.line(image, corners, paint.shade(art.table_color, 0.42), side_px * 0.06, closed=True)
            left += wide
        top += tall
    return image


def _plank(color: paint.Bgr, height: int, width: int, side_px: float, rng: np.random.Generator) -> paint.Image:
    broad = paint.fractal(rng, height, width, (side_px * 14, side_px * 0.9), 3)
    fine = paint.fractal(rng, height, width, (side_px * 5, side_px * 0.12), 2)
    # Growth rings: bands of a slow wave that the broad noise bends.
    rows = np.arange(height, dtype=np.float32)[:, None] / np.float32(side_px)
    rings = np.sin((rows * 5 + broad * 6).astype(np.float32))
    grain = np.clip(broad * 0.6 + fine * 0.5 + rings * 0.25, -1, 1).astype(np.float32)
    return paint.mottle(paint.flat(height, width, color), grain, 0.16)


def lay_beside(sheet: Sheet, art: Art, tiles: TileArt, lamp: Lamp) -> None:
    """Draw the flat things beside the board, and the shadows of the standing ones, onto the table."""
    rng = np.random.default_rng((art.seed, 4))
    shadows = np.zeros(sheet.image.shape[:2], np.uint8)
    if rng.random() < 0.6:
        _pad(sheet, art, rng)
    for color, (x, y) in _stocks(art).items():
        for _ in range(int(rng.integers(4, 7))):
            terrain, pair = list(Terrain)[int(rng.integers(3))], [(0, 3), (0, 2), (1, 5)][int(rng.integers(3))]
            at = np.array((x, y)) + rng.normal(0, 0.55, 2)
            turn = float(rng.uniform(0, math.tau))
            lying = sheet.px(at)
            shadow = np.zeros_like(tiles.mask)
            paint.stamp(
                sheet.image, np.dstack([shadow] * 3), tiles.mask // 3, (lying + sheet.side_px * 0.06).tolist(), turn
            )
            patch = tiles.patch(Road(color, terrain, pair), int(rng.integers(99)))
            paint.stamp(sheet.image, patch, tiles.mask, lying.tolist(), turn)
    for place, turn, _ in _cubes(art):
        paint.fill(shadows, sheet.px(cube_shadow(place, turn, lamp)), 125)
    mug = _mug_place(art)
    paint.fill(shadows, sheet.px(turned_shadow(mug, 1.95, 3.6, lamp)), 150)
    paint.fill(shadows, sheet.px(paint.SQUARE * art.frame_half + np.array(lamp.cast) * 0.25), 130)
    soft = np.asarray(cv2.GaussianBlur(shadows, (0, 0), sheet.side_px * 0.12))
    sheet.image[:] = cv2.convertScaleAbs(sheet.image * (1 - soft[..., None].astype(np.float32) / 255))


def stand_beside(image: paint.Image, view: View, art: Art, lamp: Lamp) -> None:
    """Draw the things that stand beside the board into the picture: cubes in stock, and a mug."""
    stage = Stage(image, view, lamp, np.asarray)
    for at, turn, color in sorted(_cubes(art), key=lambda cube: -abs(cube[0][0])):
        draw_cube(stage, at, turn, art.wood[color])
    _mug(image, view, art, lamp)


def _beside(art: Art) -> float:
    """Return how far to the right or left of the board's middle the stocks are: between frame and picture's rim."""
    return art.frame_half * 1.27


def _stocks(art: Art) -> dict[Color, tuple[float, float]]:
    away, third = _beside(art), art.frame_half * 0.45
    spots = ((away, third), (away, -third), (-away, -third), (-away, third * 0.3))
    return dict(zip(art.sides, spots, strict=True))


def _cubes(art: Art) -> list[tuple[tuple[float, float], float, Color]]:
    rng = np.random.default_rng((art.seed, 5))
    cubes = []
    for color, (x, y) in _stocks(art).items():
        placed: list[paint.Points] = []
        while len(placed) < 6:
            spot = np.array((x, y - 3.1)) + rng.normal(0, 0.75, 2)
            if all(float(np.hypot(*(spot - other))) > 0.6 for other in placed):
                placed.append(spot)
                cubes.append(((float(spot[0]), float(spot[1])), float(rng.uniform(0, 1.5)), color))
    return cubes


def _mug_place(art: Art) -> tuple[float, float]:
    return -_beside(art) - 0.9, art.frame_half * 0.72


def _mug(image: paint.Image, view: View, art: Art, lamp: Lamp) -> None:
    glazes = ((150, 108, 62), (70, 74, 150), (150, 160, 150), (84, 120, 78))
    glaze = paint.varied(glazes[art.seed % 4], np.random.default_rng(art.seed), 0.05)
    at = _mug_place(art)
    x, y = at
    out = np.linspace(-math.pi / 2, math.pi / 2, 15)
    toward = 0.9
    arm = np.stack([1.8 + 1.05 * np.cos(out), 2.0 + 1.1 * np.sin(out)], axis=1)
    spine = np.column_stack(
        [paint.turned(np.column_stack([arm[:, 0], np.zeros(15)]), -toward) + np.array((x, y)), arm[:, 1]]
    )
    spine_px = view.project(spine)
    side = float(np.hypot(*(view.project([at])[0] - view.project([(x + 1, y)])[0])))
    paint.line(image, spine_px, paint.shade(glaze, 0.55), side * 0.5)
    paint.line(image, spine_px - side * 0.03, paint.shade(glaze, 0.85), side * 0.36)
    paint.line(image, spine_px - side * 0.07, paint.shade(glaze, 1.15), side * 0.12)
    draw_turned(Stage(image, view, lamp, np.asarray), at, _MUG, glaze, 60)
    top = _MUG[-1][1]
    circle = np.linspace(0, math.tau, 72, endpoint=False)

    def rim(radius: float, height: float) -> paint.Points:
        around = np.column_stack([np.cos(circle) * radius + x, np.sin(circle) * radius + y, np.full(72, height)])
        return view.project(around)

    paint.fill(image, rim(2.0, top), paint.shade(glaze, 1.25))
    paint.fill(image, rim(1.8, top), paint.shade(glaze, 0.6))
    # Inside, one sees the wall down to the coffee: rings from top to bottom, darker as they go.
    for share in np.linspace(0, 1, 8):
        paint.fill(image, rim(1.8, top - 0.6 * float(share)), paint.shade(glaze, 0.8 - 0.4 * float(share)))
    paint.fill(image, rim(1.74, top - 0.65), (18, 28, 44))
    paint.fill(image, rim(1.5, top - 0.65), (14, 22, 36))
    shine = view.project([(x - lamp.cast[0] * 0.9, y - lamp.cast[1] * 0.9, top - 0.65)])[0]
    paint.disc(image, shine.tolist(), side * 0.16, (120, 150, 170))


def _pad(sheet: Sheet, art: Art, rng: np.random.Generator) -> None:
    middle = np.array([_beside(art) + 0.6, art.frame_half * 0.9])
    turn = float(rng.uniform(-0.3, 0.3))
    paper = paint.turned(np.array([[-2.6, -3.6], [2.6, -3.6], [2.6, 3.6], [-2.6, 3.6]]), turn) + middle
    paint.fill(sheet.image, sheet.px(paper + 0.08), paint.shade(art.table_color, 0.5))
    paint.fill(sheet.image, sheet.px(paper), (236, 240, 240))
    for row in np.arange(-3.0, 3.4, 0.45):
        rule = paint.turned(np.array([[-2.3, row], [2.3, row]]), turn) + middle
        paint.line(sheet.image, sheet.px(rule), (206, 196, 186), 1)
    pencil = (
        paint.turned(np.array([[-0.12, -2.4], [0.12, -2.4], [0.12, 2.0], [0, 2.5], [-0.12, 2.0]]), turn + 0.6) + middle
    )
    paint.fill(sheet.image, sheet.px(pencil + 0.1), (170, 172, 172))
    paint.fill(sheet.image, sheet.px(pencil), (50, 160, 226))
    paint.fill(sheet.image, sheet.px(pencil[2:5]), (170, 205, 232))
    lead = paint.turned(np.array([[0.04, 2.33], [0, 2.5], [-0.04, 2.33]]), turn + 0.6) + middle
    paint.fill(sheet.image, sheet.px(lead), (40, 40, 44))
    paint.line(sheet.image, sheet.px(pencil[[0, 4]] * 0.5 + pencil[[1, 2]] * 0.5), (36, 128, 190), sheet.side_px * 0.05)
