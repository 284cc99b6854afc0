"""How many of the set-up's proposals are right: terrain and sites of the empty board, and the pieces on it.

Each photographed table is measured with weights that were fitted without its printing. `--fit` fits them to all tables
and writes them. Drawn tables are part of the fit.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calibration.align import align
from calibration.follow import BoardLost, Follower
from calibration.table import TableFolder
from companion.board import Color, Contents, Reading, Road, Settlement, Workshop
from companion.setup import propose
from companion.setup.comparing import looked_again
from companion.setup.emptiness import points_of
from companion.setup.features import FEATURES, seen_cells
from companion.setup.ground import bare_look, propose_tracks
from companion.setup.propose import KINDS, Prior, guess_in_piles
from companion.setup.sites import propose_sites
from companion.setup.terrains import TerrainLooks
from simulator import write_table
from vision.board.look import BoardLook, normalised, teach_look
from vision.board.tracks import Tracks
from vision.light.flatten import Flat, Floats, extent_of
from vision.light.samples import tones

#: Tables that show the same printing: none of them may help to read another.
PRINTINGS = {"elm": "a", "oak": "a", "hazel": "b", "willow": "b", "maple": "c", "pine": "d"}
#: How much more a photographed table counts than a drawn one, and how much less a bare cell than another.
_PHOTOGRAPHED, _BARE = 3.0, 0.3
_STEPS, _RATE, _DECAY = 400, 0.05, 20.0

#: A day track's end that is this near its place, in cell sides, is on its field.
_ON_FIELD = 0.5

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Lesson:
    """A table's set-up: the empty board's flat picture, that with components, what is true, and its features."""

    name: str
    printing: str
    empty: Flat
    empty_truth: Reading
    shown: Floats
    flat: Flat
    truth: Reading
    tracks: Tracks
    look: BoardLook
    features: Array
    kinds: NDArray[np.int64]


def lesson(folder: Path, printing: str) -> Lesson:
    """Return the lesson of a table's folder."""
    table = TableFolder.open(folder)
    setup = table.setup
    empty, empty_truth = table.load_empty()
    shown, truth = table.load_teach()
    view = align(empty, setup.clicks, setup.board.rings, setup.tracks, setup.lens, as_clicked=True)
    shown_view = Follower.of(empty, view, setup.tracks, setup.fiducials).follow(shown)
    assert not isinstance(shown_view, BoardLost)
    extent = extent_of(setup.board.rings, setup.tracks)
    bare, shown_both = Flat.of(empty, view, extent), Flat.of(shown, shown_view, extent)
    shown_flat = shown_both.light
    look = teach_look(bare.light, empty_truth)
    features = seen_cells(tones(normalised(shown_flat, look)), look).features
    kinds = np.array([KINDS.index(kind_of(truth.contents(cell))) for cell in setup.board.cells])
    return Lesson(
        folder.name, printing, bare, empty_truth, shown_flat, shown_both, truth, setup.tracks, look, features, kinds
    )


def lessons(shared: Path, drawn: int) -> Iterator[Lesson]:
    """Yield the photographed tables, those of random printings, and so many drawn ones."""
    for name, printing in PRINTINGS.items():
        if (shared / "tables" / name).is_dir():
            yield lesson(shared / "tables" / name, printing)
    for folder in sorted((shared / "tables-random").glob("t?????")):
        yield lesson(folder, folder.name)
    for seed in range(drawn):
        with tempfile.TemporaryDirectory() as folder:
            write_table(Path(folder), 100 + seed)
            yield lesson(Path(folder), "drawn")


def fitted(learnt: list[Lesson]) -> Prior:
    """Return the weights of a softmax regression, ridged, by Adam."""
    features, kinds = np.concatenate([one.features for one in learnt]), np.concatenate([one.kinds for one in learnt])
    counts = np.concatenate(
        [np.full(len(one.kinds), 1.0 if one.printing == "drawn" else _PHOTOGRAPHED) for one in learnt]
    )
    counts *= np.where(kinds == 0, _BARE, 1.0)
    mean, spread = features.mean(axis=0), features.std(axis=0) + 1e-6
    rows = np.column_stack([(features - mean) / spread, np.ones(len(features))])
    truth = np.eye(len(KINDS))[kinds]
    weights = np.zeros((rows.shape[1], len(KINDS)))
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, _STEPS + 1):
        scores = np.exp(rows @ weights - (rows @ weights).max(axis=1, keepdims=True))
        slope = rows.T @ ((scores / scores.sum(axis=1, keepdims=True) - truth) * counts[:, None]) + _DECAY * weights
        first = 0.9 * first + 0.1 * slope
        second = 0.999 * second + 0.001 * slope * slope
        weights -= _RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return Prior(mean, spread, weights)


def measured(one: Lesson, prior: Prior) -> dict[str, int]:
    """Return how many cells were proposed rightly."""
    board = one.look.board
    look = bare_look(one.empty.light, board)
    terrain = TerrainLooks.of(look, points_of(look)).sorted(look.terrain)
    sites = propose_sites(one.empty.light, look)
    guessed, _ = guess_in_piles(one.flat, one.look, prior=prior)
    found, _ = looked_again(one.empty, one.empty_truth, one.flat, guessed, tuple(Color))
    lies = [cell for cell in board.cells if kind_of(one.truth.contents(cell)) != "bare"]
    empty = [cell for cell in board.cells if cell not in set(lies)]
    tracks = propose_tracks(one.shown, one.look, tuple(Color))
    far = [np.linalg.norm(np.subtract(tracks[color], ends), axis=1).max() for color, ends in one.tracks.items()]
    pairs = [(found.contents(cell), one.truth.contents(cell)) for cell in lies]
    return {
        "cells": len(board.cells),
        "terrain_right": sum(terrain[cell] is one.empty_truth.cells[cell].terrain for cell in board.cells),
        "sites": sum(bool(read.site) for read in one.empty_truth.cells.values()),
        "sites_right": sum(bool(one.empty_truth.cells[cell].site) for cell in sites),
        "tracks": len(far),
        "tracks_right": sum(float(off) < _ON_FIELD for off in far),
        "lying": len(lies),
        "tile_right": sum(a.tile == b.tile for a, b in pairs),
        "cubes_right": sum(a.merchants == b.merchants for a, b in pairs),
        "all_right": sum(a == b for a, b in pairs),
        "said_on_bare": sum(kind_of(found.contents(cell)) != "bare" for cell in empty),
    }


def kind_of(contents: Contents) -> str:
    """Return which of KINDS is on a cell."""
    match contents.tile:
        case None:
            return "cubes" if contents.merchants else "bare"
        case Road():
            return "road"
        case Settlement(type=kind):
            return kind.value
        case Workshop():
            return "workshop"
        case _:
            raise ValueError(f"{contents.tile} is no tile of La Strada")


def main() -> None:
    """Measure, or fit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--drawn", type=int, default=16, help="how many drawn tables are fitted to as well")
    parser.add_argument("--fit", action="store_true", help="fit the weights to all tables and write them down")
    asked = parser.parse_args()
    learnt = list(lessons(asked.shared, asked.drawn))
    total: dict[str, int] = {}
    for one in learnt:
        if one.printing != "drawn":
            right = measured(one, fitted([other for other in learnt if other.printing != one.printing]))
            print(f"{one.name:8}", *(f"{name} {count}" for name, count in right.items()))
            total = {name: total.get(name, 0) + count for name, count in right.items()}
    if asked.fit:
        prior = fitted(learnt)
        says = {"features": list(FEATURES), "kinds": list(KINDS)}
        numbers = {name: np.round(getattr(prior, name), 4).tolist() for name in ("mean", "spread", "weights")}
        Path(propose.__file__).with_name("prior.json").write_text(json.dumps({**says, **numbers}) + "\n")
    print(json.dumps(total))


if __name__ == "__main__":
    main()
