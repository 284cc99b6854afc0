"""Fit trust to examples, and say how it does on printings that are left out of the fit.

    python -m bench.training.fit EXAMPLES [--out vision/trust.json] [--folds 5]

needs scikit-learn (`pip install scikit-learn`), which nothing else does. `EXAMPLES` is a folder that
`bench.training.examples` wrote. Each fold leaves out whole printings, never single cells: cells of one printing err
alike. `--out` writes the weights fitted to all of them.
"""

from __future__ import annotations

import argparse
import json
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler

from vision.trust import FARTHEST, Trust

_UNITS, _SEEDS = 16, 3
#: Probabilities at which the reader might begin to speak.
_LEVELS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.97, 0.98, 0.99)


@dataclass(frozen=True)
class Table:
    """A table's examples: evidence for each answer, whether it is right, covered by a hand, was read alone.

    `cells` is a number for each cell of each photograph: all answers that it could have share it.
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


def fitted(tables: list[Table]) -> Trust:
    """Return the trust fitted to these tables: several fits from different beginnings, side by side, averaged."""
    rows, right = np.concatenate([one.rows for one in tables]), np.concatenate([one.right for one in tables])
    scaler = StandardScaler().fit(rows)
    inputs = np.clip(scaler.transform(rows), -FARTHEST, FARTHEST)
    hidden, out, last = [], [], []
    for seed in range(_SEEDS):
        network = MLPClassifier(
            (_UNITS,),
            alpha=3e-2,
            max_iter=40,
            random_state=seed,
            learning_rate_init=3e-3,
            batch_size=min(256, len(rows)),
        )
        with warnings.catch_warnings():
            # So many rounds are enough on purpose: more of them only learn these tables by heart.
            warnings.simplefilter("ignore", ConvergenceWarning)
            network.fit(inputs, right.astype(int))
        hidden.append(np.vstack([network.coefs_[0], network.intercepts_[0]]))
        out.append(network.coefs_[1][:, 0] / _SEEDS)
        last.append(network.intercepts_[1][0])
    return Trust(scaler.mean_, scaler.scale_, np.hstack(hidden), np.append(np.concatenate(out), np.mean(last)))


@dataclass
class Told:
    """The likeliest answers of tables left out: how likely each was, whether it was right, read alone."""

    shares: list[NDArray[np.float64]]
    right: list[NDArray[np.bool_]]
    alone: list[NDArray[np.bool_]]

    def add(self, trust: Trust, table: Table) -> None:
        """Add a table's visible cells."""
        shares = trust.probabilities(table.rows)
        rows = table.chosen(shares)
        rows = rows[~table.covered[rows]]
        self.shares.append(shares[rows])
        self.right.append(table.right[rows])
        self.alone.append(table.alone[rows])

    def tell(self, name: str) -> None:
        """Print what would be silently wrong and not spoken for, beginning to speak at each level; and calibration."""
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
    """Fit, tell, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("examples", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--folds", type=int, default=5, help="so many groups of printings are left out in turn")
    options = parser.parse_args()
    tables = {path.stem: Table.read(path) for path in sorted(options.examples.glob("*.npz"))}
    print("level: silently wrong on so many printings, not spoken for; of cells that had to be read")
    rendered, told = [name for name in tables if name.startswith("rendered-")], Told([], [], [])
    for fold in range(min(options.folds, len(rendered))):
        left = rendered[fold :: options.folds]
        trust = fitted([table for name, table in tables.items() if name not in left])
        for name in left:
            told.add(trust, tables[name])
    if rendered:
        told.tell(f"{len(rendered)} printings left out")
    if options.out is not None:
        write(fitted(list(tables.values())), options.out)


def write(trust: Trust, path: Path) -> None:
    """Write the weights."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(trust.to_json()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
