"""How each player's pieces look: a class of the style sheet, a shape of their own, and a letter.

Colours that the style sheet knows look like themselves; a table may name others, which get one of a few neutral looks
in the order of the players. Nothing that people type gets into a drawing except a letter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from companion.board import PlayerColor

#: The colours that have a class in board.css and a shape in shapes.svg, with the letters they have among themselves.
KNOWN = {
    "black": "B",
    "grey": "G",
    "yellow": "Y",
    "red": "R",
    "green": "Gr",
    "brown": "Br",
    "blue": "Bl",
}

#: The number of looks for other colours: as many as players.
OTHERS = 4


@dataclass(frozen=True, slots=True)
class Look:
    """`name` is a class of board.css and, after "o-", a shape of shapes.svg; `letter` is one or two characters."""

    name: str
    letter: str


#: Each colour's look; a colour that is missing has the one that `look_of` gives.
Looks: TypeAlias = Mapping[PlayerColor, Look]


@lru_cache(maxsize=32)
def looks_of(colors: Sequence[PlayerColor], names: Sequence[str] = ()) -> Looks:
    """Return the looks of players of those colours, given in seat order as a tuple.

    `names` are what the colours are called in the reader's language, and give the letters; a tuple as well.

    >>> [look.letter for look in looks_of(("green", "brown", "blue", "yellow")).values()]
    ['G', 'Br', 'Bl', 'Y']
    >>> [look.name for look in looks_of(("green", "teal", "<b>")).values()]
    ['green', 'other-1', 'other-2']
    >>> [look.letter for look in looks_of(("black", "grey", "yellow"), ("schwarz", "grau", "gelb")).values()]
    ['S', 'Gr', 'Ge']
    """
    called = names or tuple(map(str, colors))
    others = [color for color in colors if str(color) not in KNOWN]
    return {
        color: Look(
            f"other-{others.index(color) % OTHERS + 1}" if color in others else str(color), _letter(seat, called)
        )
        for seat, color in enumerate(colors)
    }


def two(letters: str) -> str:
    """Return, as an attribute, the class of a text of two letters, which has to be smaller; else ""."""
    return ' class="two"' if len(letters) > 1 and letters.isalpha() else ""


def look_of(color: PlayerColor, looks: Looks | None = None) -> Look:
    """Return the look of that colour among those; its own if it is not among them."""
    look = None if looks is None else looks.get(color)
    if look is not None:
        return look
    name = str(color)
    return Look(name, KNOWN[name]) if name in KNOWN else Look("other-1", _letter(0, (name,)))


def _letter(seat: int, names: Sequence[str]) -> str:
    """Return the name's first letter, or its first two if another begins alike; the seat's number if neither helps."""
    for length in (1, 2):
        begins = names[seat][:length].capitalize()
        alike = [other for other in names if other[:length].capitalize() == begins]
        if begins.isalpha() and len(alike) == 1:
            return begins
    return str(seat + 1)
