"""Which sections the players have: those that a table taught, else the made-up set, 14 for each of four colours.

Which sections the game has is printed on them alone, and no text of its rules tells; so these are invented, and may
differ from the printed ones in everything. What they were chosen by:

- All players have the same 14, so that none is ahead by their set.
- 6 have no number, then 2, 2, 4, 4, 6, 6, 8, 10: the worked example of the rules shows 6, 8 and 10. 8 and 10
  have two rays, which is the fewest: what is worth much opens few ways for others.
- 2 horses, on a section without number and on a 2: whoever doubles a road has not by that the largest number in it.
- 2 dead ends, one without number and a 6.
- Each has 2 to 4 rays, three on average: with fewer, games sooner end for want of a way.
- Straight and diagonal rays are mixed: a quarter turn makes neither of the other.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import resources

from companion.board import BadInputError, Section, sections_from_json
from companion.board.fields import mapping
from companion.games.contract import TAUGHT

#: The colours for which the made-up set is offered; a table may name others.
COLORS = ("green", "brown", "blue", "yellow")


def made_up_sections(color: str) -> tuple[Section, ...]:
    """Return the made-up set of one player; the ids begin with their colour: "green-1" to "green-14"."""
    return tuple(replace(section, id=f"{color}-{section.id}") for section in _printed())


def made_up_sets(colors: Iterable[str] = COLORS) -> Mapping[str, tuple[Section, ...]]:
    """Return the made-up set of each colour."""
    return {color: made_up_sections(color) for color in colors}


@cache
def _printed() -> tuple[Section, ...]:
    written = resources.files("companion") / "games" / "silk_road" / "made-up.json"
    return sections_from_json(json.loads(written.read_text(encoding="utf-8")), "made-up.json")


_NAMES = ("hints", TAUGHT)


def options_from(options: Mapping[str, object], colors: Sequence[str]) -> tuple[Mapping[str, Sequence[Section]], bool]:
    """Return those colours' sections, and whether open ways are shown; raises BadInputError naming what is wrong."""
    for name in options:
        if name not in _NAMES:
            raise BadInputError(f"option {name!r:.60} is unknown; Silk Road has {' and '.join(_NAMES)}")
    hints = options.get("hints", False)
    if not isinstance(hints, bool):
        raise BadInputError(f"option hints is {hints!r:.60}; it should be true or false")
    if TAUGHT not in options:
        return made_up_sets(colors), hints
    given = mapping(options[TAUGHT], "option sections")
    sections = {
        color: sections_from_json(given[color], f"option sections, {color}") for color in colors if color in given
    }
    return sections, hints
