"""Pictures of the tiles: roads, settlements, workshops. Each is a patch and its hexagon's mask."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from companion.board import Color, Road, Settlement, SettlementType, Shape, Terrain, Tile, Workshop
from companion.board.hexagon import DIRECTIONS
from simulator.art import Art
from simulator.land import HEXAGON, furrows, hexagon_mask, house, land_patch, patch_size, wall_round
from simulator.paint import Bgr, Image, Points, disc, fill, line, mottled, ring, shade, varied

#: A tile's side against its cell's.
TILE_SHARE = 0.955
#: A road strip's width in cell sides (15 px where a side is 36 px), and a bend's radius about the next cell's centre.
STRIP_CELLS, BEND_CELLS = 0.40, 1.5


class TileArt:
    """Pictures of one printing's tiles, drawn when first asked for. Owned by the thread that draws."""

    def __init__(self, art: Art, side_px: float) -> None:
        self._art = art
        self._side_px = side_px
        self.mask = hexagon_mask(side_px, TILE_SHARE)
        # A picture takes 30 kB, and a board of 6 rings has 127 cells: those of the game before need not be kept.
        self._draw = lru_cache(maxsize=160)(self._drawn)

    def patch(self, tile: Tile, look: int) -> Image:
        """Return the tile's picture; `look` picks among those of its kind."""
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
    """Return the middle line of the road in its cell, from a little outside one edge to a little outside the other."""
    a, b = road.edges
    if road.shape is Shape.STRAIGHT:
        direction = _towards(a)
        return np.array([direction * 1.1, -direction * 1.1])
    # A bend's edges are two apart; the edge between them faces the cell whose centre is that of the arc.
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
