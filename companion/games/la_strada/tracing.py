"""The tiles of a turn become roads: which tiles follow each other, and what each road's two ends come to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from companion.board import OPPOSITE, Color, HexCell, Road, in_board_order
from companion.games.la_strada.position import LaStradaPosition


@dataclass(frozen=True, slots=True)
class TracedRoad:
    """Tiles that follow each other from one place to another (settlements or workshops, whosever)."""

    cells: Sequence[HexCell]
    places: tuple[HexCell, HexCell]


#: The roads that join two places, in board order, and where the others are broken: first the tiles whose road comes to
#: nothing (the rim, an empty cell, a tile whose road does not come to that edge), and those of a ring; then the tiles
#: whose road runs into a road tile of an earlier turn whose road comes to the same edge, and that earlier tile.
Traced = tuple[list[TracedRoad], list[HexCell], list[HexCell]]


def trace(position: LaStradaPosition, laid: dict[HexCell, Road]) -> Traced:
    """Return the roads that the tiles of a turn make; each lies on a free cell."""
    around, settlements, workshops = position.ground.board.around, position.ground.settlements, position.workshops
    roads: list[TracedRoad] = []
    open_ends: list[HexCell] = []
    joining: list[HexCell] = []
    seen: set[HexCell] = set()
    for cell in in_board_order(laid):
        if cell in seen:
            continue
        one, other = laid[cell].edges
        forward, last, entry = _follow(around, laid, cell, other)
        if last == cell and entry == one:
            open_ends += forward  # a ring
            seen.update(forward)
            continue
        cells, first, first_entry = _follow(around, laid, cell, one)
        cells.reverse()
        cells += forward[1:]
        seen.update(cells)
        is_whole = True
        for tile, place, edge in ((cells[0], first, first_entry), (cells[-1], last, entry)):
            if place not in settlements and place not in workshops:
                is_whole = False
                earlier = position.roads.get(place)
                if earlier is not None and edge in earlier.edges:
                    joining += (tile, place)
                else:
                    open_ends.append(tile)
        if is_whole:
            roads.append(TracedRoad(cells, (first, last)))
    return roads, open_ends, joining


def foreign_roads(
    position: LaStradaPosition, player: Color, roads: Iterable[TracedRoad]
) -> tuple[list[TracedRoad], list[TracedRoad], list[HexCell]]:
    """Return the roads that touch another player's workshop, those that do not, and those workshops."""
    foreign: list[TracedRoad] = []
    own: list[TracedRoad] = []
    near: list[HexCell] = []
    workshops = position.workshops
    for road in roads:
        touched = [place for place in road.places if place in workshops and workshops[place] is not player]
        if touched:
            foreign.append(road)
            near += touched
        else:
            own.append(road)
    return foreign, own, near


def cells_of(roads: Sequence[TracedRoad]) -> list[HexCell]:
    """Return the cells of the roads' tiles."""
    return [cell for road in roads for cell in road.cells]


def _follow(
    around: Mapping[HexCell, tuple[HexCell, ...]], laid: dict[HexCell, Road], start: HexCell, edge: int
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
