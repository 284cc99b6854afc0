"""What lies on a drawn table of Silk Road, to the hair: every piece with its place and turn."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from companion.board import (
    QUARTERS,
    CellReading,
    Contents,
    LaidSection,
    Mountain,
    Reading,
    SquareBoard,
    SquareCell,
    Tile,
)
from companion.virtual_table.scene import UNPUSHED, Hand, Nudge

#: How askew people lay tiles: mostly within 2.5 % of a side and 1.6 degrees, at most 6 % and 4 degrees.
_ASIDE, _MOST_ASIDE = 0.025, 0.06
_TURN, _MOST_TURN = math.radians(1.6), math.radians(4)


@dataclass(frozen=True, slots=True)
class LaidPiece:
    """A piece as it lies: off its cell's middle by (x, y) quarters of a side, turned clockwise by `turn` radians.

    `turn` is all of it, quarter turns included; `look` tells mountains apart.
    """

    piece: Tile
    x: float
    y: float
    turn: float
    look: int = 0


@dataclass(frozen=True)
class SquareScene:
    """Everything on the table. Each change makes a new scene."""

    board: SquareBoard = field(default_factory=SquareBoard)
    pieces: Mapping[SquareCell, LaidPiece] = field(default_factory=dict)
    nudge: Nudge = UNPUSHED
    hand: Hand | None = None

    def lay(self, cell: SquareCell, piece: Tile, rng: np.random.Generator) -> SquareScene:
        """Return the scene with the piece there, a little askew; snow and mountains in any of four turns."""
        x, y = np.clip(rng.normal(0, _ASIDE, 2), -_MOST_ASIDE, _MOST_ASIDE) * QUARTERS
        quarters = piece.turn if isinstance(piece, LaidSection) else int(rng.integers(4))
        askew = float(np.clip(rng.normal(0, _TURN), -_MOST_TURN, _MOST_TURN))
        look = sum(isinstance(other.piece, Mountain) for other in self.pieces.values())
        laid = LaidPiece(piece, float(x), float(y), askew - quarters * math.pi / 2, look)
        return replace(self, pieces={**self.pieces, cell: laid})

    def with_hand(self, hand: Hand | None) -> Self:
        """Return the scene with that hand over it, or with none."""
        return replace(self, hand=hand)

    def with_nudge(self, nudge: Nudge) -> Self:
        """Return the scene on a board that was pushed so."""
        return replace(self, nudge=nudge)

    def take(self, cell: SquareCell) -> SquareScene:
        """Return the scene without a piece there."""
        return replace(self, pieces={at: laid for at, laid in self.pieces.items() if at != cell})

    def contents(self, cell: SquareCell) -> Contents:
        """Return what lies on the cell, a section by how its rays point."""
        laid = self.pieces.get(cell)
        piece = None if laid is None else laid.piece
        return Contents(piece.least_turned if isinstance(piece, LaidSection) else piece)

    def truth(self, occluded: frozenset[SquareCell] = frozenset()) -> Reading:
        """Return what a perfect reader would say."""
        cells = {cell: CellReading(self.contents(cell)) for cell in self.board.cells}
        return Reading(self.board, cells, occluded=occluded)
