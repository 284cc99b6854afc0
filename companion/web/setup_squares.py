"""The set-up's steps for a board of squares, and what people say of a piece on it, as the page sends that.

null (nothing lies there), {"kind": "snow"}, {"kind": "mountain"}, or a section with its rays as they point on the
photograph, 0 is right, then on against the clock by 45 degrees:

{"kind": "section", "color": "green", "number": 4, "horse": false, "rays": [0, 3], "dead_end": false}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from companion.board import BadInputError, LaidSection, Mountain, Section, Snow, Tile
from companion.board.fields import fields, flag, items, mapping, text, whole
from companion.setup.wizard import BOARDS, Wizard
from companion.web.keepers import proper_name

#: By its name the fields that a step's body may have, None for any, and what takes the step and says so.
Steps = Mapping[str, tuple[frozenset[str] | None, Callable[[Mapping[str, Any]], str]]]

_MOST_NUMBER, _LONGEST_COLOR = 99, 24


def square_steps(wizard: Wizard) -> Steps:
    """Return the steps by which a board is chosen, and one of squares is taught."""

    def board(body: Mapping[str, Any]) -> str:
        kind = text(body, "board", f"one of {', '.join(BOARDS)}")
        if kind not in BOARDS:
            raise BadInputError(f"board is {kind!r:.40}; it should be one of {', '.join(BOARDS)}")
        wizard.lay(BOARDS[kind])
        return ""

    def tell(body: Mapping[str, Any]) -> str:
        if "piece" not in body:
            raise BadInputError("tell lacks the piece; say which lies there, or null for nothing")
        cell = wizard.board.cell(text(body, "cell", "a cell's name"))
        wizard.tell(photo_of(body), cell, piece_from(body.get("piece")))
        return ""

    def more(body: Mapping[str, Any]) -> str:
        wizard.go_on(text(body, "table", "the key of a saved table", 120))
        return ""

    return {
        "board": (frozenset({"board"}), board),
        "tell": (frozenset({"photo", "cell", "piece"}), tell),
        "more": (frozenset({"table"}), more),
    }


def photo_of(body: Mapping[str, Any]) -> int:
    """Return which photograph of pieces is meant, from 0."""
    return whole(body.get("photo"), "photo", 0, None)


def piece_from(value: object) -> Tile | None:
    """Return what is said to lie there, None for nothing; raises BadInputError naming what is wrong."""
    if value is None:
        return None
    said = mapping(value, "piece")
    match said.get("kind"):
        case "snow":
            fields(said, "piece", {"kind"})
            return Snow()
        case "mountain":
            fields(said, "piece", {"kind"})
            return Mountain()
        case "section":
            return _section(fields(said, "piece", {"kind", "color", "number", "horse", "rays", "dead_end"}))
        case kind:
            raise BadInputError(f"piece: kind is {kind!r:.40}; it should be one of snow, mountain, section")


def _section(said: dict[str, object]) -> LaidSection:
    color = proper_name(text(said, "color", f"a colour of at most {_LONGEST_COLOR} characters", _LONGEST_COLOR))
    if not color:
        raise BadInputError("color is blank; say whose section it is", "no-color")
    rays = {whole(ray, "rays: one", 0, 7) for ray in items(said["rays"], "rays")}
    number = whole(said["number"], "number", 0, _MOST_NUMBER)
    section = Section("", number, flag(said, "horse"), tuple(sorted(rays)), flag(said, "dead_end"))
    return LaidSection(section, color)
