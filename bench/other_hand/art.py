"""A whole printing by the other hand, and tablegen's commands with it: board, frame, day tracks, tiles, colours.

    RENDERER -m bench.other_hand.art TABLEGEN make.py SEEDS OUT --fast ...
    RENDERER -m bench.other_hand.art TABLEGEN sheet FILE.png SEED

RENDERER is a Python that has what tablegen needs (`bench.tablegen` makes one), and TABLEGEN the folder. `sheet` draws a
printing on one picture.
"""

from __future__ import annotations

import importlib
import runpy
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.other_hand.land import MANNERS, SIDE, draw_land, middle_of, palettes
from bench.other_hand.sheet import Rgb, Sheet, apart, around, blend, ink_on, lch, shade
from bench.other_hand.tiles import ROADS, SETTLEMENTS, SITES, TOWNS, WORKSHOPS, Look, way

COLORS = ("black", "grey", "yellow", "red")


class Hand:
    """Everything that a seed's printing is drawn with.

    `ppm` is how many pixels its drawings have per millimetre. `print` has the players' colours on paper, `cube` those
    of their wood (R, G, B).
    """

    def __init__(self, seed: int, ppm: float = 4.0) -> None:
        rng = np.random.default_rng([seed, 1985])
        self.seed, self.ppm = seed, ppm
        self.print, self.cube = _players(rng)
        self.land = MANNERS[str(rng.choice(list(MANNERS)))]
        self.road = ROADS[str(rng.choice(list(ROADS)))]
        self.town = TOWNS[str(rng.choice(list(TOWNS)))]
        self.workshop = WORKSHOPS[str(rng.choice(list(WORKSHOPS)))]
        self.site = SITES[str(rng.choice(list(SITES)))]
        self.paints = palettes(rng)
        self.soft = float(rng.choice([0.1, rng.uniform(1.5, 5)]))
        self.seam = float(rng.choice([0, 0.4, 1.6]))
        self.frame = lch(rng.uniform(20, 85), rng.uniform(0, 35), rng.uniform(0, 360))
        self.is_on_land = bool(rng.random() < 0.5)
        self.is_rimmed = bool(rng.random() < 0.4)
        self.look = self._look(rng)

    def _look(self, rng: np.random.Generator) -> Look:
        grounds = [self.paints["plain"].base]
        roof = _far_from(grounds, rng, lambda: lch(rng.uniform(30, 60), rng.uniform(15, 50), rng.uniform(-20, 80)))
        wall = _far_from(grounds, rng, lambda: lch(rng.uniform(55, 95), rng.uniform(0, 20), rng.uniform(40, 110)))
        bed = _far_from(
            list(self.print.values()), rng, lambda: lch(rng.uniform(40, 93), rng.uniform(3, 26), rng.uniform(50, 110))
        )
        ink = lch(rng.uniform(8, 25), rng.uniform(0, 15), rng.uniform(0, 360))
        return Look(roof, wall, ink, bed, rng.uniform(7.5, 12), rng.uniform(0.4, 0.85))

    def tile(self, tile: Mapping[str, str], copy: int) -> NDArray[np.uint8]:
        """Return a square drawing of a tile, (px, px, 3) levels R G B; a road leaves it by edge 0."""
        rng = np.random.default_rng([self.seed, 2, copy, *"".join(map(str, tile.values())).encode()])
        half, kind = SIDE + 0.4, tile["kind"]
        is_own = kind != "road" and not self.is_on_land
        sheet = Sheet(-half, -half, 2 * half, 2 * half, self.ppm, self.look.bed)
        if not is_own:
            draw_land(sheet, {(0, 0): tile.get("terrain", "plain")}, self.land, self.paints, self.soft, rng)
        if kind == "road":
            self.road(sheet, way(tile["shape"], self.look, rng), self.print[tile["color"]], self.look, rng)
        elif kind == "workshop":
            self.workshop(sheet, self.print[tile["color"]], tile["color"], self.look, rng)
        else:
            self.town(sheet, SETTLEMENTS.index(tile["type"]), self.look, rng)
        if self.is_rimmed:
            sheet.line(around(6, SIDE - 0.8), self.look.ink, 0.8, 0.7, is_closed=True)
        return _printed(sheet, rng)

    def piece(
        self,
        cells: Mapping[tuple[int, int], str],
        sites: set[tuple[int, int]],
        box: tuple[float, ...],
        rng: np.random.Generator,
    ) -> NDArray[np.uint8]:
        """Return a bare piece of the board, (h, w, 3) levels R G B; `box` is its left, top, width and height in mm."""
        left, top, width, height = box
        sheet = Sheet(left, top, width, height, self.ppm, self.paints["plain"].base)
        draw_land(sheet, cells, self.land, self.paints, self.soft, rng)
        for cell in sorted(cells):
            if self.seam:
                sheet.line(around(6, SIDE, *middle_of(cell)), self.look.ink, self.seam, 0.55, is_closed=True)
        for cell in sorted(sites):
            self.site(sheet, *middle_of(cell), self.look, rng)
        return _printed(sheet, rng)

    def board_frame(
        self, half: float, ppm: float, field_of: Callable[[str, int], tuple[float, float]], radius: float
    ) -> NDArray[np.uint8]:
        """Return the frame, 2 * `half` mm wide.

        `field_of` gives the middle of a day track's field in mm, and `radius` is how far it reaches.
        """
        rng = np.random.default_rng([self.seed, 4])
        sheet = Sheet(-half, -half, 2 * half, 2 * half, ppm, self.frame)
        x, y = sheet.places()
        match self.seed % 4:
            case 0:  # bricks
                row = np.floor(y / 11)
                is_joint = (np.mod(y, 11) < 1.1) | (np.mod(x + 11 * np.mod(row, 2), 22) < 1.1)
                sheet.lay(shade(self.frame, 0.75), is_joint * 0.8)
            case 1:  # slanting stripes
                sheet.lay(shade(self.frame, 0.85), np.sin((x + y) / 6) > 0)
            case 2:  # a vignette
                sheet.lay(shade(self.frame, 0.55), np.hypot(x, y) / half / 1.5 - 0.35)
            case _:
                sheet.lay(shade(self.frame, 1.2), 0.5 + 0.3 * sheet.noise(rng, 70, 4))
        for color in COLORS:
            paint = blend(self.frame, self.print[color], 0.85)
            ends = [field_of(color, 0), field_of(color, 10)]
            sheet.line(ends, ink_on(self.frame), 3.0)
            for day in range(11):
                a, b = field_of(color, day)
                sheet.polygon(around(8, radius, a, b, np.pi / 8), ink_on(paint))
                sheet.polygon(around(8, radius - 1, a, b, np.pi / 8), paint)
                sheet.write(str(day), a, b, radius * 0.55, ink_on(paint))
        return _printed(sheet, rng)


def _printed(sheet: Sheet, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return the sheet as printed on paper: a little uneven, with the paper's grain."""
    grain = rng.standard_normal(sheet.shape).astype(np.float32)
    sheet.pixels *= (1 + 0.02 * sheet.noise(rng, 24) + 0.012 * grain)[..., None]
    return np.clip(sheet.pixels, 0, 255).astype(np.uint8)


def _players(rng: np.random.Generator) -> tuple[dict[str, Rgb], dict[str, Rgb]]:
    """Return the players' colours on paper and of their wood, told apart by any person at the table."""
    while True:
        wood = {
            "black": lch(rng.uniform(10, 26), rng.uniform(0, 12), rng.uniform(0, 360)),
            "grey": lch(rng.uniform(48, 88), rng.uniform(0, 8), rng.uniform(0, 360)),
            "yellow": lch(rng.uniform(62, 84), rng.uniform(45, 80), rng.uniform(68, 98)),
            "red": lch(rng.uniform(30, 50), rng.uniform(40, 72), rng.uniform(10, 42)),
        }
        paper = {name: shade(color, rng.uniform(0.9, 1.15)) for name, color in wood.items()}
        if all(apart(paper[a], paper[b]) > 24 for a in paper for b in paper if a < b):
            return paper, wood


def _far_from(others: list[Rgb], rng: np.random.Generator, make: Callable[[], Rgb]) -> Rgb:
    """Return whichever of forty colours is furthest from the others."""
    return max((make() for _ in range(40)), key=lambda color: min(apart(color, other) for other in others))


def other_art(drawn: Any) -> type:
    """Return tablegen's `Art` (of its module `random_art`) with this hand's drawings in place of its own."""

    class Art(drawn.Art):  # type: ignore[misc]
        def __init__(self, seed: int) -> None:
            super().__init__(seed)
            self.hand = Hand(seed, drawn.PPM)
            self.st |= {"print": self.hand.print, "cube": self.hand.cube, "frame": self.hand.frame}

        def tile(self, t: Mapping[str, str], variant: int) -> NDArray[np.uint8]:
            return self.hand.tile(t, variant)

        def piece(self, k: int) -> NDArray[np.uint8]:
            cells, sites = self.design[k]
            return self.hand.piece(cells, sites, drawn.piece_box(k), self.rng(3, k))

        def frame(self, ppm: float = 2.6) -> NDArray[np.uint8]:
            return self.hand.board_frame(drawn.FRAME, ppm, self.track_field, self.st["track_r"])

    return Art


def main() -> None:
    """Run one of tablegen's programs with this hand's printings, or draw one on a single picture."""
    folder, program, *words = sys.argv[1:]
    sys.path.insert(0, folder)
    drawn: Any = importlib.import_module("random_art")
    drawn.Art = other_art(drawn)
    if program == "sheet":
        cv2.imwrite(words[0], drawn.sheet(int(words[1]))[..., ::-1])
        return
    if program == "-c":  # as Python has it: bench.tablegen asks for sketches
        sys.argv = [program, *words[1:]]
        exec(compile(words[0], "sketch", "exec"), {"__name__": "__main__"})
        return
    sys.argv = [program, *words]
    runpy.run_path(str(Path(folder) / program), run_name="__main__")


if __name__ == "__main__":
    main()
