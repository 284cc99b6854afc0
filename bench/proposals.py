"""How many of the set-up's proposals are right: terrain and sites of the empty board, and the pieces on it.

    python -m bench.proposals --shared ../shared [--tables FOLDER]

It measures the six shared tables, which everybody here knows by heart, and the eight random printings that no net
learnt from. `--tables` measures the rendered tables of a folder instead.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.measuring import seen_empty
from bench.training.album import LEFT_OUT
from calibration.follow import BoardLost, Follower
from calibration.table import TableFolder
from companion.board import Color, Reading, by_hexagon
from companion.setup.comparing import looked_again
from companion.setup.day_tracks import marker_tones, propose_tracks
from companion.setup.empty_board import EmptyBoard
from companion.setup.nets import kind_of
from companion.setup.propose import guess_in_piles
from vision.board.layout import BoardLook, teach_look
from vision.board.tracks import Tracks
from vision.light.flatten import Flat, Floats, extent_of

#: A day track's end that is this near its place, in cell sides, is on its field.
_ON_FIELD = 0.5


@dataclass(frozen=True)
class Lesson:
    """A table's set-up: the empty board as proposed, its flat picture, the one with components, and the truth."""

    name: str
    ground: EmptyBoard
    empty: Flat
    empty_truth: Reading
    shown: Floats
    flat: Flat
    truth: Reading
    tracks: Tracks
    look: BoardLook


def lesson(folder: Path) -> Lesson:
    """Return the lesson of a table's folder."""
    table = TableFolder.open(folder)
    setup = table.setup
    empty, empty_truth, view = seen_empty(table)
    shown, truth = table.load_teach()
    shown_view = Follower.of(empty, view, setup.tracks, setup.fiducials).follow(shown)
    assert not isinstance(shown_view, BoardLost)
    extent = extent_of(view.rings, setup.tracks)
    bare, shown_both = Flat.of(empty, view, extent), Flat.of(shown, shown_view, extent)
    shown_flat = shown_both.light
    look = teach_look(bare.light, empty_truth)
    ground = EmptyBoard.of(empty, by_hexagon(setup.clicks), view)
    return Lesson(folder.name, ground, bare, empty_truth, shown_flat, shown_both, truth, setup.tracks, look)


def lessons(shared: Path, tables: Path | None = None) -> Iterator[Lesson]:
    """Yield the photographed tables, and those of random printings that no net learnt from; or those of a folder."""
    found = sorted((shared / "tables").glob("*/table.json"))
    found += [shared / "tables-random" / name / "table.json" for name in LEFT_OUT]
    for path in sorted(tables.glob("*/table.json")) if tables is not None else found:
        if path.exists():
            yield lesson(path.parent)


def measured(one: Lesson) -> dict[str, int]:
    """Return how many cells were proposed rightly."""
    board, ground = one.look.board, one.ground
    tracks = propose_tracks(one.shown, one.look, tuple(Color))
    guessed, _, tops = guess_in_piles(one.flat, one.look, woods=marker_tones(one.shown, one.look, tracks))
    found = looked_again(one.empty, one.empty_truth, one.flat, guessed, tuple(Color), tops).reading
    lies = [cell for cell in board.cells if kind_of(one.truth.contents(cell)) != "bare"]
    empty = [cell for cell in board.cells if cell not in set(lies)]
    far = [np.linalg.norm(np.subtract(tracks[color], ends), axis=1).max() for color, ends in one.tracks.items()]
    pairs = [(found.contents(cell), one.truth.contents(cell)) for cell in lies]
    return {
        "cells": len(board.cells),
        "terrain_right": sum(ground.terrain[cell] is one.empty_truth.cells[cell].terrain for cell in board.cells),
        "sites": sum(bool(read.site) for read in one.empty_truth.cells.values()),
        "sites_right": sum(bool(one.empty_truth.cells[cell].site) for cell in ground.sites),
        "tracks": len(far),
        "tracks_right": sum(float(off) < _ON_FIELD for off in far),
        "lying": len(lies),
        "tile_right": sum(a.tile == b.tile for a, b in pairs),
        "cubes_right": sum(a.merchants == b.merchants for a, b in pairs),
        "all_right": sum(a == b for a, b in pairs),
        "said_on_bare": sum(kind_of(found.contents(cell)) != "bare" for cell in empty),
    }


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--tables", type=Path, help="a folder of rendered tables, in place of the shared ones")
    asked = parser.parse_args()
    total: dict[str, int] = {}
    for one in lessons(asked.shared, asked.tables):
        right = measured(one)
        print(f"{one.name:8}", *(f"{name} {count}" for name, count in right.items()), flush=True)
        total = {name: total.get(name, 0) + count for name, count in right.items()}
    print(json.dumps(total))


if __name__ == "__main__":
    main()
