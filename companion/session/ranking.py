"""Choices of one of each, the cheapest first: of all, or of those whose numbers sum up to a total."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush


def best_first(costs: Sequence[Sequence[float]], most: int) -> Iterator[tuple[float, tuple[int, ...]]]:
    """Yield up to so many choices of one of each, by their places, the cheapest first, with what each costs in all.

    Each sequence of costs rises.

    >>> [*best_first([[0, 1], [0, 3]], 3)]
    [(0, (0, 0)), (1, (1, 0)), (3, (0, 1))]
    """
    first = (0,) * len(costs)
    waiting, known = [(sum(each[0] for each in costs), first)], {first}
    for _ in range(most):
        if not waiting:
            return
        total, ranks = heappop(waiting)
        yield total, ranks
        for index, rank in enumerate(ranks):
            following = (*ranks[:index], rank + 1, *ranks[index + 1 :])
            if rank + 1 < len(costs[index]) and following not in known:
                known.add(following)
                heappush(waiting, (total + costs[index][rank + 1] - costs[index][rank], following))


def best_that_sum(
    costs: Sequence[Sequence[float]], numbers: Sequence[Sequence[int]], total: int, most: int
) -> Iterator[tuple[float, tuple[int, ...]]]:
    """Yield the same of those choices alone whose numbers, none below 0, sum up to the total; costs need not rise.

    An A* search: what the rest costs at least is known exactly, and of choices that cost the same the one nearest to
    its end is followed first, so that no choice is looked at in vain, however many cost the same. Costs that differ by
    less than a billionth are the same.

    >>> [*best_that_sum([[0, 1], [0, 3]], [[1, 2], [1, 0]], 2, 3)]
    [(0.0, (0, 0)), (4.0, (1, 1))]
    """
    rest: list[Mapping[int, float]] = [{0: 0}]
    for row, counted in zip(reversed(costs), reversed(numbers), strict=True):
        least: dict[int, float] = {}
        for after, cost_after in rest[-1].items():
            for cost, number in zip(row, counted, strict=True):
                if after + number <= total:
                    least[after + number] = min(least.get(after + number, math.inf), cost_after + cost)
        rest.append(least)
    rest.reverse()
    waiting: list[tuple[float, int, float, int, tuple[int, ...]]] = []
    if total in rest[0]:
        waiting.append((rest[0][total], 0, 0.0, total, ()))
    found = 0
    while waiting and found < most:
        _, _, spent, left, ranks = heappop(waiting)
        depth = len(ranks)
        if depth == len(costs):
            found += 1
            yield spent, ranks
            continue
        for rank, (cost, number) in enumerate(zip(costs[depth], numbers[depth], strict=True)):
            if (still := rest[depth + 1].get(left - number)) is not None:
                at_least = round(spent + cost + still, 9)
                heappush(waiting, (at_least, -depth - 1, spent + cost, left - number, (*ranks, rank)))


def share_that_sums(shares: Sequence[Sequence[float]], numbers: Sequence[Sequence[int]], total: int) -> float:
    """Return how likely it is that numbers sum up to a total, each with its share.

    >>> share_that_sums([[0.5, 0.5], [0.25, 0.75]], [[1, 2], [1, 0]], 2)
    0.5
    """
    likely: dict[int, float] = {0: 1.0}
    for row, counted in zip(shares, numbers, strict=True):
        summed: dict[int, float] = {}
        for before, of_before in likely.items():
            for share, number in zip(row, counted, strict=True):
                if before + number <= total:
                    summed[before + number] = summed.get(before + number, 0.0) + of_before * share
        likely = summed
    return likely.get(total, 0.0)
