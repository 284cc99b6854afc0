"""Characters in lines and columns, each with its style; anything beyond the rim is not drawn.

A terminal colours them in 16 million colours, in 256, or not at all.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import cache
from itertools import groupby, product

import click

from companion.drawing import colours

Rgb = tuple[int, int, int]

#: The steps of each channel in the 6 x 6 x 6 colours of a terminal that has 256, and where those and the greys begin.
CUBE_STEPS, CUBE, GREYS = (0, 95, 135, 175, 215, 255), 16, 232


@dataclass(frozen=True, slots=True)
class Style:
    """How a character looks; a colour of None is the terminal's own. `is_reversed` shows only without colours."""

    fg: Rgb | None = None
    bg: Rgb | None = None
    is_bold: bool = False
    is_dim: bool = False
    is_reversed: bool = False


PLAIN = Style()

WHITE: Rgb = (255, 255, 255)


class Ink(Enum):
    """The colours that the terminal has."""

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
        """Return the text with the escape sequences for that style."""
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


def named_colours() -> dict[str, Rgb]:
    """Return the colours of the scoreboard's style sheet by name."""
    return {name: rgb(code) for name, code in colours().items()}


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


class Canvas:
    """A page of characters. Belongs to whoever draws on it."""

    def __init__(self, columns: int, lines: int) -> None:
        self.columns, self.lines = columns, lines
        self._cells: list[list[tuple[str, Style]]] = [[(" ", PLAIN)] * columns for _ in range(lines)]

    def put(self, x: int, y: int, text: str, style: Style = PLAIN) -> int:
        """Write from there to the right; return the column after the last. Characters may be two columns wide."""
        for character in printable(text):
            width = columns_of(character)
            if width and 0 <= y < self.lines and x >= 0 and x + width <= self.columns:
                self._cells[y][x : x + width] = [(character, style), ("", style)][:width]
            x += width
        return x

    def tint(self, x: int, y: int, bg: Rgb) -> None:
        """Put a dark background behind the character there, which becomes white; without colours it is reversed."""
        if 0 <= y < self.lines and 0 <= x < self.columns:
            character, style = self._cells[y][x]
            self._cells[y][x] = (character, replace(style, fg=WHITE, bg=bg, is_reversed=True))

    def bar(self, x: int, y: int, size: CellSize, mark: Mark) -> None:
        """Mark a cell of that size with bars at its left and right."""
        for line in range(size.lines):
            for column in (0, size.columns - 1):
                self.tint(x + column, y + line, mark.value)

    def text(self, ink: Ink) -> tuple[str, ...]:
        """Return the lines as they are sent to the terminal, without blanks at their ends."""
        return tuple(_painted(cells, ink) for cells in self._cells)


def _painted(cells: list[tuple[str, Style]], ink: Ink) -> str:
    last = max((place for place, cell in enumerate(cells, 1) if cell != (" ", PLAIN)), default=0)
    runs = groupby(cells[:last], key=lambda cell: cell[1])
    return "".join(ink.paint("".join(character for character, _ in run), style) for style, run in runs)


def printable(text: str) -> str:
    """Return the text without anything that could steer a terminal: names are people's, and come from files."""
    composed = unicodedata.normalize("NFC", text)
    return "".join(
        # French sets non-breaking spaces before its colons; Python calls only the plain one printable.
        character if character.isprintable() or unicodedata.category(character) == "Zs" else "\N{REPLACEMENT CHARACTER}"
        for character in composed
    )


def columns_of(text: str) -> int:
    """Return how many columns a terminal needs for the text."""
    return sum(
        0 if unicodedata.category(character) in ("Mn", "Me") else 1 + (unicodedata.east_asian_width(character) in "WF")
        for character in text
    )


def cut(text: str, columns: int) -> str:
    """Return the text, its end cut off if it needs more columns."""
    text = printable(text)
    if columns_of(text) <= columns:
        return text
    while text and columns_of(text) >= columns:
        text = text[:-1]
    return f"{text}…" if columns > 0 else ""


def wrapped(text: str, columns: int) -> list[str]:
    """Return the text in lines of at most so many columns, broken between words if possible."""
    lines = [""]
    for word in printable(text).split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if columns_of(longer) <= columns:
            lines[-1] = longer
        elif lines[-1]:
            lines.append(word)
        else:
            lines[-1] = word
    return [cut(line, columns) for line in lines]


@dataclass(frozen=True, slots=True)
class CellSize:
    """How many characters a cell takes; an even number of columns."""

    columns: int
    lines: int


class Mark(Enum):
    """How a cell stands out, with its colour."""

    LEGAL = (14, 122, 61)
    ILLEGAL = (208, 17, 31)
    ASK = (214, 132, 0)
