"""A quick look whether a colour can build at all: the board floods day by day, all cells at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.board import Color, beside, bitboard

if TYPE_CHECKING:
    from companion.games.la_strada.position import LaStradaPosition


def reaches(position: LaStradaPosition, color: Color, days: int) -> bool | None:
    """Whether the colour could complete a road with so many days; None where only a search can tell.

    What is flooded, over free cells of a terrain that there are tiles for, is all that a road could come to; so no road
    leads to what stays dry. And the first way that comes to a settlement that is next to no place reached is a road:
    as it is the cheapest, no two cells but those that follow each other on it are neighbours (else the way between them
    were left out), so that it bends as tiles do. Only, of a terrain there must be as many tiles as the days can buy.
    """
    rules, ground, stock = position.rules, position.ground, position.tiles_left[color]
    if rules.walking or not position.merchants_left(color):
        return None
    board = ground.board
    starts = bitboard(board, position.connected[color])
    around = beside(board, starts)
    goals = ground.settled & ~starts
    far_goals = goals & ~around
    open_land, taken, costs = ground.open_land, position.covered, rules.costs
    free, ample_days = [], days
    for kind, left in stock.items():
        if left:
            cost = costs[kind]
            free.append((cost, open_land[kind] & ~taken))
            ample_days = min(ample_days, (left + 1) * cost - 1)
    flooded, beside_flooded = 0, [around]
    for day in range(1, days + 1):
        flood = 0
        for cost, land in free:
            if cost <= day:
                flood |= beside_flooded[day - cost] & land
        near = beside(board, flood) if flood else 0
        if near & far_goals:
            return True if day <= ample_days else None
        flooded |= flood
        beside_flooded.append(near)
    return None if flooded & beside(board, goals & around) else False
