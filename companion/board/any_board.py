"""What both kinds of board can do, and names for what differs between them, for rooms that serve every game.

These rooms learn only at run time which kind of board they have. They name cells, compare them, put them in board order
and ask for their neighbours, and both kinds of board can do that. Rooms of one game say which kind they mean.
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
    # Names that `companion.plain` finds in annotations. They never have instances.

    class Cell:
        """A place on the board on the table: HexCell or SquareCell. `str()` is its name."""

    class Board:
        """The board on the table, HexBoard or SquareBoard: `cells`, `cell(name)`, `neighbours(cell)`."""

    class PlayerColor:
        """A player's colour: Color, which is a string, in La Strada; what the table calls it in Silk Road."""


AnyCell = TypeVar("AnyCell", bound=Cell)


class Cells(Generic[AnyCell]):
    """What both kinds of board can do: find a cell by its name, and its neighbours."""

    __slots__ = ()

    @property
    def cells(self) -> tuple[AnyCell, ...]:
        """All cells, row by row from the top, each from the left: A1, A2, ..."""
        raise NotImplementedError

    def cell(self, name: str) -> AnyCell:
        """Return the cell of that name; raises BadInputError if the board has none."""
        cell: AnyCell | None = _by_name(self).get(name) if isinstance(name, str) else None
        if cell is not None:
            return cell
        first, last = self.cells[0], self.cells[-1]
        raise BadInputError(
            f"{name!r:.60} is not a cell of this board; its cells run from {first} to {last}",
            "no-cell", name=f"{name:.40}" if isinstance(name, str) else name, first=first, last=last,
        )  # fmt: skip

    def neighbours(self, cell: AnyCell) -> tuple[tuple[int, AnyCell], ...]:
        """Return each edge (on squares: direction) that does not lead beyond the rim, with the cell it leads to."""
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
