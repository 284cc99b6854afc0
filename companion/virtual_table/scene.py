"""What lies on the drawn table, to the hair: every tile, cube and marker with its place and turn."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from companion.board import (
    BARE,
    CellReading,
    Color,
    Contents,
    HexBoard,
    HexCell,
    Layout,
    Merchants,
    Reading,
    Road,
    Settlement,
    Terrain,
    Tile,
)
from companion.virtual_table.crowd import joined

#: How many different pictures tiles of one kind have: no two settlements of a copy are alike.
LOOKS = 5


@dataclass(frozen=True, slots=True)
class LaidTile:
    """A tile as it lies: off its cell's centre by (x, y) cell sides, turned by radians; `look` picks its art."""

    tile: Tile
    x: float
    y: float
    turn: float
    look: int


@dataclass(frozen=True, slots=True)
class Cube:
    """A merchant: off its cell's centre by (x, y) cell sides, turned by radians."""

    color: Color
    x: float
    y: float
    turn: float


@dataclass(frozen=True, slots=True)
class Marker:
    """A day-track marker: its field, and how far off the field's middle it stands (cell sides)."""

    field: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand over the table: where its fingertips point (board plane, cell sides), whence the arm comes (radians).

    `coming_from` is the direction from fingertips to elbow, 0 to the right, clockwise. `look` picks skin and sleeve.
    """

    x: float
    y: float
    coming_from: float
    look: int = 0


@dataclass(frozen=True, slots=True)
class Nudge:
    """How far the board was pushed since it was set up: cell sides and radians, clockwise."""

    x: float = 0.0
    y: float = 0.0
    turn: float = 0.0


UNPUSHED = Nudge()
_BOARD, _LAYOUT = HexBoard(6), Layout()


@dataclass(frozen=True)
class Scene:
    """Everything on the table. Each change makes a new scene."""

    board: HexBoard = _BOARD
    layout: Layout = _LAYOUT
    tiles: Mapping[HexCell, LaidTile] = field(default_factory=dict)
    cubes: Mapping[HexCell, tuple[Cube, ...]] = field(default_factory=dict)
    markers: Mapping[Color, Marker] = field(default_factory=dict)
    nudge: Nudge = UNPUSHED
    hand: Hand | None = None

    def __post_init__(self) -> None:
        if self.layout.rings != self.board.rings:
            raise ValueError(f"a layout of {self.layout.rings} rings on a board of {self.board.rings}")

    def contents(self, cell: HexCell) -> Contents:
        """Return what lies on the cell."""
        laid = self.tiles.get(cell)
        merchants = Merchants.of({color: self.count(cell, color) for color in Color})
        return Contents(laid.tile if laid else None, merchants)

    def count(self, cell: HexCell, color: Color) -> int:
        """Return how many cubes of that colour are on the cell."""
        return sum(cube.color is color for cube in self.cubes.get(cell, ()))

    def lay(self, cell: HexCell, tile: Tile, rng: np.random.Generator) -> Scene:
        """Return the scene with the tile there, a little askew, instead of any other.

        Which of its kind's tiles it is, and how a tile without edges is turned, is left to chance.
        """
        x, y = np.clip(rng.normal(0, 0.018, 2), -0.04, 0.04)
        turn = float(np.clip(rng.normal(0, 0.02), -0.05, 0.05))
        if not isinstance(tile, Road):
            turn += int(rng.integers(6)) * math.pi / 3
        lying = {other.look for at, other in self.tiles.items() if other.tile == tile and at != cell}
        all_looks = range(LOOKS if isinstance(tile, Road | Settlement) else 1)
        looks = [look for look in all_looks if look not in lying or isinstance(tile, Road)] or list(all_looks)
        laid = LaidTile(tile, float(x), float(y), turn, looks[int(rng.integers(len(looks)))])
        return replace(self, tiles={**self.tiles, cell: laid})

    def with_hand(self, hand: Hand | None) -> Self:
        """Return the scene with that hand over it, or with none."""
        return replace(self, hand=hand)

    def with_nudge(self, nudge: Nudge) -> Self:
        """Return the scene on a board that was pushed so."""
        return replace(self, nudge=nudge)

    def take(self, cell: HexCell) -> Scene:
        """Return the scene without a tile there."""
        return replace(self, tiles={at: laid for at, laid in self.tiles.items() if at != cell})

    def put(self, cell: HexCell, color: Color, rng: np.random.Generator) -> Scene:
        """Return the scene with one more cube on the cell; the others make room for it where they must."""
        others = self.cubes.get(cell, ())
        feet = joined([(cube.x, cube.y, cube.turn) for cube in others], rng)
        colors = [*(cube.color for cube in others), color]
        cubes = tuple(Cube(color, *foot) for color, foot in zip(colors, feet, strict=True))
        return replace(self, cubes={**self.cubes, cell: cubes})

    def remove(self, cell: HexCell, color: Color) -> Scene:
        """Return the scene without the cell's last cube of that colour; the same where there is none."""
        lying = list(self.cubes.get(cell, ()))
        for cube in reversed(lying):
            if cube.color is color:
                lying.remove(cube)
                break
        rest = {at: cubes for at, cubes in self.cubes.items() if at != cell}
        return replace(self, cubes={**rest, cell: tuple(lying)} if lying else rest)

    def move_marker(self, color: Color, track_field: int | None, rng: np.random.Generator) -> Scene:
        """Return the scene with the colour's marker on that field of its day track; None: not on the board."""
        rest = {other: marker for other, marker in self.markers.items() if other is not color}
        if track_field is None:
            return replace(self, markers=rest)
        x, y = np.clip(rng.normal(0, 0.08, 2), -0.2, 0.2)
        return replace(self, markers={**rest, color: Marker(track_field, float(x), float(y))})

    def truth(
        self,
        terrain: Mapping[HexCell, Terrain],
        sites: frozenset[HexCell],
        occluded: frozenset[HexCell] = frozenset(),
        occluded_tracks: frozenset[Color] = frozenset(),
    ) -> Reading:
        """Return what a perfect reader would say; terrain and sites are as the pieces lay when taught."""
        origin = self.layout.origin()
        cells = {}
        for cell in self.board.cells:
            lies = cell in self.tiles or cell in self.cubes
            contents = self.contents(cell) if lies else BARE
            cells[cell] = CellReading(contents, terrain[origin[cell]], origin[cell] in sites)
        tracks = {color: self.markers[color].field if color in self.markers else None for color in Color}
        return Reading(self.board, cells, tracks, occluded, occluded_tracks)
