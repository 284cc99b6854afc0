"""Square boards: cells, names, the eight directions; row A is the top one, column 1 the leftmost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, TypeVar

from companion.board.any_board import Cell, Cells
from companion.board.fields import BadInputError

Lying = TypeVar("Lying")

#: Steps (columns right, rows down) in direction 0 (east), then anticlockwise by 45 degrees, as seen on the screen.
SQUARE_DIRECTIONS = ((1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1))

#: The smallest board that has four corners, and the largest that has a letter for every row.
MIN_SIDE, MAX_SIDE = 2, 26

#: The unit of a square board's plane is a quarter of a cell's side. On a table that is about as long as the side of La
#: Strada's cells, which is the unit of its boards' planes, so sizes of hands, print and pictures in units fit both.
QUARTERS = 4


class SquareCell(NamedTuple):
    """A place on a square board of `side` x `side` cells; column and row count from 0; `str()` is its name.

    >>> str(SquareCell(0, 0)), str(SquareCell(5, 0)), str(SquareCell(0, 5))
    ('A1', 'A6', 'F1')
    """

    column: int
    row: int
    side: int = 6

    def __str__(self) -> str:
        return f"{chr(ord('A') + self.row)}{self.column + 1}"

    @property
    def centre(self) -> tuple[float, float]:
        """The cell's middle (right, down), from the board's middle, in quarters of a cell's side."""
        middle = (self.side - 1) / 2
        return (self.column - middle) * QUARTERS, (self.row - middle) * QUARTERS

    @property
    def outline(self) -> tuple[tuple[float, float], ...]:
        """The cell's four corners (right, down), in quarters of a cell's side, clockwise from the upper left."""
        (x, y), half = self.centre, QUARTERS / 2
        return (x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)

    def neighbour(self, direction: int) -> SquareCell:
        """Return the cell one step away, on the board or beyond its rim."""
        right, down = SQUARE_DIRECTIONS[direction]
        return SquareCell(self.column + right, self.row + down, self.side)

    @property
    def around(self) -> tuple[SquareCell, ...]:
        """The eight cells next to it, by direction, on the board or beyond its rim."""
        return tuple(self.neighbour(direction) for direction in range(len(SQUARE_DIRECTIONS)))

    def turned(self, quarters: int) -> SquareCell:
        """Return where the cell goes if the board is turned anticlockwise by quarter turns, from direction 0 towards 2.

        >>> str(SquareCell(5, 1).turned(1))
        'A2'
        """
        column, row = self.column, self.row
        for _ in range(quarters % 4):
            column, row = row, self.side - 1 - column
        return SquareCell(column, row, self.side)


def by_square(lying: Mapping[Cell, Lying]) -> dict[SquareCell, Lying]:
    """Return what is on square cells: everything, if the board has squares."""
    return {cell: lies for cell, lies in lying.items() if isinstance(cell, SquareCell)}


@dataclass(frozen=True, slots=True)
class SquareBoard(Cells[SquareCell]):
    """A square of cells, with `side` cells a side (Silk Road: 6, so 36 cells)."""

    side: int = 6

    def __post_init__(self) -> None:
        if not (type(self.side) is int and MIN_SIDE <= self.side <= MAX_SIDE):
            raise BadInputError(
                f"side is {self.side!r}; a board has a whole number of cells a side, from {MIN_SIDE} to {MAX_SIDE}"
            )

    @property
    def half(self) -> float:
        """Half the board's width, in quarters of a cell's side."""
        return self.side * QUARTERS / 2

    @property
    def cells(self) -> tuple[SquareCell, ...]:
        return _cells(self.side)

    @property
    def rows(self) -> tuple[tuple[SquareCell, ...], ...]:
        """The rows from the top, each from the left."""
        return tuple(self.cells[start : start + self.side] for start in range(0, self.side**2, self.side))

    @property
    def columns(self) -> tuple[tuple[SquareCell, ...], ...]:
        """The columns from the left, each from the top."""
        return tuple(self.cells[start :: self.side] for start in range(self.side))

    @property
    def corners(self) -> tuple[SquareCell, SquareCell, SquareCell, SquareCell]:
        """The four corner cells in this order: top left, top right, bottom right, bottom left.

        >>> [str(cell) for cell in SquareBoard(6).corners]
        ['A1', 'A6', 'F6', 'F1']
        """
        n, last = self.side, self.side - 1
        return SquareCell(0, 0, n), SquareCell(last, 0, n), SquareCell(last, last, n), SquareCell(0, last, n)

    def are_neighbours(self, one: SquareCell, other: SquareCell) -> bool:
        """Whether the cells are next to each other, diagonally too; no cell is next to itself."""
        return max(abs(one.column - other.column), abs(one.row - other.row)) == 1

    def is_rim(self, cell: SquareCell) -> bool:
        """Whether the cell is on the rim."""
        return not (0 < cell.column < self.side - 1 and 0 < cell.row < self.side - 1)


@cache
def _cells(side: int) -> tuple[SquareCell, ...]:
    return tuple(SquareCell(column, row, side) for row in range(side) for column in range(side))
