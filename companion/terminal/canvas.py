"""The terminal: a canvas of characters, each with its style, and the screen, borrowed and given back.

Anything beyond the canvas's rim is not drawn. Terminals have 16 million colours, 256, or none.

The screen shows pages and reads keys, and leaves the terminal as it was.
"""

from __future__ import annotations

import os
import re
import select
import signal
import termios
import unicodedata
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import cache
from itertools import groupby, product
from types import FrameType
from typing import Any, TextIO

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
        """Return what the environment promises; a NO_COLOR (https://no-color.org) that is not empty forbids colours."""
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
    """Return the text without anything that could control a terminal: people choose names, and files hold them."""
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
    """Return the text, with its end cut off if it needs more columns."""
    text = printable(text)
    if columns_of(text) <= columns:
        return text
    while text and columns_of(text) >= columns:
        text = text[:-1]
    return f"{text}…" if columns > 0 else ""


def wrapped(text: str, columns: int) -> list[str]:
    """Return the text in lines of at most that many columns, broken between words if possible."""
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


#: A key that sends several characters sends them at once; an Escape alone for this long is the key Esc.
ESCAPE_S = 0.05

_SEQUENCE = re.compile(rb"\x1b(?:\[[0-9;]*|O)?([A-Za-z~])")
_HALF_A_SEQUENCE = re.compile(rb"\x1b(?:\[[0-9;]*|O)?")

#: The terminal's second page without a cursor, and the way back to the first.
_TAKE, _GIVE_BACK = "\x1b[?1049h\x1b[?25l", "\x1b[0m\x1b[?25h\x1b[?1049l"


class Key(Enum):
    """What a key asks for."""

    ON = auto()
    BACK = auto()
    PAGE_ON = auto()
    PAGE_BACK = auto()
    FIRST = auto()
    LAST = auto()
    QUIT = auto()


#: Escape sequences by their last letter, or by the number before a tilde; then single characters.
_LETTERS = {b"C": Key.ON, b"B": Key.ON, b"D": Key.BACK, b"A": Key.BACK, b"H": Key.FIRST, b"F": Key.LAST}
_NUMBERS = {b"1": Key.FIRST, b"7": Key.FIRST, b"4": Key.LAST, b"8": Key.LAST, b"5": Key.PAGE_BACK, b"6": Key.PAGE_ON}
_CHARACTERS = {
    b"l": Key.ON, b"j": Key.ON, b" ": Key.ON, b"\r": Key.ON, b"\n": Key.ON,
    b"h": Key.BACK, b"k": Key.BACK, b"\x7f": Key.BACK, b"\b": Key.BACK,
    b"g": Key.FIRST, b"G": Key.LAST,
    b"q": Key.QUIT, b"Q": Key.QUIT, b"\x03": Key.QUIT, b"\x04": Key.QUIT,
}  # fmt: skip


class Screen:
    """The terminal at both ends, `keys` and `out`, while a `with` lasts. Belongs to the main thread.

    Keys are not echoed, and none of them is a signal; SIGTERM and SIGHUP end the `with` as Ctrl-C does elsewhere.
    """

    def __init__(self, keys: TextIO, out: TextIO) -> None:
        self._keys, self._out = keys.fileno(), out
        self._typed = b""
        self._before: list[Any] = []
        self._signals: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Screen:
        self._before = termios.tcgetattr(self._keys)
        for number in (signal.SIGTERM, signal.SIGHUP):
            self._signals[number] = signal.signal(number, _leave)
        try:
            mode = termios.tcgetattr(self._keys)
            mode[3] &= ~(termios.ECHO | termios.ICANON | termios.ISIG | termios.IEXTEN)
            mode[6][termios.VMIN], mode[6][termios.VTIME] = 1, 0
            termios.tcsetattr(self._keys, termios.TCSADRAIN, mode)
            self._write(_TAKE)
        except BaseException:
            self._give_back()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self._give_back()

    @property
    def size(self) -> tuple[int, int]:
        """How many columns and lines the terminal has now."""
        with suppress(OSError):
            columns, lines = os.get_terminal_size(self._out.fileno())
            return columns or 80, lines or 24
        return 80, 24

    def show(self, lines: Sequence[str]) -> None:
        """Show the page; it has as many lines as the terminal."""
        self._write("\x1b[H" + "\r\n".join(f"{line}\x1b[0m\x1b[K" for line in lines))

    def key(self, timeout_s: float) -> Key | None:
        """Return the next key that asks for something; None if none came in time. A closed terminal quits."""
        if not self._typed and not self._read(timeout_s):
            return None
        while _HALF_A_SEQUENCE.fullmatch(self._typed) and self._read(ESCAPE_S):
            continue
        if match := _SEQUENCE.match(self._typed):
            sequence, self._typed = match[0], self._typed[match.end() :]
            number = re.match(rb"\x1b\[(\d*)", sequence)
            return _NUMBERS.get(number[1]) if match[1] == b"~" and number else _LETTERS.get(match[1])
        character, self._typed = self._typed[:1], self._typed[1:]
        if character == b"\x1b":
            self._typed = b""
            return Key.QUIT
        return _CHARACTERS.get(character)

    def _read(self, timeout_s: float) -> bool:
        """Wait for a key; return whether one came."""
        try:
            if not select.select([self._keys], [], [], timeout_s)[0]:
                return False
            typed = os.read(self._keys, 64)
        except OSError:  # the terminal is gone
            typed = b""
        self._typed += typed or b"\x04"
        return True

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()

    def _give_back(self) -> None:
        with suppress(OSError, ValueError):
            self._write(_GIVE_BACK)
        with suppress(termios.error):
            termios.tcsetattr(self._keys, termios.TCSADRAIN, self._before)
        for number, handler in self._signals.items():
            signal.signal(number, handler)


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
