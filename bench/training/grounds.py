"""The bare boards of many printings, cut into cells, with the truth of each: what the set-up's terrain net learns from.

    python -m bench.training.grounds OUT --tables FOLDER...

It writes OUT/grounds/NAME.npz for each table in the folders, as the set-up sees it when nothing is
known yet. A finished one is kept. Those of composed printings are written by `bench.training.composed`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from bench.measuring import seen_empty
from bench.training.album import CROWDED, GROUNDS, BareBoard, refuse_kept_apart
from calibration import TableFolder
from companion.board import BadInputError, by_hexagon
from companion.setup.ground import bare_look
from vision.light.flatten import extent_of, flatten
from vision.tiles.patches import cut_levels


def bare_board(folder: Path) -> BareBoard:
    """Return a table's bare board, its light evened as the set-up does it before anybody has said anything."""
    table = TableFolder.open(folder)
    empty, truth, view = seen_empty(table)
    look = bare_look(flatten(empty, view, extent_of(view.rings, {})), view.board)
    cells = by_hexagon(truth.cells)
    terrain = {cell: read.terrain for cell, read in cells.items() if read.terrain is not None}
    sites = {cell for cell, read in cells.items() if read.site}
    return BareBoard.of(cut_levels(look.levels, tuple(terrain))[:, 0], terrain, sites)


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
                bare_board(folder).write(to)
                print(to.stem, flush=True)
    except BadInputError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
