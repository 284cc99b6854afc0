"""Made-up grounds and roads: how a printing draws its three terrains, and its roads over them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bench.training import canvas
from bench.training.canvas import DOWN, EDGE, OUTWARD, RIGHT, Ink, Tones, covered, painted, varied
from companion.board import Color, Terrain

#: What is usual: plain, forest and hill; black, grey, yellow and red. B G R.
_USUAL_LANDS = ((0.36, 0.74, 0.76), (0.24, 0.46, 0.35), (0.29, 0.48, 0.69))
USUAL_COLORS = ((0.2, 0.2, 0.2), (0.6, 0.6, 0.62), (0.2, 0.6, 0.85), (0.2, 0.18, 0.65))
_MARKS = ("none", "dot", "tree", "hill", "stroke", "bush", "ring")
_ROADS = ("plain", "plain", "edged", "rails", "dashed", "sleepers", "cobbles", "middle")
DARK, LIGHT = np.full(3, 0.15), np.full(3, 0.87)
#: How near a bend's middle line is to its corner, in cell sides.
_BEND = 1.5


@dataclass(frozen=True, eq=False)
class Ground:
    """How a terrain is drawn: its ink and noise, and marks strewn over it."""

    ink: Ink
    noise: float
    noise_cells: float
    mark: str
    marks: int
    size: float
    inks: tuple[Ink, ...]

    @classmethod
    def made_up(cls, rng: np.random.Generator, ink: Ink) -> Ground:
        """Return some way to draw it."""
        noise, noise_cells = rng.uniform(0, 0.16), _about(rng, 0.03, 0.3)
        mark, marks, size = str(rng.choice(_MARKS)), int(rng.integers(5, 34)), _about(rng, 0.05, 0.2)
        inks = tuple(varied(rng, ink * rng.uniform(0.45, 1.5), 0.12) for _ in range(3 if rng.random() < 0.4 else 1))
        return cls(ink, noise, noise_cells, mark, marks, size, inks)

    def picture(self, rng: np.random.Generator) -> Tones:
        """Return a cell of it; no two are alike."""
        found = canvas.plain(self.ink)
        found *= np.exp(canvas.grain(rng, self.noise_cells * canvas.SIDE_PX) * self.noise)[..., None]
        for _ in range(self.marks):
            place, size = rng.uniform(-1.15, 1.15, 2), self.size * rng.uniform(0.7, 1.3)
            self._strew(found, place, size, self.inks[int(rng.integers(len(self.inks)))], rng)
        return found

    def _strew(self, on: Tones, place: Ink, size: float, ink: Ink, rng: np.random.Generator) -> None:
        match self.mark:
            case "dot":
                canvas.disc(on, place, size * 0.6, ink)
            case "tree":
                canvas.polygon(on, [place + np.array(to) * size for to in ((-0.6, 0.5), (0.6, 0.5), (0, -1))], ink)
            case "hill":
                canvas.arc(on, place, size, ink)
            case "stroke":
                canvas.line(on, place, place + canvas.towards(rng.uniform(0, math.tau), size * 1.5), ink)
            case "bush":
                canvas.disc(on, place + 0.3 * size, size, ink * 0.55)
                canvas.disc(on, place, size, ink)
            case "ring":
                canvas.disc(on, place, size, ink, 1)


@dataclass(frozen=True, eq=False)
class RoadPrint:
    """How roads are drawn: their style, how wide they and their rims are, and their inks; `shine` is the tile's own."""

    style: str
    inks: tuple[Ink, ...]
    neutral: Ink
    rim: Ink | None
    width: float
    rim_width: float
    shine: float

    @classmethod
    def made_up(cls, rng: np.random.Generator) -> RoadPrint:
        """Return some way to draw them."""
        inks = tuple(varied(rng, ink, 0.16) for ink in USUAL_COLORS)
        rims = (None, np.full(3, 0.12), np.full(3, 0.9), varied(rng, (0.5, 0.6, 0.65), 0.2))
        return cls(
            str(rng.choice(_ROADS)),
            inks,
            neutral(rng),
            rims[int(rng.integers(4))],
            rng.uniform(0.13, 0.27),
            rng.uniform(0.02, 0.05),
            math.exp(rng.normal(0, 0.06)),
        )

    def over(self, ground: Tones, color: Color, is_straight: bool, rng: np.random.Generator) -> Tones:
        """Return the ground with a road that joins edges 0 and 3, or 0 and 2."""
        found, ink, width = ground * np.float32(self.shine), self.inks[list(Color).index(color)], self.width
        if is_straight:
            aside, along = np.abs(DOWN), RIGHT
        else:
            right, down = canvas.towards(-math.radians(60), math.sqrt(3))
            aside = np.abs(np.hypot(RIGHT - right, DOWN - down) - _BEND)
            along = np.arctan2(DOWN - down, RIGHT - right) * _BEND
        if self.rim is not None:
            found = painted(found, self.rim, covered(width + self.rim_width - aside))
        whole = covered(width - aside)
        match self.style:
            case "plain":
                return painted(found, ink, whole)
            case "edged":
                return painted(painted(found, ink, whole), self.neutral, covered(width * 0.55 - aside))
            case "rails":
                return painted(painted(found, self.neutral, whole), ink, covered(0.035 - np.abs(aside - width * 0.55)))
            case "dashed":
                dashes = covered(np.minimum(0.03 - aside, np.sin(along * 18) * 0.05))
                return painted(painted(found, ink, whole), self.neutral, dashes)
            case "middle":
                return painted(painted(found, self.neutral, whole), ink, covered(width * 0.5 - aside))
            case "sleepers":
                sleepers = covered(np.minimum(width - aside, np.sin(along * 22) * 0.05 + 0.01))
                rails = covered(0.04 - np.abs(aside - width * 0.6))
                return painted(painted(found, self.neutral * 0.6, sleepers), ink, rails)
        rough = np.exp(0.15 * canvas.grain(rng, 0.05 * canvas.SIDE_PX)) * (aside < width) + (aside >= width)
        return np.asarray(painted(found, ink, whole) * rough[..., None], dtype=np.float32)


def lands(rng: np.random.Generator) -> tuple[Ink, ...]:
    """Return the inks of the three terrains: most often about the usual ones."""
    is_wild = rng.random() < 0.4
    return tuple(rng.uniform(0.1, 0.9, 3) if is_wild else varied(rng, ink, 0.18) for ink in _USUAL_LANDS)


def grounds(rng: np.random.Generator, inks: tuple[Ink, ...]) -> tuple[Ground, ...]:
    """Return how each terrain is drawn."""
    return tuple(Ground.made_up(rng, ink) for _, ink in zip(Terrain, inks, strict=True))


def neutral(rng: np.random.Generator) -> Ink:
    """Return an ink without much tint."""
    return varied(rng, float(rng.choice([0.25, 0.7, 0.85])) * np.ones(3), 0.1)


def seam(rng: np.random.Generator) -> Ink | None:
    """Return the ink of lines round cells or tiles, None where there are none."""
    return (None, DARK, LIGHT)[int(rng.integers(3))]


def framed(picture: Tones, ink: Ink | None, width: float) -> Tones:
    """Return a cell with a line round it."""
    if ink is None:
        return picture
    return painted(picture, ink, covered(OUTWARD - (EDGE - width)) * covered(EDGE - OUTWARD))


def _about(rng: np.random.Generator, least: float, most: float) -> float:
    return math.exp(rng.uniform(math.log(least), math.log(most)))
