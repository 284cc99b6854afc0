"""The six triangular board pieces: which cells a piece covers in a slot, and how a layout moves them.

Slot 0 is {q >= 1, r >= 0, q + r <= rings}; slot k is slot 0 turned k * 60 degrees towards edge 1. The starting
piece always lies in slot 0 and carries the centre as well. Another piece can lie in any other slot in any of three
turns (a triangle's own).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from companion.board.hexagon import HexCell

SLOTS = range(6)
TURNS = range(3)


@cache
def slot_cells(slot: int, rings: int = 6) -> tuple[HexCell, ...]:
    """Return the cells of a slot in the order of its triangle, without the centre; 21 for six rings."""
    triangle = (HexCell(q, r, rings) for q in range(1, rings + 1) for r in range(rings - q + 1))
    return tuple(cell.turned(slot) for cell in triangle)


@dataclass(frozen=True, slots=True)
class Lie:
    """Where a piece lies: in which slot, and turned by how many thirds of a circle."""

    slot: int
    turn: int = 0


@dataclass(frozen=True, slots=True)
class Layout:
    """How the six pieces lie now; piece k is the one that lay in slot k when the board was taught."""

    lies: tuple[Lie, Lie, Lie, Lie, Lie, Lie] = (Lie(0), Lie(1), Lie(2), Lie(3), Lie(4), Lie(5))
    rings: int = 6

    def __post_init__(self) -> None:
        if sorted(lie.slot for lie in self.lies) != list(SLOTS) or self.lies[0] != Lie(0):
            raise ValueError(f"{self.lies}: each slot takes one piece, slot 0 the starting piece unturned")

    def origin(self) -> Mapping[HexCell, HexCell]:
        """Return for each cell of the board the cell on which its part of the board lay when it was taught."""
        centre = HexCell(0, 0, self.rings)
        origins = {centre: centre}
        for piece, lie in enumerate(self.lies):
            origins.update(piece_origin(piece, lie, self.rings))
        return origins


def piece_rotation(piece: int, lie: Lie) -> int:
    """Return by how many sixths of a circle, towards edge 1, the piece's picture is turned."""
    return (lie.slot - piece + 2 * lie.turn) % 6


@cache
def piece_origin(piece: int, lie: Lie, rings: int = 6) -> Mapping[HexCell, HexCell]:
    """Return the cells that the piece covers as it lies, each with the cell it covered when it was taught."""
    origins = {}
    for cell in slot_cells(0, rings):
        # Barycentric: a triangle of n cells a side has u + v + w = n - 1; a third of a turn (towards edge 1)
        # rotates them.
        u, v = cell.q - 1, cell.r
        w = rings - 1 - u - v
        for _ in range(lie.turn):
            u, v, w = v, w, u
        moved = HexCell(u + 1, v, rings)
        origins[moved.turned(lie.slot)] = cell.turned(piece)
    return origins
