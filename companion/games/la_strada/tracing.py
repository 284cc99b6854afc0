"""The tiles of a turn become roads: which tiles follow each other, and what each road's two ends face."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from companion.board import Color, HexCell, Road, opposite
from companion.games.la_strada.position import LaStradaPosition


class Facing(Enum):
    """What a road's end comes to."""

    PLACE = auto()  # a settlement or a workshop, whosever
    EARLIER_ROAD = auto()  # a road tile of an earlier turn whose road comes to the same edge
    NOTHING = auto()  # the rim, an empty cell, a tile whose road does not come to the edge


@dataclass(frozen=True, slots=True)
class End:
    """One end of a road: the tile's cell, the cell beyond (perhaps off the board), and what lies there."""

    cell: HexCell
    beyond: HexCell
    facing: Facing


@dataclass(frozen=True, slots=True)
class TracedRoad:
    """Tiles that follow each other, in order, and the two ends; a ring of tiles has none."""

    cells: tuple[HexCell, ...]
    ends: tuple[End, ...]

    @property
    def is_broken(self) -> bool:
        """Whether an end comes to no place, or the tiles make a ring."""
        return not self.ends or any(end.facing is not Facing.PLACE for end in self.ends)

    @property
    def places(self) -> tuple[HexCell, HexCell]:
        """The places that a road which is not broken joins."""
        first, last = self.ends
        return first.beyond, last.beyond


def trace(position: LaStradaPosition, tiles: Mapping[HexCell, Road]) -> tuple[TracedRoad, ...]:
    """Return the roads that the tiles of a turn make, in board order; tiles on occupied cells are not there."""
    laid = {cell: tiles[cell] for cell in sorted(tiles, key=lambda cell: (cell.r, cell.q)) if position.is_free(cell)}
    roads, seen = [], set[HexCell]()
    for cell in laid:
        if cell in seen:
            continue
        forward, last = _follow(position, laid, cell, laid[cell].edges[1])
        if last is None:
            roads.append(TracedRoad(forward, ()))
        else:
            backward, first = _follow(position, laid, cell, laid[cell].edges[0])
            assert first is not None, "a ring has no end in either direction"
            roads.append(TracedRoad((*reversed(backward[1:]), *forward), (first, last)))
        seen.update(roads[-1].cells)
    return tuple(roads)


def foreign_roads(
    position: LaStradaPosition, player: Color, roads: Iterable[TracedRoad]
) -> tuple[list[TracedRoad], list[TracedRoad], list[HexCell]]:
    """Return the roads that touch another player's workshop, those that do not, and those workshops."""
    foreign, own, near = list[TracedRoad](), list[TracedRoad](), list[HexCell]()
    for road in roads:
        touched = [place for place in road.places if position.workshops.get(place, player) != player]
        (foreign if touched else own).append(road)
        near += touched
    return foreign, own, near


def cells_of(roads: Sequence[TracedRoad]) -> list[HexCell]:
    """Return the cells of the roads' tiles."""
    return [cell for road in roads for cell in road.cells]


def _follow(
    position: LaStradaPosition, laid: Mapping[HexCell, Road], start: HexCell, edge: int
) -> tuple[tuple[HexCell, ...], End | None]:
    """Return the tiles from `start` on, leaving it by `edge`, and the end they come to; None where they come back."""
    cells, cell = [start], start
    while True:
        beyond, entry = cell.neighbour(edge), opposite(edge)
        if beyond not in laid or entry not in laid[beyond].edges:
            return tuple(cells), End(cell, beyond, _facing(position, beyond, entry))
        if beyond == start:
            return tuple(cells), None
        cell, edge = beyond, laid[beyond].other_edge(entry)
        cells.append(cell)


def _facing(position: LaStradaPosition, beyond: HexCell, entry: int) -> Facing:
    if beyond in position.ground.settlements or beyond in position.workshops:
        return Facing.PLACE
    if beyond in position.roads and entry in position.roads[beyond].edges:
        return Facing.EARLIER_ROAD
    return Facing.NOTHING
