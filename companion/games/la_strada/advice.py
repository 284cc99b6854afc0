"""For those who have never played: what the player in turn may do now, what it would earn, how near the end is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from companion.board import BARE, Cell, Color, Contents, HexCell, Merchants, Terrain, in_board_order
from companion.games.contract import Advice, Prospect
from companion.games.la_strada.position import NOBODY, LaStradaPosition, Placement
from companion.games.la_strada.roads import BuiltRoad, cheapest_roads
from companion.games.la_strada.score import account
from companion.games.la_strada.turns import placement_faults


def prospects(position: LaStradaPosition) -> tuple[Prospect, ...]:
    """Return the cheapest road to each place that the player in turn could reach with the most days there are.

    Those that they can afford now come first; within each group, the most gold, then the cheapest.
    """
    color = position.next
    if color is None or position.phase != "turn":
        return ()
    roads = [_prospect(position, color, road) for road in cheapest_roads(position, color).values()]
    return tuple(sorted(roads, key=lambda each: (not each.is_affordable, -each.earns, each.cost or 0)))


def advice(position: LaStradaPosition, ahead: Sequence[Prospect]) -> tuple[Advice, ...]:
    """Return what the player in turn may do now, must do and cannot do, in the order of doing it."""
    color = position.next
    if color is None:
        return ()
    return tuple(_on_workshop(position, color) if position.phase == "workshop" else _on_turn(position, color, ahead))


def nearness(position: LaStradaPosition) -> Advice | None:
    """Return how near the end is: rounds left, settlements without a merchant, or who can reach the fewest more."""
    if position.next is None:
        return None
    rules, settlements = position.rules, position.ground.settlements
    if position.rounds_left is not None:
        return Advice("near-rounds", numbers={"rounds": position.rounds_left})
    if rules.room is not None:
        return Advice("near-settlements", numbers={"empty": len(settlements.keys() - position.merchants.keys())})
    most = {color: _most_roads(position, color) for color in position.colors}
    least = min(most, key=lambda color: most[color])
    return Advice("near-roads", numbers={"settlements": most[least]}, color=least)


def free_for_workshops(position: LaStradaPosition, color: Color) -> tuple[HexCell, ...]:
    """Return the cells where the colour may place a workshop, in board order."""
    return tuple(cell for cell in position.ground.board.cells if not placement_faults(position, Placement(color, cell)))


def _most_roads(position: LaStradaPosition, color: Color) -> int:
    """Return the most settlements that the colour can still reach, as its merchants and the board allow."""
    unreached = position.ground.settlements.keys() - position.connected[color]
    return min(position.merchants_left(color), len(unreached))


def _prospect(position: LaStradaPosition, color: Color, road: BuiltRoad) -> Prospect:
    before = account(position).gold[color]
    best = max(_merchants_after(position, color, road), key=lambda after: _gold(position, color, after) - before)
    lies: dict[Cell, Contents] = {cell: Contents(tile) for cell, tile in road.tiles.items()}
    held = position.expected()
    for place in (road.start, road.goal):
        standing = best.get(place, NOBODY)
        if standing != position.merchants.get(place, NOBODY):
            lies[place] = replace(held.get(place, BARE), merchants=standing)
    return Prospect(
        road.goal,
        (road.start, *road.tiles, road.goal),
        road.cost,
        road.cost <= position.days[color],
        _gold(position, color, best) - before,
        lies,
    )


def _merchants_after(
    position: LaStradaPosition, color: Color, road: BuiltRoad
) -> Iterator[Mapping[HexCell, Merchants]]:
    """Yield where merchants may stand once the road is built: one is set, or none, or any number walk along."""
    merchants = position.merchants
    if not position.rules.walking:
        one = Merchants.of({color: 1 if road.sets_merchant else 0})
        yield {**merchants, road.goal: merchants.get(road.goal, NOBODY) + one}
        return
    there, here = merchants.get(road.start, NOBODY), merchants.get(road.goal, NOBODY)
    for number in range(there[color] + 1):
        left, come = Merchants.of({color: -number}), Merchants.of({color: number})
        yield {**merchants, road.start: there + left, road.goal: here + come}


def _gold(position: LaStradaPosition, color: Color, merchants: Mapping[HexCell, Merchants]) -> int:
    standing = {cell: cubes for cell, cubes in merchants.items() if cubes}
    return account(replace(position, merchants=standing)).gold[color]


def _on_workshop(position: LaStradaPosition, color: Color) -> Iterator[Advice]:
    rules, board, terrain = position.rules, position.ground.board, position.ground.terrain
    free = free_for_workshops(position, color)
    yield Advice("workshop", free, {"cells": len(free)})
    plain = {cell for cell in board.cells if terrain[cell] is Terrain.PLAIN and position.is_free(cell)}
    if near := in_board_order(plain - set(free)):
        yield Advice("workshop-near", near)
    if rules.at_workshop:
        yield Advice("workshop-merchants", numbers={"at_workshop": rules.at_workshop})
    left = rules.workshops * len(position.players) - len(position.workshops)
    yield Advice("workshop-then", numbers={"workshops": left}, color=position.players[rules.first_turn].color)


def _on_turn(position: LaStradaPosition, color: Color, ahead: Sequence[Prospect]) -> Iterator[Advice]:
    rules, held = position.rules, position.days[color]
    left = position.tiles_left[color]
    yield Advice("days", numbers={"held": held})
    yield Advice("start", in_board_order(position.starts(color)))
    yield Advice("tiles", numbers={f"{kind}_left": left[kind] for kind in Terrain})
    now, later = ([each for each in ahead if each.is_affordable is can] for can in (True, False))
    yield Advice("reach", _goals(now), {"count": len(now)}) if now else Advice("nothing", numbers={"held": held})
    if later:
        yield Advice("far", _goals(later), {"least": min(each.cost or 0 for each in later), "held": held})
    if not rules.walking:
        settlements = position.ground.settlements
        if reached := [cell for cell in position.connected[color] if cell in settlements]:
            yield Advice("reached", in_board_order(reached))
    if strange := [cell for cell, owner in position.workshops.items() if owner is not color]:
        yield Advice("strange", in_board_order(strange))
    if rules.walking:
        yield Advice("walk")
    else:
        code = "merchant" if rules.room is None else "merchant-room"
        yield Advice(code, numbers={"left": position.merchants_left(color)})
    yield Advice("done", numbers={"held": held, "then": min(rules.most_days, held + rules.day_gain)})


def _goals(ahead: Iterable[Prospect]) -> tuple[Cell, ...]:
    return in_board_order(each.goal for each in ahead)
