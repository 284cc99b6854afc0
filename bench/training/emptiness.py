"""How surely a board that should be empty and is not gets noticed, and how often an empty one is refused.

    python -m bench.training.emptiness ../shared/tables-random/t000* [--drawn 20] [--fit]

It takes rendered tables to learn from (seeds 1 to 999) and drawn ones. Each is measured with weights fitted without a
quarter of the tables, itself among them. `--fit` fits them to all and writes them.
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

from bench.measuring import seen_empty
from calibration import Follower, TableFolder, load_photo
from calibration.follow import BoardLost
from companion.board import BARE, Reading, reading_from_json
from companion.setup.ground import bare_look
from companion.setup.nets import WEIGHTS, covering_features, points_of
from simulator import write_table
from vision.light.flatten import extent_of, flatten

Array = NDArray[np.float64]

_FOLDS, _STEPS, _RATE, _DECAY, _EVERY = 4, 300, 0.05, 3e-3, 3
#: The first drawn table's seed.
_DRAWN = 500


@dataclass(frozen=True, eq=False)
class Seen:
    """A photograph: its table, what it shows ("empty", "teach" or "game"), its features, what is covered."""

    table: str
    kind: str
    features: Array
    covered: NDArray[np.bool_]


def seen(folder: Path) -> Iterator[Seen]:
    """Yield a table's photographs, every third one of its games."""
    table = TableFolder.open(folder)
    setup, (empty, bare, view) = table.setup, seen_empty(table)
    follower = Follower.of(empty, view, setup.tracks, setup.fiducials)
    shots: list[tuple[str, NDArray[np.uint8], Reading]] = [("empty", empty, bare), ("teach", *table.load_teach())]
    for photo in sorted(folder.glob("games/*/*.jpg"))[::_EVERY]:
        truth = json.loads(photo.with_suffix(".json").read_text(encoding="utf-8"))
        shots.append(("game", load_photo(photo), reading_from_json(truth, setup.board)))
    for kind, image, reading in shots:
        found = view if kind == "empty" else follower.follow(image)
        if isinstance(found, BoardLost):
            continue
        look = bare_look(flatten(image, found, extent_of(view.rings, {})), view.board)
        covered = np.array([reading.contents(cell) != BARE for cell in setup.board.cells])
        yield Seen(folder.name, kind, covering_features(look, points_of(look)), covered)


def fitted(learnt: list[Seen]) -> tuple[Array, Array, Array]:
    """Return mean, spread and weights (the last is the bias) of a logistic regression, by Adam."""
    features = np.concatenate([one.features for one in learnt])
    truth = np.concatenate([one.covered for one in learnt]).astype(np.float64)
    mean, spread = features.mean(axis=0), features.std(axis=0) + 1e-6
    rows = np.column_stack([(features - mean) / spread, np.ones(len(features))])
    weights = np.zeros(rows.shape[1])
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, _STEPS + 1):
        likely = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        slope = rows.T @ (likely - truth) / len(truth) + _DECAY * weights
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope * slope
        weights -= _RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return mean, spread, weights


def sure(one: Seen, fit: tuple[Array, Array, Array]) -> int:
    """Return how many cells are surely covered, as the product decides it."""
    mean, spread, weights = fit
    odds = (one.features - mean) / spread @ weights[:-1] + weights[-1]
    return int((1 / (1 + np.exp(-np.clip(odds, -30, 30))) > 0.9).sum())


def main() -> None:
    """Measure, or fit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", type=Path, nargs="+")
    parser.add_argument("--drawn", type=int, default=20, help="so many drawn tables beside them")
    parser.add_argument("--fit", action="store_true", help="fit the weights to all tables and write them down")
    options = parser.parse_args()
    photos = [one for folder in options.tables for one in seen(folder)]
    with tempfile.TemporaryDirectory(prefix="strada-emptiness-") as place:
        for seed in range(_DRAWN, _DRAWN + options.drawn):
            write_table(drawn := Path(place) / f"drawn-{seed}", seed)
            photos += seen(drawn)
    names = sorted({one.table for one in photos})
    figures: dict[str, dict[str, float]] = {}
    counts: dict[str, list[int]] = {}
    for fold in range(_FOLDS):
        left_out = set(names[fold::_FOLDS])
        fit = fitted([one for one in photos if one.table not in left_out])
        for one in photos:
            if one.table in left_out:
                counts.setdefault(one.kind, []).append(sure(one, fit))
    for kind, sures in counts.items():
        figures[kind] = {"photographs": len(sures), "refused": sum(count >= 6 for count in sures)}
        print(f"{kind}: {figures[kind]['refused']} of {len(sures)} refused; covered cells {sorted(sures)}")
    if options.fit:
        mean, spread, weights = (np.round(one, 5).tolist() for one in fitted(photos))
        WEIGHTS.write_text(json.dumps({"mean": mean, "spread": spread, "weights": weights}) + "\n", encoding="utf-8")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
