"""Which kinds the settlements on a table are, all named together: by their looks, by each other, by the box's count.

How unlike a settlement is to each kind in several ways becomes how likely each kind would look like that: a logistic
choice whose few weights are fitted (`bench.training.kinds`). What the box holds makes of that
how likely each settlement is of each kind. Then the settlements are compared with each other too, and named again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.board import HexCell, SettlementType
from vision.inventory import chances
from vision.settlements import KINDS, SettlementLooks, Shown, Unlikeness, unlikeness

#: Looks are never so sure that they could not mislead this often.
_MISLED = 1e-4
#: How often settlements are compared with the others, with how many of a kind, and how likely these must be of it.
_ROUNDS, _NEAREST, _OF_KIND = 2, 2.0, 0.3

Numbers = NDArray[np.float64]


Stock = Mapping[SettlementType, int]


@dataclass(frozen=True)
class Weights:
    """What each way of being unlike weighs: (ways,) `by_looks` alone; (ways + 1,) `with_them`, the others, as well."""

    by_looks: Numbers
    with_them: Numbers

    def by_looks_alone(self, found: Unlikeness, stock: Stock) -> Numbers:
        """Return how likely each settlement is of each kind, (settlements, kinds), by taught looks and the box."""
        return _chances(found.to_kinds @ self.by_looks, stock)

    def with_others(self, found: Unlikeness, shares: Numbers) -> Numbers:
        """Return the ways of being unlike each kind, and how unlike the nearest others are that are likely of it.

        As logarithms, (settlements, kinds, ways + 1); where no other is likely of a kind, as those of all kinds are.
        """
        unlike = np.full(shares.shape, np.nan)
        for i, row in enumerate(found.alike):
            order = [j for j in np.argsort(row) if j != i]
            for k in range(len(KINDS)):
                near = [j for j in order if shares[j, k] >= _OF_KIND]
                weights = np.array([shares[j, k] for j in near])
                # The nearest count first, until there are enough of them.
                weights = np.clip(_NEAREST - (np.cumsum(weights) - weights), 0, weights)
                if weights.sum() > 0:
                    unlike[i, k] = np.log(max(float(weights @ row[near]) / float(weights.sum()), 1e-6))
        known = np.isfinite(unlike)
        usual = np.where(known, unlike, 0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
        return np.concatenate([found.to_kinds, np.where(known, unlike, usual[:, None])[..., None]], axis=2)


#: The turned look, the rings, the fine look, the ground's tint; then the same and the others.
FITTED = Weights(np.array([2.2, 3.2, 1.9, 1.9]), np.array([2.2, 3.7, 2.4, 2.3, 3.5]))


def name_deal(
    samples: Mapping[HexCell, Shown], looks: SettlementLooks, stock: Stock
) -> dict[HexCell, dict[SettlementType, float]]:
    """Return for each settlement how likely it is of each kind, likeliest first; empty where not all were taught."""
    if not samples or set(looks.kinds) != set(KINDS):
        return {}
    shares = named(unlikeness(list(samples.values()), looks), FITTED, stock)
    found = ({KINDS[k]: float(row[k]) for k in np.argsort(-row)} for row in shares)
    return dict(zip(samples, found, strict=True))


def named(found: Unlikeness, weights: Weights, stock: Stock) -> Numbers:
    """Return how likely each settlement is of each kind, (settlements, kinds)."""
    shares = weights.by_looks_alone(found, stock)
    for _ in range(_ROUNDS if len(shares) > 1 else 0):
        shares = _chances(weights.with_others(found, shares) @ weights.with_them, stock)
    return shares


def _chances(costs: Numbers, stock: Stock) -> Numbers:
    """Return how likely each settlement is of each kind from costs, (settlements, kinds)."""
    likelihoods = np.exp(costs.min(axis=1, keepdims=True) - costs) + _MISLED
    return chances(np.asarray(likelihoods, np.float64), tuple(stock[kind] for kind in KINDS))
