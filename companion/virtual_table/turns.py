"""A turn road by road: how the table stands between its roads, and what will lie on it in the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from companion.board import BARE, Color, Contents, HexCell, Merchants
from companion.games.la_strada import BuiltRoad, LaStradaPosition


@dataclass(frozen=True, slots=True)
class Step:
    """A road that is built, and how many merchants then walk along it from where it starts (danger)."""

    road: BuiltRoad
    walking: int = 0


def after(position: LaStradaPosition, player: Color, *steps: Step) -> LaStradaPosition:
    """Return the table once these roads lie, in the middle of a turn: what else could be built goes on from there."""
    for step in steps:
        position = _after(position, player, step)
    return position


def lying(position: LaStradaPosition, player: Color, steps: Sequence[Step]) -> dict[HexCell, Contents]:
    """Return what the turn leaves on each cell that it changes: road by road, tiles first, then merchants."""
    before, now = position.expected(), after(position, player, *steps).expected()
    touched = (cell for step in steps for cell in (*step.road.tiles, step.road.goal, step.road.start))
    return {cell: now[cell] for cell in touched if now[cell] != before.get(cell, BARE)}


def with_cubes(lies: Contents, color: Color, more: int) -> Contents:
    """Return the contents with so many cubes of the colour more, or less."""
    return replace(lies, merchants=lies.merchants + Merchants.of({color: more}))


def _after(position: LaStradaPosition, player: Color, step: Step) -> LaStradaPosition:
    road, rules = step.road, position.rules
    left = dict(position.tiles_left[player])
    for tile in road.tiles.values():
        left[tile.terrain] -= 1
    merchants = dict(position.merchants)
    for cell, more in ((road.start, -step.walking), (road.goal, step.walking + road.sets_merchant)):
        cubes = merchants.pop(cell, Merchants()) + Merchants.of({player: more})
        if cubes:
            merchants[cell] = cubes
    connected = position.connected[player] | (frozenset() if rules.walking else {road.goal})
    return replace(
        position,
        roads={**position.roads, **road.tiles},
        merchants=merchants,
        tiles_left={**position.tiles_left, player: left},
        connected={**position.connected, player: connected},
        days={**position.days, player: position.days[player] - road.cost},
    )
