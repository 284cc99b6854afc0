"""Characters in lines and columns, each with its style; what lies beyond the rim is not drawn."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from itertools import groupby

from companion.terminal.ink import PLAIN, WHITE, Ink, Rgb, Style


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

    def text(self, ink: Ink) -> tuple[str, ...]:
        """Return the lines as they are sent to the terminal, without what is blank at their ends."""
        return tuple(_painted(cells, ink) for cells in self._cells)


def _painted(cells: list[tuple[str, Style]], ink: Ink) -> str:
    last = max((place for place, cell in enumerate(cells, 1) if cell != (" ", PLAIN)), default=0)
    runs = groupby(cells[:last], key=lambda cell: cell[1])
    return "".join(ink.paint("".join(character for character, _ in run), style) for style, run in runs)


def printable(text: str) -> str:
    """Return the text without what could steer a terminal: names are people's, and come from files."""
    composed = unicodedata.normalize("NFC", text)
    return "".join(
        # French sets spaces that do not break before its colons; Python calls only the plain one printable.
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
    """Return the text, its end left out where it needs more columns."""
    text = printable(text)
    if columns_of(text) <= columns:
        return text
    while text and columns_of(text) >= columns:
        text = text[:-1]
    return f"{text}…" if columns > 0 else ""


def wrapped(text: str, columns: int) -> list[str]:
    """Return the text in lines of at most so many columns, broken between words where that can be."""
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
