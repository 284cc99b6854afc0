"""Fit trust to examples, and say how it does on printings that are left out of the fit.

    python -m bench.training.fit EXAMPLES [--out vision/trust.json] [--folds 5]

`EXAMPLES` is a folder that `bench.training.examples` wrote. Each fold leaves out whole printings, never single cells,
because the cells of one printing err together. `--out` writes the weights fitted to all of them.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision.tiles.trust import FARTHEST, Trust, shares_of

#: Units of each network, and how many networks are averaged; rounds over all tables; the share of units that each step
#: leaves out.
UNITS, _FITS, _ROUNDS, DROPPED = 16, 6, 80, 0.2
#: Adam's rates, how it averages slopes and their squares, and the weight decay.
_RATE, _SLOWEST, _MEAN, _SQUARE, _LEAST, _DECAY = 3e-3, 1e-5, 0.9, 0.999, 1e-8, 0.05
#: Probabilities at which the reader might begin to speak.
_LEVELS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.97, 0.98, 0.99)

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Table:
    """A table's examples: evidence for each answer, whether it is right, covered by a hand, and read alone.

    `cells` has a number for each cell of each photograph, which all of its possible answers share.
    """

    rows: NDArray[np.float32]
    right: NDArray[np.bool_]
    covered: NDArray[np.bool_]
    alone: NDArray[np.bool_]
    cells: NDArray[np.int64]

    @classmethod
    def read(cls, path: Path) -> Table:
        """Return what `bench.training.examples` wrote."""
        with np.load(path) as file:
            right, _, covered = file["answers"].T.astype(bool)
            cells = np.unique(file["where"], axis=0, return_inverse=True)[1].ravel()
            return cls(file["rows"], right, covered, file["where"][:, 2].astype(bool), cells)

    def chosen(self, shares: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the rows of each cell's likeliest answer."""
        order = np.lexsort((-shares, self.cells))
        return order[np.unique(self.cells[order], return_index=True)[1]]


def fitted(tables: Sequence[Table]) -> Trust:
    """Return the trust fitted to these tables: the average of several fits from different beginnings."""
    rows = np.concatenate([one.rows for one in tables])
    mean, scale = rows.mean(axis=0).astype(np.float64), rows.std(axis=0).astype(np.float64)
    scale[scale == 0] = 1
    inputs = [np.clip((one.rows - mean) / scale, -FARTHEST, FARTHEST) for one in tables]
    fits = [_fit(inputs, tables, np.random.default_rng(seed)) for seed in range(_FITS)]
    hidden, out, rest = zip(*fits, strict=True)
    return Trust(mean, scale, np.hstack(hidden), np.concatenate(out) / _FITS, np.mean(rest, axis=0))


def _fit(inputs: Sequence[Array], tables: Sequence[Table], rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Return one network's `hidden`, `out` and `rest`, a table a step: Adam (Kingma and Ba 2015) with weight decay."""
    features = inputs[0].shape[1]
    hidden = rng.uniform(-1, 1, (features + 1, UNITS)) / math.sqrt(features)
    out, rest = rng.uniform(-1, 1, UNITS) / math.sqrt(UNITS), np.zeros(1)
    weights = [hidden, out, rest]
    means, squares = ([np.zeros_like(one) for one in weights] for _ in range(2))
    steps = _ROUNDS * len(tables)
    for step in range(steps):
        if step % len(tables) == 0:
            order = rng.permutation(len(tables))
        table = order[step % len(tables)]
        rate = _RATE * (1 - step / steps) + _SLOWEST
        hidden, out, rest = weights
        found = slopes(inputs[table], tables[table], hidden, out, rest, rng)
        for k, slope in enumerate(found):
            means[k] += (1 - _MEAN) * (slope - means[k])
            squares[k] += (1 - _SQUARE) * (slope**2 - squares[k])
            root = np.sqrt(squares[k] / (1 - _SQUARE ** (step + 1))) + _LEAST
            weights[k] -= rate * (means[k] / (1 - _MEAN ** (step + 1)) / root + _DECAY * weights[k])
    return weights[0], weights[1], weights[2]


def slopes(
    inputs: Array, table: Table, hidden: Array, out: Array, rest: Array, rng: np.random.Generator
) -> tuple[Array, Array, Array]:
    """Return how fast the mean logarithm of the truth's probability falls with each weight."""
    kept = (rng.random((len(inputs), UNITS)) >= DROPPED) / (1 - DROPPED)
    units = np.maximum(inputs @ hidden[:-1] + hidden[-1], 0) * kept
    shares = shares_of(units @ out, float(rest[0]), table.cells)
    of_cells = np.bincount(table.cells, shares)
    is_among = np.bincount(table.cells, table.right) > 0
    off = (shares - table.right) / len(of_cells)
    back = np.outer(off, out) * kept * (units > 0)
    return (
        np.vstack([inputs.T @ back, back.sum(axis=0)]),
        units.T @ off,
        np.array([((1 - of_cells) - ~is_among).sum() / len(of_cells)]),
    )


@dataclass
class Told:
    """The likeliest answers of tables left out: how likely each was, whether it was right, and whether read alone."""

    shares: list[NDArray[np.float64]]
    right: list[NDArray[np.bool_]]
    alone: list[NDArray[np.bool_]]

    def add(self, trust: Trust, table: Table) -> None:
        """Add a table's visible cells."""
        shares = trust.probabilities(table.rows, table.cells)
        rows = table.chosen(shares)
        rows = rows[~table.covered[rows]]
        self.shares.append(shares[rows])
        self.right.append(table.right[rows])
        self.alone.append(table.alone[rows])

    def tell(self, name: str) -> None:
        """Print what would be silently wrong and not spoken for, speaking from each level on; and the calibration."""
        for alone in (False, True):
            chosen = [one == alone for one in self.alone]
            share = np.concatenate([one[at] for one, at in zip(self.shares, chosen, strict=True)])
            right = np.concatenate([one[at] for one, at in zip(self.right, chosen, strict=True)])
            parts = []
            for level in _LEVELS:
                spoken = share >= level
                printings = sum(
                    bool(((s[at] >= level) & ~r[at]).any())
                    for s, r, at in zip(self.shares, self.right, chosen, strict=True)
                )
                parts.append(f"{level:g}: {(spoken & ~right).sum()} on {printings}, {(~spoken).sum()}")
            tenths = [(share > low) & (share <= low + 0.1) for low in np.arange(0, 1, 0.1)]
            parts.append(
                "right by tenths " + " ".join(f"{100 * right[t].mean():.0f}" if t.any() else "-" for t in tenths)
            )
            print(f"{name}, {'alone' if alone else 'memory'}, {len(share)} cells: " + "; ".join(parts), flush=True)


def main() -> None:
    """Fit, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("examples", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument(
        "--folds", type=int, default=5, help="so many groups of printings are left out in turn; 0: none"
    )
    options = parser.parse_args()
    tables = {path.stem: Table.read(path) for path in sorted(options.examples.glob("*.npz"))}
    print("level: silently wrong on so many printings, not spoken for; of cells that had to be read")
    rendered, told = [name for name in tables if name.startswith("rendered-")], Told([], [], [])
    for fold in range(min(options.folds, len(rendered))):
        left = rendered[fold :: options.folds]
        trust = fitted([table for name, table in tables.items() if name not in left])
        for name in left:
            told.add(trust, tables[name])
    if told.shares:
        told.tell(f"{len(rendered)} printings left out")
    if options.out is not None:
        write(fitted(list(tables.values())), options.out)


def write(trust: Trust, path: Path) -> None:
    """Write the weights."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(trust.to_json()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
