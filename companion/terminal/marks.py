"""What the boards of a terminal share: how large a cell is, and how one stands out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, slots=True)
class CellSize:
    """How many characters a cell takes; an even number of columns."""

    columns: int
    lines: int


class Mark(Enum):
    """How a cell stands out, with its colour."""

    LEGAL = (14, 122, 61)
    ILLEGAL = (208, 17, 31)
    ASK = (214, 132, 0)
