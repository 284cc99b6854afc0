"""What a real table shows, judged: a change of the board becomes a move, or reasons that only a real table can give.

This module also says what was misread, by the rules: what cannot be there at all, and what may be there instead.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from companion.board import (
    EDGE_PAIRS,
    Cell,
    CellChange,
    Change,
    Color,
    Contents,
    HexCell,
    Merchants,
    Road,
    Settlement,
    Workshop,
    by_hexagon,
    opposite,
)
from companion.games.contract import Reason, reason
from companion.games.la_strada.position import NOBODY, LaStradaPosition, Placement, Turn
from companion.games.la_strada.turns import placement_faults


def disturbed(position: LaStradaPosition, change: Change) -> tuple[Reason, ...]:
    """Return what earlier moves laid and is now gone or different, sorted by code.

    A road tile or workshop seen on a settlement or workshop lies on top of it: that is `cell-occupied`, part of the
    move, and left out here. A road tile on top of another looks like one that was swapped for it: `tile-changed`. If a
    settlement or workshop was moved, its new cell is named as well as the old one.
    """
    faults: dict[str, list[HexCell]] = {}

    def note(code: str, cell: HexCell) -> None:
        faults.setdefault(code, []).append(cell)

    cells = by_hexagon(change.cells)
    for cell, changed in cells.items():
        before, now = changed.before.tile, changed.now.tile
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
        if position.next is not None and changed.merchants[position.next] < 0 and not position.rules.walking:
            note("merchant-removed", cell)
    if "workshop-changed" in faults:
        gone = {cells[cell].before.tile for cell in faults["workshop-changed"]}
        faults["workshop-changed"] += [
            cell for cell, changed in cells.items() if changed.before.tile is None and changed.now.tile in gone
        ]
    return tuple(reason(code, faults[code]) for code in sorted(faults))


def seen_turn(player: Color, change: Change) -> Turn:
    """Return the turn that the table shows: road tiles where there were none, and every cube that came or went."""
    return Turn(player, _new_roads(change), _moved_cubes(change))


def new_workshops(change: Change) -> dict[HexCell, Color]:
    """Return the workshops seen where there were none, including those on top of a settlement or road tile."""
    return {
        cell: changed.now.tile.color
        for cell, changed in by_hexagon(change.cells).items()
        if isinstance(changed.now.tile, Workshop) and not isinstance(changed.before.tile, Workshop)
    }


def seen_placement(
    position: LaStradaPosition, player: Color, change: Change
) -> tuple[Placement | None, tuple[Reason, ...]]:
    """Return the workshop that the player set, and all that is wrong; None unless exactly one of theirs is new.

    `workshop-missing` is for an unchanged table, and for tiles and cubes laid before all workshops are set;
    `workshop-late` for more workshops than the one to set; `tile-color` for a workshop in another colour. If merchants
    start on the workshop (danger), `merchant-missing` and `merchant-extra` say that there are too few or too many.
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
        if foreign := [cell for cell, owner in workshops.items() if owner is color is not player]:
            faults.append(reason("tile-color", foreign, color=color))
    return placement, tuple(sorted(faults, key=lambda fault: fault.code))


def _new_roads(change: Change) -> dict[HexCell, Road]:
    return {
        cell: changed.now.tile
        for cell, changed in by_hexagon(change.cells).items()
        if isinstance(changed.now.tile, Road) and not isinstance(changed.before.tile, Road)
    }


def _moved_cubes(change: Change) -> dict[HexCell, Merchants]:
    return {cell: changed.merchants for cell, changed in by_hexagon(change.cells).items() if changed.merchants}


def otherwise(
    position: LaStradaPosition, cell: HexCell, before: Contents, now: Contents
) -> Iterator[tuple[Contents, int]]:
    """Yield other readings of a cell, each with its rank: the books', merchants', the tile's."""
    player = position.next
    assert player is not None, "a game that is over has no moves to put right"
    yield before, 0
    one = Merchants.of({player: 1})
    if isinstance(now.tile, Settlement | Workshop) and now.tile == before.tile:
        yield replace(now, merchants=now.merchants.most(before.merchants)), 1
    if isinstance(now.tile, Settlement | Workshop):
        yield replace(now, merchants=now.merchants + one), 1
    if now.merchants[player]:
        yield replace(now, merchants=now.merchants - one), 1
    if position.phase == "workshop" and before.tile is None and now != before:
        yield replace(now, tile=Workshop(player)), 2
        begin = Contents(Workshop(player), Merchants.of({player: position.rules.at_workshop}))
        if begin.merchants != now.merchants:
            yield begin, 2
    elif isinstance(tile := now.tile, Road) and tile != before.tile:
        fitting = replace(tile, terrain=position.ground.terrain.get(cell, tile.terrain))
        yield replace(now, tile=replace(tile, color=player)), 2
        yield replace(now, tile=fitting), 2
        yield replace(now, tile=replace(fitting, color=player)), 2
        for edges in EDGE_PAIRS:
            yield replace(now, tile=replace(tile, edges=edges)), 3


def fitting(
    position: LaStradaPosition, change: Change, cell: HexCell, unknown: Collection[Cell]
) -> tuple[Contents, ...]:
    """Return what the player in turn may have laid on a free cell (`RuleSet.fitting`).

    That is the workshop that they have to place, or else their road tiles that join two neighbours of the cell. Such a
    road may lead to a settlement, to the player's own workshop, to an end of a tile that they have just laid, or to a
    cell that is not known.
    """
    player, terrain = position.next, position.ground.terrain.get(cell)
    if player is None or terrain is None or not position.is_free(cell):
        return ()
    if position.phase == "workshop":
        return (Contents(Workshop(player), Merchants.of({player: position.rules.at_workshop})),)
    leading = []
    for edge, beyond in position.ground.board.neighbours(cell):
        laid = change.cells[beyond].now.tile if beyond in change.cells else None
        is_end = isinstance(laid, Road) and laid.color is player and opposite(edge) in laid.edges
        is_place = beyond in position.ground.settlements or position.workshops.get(beyond) is player
        if is_end or is_place or beyond in unknown:
            leading.append(edge)
    return tuple(Contents(Road(player, terrain, edges)) for edges in EDGE_PAIRS if set(edges) <= set(leading))


def implausible(position: LaStradaPosition, change: Change) -> frozenset[HexCell]:
    """Return the cells that hold what cannot be on this table (`RuleSet.implausible` of companion.games.contract).

    That is a road tile, workshop or merchant of a colour that nobody plays; a settlement where none was dealt, while
    none is missing elsewhere; more merchants than the player has left, or, if they walk, than the player has at all;
    more than one new merchant of a colour on bare ground or on a road; a merchant on a workshop, except on the player's
    own if they start there (danger); and in danger a merchant anywhere else before all workshops are set.
    """
    is_one_missing = any(
        isinstance(changed.before.tile, Settlement) and changed.now.tile is None for changed in change.cells.values()
    )
    return frozenset(
        cell
        for cell, changed in by_hexagon(change.cells).items()
        if _is_tile_implausible(position, cell, changed, is_one_missing)
        or _are_merchants_implausible(position, changed)
    )


def unexplained(position: LaStradaPosition, change: Change) -> frozenset[HexCell]:
    """Return the settlements that lost merchants who never leave, and cells whose tile became another one (`RuleSet`).

    A cell does not count if something lies on top of its earlier tile, or if the tile was taken away.
    """
    return frozenset(cell for cell, changed in by_hexagon(change.cells).items() if _is_unexplained(position, changed))


def _is_unexplained(position: LaStradaPosition, changed: CellChange) -> bool:
    match changed.before.tile, changed.now.tile:
        case Settlement() as before, now if before == now:
            return not position.rules.walking and any(changed.merchants[color] < 0 for color in Color)
        case Road() as before, Road() as now:
            return before != now
        case Road() | Settlement() | Workshop(), Settlement():
            return True
        case _:
            return False


def _is_tile_implausible(position: LaStradaPosition, cell: HexCell, changed: CellChange, is_one_missing: bool) -> bool:
    match changed.now.tile:
        case Road() | Workshop() as tile if tile != changed.before.tile:
            return tile.color not in position.colors
        case Settlement():
            return cell not in position.ground.settlements and not is_one_missing
        case _:
            return False


def _are_merchants_implausible(position: LaStradaPosition, changed: CellChange) -> bool:
    rules, come = position.rules, changed.merchants
    for color in Color:
        if come[color] <= 0:
            continue
        if color not in position.colors:
            return True
        if isinstance(changed.now.tile, Workshop):
            if not rules.at_workshop or changed.now.tile.color != color:
                return True
        elif rules.at_workshop and position.phase == "workshop":
            return True
        if come[color] > 1 and not isinstance(changed.now.tile, Settlement | Workshop):
            return True
        if rules.walking:
            if changed.now.merchants[color] > rules.merchants:
                return True
        elif come[color] > position.merchants_left(color):
            return True
    return False


#: How likely players make one particular mistake, compared with a legal move. In the games of ../shared/records a third
#: of all dones is refused, for one of some ten reasons, at one of a few cells. Tiles and merchants of another colour
#: lie in front of somebody else; terrain is printed; and there are many ways to have too many or too few merchants. A
#: merchant that no road leads to is one in fifty, on any of many cells. Hardly anybody presses before a workshop lies.
_ANY = 1 / 50
_SELDOM = {
    "tile-terrain": 1 / 100,
    "workshop-missing": 1 / 200,
    "merchant-total": 1 / 200,
    "merchant-unconnected": 1 / 300,
    "merchant-color": 1 / 500,
    "tile-color": 1 / 1000,
}
#: These mistakes concern so many cells each, and on more cells they are several mistakes: another's merchant was taken
#: from one cell and put on another. Each further mistake is the last number of times likelier than alone.
_EACH = {"merchant-unconnected": 1, "tile-terrain": 1, "merchant-color": 2}
_AGAIN = 5


def seldom(wrong: Reason) -> float:
    """Return how likely players make this mistake in one particular way (`RuleSet` of companion.games.contract)."""
    once = _SELDOM.get(wrong.code, _ANY)
    again = len(wrong.cells[_EACH[wrong.code] :]) if wrong.code in _EACH else 0
    return once * (_AGAIN * once) ** again
