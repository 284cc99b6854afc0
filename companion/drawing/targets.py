"""What can be tapped, or reached by the arrow keys: the board's cells, each by its name, and the sides of one cell."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise

from companion.board import Board
from companion.drawing.board import SIDE, centre, shape


@lru_cache(maxsize=4)
def targets(board: Board) -> str:
    """Return each cell's outline, without colour, as a button; the middle one is where the keys begin."""
    middle = board.cells[len(board.cells) // 2]
    parts = []
    for cell in board.cells:
        x, y = centre(cell)
        parts.append(
            f'<use href="#{shape(cell)}" class="target" role="button" tabindex="{0 if cell == middle else -1}"'
            f' aria-label="{cell}" data-cell="{cell}" transform="translate({x:.1f} {y:.0f})"/>'
        )
    return "".join(parts)


def sides() -> list[tuple[str, str]]:
    """Return, for each edge of a cell, the wedge from its middle to that side and the side itself, as SVG path data."""
    corners = [
        (SIDE * math.cos(math.radians(60 * corner - 30)), -SIDE * math.sin(math.radians(60 * corner - 30)))
        for corner in range(7)
    ]
    drawn = []
    for (ax, ay), (bx, by) in pairwise(corners):
        side = f"{ax:.2f} {ay:.2f}L{bx:.2f} {by:.2f}"
        drawn.append((f"M0 0L{side}Z", f"M{side}"))
    return drawn
