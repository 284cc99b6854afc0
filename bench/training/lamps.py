"""Rooms for the composed printings: which lamps light a table, how much of the light each gives, and how hard it is.

Points are in decimetres from the board's middle: to the right, down, up. Light is of three parts, B G R.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Light = NDArray[np.float32]
Point = NDArray[np.float64]
Range = tuple[float, float]

#: Light that comes from lower than this, as the upward share of its direction, casts no longer shadows.
_LOWEST = 0.3
#: The spread of a shadow's edge as a share of its width: as light falls off evenly there, the root of a twelfth.
_EVEN = 0.29
#: How far from the board's middle a piece may lie, and how often the sun does not reach it.
_REACH, _SHADED = 2.2, 0.4


@dataclass(frozen=True, eq=False)
class Lamp:
    """A lamp; `towards` it (right, down, up) has length 1.

    `share` (3,) is how much of all light on the board is its own, `width` its size divided by its distance.
    """

    towards: Point
    share: Light
    width: float

    def ahead(self, heights: Point | float) -> Point:
        """Return how far ahead of its shadow something of that height is, (right, down), towards the lamp."""
        return np.asarray(heights * self.towards[:2] / max(self.towards[2], _LOWEST))

    def softness(self, height: float) -> float:
        """Return the spread of the edge of a shadow that something of that height casts, in the height's unit."""
        return float(_EVEN * self.width * height / max(self.towards[2], _LOWEST) ** 2)

    def gloss(self, normal: Point, camera: Point, roughness: float) -> Light:
        """Return how much light a face mirrors towards the camera, compared with the light on the board.

        It follows the distribution of Trowbridge and Reitz (GGX), which a lamp's width makes broader.
        """
        falling = float(normal @ self.towards)
        if falling <= 0:
            return np.zeros(3, np.float32)
        half = self.towards + camera
        cosine = float(normal @ half) / float(np.linalg.norm(half))
        alpha = min(1.0, roughness**2 + self.width / 4)
        spread = alpha**2 / (math.pi * (cosine**2 * (alpha**2 - 1) + 1) ** 2)
        mirrored = math.pi * spread * _MIRRORED / (4 * max(float(normal @ camera), 0.2))
        return np.asarray(self.share * np.float32(mirrored / max(float(self.towards[2]), _LOWEST)), np.float32)


#: How much of the light that meets it straight on is mirrored by painted wood.
_MIRRORED = 0.032


@dataclass(frozen=True)
class _Kind:
    """A kind of lamp: its light (power divided by pi, which falls with the square of the distance; the sun's does not).

    `kelvin` is its colour, `away` how far aside and `high` how far above the board, `size` its size.
    """

    power: Range
    kelvin: Range
    away: Range
    high: Range
    size: Range
    is_sun: bool = False


_WINDOW = _Kind((480, 1330), (5200, 8500), (15, 22), (7, 13), (5.5, 8.5))
_LAMP = _Kind((300, 700), (2500, 5000), (1, 12), (9, 16), (0.3, 2.2))
_COOLER = _Kind((170, 450), (3800, 7500), (2, 12), (8, 15), (0.3, 2.0))
_BULB = _Kind((80, 130), (2600, 5500), (4, 11), (5.5, 11), (0.08, 0.4))
_SUN = _Kind((2.2, 5.5), (4800, 5600), (16, 16), (9, 17), (0.15, 0.6), is_sun=True)
#: How often a room has these lamps, and how much light comes from everywhere.
_ROOMS: Sequence[tuple[float, Range, Sequence[_Kind]]] = (
    (0.12, (0.9, 1.8), (_WINDOW,)),
    (0.12, (0.9, 1.8), (_WINDOW, _WINDOW)),
    (0.2, (0.3, 0.8), (_LAMP,)),
    (0.18, (0.25, 0.7), (_LAMP, _COOLER)),
    (0.12, (0.4, 0.95), (_WINDOW, _SUN)),
    (0.08, (0.2, 0.6), (_BULB,)),
    (0.06, (0.2, 0.6), (_BULB, _LAMP)),
    (0.12, (0.4, 0.95), (_WINDOW, _LAMP)),
)
#: The colour of light from everywhere, B G R.
_EVERYWHERE = np.array([0.92, 0.99, 1.05])


def some_lamps(rng: np.random.Generator) -> tuple[Lamp, ...]:
    """Return a room's lamps as they light a piece of the board."""
    chances = np.array([often for often, _, _ in _ROOMS])
    _, everywhere, kinds = _ROOMS[int(rng.choice(len(_ROOMS), p=chances / chances.sum()))]
    here = np.array([*_around(_REACH * math.sqrt(rng.random()), rng), 0.0])
    each = [one for kind in kinds if (one := _shining(kind, here, rng)) is not None]
    whole = rng.uniform(*everywhere) * _EVERYWHERE + sum((light for _, light, _ in each), np.zeros(3))
    return tuple(Lamp(towards, np.asarray(light / whole, np.float32), width) for towards, light, width in each)


def _shining(kind: _Kind, here: Point, rng: np.random.Generator) -> tuple[Point, NDArray[Any], float] | None:
    """Return where a lamp's light comes from, how much of it falls on a place, and its width; None in the shade."""
    if kind.is_sun and rng.random() < _SHADED:
        return None
    lamp = np.array([*_around(rng.uniform(*kind.away), rng), rng.uniform(*kind.high)])
    ray = lamp if kind.is_sun else lamp - here
    far = float(np.linalg.norm(ray))
    towards = ray / far
    power = rng.uniform(*kind.power) if kind.is_sun else rng.uniform(*kind.power) / far**2
    return towards, power * towards[2] * _tint(rng.uniform(*kind.kelvin)), rng.uniform(*kind.size) / far


def _around(away: float, rng: np.random.Generator) -> tuple[float, float]:
    angle = rng.uniform(0, math.tau)
    return away * math.cos(angle), away * math.sin(angle)


def _tint(kelvin: float) -> NDArray[np.float64]:
    """Return roughly the colour of a lamp, B G R, relative to green."""
    thousands = kelvin / 1000
    return np.clip([0.17 * thousands - 0.12, 1.0, 1.55 - 0.095 * thousands], (0.25, 1, 0.6), (1.4, 1, 1.6))
