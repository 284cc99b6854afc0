"""The bare boards of many printings, cut into cells, with the truth of each: what the set-up's terrain net learns from.

    python -m bench.training.grounds OUT --tables FOLDER...

It writes OUT/grounds/NAME.npz for each table in the folders, as the set-up sees it when nothing is
known yet. A finished one is kept. Those of composed printings are written by `bench.training.composed`.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.measuring import seen_empty
from bench.training.album import CROWDED, Numbers, read_arrays, refuse_kept_apart, write_arrays
from bench.training.printing import Printing
from calibration import TableFolder
from companion.board import BadInputError, HexCell, Terrain, by_hexagon
from companion.board.hexagon import SLOTS
from companion.setup.ground import bare_look
from vision.light.flatten import extent_of, flatten
from vision.tiles.patches import Levels, cut_levels

#: The folder of bare boards, within that of albums.
GROUNDS = "grounds"


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
    def of_table(cls, folder: Path) -> BareBoard:
        """Return a table's bare board, its light evened as the set-up does it before anybody has said anything."""
        table = TableFolder.open(folder)
        empty, truth, view = seen_empty(table)
        look = bare_look(flatten(empty, view, extent_of(view.rings, {})), view.board)
        cells = by_hexagon(truth.cells)
        terrain = {cell: read.terrain for cell, read in cells.items() if read.terrain is not None}
        sites = {cell for cell, read in cells.items() if read.site}
        return cls._of(cut_levels(look.levels, tuple(terrain))[:, 0], terrain, sites)

    @classmethod
    def composed(cls, printing: Printing) -> BareBoard:
        """Return a composed printing's, each piece photographed by itself, without the board's middle cell."""
        seen: list[Levels] = []
        terrain: dict[HexCell, Terrain] = {}
        sites: set[HexCell] = set()
        for number in SLOTS:
            ground, cells = printing.piece(number)
            seen.append(cut_levels(printing.photographed(ground, {}).levels, cells)[:, 0])
            kinds, marked = printing.design(number)
            for place, kind in kinds.items():
                cell = HexCell(*place).turned(number)  # piece k is in slot k
                terrain[cell] = Terrain(kind)
                if place in marked:
                    sites.add(cell)
        return cls._of(np.concatenate(seen), terrain, sites)

    @classmethod
    def _of(cls, seen: Levels, terrain: Mapping[HexCell, Terrain], sites: set[HexCell]) -> BareBoard:
        kinds = list(Terrain)
        return cls(
            seen,
            np.array([kinds.index(kind) for kind in terrain.values()]),
            np.array([cell in sites for cell in terrain]),
            np.array([(cell.q, cell.r) for cell in terrain]),
        )


def main() -> None:
    """Cut them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--tables", type=Path, nargs="+", required=True, help="folders of tables to learn from")
    parser.add_argument("--crowded", type=Path, help="a folder of tables that bench.training.crowded made")
    options = parser.parse_args()
    try:
        found = [(path.parent, "") for folder in options.tables for path in sorted(folder.glob("*/table.json"))]
        if options.crowded is not None:
            found += [(path.parent, CROWDED) for path in sorted(options.crowded.glob("*/table.json"))]
        refuse_kept_apart([folder.name for folder, _ in found])
        for folder, before in found:
            to = options.out / GROUNDS / f"{before}{folder.name}.npz"
            if not to.exists():
                BareBoard.of_table(folder).write(to)
                print(to.stem, flush=True)
    except BadInputError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
