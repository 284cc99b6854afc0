"""What is printed on tiles: roads in eight manners, settlements in six, workshops in five; and sites on the board."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from bench.other_hand.land import SIDE
from bench.other_hand.sheet import Points, Rgb, Sheet, around, blend, box, ink_on, scattered, shade

SETTLEMENTS = ("hamlet", "village", "town", "city")


@dataclass(frozen=True)
class Look:
    """A printing's own colours, apart from the players': `bed` is that of the ground below roads.

    `width` is a road's in mm. `bend` is how near a bend comes to the middle of its cell, from 0 (the chord) to 1.
    """

    roof: Rgb
    wall: Rgb
    ink: Rgb
    bed: Rgb
    width: float
    bend: float


Road = Callable[[Sheet, Points, Rgb, Look, np.random.Generator], None]
Town = Callable[[Sheet, int, Look, np.random.Generator], None]
Workshop = Callable[[Sheet, Rgb, str, Look, np.random.Generator], None]
Site = Callable[[Sheet, float, float, Look, np.random.Generator], None]


def way(shape: str, look: Look, rng: np.random.Generator) -> Points:
    """Return points (n, 2) along a road that leaves its cell by edges 0 and 3, or 0 and 2, a little past both."""
    reach = SIDE * math.sqrt(3) / 2
    end = math.pi if shape == "straight" else -2 * math.pi / 3
    a, b = np.array((reach, 0.0)), np.array((math.cos(end), math.sin(end))) * reach
    t = np.linspace(-0.05, 1.05, 61)[:, None]
    if shape == "straight":
        sway = np.array((0.0, 1.0)) * rng.uniform(-1.6, 1.6) * np.sin(2 * math.pi * np.clip(t, 0, 1))
        return np.asarray(a * (1 - t) + b * t + sway * np.sin(math.pi * np.clip(t, 0, 1)))
    u, near = np.clip(t, 0, 1), 1 - look.bend
    curve = (1 - u) ** 3 * a + 3 * (1 - u) ** 2 * u * a * near + 3 * (1 - u) * u * u * b * near + u**3 * b
    return np.asarray(curve + (t - u) * np.where(t < 0, -a, b) * 2)


def _beside(path: Points) -> Points:
    along = np.gradient(path, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    return np.stack([-along[:, 1], along[:, 0]], axis=1)


def _cased(sheet: Sheet, path: Points, color: Rgb, look: Look, width: float) -> None:
    sheet.line(path, look.ink, width + 1.6)
    sheet.line(path, color, width)


def braid(sheet: Sheet, path: Points, color: Rgb, look: Look, rng: np.random.Generator) -> None:
    """Two strands that cross each other, on a pale bed."""
    _cased(sheet, path, look.bed, look, look.width + 1)
    wave = np.sin(np.linspace(0, 7 * math.pi, len(path)))[:, None] * look.width * 0.33
    for side in (1, -1):
        strand = path + _beside(path) * wave * side
        sheet.line(strand, shade(color, 0.45), 3.2)
        sheet.line(strand, color, 2.3)


def chevrons(sheet: Sheet, path: Points, color: Rgb, look: Look, rng: np.random.Generator) -> None:
    """Arrow after arrow along a bed without an edge."""
    sheet.line(path, look.bed, look.width)
    side = _beside(path) * look.width / 2
    for k in range(3, len(path) - 8, 7):
        sheet.polygon(
            [
                path[k] + side[k],
                path[k + 4],
                path[k] - side[k],
                path[k + 3] - side[k],
                path[k + 7],
                path[k + 3] + side[k],
            ],
            color,
        )


def prints(sheet: Sheet, path: Points, color: Rgb, look: Look, rng: np.random.Generator) -> None:
    """Prints of feet, left and right, on the bare land."""
    side = _beside(path)
    for k in range(2, len(path), 4):
        for grown, ink in ((0.5, ink_on(color)), (0.0, color)):
            at = path[k] + side[k] * look.width * (0.24 if k % 8 < 4 else -0.24)
            ahead = np.array((side[k][1], -side[k][0]))
            shape = around(14, 1.0) * (1.5 + grown, 2.3 + grown)
            sheet.polygon(shape[:, :1] * side[k] + shape[:, 1:] * ahead + at, ink)


def chequer(sheet: Sheet, path: Points, color: Rgb, look: Look, rng: np.random.Generator) -> None:
    """A ribbon of two rows of squares, the player's colour and pale in turn."""
    _cased(sheet, path, look.bed, look, look.width)
    side = _beside(path) * look.width / 2
    for k in range(0, len(path) - 5, 5):
        for row in (0, 1):
            if (k // 5 + row) % 2 == 0:
                s, e = (side[k], side[k + 5]) if row else (-side[k], -side[k + 5])
                sheet.polygon([path[k], path[k] + s, path[k + 5] + e, path[k + 5]], color)


def posts(sheet: Sheet, path: Points, color: Rgb, look: Look, rng: np.random.Generator) -> None:
    """A plain road of earth, the same for all, with the player's posts on both sides."""
    _cased(sheet, path, look.bed, look, look.width * 0.55)
    side = _beside(path)
    for k in range(4, len(path), 8):
        for hand in (1, -1):
            x, y = path[k] + side[k] * look.width * 0.62 * hand
            sheet.polygon(around(4, 2.5, x, y), look.ink)
            sheet.polygon(around(4, 1.8, x, y), color)


def rope(sheet: Sheet, path: Points, color: Rgb, look: Look, rng: np.random.Generator) -> None:
    """A ribbon hatched across, light and dark."""
    _cased(sheet, path, color, look, look.width * 0.8)
    side = _beside(path) * look.width * 0.4
    for k in range(1, len(path) - 3, 3):
        sheet.line([path[k] - side[k], path[k + 3] + side[k + 3]], shade(color, 0.6), 0.6)


def glow(sheet: Sheet, path: Points, color: Rgb, look: Look, rng: np.random.Generator) -> None:
    """A band whose colour fades towards its sides, on a bed that does too."""
    for k in range(9, 0, -1):
        sheet.line(path, look.bed, look.width * 1.7 * k / 9, 0.2)
    for k in range(9, 0, -1):
        sheet.line(path, color, look.width * 1.25 * k / 9, 0.24)
    sheet.line(path, color, look.width * 0.3)


def stream(sheet: Sheet, path: Points, color: Rgb, look: Look, rng: np.random.Generator) -> None:
    """Like a stream: its width changes, and bright lines run along it."""
    swell = 1 + 0.25 * np.sin(np.linspace(0, 9, len(path)) + rng.uniform(0, 6))[:, None]
    side = _beside(path) * look.width * 0.4 * swell
    sheet.polygon(np.concatenate([path + side * 1.22, (path - side * 1.22)[::-1]]), shade(color, 0.4))
    sheet.polygon(np.concatenate([path + side, (path - side)[::-1]]), color)
    for off in (-0.45, 0.1, 0.5):
        sheet.line(path + side * off, blend(color, (255.0, 255.0, 255.0), 0.45), 0.4)


ROADS: Mapping[str, Road] = {
    draw.__name__: draw for draw in (braid, chevrons, prints, chequer, posts, rope, glow, stream)
}


def towers(sheet: Sheet, rank: int, look: Look, rng: np.random.Generator) -> None:
    """A castle from the front, with one tower for each rank."""
    for k in range(rank + 1):
        x, tall = (k - rank / 2) * 6.4, 9 + 2.2 * ((k + rank) % 2) + rank
        sheet.polygon([(x - 2.6, 8), (x + 2.6, 8), (x + 2.6, 8 - tall), (x - 2.6, 8 - tall)], look.wall)
        sheet.line(
            [(x - 2.6, 8), (x + 2.6, 8), (x + 2.6, 8 - tall), (x - 2.6, 8 - tall)], look.ink, 0.5, is_closed=True
        )
        sheet.polygon([(x - 3.4, 8 - tall), (x + 3.4, 8 - tall), (x, 3 - tall)], look.roof)
        sheet.polygon(box(x, 8 - tall * 0.55, 1.2, 2.2), look.ink)


def roofs(sheet: Sheet, rank: int, look: Look, rng: np.random.Generator) -> None:
    """Roofs from above, each with four slopes: 2, 5, 10 or 18 of them."""
    for x, y in scattered(rng, (2, 5, 10, 18)[rank], (7, 10, 12.5, 15)[rank], 5.4 if rank < 3 else 4.9):
        w, h, turn = rng.uniform(4.6, 6.4), rng.uniform(3.4, 4.4), rng.uniform(0, 3.1)
        a, b, c, d = box(x, y, w, h, turn)
        left, right = (a + d) / 2 * 0.72 + (b + c) / 2 * 0.28, (b + c) / 2 * 0.72 + (a + d) / 2 * 0.28
        sheet.polygon(box(x + 0.7, y + 0.8, w, h, turn), (20.0, 16.0, 14.0), 0.45)
        for facet, light in (
            ((a, b, right, left), 1.15),
            ((c, d, left, right), 0.7),
            ((a, left, d), 0.9),
            ((b, c, right), 1.0),
        ):
            sheet.polygon(facet, shade(look.roof, light * rng.uniform(0.93, 1.07)))


def shields(sheet: Sheet, rank: int, look: Look, rng: np.random.Generator) -> None:
    """A coat of arms with one bar for each rank."""
    outline = [(-9, -11), (9, -11), (9, 1), (5.5, 8), (0, 12), (-5.5, 8), (-9, 1)]
    sheet.polygon(outline, look.wall)
    for k in range(rank + 1):
        y = -8.2 + k * 4.4
        half = 8.6 if y < 1 else 8.6 - (y - 1) * 0.6
        sheet.polygon(box(0, y, 2 * half, 2.3), look.roof)
    sheet.line(outline, look.ink, 1.0, is_closed=True)


def skylines(sheet: Sheet, rank: int, look: Look, rng: np.random.Generator) -> None:
    """A dark outline against an evening sky; the more of it, and the taller, the larger the place."""
    _, y = sheet.places()
    sheet.lay(blend(look.wall, look.roof, 0.35), np.clip((6 - y) / 26, 0, 0.95) * (y < 6))
    sheet.polygon([(-22, 6), (22, 6), (22, 24), (-22, 24)], shade(look.ink, 0.9))
    for k in range(2 + 3 * rank):
        x, w = (k - (1 + 3 * rank) / 2) * 2.9, rng.uniform(1.5, 2.6)
        tall = rng.uniform(2.5, 4.5) + 1.9 * rank * math.exp(-((x / 9) ** 2))
        sheet.polygon([(x - w, 6), (x - w, 6 - tall), (x, 4 - tall * 1.15), (x + w, 6 - tall), (x + w, 6)], look.ink)
        sheet.polygon(box(x, 4.5, 0.8, 1.0), (250.0, 220.0, 120.0))


def forts(sheet: Sheet, rank: int, look: Look, rng: np.random.Generator) -> None:
    """A star-shaped wall with three to six points, as on an old plan, and houses in rings."""
    count, size = rank + 3, 9 + 2.2 * rank
    star = np.stack([around(count, size), around(count, size * 0.66, start=math.pi / count)], axis=1).reshape(-1, 2)
    sheet.polygon(star, look.wall)
    sheet.line(star, look.ink, 1.1, is_closed=True)
    for ring in range(rank + 1):
        for x, y in around(4 + 3 * ring, 1.6 + 2.5 * ring):
            sheet.polygon(box(x, y, 1.7, 1.4, math.atan2(y, x)), look.roof)


def facades(sheet: Sheet, rank: int, look: Look, rng: np.random.Generator) -> None:
    """One house from the front; its storeys tell the rank."""
    half, tall = 7.0, 4.2 * (rank + 1)
    sheet.polygon([(-half, 10), (half, 10), (half, 10 - tall), (-half, 10 - tall)], look.wall)
    sheet.polygon([(-half - 1.5, 10 - tall), (half + 1.5, 10 - tall), (0, 4.5 - tall)], look.roof)
    sheet.line([(-half, 10), (half, 10), (half, 10 - tall), (-half, 10 - tall)], look.ink, 0.6, is_closed=True)
    for k in range(rank + 1):
        for x in (-4, 0, 4):
            sheet.polygon(box(x, 7.8 - 4.2 * k, 1.9, 2.5), look.ink)


TOWNS: Mapping[str, Town] = {draw.__name__: draw for draw in (towers, roofs, shields, skylines, forts, facades)}


def gears(sheet: Sheet, color: Rgb, name: str, look: Look, rng: np.random.Generator) -> None:
    """A gear of the player's colour."""
    for k in range(9):
        angle = k * 2 * math.pi / 9
        sheet.polygon(box(10.6 * math.cos(angle), 10.6 * math.sin(angle), 5.5, 4.4, angle), ink_on(color))
        sheet.polygon(box(10.4 * math.cos(angle), 10.4 * math.sin(angle), 4.6, 3.4, angle), color)
    sheet.disc(0, 0, 10, color)
    sheet.ring(0, 0, 6.6, ink_on(color), 0.7)
    sheet.disc(0, 0, 3.2, look.bed)


def hatched(sheet: Sheet, color: Rgb, name: str, look: Look, rng: np.random.Generator) -> None:
    """A broad border of the player's colour, hatched, about a pale middle with a hammer."""
    sheet.polygon(around(6, SIDE - 1), color)
    for k in range(-20, 21, 3):
        sheet.line([(k - 12, -20), (k + 12, 20)], shade(color, 0.7), 0.5)
    sheet.polygon(around(6, 12.5), look.bed)
    sheet.polygon(box(0, 1.5, 1.6, 13, 0.6), look.ink)
    sheet.polygon(box(3.4, -4.6, 8, 3.6, 0.6), look.ink)


def tents(sheet: Sheet, color: Rgb, name: str, look: Look, rng: np.random.Generator) -> None:
    """A market stall with an awning in stripes of the player's colour."""
    sheet.polygon(box(0, 5, 19, 9), look.wall)
    sheet.line(box(0, 5, 19, 9), look.ink, 0.6, is_closed=True)
    for k in range(8):
        x = -12 + 3 * k
        stripe = color if k % 2 == 0 else look.bed
        sheet.polygon([(x, 2), (x + 3, 2), (x * 0.7 + 2.1, -9), (x * 0.7, -9)], stripe)
        sheet.disc(x + 1.5, 2, 1.5, stripe)
    sheet.line([(-12, 2), (12, 2), (8.4, -9), (-8.4, -9)], look.ink, 0.5, is_closed=True)


def seals(sheet: Sheet, color: Rgb, name: str, look: Look, rng: np.random.Generator) -> None:
    """A seal of wax with the colour's initial."""
    wobble = around(18, 1.0) * (12.5 + rng.uniform(-1.1, 1.1, (18, 1)))
    sheet.polygon(wobble, ink_on(color))
    sheet.polygon(wobble * 0.94, color)
    sheet.ring(0, 0, 8.6, shade(color, 0.7), 0.9)
    sheet.write(name[0].upper(), 0, 0, 8, ink_on(color))


def wheels(sheet: Sheet, color: Rgb, name: str, look: Look, rng: np.random.Generator) -> None:
    """A cart's wheel; its rim is of the player's colour."""
    sheet.disc(0, 0, 14.2, look.ink)
    sheet.disc(0, 0, 13.4, color)
    sheet.disc(0, 0, 9.4, look.bed)
    for k in range(8):
        sheet.line([(0, 0), (9.4 * math.cos(k * math.pi / 4), 9.4 * math.sin(k * math.pi / 4))], look.ink, 1.2)
    sheet.disc(0, 0, 3, color)


WORKSHOPS: Mapping[str, Workshop] = {draw.__name__: draw for draw in (gears, hatched, tents, seals, wheels)}


def pits(sheet: Sheet, x: float, y: float, look: Look, rng: np.random.Generator) -> None:
    """A pale place with a dark heart."""
    sheet.disc(x, y, 6.2, look.bed, 0.9)
    sheet.disc(x, y, 3.2, look.ink, 0.85)


def dashes(sheet: Sheet, x: float, y: float, look: Look, rng: np.random.Generator) -> None:
    """A circle of dashes."""
    for k in range(10):
        turn = np.linspace(k, k + 0.55, 5) * 2 * math.pi / 10
        sheet.line(np.stack([x + 8 * np.cos(turn), y + 8 * np.sin(turn)], axis=1), look.ink, 1.2)


def plazas(sheet: Sheet, x: float, y: float, look: Look, rng: np.random.Generator) -> None:
    """A paved square, seen from its corner."""
    sheet.polygon(around(4, 8.5, x, y), look.wall)
    sheet.line(around(4, 8.5, x, y), look.ink, 0.7, is_closed=True)
    for k in (-0.5, 0.0, 0.5):
        sheet.line(
            [(x - 4.25 + 8.5 * k / 2, y - 4.25 - 8.5 * k / 2), (x + 4.25 + 8.5 * k / 2, y + 4.25 - 8.5 * k / 2)],
            look.ink,
            0.4,
        )


def insets(sheet: Sheet, x: float, y: float, look: Look, rng: np.random.Generator) -> None:
    """The cell outlined once more, further in."""
    sheet.line(around(6, SIDE * 0.72, x, y), look.roof, 2.0, is_closed=True)
    sheet.line(around(6, SIDE * 0.72, x, y), look.ink, 0.5, is_closed=True)


def ponds(sheet: Sheet, x: float, y: float, look: Look, rng: np.random.Generator) -> None:
    """Water with two rings."""
    shore = around(12, 1.0) * (6.5 + rng.uniform(-0.9, 0.9, (12, 1))) + (x, y)
    sheet.polygon(shore, (96.0, 140.0, 178.0))
    sheet.line(shore, look.ink, 0.6, is_closed=True)
    sheet.ring(x, y, 3.0, (226.0, 238.0, 244.0), 0.5)


SITES: Mapping[str, Site] = {draw.__name__: draw for draw in (pits, dashes, plazas, insets, ponds)}
