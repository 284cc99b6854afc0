"""How likely each answer for a cell is, from the evidence for it: a small fitted function.

`bench.training` gathers examples (what was read, the evidence, the truth) and fits the weights beside this file. The
evidence is relative to what a table taught, so that the function holds on tables that it was not fitted on; how well,
`bench.training.fit` says by leaving out one table after another.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.board import BadInputError
from vision.evidence import FEATURES

WEIGHTS = Path(__file__).with_name("trust.json")
#: What the reader holds clear is so if it is at least this likely, and where a hand seems to cover some of the cell.
ENOUGH, UNDER_HAND = 0.96, 0.995
#: Where a hand seems to be, but what is read is so likely if there is none, there is none.
EXPLAINED = 0.95
#: Cubes beyond counting are a heap where the answer with as many as are counted is this likely.
COUNTED = 0.6
#: Evidence counts no farther than this from its mean over the examples, in standard deviations.
FARTHEST = 4.0

Array = NDArray[np.float64]
_PARTS = ("mean", "scale", "hidden", "out", "rest")


@dataclass(frozen=True)
class Trust:
    """A network of one hidden layer: `mean` and `scale` (features,), `hidden` (features + 1, units), `out` (units,).

    The last row of `hidden` is added to the sums. What comes out is the logarithm of an answer's odds against the other
    answers for its cell; `rest` (1,) is that of all that is not among them (McFadden's conditional logit).
    """

    mean: Array
    scale: Array
    hidden: Array
    out: Array
    rest: Array

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Trust:
        """Return the trust that was written by `to_json`; BadInputError where it was fitted to other evidence."""
        if tuple(value.get("features", ())) != FEATURES:
            raise BadInputError("the weights of trust are of other evidence than this version gathers; fit them anew")
        return cls(*(np.array(value[name], np.float64) for name in _PARTS))

    def to_json(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        parts = {name: np.round(getattr(self, name), 5).tolist() for name in _PARTS}
        return {"features": list(FEATURES), **parts}

    @classmethod
    def read(cls, path: Path) -> Trust:
        """Return the trust written to a file."""
        return cls.from_json(json.loads(path.read_text(encoding="utf-8")))

    def probabilities(self, rows: NDArray[np.float32], cells: NDArray[np.int64]) -> Array:
        """Return for each row of evidence, (n, features), how likely that answer is, 0 to 1.

        `cells` (n,) says by numbers from 0 on which rows are answers for the same cell: these shares sum up to less
        than 1, as it may hold something else.
        """
        inputs = np.clip((rows - self.mean) / self.scale, -FARTHEST, FARTHEST)
        odds = np.maximum(inputs @ self.hidden[:-1] + self.hidden[-1], 0) @ self.out
        return shares_of(odds, float(self.rest[0]), cells)


def shares_of(odds: Array, rest: float, cells: NDArray[np.int64]) -> Array:
    """Return how likely answers with these logarithms of odds are among those for their cell and the rest."""
    most = np.full(int(cells.max()) + 1, rest)
    np.maximum.at(most, cells, odds)
    each = np.exp(odds - most[cells])
    return np.asarray(each / (np.bincount(cells, each) + np.exp(rest - most))[cells], np.float64)


@cache
def shipped() -> Trust:
    """Return the trust that comes with this version."""
    return Trust.read(WEIGHTS)
