"""A photograph of components read again by what it teaches itself, nothing by its own example."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from companion.board import Contents, HexCell, Reading, Road, Tile
from vision.flatten import Flat
from vision.look import in_even_light
from vision.patches import cut
from vision.roads import fit_roads, fitting
from vision.samples import halved, samples
from vision.teach import Taught

#: A road's strip must fit so much better than the one that was said, another tile be so likely, to be believed.
_CLEARLY_BETTER, _LIKELY = 0.08, 0.9


def tiles_again(taught: Taught, shown: Flat, truth: Reading, cells: Collection[HexCell]) -> Mapping[HexCell, Contents]:
    """Return those of the cells whose tile rather is another than was said, with that.

    `taught` was taught by this picture, as `truth` says, and that tile is among what it knows: a road is told by what
    all roads teach of strips, any other tile by all taught tiles but itself.
    """
    said = {cell: tile for cell in cells if (tile := truth.contents(cell).tile) is not None}
    again = _roads_again(taught, shown, {cell: tile for cell, tile in said.items() if isinstance(tile, Road)})
    places = [cell for cell in taught.board.cells if truth.contents(cell).tile is not None]
    others = {cell: tile for cell, tile in said.items() if not isinstance(tile, Road)}
    levels = in_even_light(shown, taught.look)[1]
    for cell, tile in others.items():
        left = taught.exemplars.without(places.index(cell))
        seen, bare = (left.embedded(cut(one, (cell,))[:, 0]) for one in (levels, taught.look.levels))
        (opinion,) = left.opinions(seen, bare)
        if opinion.tiles[0] != tile and np.exp(opinion.logs[0]) >= _LIKELY:
            again[cell] = opinion.tiles[0]
    return {cell: replace(truth.contents(cell), tile=tile) for cell, tile in again.items()}


def _roads_again(taught: Taught, shown: Flat, said: Mapping[HexCell, Road]) -> dict[HexCell, Tile | None]:
    if not said:
        return {}
    tone = in_even_light(shown, taught.look)[0]
    seen = samples(halved(tone), taught.board, tuple(said))
    fit, again = fit_roads(seen, taught.roads), dict[HexCell, Tile | None]()
    for (cell, tile), one, costs in zip(said.items(), seen, fit.costs, strict=True):
        roads = fitting(one, costs, fit, taught.roads)
        best = next(iter(roads))
        if roads.get(tile, np.inf) > roads[best] + _CLEARLY_BETTER:
            again[cell] = best
    return again
