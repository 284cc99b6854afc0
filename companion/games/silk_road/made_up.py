"""The made-up set: 14 sections for each of four colours, for tables that have not taught their own.

Which sections the game has is printed on them alone, and no text of its rules tells; so these are invented, and may
differ from the printed ones in everything. What they were chosen by:

- All players have the same 14, so that none is ahead by his set.
- 6 have no number, then 2, 2, 4, 4, 6, 6, 8, 10: the worked example of the rules shows 6, 8 and 10. 8 and 10
  have two rays, which is the fewest: what is worth much opens few ways for others.
- 2 horses, on a section without number and on a 2: whoever doubles a road has not by that the largest number in it.
- 2 dead ends, one without number and a 6.
- Each has 2 to 4 rays, three on average: with fewer, games sooner end for want of a way.
- Straight and diagonal rays are mixed: a quarter turn makes neither of the other.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from importlib import resources

from companion.board import Section, sections_from_json

#: The colours for which the made-up set is offered; a table may name others.
COLORS = ("green", "brown", "blue", "yellow")


def made_up_sections(color: str) -> tuple[Section, ...]:
    """Return the made-up set of one player; the ids begin with his colour: "green-1" to "green-14"."""
    return tuple(replace(section, id=f"{color}-{section.id}") for section in _printed())


def made_up_sets(colors: Iterable[str] = COLORS) -> Mapping[str, tuple[Section, ...]]:
    """Return the made-up set of each colour."""
    return {color: made_up_sections(color) for color in colors}


@cache
def _printed() -> tuple[Section, ...]:
    written = resources.files("companion") / "games" / "silk_road" / "made-up.json"
    return sections_from_json(json.loads(written.read_text(encoding="utf-8")), "made-up.json")
