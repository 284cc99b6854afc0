"""What the box holds, as a help where looks alone leave a doubt; never the law: a table is read as it lies."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from companion.board import SettlementType

#: How many of each settlement the box holds (rules: 4 cities, 5 towns, 5 villages, 5 hamlets).
SETTLEMENTS: Mapping[SettlementType, int] = {
    SettlementType.CITY: 4,
    SettlementType.TOWN: 5,
    SettlementType.VILLAGE: 5,
    SettlementType.HAMLET: 5,
}


def totals_if(costs: NDArray[np.float64], stock: tuple[int, ...]) -> NDArray[np.float64]:
    """Return what naming all things costs at least, if thing i is named kind k, (things, kinds).

    `costs` (things, kinds); each kind k is named exactly `stock[k]` times, and stock adds up to the things. The row's
    smallest names the thing; how much more the next smallest costs tells how sure that is. Dynamic programming over
    how many of each kind were named, forwards and backwards.
    """
    things, kinds = costs.shape
    if things != sum(stock):
        raise ValueError(f"{things} things cannot be named with a stock of {sum(stock)}")
    shape = tuple(count + 1 for count in stock)
    before = np.full((things + 1, *shape), np.inf)
    after = np.full((things + 1, *shape), np.inf)
    before[(0, *(0,) * kinds)] = 0.0
    after[(things, *stock)] = 0.0
    used = [tuple(slice(0, -1) if axis == k else slice(None) for axis in range(kinds)) for k in range(kinds)]
    more = [tuple(slice(1, None) if axis == k else slice(None) for axis in range(kinds)) for k in range(kinds)]
    for i in range(things):
        for k in range(kinds):
            before[i + 1][more[k]] = np.minimum(before[i + 1][more[k]], before[i][used[k]] + costs[i, k])
    for i in reversed(range(things)):
        for k in range(kinds):
            after[i][used[k]] = np.minimum(after[i][used[k]], after[i + 1][more[k]] + costs[i, k])
    return np.array(
        [
            [
                float((before[i][used[k]] + costs[i, k] + after[i + 1][more[k]]).min(initial=np.inf))
                for k in range(kinds)
            ]
            for i in range(things)
        ]
    )
