"""Settlements, named together, so that the contents of the box settle what looks alone leave open.

That is only a help: a table is read as it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

from companion.board import HexCell, Settlement, SettlementType, Tile
from vision.tiles.opinion import LEAST_LOG, Opinion

#: How many of each settlement the box holds (rules: 4 cities, 5 towns, 5 villages, 5 hamlets).
SETTLEMENTS: Mapping[SettlementType, int] = {
    SettlementType.CITY: 4,
    SettlementType.TOWN: 5,
    SettlementType.VILLAGE: 5,
    SettlementType.HAMLET: 5,
}
#: How likely it is, before anything is seen, that the table holds something other than the box.
_OTHER_STOCK = 0.01
#: Looks are never so sure that they could not mislead this often.
_MISLED = 1e-4
#: A cell is one of the settlements if all kinds of them together are likelier than this.
_RATHER = 0.5


def settled(opinions: Mapping[HexCell, Opinion], lying: Sequence[Tile | None] = ()) -> dict[HexCell, Opinion]:
    """Return the opinions of cells that show settlements, knowing how many of each kind the box holds.

    `lying` is what certainly lies on other cells.
    """
    kinds = tuple(SETTLEMENTS)
    rows: dict[HexCell, list[int | None]] = {}
    for cell, opinion in opinions.items():
        places = [opinion.row(Settlement(kind)) for kind in kinds]
        if sum(math.exp(float(opinion.logs[place])) for place in places if place is not None) > _RATHER:
            rows[cell] = places
    if not rows:
        return {}
    likelihoods = np.array(
        [
            [0.0 if place is None else math.exp(float(opinions[cell].logs[place])) for place in places]
            for cell, places in rows.items()
        ]
    )
    of_all = likelihoods.sum(axis=1)
    stock = tuple(max(number - lying.count(Settlement(kind)), 0) for kind, number in SETTLEMENTS.items())
    shares = chances(likelihoods / of_all[:, None] + _MISLED, stock)
    renamed = {}
    for (cell, places), row, total in zip(rows.items(), shares, of_all, strict=True):
        logs = opinions[cell].logs.copy()
        for place, share in zip(places, row, strict=True):
            if place is not None:
                logs[place] = max(math.log(max(float(share) * total, 1e-12)), LEAST_LOG)
        renamed[cell] = opinions[cell].renamed(logs)
    return renamed


def chances(likelihoods: NDArray[np.float64], stock: tuple[int, ...]) -> NDArray[np.float64]:
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
