"""Fit what each way of being unlike weighs when settlements are named, and say how likely names are right.

    python -m bench.training.kinds [--drawn 20] [--first 30001] [--photos 6] [--shared ../shared]

reads photographs alone, drawn ones and those of `--shared`, and prints the weights of `vision.kinds`: those of looks
alone, and those with the other settlements. It needs scikit-learn (with it comes scipy), as `bench.training.fit` does.
For each photographed table it says how often names were right, by how sure they were, with weights that were fitted
without it.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from bench.disturbing import Image
from bench.measuring import truth_of, truths_of
from bench.training.scenes import lit, scenes
from calibration import TableFolder, load_photo
from companion.board import BadInputError, HexCell, Reading, Settlement
from companion.virtual_table import write_table
from vision.evidence import Reasons
from vision.inventory import SETTLEMENTS
from vision.kinds import Weights, named
from vision.memory import Known
from vision.reader import Reader
from vision.settlements import KINDS, Shown, Unlikeness, unlikeness

#: Keeps weights small where the examples say nothing.
_SLACK = 1e-3
#: The choice is fitted without the box's count, which makes names surer; so much surer still is right most often on
#: drawn tables and photographed ones.
_SURER = 1.4
#: A sequence of more photographs is thinned out: they show the same settlements.
_MANY = 20

Numbers = NDArray[np.float64]


class Watched(Reader):
    """A reader that keeps each settlement's sample, and where cubes hide it."""

    shown: dict[HexCell, Shown]

    def _trusted(
        self, known: Mapping[HexCell, Known], reasons: Mapping[HexCell, Reasons], before: Mapping[HexCell, Known]
    ) -> dict[HexCell, Known]:
        self.shown = {
            cell: (why.sample, why.cubes_hide)
            for cell, why in reasons.items()
            if isinstance(known[cell].contents.tile, Settlement)
        }
        return super()._trusted(known, reasons, before)


@dataclass(frozen=True)
class Example:
    """One photograph's settlements: how unlike they are, and which kind each is (its place in `KINDS`)."""

    table: str
    found: Unlikeness
    kinds: NDArray[np.int64]


def example(table: str, reader: Watched, image: Image, truth: Reading) -> Example | None:
    """Read a photograph by itself; None where fewer than two settlements are seen."""
    reader.shown = {}
    reader.new_game(is_dealt=False)
    reader.read(image)
    true = {cell: truth.contents(cell).tile for cell in reader.shown if cell not in truth.occluded}
    seen = {cell: KINDS.index(tile.type) for cell, tile in true.items() if isinstance(tile, Settlement)}
    if len(seen) < 2:
        return None
    found = unlikeness([reader.shown[cell] for cell in seen], reader.taught.settlements)
    return Example(table, found, np.array(list(seen.values())))


def of_shared(path: Path) -> Iterator[Example | None]:
    """Yield a photographed table's examples."""
    table = TableFolder.open(path)
    reader = Watched.of(table)
    assert isinstance(reader, Watched)
    for photos in truths_of(table).values():
        for photo in photos[:: 2 if len(photos) > _MANY else 1]:
            yield example(path.name, reader, load_photo(photo, table.setup.size_px), truth_of(photo, table))


def of_drawn(seed: int, photos: int) -> Iterator[Example | None]:
    """Yield a drawn table's examples: games of three photographs."""
    rng = np.random.default_rng((seed, 62))
    with tempfile.TemporaryDirectory(prefix="strada-training-") as folder:
        setup = write_table(Path(folder), seed)
        reader = Watched.of(TableFolder.open(Path(folder)))
    assert isinstance(reader, Watched)
    for photo in range(photos):
        if photo % 3 == 0:
            game = scenes(setup.camera, rng, 3)
        scene = next(game)
        yield example("drawn", reader, lit(setup.camera.picture(scene), rng), setup.camera.truth(scene))


def fitted(examples: Sequence[Example]) -> Weights:
    """Return the weights under which the true kinds are likeliest."""
    kinds = np.concatenate([one.kinds for one in examples])
    by_looks = _choice(np.concatenate([one.found.to_kinds for one in examples]), kinds)
    first = Weights(by_looks, np.zeros(len(by_looks) + 1))
    ways = [first.with_others(one.found, first.by_looks_alone(one.found, SETTLEMENTS)) for one in examples]
    return Weights(by_looks, _SURER * _choice(np.concatenate(ways), kinds))


def _choice(ways: Numbers, kinds: NDArray[np.int64]) -> Numbers:
    """Return the weights of a logistic choice between kinds, by ways of being unlike, (settlements, kinds, ways)."""
    each = np.arange(len(kinds))

    def cost(weights: Numbers) -> tuple[float, Numbers]:
        costs = ways @ weights
        likely = np.exp(costs.min(axis=1, keepdims=True) - costs)
        shares = likely / likely.sum(axis=1, keepdims=True)
        slope = (ways[each, kinds] - (shares[..., None] * ways).sum(axis=1)).mean(axis=0)
        misses = -np.log(np.maximum(shares[each, kinds], 1e-12)).mean()
        return float(misses + _SLACK * weights @ weights), np.asarray(slope + 2 * _SLACK * weights)

    return np.asarray(minimize(cost, np.ones(ways.shape[2]), jac=True).x, dtype=np.float64)


def told(name: str, examples: Sequence[Example], weights: Weights) -> None:
    """Print how many names were wrong, of how many, by how sure they were."""
    levels = (0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 1.001)
    wrong, count = np.zeros(len(levels) - 1, int), np.zeros(len(levels) - 1, int)
    for one in examples:
        shares = named(one.found, weights, SETTLEMENTS)
        bins = np.digitize(shares.max(axis=1), levels) - 1
        np.add.at(count, bins, 1)
        np.add.at(wrong, bins, shares.argmax(axis=1) != one.kinds)
    parts = [f"from {low:g}: {w} of {c}" for low, w, c in zip(levels, wrong, count, strict=False)]
    print(f"{name}: names wrong, by how sure: {', '.join(parts)}", flush=True)


def main() -> None:
    """Gather, fit, tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--drawn", type=int, default=20, metavar="N", help="so many drawn tables")
    parser.add_argument("--first", type=int, default=30001, help="the first drawn table's seed")
    parser.add_argument("--photos", type=int, default=6, help="photographs of each drawn table")
    parser.add_argument("--shared", type=Path, help="the folder with tables/, whose photographs are taken too")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    examples: list[Example] = []
    if options.shared is not None:
        for path in sorted(path.parent for path in (options.shared / "tables").glob("*/table.json")):
            examples += [one for one in of_shared(path) if one is not None]
    for seed in range(options.first, options.first + options.drawn):
        try:
            examples += [one for one in of_drawn(seed, options.photos) if one is not None]
        except BadInputError as error:
            print(f"{seed}: refused, {error}", flush=True)
    for table in sorted({one.table for one in examples} - {"drawn"}):
        weights = fitted([one for one in examples if one.table != table])
        told(f"{table} left out", [one for one in examples if one.table == table], weights)
    weights = fitted(examples)
    told("all, in the fit", examples, weights)
    print(f"by looks: {np.round(weights.by_looks, 1).tolist()}, with others: {np.round(weights.with_them, 1).tolist()}")


if __name__ == "__main__":
    main()
