"""What may lie on a cell in truth where something else was read: what people are offered in one tap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from companion.board import EDGE_PAIRS, Contents, HexCell, Merchants, Road, Settlement, Workshop
from companion.games.la_strada.position import LaStradaPosition


def otherwise(
    position: LaStradaPosition, cell: HexCell, before: Contents, now: Contents
) -> Iterator[tuple[Contents, int]]:
    """Yield other readings of a cell, each with its rank: the books', merchants', the tile's."""
    player = position.next
    assert player is not None, "a game that is over has no moves to put right"
    yield before, 0
    one = Merchants.of({player: 1})
    if isinstance(now.tile, Settlement | Workshop):
        yield replace(now, merchants=now.merchants + one), 1
    if now.merchants[player]:
        yield replace(now, merchants=now.merchants - one), 1
    match now.tile:
        case Road() as tile if tile != before.tile:
            yield replace(now, tile=replace(tile, color=player)), 2
            yield replace(now, tile=replace(tile, terrain=position.ground.terrain.get(cell, tile.terrain))), 2
            for edges in EDGE_PAIRS:
                yield replace(now, tile=replace(tile, edges=edges)), 3
        case Workshop() if now.tile != before.tile:
            yield replace(now, tile=Workshop(player)), 2
