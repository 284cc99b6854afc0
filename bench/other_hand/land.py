"""The land in eight manners. A manner draws each terrain over the whole sheet; the cells then show their share of it.

`Palette` has the colours of one terrain. Manners take the sheet, the terrain's name, its palette and chance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import cv2
import numpy as np

from bench.other_hand.sheet import Field, Rgb, Sheet, apart, around, blend, lch, shade, turned

TERRAINS = ("plain", "forest", "hill")
#: A cell's side, mm.
SIDE = 20.8


@dataclass(frozen=True)
class Palette:
    """The colours of a terrain: its `base`, a second one near it, one for what grows or rises there, and its ink."""

    base: Rgb
    second: Rgb
    growth: Rgb
    ink: Rgb


Manner = Callable[[Sheet, str, Palette, np.random.Generator], None]


def palettes(rng: np.random.Generator) -> dict[str, Palette]:
    """Return colours for the three terrains, from one of five moods."""
    mood = int(rng.integers(5))
    base: dict[str, Rgb] = {}
    while min((apart(a, b) for a in base.values() for b in base.values() if a != b), default=0) < 13:
        base = {name: _ground(name, mood, rng) for name in TERRAINS}
    return {name: _palette(color, rng) for name, color in base.items()}


def _ground(name: str, mood: int, rng: np.random.Generator) -> Rgb:
    light, hue = {"plain": (76, 95), "forest": (44, 135), "hill": (56, 60)}[name]
    chroma = rng.uniform(14, 40)
    match mood:
        case 0:  # as a landscape
            return lch(light + rng.uniform(-8, 8), chroma, hue + rng.uniform(-18, 18))
        case 1:  # three hues evenly around the circle
            return lch(rng.uniform(45, 78), chroma, 120 * TERRAINS.index(name) + rng.uniform(-30, 30))
        case 2:  # at night
            return lch(light * 0.5 + rng.uniform(-4, 4), chroma * 0.6, hue + rng.uniform(60, 140))
        case 3:  # on faded paper
            return lch(66 + light / 4, chroma * 0.45, hue + rng.uniform(-25, 25))
        case _:  # lightness alone
            shift, tint = rng.uniform(-10, 10), rng.uniform(40, 80)
            return lch(light + shift, rng.uniform(2, 10), tint)


def _palette(base: Rgb, rng: np.random.Generator) -> Palette:
    second = blend(base, lch(rng.uniform(30, 90), 30, rng.uniform(0, 360)), rng.uniform(0.12, 0.25))
    growth = shade(base, rng.choice([rng.uniform(0.55, 0.75), rng.uniform(1.25, 1.5)]))
    return Palette(base, second, growth, shade(base, rng.uniform(0.3, 0.5)))


def canvas(sheet: Sheet, name: str, paint: Palette, rng: np.random.Generator) -> None:
    """Thousands of short dabs of a brush, along the slope; woods in clumps with their shadow."""
    sheet.pixels[:] = np.array(paint.base, np.float32)
    height, width = sheet.shape[0] / sheet.ppm, sheet.shape[1] / sheet.ppm
    lean = {"plain": 0.1, "forest": 1.5, "hill": 0.9}[name]
    for _ in range(int(width * height * 0.55)):
        x, y = sheet.left + rng.uniform(0, width), sheet.top + rng.uniform(0, height)
        color = blend(paint.base, (paint.second, paint.growth, paint.ink)[int(rng.choice(3, p=[0.6, 0.3, 0.1]))], 0.7)
        turn = lean + 0.5 * math.sin(x / 9) + rng.normal(0, 0.25)
        long = rng.uniform(1.2, 3.4) * (0.6 if name == "forest" else 1)
        sheet.polygon(around(7, 1.0) * (long, rng.uniform(0.4, 0.8)) @ turned(turn) + (x, y), color, 0.75)


def aerial(sheet: Sheet, name: str, paint: Palette, rng: np.random.Generator) -> None:
    """As from an aeroplane: fields with furrows, crowns of trees, lit ridges."""
    x, y = sheet.places()
    if name == "plain":
        seeds = np.ones(sheet.shape, np.uint8)
        for _ in range(max(2, int(seeds.size / sheet.ppm**2 / 60))):
            seeds[rng.integers(sheet.shape[0]), rng.integers(sheet.shape[1])] = 0
        _, patch = cv2.distanceTransformWithLabels(seeds, cv2.DIST_L1, 5, labelType=cv2.DIST_LABEL_PIXEL)
        count = int(patch.max()) + 1
        share, turn = rng.random(count).astype(np.float32)[patch], rng.uniform(0, 3.1, count).astype(np.float32)[patch]
        rows = np.sin((x * np.cos(turn) + y * np.sin(turn)) * 5)
        sheet.pixels[:] = np.array(paint.base, np.float32)
        sheet.lay(paint.second, share)
        sheet.lay(paint.growth, (share > 0.7) * 0.6)
        sheet.pixels *= (1 + 0.06 * rows)[..., None].astype(np.float32)
        edge = np.abs(cv2.Laplacian(patch.astype(np.float32), cv2.CV_32F)) > 0
        sheet.lay(paint.ink, edge * 0.7)
    elif name == "forest":
        sheet.pixels[:] = np.array(paint.ink, np.float32)
        height, width = sheet.shape[0] / sheet.ppm, sheet.shape[1] / sheet.ppm
        for _ in range(int(width * height * 0.35)):
            cx, cy, r = sheet.left + rng.uniform(0, width), sheet.top + rng.uniform(0, height), rng.uniform(1, 2.4)
            crown = blend(paint.base, paint.second, rng.uniform(0, 1))
            sheet.disc(cx, cy, r, shade(crown, 0.8))
            sheet.disc(cx - r * 0.25, cy - r * 0.25, r * 0.65, crown)
            sheet.disc(cx - r * 0.35, cy - r * 0.4, r * 0.25, shade(crown, 1.25))
    else:
        ridge = 4 * (1 - np.abs(sheet.noise(rng, 18, 5)))
        sheet.pixels[:] = np.array(paint.base, np.float32)
        sheet.lay(paint.second, np.clip(ridge / 4, 0, 1))
        down, across = np.gradient(ridge)
        sheet.pixels *= np.clip(1 - 0.9 * (across + down)[..., None], 0.5, 1.5).astype(np.float32)


def comic(sheet: Sheet, name: str, paint: Palette, rng: np.random.Generator) -> None:
    """Flat colour with dots as in a printed comic, and a few thickly outlined shapes."""
    x, y = sheet.places()
    sheet.pixels[:] = np.array(paint.base, np.float32)
    dots = np.sin((x + y) * 2.2) * np.sin((x - y) * 2.2)
    sheet.lay(paint.second, np.clip((dots - 0.35 + 0.25 * sheet.noise(rng, 20, 2)) * 6, 0, 1))
    height, width = sheet.shape[0] / sheet.ppm, sheet.shape[1] / sheet.ppm
    places = rng.uniform(0, 1, (int(width * height / 75), 2)) * (width, height) + (sheet.left, sheet.top)
    for cx, cy in places[np.argsort(places[:, 1])]:
        size = rng.uniform(2.4, 4.2)
        if name == "forest":
            lobes = [(cx - size * 0.6, cy), (cx + size * 0.6, cy), (cx, cy - size * 0.6)]
            for grown, color in ((0.5, paint.ink), (0.0, paint.growth)):
                for a, b in lobes:
                    sheet.disc(a, b, size * 0.75 + grown, color)
        elif name == "hill":
            bump = [(cx + size * 1.5 * t, cy - size * (1 - t * t)) for t in np.linspace(-1, 1, 15)]
            sheet.polygon(bump, paint.growth)
            sheet.line(bump, paint.ink, 0.7)
            sheet.line([(cx, cy - size * 0.6), (cx + size * 0.5, cy - size * 0.2)], paint.ink, 0.5)
        else:
            sheet.line(
                [(cx + 3 * t, cy + 0.9 * math.sin(3 * t)) for t in np.linspace(-1.4, 1.4, 14)], paint.growth, 0.8
            )


def signs(sheet: Sheet, name: str, paint: Palette, rng: np.random.Generator) -> None:
    """A map's signs in even rows on nearly the same paper: grass, trees, slopes."""
    paper = blend(paint.base, (236.0, 226.0, 204.0), 0.75)
    sheet.pixels[:] = np.array(paper, np.float32)
    sheet.pixels *= (1 + 0.025 * sheet.noise(rng, 30, 4))[..., None]
    step = {"plain": 5.2, "forest": 3.9, "hill": 4.6}[name]
    height, width = sheet.shape[0] / sheet.ppm, sheet.shape[1] / sheet.ppm
    for row in range(int(height / step) + 1):
        for column in range(int(width / step) + 1):
            x = sheet.left + (column + 0.5 * (row % 2)) * step + rng.normal(0, 0.25)
            y = sheet.top + row * step + rng.normal(0, 0.25)
            if name == "plain":
                sheet.line([(x - 0.9, y - 0.8), (x, y + 0.7), (x + 0.9, y - 0.8)], paint.ink, 0.35)
            elif name == "forest":
                sheet.disc(x, y - 0.5, 1.15, paint.ink)
                sheet.line([(x, y), (x, y + 1.7)], paint.ink, 0.4)
            else:
                arc = [(x + 1.6 * math.cos(t), y - 1.4 * math.sin(t)) for t in np.linspace(0.1, 3.0, 9)]
                sheet.line(arc, paint.ink, 0.45)
                sheet.line([(x + 0.2, y - 0.9), (x + 0.8, y + 0.4)], paint.ink, 0.3)


def emblems(sheet: Sheet, name: str, paint: Palette, rng: np.random.Generator) -> None:
    """A soft change of colour across the land, and large pale emblems far apart."""
    x, y = sheet.places()
    wave = np.sin(x / 23 + rng.uniform(0, 6)) + np.cos(y / 19 + rng.uniform(0, 6))
    sheet.pixels[:] = np.array(paint.base, np.float32)
    sheet.lay(paint.second, 0.5 + 0.3 * wave)
    height, width = sheet.shape[0] / sheet.ppm, sheet.shape[1] / sheet.ppm
    for row in range(int(height / 18) + 2):
        for column in range(int(width / 18) + 2):
            cx, cy = sheet.left + (column + 0.5 * (row % 2)) * 18, sheet.top + row * 16
            if name == "forest":
                for k in range(3):
                    lift = 2.4 * k
                    sheet.polygon(
                        [(cx - 5 + k, cy + 4 - lift), (cx, cy - 3 - lift), (cx + 5 - k, cy + 4 - lift)],
                        paint.growth,
                        0.8,
                    )
            elif name == "hill":
                sheet.polygon([(cx - 7, cy + 5), (cx - 1, cy - 6), (cx + 6, cy + 5)], paint.growth, 0.8)
                sheet.polygon([(cx - 1, cy - 6), (cx + 6, cy + 5), (cx + 1, cy + 5)], paint.ink, 0.5)
            else:
                for turn in (-0.5, 0.0, 0.5):
                    ear = around(9, 1.0) * (0.9, 3.6) @ turned(turn) + (cx + 5 * turn, cy)
                    sheet.polygon(ear, paint.growth, 0.8)


def stitches(sheet: Sheet, name: str, paint: Palette, rng: np.random.Generator) -> None:
    """Cross-stitch on linen; the motif says which terrain it is."""
    sheet.pixels[:] = np.array(blend(paint.base, (228.0, 220.0, 200.0), 0.35), np.float32)
    step = 1.9
    for row in range(int(sheet.shape[0] / sheet.ppm / step) + 1):
        for column in range(int(sheet.shape[1] / sheet.ppm / step) + 1):
            x, y = sheet.left + column * step, sheet.top + row * step
            motif = {"plain": (row + 2 * column) % 7 == 0, "forest": (row % 4 < 2) ^ (column % 6 < 3)}.get(
                name, abs(column % 10 - 5) == row % 6
            )
            color = paint.growth if motif else blend(paint.base, paint.second, rng.uniform(0, 0.7))
            sheet.line([(x - 0.7, y - 0.7), (x + 0.7, y + 0.7)], color, 0.5)
            sheet.line([(x + 0.7, y - 0.7), (x - 0.7, y + 0.7)], shade(color, 0.9), 0.5)


def strata(sheet: Sheet, name: str, paint: Palette, rng: np.random.Generator) -> None:
    """Steps of height, each a shade darker, with its line: few in the plain, many on hills."""
    level = (
        sheet.noise(rng, {"plain": 40, "forest": 14, "hill": 26}[name], 2)
        * {"plain": 1.2, "forest": 2, "hill": 3.4}[name]
    )
    step = np.floor(level)
    sheet.pixels[:] = np.array(paint.base, np.float32)
    sheet.lay(paint.second, 0.5 + 0.18 * step)
    edge = np.abs(cv2.Laplacian(step.astype(np.float32), cv2.CV_32F)) > 0
    sheet.lay(paint.ink, cv2.GaussianBlur(edge.astype(np.float32), (0, 0), 0.5) * 1.4)


def marbled(sheet: Sheet, name: str, paint: Palette, rng: np.random.Generator) -> None:
    """Marbled paper: veins of all the terrain's colours, drawn out and bent."""
    x, y = sheet.places()
    bent = x * 0.35 + 1.6 * sheet.noise(rng, 30, 3) + {"plain": 0.0, "forest": 0.5, "hill": 1.0}[name] * y * 0.35
    vein = np.sin(bent * {"plain": 1.0, "forest": 2.2, "hill": 1.5}[name])
    sheet.pixels[:] = np.array(paint.base, np.float32)
    sheet.lay(paint.second, 0.5 + 0.5 * vein)
    sheet.lay(paint.growth, np.clip((vein - 0.8) * 6, 0, 1) * 0.8)
    sheet.lay(paint.ink, np.clip((-vein - 0.93) * 12, 0, 1) * 0.6)


MANNERS: Mapping[str, Manner] = {
    draw.__name__: draw for draw in (canvas, aerial, comic, signs, emblems, stitches, strata, marbled)
}


def draw_land(
    sheet: Sheet, cells: Mapping[tuple[int, int], str], manner: Manner, paints: Mapping[str, Palette], soft: float,
    rng: np.random.Generator,
) -> None:  # fmt: skip
    """Draw the cells' land; (0, 0) alone stands for a whole tile. Terrains melt into each other over `soft` mm."""
    drawn: dict[str, Field] = {}
    for name in dict.fromkeys(cells.values()):
        manner(sheet, name, paints[name], rng)
        drawn[name] = sheet.pixels.copy()
    if len(cells) == 1:
        return
    x, y = sheet.places()
    at = _cell_at(x + soft * sheet.noise(rng, 9, 2) * 0.5, y + soft * sheet.noise(rng, 9, 2) * 0.5)
    sheet.pixels[:] = 0
    total = np.zeros(sheet.shape, np.float32)
    for name, picture in drawn.items():
        here: Field = np.zeros(sheet.shape, np.float32)
        for (q, r), terrain in cells.items():
            if terrain == name:
                here[(at[0] == q) & (at[1] == r)] = 1
        here = np.asarray(cv2.GaussianBlur(here, (0, 0), max(0.4, soft * sheet.ppm / 2)), np.float32)
        sheet.pixels += picture * here[..., None]
        total += here
    # Beside the cells there is more of the first one's land, so a piece's rim is as bright as its middle.
    sheet.pixels += next(iter(drawn.values())) * np.clip(1 - total, 0, 1)[..., None]
    sheet.pixels /= np.maximum(total, 1)[..., None]


def middle_of(cell: tuple[int, int]) -> tuple[float, float]:
    """Return a cell's middle in mm (axial coordinates, pointy tops, redblobgames)."""
    return SIDE * math.sqrt(3) * (cell[0] + cell[1] / 2), SIDE * 1.5 * cell[1]


def _cell_at(x: Field, y: Field) -> tuple[Field, Field]:
    """Return the axial coordinates of the cells under points, by cube rounding (redblobgames)."""
    q, r = (x / math.sqrt(3) - y / 3) / SIDE, y * 2 / 3 / SIDE
    rounded = [np.round(q), np.round(r), np.round(-q - r)]
    off = [np.abs(a - b) for a, b in zip(rounded, (q, r, -q - r), strict=True)]
    near_q = np.where((off[0] > off[1]) & (off[0] > off[2]), -rounded[1] - rounded[2], rounded[0])
    near_r = np.where((off[1] >= off[0]) & (off[1] > off[2]), -rounded[0] - rounded[2], rounded[1])
    return near_q.astype(np.float32), near_r.astype(np.float32)
