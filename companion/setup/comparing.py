"""A first guess of what lies on an unknown printing, looked at again with the reader's own nets.

What was guessed is taught, right or wrong, cubes painted over: most of it is right, and the nets need no names, only
pieces that are alike. Roads are looked at along all ways and sorted by colour. Merchants are counted: each cell is
compared with the cell of another piece that looks most like it, or with itself as it was bare, and the second net says
how many cubes of each colour are on one and not on the other (docs/reader.md).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from companion.board import EDGE_PAIRS, BadInputError, Color, Merchants, Reading, Road
from companion.setup.road_colors import RoadGroups, grouped
from vision.board.look import in_even_light
from vision.light.flatten import Flat, Floats
from vision.tiles.exemplars import TURNS, Exemplars, compared
from vision.tiles.opinion import COLORS
from vision.tiles.patches import cut
from vision.tiles.strips import Edges, TaughtStrips
from vision.tiles.teach import teach

#: Roads are sorted by colour where there are so many of each on average.
_ROADS = 2
#: What is so surely a road at least is sorted; what may be something else goes to the group that it is most like.
_SURE = 0.75


def looked_again(
    empty: Flat, ground: Reading, shown: Flat, reading: Reading, colors: tuple[Color, ...]
) -> tuple[Reading, RoadGroups | None]:
    """Return the reading of flat pictures as the nets have it, and its roads by colour.

    As it is, and None, where it shows too little to teach.
    """
    try:
        taught = teach(empty, ground, shown, reading, {})
    except BadInputError:
        return reading, None
    levels, exemplars, board = in_even_light(shown, taught.look)[1], taught.exemplars, taught.board
    tiles = [cell for cell in board.cells if reading.contents(cell).tile is not None]
    others = [cell for cell in board.cells if reading.contents(cell).tile is None]
    seen, bare = (cut(one, [*tiles, *others])[:, 0] for one in (levels, taught.look.levels))
    found = {cell: reading.contents(cell) for cell in board.cells}
    merchants = _merchants(exemplars, seen, bare, len(tiles))
    for cell, count in zip([*tiles, *others], merchants, strict=True):
        found[cell] = replace(found[cell], merchants=count)
    roads = [k for k, cell in enumerate(tiles) if isinstance(found[cell].tile, Road)]
    groups = None
    if len(roads) >= _ROADS * len(colors):
        ways = [_way(exemplars.without(k).strips, seen[k], bare[k]) for k in roads]
        for k, edges in zip(roads, ways, strict=True):
            tile = found[tiles[k]].tile
            assert isinstance(tile, Road)
            found[tiles[k]] = replace(found[tiles[k]], tile=replace(tile, edges=edges))
        even = exemplars.mean, exemplars.spread
        sure = np.array([reading.cells[tiles[k]].confidence >= _SURE for k in roads])
        is_sorted = sure if sure.sum() >= _ROADS * len(colors) else np.ones(len(roads), bool)
        groups = grouped([tiles[k] for k in roads], seen[roads], bare[roads], ways, even, colors, is_sorted)
    cells = dict(reading.cells)
    for cell, contents in found.items():
        cells[cell] = replace(cells[cell], contents=contents)
    looked = replace(reading, cells=cells)
    return (looked if groups is None else groups.colored(looked, {})), groups


def _merchants(exemplars: Exemplars, seen: Floats, bare: Floats, tiles: int) -> list[Merchants]:
    """Return what is on cells (n, PATCH_PX, PATCH_PX, 3), the first of which are those of the taught tiles."""
    shown = exemplars.embedded(seen)
    near = shown.points[:tiles] @ exemplars.looks.points.T
    for k in range(tiles):
        near[k, k * len(TURNS) : (k + 1) * len(TURNS)] = -np.inf
    alike = exemplars.looks.features[near.argmax(axis=1)]
    _, logs = compared(list(shown.features), [*alike, *exemplars.embedded(bare[tiles:]).features])
    return [Merchants.of(dict(zip(COLORS, counts, strict=True))) for counts in logs.argmax(axis=2).tolist()]


def _way(roads: TaughtStrips | None, seen: Floats, bare: Floats) -> Edges:
    """Return the way along which a cell is most like roads."""
    assert roads is not None, "there are other roads"
    count = len(EDGE_PAIRS)
    strips = roads.read(seen[None].repeat(count, axis=0), bare[None].repeat(count, axis=0), EDGE_PAIRS)
    return max(zip(EDGE_PAIRS, strips, strict=True), key=lambda one: one[1].road)[0]
