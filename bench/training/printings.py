"""Printings made up cell by cell, without a camera: albums for the learnt nets, seconds each.

    python -m bench.training.printings OUT [--first 1] [--count 180]

writes OUT/printing-SEED.npz each; what is there is kept. One seed is one printing: its grounds, roads, settlements,
workshops and cubes, and how they stand in the light. What varies between two cells of a printing varies here too: a
tile lies a little askew, ground differs from cell to cell, cubes stand anywhere and lean away from the camera.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.training import canvas
from bench.training.album import Album, as_levels, number_of
from bench.training.canvas import EDGE, OUTWARD, Ink, Tones, covered, varied
from bench.training.grounds import (
    DARK,
    LIGHT,
    USUAL_COLORS,
    Ground,
    RoadPrint,
    framed,
    grounds,
    lands,
    neutral,
    seam,
)
from bench.training.towns import Shop, Town, towns
from companion.board import (
    EDGE_PAIRS,
    Color,
    HexBoard,
    HexCell,
    Road,
    Settlement,
    SettlementType,
    Terrain,
    Tile,
    Workshop,
)
from vision.exemplars import COLORS, TURNS
from vision.patches import Levels, cut

#: Cells of its board and of its games; how often a cell is a site.
_CELLS, _SEEN, _SITES = len(HexBoard().cells), 254, 0.15
#: How often a seen cell is bare, a road, a settlement, a workshop, and has 0 to 4 cubes then.
_KINDS = (0.3, 0.34, 0.26, 0.1)
_CUBES = (
    (0.65, 0.2, 0.1, 0.04, 0.01),
    (0.75, 0.18, 0.05, 0.02, 0),
    (0.4, 0.28, 0.18, 0.09, 0.05),
    (0.6, 0.25, 0.1, 0.05, 0),
)
#: Of how many prints of a settlement there are, so many are taught.
_PRINTS, _TAUGHT_PRINTS = 5, 3
#: A tile's size beside the cell's, and how askew it lies: in cell sides and degrees.
_TILE, _ASKEW_CELLS, _ASKEW_DEGREES = 0.965, 0.02, 1.2
#: Cubes stand so far out at most, and so far apart for their size; the second where they are many.
_CUBES_REACH, _APART, _CROWDED = 0.62, 1.12, 0.98
_MIDDLE = (HexCell(0, 0),)


@dataclass(frozen=True, eq=False)
class Printing:
    """One made-up printing. `has_one_print`: whether each road tile is printed alike on every copy of it."""

    seed: int
    grounds: tuple[Ground, ...]
    roads: RoadPrint
    towns: tuple[Town, ...]
    shop: Shop
    cubes: tuple[Ink, ...]
    cube_cells: float
    site: Ink
    seam: Ink | None
    tile_seam: Ink | None
    seam_width: float
    has_one_print: bool
    sun: float
    shadow_cells: float
    shade: float

    @classmethod
    def made_up(cls, seed: int) -> Printing:
        """Return the printing of a seed."""
        rng = np.random.default_rng((seed, 77))
        inks, lines = lands(rng), seam(rng)
        return cls(
            seed,
            grounds(rng, inks),
            RoadPrint.made_up(rng),
            towns(rng, inks),
            Shop.made_up(rng, varied(rng, inks[int(rng.integers(len(inks)))], 0.15)),
            tuple(varied(rng, ink, 0.1) for ink in USUAL_COLORS),
            rng.uniform(0.36, 0.46),
            neutral(rng) * 0.8,
            lines,
            lines if rng.random() < 0.6 else (None, DARK, LIGHT)[int(rng.integers(3))],
            rng.uniform(0.015, 0.05),
            rng.random() < 0.5,
            rng.uniform(0, math.tau),
            rng.uniform(0.1, 0.4),
            rng.uniform(0.35, 0.8),
        )

    def bare(self, terrain: int, is_site: bool, rng: np.random.Generator) -> Tones:
        """Return a bare cell."""
        found = self.grounds[terrain].picture(rng)
        if is_site:
            canvas.disc(found, (0, 0), 0.2, self.site)
        return framed(found, self.seam, self.seam_width)

    def tile(self, tile: Tile, copy: int, rng: np.random.Generator) -> Tones:
        """Return a tile's picture, of so many copies the one of this number."""
        if isinstance(tile, Road):
            return framed(self._road(tile, copy, rng), self.tile_seam, self.seam_width)
        if isinstance(tile, Settlement):
            kind = list(SettlementType).index(tile.type)
            upright = self.towns[kind].picture(np.random.default_rng((self.seed, kind, copy)))
        else:
            assert isinstance(tile, Workshop)
            upright = self.shop.picture(tile.color)
        return canvas.turned(framed(upright, self.tile_seam, self.seam_width), int(rng.integers(6)))

    def _road(self, road: Road, copy: int, rng: np.random.Generator) -> Tones:
        first, last = road.edges
        is_straight = last - first == 3
        terrain = list(Terrain).index(road.terrain)
        which = (self.seed, list(Color).index(road.color), terrain, int(is_straight), 0 if self.has_one_print else copy)
        printed = np.random.default_rng(which)
        upright = self.roads.over(self.grounds[terrain].picture(printed), road.color, is_straight, printed)
        if is_straight:
            return canvas.turned(upright, first + 3 * int(rng.integers(2)))
        return canvas.turned(upright, first if last - first == 2 else last)

    def laid(self, tile: Tones, on: Tones, rng: np.random.Generator) -> Tones:
        """Return a tile a little askew on what lies below, with its shadow."""
        degrees, shift = rng.normal(0, _ASKEW_DEGREES), rng.normal(0, _ASKEW_CELLS, 2)
        mask = covered(EDGE - OUTWARD)
        # Beyond the canvas there is no tile.
        mask[[0, -1]] = mask[:, [0, -1]] = 0
        top, mask = (canvas.moved(one, degrees, _TILE, shift) for one in (tile, mask))
        shadow = cv2.GaussianBlur(canvas.moved(mask, shift=canvas.towards(self.sun, 0.06)), (0, 0), 1.5)
        shaded = on * (1 - 0.35 * shadow)[..., None]
        return np.asarray(shaded + mask[..., None] * (top - shaded), dtype=np.float32)

    def with_cubes(self, picture: Tones, colors: Sequence[int], rng: np.random.Generator) -> Tones:
        """Return a cell with cubes of these colours standing on it, leaning away from the camera, with shadows."""
        if not colors:
            return picture
        places = self._places(len(colors), rng)
        feet = [self._foot(place, rng.uniform(0, math.tau)) for place in places]
        shadow = np.zeros(picture.shape[:2], np.float32)
        off = canvas.towards(self.sun, self.shadow_cells)
        for foot in feet:
            hull = cv2.convexHull(canvas.pixels(np.concatenate([foot, foot + off])))
            cv2.fillConvexPoly(shadow, hull, 1.0, cv2.LINE_AA, 4)
        soft = cv2.GaussianBlur(shadow, (0, 0), 1.5)
        found = np.ascontiguousarray(picture * (1 - (1 - self.shade) * soft)[..., None], np.float32)
        lean = canvas.towards(rng.uniform(0, math.tau), rng.uniform(0, 0.2))
        for which in np.argsort([place @ lean for place in places]):
            ink = self.cubes[colors[which]] * math.exp(rng.normal(0, 0.05))
            self._stand(found, feet[which], lean, ink)
        return found

    def _places(self, count: int, rng: np.random.Generator) -> list[Ink]:
        """Return where so many cubes stand; one that finds no room stands anywhere."""
        found: list[Ink] = []
        tries = 0
        while len(found) < count:
            place, tries = rng.uniform(-_CUBES_REACH, _CUBES_REACH, 2), tries + 1
            apart = self.cube_cells * (_APART if tries < 200 else _CROWDED if tries < 400 else 0)
            if math.hypot(*place) < _CUBES_REACH and all(math.hypot(*(place - other)) > apart for other in found):
                found.append(place)
        return found

    def _foot(self, place: Ink, turn: float) -> NDArray[np.float64]:
        return np.array(
            [place + canvas.towards(turn + k * math.pi / 2, self.cube_cells / math.sqrt(2)) for k in range(4)]
        )

    def _stand(self, on: Tones, foot: NDArray[np.float64], lean: Ink, ink: Ink) -> None:
        top, middle = foot + lean, foot.mean(axis=0)
        for side in range(4):
            other = (side + 1) % 4
            right, down = (foot[side] + foot[other]) / 2 - middle
            if right * lean[0] + down * lean[1] < 0:
                lit = 0.5 + 0.25 * (1 + math.cos(math.atan2(down, right) - self.sun - math.pi))
                canvas.polygon(on, [foot[side], foot[other], top[other], top[side]], ink * lit)
        canvas.polygon(on, top, ink)


def taught_tiles(rng: np.random.Generator) -> list[tuple[Tile, int]]:
    """Return what a table is taught, each tile with the number of its copy: as the set-up asks for it."""
    straight = [edges for edges in EDGE_PAIRS if edges[1] - edges[0] == 3]
    bent = [edges for edges in EDGE_PAIRS if edges[1] - edges[0] != 3]
    found: list[tuple[Tile, int]] = [
        (Road(color, terrain, edges[int(rng.integers(len(edges)))]), 0)
        for color in Color
        for terrain in Terrain
        for edges in (bent, straight)
    ]
    found += [(Settlement(kind), copy) for kind in SettlementType for copy in range(_TAUGHT_PRINTS)]
    return found + [(Workshop(color), 0) for color in Color]


def seen_tile(kind: int, rng: np.random.Generator) -> tuple[Tile, int]:
    """Return a tile that may lie in a game, and its copy: 1 a road, 2 a settlement, 3 a workshop."""
    color = list(Color)[int(rng.integers(4))]
    if kind == 1:
        terrain, edges = list(Terrain)[int(rng.integers(3))], EDGE_PAIRS[int(rng.integers(len(EDGE_PAIRS)))]
        return Road(color, terrain, edges), int(rng.integers(1, 1000))
    if kind == 2:
        return Settlement(list(SettlementType)[int(rng.integers(4))]), int(rng.integers(_PRINTS))
    return Workshop(color), 0


def album(seed: int, seen: int = _SEEN) -> Album:
    """Return the album of a made-up printing, with so many cells of games."""
    printing, rng = Printing.made_up(seed), np.random.default_rng((seed, 78))
    terrains, sites = rng.integers(0, 3, _CELLS), rng.random(_CELLS) < _SITES
    bare = [printing.bare(int(terrain), bool(site), rng) for terrain, site in zip(terrains, sites, strict=True)]
    taught = taught_tiles(rng)
    taught_on = rng.permutation(_CELLS)[: len(taught)]
    looks = [
        printing.laid(printing.tile(*one, rng), bare[cell], rng) for one, cell in zip(taught, taught_on, strict=True)
    ]
    pictures, names, counts = [], [], []
    for number in range(seen):
        picture, name = bare[number % _CELLS], None
        kind = int(rng.choice(len(_KINDS), p=_KINDS))
        if kind:
            name, copy = seen_tile(kind, rng)
            picture = printing.laid(printing.tile(name, copy, rng), picture, rng)
        cubes = int(rng.choice(len(_CUBES[kind]), p=_CUBES[kind]))
        one = int(rng.integers(4))
        colors = [int(rng.integers(4)) for _ in range(cubes)] if rng.random() < 0.65 else [one] * cubes
        pictures.append(printing.with_cubes(picture, colors, rng))
        names.append(number_of(name))
        counts.append([colors.count(color) for color in range(len(COLORS))])
    # Cubes were taught in another place, and light.
    tops = np.array(printing.cubes) * np.exp(rng.normal(0, 0.04, (len(COLORS), 1)))
    return Album(
        np.stack([_cut(look, TURNS) for look in looks]),
        np.array([number_of(tile) for tile, _ in taught]),
        np.clip(tops, 0, 1.2).astype(np.float32),
        np.concatenate([_cut(one) for one in bare]),
        _CELLS,
        np.concatenate([_cut(picture) for picture in pictures]),
        np.arange(seen) % _CELLS,
        np.array(names, dtype=np.int64),
        np.array(counts, dtype=np.int64),
        np.zeros(seen, bool),
    )


def _cut(picture: Tones, turns: tuple[int, ...] = (0,)) -> Levels:
    """Return a cell's patches (turns, PATCH_PX, PATCH_PX, 3)."""
    return as_levels(cut(canvas.flat(picture), _MIDDLE, turns)[0])


def main() -> None:
    """Make printings up, a line each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--first", type=int, default=1, help="the first printing's seed")
    parser.add_argument("--count", type=int, default=180, metavar="N", help="so many printings")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    for seed in range(options.first, options.first + options.count):
        to = options.out / f"printing-{seed}.npz"
        if not to.exists():
            began_s = time.perf_counter()
            album(seed).write(to)
            print(f"{to.stem}: {time.perf_counter() - began_s:.1f} s", flush=True)


if __name__ == "__main__":
    main()
