"""What a real table shows, judged: a change of the board becomes a move, or reasons that only a table can give."""

from __future__ import annotations

from companion.board import (
    Change,
    Color,
    HexCell,
    Merchants,
    Road,
    Settlement,
    Workshop,
)
from companion.games.contract import Reason
from companion.games.la_strada.judging import placement_faults
from companion.games.la_strada.position import NOBODY, LaStradaPosition, Placement, Turn
from companion.games.la_strada.reasons import reason


def disturbed(position: LaStradaPosition, change: Change) -> tuple[Reason, ...]:
    """Return what earlier moves laid and is now gone or different, sorted by code.

    A road tile or workshop seen on a settlement or workshop lies on top of it: that is `cell-occupied`, part of the
    move, and nothing is said of it here. A road tile seen on another road tile cannot be told from one that was
    swapped: `tile-changed`. Where a settlement or workshop was moved, its new cell is named beside the old one.
    """
    found: dict[str, list[HexCell]] = {}

    def note(code: str, cell: HexCell) -> None:
        found.setdefault(code, []).append(cell)

    for cell, seen in change.cells.items():
        before, now = seen.before.tile, seen.now.tile
        match before, now:
            case (Road(), None):
                note("tile-removed", cell)
            case (Road(), _) if now != before:
                note("tile-changed", cell)
            case (Settlement(), None | Settlement()) if now != before:
                note("settlement-changed", cell)
            case (Workshop(), None | Workshop() | Settlement()) if now != before:
                note("workshop-changed", cell)
        if isinstance(now, Settlement) and not isinstance(before, Settlement):
            note("settlement-changed", cell)
        if position.next is not None and seen.merchants[position.next] < 0 and not position.rules.walking:
            note("merchant-removed", cell)
    if "workshop-changed" in found:
        gone = {change.cells[cell].before.tile for cell in found["workshop-changed"]}
        found["workshop-changed"] += [
            cell for cell, seen in change.cells.items() if seen.before.tile is None and seen.now.tile in gone
        ]
    return tuple(reason(code, found[code]) for code in sorted(found))


def seen_turn(player: Color, change: Change) -> Turn:
    """Return the turn that the table shows: road tiles where none lay, and every cube that came or went."""
    return Turn(player, _new_roads(change), _moved_cubes(change))


def new_workshops(change: Change) -> dict[HexCell, Color]:
    """Return the workshops seen where none stood, on top of a settlement or road tile included."""
    return {
        cell: seen.now.tile.color
        for cell, seen in change.cells.items()
        if isinstance(seen.now.tile, Workshop) and not isinstance(seen.before.tile, Workshop)
    }


def seen_placement(
    position: LaStradaPosition, player: Color, change: Change
) -> tuple[Placement | None, tuple[Reason, ...]]:
    """Return the workshop that the player set, and all that is wrong; None where not exactly one of his came.

    `workshop-missing` is said of an unchanged table, and of tiles and cubes laid before all workshops stand;
    `workshop-late` of more workshops than the one to set; `tile-color` of a workshop in another colour. Where
    merchants start on the workshop (danger), `merchant-missing` and `merchant-extra` say that they are too few or many.
    """
    workshops = new_workshops(change)
    own = [cell for cell, color in workshops.items() if color is player]
    placement = Placement(player, own[0]) if len(own) == 1 else None
    cubes = _moved_cubes(change)
    faults = list(placement_faults(position, placement)) if placement else []
    if placement and position.rules.at_workshop:
        standing, needed = cubes.pop(placement.cell, NOBODY), position.rules.at_workshop
        if standing[player] != needed:
            code = "merchant-missing" if standing[player] < needed else "merchant-extra"
            faults.append(reason(code, own, {"needed": needed, "seen": standing[player]}))
        for color in Color:
            if color is not player and standing[color]:
                faults.append(reason("merchant-color", own, color=color))
    early = _new_roads(change).keys() | cubes
    if early or not own:
        faults.append(reason("workshop-missing", early))
    if len(own) > 1:
        faults.append(reason("workshop-late", own))
    for color in Color:
        if foreign := [cell for cell, seen in workshops.items() if seen is color is not player]:
            faults.append(reason("tile-color", foreign, color=color))
    return placement, tuple(sorted(faults, key=lambda fault: fault.code))


def _new_roads(change: Change) -> dict[HexCell, Road]:
    return {
        cell: seen.now.tile
        for cell, seen in change.cells.items()
        if isinstance(seen.now.tile, Road) and not isinstance(seen.before.tile, Road)
    }


def _moved_cubes(change: Change) -> dict[HexCell, Merchants]:
    return {cell: seen.merchants for cell, seen in change.cells.items() if seen.merchants}
