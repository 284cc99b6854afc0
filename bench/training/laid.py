"""The pieces on the composed boards: the tiles of a set-up, and games with anything anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.training.album import NAMES
from companion.board import Color, HexCell, Road, Settlement, SettlementType, Terrain, Tile, Workshop
from vision.tiles.opinion import COLORS

#: How often a cell is bare, a road, a settlement, a workshop; and how often cubes stand on it then.
_KINDS, _WITH_CUBES = (0.24, 0.31, 0.37, 0.08), (0.25, 0.12, 0.66, 0.1)
#: How often there are 1 to 5 cubes.
_CUBES = (0.36, 0.27, 0.18, 0.12, 0.07)
#: The same in a game of crowds, where 1 to 9 cubes stand together, mostly of one colour: on a workshop its own.
_CROWDED_KINDS, _CROWDED_CUBES, _MOST_CROWDED, _ONE_COLOUR = (0.2, 0.16, 0.32, 0.32), (0.3, 0.2, 0.7, 0.75), 9, 0.8
#: Cubes of each colour on taught tiles: on settlements, on roads.
_TAUGHT_CUBES = (3, 2)


@dataclass(frozen=True)
class Laid:
    """A cell's pieces: a tile and which copy of it, and the colours' places of the cubes there."""

    tile: Tile | None
    copy: int
    cubes: Sequence[int]


def _some_cubes(rng: np.random.Generator) -> list[int]:
    count = int(rng.choice(5, p=_CUBES)) + 1
    liked = rng.choice(len(COLORS), int(rng.integers(1, 4)), replace=False)
    return [int(rng.choice(liked)) for _ in range(count)]


def _some_tile(kind: int, rng: np.random.Generator) -> Tile | None:
    colors, kinds = tuple(Color), tuple(SettlementType)
    if kind == 1:
        roads = [name for name in NAMES if isinstance(name, Road)]
        return roads[int(rng.integers(len(roads)))]
    if kind == 2:
        return Settlement(kinds[int(rng.integers(len(kinds)))])
    return Workshop(colors[int(rng.integers(len(colors)))]) if kind == 3 else None


def taught(rng: np.random.Generator) -> list[Laid]:
    """Return a set-up's tiles: two roads of each colour and terrain, workshops, each settlement three times."""
    found: list[tuple[Tile, int]] = []
    for color in Color:
        for terrain in Terrain:
            first = int(rng.integers(6))
            for apart in (3, 2):
                a, b = sorted((first, (first + apart) % 6))
                found.append((Road(color, terrain, (a, b)), int(rng.integers(2))))
        found.append((Workshop(color), 0))
    large: list[tuple[Tile, int]] = [
        (Settlement(kind), int(rng.integers(3))) for kind in SettlementType for _ in range(3)
    ]
    tiles = [*found, *large]
    cubes: list[list[int]] = [[] for _ in tiles]
    for of_color in range(len(COLORS)):
        for some, first, count in zip((large, found), (len(found), 0), _TAUGHT_CUBES, strict=True):
            for place in rng.choice(len(some), count, replace=False):
                if not isinstance(some[place][0], Workshop):
                    cubes[first + place].append(of_color)
    return [Laid(tile, copy, on_it) for (tile, copy), on_it in zip(tiles, cubes, strict=True)]


def _a_crowd(tile: Tile | None, rng: np.random.Generator) -> list[int]:
    count = int(rng.integers(_MOST_CROWDED)) + 1
    if rng.random() >= _ONE_COLOUR:
        return [int(color) for color in rng.integers(len(COLORS), size=count)]
    own = COLORS.index(tile.color) if isinstance(tile, Workshop) else int(rng.integers(len(COLORS)))
    return [own] * count


def crowded(cells: Sequence[HexCell], rng: np.random.Generator) -> dict[HexCell, Laid]:
    """Return anything on anywhere, as in a game in which many cubes stand together."""
    laid = {}
    for cell in cells:
        kind = int(rng.choice(4, p=_CROWDED_KINDS))
        tile = _some_tile(kind, rng)
        cubes = _a_crowd(tile, rng) if rng.random() < _CROWDED_CUBES[kind] else []
        laid[cell] = Laid(tile, int(rng.integers(3)), cubes)
    return laid


def dealt(cells: Sequence[HexCell], rng: np.random.Generator) -> dict[HexCell, Laid]:
    """Return anything on anywhere."""
    laid = {}
    for cell in cells:
        kind = int(rng.choice(4, p=_KINDS))
        cubes = _some_cubes(rng) if rng.random() < _WITH_CUBES[kind] else []
        laid[cell] = Laid(_some_tile(kind, rng), int(rng.integers(3)), cubes)
    return laid
