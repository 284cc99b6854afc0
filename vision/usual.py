"""How much this table's own tiles differ from what was taught of their kind: some printings vary more than others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from companion.board import Color, Road, Terrain, Tile
from vision.flatten import Floats
from vision.samples import Mask
from vision.strips import StripLooks, strip_unlike
from vision.tiles import LargeTile, TileLooks, usual_unlike


@dataclass(frozen=True)
class Usual:
    """How unlike (1 less correlation) a taught tile is to what was taught of its kind, in the middle.

    `roads` is by colour and terrain, where that is more than `road`, all road tiles' figure: black strips among dark
    trees differ more from what is drawn of them than red ones on a plain.
    """

    road: float
    large: float
    roads: Mapping[tuple[Color, Terrain], float]

    def unlike(self, tile: Tile | None) -> float:
        """Return the usual figure of a tile's kind; 0 for none."""
        match tile:
            case None:
                return 0.0
            case Road(color=color, terrain=terrain):
                return self.roads.get((color, terrain), self.road)
            case _:
                return self.large


def teach_usual(
    roads: Sequence[tuple[Road, Floats, Mask]],
    strips: StripLooks,
    large: Sequence[tuple[LargeTile, Floats, Mask]],
    large_looks: TileLooks,
) -> Usual:
    """Return it from the taught tiles' samples: settlements against the others of their kind."""
    unlike = [strip_unlike(road, sample, strips) for road, sample, _ in roads]
    far: dict[tuple[Color, Terrain], list[float]] = {}
    for (road, _, _), value in zip(roads, unlike, strict=True):
        far.setdefault((road.color, road.terrain), []).append(value)
    middle = float(np.median(unlike))
    by_kind = {kind: max(middle, float(np.median(found))) for kind, found in far.items()}
    return Usual(middle, usual_unlike(large_looks, [sample for _, sample, _ in large]), by_kind)
