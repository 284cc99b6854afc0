"""Printings that ../shared/tablegen draws, as `bench.training.composed` uses them: tiles and pieces of the board."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from numpy.typing import NDArray

from bench.other_hand.art import other_art
from companion.board import BadInputError, Road, Settlement, Tile, Workshop

#: Pixels of a drawing per millimetre.
ART_PX = 2.4


class Art(Protocol):
    """One printing as tablegen draws it.

    `st` is its style: `cube_mm` a cube's side, `cube_bevel` how many mm of its edges are taken off, `cube` each
    colour's (R, G, B), `cube_wear` 0 to 1. `design` says for each piece of the board which terrain its cells (q, r)
    have, and which of them are sites.
    """

    st: Mapping[str, Any]
    design: Mapping[int, tuple[Mapping[tuple[int, int], str], Collection[tuple[int, int]]]]

    def tile(self, key: Mapping[str, str], copy: int) -> NDArray[Any]:
        """Return a square drawing of a tile (px, px, 3), levels R G B, which leaves by edge 0 if it is a road."""

    def piece(self, number: int) -> NDArray[Any]:
        """Return a bare piece of the board, (h, w, 3) levels R G B."""


@dataclass(frozen=True)
class Drawings:
    """What tablegen is used for: `art` draws a seed's printing, `variants` has how many copies of each kind there are.

    `side_mm` is a cell's side. `piece_box` gives left, top, width and height in mm of a piece's picture. `drop` says
    where one more cube comes to rest on a cell, in mm from its middle, y up.
    """

    art: Callable[[int], Art]
    side_mm: float
    variants: Mapping[str, int]
    piece_box: Callable[[int], tuple[float, float, float, float]]
    drop: Callable[..., dict[str, Any]]

    @classmethod
    def of(cls, folder: Path, hand: str = "tablegen") -> Drawings:
        """Return the parts of the tablegen in a folder, at the scale that is used here; `hand` is one of HANDS.

        Raises BadInputError if there is none, or if this Python lacks what it needs.
        """
        sys.path.insert(0, str(folder))
        try:
            drawn: Any = importlib.import_module("random_art")
            game: Any = importlib.import_module("game")
        except ImportError as error:
            raise BadInputError(
                f"{folder} cannot draw with {sys.executable} ({error}); name tablegen's folder, and use the Python of"
                " a renderer's environment"
            ) from None
        drawn.PPM = ART_PX
        art = drawn.Art if hand == "tablegen" else other_art(drawn)
        return cls(art, float(drawn.SIDE), drawn.VARIANTS, drawn.piece_box, game.drop)


def key_of(tile: Tile) -> dict[str, str]:
    """Return a tile in tablegen's words."""
    match tile:
        case Road():
            shape = "straight" if tile.edges[1] - tile.edges[0] == 3 else "bend"
            return {"kind": "road", "color": tile.color.value, "terrain": tile.terrain.value, "shape": shape}
        case Settlement():
            return {"kind": "settlement", "type": tile.type.value}
        case Workshop():
            return {"kind": "workshop", "color": tile.color.value}
        case _:
            raise ValueError(f"{tile} is not a tile of La Strada")


def turn_of(road: Road) -> float:
    """Return by how many degrees anticlockwise a road's drawing, which leaves by edge 0, is turned."""
    first, last = road.edges
    return 60.0 * (last if last - first == 4 else first)
