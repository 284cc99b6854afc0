"""How a terminal colours characters: in 16 million colours, in 256, or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from itertools import product

import click

Rgb = tuple[int, int, int]

#: The steps of each channel in the 6 x 6 x 6 colours of a terminal that has 256, and where those and the greys begin.
CUBE_STEPS, CUBE, GREYS = (0, 95, 135, 175, 215, 255), 16, 232


@dataclass(frozen=True, slots=True)
class Style:
    """How a character looks; a colour that is None is the terminal's own. `is_reversed` shows only without colours."""

    fg: Rgb | None = None
    bg: Rgb | None = None
    is_bold: bool = False
    is_dim: bool = False
    is_reversed: bool = False


PLAIN = Style()

WHITE: Rgb = (255, 255, 255)


class Ink(Enum):
    """What the terminal can colour with."""

    NONE = auto()
    INDEXED = auto()
    TRUE = auto()

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Ink:
        """Return what the environment promises; NO_COLOR (https://no-color.org), not empty, forbids colours."""
        if environment.get("NO_COLOR") or environment.get("TERM") == "dumb":
            return cls.NONE
        return cls.TRUE if environment.get("COLORTERM") in ("truecolor", "24bit") else cls.INDEXED

    def paint(self, text: str, style: Style) -> str:
        """Return the text with the sequences that make it look so."""
        if style == PLAIN or not text:
            return text
        if self is Ink.NONE:
            return click.style(
                text, bold=style.is_bold or None, dim=style.is_dim or None, reverse=style.is_reversed or None
            )
        return click.style(
            text, self._color(style.fg), self._color(style.bg), bold=style.is_bold or None, dim=style.is_dim or None
        )

    def _color(self, color: Rgb | None) -> Rgb | int | None:
        return indexed(color) if self is Ink.INDEXED and color is not None else color


def rgb(code: str) -> Rgb:
    """Return the colour of a code such as #17181c."""
    return int(code[1:3], 16), int(code[3:5], 16), int(code[5:7], 16)


def mixed(one: Rgb, other: Rgb, share: float) -> Rgb:
    """Return the colour that has this share of the other."""
    red, green, blue = (round(a + share * (b - a)) for a, b in zip(one, other, strict=True))
    return red, green, blue


@cache
def indexed(color: Rgb) -> int:
    """Return the number of the nearest of the 256 colours: in the cube, or of the greys."""
    cube = {CUBE + place: each for place, each in enumerate(product(CUBE_STEPS, CUBE_STEPS, CUBE_STEPS))}
    greys = {GREYS + step: (8 + 10 * step, 8 + 10 * step, 8 + 10 * step) for step in range(24)}
    return min((cube | greys).items(), key=lambda named: _distance(color, named[1]))[0]


def _distance(one: Rgb, other: Rgb) -> int:
    """Return how far apart colours look: another hue is worse than another lightness."""
    red, green, blue = (a - b for a, b in zip(one, other, strict=True))
    return ((red + green + blue) // 3) ** 2 + 3 * ((red - green) ** 2 + (green - blue) ** 2)
