"""Sets of cells as whole numbers, one bit a cell (bitboards, as chess programs have them): a board in one operation."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from companion.board.hexagon import HexBoard, HexCell


def bitboard(board: HexBoard, cells: Iterable[HexCell]) -> int:
    """Return the set of these cells."""
    bits, found = _bits(board.rings), 0
    for cell in cells:
        found |= bits[cell]
    return found


def beside(board: HexBoard, cells: int) -> int:
    """Return the set of all that lies next to any of these cells; what is beyond the rim can be among it.

    >>> board = HexBoard(1)
    >>> near = beside(board, bitboard(board, [board.cell("A1")])) & bitboard(board, board.cells)
    >>> near == bitboard(board, map(board.cell, ["A2", "B1", "B2"]))
    True
    """
    row = _row(board.rings)
    east, west = cells << 1, cells >> 1
    # The row below holds the neighbours of the same q and of q - 1, the row above those of the same q and of q + 1.
    return east | west | (cells | west) << row | (cells | east) >> row


def _row(rings: int) -> int:
    """Return how many bits further the next row's cell of the same q is: one more than q has values, for the rim."""
    return 2 * rings + 2


@cache
def _bits(rings: int) -> dict[HexCell, int]:
    row = _row(rings)
    return {cell: 1 << (cell.r + rings) * row + cell.q + rings for cell in HexBoard(rings).cells}
