"""A made-up printing of Silk Road: its colours and signs. We do not know what the real one looks like.

Its pieces are sections, snow and mountains. Each is drawn as a square patch, printed as the art says.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

from companion.board import QUARTERS, LaidSection, Section, Snow, SquareBoard, Tile
from companion.games.silk_road.position import COLORS, made_up_sets
from simulator.art import TABLES, Printing
from simulator.paint import (
    SQUARE,
    Bgr,
    Image,
    Points,
    disc,
    fill,
    line,
    mix,
    mottled,
    ring,
    shade,
    varied,
    write,
)
from simulator.turns import one_of

#: The numbers that random sections show; the rules' example has 6, 8 and 10.
_NUMBERS = (0, 0, 0, 0, 0, 2, 2, 4, 4, 6, 6, 8, 10)


@dataclass(frozen=True, slots=True, kw_only=True)
class SquareArt(Printing):
    """A printing of Silk Road. Colours are blue, green, red.

    `margin` is the width of the printed rim around the cells, in quarters of a cell's side. `tile_share` is a tile's
    side as a share of its cell's. `number_at` and `horse_at` are (right, down) from a tile's middle, in sides of the
    tile.
    """

    board: SquareBoard
    sets: Mapping[str, tuple[Section, ...]]
    paper: Bgr
    other_paper: Bgr
    seam_share: float
    margin: float
    base: Mapping[str, Bgr]
    sign: Mapping[str, Bgr]
    tile_share: float
    tile_grain: float
    paper_grain: float
    edge: Bgr
    ray: str
    ray_reach: float
    number_font: int
    number_at: tuple[float, float]
    number_plate: bool
    horse: str
    horse_at: tuple[float, float]
    dead_end: str
    snow: str
    mountain: str

    @classmethod
    def made(cls, rng: np.random.Generator, sets: Mapping[str, tuple[Section, ...]] | None = None) -> SquareArt:
        """Return a random printing. With `sets` None, it has the made-up sets or, just as often, random ones."""
        if sets is None:
            sets = made_up_sets() if rng.random() < 0.5 else random_sets(rng)
        table, table_color = one_of(TABLES, rng)
        paper = varied(one_of(_PAPERS, rng), rng, 0.06)
        is_checked = rng.random() < 0.4
        pale_signs = rng.random() < 0.5
        base = {color: varied(paint, rng, 0.07) for color, paint in zip(sets, _BASES, strict=False)}
        signs = {color: _sign(paint, pale_signs, rng) for color, paint in base.items()}
        upright = rng.random() < 0.5
        away = float(rng.uniform(0.1, 0.14))
        number_at, horse_at = ((0.0, -away), (0.0, away)) if upright else ((-away, 0.0), (away, 0.0))
        return cls(
            board=SquareBoard(6),
            sets=sets,
            paper=paper,
            other_paper=varied(paper, rng, 0.09) if is_checked else paper,
            frame=varied(one_of(_PAPERS, rng), rng, 0.08),
            seam=one_of(((40, 52, 66), (206, 214, 220), (70, 96, 120)), rng),
            seam_share=float(rng.uniform(0.012, 0.05)),
            margin=float(rng.uniform(1.3, 2.1)),
            base=base,
            sign=signs,
            tile_share=float(rng.uniform(0.88, 0.94)),
            tile_grain=float(rng.choice([0.0, 0.05, 0.12])),
            paper_grain=float(rng.uniform(0.03, 0.12)),
            edge=one_of(((60, 74, 90), (176, 196, 208), (120, 150, 172)), rng),
            ray=one_of(("arrow", "wedge", "line", "dart"), rng),
            ray_reach=float(rng.uniform(0.41, 0.45)),
            number_font=one_of((cv2.FONT_HERSHEY_TRIPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_COMPLEX), rng),
            number_at=number_at,
            number_plate=bool(rng.random() < 0.5),
            horse=one_of(("head", "letter", "shoe"), rng),
            horse_at=horse_at,
            dead_end=one_of(("bar", "frame", "cross"), rng),
            snow=one_of(("flake", "drift"), rng),
            mountain=one_of(("peaks", "peak"), rng),
            table=table,
            table_color=varied(table_color, rng, 0.04),
            seed=int(rng.integers(1 << 31)),
        )

    @property
    def frame_half(self) -> float:
        return self.board.half + self.margin


def _sign(base: Bgr, is_pale: bool, rng: np.random.Generator) -> Bgr:
    """Return the colour of signs on that base, pale or dark enough for people to read them."""
    brightness = 0.11 * base[0] + 0.59 * base[1] + 0.3 * base[2]
    return varied((222, 236, 240) if is_pale and brightness < 130 else (34, 34, 38), rng, 0.05)


def random_sets(rng: np.random.Generator) -> Mapping[str, tuple[Section, ...]]:
    """Return 14 sections for each of four colours: no two of a colour look alike, but those of two colours may."""
    if rng.random() < 0.5:
        drawn = _random_sections(rng)
        return {color: _named(color, drawn) for color in COLORS}
    return {color: _named(color, _random_sections(rng)) for color in COLORS}


def _named(color: str, sections: tuple[Section, ...]) -> tuple[Section, ...]:
    return tuple(
        Section(f"{color}-{n}", one.number, one.has_horse, one.rays, one.is_dead_end)
        for n, one in enumerate(sections, 1)
    )


def _random_sections(rng: np.random.Generator) -> tuple[Section, ...]:
    sections: list[Section] = []
    kinds: set[tuple[object, ...]] = set()
    while len(sections) < 14:
        rays = tuple(sorted(int(ray) for ray in rng.permutation(8)[: int(rng.integers(1, 6))]))
        number, horse, dead = one_of(_NUMBERS, rng), bool(rng.random() < 0.15), bool(rng.random() < 0.15)
        # Turned copies of one another would be the same tile.
        lies = {tuple(sorted((ray + 2 * turn) % 8 for ray in rays)) for turn in range(4)}
        if (min(lies), number, horse, dead) not in kinds:
            kinds.add((min(lies), number, horse, dead))
            sections.append(Section(str(len(sections)), number, horse, rays, dead))
    return tuple(sections)


#: The colours of green, brown, blue and yellow sections.
_BASES: tuple[Bgr, ...] = ((78, 132, 82), (58, 88, 134), (150, 104, 62), (70, 176, 214))
_PAPERS: tuple[Bgr, ...] = ((150, 190, 212), (120, 160, 182), (92, 126, 150), (178, 206, 218), (120, 140, 140))


#: How far from the middle the rays begin, in sides of a tile; the rim is at 0.5.
_RAY_FROM = 0.3
#: A horse's head, (right, down) in sides of a tile.
_HORSE = np.array(
    [[-0.07, 0.1], [-0.05, -0.02], [-0.01, -0.1], [0.02, -0.07], [0.1, 0.0], [0.07, 0.04], [0.03, 0.02], [0.06, 0.1]]
)


class SectionArt:
    """Pictures of one printing's pieces, drawn when first asked for. Owned by the thread that draws."""

    def __init__(self, art: SquareArt, unit_px: float) -> None:
        self._art = art
        self._size = round(QUARTERS * unit_px * art.tile_share)
        self.mask = np.full((self._size, self._size), 255, np.uint8)
        self._draw = lru_cache(maxsize=256)(self._drawn)

    def patch(self, piece: Tile, look: int) -> Image:
        """Return the piece's picture, unturned. `look` picks among mountains, no two of which are alike."""
        match piece:
            case LaidSection(section=section, color=color):
                return self._draw(section, color, 0)
            case Snow():
                return self._draw(None, "snow", 0)
            case _:
                return self._draw(None, "mountain", look)

    def _drawn(self, section: Section | None, color: str, look: int) -> Image:
        name = color if section is None else section.id
        rng = np.random.default_rng((self._art.seed, look, *name.encode()))
        if section is not None:
            patch = self._section(section, color, rng)
        elif color == "snow":
            patch = self._snow(rng)
        else:
            patch = self._mountain(rng)
        line(patch, self._px(SQUARE * 0.49), self._art.edge, self._size * 0.02, closed=True)
        return patch

    def _px(self, points: object) -> Points:
        """Return points, given in sides of the tile from its middle, in pixels of its patch."""
        return np.asarray(np.asarray(points, np.float64) * self._size + (self._size - 1) / 2, np.float64)

    def _ground(self, color: Bgr, grain: float, rng: np.random.Generator) -> Image:
        return mottled(rng, (self._size, self._size), color, self._size * 0.5, grain)

    def _section(self, section: Section, color: str, rng: np.random.Generator) -> Image:
        art = self._art
        sign = art.sign[color]
        patch = self._ground(art.base[color], art.tile_grain, rng)
        if section.is_dead_end:
            self._dead_end(patch, sign)
        for ray in section.rays:
            self._ray(patch, ray, sign)
        if section.number:
            self._number(patch, section.number, sign, art.base[color])
        if section.has_horse:
            self._horse(patch, sign)
        return patch

    def _ray(self, patch: Image, ray: int, color: Bgr) -> None:
        angle = math.radians(45 * ray)
        along, across = np.array([math.cos(angle), -math.sin(angle)]), np.array([math.sin(angle), math.cos(angle)])
        # A diagonal ray has more room, up to the corner.
        tip = self._art.ray_reach * (1.25 if ray % 2 else 1.0)
        start, neck = _RAY_FROM, tip - 0.09

        def at(far: float, aside: float) -> Points:
            return np.asarray(along * far + across * aside, np.float64)

        match self._art.ray:
            case "arrow":
                line(patch, self._px([at(start, 0), at(neck, 0)]), color, self._size * 0.035)
                fill(patch, self._px([at(tip, 0), at(neck, 0.06), at(neck, -0.06)]), color)
            case "wedge":
                fill(patch, self._px([at(tip, 0), at(neck - 0.03, 0.085), at(neck - 0.03, -0.085)]), color)
            case "line":
                line(patch, self._px([at(start - 0.06, 0), at(tip, 0)]), color, self._size * 0.045)
            case _:
                corners = [at(tip, 0), at(start + 0.02, 0.06), at(start + 0.06, 0), at(start + 0.02, -0.06)]
                fill(patch, self._px(corners), color)

    def _number(self, patch: Image, number: int, sign: Bgr, base: Bgr) -> None:
        art, at = self._art, self._px(self._art.number_at)
        if art.number_plate:
            disc(patch, at.tolist(), self._size * 0.12, mix(base, sign, 0.85))
            sign = shade(base, 0.9)
        write(patch, str(number), self._size * 0.13, sign, at.tolist(), font=art.number_font, weight=0.12)

    def _horse(self, patch: Image, color: Bgr) -> None:
        at = np.array(self._art.horse_at)
        match self._art.horse:
            case "head":
                fill(patch, self._px(_HORSE + at), color)
            case "letter":
                write(patch, "H", self._size * 0.15, color, self._px(at).tolist(), weight=0.14)
            case _:
                angles = np.linspace(0.15 * math.pi, -1.15 * math.pi, 16)
                shoe = np.stack([np.cos(angles), np.sin(angles)], axis=1) * 0.085 + at
                line(patch, self._px(shoe), color, self._size * 0.035)

    def _dead_end(self, patch: Image, color: Bgr) -> None:
        match self._art.dead_end:
            case "bar":
                line(patch, self._px([[-0.2, 0.23], [0.2, 0.23]]), color, self._size * 0.05)
            case "frame":
                line(patch, self._px(SQUARE * 0.27), color, self._size * 0.022, closed=True)
            case _:
                for ends in ([[-0.22, -0.22], [0.22, 0.22]], [[-0.22, 0.22], [0.22, -0.22]]):
                    line(patch, self._px(ends), mix(color, (120, 120, 120), 0.35), self._size * 0.02)

    def _snow(self, rng: np.random.Generator) -> Image:
        patch = self._ground(varied((226, 222, 214), rng, 0.03), 0.05, rng)
        blue: Bgr = (190, 150, 110)
        if self._art.snow == "flake":
            for k in range(3):
                tip = np.array([math.cos(k * math.pi / 3), math.sin(k * math.pi / 3)]) * 0.3
                line(patch, self._px([tip, -tip]), blue, self._size * 0.035)
            ring(patch, self._px((0, 0)).tolist(), self._size * 0.14, blue, self._size * 0.03)
        else:
            x = np.linspace(-0.45, 0.45, 24)
            for low in (0.05, 0.2, 0.34):
                drift = np.stack([x, low - 0.12 * np.cos(4 * x + low * 9)], axis=1)
                line(patch, self._px(drift), blue, self._size * 0.03)
        return patch

    def _mountain(self, rng: np.random.Generator) -> Image:
        patch = self._ground(varied((124, 132, 136), rng, 0.06), 0.1, rng)
        dark, white = (64, 70, 78), (232, 234, 232)
        peaks = ((-0.14, 0.3), (0.16, 0.24)) if self._art.mountain == "peaks" else ((0.0, 0.42),)
        for middle, half in peaks:
            top = -0.3 + 0.1 * float(rng.random()) + (0.3 - half) * 0.5
            x = middle + float(rng.normal(0, 0.03))
            fill(patch, self._px([[x, top], [x + half, 0.36], [x - half, 0.36]]), dark)
            share = float(rng.uniform(0.25, 0.4))
            low = top + (0.36 - top) * share
            fill(patch, self._px([[x, top], [x + half * share, low], [x, low - 0.05], [x - half * share, low]]), white)
        return patch
