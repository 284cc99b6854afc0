"""The kinds of thing that are taught: one name each, which of them a cell shows, and which are still missing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from companion.board import BadInputError, Color, Contents, Reading, Road, Settlement, SettlementType, Terrain, Workshop


class Kind(StrEnum):
    """What a component is; its colour or type is given separately."""

    ROAD = "road"
    WORKSHOP = "workshop"
    CUBE = "cube"
    MARKER = "marker"
    SETTLEMENT = "settlement"


@dataclass(frozen=True, slots=True)
class Component:
    """One kind of thing that is taught: the road tiles of a colour, a type of settlement, a colour's merchants, ...

    >>> str(Component(Kind.CUBE, "red"))
    'cube-red'
    """

    kind: Kind
    which: str

    def __str__(self) -> str:
        return f"{self.kind}-{self.which}"

    @classmethod
    def named(cls, name: str) -> Component:
        """Return the component of that name; raises BadInputError if there is none."""
        by_name = {str(one): one for one in every_component(tuple(Color))}
        if name not in by_name:
            raise BadInputError(f"{name!r:.40} is not a component; there are {', '.join(by_name)}")
        return by_name[name]


def every_component(colors: Iterable[Color]) -> tuple[Component, ...]:
    """Return what is taught for a game of those colours."""
    return (
        *(Component(Kind.SETTLEMENT, kind.value) for kind in SettlementType),
        *(
            Component(kind, color.value)
            for kind in (Kind.WORKSHOP, Kind.ROAD, Kind.CUBE, Kind.MARKER)
            for color in colors
        ),
    )


def on_cell(contents: Contents) -> frozenset[Component]:
    """Return which components a cell teaches; only bare cells teach merchants (vision/cubes/cubes.py)."""
    match contents.tile:
        case None:
            return frozenset(Component(Kind.CUBE, color.value) for color in contents.merchants.counts)
        case Road(color=color):
            return frozenset({Component(Kind.ROAD, color.value)})
        case Workshop(color=color):
            return frozenset({Component(Kind.WORKSHOP, color.value)})
        case Settlement(type=kind):
            return frozenset({Component(Kind.SETTLEMENT, kind.value)})
        case _:
            raise ValueError(f"{contents.tile} is not a tile of La Strada")


def shown_in(reading: Reading) -> frozenset[Component]:
    """Return the components that a photograph teaches."""
    cells = (on_cell(read.contents) for cell, read in reading.cells.items() if cell not in reading.occluded)
    markers = (Component(Kind.MARKER, str(color)) for color, field in reading.tracks.items() if field is not None)
    return frozenset().union(*cells) | frozenset(markers)


def missing(readings: Iterable[Reading], colors: Iterable[Color]) -> tuple[Component, ...]:
    """Return, in order, the components of a game of those colours that no photograph teaches yet."""
    shown = frozenset[Component]().union(*(shown_in(reading) for reading in readings))
    return tuple(one for one in every_component(colors) if one not in shown)


def missing_terrains(readings: Iterable[Reading]) -> tuple[Terrain, ...]:
    """Return the terrains of which no road tile was shown: these tiles teach how the ground beside a strip looks."""
    tiles = [read.contents.tile for reading in readings for read in reading.cells.values()]
    shown = {tile.terrain for tile in tiles if isinstance(tile, Road)}
    return tuple(terrain for terrain in Terrain if terrain not in shown)
