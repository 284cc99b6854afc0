"""Reasons as La Strada's judges make them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from companion.board import Color, HexCell, in_board_order
from companion.games.contract import Reason


def reason(
    code: str, cells: Iterable[HexCell] = (), numbers: Mapping[str, int] | None = None, color: Color | None = None
) -> Reason:
    """Return a reason, its cells in board order without repeats."""
    return Reason(code, in_board_order(set(cells)), numbers, color)
