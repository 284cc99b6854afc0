"""Made-up settlements and workshops: views of houses, walls and fields, or signs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bench.training import canvas
from bench.training.canvas import Ink, Point, Tones, varied
from bench.training.grounds import USUAL_COLORS
from companion.board import Color, SettlementType

_ROOFS = ((0.2, 0.22, 0.65), (0.3, 0.4, 0.6), (0.6, 0.5, 0.4), (0.85, 0.85, 0.85))
#: Houses of a city, a town, a village, a hamlet (least, and one more than most); how often each has a wall; how far
#: out its houses stand.
_HOUSES = ((18, 40), (8, 16), (4, 8), (1, 4))
_WALLS, _REACHES = (0.8, 0.6, 0.3, 0.15), (0.55, 0.5, 0.45, 0.4)
_SIGNS = 6


@dataclass(frozen=True, eq=False)
class Town:
    """How one type of settlement is drawn."""

    ground: Ink
    houses: int
    house: str
    house_cells: float
    roofs: tuple[Ink, ...]
    order: str
    reach: float
    fields: int
    wall: str | None
    wall_reach: float
    wall_width: float
    wall_ink: Ink
    sign: int | None
    sign_ink: Ink

    @classmethod
    def made_up(cls, rng: np.random.Generator, kind: SettlementType, ground: Ink, roofs: Sequence[Ink]) -> Town:
        """Return some way to draw it: the larger the settlement the more houses."""
        size = list(SettlementType).index(kind)
        houses = int(rng.integers(*_HOUSES[size]))
        return cls(
            ground,
            houses,
            str(rng.choice(["large", "two-tone", "round"])),
            rng.uniform(0.06, 0.11) * (1.5 if houses < 5 else 1),
            tuple(roofs[int(roof)] for roof in rng.integers(0, len(roofs), 2)),
            str(rng.choice(["anyhow", "ring", "rows"])),
            _REACHES[size] * rng.uniform(0.8, 1.15),
            int(rng.integers(0, 4)) if size > 1 else 0,
            str(rng.choice(["disc", "hexagon", "square"])) if rng.random() < _WALLS[size] else None,
            rng.uniform(0.4, 0.68),
            rng.uniform(0.03, 0.1),
            varied(rng, float(rng.choice([0.2, 0.45, 0.8])) * np.ones(3), 0.15),
            int(rng.integers(_SIGNS)) if rng.random() < 0.25 else None,
            varied(rng, (0.5, 0.5, 0.5), 0.5),
        )

    def as_sign(self, sign: int, has_wall: bool) -> Town:
        """Return the same told by a sign, without houses."""
        return replace(self, houses=0, sign=sign, wall=(self.wall or "disc") if has_wall else None)

    def picture(self, rng: np.random.Generator) -> Tones:
        """Return one such settlement; no two are alike."""
        found = canvas.plain(self.ground)
        found *= np.exp(0.05 * canvas.grain(rng, 3))[..., None]
        turn = rng.uniform(0, math.tau)
        for _ in range(self.fields):
            place, along = rng.uniform(-0.5, 0.5, 2), canvas.towards(rng.uniform(0, math.tau), 0.2)
            canvas.polygon(found, _block(place, along, 0.6), varied(rng, self.ground * 0.8, 0.1))
        self._walled(found)
        for number in range(self.houses):
            self._build(found, self._place(number, turn, rng), rng)
        if self.sign is not None:
            draw_sign(found, self.sign, 0.15 if self.houses else 0.3, self.sign_ink, self.ground)
        return found

    def _walled(self, on: Tones) -> None:
        if self.wall == "disc":
            canvas.disc(on, (0, 0), self.wall_reach, self.wall_ink)
            canvas.disc(on, (0, 0), self.wall_reach - self.wall_width, self.ground)
        elif self.wall is not None:
            corners = 6 if self.wall == "hexagon" else 4
            outer = self.wall_reach * 1.1
            for reach, ink in ((outer, self.wall_ink), (outer - self.wall_width, self.ground)):
                angles = [math.tau * corner / corners + math.pi / 4 for corner in range(corners)]
                canvas.polygon(on, [canvas.towards(angle, reach) for angle in angles], ink)

    def _place(self, number: int, turn: float, rng: np.random.Generator) -> Ink:
        if self.order == "ring":
            angle = turn + math.tau * number / self.houses
            return canvas.towards(angle, self.reach * 0.85) + rng.normal(0, 0.03, 2)
        if self.order == "rows":
            wide = math.ceil(math.sqrt(self.houses))
            middle = np.array([number % wide, number // wide]) - (wide - 1) / 2
            return middle * (2 * self.reach / max(wide, 2)) * 0.8 + rng.normal(0, 0.03, 2)
        return canvas.towards(rng.uniform(0, math.tau), self.reach * math.sqrt(rng.random()))

    def _build(self, on: Tones, place: Ink, rng: np.random.Generator) -> None:
        size = self.house_cells * rng.uniform(0.8, 1.25)
        along = canvas.towards(rng.uniform(0, math.tau), size)
        roof = self.roofs[int(rng.integers(len(self.roofs)))]
        canvas.polygon(on, _block(place + 0.04, along, 0.65), self.ground * 0.45)
        if self.house == "round":
            canvas.disc(on, place, size, roof)
            return
        canvas.polygon(on, _block(place, along, 0.65), roof)
        if self.house == "two-tone":
            across = np.array([-along[1], along[0]]) * 0.65
            canvas.polygon(
                on, [place + along, place + along - across, place - along - across, place - along], roof * 0.7
            )


@dataclass(frozen=True, eq=False)
class Shop:
    """How workshops are drawn: each colour's ink on a shape, with a sign."""

    ground: Ink
    inks: tuple[Ink, ...]
    shape: str
    reach: float
    has_ring: bool
    signs: tuple[int, ...]
    sign_ink: Ink

    @classmethod
    def made_up(cls, rng: np.random.Generator, ground: Ink) -> Shop:
        """Return some way to draw them: all with one sign, or each with its own."""
        inks = tuple(varied(rng, ink, 0.16) for ink in USUAL_COLORS)
        signs = rng.integers(0, _SIGNS, len(inks)) if rng.random() < 0.5 else np.repeat(rng.integers(_SIGNS), len(inks))
        shape, ink = str(rng.choice(["disc", "shield", "square", "whole"])), np.full(3, float(rng.choice([0.12, 0.9])))
        return cls(ground, inks, shape, rng.uniform(0.4, 0.68), rng.random() < 0.5, tuple(signs.tolist()), ink)

    def picture(self, color: Color) -> Tones:
        """Return a colour's workshop."""
        which = list(Color).index(color)
        found, ink, reach = canvas.plain(self.ground), self.inks[which], self.reach * 0.8
        if self.shape == "disc":
            canvas.disc(found, (0, 0), self.reach, ink)
        elif self.shape == "square":
            canvas.polygon(found, [(-reach, -reach), (reach, -reach), (reach, reach), (-reach, reach)], ink)
        elif self.shape == "shield":
            wide = self.reach * 0.85
            corners = [(-wide, -wide), (wide, -wide), (wide, 0.2 * wide), (0, wide * 1.1), (-wide, 0.2 * wide)]
            canvas.polygon(found, corners, ink)
        else:
            found[:] = ink
        if self.has_ring:
            canvas.disc(found, (0, 0), self.reach * 0.85, self.sign_ink, 2)
        draw_sign(found, self.signs[which], self.reach * 0.5, self.sign_ink, self.ground)
        return found


def towns(rng: np.random.Generator, inks: Sequence[Ink]) -> tuple[Town, ...]:
    """Return how each type of settlement is drawn, on grounds near these: all on one, or each on its own."""
    shared = varied(rng, inks[0], 0.1) if rng.random() < 0.5 else None
    roofs = [varied(rng, roof, 0.2) for roof in _ROOFS]
    found = []
    for kind in SettlementType:
        ground = varied(rng, inks[int(rng.integers(len(inks)))], 0.15) if shared is None else shared
        found.append(Town.made_up(rng, kind, ground, roofs))
    if rng.random() < 0.25:
        # Types that only a sign tells apart.
        signs = rng.permutation(_SIGNS)[: len(found)]
        found = [town.as_sign(int(sign), rng.random() < 0.5) for town, sign in zip(found, signs, strict=True)]
    return tuple(found)


def draw_sign(on: Tones, sign: int, size: float, ink: Ink, ground: Ink) -> None:
    """Draw one of six signs in the middle: a house, a wheel, a diamond, a star, a ring, a cross."""
    if sign == 0:
        canvas.polygon(on, _times(size, [(-1, 1), (1, 1), (1, -0.2), (0, -1), (-1, -0.2)]), ink)
    elif sign == 1:
        canvas.disc(on, (0, 0), size, ink, 2)
        for spoke in range(3):
            end = canvas.towards(spoke * math.pi / 3, size)
            canvas.line(on, -end, end, ink)
    elif sign == 2:
        canvas.polygon(on, _times(size, [(0, -1), (1, 0), (0, 1), (-1, 0)]), ink)
    elif sign == 3:
        canvas.polygon(on, [canvas.towards(k * math.pi / 5, size * (1 if k % 2 else 0.45)) for k in range(10)], ink)
    elif sign == 4:
        canvas.disc(on, (0, 0), size, ink)
        canvas.disc(on, (0, 0), size * 0.5, ground)
    else:
        canvas.polygon(on, _times(size, [(-1, -0.3), (1, -0.3), (1, 0.3), (-1, 0.3)]), ink)
        canvas.polygon(on, _times(size, [(-0.3, -1), (0.3, -1), (0.3, 1), (-0.3, 1)]), ink)


def _times(size: float, corners: Sequence[Point]) -> list[Ink]:
    return [np.asarray(corner) * size for corner in corners]


def _block(place: Ink, along: Ink, wide: float) -> list[Ink]:
    """Return the corners of a rectangle, `wide` as wide as it is long."""
    across = np.array([-along[1], along[0]]) * wide
    return [place + along + across, place + along - across, place - along - across, place - along + across]
