"""Which kinds the settlements on a table are, all named together: by their looks, by each other, by the box's count.

How unlike a settlement is to each kind in several ways becomes how likely each kind would look like that: a logistic
choice whose few weights are fitted (`bench.training.kinds`, to drawn tables alone). What the box holds makes of that
how likely each settlement is of each kind. Then the settlements are compared with each other too, and named again.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from companion.board import HexCell, SettlementType
from vision.inventory import chances
from vision.settlements import KINDS, SettlementLooks, Shown, Unlikeness, unlikeness

#: What each way of being unlike weighs: the turned look, the rings, the fine look, the ground's tint; then the same
#: with how unlike the others are that seem to be of that kind.
_BY_LOOKS = np.array([2.2, 3.2, 1.9, 1.9])
_WITH_OTHERS = np.array([2.2, 3.7, 2.4, 2.3, 3.5])
#: Looks are never so sure that they could not mislead this often.
_MISLED = 1e-4
#: How often settlements are compared with the others, with how many of a kind, and how likely these must be of it.
_ROUNDS, _NEAREST, _OF_KIND = 2, 2.0, 0.3

Numbers = NDArray[np.float64]


def name_deal(
    samples: Mapping[HexCell, Shown], looks: SettlementLooks, stock: Mapping[SettlementType, int]
) -> dict[HexCell, dict[SettlementType, float]]:
    """Return for each settlement how likely it is of each kind, likeliest first; empty where not all were taught."""
    if not samples or set(looks.kinds) != set(KINDS):
        return {}
    found = unlikeness(list(samples.values()), looks)
    count = tuple(stock[kind] for kind in KINDS)
    shares = chances(_likelihoods(found.to_kinds @ _BY_LOOKS), count)
    for _ in range(_ROUNDS if len(samples) > 1 else 0):
        shares = chances(_likelihoods(with_others(found, shares) @ _WITH_OTHERS), count)
    named = ({KINDS[k]: float(row[k]) for k in np.argsort(-row)} for row in shares)
    return dict(zip(samples, named, strict=True))


def with_others(found: Unlikeness, shares: Numbers) -> Numbers:
    """Return the ways of being unlike each kind, and how unlike the nearest others are that are likely of it.

    As logarithms, (settlements, kinds, ways + 1); where no other is likely of a kind, as those of all kinds are.
    """
    unlike = np.full(shares.shape, np.nan)
    for i, row in enumerate(found.alike):
        for k in range(len(KINDS)):
            near = [j for j in np.argsort(row) if j != i and shares[j, k] >= _OF_KIND]
            weights = np.array([shares[j, k] for j in near])
            # The nearest count first, until there are enough of them.
            weights = np.clip(_NEAREST - (np.cumsum(weights) - weights), 0, weights)
            if weights.sum() > _OF_KIND:
                unlike[i, k] = np.log(max(float(weights @ row[near]) / float(weights.sum()), 1e-6))
    known = np.isfinite(unlike)
    usual = np.where(known, unlike, 0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    return np.concatenate([found.to_kinds, np.where(known, unlike, usual[:, None])[..., None]], axis=2)


def _likelihoods(costs: Numbers) -> Numbers:
    """Return how likely each kind looks like that, beside the likeliest, from costs (settlements, kinds)."""
    return np.asarray(np.exp(costs.min(axis=1, keepdims=True) - costs) + _MISLED, dtype=np.float64)
