"""A printing's album: its taught tiles, its bare board and cells of its games, cut out, with what they show.

Tiles are numbers here, their places in `NAMES`. Patches are kept as levels, as the reader cuts them
(`vision.tiles.patches`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from companion.board import (
    EDGE_PAIRS,
    BadInputError,
    Color,
    Contents,
    HexCell,
    Road,
    Settlement,
    SettlementType,
    Terrain,
    Tile,
    Workshop,
)
from vision.tiles.exemplars import TURNS, Array, turned
from vision.tiles.opinion import COLORS
from vision.tiles.patches import PATCH_PX, WHITE, Levels, levels_of

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Numbers = NDArray[np.int64]

#: Everything that a cell may show.
NAMES: tuple[Tile | None, ...] = (
    None,
    *(Road(color, terrain, edges) for color in Color for terrain in Terrain for edges in EDGE_PAIRS),
    *(Settlement(kind) for kind in SettlementType),
    *(Workshop(color) for color in Color),
)
_NUMBERS = {name: number for number, name in enumerate(NAMES)}
#: What kind of thing each name is.
KINDS = ("bare", "road", "settlement", "workshop")
KIND_OF: Numbers = np.array(
    [(type(None), Road, Settlement, Workshop).index(type(name)) for name in NAMES], dtype=np.int64
)
#: Each name after a turn by 0 to 5 sixths anticlockwise, (names, 6).
TURNED: Numbers = np.array([[_NUMBERS[name and turned(name, turn)] for turn in TURNS] for name in NAMES])
#: Rendered tables from this number on are kept for measuring and for fitting trust: no net may learn from them.
KEPT_APART = 1000
#: What a rendered table is called, by its seed.
TABLE = "t{:05d}"
#: The folder of bare boards, within that of albums.
GROUNDS = "grounds"
#: What a crowded table's album is called: this, then the table's name.
CROWDED = "crowded-"
#: Rendered tables that are left out, to see how the nets do on printings that they did not learn from.
LEFT_OUT = tuple(TABLE.format(seed) for seed in (3, 8, 17, 22, 29, 35, 38, 41))


def write_arrays(one: DataclassInstance, path: Path) -> None:
    """Write a record of arrays, whole or not at all, so that what is finished need not be made again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".unfinished")
    with unfinished.open("wb") as file:
        np.savez(file, **{each.name: getattr(one, each.name) for each in fields(one)})
    unfinished.replace(path)


def read_arrays(kind: type[DataclassInstance], path: Path, wanted: str) -> dict[str, Any]:
    """Return the arrays of such a record by name.

    Raises BadInputError if it is no such record; `wanted` says what it should be, and how it is made.
    """
    try:
        with np.load(path) as file:
            return {each.name: file[each.name] for each in fields(kind)}
    except (OSError, EOFError, ValueError, KeyError, TypeError, BadZipFile) as error:
        what, _, how = wanted.partition("; ")
        raise BadInputError(f"{path} is not {what} ({error}); {how}") from None


@dataclass(frozen=True, eq=False)
class Album:
    """One printing's patches, each (PATCH_PX, PATCH_PX, 3) levels.

    `looks` (tiles, 6, ...) are the taught tiles in six turns, `look_names` (tiles,) what each shows unturned, `covers`
    (tiles, 6, PATCH_PX, PATCH_PX) where cubes on them were painted over, up to 255; `tops` (4, 3) are the tones of
    cubes' tops, by colour. `bare` (n, ...) are bare cells, first those of the board as it was taught, `cells` of them,
    then those of other layouts. `seen` (m, ...) are cells of games: `under` (m,) is the same cell among the bare ones,
    `names` (m,) its tile, `counts` (m, 4) its cubes by colour, `hidden` (m,) whether anything hides part of it; `clean`
    (m,) is where among them the very same tile is seen as it lies there, whole and without cubes, or -1. `cubes` (k, 4)
    are the cubes whose tops have a known place: the cell's index among those seen, the colour's index, and how far to
    the right of the cell's middle and down, in cell sides. A cell has all of its cubes there, or none.
    """

    looks: Levels
    look_names: Numbers
    covers: Levels
    tops: Array
    bare: Levels
    cells: int
    seen: Levels
    under: Numbers
    names: Numbers
    counts: Numbers
    hidden: NDArray[np.bool_]
    clean: Numbers
    cubes: Array

    @classmethod
    def read(cls, path: Path) -> Album:
        """Return what `write` wrote. Raises BadInputError if it is no album."""
        found = read_arrays(cls, path, "an album of patches; cut it with bench.training.patches")
        found["cells"] = int(found["cells"])
        return cls(**found)

    def write(self, path: Path) -> None:
        """Write it, whole or not at all, so that a finished album need not be cut again."""
        write_arrays(self, path)


@dataclass(frozen=True, eq=False)
class BareBoard:
    """A bare board's cells: `seen` (n, PATCH_PX, PATCH_PX, 3) levels in even light, `terrain` (n,) in Terrain's order.

    `sites` (n,) is whether each is a site, `places` (n, 2) where it is, (q, r).
    """

    seen: Levels
    terrain: Numbers
    sites: NDArray[np.bool_]
    places: Numbers

    @classmethod
    def read(cls, path: Path) -> BareBoard:
        """Return what `write` wrote. Raises BadInputError if it is no bare board."""
        return cls(**read_arrays(cls, path, "a bare board; cut it with bench.training.grounds"))

    def write(self, path: Path) -> None:
        """Write it, whole or not at all."""
        write_arrays(self, path)

    @classmethod
    def of(cls, seen: Levels, terrain: Mapping[HexCell, Terrain], sites: set[HexCell]) -> BareBoard:
        """Return the record of some cells: how each looks, what terrain it is, and which are sites."""
        kinds = list(Terrain)
        return cls(
            seen,
            np.array([kinds.index(kind) for kind in terrain.values()]),
            np.array([cell in sites for cell in terrain]),
            np.array([(cell.q, cell.r) for cell in terrain]),
        )


def number_of(tile: Tile | None) -> int:
    """Return the number of a tile's name, None being bare ground."""
    return _NUMBERS[tile]


def counts_of(contents: Contents) -> list[int]:
    """Return how many cubes of each colour stand on a cell."""
    return [contents.merchants.counts.get(color, 0) for color in COLORS]


def as_levels(patches: Array) -> Levels:
    """Return patches of tones as levels."""
    return levels_of(patches.reshape(len(patches), -1)).reshape(patches.shape)


def as_tones(patches: Levels) -> Array:
    """Return patches of levels as tones."""
    return np.asarray(patches / np.float32(WHITE), dtype=np.float32)


def empty() -> Levels:
    """Return no patches."""
    return np.zeros((0, PATCH_PX, PATCH_PX, 3), np.uint8)


def source_of(name: str) -> str:
    """Return the source that an album comes from."""
    return next(
        (source for source in ("composed", "crowded", "drawn") if name.startswith(f"{source}-")), "photographed"
    )


def refuse_kept_apart(names: Sequence[str]) -> None:
    """Raise BadInputError if one of these tables, t01000 for example, is kept for measuring."""
    for name in names:
        if (found := re.fullmatch(r"t(\d+)", name)) and int(found[1]) >= KEPT_APART:
            raise BadInputError(
                f"{name} is kept to measure with: the nets may learn from rendered tables up to"
                f" {TABLE.format(KEPT_APART - 1)}"
            )
