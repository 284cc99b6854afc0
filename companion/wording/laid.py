"""What of a change a sentence names: whose the new pieces are, and which tiles lie on which ground."""

from __future__ import annotations

from collections.abc import Iterable

from companion.board import PLAYERS_TILES, Cell, Change, PlayerColor, Road, Terrain
from companion.games.contract import Position


def only_owner(change: Change) -> PlayerColor | None:
    """Return the one player to whom all belongs that is new; None where nobody is, or several are."""
    owners = set[PlayerColor]()
    for cell in change.cells.values():
        if isinstance(cell.now.tile, PLAYERS_TILES) and cell.now.tile != cell.before.tile:
            owners.add(cell.now.tile.color)
        owners.update(color for color, count in cell.merchants.counts.items() if count > 0)
    return owners.pop() if len(owners) == 1 else None


def mismatches(
    cells: Iterable[Cell], position: Position | None, change: Change | None
) -> dict[tuple[Terrain | None, Terrain | None], list[Cell]]:
    """Return the cells by the terrain of the tile laid on them and their own; None where that is not known."""
    found: dict[tuple[Terrain | None, Terrain | None], list[Cell]] = {}
    for cell in cells:
        laid = change.cells[cell].now.tile if change and cell in change.cells else None
        tile = laid.terrain if isinstance(laid, Road) else None
        ground = position.ground.terrain.get(cell) if position else None
        found.setdefault((tile, ground), []).append(cell)
    return found
