"""Virtual players: they place workshops and make sensible turns, and now and then try something wrong first.

In Silk Road they lay what pays, and now and then lay it wrong at first.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np

from companion.board import Color, Contents, HexCell, LaidSection, Merchants, SquareCell, Terrain, Workshop
from companion.games.la_strada import LaStradaPosition, roads
from companion.games.silk_road import SilkRoadPosition
from simulator.mistakes import wrong_turn, wrong_workshop
from simulator.turns import Lying, Plan, RoadStep, after, best_march, lying, one_of

#: One turn in seven goes wrong first.
MISTAKE_SHARE = 1 / 7
#: How often a player forgets to move their marker.
FORGET_SHARE = 0.08
#: How many roads are considered in a turn: there can be thousands, and a person sees the near ones.
_LOOKED_AT = 3000
#: How many roads somebody lays in a turn at most. Merchants that walk can go on along the next road.
_MOST_ROADS, _MOST_MARCHES = 3, 4


def planned(position: LaStradaPosition, rng: np.random.Generator, mistakes: float = MISTAKE_SHARE) -> Plan:
    """Return what the player whose turn it is does; with probability `mistakes` they lay something illegal first.

    Raises ValueError if the game is over.
    """
    player = position.next
    if player is None:
        raise ValueError("the game is over: nobody is in turn")
    if position.phase == "workshop":
        standing = Merchants.of({player: position.rules.at_workshop})
        right: Lying = {_workshop_cell(position, player, rng): Contents(Workshop(player), standing)}
        wrong = wrong_workshop(position, player, right, rng) if rng.random() < mistakes / 2 else None
        return Plan(player, right, wrong, None)
    steps = _turn(position, player, rng)
    wrong = wrong_turn(position, player, steps, rng) if rng.random() < mistakes else None
    left = position.days[player] - sum(step.road.cost for step in steps)
    marker = None if rng.random() < FORGET_SHARE else left
    return Plan(player, lying(position, player, steps), wrong, marker)


def _workshop_cell(position: LaStradaPosition, player: Color, rng: np.random.Generator) -> HexCell:
    """Return one of the best few plain cells: near much gold, with room around it, far from the player's first one."""
    rules, ground = position.rules, position.ground
    others = [cell for cell, color in position.workshops.items() if color is not player]
    own = [cell for cell, color in position.workshops.items() if color is player]

    def worth(cell: HexCell) -> float:
        near = sum(rules.value(kind, 1) / (1 + cell.distance(goal)) ** 1.5 for goal, kind in ground.settlements.items())
        room = sum(ground.terrain[beyond] is Terrain.PLAIN for _, beyond in ground.board.neighbours(cell))
        far = sum(min(cell.distance(first), ground.board.rings) for first in own)
        return float(near + 0.12 * room + 0.2 * far + 0.3 * rng.random())

    allowed = [
        cell
        for cell in ground.board.cells
        if ground.terrain[cell] is Terrain.PLAIN
        and position.is_free(cell)
        and all(cell.distance(other) > 1 for other in others)
    ]
    return one_of(sorted(allowed, key=worth, reverse=True)[:5], rng)


def _turn(position: LaStradaPosition, player: Color, rng: np.random.Generator) -> list[RoadStep]:
    """Return a turn's roads, the best for their days first; if days can be saved, poor roads wait."""
    steps: list[RoadStep] = []
    now, rules = position, position.rules
    while now.days[player] > 0 and len(steps) < (_MOST_MARCHES if rules.walking else _MOST_ROADS):
        may_save = now.days[player] + rules.day_gain <= rules.most_days or bool(steps)
        if rules.walking:
            best, worth = best_march(now, player, may_save, rng)
            is_due = worth > 0
        else:
            best, worth = _best_road(now, player, rng)
            is_due = not may_save or worth >= 0
        if best is None or not is_due or (may_save and rng.random() < 0.08):
            break
        steps.append(best)
        now = after(now, player, best)
    return steps


def _best_road(position: LaStradaPosition, player: Color, rng: np.random.Generator) -> tuple[RoadStep | None, float]:
    """Return the road that is worth most, weighing its gold against its days, and its worth."""
    best, most = None, -np.inf
    for road in islice(roads(position, player, position.days[player]), _LOOKED_AT):
        kind = position.ground.settlements[road.goal]
        there = position.merchants.get(road.goal, Merchants()).total
        gold = position.rules.value(kind, there + 1) if road.sets_merchant else _beyond(position, player, road.goal)
        # A newcomer costs everybody there a gold. A day is worth about half a gold.
        taken = 0.4 * there * (gold > 0) if road.sets_merchant else 0.0
        worth = gold + taken - 0.45 * road.cost + 0.4 * float(rng.random())
        if worth > most:
            best, most = RoadStep(road), worth
    return best, float(most)


def _beyond(position: LaStradaPosition, player: Color, goal: HexCell) -> float:
    """Return the worth of passing through a held settlement: of the best place that is nearer to it than to the player.

    That place is worth its gold, less the days to it over the cheapest terrain.
    """
    ground, near = position.ground, position.connected[player]
    cheapest = 0.45 * min(position.rules.costs.values())
    return max(
        (
            position.rules.value(kind, 1) - cheapest * (goal.distance(cell) - 1)
            for cell, kind in ground.settlements.items()
            if not position.is_full(cell) and all(goal.distance(cell) < cell.distance(place) for place in near)
        ),
        default=0.0,
    )


#: How many ways to lay a section are considered: there are hundreds, and a person sees some of them.
_THOUGHT_OF = 40
#: _OPEN: the worth, in wealth, of each square that stays open to go on from. _WHIM: the share of chance in every
#: choice.
_OPEN, _WHIM = 0.4, 1.5
#: How often somebody passes who could still lay something, once only this few squares are open.
_PASS_SHARE, _FEW = 0.3, 2


def planned_section(position: SilkRoadPosition, rng: np.random.Generator, mistakes: float = MISTAKE_SHARE) -> Plan:
    """Return what the player whose turn it is does; with probability `mistakes` they first lay it where no way leads.

    Raises ValueError if the game is over.
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
    """Return how much better off the player is than the others; squares that are open afterwards count, too."""
    after = replace(position, laid={**position.laid, cell: laid})
    before, now = position.wealth(), after.wealth()
    gains = {color: now[color] - before[color] for color in now}
    others = sum(gain for color, gain in gains.items() if color != player)
    shared = others if position.is_cooperative else -others / max(1, len(gains) - 1)
    return gains[player] + shared + _OPEN * len(after.open_ways)


def _astray(position: SilkRoadPosition, laid: LaidSection, rng: np.random.Generator) -> Lying | None:
    """Return the section on an open square that no way leads to; None if a way leads to every one."""
    cells = [cell for cell in position.ground.board.cells if position.is_open(cell) and not position.has_way(cell)]
    return {one_of(cells, rng): Contents(laid)} if cells else None
