"""Printed pictures of a cell: plain, forest and hill, and houses. A patch is a square, its middle the cell's centre."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from companion.board import Terrain
from simulator import paint
from simulator.art import Art

#: The corners of a pointy-top cell of side 1.
HEXAGON: paint.Points = np.array(
    [[math.cos(math.radians(60 * k + 30)), math.sin(math.radians(60 * k + 30))] for k in range(6)]
)


def patch_size(side_px: float) -> int:
    """Return the width of a patch that holds a cell of that side; odd, so that it has a middle pixel."""
    return 2 * math.ceil(side_px * 1.04) + 1


def hexagon_mask(side_px: float, share: float = 1.0) -> paint.Image:
    """Return the mask of a cell (255 within), its side times `share`, on a patch."""
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
    """Draw a town wall with towers round the patch's middle."""
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
