"""What the reader is told of its last picture: how moves were taken there, and what people said lies there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from companion.board import Cell, Contents
from companion.events import CellCorrected, CellReread, Event, GameDealt, MoveAccepted, TurnTaken, WorkshopPlaced


class Confirmable(Protocol):
    """A reader as far as it can be told what is so."""

    def confirmed(self, cells: Mapping[Cell, Contents], by_hand: bool = False) -> None:
        """Take it that cells held this in the last picture: a move was taken so, or, `by_hand`, a person said so."""


def confirm(reader: Confirmable, events: Iterable[Event]) -> bool:
    """Tell a reader what these events say of its last picture; return whether they say anything."""
    taken: dict[Cell, Contents] = {}
    said: dict[Cell, Contents] = {}
    for event in events:
        match event:
            case GameDealt(position=position):
                taken |= position.expected()
            case WorkshopPlaced(cell=cell, after=after):
                taken[cell] = after.expected()[cell]
            case TurnTaken(change=change) | MoveAccepted(change=change):
                taken |= {cell: seen.now for cell, seen in change.cells.items()}
            case CellCorrected(cell=cell, contents=contents) | CellReread(cell=cell, seen=contents):
                said[cell] = contents
            case _:
                pass
    if said:
        reader.confirmed(said, by_hand=True)
    if taken := {cell: contents for cell, contents in taken.items() if cell not in said}:
        reader.confirmed(taken)
    return bool(said or taken)
