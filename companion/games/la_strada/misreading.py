"""What was misread, by the rules: what cannot lie there at all, and what may lie there in its place."""

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
    opposite,
)
from companion.games.la_strada.position import LaStradaPosition


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


def fitting(position: LaStradaPosition, change: Change, cell: HexCell, unknown: Collection[Cell]) -> tuple[Road, ...]:
    """Return the road tiles of the player in turn that join two neighbours of a free cell (the `RuleSet`'s).

    His road may lead to a settlement, a workshop of his, an end of a tile that he has just laid, or a cell that is not
    known.
    """
    player, terrain = position.next, position.ground.terrain.get(cell)
    if player is None or terrain is None or position.phase != "turn" or not position.is_free(cell):
        return ()
    leading = []
    for edge, beyond in position.ground.board.neighbours(cell):
        laid = change.cells[beyond].now.tile if beyond in change.cells else None
        is_end = isinstance(laid, Road) and laid.color is player and opposite(edge) in laid.edges
        is_place = beyond in position.ground.settlements or position.workshops.get(beyond) is player
        if is_end or is_place or beyond in unknown:
            leading.append(edge)
    return tuple(Road(player, terrain, edges) for edges in EDGE_PAIRS if set(edges) <= set(leading))


def implausible(position: LaStradaPosition, change: Change) -> frozenset[HexCell]:
    """Return the cells that hold what cannot be on this table (the `RuleSet` of companion.games.contract).

    That is a road tile, workshop or merchant of a colour that nobody plays; a settlement where none was dealt, while
    none is missing elsewhere; more merchants than the player has left, or where they walk than he has; more than one
    of a colour come to bare ground or to a road; and a merchant on a workshop, but on their own where they start there
    (danger), and there a merchant anywhere else before all workshops are set.
    """
    is_one_missing = any(
        isinstance(seen.before.tile, Settlement) and seen.now.tile is None for seen in change.cells.values()
    )
    return frozenset(
        cell
        for cell, seen in change.cells.items()
        if _is_tile_implausible(position, cell, seen, is_one_missing) or _are_merchants_implausible(position, seen)
    )


def unexplained(position: LaStradaPosition, change: Change) -> frozenset[HexCell]:
    """Return the settlements from which merchants are gone that stay, and cells whose tile is another one (`RuleSet`).

    What lies on top of an earlier tile is not that tile any more, and no such cell; nor is a tile that was taken away.
    """
    return frozenset(cell for cell, seen in change.cells.items() if _is_unexplained(position, seen))


def _is_unexplained(position: LaStradaPosition, seen: CellChange) -> bool:
    match seen.before.tile, seen.now.tile:
        case Settlement() as before, now if before == now:
            return not position.rules.walking and any(seen.merchants[color] < 0 for color in Color)
        case Road() as before, Road() as now:
            return before != now
        case Road() | Settlement() | Workshop(), Settlement():
            return True
        case _:
            return False


def _is_tile_implausible(position: LaStradaPosition, cell: HexCell, seen: CellChange, is_one_missing: bool) -> bool:
    match seen.now.tile:
        case Road() | Workshop() as tile if tile != seen.before.tile:
            return tile.color not in position.colors
        case Settlement():
            return cell not in position.ground.settlements and not is_one_missing
        case _:
            return False


def _are_merchants_implausible(position: LaStradaPosition, seen: CellChange) -> bool:
    rules, come = position.rules, seen.merchants
    for color in Color:
        if come[color] <= 0:
            continue
        if color not in position.colors:
            return True
        if isinstance(seen.now.tile, Workshop):
            if not rules.at_workshop or seen.now.tile.color != color:
                return True
        elif rules.at_workshop and position.phase == "workshop":
            return True
        if come[color] > 1 and not isinstance(seen.now.tile, Settlement | Workshop):
            return True
        if rules.walking:
            if seen.now.merchants[color] > rules.merchants:
                return True
        elif come[color] > position.merchants_left(color):
            return True
    return False
