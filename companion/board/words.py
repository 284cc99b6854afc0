"""What lies on a cell, in a few words and back: how people type it on a command line.

```
bare                      nothing
red plain straight 0-3    a road tile of red's, with the edges that its road leaves by
black workshop            a workshop
city, black 1, red 2      a settlement with merchants
village grey              a settlement with a merchant
red 2                     two merchants on bare ground
snow, mountain            what lies on Silk Road's board before a game
green section 7 turned 1  a road section by its owner and its id, turned anticlockwise by that many quarters
```
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from enum import StrEnum
from typing import TypeVar

from companion.board.components import (
    BARE,
    EDGE_PAIRS,
    Color,
    Contents,
    LaidSection,
    Merchants,
    Mountain,
    Road,
    Settlement,
    SettlementType,
    Shape,
    Snow,
    Terrain,
    Tile,
    Workshop,
)
from companion.board.fields import BadInputError

Word = TypeVar("Word", bound=StrEnum)

#: Examples of right input, for errors.
EXAMPLES = "'bare', 'red plain straight 0-3', 'black workshop' or 'city, black 1, red 2'"

#: No colour has more merchants than this (rules: twelve cubes each), so none has more on a cell.
MOST_MERCHANTS = 12


def contents_from_words(text: str, sections: Collection[LaidSection] = ()) -> Contents:
    """Return the contents that the words describe; raises BadInputError saying what is wrong.

    Within a part, words may come in any order. `sections` are all that there are, whoever has them and however they
    lie.

    >>> contents_from_words("Red plain 3-0").tile
    Road(color=<Color.RED: 'red'>, terrain=<Terrain.PLAIN: 'plain'>, edges=(0, 3))
    """
    parts = [part.split() for part in text.lower().split(",")]
    if not all(parts):
        raise BadInputError(f"contents are {text!r:.60}; write {EXAMPLES}")
    if parts == [["bare"]]:
        return BARE
    tiles, counts = list[Tile](), dict[Color, int]()
    for words in parts:
        if "section" in words:
            tiles.append(_section(words, sections))
            continue
        if settled := _settled(words):
            tiles.append(settled[0])
            merchants = [(color, 1) for color in settled[1]]
        elif len(words) == 2 and (count := _merchants(words)):
            merchants = [count]
        else:
            tiles.append(_tile_from_words(words))
            continue
        for color, number in merchants:
            if color in counts:
                raise BadInputError(f"contents are {text!r:.60}, which count {color} twice; count each colour once")
            counts[color] = number
    if len(tiles) > 1:
        raise BadInputError(f"contents are {text!r:.60}; at most one tile lies on a cell, merchants stand like 'red 2'")
    return Contents(tiles[0] if tiles else None, Merchants.of(counts))


def contents_to_words(contents: Contents) -> str:
    """Return words that `contents_from_words` understands; a section's id is used as it is.

    >>> contents_to_words(Contents(Settlement(SettlementType.CITY), Merchants(black=1, red=2)))
    'city, black 1, red 2'
    """
    tile = () if contents.tile is None else (_tile_to_words(contents.tile),)
    return ", ".join([*tile, *(f"{color} {count}" for color, count in contents.merchants.counts.items())]) or "bare"


def _tile_to_words(tile: Tile) -> str:
    match tile:
        case Settlement(type=kind):
            return kind.value
        case Workshop(color=color):
            return f"{color} workshop"
        case Road(color=color, terrain=terrain, shape=shape, edges=(first, last)):
            return f"{color} {terrain} {shape} {first}-{last}"
        case LaidSection(section=section, color=owner, turn=turn):
            return f"{owner} section {section.id}" + (f" turned {turn}" if turn else "")
        case Snow() | Mountain():
            return type(tile).__name__.lower()


def _settled(words: list[str]) -> tuple[Settlement, list[Color]] | None:
    """Return a settlement and the colours named with it, a merchant of each; None if the words say something else."""
    kinds = [word for word in words if word in list(SettlementType)]
    colors = [Color(word) for word in words if word in list(Color)]
    if len(kinds) != 1 or not colors or len(words) != 1 + len(colors):
        return None
    return Settlement(SettlementType(kinds[0])), colors


def _section(words: list[str], sections: Collection[LaidSection]) -> LaidSection:
    said = " ".join(words)
    owner, _, lie = said.partition("section")
    name, _, turn = lie.partition(" turned ")
    if not (name.strip() and re.fullmatch("[0-3]?", turn)) or said.endswith(" turned"):
        raise BadInputError(f"a section is {said!r:.60}; write 'green section 7', or 'green section 7 turned 1', to 3")
    known = {(laid.color.lower(), laid.section.id.lower()): laid for laid in sections}
    laid = known.get((owner.strip(), name.strip()))
    if laid is None:
        there = f"there are {_few(known)}" if known else "no sections are known here: write it as JSON, after --json"
        raise BadInputError(f"a section is {said!r:.60}; {there}")
    return replace(laid, turn=int(turn or 0)).least_turned


def _few(known: Collection[tuple[str, str]]) -> str:
    names = [f"{owner} section {name}" for owner, name in known]
    return f"{', '.join(names[:3])!r:.120}" + (" and others" if len(names) > 3 else "")


def _merchants(words: list[str]) -> tuple[Color, int] | None:
    """Return a colour and how many merchants it has; None if the words are about something else."""
    if (digits := next((word for word in words if re.fullmatch(r"[0-9]+", word)), None)) is None:
        return None
    color = next((color for color in Color if color in words), None)
    if color is None:
        raise BadInputError(f"merchants are {' '.join(words)!r:.60}; write a colour and a number, such as 'red 2'")
    if len(digits) > 2 or not 1 <= int(digits) <= MOST_MERCHANTS:
        raise BadInputError(f"merchants are {' '.join(words)!r:.60}; there are from 1 to {MOST_MERCHANTS} of a colour")
    return color, int(digits)


def _tile_from_words(words: list[str]) -> Tile:
    said = " ".join(words)
    if words in (["snow"], ["mountain"]):
        return Snow() if words == ["snow"] else Mountain()
    left = list(words)
    kinds, colors = _taken(SettlementType, left), _taken(Color, left)
    terrains, shapes = _taken(Terrain, left), _taken(Shape, left)
    is_workshop = "workshop" in left
    edges = [word for word in left if re.fullmatch(r"[0-5]-[0-5]", word)]
    if unknown := [word for word in left if word != "workshop" and word not in edges]:
        raise BadInputError(
            f"a tile is {said!r:.60}, with {unknown[0]!r:.30}, which means nothing here; write {EXAMPLES}"
        )
    if len(words) == 1 and kinds:
        return Settlement(kinds[0])
    if len(words) == 2 and is_workshop and colors:
        return Workshop(colors[0])
    if kinds or is_workshop or not (len(colors) == len(terrains) == len(edges) == 1 and len(shapes) <= 1):
        raise BadInputError(f"a tile is {said!r:.60}; write {EXAMPLES}")
    first, last = sorted(int(edge) for edge in edges[0].split("-"))
    if (first, last) not in EDGE_PAIRS:
        raise BadInputError(f"a tile is {said!r:.60}; a road joins two edges from 0 to 5 that are not side by side")
    road = Road(colors[0], terrains[0], (first, last))
    if shapes and road.shape is not shapes[0]:
        raise BadInputError(f"a tile is {said!r:.60}; the edges {first}-{last} are those of a {road.shape}")
    return road


def _taken(kinds: type[Word], words: list[str]) -> list[Word]:
    """Return the words of that kind, and remove them from the list."""
    taken = [kinds(word) for word in words if word in list(kinds)]
    words[:] = [word for word in words if word not in list(kinds)]
    return taken
