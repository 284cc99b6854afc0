"""What does not change during a game: the frame and the six board pieces as printed, and the table around them.

The board is one flat sheet in the board plane. Next to it are stocks of tiles and cubes, a mug, a pencil, a score pad.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import Color, HexCell, Layout, Road, Terrain
from companion.board.hexagon import piece_origin, piece_rotation
from simulator import paint
from simulator.art import Art, Printing
from simulator.paint import (
    SQUARE,
    Image,
    Points,
    blend,
    disc,
    fill,
    flat,
    fractal,
    line,
    mix,
    mottle,
    mottled,
    ring,
    shade,
    stamp,
    turned,
    write,
)
from simulator.scene import Nudge
from simulator.solids import Lamp, Stage, cube_shadow, draw_cube, draw_turned, turned_shadow
from simulator.tile_art import HEXAGON, TileArt, hexagon_mask, land_patch
from simulator.view import View, pulled

Map = NDArray[np.float32]

#: The width of a printed fiducial's white card and of its black square, in cell sides.
_CARD_CELLS, _CODE_CELLS = 1.9, 1.45


@dataclass(frozen=True, slots=True)
class Sheet:
    """A flat picture of the board plane: a square from -half to +half cell sides, `side_px` pixels to a cell side."""

    image: Image
    half: float
    side_px: float

    def px(self, points: object) -> Points:
        """Return points (n, 2), or one point, of the board plane in the sheet's pixels."""
        return (np.asarray(points, np.float64) + self.half) * self.side_px


def sheet_maps(
    view: View, half: float, side_px: float, nudge: Nudge, part: tuple[int, int, int, int]
) -> tuple[Map, Map]:
    """Return each pixel's place in a sheet of that size, for a part (left, top, width, height) of the picture.

    It is computed at every eighth pixel and interpolated in between: the lens bends by less than 0.01 px over that.
    """
    left, top, width, height = part
    step = 8
    columns, rows = width // step + 2, height // step + 2
    grid = np.stack(np.meshgrid(np.arange(columns) * step + left, np.arange(rows) * step + top), axis=-1)
    places = ((pulled(view.on_table(grid.reshape(-1, 2)), nudge) + half) * side_px).astype(np.float32)
    coarse = places.reshape(rows, columns, 2)
    finer = np.array([[step, 0, 0], [0, step, 0]], np.float64)
    fine = np.asarray(cv2.warpAffine(coarse, finer, (width, height), flags=cv2.INTER_LINEAR), np.float32)
    return fine[..., 0].copy(), fine[..., 1].copy()


def frame_sheet(art: Printing, side_px: float) -> tuple[Sheet, np.random.Generator]:
    """Return the paper of board and frame before anything is printed on it, and the generator to go on with."""
    size = round(2 * art.frame_half * side_px)
    rng = np.random.default_rng((art.seed, 1))
    paper = mottled(rng, (size, size), art.frame, side_px * 5, 0.16, octaves=6)
    paper = mottle(paper, fractal(rng, size, size, (side_px * 0.3, side_px * 0.3), 2), 0.03)
    return Sheet(paper, art.frame_half, side_px), rng


def board_sheet(art: Art, side_px: float, layout: Layout) -> Sheet:
    """Return the frame, the day tracks and the pieces in that layout, with nothing on them."""
    sheet, rng = frame_sheet(art, side_px)
    _border(sheet, art)
    _ornaments(sheet, art)
    for color in Color:
        _track(sheet, art, color)
    if art.fiducials:
        _fiducials(sheet, art, rng)
    _pieces(sheet, art, layout)
    return sheet


def _border(sheet: Sheet, art: Art) -> None:
    dark = mix(art.frame, art.ink, 0.75)
    for share, width in ((0.965, 0.07), (0.952, 0.03)):
        line(sheet.image, sheet.px(SQUARE * sheet.half * share), dark, sheet.side_px * width, closed=True)
    line(sheet.image, sheet.px(SQUARE * sheet.half * 0.999), shade(art.frame, 0.6), sheet.side_px * 0.1, closed=True)
    seam = mix(art.frame, art.seam, 0.7)
    for turn in range(4):
        ends = turned(np.array([[0, -sheet.half], [0, -1.5 * art.board.rings - 0.8]]), turn * math.pi / 2)
        line(sheet.image, sheet.px(ends), seam, sheet.side_px * 0.05)


def _ornaments(sheet: Sheet, art: Art) -> None:
    far, ink = 0.66 * sheet.half, mix(art.frame, art.ink, 0.8)
    pale = shade(mix(art.frame, (255, 255, 255), 0.45), 1.0)
    color = pale if sum(art.frame) < 400 else ink
    italic = cv2.FONT_HERSHEY_TRIPLEX | cv2.FONT_ITALIC
    for away, turn in ((-far, -math.pi / 4), (far, math.pi * 3 / 4)):
        at = sheet.px((away, away)).tolist()
        write(sheet.image, art.title, sheet.side_px * 0.85, color, at, turn, font=italic)
    for x, y in ((far, -far), (-far, far)):
        for k in range(16):
            tall = 0.85 if k % 2 == 0 and k % 4 == 0 else 0.5 if k % 2 == 0 else 0.28
            needle = turned(np.array([[0.07, 0.0], [0, -tall], [-0.07, 0.0]]), k * math.tau / 16) + np.array((x, y))
            fill(sheet.image, sheet.px(needle), color if k % 2 == 0 else shade(color, 0.85))
        ring(sheet.image, sheet.px((x, y)).tolist(), sheet.side_px * 0.4, color, 1)


def _track(sheet: Sheet, art: Art, color: Color) -> None:
    places = np.array([art.track_field(color, number) for number in range(11)])
    px, side = sheet.px(places), sheet.side_px
    apart = float(np.hypot(*(places[1] - places[0]))) * side
    paint = art.road[color] if color is not Color.BLACK else (66, 66, 68)
    figure = (222, 232, 236) if color in (Color.BLACK, Color.RED) else art.ink
    line(sheet.image, px[[0, -1]], art.ink, side * 0.1)
    turn = (0.0, -math.pi / 2, math.pi, math.pi / 2)[art.sides.index(color)]
    half = apart * 0.39
    for number, (x, y) in enumerate(px):
        if art.field == "disc":
            disc(sheet.image, (x, y), half, art.ink)
            disc(sheet.image, (x, y), half - side * 0.045, paint)
        else:
            square = SQUARE * half * 0.95
            fill(sheet.image, square + np.array((x, y)), art.ink)
            fill(sheet.image, square * (1 - side * 0.05 / half) + np.array((x, y)), paint)
        write(sheet.image, str(number), side * 0.46, figure, (x, y), turn)


def _fiducials(sheet: Sheet, art: Art, rng: np.random.Generator) -> None:
    codes = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    far = 0.905 * sheet.half
    card = round(_CARD_CELLS * sheet.side_px) // 2 * 2 + 1
    width = round(_CODE_CELLS * sheet.side_px)
    for number, (x, y) in enumerate(SQUARE * far):
        patch = flat(card, card, (244, 244, 242))
        start = (card - width) // 2
        code = np.asarray(cv2.aruco.generateImageMarker(codes, number, width), np.uint8)
        patch[start : start + width, start : start + width] = np.maximum(code, 24)[..., None]
        at = sheet.px(np.array((x, y)) + rng.normal(0, 0.06, 2)).tolist()
        stamp(sheet.image, patch, np.full((card, card), 255, np.uint8), at, float(rng.normal(0, 0.04)))


def _pieces(sheet: Sheet, art: Art, layout: Layout) -> None:
    """Draw the pieces where they were when taught, then move each to where the layout has it."""
    taught = Sheet(sheet.image.copy(), sheet.half, sheet.side_px)
    _cells(taught, art)
    centre = HexCell(0, 0, art.board.rings)
    middle = float(sheet.px((0, 0))[0])
    for piece, lie in enumerate(layout.lies):
        origins = dict(piece_origin(piece, lie, art.board.rings))
        if piece == 0:
            origins[centre] = centre
        turn = -piece_rotation(piece, lie) * math.pi / 3
        cell, origin = next(iter(origins.items()))
        shift = np.array(cell.centre) - turned([origin.centre], turn)[0]
        c, s = math.cos(turn), math.sin(turn)
        x, y = shift * sheet.side_px
        affine = np.array([[c, -s, middle - c * middle + s * middle + x], [s, c, middle - s * middle - c * middle + y]])
        moved = np.asarray(cv2.warpAffine(taught.image, affine, taught.image.shape[1::-1], flags=cv2.INTER_CUBIC))
        mask = np.zeros(sheet.image.shape[:2], np.uint8)
        for covered in origins:
            # A hair wider than the cell, so that no gap shows between neighbours.
            cv2.fillConvexPoly(mask, np.round(sheet.px(HEXAGON * 1.015 + covered.centre)).astype(np.int32), (255,))
        blend(sheet.image, moved.astype(np.uint8), mask)
        _rim(sheet, art, set(origins))


def _cells(sheet: Sheet, art: Art) -> None:
    side, mask = sheet.side_px, hexagon_mask(sheet.side_px, 1.02)
    rng = np.random.default_rng((art.seed, 2))
    for cell in art.board.cells:
        at = sheet.px(cell.centre).tolist()
        stamp(sheet.image, land_patch(art, art.terrain[cell], side, rng), mask, at)
    for cell in art.board.cells:
        color = mix(art.land[art.terrain[cell]], art.ink, 0.62)
        line(sheet.image, sheet.px(HEXAGON * 0.995 + cell.centre), color, side * 0.03, closed=True)
    for cell in art.sites:
        at = sheet.px(cell.centre).tolist()
        disc(sheet.image, at, side * 0.31, shade(art.site, 0.6))
        disc(sheet.image, at, side * 0.285, art.site)


def _rim(sheet: Sheet, art: Art, cells: set[HexCell]) -> None:
    """Draw the cut edge of a piece."""
    for cell in cells:
        for edge in range(6):
            if cell.neighbour(edge) not in cells:
                ends = HEXAGON[[(5 - edge) % 6, (6 - edge) % 6]]
                line(sheet.image, sheet.px(ends + cell.centre), art.seam, sheet.side_px * 0.05)


#: The mug's profile, (radius, height) in cell sides.
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
    """Draw the flat things next to the board, and the shadows of the standing ones, on the table."""
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
    """Draw the things that stand next to the board into the picture: cubes in stock and a mug."""
    stage = Stage(image, view, lamp, np.asarray)
    for at, turn, color in sorted(_cubes(art), key=lambda cube: -abs(cube[0][0])):
        draw_cube(stage, at, turn, art.wood[color])
    _mug(image, view, art, lamp)


def _beside(art: Art) -> float:
    """Return how far left or right of the board's middle the stocks are: between the frame and the picture's edge."""
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
    # Inside, the wall shows down to the coffee: rings from top to bottom, darker as they go.
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
