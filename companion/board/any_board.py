"""Names for what differs from board to board, in rooms that serve every game.

Which of the two lies there the board itself decides, at run time; these rooms only name cells, compare them, put
them in board order and ask the board for neighbours, which both kinds can. A type checker takes cells and colours for
anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from companion.board.hexagon import HexBoard
    from companion.board.square import SquareBoard

    Cell: TypeAlias = Any
    Board: TypeAlias = HexBoard | SquareBoard
    PlayerColor: TypeAlias = Any
else:
    # Names that `companion.plain` finds in annotations; nothing is ever made of them.

    class Cell:
        """A place on the board that lies on the table: HexCell or SquareCell. `str()` is its name."""

    class Board:
        """The board that lies on the table, HexBoard or SquareBoard: `cells`, `cell(name)`, `neighbours(cell)`."""

    class PlayerColor:
        """A player's colour: Color in La Strada; what the table calls it, a string, in Silk Road."""
