"""Names for what differs from board to board, in rooms that serve every game.

Which of the two lies there the board itself decides, at run time; these rooms only name cells, compare them, put
them in board order and ask for what lies around them, which both kinds can. Rooms of one game say which kind they mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from companion.board.hexagon import HexBoard, HexCell
    from companion.board.square import SquareBoard, SquareCell

    Cell: TypeAlias = HexCell | SquareCell
    Board: TypeAlias = HexBoard | SquareBoard
    PlayerColor: TypeAlias = str
else:
    # Names that `companion.plain` finds in annotations; nothing is ever made of them.

    class Cell:
        """A place on the board that lies on the table: HexCell or SquareCell. `str()` is its name."""

    class Board:
        """The board that lies on the table, HexBoard or SquareBoard: `cells`, `cell(name)`, `neighbours(cell)`."""

    class PlayerColor:
        """A player's colour: Color, which is a string, in La Strada; what the table calls it in Silk Road."""
