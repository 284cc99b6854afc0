"""What can be tapped, or reached by the arrow keys: the board's cells, each by its name."""

from __future__ import annotations

from functools import lru_cache

from companion.board import HexBoard
from companion.drawing.board import centre


@lru_cache(maxsize=4)
def targets(board: HexBoard) -> str:
    """Return a hexagon for each cell, without colour, as a button; the middle one is where the keys begin."""
    middle = board.cells[len(board.cells) // 2]
    parts = []
    for cell in board.cells:
        x, y = centre(cell)
        parts.append(
            f'<use href="#hex" class="target" role="button" tabindex="{0 if cell == middle else -1}"'
            f' aria-label="{cell}" data-cell="{cell}" transform="translate({x:.1f} {y:.0f})"/>'
        )
    return "".join(parts)
