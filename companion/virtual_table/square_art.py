"""A printing of Silk Road, made up: its colours and its signs. How the real one looks is not known to us."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np

from companion.board import Section, SquareBoard
from companion.games.silk_road.made_up import COLORS, made_up_sets
from companion.virtual_table.art import TABLES
from companion.virtual_table.chance import one_of
from companion.virtual_table.paint import Bgr, varied

#: Numbers that random sections show; the rules' example has 6, 8 and 10.
_NUMBERS = (0, 0, 0, 0, 0, 2, 2, 4, 4, 6, 6, 8, 10)


@dataclass(frozen=True, slots=True)
class SquareArt:
    """One printing and the table it lies on. Colours are blue, green, red.

    `margin` is how wide the printed rim round the cells is, in quarters of a cell's side; `tile_share` a tile's side
    against its cell's. `number_at` and `horse_at` are (right, down) of a tile's middle, in its sides.
    """

    board: SquareBoard
    sets: Mapping[str, tuple[Section, ...]]
    paper: Bgr
    other_paper: Bgr
    frame: Bgr
    seam: Bgr
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
    table: str
    table_color: Bgr
    seed: int

    @classmethod
    def made(cls, rng: np.random.Generator, sets: Mapping[str, tuple[Section, ...]] | None = None) -> SquareArt:
        """Return a random printing; `sets`: None for the made-up one or, as often, a random one."""
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
        """Half the width of board and rim, in quarters of a cell's side."""
        return self.board.half + self.margin


def _sign(base: Bgr, is_pale: bool, rng: np.random.Generator) -> Bgr:
    """Return the colour of signs on that base: so pale or dark that a person reads them."""
    brightness = 0.11 * base[0] + 0.59 * base[1] + 0.3 * base[2]
    return varied((222, 236, 240) if is_pale and brightness < 130 else (34, 34, 38), rng, 0.05)


def random_sets(rng: np.random.Generator) -> Mapping[str, tuple[Section, ...]]:
    """Return 14 sections for each of four colours: no two of a colour look alike; sets may."""
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
    found: list[Section] = []
    seen: set[tuple[object, ...]] = set()
    while len(found) < 14:
        rays = tuple(sorted(int(ray) for ray in rng.permutation(8)[: int(rng.integers(1, 6))]))
        number, horse, dead = one_of(_NUMBERS, rng), bool(rng.random() < 0.15), bool(rng.random() < 0.15)
        # Turned copies of one another would be the same tile.
        lies = {tuple(sorted((ray + 2 * turn) % 8 for ray in rays)) for turn in range(4)}
        if (min(lies), number, horse, dead) not in seen:
            seen.add((min(lies), number, horse, dead))
            found.append(Section(str(len(found)), number, horse, rays, dead))
    return tuple(found)


#: Of green, brown, blue and yellow sections.
_BASES: tuple[Bgr, ...] = ((78, 132, 82), (58, 88, 134), (150, 104, 62), (70, 176, 214))
_PAPERS: tuple[Bgr, ...] = ((150, 190, 212), (120, 160, 182), (92, 126, 150), (178, 206, 218), (120, 140, 140))
