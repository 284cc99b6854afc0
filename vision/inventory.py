"""What the box holds, as a help where looks alone leave a doubt; never the law: a table is read as it lies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from companion.board import SettlementType

#: How many of each settlement the box holds (rules: 4 cities, 5 towns, 5 villages, 5 hamlets).
SETTLEMENTS: Mapping[SettlementType, int] = {
    SettlementType.CITY: 4,
    SettlementType.TOWN: 5,
    SettlementType.VILLAGE: 5,
    SettlementType.HAMLET: 5,
}


def cheapest_deal(
    costs: Sequence[Mapping[SettlementType, float]], stock: Mapping[SettlementType, int] = SETTLEMENTS
) -> tuple[SettlementType, ...] | None:
    """Return the cheapest way to name each settlement so that exactly the stock is named; None if numbers differ.

    Dynamic programming over how many of each kind have been named: 1080 states for the game's stock.
    """
    kinds = tuple(stock)
    if len(costs) != sum(stock.values()):
        return None
    best: dict[tuple[int, ...], tuple[float, tuple[SettlementType, ...]]] = {(0,) * len(kinds): (0.0, ())}
    for cost in costs:
        step: dict[tuple[int, ...], tuple[float, tuple[SettlementType, ...]]] = {}
        for used, (total, named) in best.items():
            for k, kind in enumerate(kinds):
                if used[k] == stock[kind]:
                    continue
                after = (*used[:k], used[k] + 1, *used[k + 1 :])
                candidate = total + cost[kind]
                if after not in step or candidate < step[after][0]:
                    step[after] = candidate, (*named, kind)
        best = step
    return best[tuple(stock[kind] for kind in kinds)][1]
