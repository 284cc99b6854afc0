"""What of a change a sentence names: whose the new pieces are, and which tiles lie on which ground."""

from __future__ import annotations

from collections.abc import Iterable

from companion.board import Change, Color, HexCell, Road, Terrain, Workshop
from companion.games.contract import Position


def only_owner(change: Change) -> Color | None:
    """Return the one player to whom all belongs that is new; None where nobody is, or several are."""
    owners = set[Color]()
    for cell in change.cells.values():
        if isinstance(cell.now.tile, Road | Workshop) and cell.now.tile != cell.before.tile:
            owners.add(cell.now.tile.color)
        owners.update(color for color, count in cell.merchants.counts.items() if count > 0)
    return owners.pop() if len(owners) == 1 else None


def mismatches(
    cells: Iterable[HexCell], position: Position | None, change: Change | None
) -> dict[tuple[Terrain | None, Terrain | None], list[HexCell]]:
    """Return the cells by the terrain of the tile laid on them and their own; None where that is not known."""
    found: dict[tuple[Terrain | None, Terrain | None], list[HexCell]] = {}
    for cell in cells:
        laid = change.cells[cell].now.tile if change and cell in change.cells else None
        tile = laid.terrain if isinstance(laid, Road) else None
        ground = position.ground.terrain.get(cell) if position else None
        found.setdefault((tile, ground), []).append(cell)
    return found
