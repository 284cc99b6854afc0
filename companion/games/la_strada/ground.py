"""What is fixed once La Strada is dealt: the board, its terrain and the settlements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from companion.board import HexBoard, HexCell, SettlementType, Terrain, bitboard


@dataclass(frozen=True, slots=True)
class Ground:
    """The board as dealt: terrain of every cell, and the settlements."""

    board: HexBoard
    terrain: Mapping[HexCell, Terrain]
    settlements: Mapping[HexCell, SettlementType]
    #: Kept once asked for.
    _settled: int | None = field(default=None, init=False, repr=False, compare=False)
    _open_land: dict[Terrain, int] | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def settled(self) -> int:
        """The cells of the settlements, as a bitboard (companion.board.bitboard)."""
        if self._settled is None:
            object.__setattr__(self, "_settled", bitboard(self.board, self.settlements))
        assert self._settled is not None
        return self._settled

    @property
    def open_land(self) -> dict[Terrain, int]:
        """The cells of each terrain that no settlement covers, as bitboards."""
        if self._open_land is None:
            cells: dict[Terrain, list[HexCell]] = {kind: [] for kind in Terrain}
            for cell, kind in self.terrain.items():
                if cell not in self.settlements:
                    cells[kind].append(cell)
            land = {kind: bitboard(self.board, open_cells) for kind, open_cells in cells.items()}
            object.__setattr__(self, "_open_land", land)
        assert self._open_land is not None
        return self._open_land
