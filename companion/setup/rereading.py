"""A photograph of components read again by what it teaches itself, nothing by its own example."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TypeVar

import numpy as np

from companion.board import EDGE_PAIRS, Contents, HexCell, Reading, Road, Tile
from vision.board.look import in_even_light
from vision.light.flatten import Flat, Floats
from vision.tiles.exemplars import Exemplars
from vision.tiles.patches import cut
from vision.tiles.teach import Taught

#: Another tile, or another colour or terrain of a road, must be so likely to be believed. The way of a road that was
#: said must be so much likelier bare (in logarithms) than another: of 480 roads on tables to choose by none that was
#: said rightly is moved so, and 376 of as many that were said wrongly are put right.
_LIKELY, _MUCH_LIKELIER = 0.9, 3.0
T = TypeVar("T")


def tiles_again(taught: Taught, shown: Flat, truth: Reading, cells: Collection[HexCell]) -> Mapping[HexCell, Contents]:
    """Return those of the cells whose tile rather is another than was said, with that.

    `taught` was taught by this picture, as `truth` says: each tile is told by all that were taught but itself.
    """
    places = [cell for cell in taught.board.cells if truth.contents(cell).tile is not None]
    levels = in_even_light(shown, taught.look)[1]
    again: dict[HexCell, Tile | None] = {}
    for cell in cells:
        tile = truth.contents(cell).tile
        if tile is None:
            continue
        left = taught.exemplars.without(places.index(cell))
        seen, bare = (cut(one, (cell,))[:, 0] for one in (levels, taught.look.levels))
        if isinstance(tile, Road):
            if (road := _road_again(left, seen, bare, tile)) != tile:
                again[cell] = road
            continue
        (opinion,) = left.opinions(left.embedded(seen), left.embedded(bare))
        if opinion.tiles[0] != tile and np.exp(opinion.logs[0]) >= _LIKELY:
            again[cell] = opinion.tiles[0]
    return {cell: replace(truth.contents(cell), tile=tile) for cell, tile in again.items()}


def _road_again(left: Exemplars, seen: Floats, bare: Floats, said: Road) -> Road:
    """Return the road that a patch (1, PATCH_PX, PATCH_PX, 3) rather shows, by all taught roads but itself.

    It lies along the way most like a road, where that is much likelier than the one that was said.
    """
    if left.strips is None:
        return said
    count = len(EDGE_PAIRS)
    ways = left.strips.read(seen.repeat(count, axis=0), bare.repeat(count, axis=0), EDGE_PAIRS)
    strips = dict(zip(EDGE_PAIRS, ways, strict=True))
    best = max(strips, key=lambda edges: strips[edges].road)
    edges = best if strips[said.edges].road + _MUCH_LIKELIER < strips[best].road else said.edges
    color, terrain = _rather(strips[edges].colors, said.color), _rather(strips[edges].terrains, said.terrain)
    return Road(color or said.color, terrain, edges)


def _rather(logs: Mapping[T, float], said: T) -> T:
    best = max(logs, key=lambda name: logs[name])
    return best if np.exp(logs[best]) >= _LIKELY and said in logs else said
