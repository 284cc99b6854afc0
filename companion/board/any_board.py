"""What both kinds of board can, and names for what differs from board to board, in rooms that serve every game.

Which of the two lies there the board itself decides, at run time; these rooms only name cells, compare them, put
them in board order and ask for what lies around them, which both kinds can. Rooms of one game say which kind they mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from companion.board.fields import BadInputError

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


AnyCell = TypeVar("AnyCell", bound=Cell)


class Cells(Generic[AnyCell]):
    """What boards of both kinds can: find a cell by its name, and those around it."""

    __slots__ = ()

    @property
    def cells(self) -> tuple[AnyCell, ...]:
        """All cells, row by row from the top, each from the left: A1, A2, ..."""
        raise NotImplementedError

    def cell(self, name: str) -> AnyCell:
        """Return the cell of that name; raises BadInputError for one that the board lacks."""
        cell: AnyCell | None = _by_name(self).get(name) if isinstance(name, str) else None
        if cell is not None:
            return cell
        first, last = self.cells[0], self.cells[-1]
        raise BadInputError(
            f"{name!r:.60} is no cell of this board; its cells run from {first} to {last}",
            "no-cell", name=f"{name:.40}" if isinstance(name, str) else name, first=first, last=last,
        )  # fmt: skip

    def neighbours(self, cell: AnyCell) -> tuple[tuple[int, AnyCell], ...]:
        """Return each edge (on squares: direction) that does not lead beyond the rim, with the cell that lies there."""
        neighbours: tuple[tuple[int, AnyCell], ...] = _neighbours(self)[cell]
        return neighbours

    def __contains__(self, cell: object) -> bool:
        return type(cell) is type(self.cells[0]) and cell in _neighbours(self)


@cache
def _by_name(board: Cells[Any]) -> Mapping[str, Any]:
    return {str(cell): cell for cell in board.cells}


@cache
def _neighbours(board: Cells[Any]) -> Mapping[Any, tuple[tuple[int, Any], ...]]:
    cells = set(board.cells)
    return {cell: tuple((edge, near) for edge, near in enumerate(cell.around) if near in cells) for cell in cells}
