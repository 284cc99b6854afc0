"""Hexagon boards: cells, names, edges and centres, as on https://www.redblobgames.com/grids/hexagons/.

Pointy-top cells in axial coordinates (q, r); r grows downward. The board plane's unit is one cell's side; its origin is
the centre cell; points are (right, down).

La Strada's board is put together from six triangular pieces. This module knows which cells a piece covers in a slot,
and how a layout moves them. Slot 0 is {q >= 1, r >= 0, q + r <= rings}; slot k is slot 0 turned k * 60 degrees towards
edge 1. The starting piece always lies in slot 0 and carries the centre as well. Any other piece can lie in any other
slot, in any of the three ways that a triangle fits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from typing import NamedTuple, TypeVar

from companion.board.any_board import AnyCell, Cell, Cells
from companion.board.fields import BadInputError

Lying = TypeVar("Lying")

#: Axial steps across edge 0 (east), then anticlockwise as seen on the screen.
DIRECTIONS = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))

#: The smallest and largest boards that have a name for every row.
MIN_RINGS, MAX_RINGS = 1, 12

#: Sorts cells row by row from the top, each from the left: `sorted(cells, key=board_order)` sorts by r, then q.
board_order = itemgetter(1, 0)

#: The number that the neighbour across an edge gives to the same edge.
OPPOSITE = (3, 4, 5, 0, 1, 2)


def opposite(edge: int) -> int:
    """Return the number that the neighbour across `edge` gives to the same edge."""
    return OPPOSITE[edge]


class HexCell(NamedTuple):
    """A place on a hexagon board of `rings` rings round its centre; `str()` is its name.

    It is a named tuple because cells are keys everywhere: a tuple hashes five times as fast as a dataclass.

    >>> str(HexCell(0, -6)), str(HexCell(0, 0)), str(HexCell(0, 6))
    ('A1', 'G7', 'M7')
    """

    q: int
    r: int
    rings: int = 6

    def __str__(self) -> str:
        row = chr(ord("A") + self.r + self.rings)
        return f"{row}{self.q - max(-self.rings, -self.r - self.rings) + 1}"

    def neighbour(self, edge: int) -> HexCell:
        """Return the cell across `edge`, on the board or beyond its rim."""
        dq, dr = DIRECTIONS[edge]
        return HexCell(self.q + dq, self.r + dr, self.rings)

    @property
    def around(self) -> tuple[HexCell, ...]:
        """The six cells next to it, by edge, on the board or beyond its rim."""
        return tuple(self.neighbour(edge) for edge in range(6))

    def distance(self, other: HexCell) -> int:
        """Return the number of steps between two cells."""
        dq, dr = self.q - other.q, self.r - other.r
        return (abs(dq) + abs(dr) + abs(dq + dr)) // 2

    def turned(self, sixths: int) -> HexCell:
        """Return the cell turned by sixths of a circle round the centre, from edge 0 towards edge 1.

        >>> str(HexCell(3, 0).turned(1) == HexCell(3, -3))
        'True'
        """
        q, r = self.q, self.r
        for _ in range(sixths % 6):
            q, r = q + r, -q
        return HexCell(q, r, self.rings)

    @property
    def centre(self) -> tuple[float, float]:
        """The cell's centre in the board plane, in cell sides (right, down)."""
        return math.sqrt(3) * (self.q + self.r / 2), 1.5 * self.r

    @property
    def outline(self) -> tuple[tuple[float, float], ...]:
        """The cell's six corners in the board plane, in cell sides (right, down), clockwise from the lower right."""
        x, y = self.centre
        angles = [math.radians(60 * corner + 30) for corner in range(6)]
        return tuple((x + math.cos(angle), y + math.sin(angle)) for angle in angles)


def in_board_order(cells: Iterable[AnyCell]) -> tuple[AnyCell, ...]:
    """Return the cells row by row from the top, each from the left."""
    return tuple(sorted(cells, key=board_order))


def by_hexagon(lying: Mapping[Cell, Lying]) -> dict[HexCell, Lying]:
    """Return what is on hexagon cells: everything, if the board has hexagons."""
    return {cell: lies for cell, lies in lying.items() if isinstance(cell, HexCell)}


@dataclass(frozen=True, slots=True)
class HexBoard(Cells[HexCell]):
    """A hexagon of cells: `rings` cells from the centre to the rim (La Strada: 6, so 127 cells)."""

    rings: int = 6

    def __post_init__(self) -> None:
        if not (type(self.rings) is int and MIN_RINGS <= self.rings <= MAX_RINGS):
            raise BadInputError(
                f"rings is {self.rings!r}; a board has a whole number of rings from {MIN_RINGS} to {MAX_RINGS}"
            )

    @property
    def cells(self) -> tuple[HexCell, ...]:
        return _cells(self.rings)

    @property
    def around(self) -> Mapping[HexCell, tuple[HexCell, ...]]:
        """Each cell's six neighbours, by edge; those beyond the rim are not cells of the board."""
        return _around(self.rings)

    @property
    def beside(self) -> Mapping[HexCell, frozenset[HexCell]]:
        """Each cell's neighbours on the board, as sets: joining and subtracting sets does not hash the cells again."""
        return _beside(self.rings)

    @property
    def two_away(self) -> Mapping[HexCell, frozenset[HexCell]]:
        """The cells of the board that are two steps from each cell."""
        return _two_away(self.rings)

    @property
    def corners(self) -> tuple[HexCell, HexCell, HexCell, HexCell]:
        """The four corner cells that a person clicks, in this order: top left, top right, bottom right, bottom left.

        >>> [str(cell) for cell in HexBoard(6).corners]
        ['A1', 'A7', 'M7', 'M1']
        """
        n = self.rings
        return HexCell(0, -n, n), HexCell(n, -n, n), HexCell(0, n, n), HexCell(-n, n, n)


@cache
def _cells(rings: int) -> tuple[HexCell, ...]:
    return tuple(
        HexCell(q, r, rings)
        for r in range(-rings, rings + 1)
        for q in range(max(-rings, -r - rings), min(rings, -r + rings) + 1)
    )


@cache
def _around(rings: int) -> Mapping[HexCell, tuple[HexCell, ...]]:
    at = {cell: cell for cell in _cells(rings)}
    beyond = {cell: [cell.neighbour(edge) for edge in range(6)] for cell in at}
    # Use the board's own cell objects where there are any: a dict finds an identical key faster than an equal one.
    return {cell: tuple(at.get(near, near) for near in beyond[cell]) for cell in at}


@cache
def _beside(rings: int) -> Mapping[HexCell, frozenset[HexCell]]:
    around = _around(rings)
    return {cell: frozenset(near for near in around[cell] if near in around) for cell in around}


@cache
def _two_away(rings: int) -> Mapping[HexCell, frozenset[HexCell]]:
    beside = _beside(rings)
    return {
        cell: frozenset[HexCell]().union(*(beside[one] for one in near)) - near - {cell}
        for cell, near in beside.items()
    }


SLOTS = range(6)
TURNS = range(3)


@cache
def slot_cells(slot: int, rings: int = 6) -> tuple[HexCell, ...]:
    """Return the cells of a slot in the order of its triangle, without the centre; 21 for six rings."""
    triangle = (HexCell(q, r, rings) for q in range(1, rings + 1) for r in range(rings - q + 1))
    return tuple(cell.turned(slot) for cell in triangle)


@dataclass(frozen=True, slots=True)
class Lie:
    """How a piece lies: in which slot, and turned by how many thirds of a circle."""

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
    """Return how many sixths of a circle the piece's picture is turned by, towards edge 1."""
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
