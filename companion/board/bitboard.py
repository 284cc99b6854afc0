"""Sets of cells as whole numbers, one bit a cell (bitboards, as chess programs have them): a board in one operation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, reduce
from operator import or_

from companion.board.hexagon import HexBoard, HexCell


def bitboard(board: HexBoard, cells: Iterable[HexCell]) -> int:
    """Return the set of these cells."""
    return reduce(or_, map(_bits(board.rings).__getitem__, cells), 0)


def beside(board: HexBoard, cells: int) -> int:
    """Return the set of all that lies next to any of these cells; what is beyond the rim can be among it.

    >>> board = HexBoard(1)
    >>> near = beside(board, bitboard(board, [board.cell("A1")])) & bitboard(board, board.cells)
    >>> near == bitboard(board, map(board.cell, ["A2", "B1", "B2"]))
    True
    """
    row = _row(board.rings)
    bend = row - 1
    return cells << 1 | cells >> 1 | cells << row | cells >> row | cells << bend | cells >> bend


def _row(rings: int) -> int:
    """Return how many bits further the next row's cell of the same q is: one more than q has values, for the rim."""
    return 2 * rings + 2


@cache
def _bits(rings: int) -> Mapping[HexCell, int]:
    row = _row(rings)
    return {cell: 1 << (cell.r + rings) * row + cell.q + rings for cell in HexBoard(rings).cells}
