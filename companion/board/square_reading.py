"""A reading of a square board: what lies on each cell, what is not spoken for, and both as JSON.

```
{"cells": {"C4": {"piece": {"kind": "section", "color": "green", "section": "green-3", "turn": 1}, "confidence": 0.98,
                  "alternatives": [{"kind": "mountain"}, null]}, "A1": {"piece": {"kind": "snow"}, "confidence": 1.0}},
 "occluded": ["B2"], "unclear": []}
```
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from companion.board.errors import BadInputError
from companion.board.notation import fields, items, mapping, whole
from companion.board.section import LaidSection, Section
from companion.board.square import SquareBoard, SquareCell


@dataclass(frozen=True, slots=True)
class Snow:
    """The snow."""


@dataclass(frozen=True, slots=True)
class Mountain:
    """A mountain; which of them it is makes no difference."""


#: What can lie on a square cell; None is nothing.
Piece = LaidSection | Snow | Mountain | None

#: The sections of each player, by his colour.
Sets = Mapping[str, tuple[Section, ...]]


@dataclass(frozen=True, slots=True)
class SquareCellReading:
    """One cell as it was read; `alternatives` are what could lie on an unclear cell, likeliest first."""

    piece: Piece = None
    confidence: float = 1.0
    alternatives: tuple[Piece, ...] = ()


@dataclass(frozen=True, slots=True)
class SquareReading:
    """What a photograph shows of a square board.

    `occluded` cells are covered or outside the picture, `unclear` ones were seen but not understood.
    """

    board: SquareBoard
    cells: Mapping[SquareCell, SquareCellReading]
    occluded: frozenset[SquareCell] = frozenset()
    unclear: frozenset[SquareCell] = frozenset()

    @property
    def abstained(self) -> frozenset[SquareCell]:
        """The cells that the reading will not speak for."""
        return self.occluded | self.unclear

    def piece(self, cell: SquareCell) -> Piece:
        """Return what lies on the cell; nothing where the reading has no such cell."""
        found = self.cells.get(cell)
        return None if found is None else found.piece


def piece_to_json(piece: Piece) -> dict[str, Any] | None:
    """Return the piece as readings write it."""
    match piece:
        case None:
            return None
        case Snow():
            return {"kind": "snow"}
        case Mountain():
            return {"kind": "mountain"}
        case LaidSection(section=section, color=color, turn=turn):
            return {"kind": "section", "color": color, "section": section.id, "turn": turn}


def piece_from_json(value: object, where: str, sets: Sets) -> Piece:
    """Return the piece, its section out of the sets; raises BadInputError; `where` names the place in it."""
    if value is None:
        return None
    kind = mapping(value, where).get("kind")
    match kind:
        case "snow" | "mountain":
            fields(value, where, {"kind"})
            return Snow() if kind == "snow" else Mountain()
        case "section":
            named = fields(value, where, {"kind", "color", "section", "turn"})
        case _:
            raise BadInputError(f"{where}: a piece of kind {kind!r:.60}; it should be section, snow or mountain")
    color = named["color"]
    if not (isinstance(color, str) and color in sets):
        raise BadInputError(f"{where}: color is {color!r:.60}; it should be one of {', '.join(sets)}")
    for section in sets[color]:
        if section.id == named["section"]:
            return LaidSection(section, color, whole(named["turn"], f"{where}: turn", 0, 3))
    ids = ", ".join(section.id for section in sets[color])
    raise BadInputError(f"{where}: section is {named['section']!r:.60}; those of {color} are {ids}")


def square_reading_to_json(reading: SquareReading) -> dict[str, Any]:
    """Return the reading as plain JSON values, cells and lists in board order."""
    cells: dict[str, dict[str, Any]] = {}
    for cell in reading.board.cells:
        if cell in reading.cells:
            read = reading.cells[cell]
            cells[str(cell)] = {"piece": piece_to_json(read.piece), "confidence": round(read.confidence, 4)}
            if read.alternatives:
                cells[str(cell)]["alternatives"] = [piece_to_json(other) for other in read.alternatives]
    return {"cells": cells, "occluded": _names(reading.occluded), "unclear": _names(reading.unclear)}


def _names(cells: Iterable[SquareCell]) -> list[str]:
    return [str(cell) for cell in sorted(cells, key=lambda cell: (cell.row, cell.column))]


def square_reading_from_json(value: object, board: SquareBoard, sets: Sets) -> SquareReading:
    """Return the reading that such JSON describes; raises BadInputError naming what is wrong and where."""
    top = fields(value, "a reading", {"cells", "occluded", "unclear"}, optional={"occluded", "unclear"})
    cells = {
        board.cell(name): _cell(read, f"cell {name}", sets) for name, read in mapping(top["cells"], "cells").items()
    }
    occluded, unclear = (
        frozenset(board.cell(name) for name in items(top.get(key, []), key)) for key in ("occluded", "unclear")
    )
    return SquareReading(board, cells, occluded, unclear)


def _cell(value: object, where: str, sets: Sets) -> SquareCellReading:
    optional = {"confidence", "alternatives"}
    read = fields(value, where, {"piece", *optional}, optional=optional)
    confidence = read.get("confidence", 1.0)
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0 <= confidence <= 1:
        raise BadInputError(f"{where}: confidence is {confidence!r:.60}; it should be a number from 0 to 1")
    others = items(read.get("alternatives", []), f"{where}: alternatives")
    return SquareCellReading(
        piece_from_json(read["piece"], where, sets),
        float(confidence),
        tuple(piece_from_json(other, f"{where}, alternatives", sets) for other in others),
    )
