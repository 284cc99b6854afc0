"""Fit trust to examples, and say how it does on each table when it is left out of the fit.

    python -m bench.training.fit EXAMPLES [--out vision/trust.json] [--left-out bench/training/left_out]

needs scikit-learn (`pip install scikit-learn`), which nothing else does. `EXAMPLES` is a folder that
`bench.training.examples` wrote. `--out` writes the weights fitted to all tables, `--left-out` a file a photographed
table, fitted to all but that one.
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

_UNITS, _SEEDS = 12, 3
#: Probabilities at which the reader might begin to speak.
_LEVELS = (0.5, 0.7, 0.8, 0.9, 0.95)


@dataclass(frozen=True)
class Table:
    """A table's examples: evidence, whether each is right, is covered by a hand, was called clear, was read alone."""

    rows: NDArray[np.float32]
    right: NDArray[np.bool_]
    covered: NDArray[np.bool_]
    clear: NDArray[np.bool_]
    alone: NDArray[np.bool_]

    @classmethod
    def read(cls, path: Path) -> Table:
        """Return what `bench.training.examples` wrote."""
        with np.load(path) as file:
            right, _, covered, clear = file["answers"].T.astype(bool)
            return cls(file["rows"], right, covered, clear, file["where"][:, 2].astype(bool))


def fitted(tables: list[Table]) -> Trust:
    """Return the trust fitted to these tables: several fits from different beginnings, side by side, averaged."""
    rows, right = np.concatenate([one.rows for one in tables]), np.concatenate([one.right for one in tables])
    scaler = StandardScaler().fit(rows)
    inputs = np.clip(scaler.transform(rows), -FARTHEST, FARTHEST)
    hidden, out, last = [], [], []
    for seed in range(_SEEDS):
        network = MLPClassifier(
            (_UNITS,),
            alpha=1e-2,
            max_iter=60,
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


def told(name: str, trust: Trust, table: Table) -> None:
    """Print what would be silently wrong and not spoken for, beginning to speak at each level."""
    share = trust.probabilities(table.rows)
    for alone in (False, True):
        chosen = table.alone == alone
        seen = chosen & ~table.covered
        parts = []
        for level in _LEVELS:
            spoken = table.clear & (share >= level)
            wrong, unspoken = (seen & spoken & ~table.right).sum(), (seen & ~spoken).sum()
            parts.append(f"{level:g}: {wrong} {unspoken} {(chosen & table.covered & spoken & ~table.right).sum()}")
        bins = [(share > low) & (share <= low + 0.1) & seen for low in np.arange(0, 1, 0.1)]
        parts.append(
            "right by tenths " + " ".join(f"{100 * table.right[b].mean():.0f}" if b.any() else "-" for b in bins)
        )
        print(f"{name}, {'alone' if alone else 'memory'}, {seen.sum()} cells: " + "; ".join(parts), flush=True)


def main() -> None:
    """Fit, tell, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("examples", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--left-out", type=Path)
    options = parser.parse_args()
    tables = {path.stem: Table.read(path) for path in sorted(options.examples.glob("*.npz"))}
    print("level: silently wrong, not spoken for, wrong words about hidden cells")
    for name, table in tables.items():
        if name.startswith("shared-"):
            trust = fitted([other for key, other in tables.items() if key != name])
            told(f"{name} left out", trust, table)
            if options.left_out is not None:
                write(trust, options.left_out / f"{name.removeprefix('shared-')}.json")
    if options.out is not None:
        trust = fitted(list(tables.values()))
        for name, table in tables.items():
            if name.startswith("shared-"):
                told(f"{name} in the fit", trust, table)
        write(trust, options.out)


def write(trust: Trust, path: Path) -> None:
    """Write the weights."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(trust.to_json()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
