"""Virtual players: they set workshops and lay turns that are sensible, and now and then wrong at first."""

from __future__ import annotations

from itertools import islice

import numpy as np

from companion.board import Color, Contents, HexCell, Merchants, Terrain, Workshop
from companion.games.la_strada import LaStradaPosition, roads
from companion.virtual_table.chance import one_of
from companion.virtual_table.marching import best_march
from companion.virtual_table.mistakes import wrong_turn, wrong_workshop
from companion.virtual_table.plan import Plan
from companion.virtual_table.turns import Step, after, lying

#: One turn in seven goes wrong first.
MISTAKE_SHARE = 1 / 7
#: How often a player forgets to move his marker.
FORGET_SHARE = 0.08
#: Roads looked at in a turn; there can be thousands, and a person sees the near ones.
_LOOKED_AT = 3000
#: How many roads somebody lays in a turn at most: merchants that walk go on along the next.
_MOST_ROADS, _MOST_MARCHES = 3, 4


def planned(position: LaStradaPosition, rng: np.random.Generator, mistakes: float = MISTAKE_SHARE) -> Plan:
    """Return what the player in turn does; with chance `mistakes` he lays something illegal first.

    Raises ValueError where the game is over.
    """
    player = position.next
    if player is None:
        raise ValueError("the game is over: nobody is in turn")
    if position.phase == "workshop":
        standing = Merchants.of({player: position.rules.at_workshop})
        right = {_workshop_cell(position, player, rng): Contents(Workshop(player), standing)}
        wrong = wrong_workshop(position, player, right, rng) if rng.random() < mistakes / 2 else None
        return Plan(player, right, wrong, None)
    steps = _turn(position, player, rng)
    wrong = wrong_turn(position, player, steps, rng) if rng.random() < mistakes else None
    left = position.days[player] - sum(step.road.cost for step in steps)
    marker = None if rng.random() < FORGET_SHARE else left
    return Plan(player, lying(position, player, steps), wrong, marker)


def _workshop_cell(position: LaStradaPosition, player: Color, rng: np.random.Generator) -> HexCell:
    """A plain cell near much gold, with room round it and far from the own first one; one of the best few."""
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


def _turn(position: LaStradaPosition, player: Color, rng: np.random.Generator) -> list[Step]:
    """The roads of a turn: the best for their days while days last; poor ones are put off while days can be saved."""
    steps: list[Step] = []
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


def _best_road(position: LaStradaPosition, player: Color, rng: np.random.Generator) -> tuple[Step | None, float]:
    """The road worth most, its gold against its days, and what it is worth."""
    best, most = None, -np.inf
    for road in islice(roads(position, player, position.days[player]), _LOOKED_AT):
        kind = position.ground.settlements[road.goal]
        there = position.merchants.get(road.goal, Merchants()).total
        gold = position.rules.value(kind, there + 1) if road.sets_merchant else _beyond(position, player, road.goal)
        # A newcomer takes a gold from each who is there; a day is worth about half a gold.
        taken = 0.4 * there * (gold > 0) if road.sets_merchant else 0.0
        worth = gold + taken - 0.45 * road.cost + 0.4 * float(rng.random())
        if worth > most:
            best, most = Step(road), worth
    return best, float(most)


def _beyond(position: LaStradaPosition, player: Color, goal: HexCell) -> float:
    """What a way through a held settlement is worth: the best that is nearer to it than to where the player stands.

    The gold of that settlement, less the days to it by the cheapest terrain.
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
