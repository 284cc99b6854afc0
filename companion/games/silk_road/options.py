"""What a table may say of a game of Silk Road before it begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from companion.board import BadInputError, Section, sections_from_json
from companion.board.fields import mapping
from companion.games.contract import TAUGHT
from companion.games.silk_road.made_up import made_up_sets

_NAMES = ("hints", TAUGHT)


@dataclass(frozen=True, slots=True)
class Options:
    """`sections` are each colour's; `hints`: open ways are shown."""

    sections: Mapping[str, Sequence[Section]]
    hints: bool = False


def options_from(options: Mapping[str, object], colors: Sequence[str]) -> Options:
    """Return the options of a game for players of those colours; raises BadInputError naming what is wrong."""
    for name in options:
        if name not in _NAMES:
            raise BadInputError(f"option {name!r:.60} is unknown; Silk Road has {' and '.join(_NAMES)}")
    hints = options.get("hints", False)
    if not isinstance(hints, bool):
        raise BadInputError(f"option hints is {hints!r:.60}; it should be true or false")
    if TAUGHT not in options:
        return Options(made_up_sets(colors), hints)
    given = mapping(options[TAUGHT], "option sections")
    sections = {
        color: sections_from_json(given[color], f"option sections, {color}") for color in colors if color in given
    }
    return Options(sections, hints)
