"""Art that looks like cubes: dark trees, grey towers, red roofs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import cv2
import numpy as np

from companion.board import Color, Reading, Road, Settlement, SettlementType, Terrain, Tile, Workshop
from vision.flatten import SIDE_PX, Floats, window
from vision.masks import hexagon

#: Round a cube that is known to lie there nothing is art, in cell sides.
_CLEAR_CELLS = 0.25

Kind = Terrain | SettlementType | Color


@dataclass(frozen=True)
class Lookalikes:
    """For each kind of ground how like a cube of each colour its own art gets, 0 to 1, on the tiles that were taught.

    Kinds: road tiles by terrain, settlements by type, workshops by colour.
    """

    likest: Mapping[Kind, Mapping[Color, float]]

    def on(self, tile: Tile) -> Mapping[Color, float]:
        """Return the art's likeness for each colour on such a tile; empty where none was taught."""
        return self.likest.get(_kind(tile), {})

    @classmethod
    def joined(cls, several: Iterable[Lookalikes]) -> Lookalikes:
        """Return those of several photographs as one's: of each kind what is likest in any."""
        likest: dict[Kind, dict[Color, float]] = {}
        for one in several:
            for kind, found in one.likest.items():
                of_kind = likest.setdefault(kind, {})
                of_kind |= {color: max(alike, of_kind.get(color, 0.0)) for color, alike in found.items()}
        return cls(likest)


def _kind(tile: Tile) -> Kind:
    match tile:
        case Road(terrain=terrain):
            return terrain
        case Settlement(type=kind):
            return kind
        case Workshop(color=color):
            return color
        case _:
            raise ValueError(f"{tile} is no tile of La Strada")


def teach_lookalikes(
    maps: Mapping[Color, Floats], even: Mapping[Color, Floats], covered: Floats, truth: Reading
) -> Lookalikes:
    """Return the lookalikes on taught tiles, from likeness maps and a mask of where cubes are known to lie.

    Of settlements from `even`, the maps in which what is of one tone counts more: as cubes are sought there.
    """
    around = np.ones((round(_CLEAR_CELLS * SIDE_PX) | 1,) * 2, np.uint8)
    grown = np.asarray(cv2.dilate(covered, around), dtype=np.float32)
    likest: dict[Kind, dict[Color, float]] = {}
    for cell, read in truth.cells.items():
        tile = read.contents.tile
        if tile is None:
            continue
        art = hexagon(SIDE_PX, 0.05) & (window(grown, cell.centre, SIDE_PX) < 0.5)
        own = tile.color if isinstance(tile, Road | Workshop) else None
        for color, found in (even if isinstance(tile, Settlement) else maps).items():
            if color is not own and art.any():
                highest = float(window(found, cell.centre, SIDE_PX)[art].max())
                of_kind = likest.setdefault(_kind(tile), {})
                of_kind[color] = max(highest, of_kind.get(color, 0.0))
    return Lookalikes(likest)
