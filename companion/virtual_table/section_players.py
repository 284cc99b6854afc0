"""Virtual players of Silk Road: they lay what pays, and now and then lay it wrong at first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from companion.board import Contents, LaidSection, SquareCell
from companion.games.silk_road import SilkRoadPosition
from companion.virtual_table.chance import one_of
from companion.virtual_table.plan import Lying, Plan
from companion.virtual_table.players import MISTAKE_SHARE

#: So many ways to lay a section are thought of; there are hundreds, and a person sees some.
_THOUGHT_OF = 40
#: What a square that stays open to go on from is worth, in wealth, and how much chance there is in every choice.
_OPEN, _WHIM = 0.4, 1.5
#: How often somebody passes who could still lay something, once so few squares are open.
_PASS_SHARE, _FEW = 0.3, 2


def planned_section(position: SilkRoadPosition, rng: np.random.Generator, mistakes: float = MISTAKE_SHARE) -> Plan:
    """Return what the player in turn does; with chance `mistakes` he lays his section where no way leads first.

    Raises ValueError where the game is over.
    """
    player = position.next
    if player is None:
        raise ValueError("the game is over: nobody is in turn")
    ways, hand = position.open_ways, position.hand(player)
    if not ways or not hand or (len(ways) <= _FEW and rng.random() < _PASS_SHARE):
        return Plan(player, {}, None)
    best, most = None, -np.inf
    for _ in range(_THOUGHT_OF):
        cell = one_of(ways, rng)
        laid = replace(one_of(hand, rng), turn=int(rng.integers(4))).least_turned
        worth = _worth(position, player, cell, laid) + _WHIM * float(rng.random())
        if worth > most:
            best, most = (cell, laid), worth
    assert best is not None
    cell, laid = best
    wrong = _astray(position, laid, rng) if rng.random() < mistakes else None
    return Plan(player, {cell: Contents(laid)}, wrong)


def _worth(position: SilkRoadPosition, player: str, cell: SquareCell, laid: LaidSection) -> float:
    """Return by how much the player is better off than the others, and how many squares are open then."""
    after = replace(position, laid={**position.laid, cell: laid})
    before, now = position.wealth(), after.wealth()
    gains = {color: now[color] - before[color] for color in now}
    others = sum(gain for color, gain in gains.items() if color != player)
    shared = others if position.is_cooperative else -others / max(1, len(gains) - 1)
    return gains[player] + shared + _OPEN * len(after.open_ways)


def _astray(position: SilkRoadPosition, laid: LaidSection, rng: np.random.Generator) -> Lying | None:
    """Return the section on an open square to which no way leads; None where a way leads to every one."""
    cells = [cell for cell in position.ground.board.cells if position.is_open(cell) and not position.has_way(cell)]
    return {one_of(cells, rng): Contents(laid)} if cells else None
