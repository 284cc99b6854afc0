"""The pieces on the composed boards: the tiles of a set-up, and games with anything anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.training.album import NAMES
from companion.board import Color, HexCell, Road, Settlement, SettlementType, Terrain, Tile, Workshop
from vision.tiles.opinion import COLORS

#: How often a cell is bare, a road, a settlement, a workshop; and how often each has cubes on it.
_KINDS, _WITH_CUBES = (0.24, 0.31, 0.37, 0.08), (0.25, 0.12, 0.66, 0.1)
#: How often there are 1 to 5 cubes.
_CUBES = (0.36, 0.27, 0.18, 0.12, 0.07)
#: The same in a game with crowds, where 1 to 9 cubes stand together, mostly of one colour: on a workshop, its own.
_CROWDED_KINDS, _CROWDED_CUBES, _MOST_CROWDED, _ONE_COLOUR = (0.2, 0.16, 0.32, 0.32), (0.3, 0.2, 0.7, 0.75), 9, 0.8
#: Before and after a move: how often a cell has a road, a settlement, a workshop, else nothing; how often 0 to 6 cubes
#: stay; how often a workshop's are its own.
_MOVED_KINDS, _STAYING, _OWN = (0.08, 0.6, 0.24), (0.4, 0.2, 0.14, 0.1, 0.07, 0.05, 0.04), 0.85
#: How often nothing comes or goes, one cube comes, one goes, several of a colour come, several go, some come and some
#: go; the most that several may be, and that some may be.
_HAPPENS, _SEVERAL, _BOTH = (0.36, 0.3, 0.12, 0.08, 0.08, 0.06), 6, 3
#: How often a cell's cubes are pushed about on the way, and how often its tile is.
_PUSHED, _TILE_PUSHED = 0.1, 0.03
#: Cubes of each colour on taught tiles: on settlements, on roads.
_TAUGHT_CUBES = (3, 2)


@dataclass(frozen=True)
class Laid:
    """A cell's pieces: a tile, which copy of it, and the cubes there, as indices of their colours.

    `lies` are seeds for how the tile lies and each cube, so that it can be photographed again; none: by chance.
    """

    tile: Tile | None
    copy: int
    cubes: Sequence[int]
    lies: Sequence[int] = ()


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
    """Return anything on any cell, as in a game in which many cubes stand together."""
    laid = {}
    for cell in cells:
        kind = int(rng.choice(4, p=_CROWDED_KINDS))
        tile = _some_tile(kind, rng)
        cubes = _a_crowd(tile, rng) if rng.random() < _CROWDED_CUBES[kind] else []
        laid[cell] = Laid(tile, int(rng.integers(3)), cubes)
    return laid


def dealt(cells: Sequence[HexCell], rng: np.random.Generator) -> dict[HexCell, Laid]:
    """Return anything on any cell."""
    laid = {}
    for cell in cells:
        kind = int(rng.choice(4, p=_KINDS))
        cubes = _some_cubes(rng) if rng.random() < _WITH_CUBES[kind] else []
        laid[cell] = Laid(_some_tile(kind, rng), int(rng.integers(3)), cubes)
    return laid


def moved(cells: Sequence[HexCell], rng: np.random.Generator) -> tuple[dict[HexCell, Laid], dict[HexCell, Laid]]:
    """Return cells before and after a move: mostly settlements and workshops, on which cubes stay, come and go.

    Here and there a road is laid on a bare cell.
    """
    before, after = {}, {}
    for cell in cells:
        kind = int(rng.choice(4, p=(*_MOVED_KINDS, 1 - sum(_MOVED_KINDS))))
        tile, copy = _some_tile((kind + 1) % 4, rng), int(rng.integers(3))
        if tile is None or kind == 0:
            before[cell], after[cell] = Laid(None, copy, []), Laid(tile, copy, [])
            continue
        before[cell], after[cell] = _before_and_after(tile, copy, rng)
    return before, after


def _before_and_after(tile: Tile, copy: int, rng: np.random.Generator) -> tuple[Laid, Laid]:
    own = COLORS.index(tile.color) if isinstance(tile, Workshop) and rng.random() < _OWN else None
    liked = rng.choice(len(COLORS), int(rng.integers(1, 4)), replace=False) if own is None else np.array([own])
    staying = int(rng.integers(len(_STAYING))) if own is not None else int(rng.choice(len(_STAYING), p=_STAYING))
    stay = [int(rng.choice(liked)) for _ in range(staying)]
    some, other = rng.choice(liked), rng.choice(len(COLORS) if own is None else liked)
    happens = int(rng.choice(len(_HAPPENS), p=_HAPPENS))
    several, both = int(rng.integers(2, _SEVERAL + 1)), rng.integers(1, _BOTH + 1, 2).tolist()
    comes, goes = ((0, 0), (1, 0), (0, 1), (several, 0), (0, several), tuple(both))[happens]
    first, *seeds = rng.integers(2**32, size=1 + len(stay) + comes + goes).tolist()
    stay_lies, rest = seeds[:staying], seeds[staying:]
    # What goes was laid last, so that nothing that stays is on top of it.
    was = Laid(tile, copy, [*stay, *[int(some)] * goes], [first, *stay_lies, *rest[:goes]])
    if rng.random() < _PUSHED:
        stay_lies = rng.integers(2**32, size=staying).tolist()
    if rng.random() < _TILE_PUSHED:
        first = int(rng.integers(2**32))
    return was, Laid(tile, copy, [*stay, *[int(other)] * comes], [first, *stay_lies, *rest[goes:]])
