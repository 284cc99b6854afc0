"""Cubes counted by their shape: squares of one size, fitted to what they hide of a known look.

Where a cube stands, every pixel of its top says so twice: it is of the cube's tone, and not of what lies below. Even
where the two tones are nearly one (a black cube on a black workshop) a whole top of pixels tells, and where it covers
art a few do. Squares do not overlap, and what surrounds one at once (its sides, its shadow) is no other cube's.
Analysis by synthesis, one square after another, each moved again once the others are known.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import Color
from vision.cubes import CUBE_CELLS, Tone
from vision.flatten import SIDE_PX, Floats
from vision.masks import hexagon

#: A smoothed pixel's spread of tones about what lies there, and the light's along a cube's own tone, as a share of it.
_SPREAD, _LIGHT = 0.02, 0.06
#: No pixel's word (a logarithm of likelihoods) counts for more.
_CAP = 4.5
_TURNS = tuple(math.radians(7.5 * step) for step in range(12))
#: The window of a square in any turn, with what surrounds it.
_REACH_PX = 10
#: Within this much of a square lie its sides and shadow, in cell sides; what no square explains is told nearer to it.
_BESIDE, _NEAR = 0.12, 0.045
_APART_CELLS = 0.36
#: A square of which pixels say less, on average, is none.
_LEAST = 0.3
_MOST = 12
_ROUNDS = 2
#: What is so much brighter (a tone) than the look below, so far inside the cell, is not the shadow of a cube.
_BRIGHTER, _MARGIN = 0.08, 0.25
#: Outside of the cell cubes are not looked for.
_INSET = 0.03
#: A pixel that speaks for a cube so strongly (of the most it can), and so much more than for a shadow, is one's.
_SURE_PIXEL, _NO_SHADOW = 0.55, 1.0
_DARKEST, _LIGHTEST = 0.3, 0.93
#: Of the pixels this share shows what was known to lie there, in a light of its own within limits.
_KEPT, _GAINS = 0.6, (0.75, 1.3)
#: A lamp's reflection adds white light, or less of it than when the look was taught.
_HAZES, _HAZE_COST = (-0.06, -0.03, 0.0, 0.03, 0.06, 0.1), 0.05

Maps = NDArray[np.float32]


@dataclass(frozen=True)
class Square:
    """A cube's top: its colour, how much its pixels speak for it on average, and its middle in the cell's window."""

    color: Color
    gain: float
    column: int
    row: int
    turn: int

    def gap_to(self, other: Square) -> float:
        """Return how far apart two squares lie, in cell sides, along a side of one of them; negative: they overlap."""
        right, down = (self.column - other.column) / SIDE_PX, (self.row - other.row) / SIDE_PX
        between = _TURNS[self.turn] - _TURNS[other.turn]
        widths = CUBE_CELLS / 2 * (1 + abs(math.cos(between)) + abs(math.sin(between)))
        sides = (_TURNS[one.turn] + side for one in (self, other) for side in (0.0, math.pi / 2))
        return max(abs(right * math.cos(side) + down * math.sin(side)) - widths for side in sides)


@dataclass(frozen=True)
class Fitted:
    """The squares found, and of each colour how much no square explains, in tops.

    `strange` is how much shows neither them nor the look, and is brighter than that, in tops: art that was not known.
    `gaps` tells of each colour how near its squares come to each other, in cell sides; infinite for a single one.
    """

    squares: tuple[Square, ...]
    left: Mapping[Color, float]
    strange: float
    gaps: Mapping[Color, float]

    def of(self, color: Color) -> tuple[Square, ...]:
        """Return the squares of a colour."""
        return tuple(square for square in self.squares if square.color is color)


@cache
def _squares(grown_cells: float) -> tuple[Maps, ...]:
    """Return a square's window in each turn, 1 inside, on its edge in part; `grown_cells` larger on every side."""
    fine = 3
    steps = (np.arange((2 * _REACH_PX + 1) * fine) - ((2 * _REACH_PX + 1) * fine - 1) / 2) / fine / SIDE_PX
    x, y = np.meshgrid(steps, steps)
    half = CUBE_CELLS / 2 + grown_cells
    drawn = []
    for turn in _TURNS:
        along, across = np.cos(turn) * x + np.sin(turn) * y, np.cos(turn) * y - np.sin(turn) * x
        inside = ((np.abs(along) <= half) & (np.abs(across) <= half)).astype(np.float32)
        small = cv2.resize(inside, (2 * _REACH_PX + 1, 2 * _REACH_PX + 1), interpolation=cv2.INTER_AREA)
        drawn.append(np.asarray(small, dtype=np.float32))
    return tuple(drawn)


@cache
def _area_px() -> float:
    return float(_squares(0.0)[0].sum())


class _Words:
    """What each pixel of a window says for a cube's top of each colour, and the squares tried against that."""

    def __init__(self, seen: Floats, look: Floats, tops: Mapping[Color, Tone]) -> None:
        self.inside = hexagon(SIDE_PX, _INSET)
        below = ((seen - look) ** 2).sum(axis=2) / (2 * _SPREAD**2)
        brighter = seen.mean(axis=2) > look.mean(axis=2) + _BRIGHTER
        self.other = hexagon(SIDE_PX, _MARGIN) & (below > _CAP) & brighter
        for top in tops.values():
            self.other &= _as_top(seen, top) > _CAP
        self.other = cv2.morphologyEx(self.other.astype(np.uint8), cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)) > 0
        factor = np.clip((seen * look).sum(axis=2) / (look * look).sum(axis=2), _DARKEST, _LIGHTEST)
        shadow = ((seen - factor[..., None] * look) ** 2).sum(axis=2) / (2 * _SPREAD**2)
        self.gains: dict[Color, Maps] = {}
        self.sure: dict[Color, NDArray[np.bool_]] = {}
        for color, top in tops.items():
            as_top = _as_top(seen, top)
            gain = np.minimum(below, _CAP) - np.minimum(as_top, _CAP)
            self.gains[color] = np.where(self.inside, gain, -_CAP / 2).astype(np.float32)
            self.sure[color] = self.inside & (gain > _SURE_PIXEL * _CAP) & (shadow > as_top + _NO_SHADOW)

    def best(self, others: Sequence[Square]) -> Square:
        """Return the square that pixels speak for most, beside others."""
        shape = self.inside.shape
        free = 1 - _painted(others, _BESIDE, shape)
        rows, columns = np.ogrid[: shape[0], : shape[1]]
        taken = np.zeros(shape, bool)
        for other in others:
            taken |= (rows - other.row) ** 2 + (columns - other.column) ** 2 < (_APART_CELLS * SIDE_PX) ** 2
        best, most = None, -math.inf
        for color, gain in self.gains.items():
            words = gain * free
            for turn, square in enumerate(_squares(0.0)):
                sums = cv2.filter2D(words, -1, square, borderType=cv2.BORDER_CONSTANT)
                sums[taken] = -math.inf
                place = int(sums.argmax())
                if sums.flat[place] > most:
                    most = float(sums.flat[place])
                    best = Square(color, most / _area_px(), place % shape[1], place // shape[1], turn)
        assert best is not None, "no colours"
        return best

    def left(self, squares: Sequence[Square]) -> dict[Color, float]:
        """Return how much of each colour is sure, but no square's."""
        free = _painted(squares, _NEAR, self.inside.shape) < 0.5
        return {color: float((sure & free).sum()) / _area_px() for color, sure in self.sure.items()}

    def strange(self, squares: Sequence[Square]) -> float:
        """Return how much beside squares is neither the look nor darker than that, in tops."""
        free = _painted(squares, 0.0, self.inside.shape) < 0.5
        return float((self.other & free).sum()) / _area_px()


def fit_squares(seen: Floats, look: Floats, tops: Mapping[Color, Tone], is_hazy: bool = False) -> Fitted:
    """Return the cubes of these colours on a cell, by its window and the look below them, both as tones.

    `is_hazy`: the look may have been taught in another lamp's reflection than is seen. Windows are (2 SIDE_PX + 1)
    square, the cell's centre in the middle.
    """
    smooth = np.asarray(cv2.blur(seen, (3, 3)), dtype=np.float32)
    below = np.asarray(cv2.blur(look, (3, 3)), dtype=np.float32)
    gain, haze = _light(smooth, below, _HAZES if is_hazy else (0.0,))
    hazed = {color: np.asarray(top + haze * (1 - top), np.float32) for color, top in tops.items()}
    words = _Words(smooth, np.asarray(below * gain + haze, np.float32), hazed)
    found = _filled(words)
    found.sort(key=lambda square: -square.gain)
    return Fitted(tuple(found), words.left(found), words.strange(found), _gaps(found))


def _filled(words: _Words) -> list[Square]:
    """Return all squares that are found, each moved to where it fits best beside the others."""
    found: list[Square] = []
    more = words.best(found)
    while more.gain >= _LEAST and len(found) < _MOST:
        while more.gain >= _LEAST and len(found) < _MOST:
            found.append(more)
            more = words.best(found)
        for _ in range(_ROUNDS if len(found) > 1 else 0):
            for index in range(len(found)):
                found[index] = words.best([*found[:index], *found[index + 1 :]])
        more = words.best(found)
    return [square for square in found if square.gain >= _LEAST]


def _gaps(squares: Sequence[Square]) -> dict[Color, float]:
    gaps = dict.fromkeys(Color, math.inf)
    for one, other in combinations(squares, 2):
        if one.color is other.color:
            gaps[one.color] = min(gaps[one.color], one.gap_to(other))
    return gaps


def _as_top(seen: Floats, top: Tone) -> Maps:
    """Return how badly each pixel fits a cube's top: squared deviations, halved; light along its tone is forgiven."""
    length = float(np.linalg.norm(top))
    off = seen - top
    along = off @ (top / length)
    across = np.maximum((off * off).sum(axis=2) - along * along, 0)
    beyond = np.maximum(np.abs(along) - _LIGHT * length, 0)
    return np.asarray((beyond * beyond + across) / (2 * _SPREAD**2), dtype=np.float32)


def _light(seen: Floats, look: Floats, hazes: Sequence[float]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the gain and the haze of each colour that bring most of the look to what is seen."""
    inside = hexagon(SIDE_PX, _INSET)
    a, b = look[inside], seen[inside]
    best, least = (np.ones(3, np.float32), np.zeros(3, np.float32)), np.inf
    for haze in hazes:
        gain = np.ones(3, np.float32)
        for _ in range(3):
            off = np.abs(b - haze - a * gain).max(axis=1)
            kept = off <= max(float(np.quantile(off, _KEPT)), 0.01)
            gain = np.clip((a[kept] * (b[kept] - haze)).sum(axis=0) / (a[kept] ** 2).sum(axis=0), *_GAINS)
        off = np.abs(b - haze - a * gain).max(axis=1)
        cost = float(np.partition(off, int(_KEPT * len(off)))[: int(_KEPT * len(off))].mean()) + _HAZE_COST * abs(haze)
        if cost < least:
            least, best = cost, (np.asarray(gain, np.float32), np.full(3, haze, np.float32))
    return best


def _painted(squares: Sequence[Square], grown_cells: float, shape: tuple[int, ...]) -> Maps:
    """Return a window that is 1 where squares, grown on every side, lie."""
    padded = np.zeros((shape[0] + 2 * _REACH_PX, shape[1] + 2 * _REACH_PX), np.float32)
    size = 2 * _REACH_PX + 1
    for square in squares:
        part = padded[square.row : square.row + size, square.column : square.column + size]
        np.maximum(part, _squares(grown_cells)[square.turn], out=part)
    return padded[_REACH_PX:-_REACH_PX, _REACH_PX:-_REACH_PX]
