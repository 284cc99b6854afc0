"""How likely each of several things is each kind, knowing how many of each the box holds, and how alike any two are.

What they look like alone is weighed by a sum over all orders in which the box's things could have been dealt
(`chances`). If it is also known how alike they are, what one of them is depends on what all others are, and no such sum
can be run. Then many deals are drawn, and what most of them agree on is likely (`chances_together`). Two groups, each
of one kind, are told apart by all that was seen of either, even if no single one of them is clear.
"""

from __future__ import annotations

from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

from vision.light.flatten import Numbers

#: How likely it is, before anything is seen, that the table holds something other than the box.
_OTHER_STOCK = 0.01
#: So many deals are drawn. What was seen comes to count in steps that leave this share of their effective number,
#: shortened by this factor as long as they do not; no step is shorter than that. In each step each thing is swapped so
#: often, on average; so often is counted at the end what the deals show.
_DEALS, _KEPT, _SHORTER, _SHORTEST, _SWAPPED, _COUNTED = 256, 0.6, 0.8, 1e-3, 2, 3


def chances(likelihoods: Numbers, stock: tuple[int, ...]) -> Numbers:
    """Return the chance of each thing being each kind, (things, kinds), from how likely each kind would look like it.

    Before anything is seen, all orders in which the stock could have been dealt are equally likely, and the part of the
    stock that is not among the things may be of any kind. There is a small chance that the table holds something other
    than the stock. In that case, and if there are more things than the stock has, each thing is named by itself. The
    sums run over all orders by how many of each kind were named, forwards and backwards.
    """
    alone = np.asarray(likelihoods / likelihoods.sum(axis=1, keepdims=True), dtype=np.float64)
    missing = sum(stock) - len(alone)
    if missing < 0 or not len(alone):
        return alone
    kinds = len(stock)
    all_things = np.vstack([alone, np.full((missing, kinds), 1 / kinds)])
    shape = tuple(count + 1 for count in stock)
    before, after = np.zeros((len(all_things) + 1, *shape)), np.zeros((len(all_things) + 1, *shape))
    before[(0, *(0,) * kinds)] = 1.0
    after[(len(all_things), *stock)] = 1.0
    used = [tuple(slice(0, -1) if axis == k else slice(None) for axis in range(kinds)) for k in range(kinds)]
    more = [tuple(slice(1, None) if axis == k else slice(None) for axis in range(kinds)) for k in range(kinds)]
    for i, row in enumerate(all_things):
        for k, share in enumerate(row):
            before[i + 1][more[k]] += before[i][used[k]] * share
    for i in reversed(range(len(all_things))):
        for k, share in enumerate(all_things[i]):
            after[i][used[k]] += after[i + 1][more[k]] * share
    dealt = np.array(
        [
            [float((before[i][used[k]] * alone[i, k] * after[i + 1][more[k]]).sum()) for k in range(kinds)]
            for i in range(len(alone))
        ]
    )
    orders = factorial(len(all_things)) / prod(factorial(count) for count in stock)
    by_stock = (1 - _OTHER_STOCK) * float(after[(0, *(0,) * kinds)]) / orders
    by_anything = _OTHER_STOCK * (1 / kinds) ** len(all_things)
    trust = by_stock / (by_stock + by_anything)
    by_deal = dealt / np.maximum(dealt.sum(axis=1, keepdims=True), 1e-300)
    return np.asarray(trust * by_deal + (1 - trust) * alone, dtype=np.float64)


def chances_together(likelihoods: Numbers, stock: tuple[int, ...], alike: Numbers) -> Numbers:
    """Return the chance of each thing being each kind, (things, kinds), knowing also how `alike` they are.

    `alike` (things, things), symmetric, is how much likelier it is for each two, as a logarithm, that they are of one
    kind. Deals of the stock are drawn by a sequential Monte Carlo sampler (Del Moral, Doucet and Jasra 2006), with the
    same random numbers each time. First all are equally likely; then what was seen counts a little, then more, then in
    full. At each step deals that fit badly give way to copies of those that fit well, and things swap their kinds
    (Metropolis and others 1953). The table may hold something other than the stock, but nothing that is seen says so.
    """
    alone = np.asarray(likelihoods / likelihoods.sum(axis=1, keepdims=True), dtype=np.float64)
    things, number, kinds = len(alone), sum(stock), len(stock)
    if not 1 < things <= number:
        return chances(likelihoods, stock)
    # What was not dealt looks like anything.
    logs, pairs = np.zeros((number, kinds)), np.zeros((number, number))
    logs[:things], pairs[:things, :things] = np.log(alone), np.where(np.eye(things), 0.0, alike)
    deals = _Deals(logs, pairs, np.repeat(np.arange(kinds), stock))
    counts = 0.0
    while counts < 1:
        counts = deals.weigh(counts)
        deals.swap(counts, _SWAPPED)
    seen = np.zeros_like(logs)
    for _ in range(_COUNTED):
        deals.swap(1.0, 1)
        seen += deals.named.sum(axis=0)
    return np.asarray((1 - _OTHER_STOCK) * seen[:things] / (_COUNTED * _DEALS) + _OTHER_STOCK * alone)


class _Deals:
    """Deals of a box, (deals, things): which kind each thing is. They fit what is seen of each, and of each two."""

    def __init__(self, logs: Numbers, pairs: Numbers, box: NDArray[np.int64]) -> None:
        self._logs, self._pairs, self._random = logs, pairs, np.random.default_rng(0)
        self._deals = np.array([self._random.permutation(box) for _ in range(_DEALS)])

    @property
    def named(self) -> Numbers:
        """The deals as ones and zeros, (deals, things, kinds)."""
        return np.asarray(np.eye(self._logs.shape[1])[self._deals])

    def weigh(self, counted: float) -> float:
        """Let what was seen count more than `counted`, and replace deals that fit badly; return how much it counts."""
        named = self.named
        fit = np.einsum("dtk,tk->d", named, self._logs)
        fit += np.einsum("dtk,tu,duk->d", named, self._pairs, named, optimize=True) / 2
        fit -= fit.max()
        step = 1 - counted
        weights = np.exp(step * fit)
        while step > _SHORTEST and weights.sum() ** 2 / (weights**2).sum() < _KEPT * _DEALS:
            step *= _SHORTER
            weights = np.exp(step * fit)
        # Systematic resampling.
        places = (np.arange(_DEALS) + self._random.random()) / _DEALS
        chosen = np.searchsorted(np.cumsum(weights / weights.sum()), places)
        self._deals = self._deals[np.minimum(chosen, _DEALS - 1)]
        return counted + step

    def swap(self, counts: float, times: int) -> None:
        """Let each thing in each deal swap its kind with another, if it then fits better or hardly worse."""
        logs, pairs, deals, each = self._logs, self._pairs, self._deals, np.arange(_DEALS)
        things = len(logs)
        for _ in range(times * things):
            one = self._random.integers(0, things, _DEALS)
            other = (one + self._random.integers(1, things, _DEALS)) % things
            here, there = deals[each, one], deals[each, other]
            like = (pairs[one] - pairs[other]) * ((deals == there[:, None]) * 1.0 - (deals == here[:, None]))
            like[each, one] = like[each, other] = 0.0
            gained = logs[one, there] - logs[one, here] + logs[other, here] - logs[other, there] + like.sum(axis=1)
            swapped = np.log(self._random.random(_DEALS)) < counts * gained
            deals[each[swapped], one[swapped]] = there[swapped]
            deals[each[swapped], other[swapped]] = here[swapped]
