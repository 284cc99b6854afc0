"""The tiles of a turn become roads: which tiles follow each other, and what each road's two ends come to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from companion.board import OPPOSITE, Color, HexCell, Road, board_order
from companion.games.la_strada.position import LaStradaPosition


class TracedRoad(NamedTuple):
    """Tiles that follow each other from one place to another (settlements or workshops, whosever)."""

    cells: tuple[HexCell, ...]
    places: tuple[HexCell, HexCell]


class Traced(NamedTuple):
    """The roads that join two places, in board order, and where the others are broken.

    `open_ends` are the tiles whose road comes to nothing (the rim, an empty cell, a tile whose road does not come to
    that edge), and those of a ring; `joining` are the tiles whose road runs into a road tile of an earlier turn whose
    road comes to the same edge, and that earlier tile.
    """

    roads: list[TracedRoad]
    open_ends: list[HexCell]
    joining: list[HexCell]


def trace(position: LaStradaPosition, laid: Mapping[HexCell, Road]) -> Traced:
    """Return the roads that the tiles of a turn make; each lies on a free cell."""
    around = position.ground.board.around
    traced = Traced([], [], [])
    seen: set[HexCell] = set()
    for cell in sorted(laid, key=board_order):
        if cell in seen:
            continue
        one, other = laid[cell].edges
        forward, last, entry = _follow(around, laid, cell, other)
        if last == cell and entry == one:
            traced.open_ends.extend(forward)  # a ring
            seen.update(forward)
            continue
        backward, first, first_entry = _follow(around, laid, cell, one)
        cells = (*backward[:0:-1], *forward)
        seen.update(cells)
        starts = _comes_to_place(position, traced, cells[0], first, first_entry)
        if _comes_to_place(position, traced, cells[-1], last, entry) and starts:
            traced.roads.append(TracedRoad(cells, (first, last)))
    return traced


def foreign_roads(
    position: LaStradaPosition, player: Color, roads: Iterable[TracedRoad]
) -> tuple[list[TracedRoad], list[TracedRoad], list[HexCell]]:
    """Return the roads that touch another player's workshop, those that do not, and those workshops."""
    foreign: list[TracedRoad] = []
    own: list[TracedRoad] = []
    near: list[HexCell] = []
    for road in roads:
        touched = [place for place in road.places if position.workshops.get(place, player) is not player]
        (foreign if touched else own).append(road)
        near += touched
    return foreign, own, near


def cells_of(roads: Sequence[TracedRoad]) -> list[HexCell]:
    """Return the cells of the roads' tiles."""
    return [cell for road in roads for cell in road.cells]


def _follow(
    around: Mapping[HexCell, Sequence[HexCell]], laid: Mapping[HexCell, Road], start: HexCell, edge: int
) -> tuple[list[HexCell], HexCell, int]:
    """Return the tiles from `start` on, leaving it by `edge`; the cell they come to, and over which of its edges.

    That is `start` itself where they make a ring.
    """
    cells, cell = [start], start
    while True:
        beyond, entry = around[cell][edge], OPPOSITE[edge]
        tile = laid.get(beyond)
        if tile is None or entry not in tile.edges or beyond == start:
            return cells, beyond, entry
        one, other = tile.edges
        cell, edge = beyond, other if entry == one else one
        cells.append(cell)


def _comes_to_place(position: LaStradaPosition, traced: Traced, cell: HexCell, beyond: HexCell, entry: int) -> bool:
    """Whether the road that leaves its last tile's cell comes to a place; else that is noted."""
    if beyond in position.ground.settlements or beyond in position.workshops:
        return True
    earlier = position.roads.get(beyond)
    if earlier is not None and entry in earlier.edges:
        traced.joining.extend((cell, beyond))
    else:
        traced.open_ends.append(cell)
    return False
