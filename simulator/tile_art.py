"""Pictures of the tiles: roads, settlements, workshops. Each is a patch and its hexagon's mask.

Also printed pictures of a cell: plain, forest and hill, and houses. A patch is a square around the cell's centre.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from companion.board import Color, Road, Settlement, SettlementType, Shape, Terrain, Tile, Workshop
from companion.board.hexagon import DIRECTIONS
from simulator import paint
from simulator.art import Art
from simulator.paint import Bgr, Image, Points, disc, fill, line, mottled, ring, shade, varied

#: A tile's side as a share of its cell's.
TILE_SHARE = 0.955
#: A road strip's width in cell sides (15 px where a side is 36 px), and a bend's radius about the next cell's centre.
STRIP_CELLS, BEND_CELLS = 0.40, 1.5


class TileArt:
    """Pictures of one printing's tiles, drawn when first asked for. Owned by the thread that draws."""

    def __init__(self, art: Art, side_px: float) -> None:
        self._art = art
        self._side_px = side_px
        self.mask = hexagon_mask(side_px, TILE_SHARE)
        # A picture takes 30 kB, and a board of 6 rings has 127 cells. Pictures from the previous game need not be kept.
        self._draw = lru_cache(maxsize=160)(self._drawn)

    def patch(self, tile: Tile, look: int) -> Image:
        """Return the tile's picture; `look` picks one of its kind's."""
        return self._draw(tile, look)

    def _drawn(self, tile: Tile, look: int) -> Image:
        rng = np.random.default_rng((self._art.seed, look, *str(tile).encode()))
        match tile:
            case Road():
                patch = self._road(tile, rng)
            case Settlement(type=kind):
                patch = self._settlement(kind, rng)
            case Workshop(color=color):
                patch = self._workshop(color, rng)
        middle = patch.shape[0] // 2
        line(patch, HEXAGON * self._side_px * (TILE_SHARE - 0.012) + middle, (40, 60, 80), self._side_px * 0.03, True)
        return patch

    def _road(self, road: Road, rng: np.random.Generator) -> Image:
        patch = land_patch(self._art, road.terrain, self._side_px, rng, light=1.05)
        middle, side = patch.shape[0] // 2, self._side_px
        path = _path(road) * side + middle
        width = round(STRIP_CELLS * side)
        color = self._art.road[road.color]
        strip = np.zeros(patch.shape[:2], np.uint8)
        line(strip, path, 255, width)
        edge = np.zeros(patch.shape[:2], np.uint8)
        line(edge, path, 255, width + max(2, round(side * 0.09)))
        patch[:] = np.where(edge[..., None] > 127, np.array(self._art.ink, np.uint8), patch)
        size = len(patch)
        paving = mottled(rng, (size, size), color, side * 0.15, 0.13)
        share = strip[..., None].astype(np.float32) / 255
        patch[:] = (paving * share + patch * (1 - share)).astype(np.uint8)
        return patch

    def _settlement(self, kind: SettlementType, rng: np.random.Generator) -> Image:
        art, side = self._art, self._side_px
        size = patch_size(side)
        middle = size // 2
        color = varied(art.ground[kind], rng, 0.02)
        patch = mottled(rng, (size, size), color, side * 0.6, 0.08)
        if kind in (SettlementType.VILLAGE, SettlementType.HAMLET):
            patch = land_patch(art, Terrain.PLAIN, side, rng, light=1.06)
        for _ in range({SettlementType.VILLAGE: 2, SettlementType.HAMLET: 1}.get(kind, 0)):
            furrows(patch, _around(rng, 0.52) * side + middle, side * 0.2, color, rng)
        match kind:
            case SettlementType.CITY:
                disc(patch, (middle, middle), side * 0.66, (122, 132, 142))
                wall_round(patch, side * 0.68, 8, side, rng)
                self._houses(patch, _crowd(rng, 30, 0.56, 0.17), 0.2, rng, grey=0.25)
                self._spire(patch, (middle, middle), side * 0.2)
            case SettlementType.TOWN:
                disc(patch, (middle, middle), side * 0.5, (120, 148, 164))
                wall_round(patch, side * 0.52, 6, side, rng)
                self._houses(patch, _crowd(rng, 13, 0.37, 0.19), 0.21, rng, grey=0.45)
            case SettlementType.VILLAGE:
                self._houses(patch, _crowd(rng, int(rng.integers(5, 8)), 0.54, 0.3), 0.24, rng, grey=0.1)
            case SettlementType.HAMLET:
                self._houses(patch, _crowd(rng, int(rng.integers(1, 3)), 0.26, 0.36), 0.27, rng, grey=0.0)
        return patch

    def _houses(self, patch: Image, spots: Points, width: float, rng: np.random.Generator, grey: float) -> None:
        middle = patch.shape[0] // 2
        for x, y in spots * self._side_px + middle:
            roof: Bgr | None = (112, 116, 122) if rng.random() < grey else None
            house(patch, self._art, (float(x), float(y)), self._side_px * width * rng.uniform(0.9, 1.1), rng, roof=roof)

    def _spire(self, patch: Image, at: tuple[int, int], size: float) -> None:
        corners = np.array([[-0.7, 0.8], [0.7, 0.8], [0.7, -0.2], [0, -1.6], [-0.7, -0.2]]) * size * 0.6 + at
        fill(patch, corners, shade(self._art.wall, 0.92))
        fill(patch, corners[2:5], (120, 84, 66))
        line(patch, corners, self._art.ink, 1, closed=True)

    def _workshop(self, color: Color, rng: np.random.Generator) -> Image:
        art, side = self._art, self._side_px
        patch = land_patch(art, Terrain.PLAIN, side, rng, light=1.03)
        middle = patch.shape[0] // 2
        paint = art.road[color]
        at = (middle, middle)
        disc(patch, at, side * 0.74, art.ink)
        disc(patch, at, side * 0.715, (202, 212, 216) if color is Color.BLACK else shade(paint, 1.25))
        disc(patch, at, side * 0.68, paint)
        ring(patch, at, side * 0.6, shade(paint, 1.35 if color is Color.BLACK else 0.75), 1)

        def drawn(points: list[list[float]]) -> Points:
            return np.asarray(np.array(points) * side * 0.85 + middle, np.float64)

        gable = drawn([[-0.34, 0.32], [-0.06, 0.32], [-0.06, -0.02], [-0.2, -0.2], [-0.34, -0.02]])
        front = drawn([[-0.06, 0.32], [0.36, 0.24], [0.36, -0.06], [-0.06, -0.02]])
        roof = drawn([[-0.06, 0.0], [0.38, -0.05], [0.22, -0.26], [-0.2, -0.22]])
        fill(patch, gable, shade(art.wall, 0.96))
        fill(patch, front, shade(art.wall, 0.88))
        fill(patch, roof, (84, 132, 176) if color is Color.RED else art.roof)
        fill(patch, drawn([[-0.24, 0.32], [-0.15, 0.32], [-0.15, 0.14], [-0.24, 0.14]]), art.ink)
        for part in (gable, front, roof):
            line(patch, part, art.ink, max(1, side * 0.03), closed=True)
        pole = art.wall if color in (Color.BLACK, Color.RED) else art.ink
        line(patch, drawn([[-0.2, -0.2], [-0.2, -0.5]]), pole, side * 0.03)
        fill(patch, drawn([[-0.2, -0.5], [0.1, -0.45], [-0.2, -0.36]]), pole)
        return patch


def _path(road: Road) -> Points:
    """Return the road's middle line in its cell, from a little outside one edge to a little outside the other."""
    a, b = road.edges
    if road.shape is Shape.STRAIGHT:
        direction = _towards(a)
        return np.array([direction * 1.1, -direction * 1.1])
    # A bend's edges are two apart. The edge between them faces the cell whose centre is the arc's centre.
    between = (a + 1) % 6 if b - a == 2 else (b + 1) % 6
    centre = _towards(between) * math.sqrt(3)
    back = math.atan2(-centre[1], -centre[0])
    angles = np.linspace(back - math.radians(38), back + math.radians(38), 24)
    return np.asarray(np.stack([np.cos(angles), np.sin(angles)], axis=1) * BEND_CELLS + centre, np.float64)


def _towards(edge: int) -> Points:
    """Return the direction from a cell's centre to the middle of that edge."""
    q, r = DIRECTIONS[edge]
    return np.array([q + r / 2, r * math.sqrt(3) / 2])


def _around(rng: np.random.Generator, far: float) -> Points:
    angle = rng.uniform(0, math.tau)
    return np.array([math.cos(angle), math.sin(angle)]) * far


def _crowd(rng: np.random.Generator, count: int, reach: float, apart: float) -> Points:
    """Return up to `count` places in a disc, none too near another, from back to front."""
    kept: list[Points] = []
    for _ in range(count * 25):
        spot = _around(rng, reach * math.sqrt(rng.uniform()))
        if len(kept) < count and all(float(np.hypot(*(spot - other))) > apart for other in kept):
            kept.append(spot)
    return np.array(sorted(kept, key=lambda spot: spot[1]))


#: The corners of a pointy-top cell of side 1.
HEXAGON: paint.Points = np.array(
    [[math.cos(math.radians(60 * k + 30)), math.sin(math.radians(60 * k + 30))] for k in range(6)]
)


def patch_size(side_px: float) -> int:
    """Return the width of a patch that holds a cell of that side. It is odd, so that there is a middle pixel."""
    return 2 * math.ceil(side_px * 1.04) + 1


def hexagon_mask(side_px: float, share: float = 1.0) -> paint.Image:
    """Return the mask (255 inside) of a cell on a patch, with its side times `share`."""
    size = patch_size(side_px)
    mask = np.zeros((size, size), np.uint8)
    paint.fill(mask, HEXAGON * side_px * share + size // 2, 255)
    return mask


def land_patch(art: Art, terrain: Terrain, side_px: float, rng: np.random.Generator, light: float = 1.0) -> paint.Image:
    """Return a patch of that terrain; `light` makes it paler or darker than the board's own."""
    size = patch_size(side_px)
    color = paint.varied(paint.shade(art.land[terrain], light), rng, 0.022)
    patch = paint.mottled(rng, (size, size), color, side_px * 0.8, 0.09)
    _SIGNS[terrain](patch, art, color, side_px, rng)
    return patch


def _spots(rng: np.random.Generator, count: int, apart: float, reach: float = 0.9) -> paint.Points:
    """Return up to `count` places in a cell, none nearer than `apart` to another, from top to bottom."""
    kept: list[tuple[float, float]] = []
    for x, y in rng.uniform(-reach, reach, (count * 6, 2)):
        inside = abs(x) < 0.87 * reach and abs(x) * 0.5 + abs(y) * 0.866 < 0.87 * reach
        if inside and len(kept) < count and all((x - a) ** 2 + (y - b) ** 2 > apart**2 for a, b in kept):
            kept.append((float(x), float(y)))
    return np.array(sorted(kept, key=lambda spot: spot[1])).reshape(-1, 2)


def _plain(patch: paint.Image, art: Art, color: paint.Bgr, side_px: float, rng: np.random.Generator) -> None:
    middle = patch.shape[0] // 2
    if rng.random() < 0.3:
        furrows(patch, middle + rng.uniform(-0.35, 0.35, 2) * side_px, side_px * 0.2, color, rng)
    for x, y in _spots(rng, int(rng.integers(9, 17)), 0.2) * side_px + middle:
        tuft = paint.shade(color, 0.72) if rng.random() < 0.7 else paint.shade(color, 1.22)
        paint.disc(patch, (x, y), side_px * rng.uniform(0.018, 0.03), tuft)
    if rng.random() < 0.3:
        x, y = rng.uniform(-0.5, 0.5, 2) * side_px + middle
        _tree(patch, art, (x, y), side_px * 0.11, rng)


def _forest(patch: paint.Image, art: Art, color: paint.Bgr, side_px: float, rng: np.random.Generator) -> None:
    middle = patch.shape[0] // 2
    for x, y in _spots(rng, 17, 0.3, 1.0) * side_px + middle:
        _tree(patch, art, (float(x), float(y)), side_px * rng.uniform(0.115, 0.16), rng)


def _hill(patch: paint.Image, art: Art, color: paint.Bgr, side_px: float, rng: np.random.Generator) -> None:
    middle = patch.shape[0] // 2
    for x, y in _spots(rng, 9, 0.38, 0.95) * side_px + middle:
        radius = side_px * rng.uniform(0.2, 0.3)
        arch = np.radians(np.arange(180, 361, 12))
        mound = np.stack([np.cos(arch), 0.82 * np.sin(arch)], axis=1) * radius + np.array((x, y))
        under = mound.copy()
        under[:, 1] = y + (y - under[:, 1]) * 0.35
        paint.fill(patch, np.vstack([mound, under[::-1]]), paint.varied(paint.shade(color, 1.06), rng, 0.02))
        paint.fill(patch, np.vstack([mound[len(mound) // 2 :], [[x + radius * 0.45, y]]]), paint.shade(color, 0.9))
        paint.line(patch, mound, paint.shade(color, 0.58), side_px * 0.022)


_SIGNS: dict[Terrain, Callable[[paint.Image, Art, paint.Bgr, float, np.random.Generator], None]] = {
    Terrain.PLAIN: _plain,
    Terrain.FOREST: _forest,
    Terrain.HILL: _hill,
}


def _tree(patch: paint.Image, art: Art, at: tuple[float, float], radius: float, rng: np.random.Generator) -> None:
    x, y = at
    leaf = paint.varied(paint.shade(art.land[Terrain.FOREST], 0.62), rng, 0.08)
    paint.disc(patch, (x + radius * 0.45, y + radius * 0.5), radius * 0.85, paint.shade(art.land[Terrain.FOREST], 0.52))
    if art.tree == "round":
        paint.disc(patch, (x, y), radius, paint.shade(leaf, 0.7))
        paint.disc(patch, (x - radius * 0.1, y - radius * 0.12), radius * 0.82, leaf)
        paint.disc(patch, (x - radius * 0.3, y - radius * 0.32), radius * 0.36, paint.shade(leaf, 1.4))
        return
    for top, wide in ((0.3, 1.15), (-0.45, 0.9), (-1.1, 0.62)):
        tier = np.array([[-wide, top + 1.0], [wide, top + 1.0], [0, top - 0.7]]) * radius * 0.85 + np.array((x, y))
        paint.fill(patch, tier, paint.shade(leaf, 0.85))
        paint.fill(patch, np.array([tier[0], tier[2], (x, tier[0][1])]), paint.shade(leaf, 1.25))


def furrows(patch: paint.Image, at: paint.Points, half_px: float, color: paint.Bgr, rng: np.random.Generator) -> None:
    """Draw a ploughed field: a patch of stripes."""
    turn = rng.uniform(0, math.pi)
    tone = paint.mix(color, paint.varied((60, 160, 176), rng, 0.15), 0.55)
    field = paint.turned(np.array([[-1, -0.7], [1, -0.7], [1, 0.7], [-1, 0.7]]) * half_px, turn) + at
    paint.fill(patch, field, tone)
    for share in np.linspace(-0.8, 0.8, 6):
        ends = paint.turned(np.array([[share, -0.7], [share, 0.7]]) * half_px, turn) + at
        paint.line(patch, ends, paint.shade(tone, 0.84), 1)


def house(
    patch: paint.Image,
    art: Art,
    at: tuple[float, float],
    width_px: float,
    rng: np.random.Generator,
    *,
    roof: paint.Bgr | None = None,
) -> None:
    """Draw a little house seen from above and the front: gable wall, roof, shadow. `at` is its middle."""
    x, y = at
    w = width_px
    side = 1 if rng.random() < 0.5 else -1
    tile = paint.varied(art.roof, rng, 0.1) if roof is None else roof
    wall = paint.varied(art.wall, rng, 0.03)

    def at_house(points: list[list[float]]) -> paint.Points:
        return np.asarray(np.array(points) * (w * side, w) + np.array((x, y)), np.float64)

    paint.fill(
        patch,
        at_house([[-0.5, 0.5], [0.62, 0.5], [0.78, 0.2], [0.55, -0.1], [-0.3, 0.0]]),
        paint.shade(art.land[Terrain.PLAIN], 0.55),
    )
    paint.fill(patch, at_house([[-0.5, 0.45], [-0.1, 0.45], [-0.1, 0.0], [-0.3, -0.25], [-0.5, 0.0]]), wall)
    paint.fill(patch, at_house([[-0.1, 0.45], [0.5, 0.36], [0.5, -0.02], [-0.1, 0.05]]), paint.shade(wall, 0.8))
    paint.fill(patch, at_house([[-0.1, 0.06], [0.52, 0.0], [0.3, -0.45], [-0.3, -0.42]]), tile)
    paint.line(patch, at_house([[-0.3, -0.42], [-0.52, 0.02]]), paint.shade(tile, 0.7), max(1, w * 0.08))
    if w > 12:
        paint.fill(
            patch, at_house([[-0.36, 0.45], [-0.24, 0.45], [-0.24, 0.18], [-0.36, 0.18]]), paint.shade(tile, 0.5)
        )


def wall_round(patch: paint.Image, radius_px: float, towers: int, side_px: float, rng: np.random.Generator) -> None:
    """Draw a town wall with towers around the patch's middle."""
    middle = patch.shape[0] // 2
    start = rng.uniform(0, math.tau)
    angles = start + np.arange(towers) * math.tau / towers
    corners = np.stack([np.cos(angles), np.sin(angles)], axis=1) * radius_px + middle
    stone = (150, 156, 160)
    paint.line(patch, corners + side_px * 0.035, paint.shade(stone, 0.45), side_px * 0.1, closed=True)
    paint.line(patch, corners, paint.shade(stone, 0.7), side_px * 0.1, closed=True)
    paint.line(patch, corners, stone, side_px * 0.055, closed=True)
    for x, y in corners:
        paint.disc(patch, (x + side_px * 0.03, y + side_px * 0.04), side_px * 0.085, paint.shade(stone, 0.45))
        paint.disc(patch, (x, y), side_px * 0.08, paint.shade(stone, 0.75))
        paint.ring(patch, (x, y), side_px * 0.06, paint.shade(stone, 1.25), 1)
