"""Everything on the drawn table, exactly: every tile, cube and marker with its place and rotation.

Merchants on a cell are apart if there is room and side by side if there are many, but never stacked.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Generic, Self, TypeVar

import numpy as np

from companion.board import (
    BARE,
    Board,
    Cell,
    CellReading,
    Color,
    Contents,
    HexBoard,
    HexCell,
    Layout,
    Merchants,
    PlayerColor,
    Reading,
    Road,
    Settlement,
    Terrain,
    Tile,
)

#: A cube's edge in cell sides (measured on the shared photographs: about 15 px where a side is 36 px).
CUBE_CELLS = 0.4

#: A cube's foot: (x, y) cell sides off its cell's centre, turned by radians.
Foot = tuple[float, float, float]

#: How far off the centre people set a cube, and where they look for a gap between others (cell sides).
_NEAR, _FAR = 0.5, 0.62
#: The gap that they leave between cubes, so that each can be seen on its own.
_GAP = 0.06
#: How far apart cubes in ranks are, from middle to middle: the widest pitch that keeps all of them on the tile is used.
#: With the narrowest one, twelve cubes reach over the tile's rim by less than a quarter of an edge, and still show the
#: ground between them.
_PITCHES = (0.54, 0.51, 0.48, 0.46, 0.44)
#: How many places are tried, near and far, before the cubes are pushed together.
_TRIES = 24


def joined(standing: Sequence[Foot], rng: np.random.Generator) -> tuple[Foot, ...]:
    """Return the feet of all cubes after one more is set down; that one is the last.

    If there is no gap for it among the others, they are pushed together to make room.
    """
    foot = _apart(standing, rng)
    if all(_are_clear(foot, other) for other in standing):
        return (*standing, foot)
    for _ in range(_TRIES):
        x, y = _somewhere(_FAR, rng)
        _, _, turn = min(standing, key=lambda other: math.hypot(other[0] - x, other[1] - y))
        foot = x, y, turn + float(rng.normal(0, 0.08))
        if all(_are_clear(foot, other) for other in standing):
            return (*standing, foot)
    return _in_ranks((*standing, foot), rng)


def _apart(standing: Sequence[Foot], rng: np.random.Generator) -> Foot:
    """Return a place as far from the others as a few tries can find."""
    best, best_gap = (0.0, 0.0), -1.0
    for _ in range(_TRIES):
        x, y = _somewhere(_NEAR, rng)
        gap = min((math.hypot(x - other[0], y - other[1]) for other in standing), default=2.0)
        if gap > best_gap:
            best, best_gap = (x, y), gap
        # Two cubes that are 1.45 edges apart cannot overlap, however they are turned.
        if gap > 1.45 * CUBE_CELLS:
            break
    return (*best, float(rng.uniform(0, math.pi / 2)))


def _somewhere(most: float, rng: np.random.Generator) -> tuple[float, float]:
    angle, far = rng.uniform(0, math.tau), most * math.sqrt(rng.uniform())
    return far * math.cos(angle), far * math.sin(angle)


def _are_clear(one: Foot, other: Foot) -> bool:
    """Return whether two cubes leave a gap between them: whether they are apart along a side of one of them."""
    x, y = other[0] - one[0], other[1] - one[1]
    between = other[2] - one[2]
    # Half the width of one square along its own side, plus half that of the other square along the same direction.
    widths = CUBE_CELLS / 2 * (1 + abs(math.cos(between)) + abs(math.sin(between)))
    return any(
        abs(x * math.cos(turn + side) + y * math.sin(turn + side)) > widths + _GAP
        for turn in (one[2], other[2])
        for side in (0.0, math.pi / 2)
    )


def _in_ranks(standing: Sequence[Foot], rng: np.random.Generator) -> tuple[Foot, ...]:
    """Push the cubes together, side by side. Each takes the free place nearest to where it was."""
    turn = math.pi / 3 * int(rng.integers(6))
    c, s = math.cos(turn), math.sin(turn)
    free = [(c * x - s * y, s * x + c * y) for x, y in _ranks(len(standing))]
    feet = []
    for x, y, _ in standing:
        place = min(free, key=lambda spot: math.hypot(spot[0] - x, spot[1] - y))
        free.remove(place)
        off_x, off_y, off_turn = (float(off) for off in np.clip(rng.normal(0, 0.007, 3), -0.01, 0.01))
        feet.append((place[0] + off_x, place[1] + off_y, turn + 2 * off_turn))
    return tuple(feet)


@cache
def _ranks(count: int) -> tuple[tuple[float, float], ...]:
    """Return places in straight ranks: the set that stays farthest from the tile's rim, as widely spaced as fits."""
    best: tuple[tuple[float, float], ...] = ()
    for pitch in _PITCHES:
        kept = (tuple(sorted(((x * pitch, y * pitch) for x, y in grid), key=_out)[:count]) for grid in _grids())
        best = min(kept, key=lambda spots: [_out(spot) for spot in reversed(spots)])
        if _out(best[-1]) <= 1:
            break
    return best


def _grids() -> Iterator[list[tuple[float, float]]]:
    """Yield grids of pitch 1 about the middle, plain and with every other rank shifted, each both ways round."""
    reach = range(-4, 5)
    for shift in (0.0, 0.5):
        for dx in (0.0, 0.25, 0.5):
            for dy in (0.0, 0.5):
                grid = [(column + dx + shift * (row % 2), row + dy) for row in reach for column in reach]
                yield grid
                yield [(y, x) for x, y in grid]


def _out(spot: tuple[float, float]) -> float:
    """Return how near to the hexagon's rim the outermost corner of an upright cube there is; 1 if it touches it."""
    half = CUBE_CELLS / 2
    corners = [(spot[0] + x, spot[1] + y) for x in (-half, half) for y in (-half, half)]
    ways = [(math.cos(angle), math.sin(angle)) for angle in (k * math.pi / 3 for k in range(6))]
    return max(x * a + y * b for x, y in corners for a, b in ways) / (math.sqrt(3) / 2)


#: How many different pictures each kind of tile has: no two settlements in a copy of the game look alike.
LOOKS = 5


@dataclass(frozen=True, slots=True)
class LaidTile:
    """A tile on the table: (x, y) off its cell's centre in the board plane, turned by radians; `look` picks its art.

    For a square tile, `turn` includes the quarter turns, and `look` distinguishes mountains.
    """

    tile: Tile
    x: float
    y: float
    turn: float
    look: int


@dataclass(frozen=True, slots=True)
class Cube:
    """A merchant: (x, y) cell sides off its cell's centre, turned by radians."""

    color: Color
    x: float
    y: float
    turn: float


@dataclass(frozen=True, slots=True)
class Marker:
    """A day-track marker: its field, and how far off the field's middle it is (cell sides)."""

    field: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand over the table: where its fingertips are (board plane, cell sides), and where the arm comes from.

    `coming_from` is the direction from fingertips to elbow, in radians: 0 is to the right, then clockwise. `look` picks
    skin and sleeve.
    """

    x: float
    y: float
    coming_from: float
    look: int = 0


@dataclass(frozen=True, slots=True)
class Nudge:
    """How far the board has been pushed since it was set up: cell sides and radians, clockwise."""

    x: float = 0.0
    y: float = 0.0
    turn: float = 0.0


UNPUSHED = Nudge()
_BOARD, _LAYOUT = HexBoard(6), Layout()


AnyCell = TypeVar("AnyCell", bound=Cell)


@dataclass(frozen=True)
class DrawnScene(ABC, Generic[AnyCell]):
    """Everything on the table. Each change makes a new scene. `nudge` is how far the board has been pushed."""

    board: Board
    tiles: Mapping[AnyCell, LaidTile] = field(default_factory=dict, kw_only=True)
    nudge: Nudge = field(default=UNPUSHED, kw_only=True)
    hand: Hand | None = field(default=None, kw_only=True)

    @abstractmethod
    def contents(self, cell: Cell) -> Contents:
        """Return what is on the cell."""

    @abstractmethod
    def lay(self, cell: Cell, tile: Tile, rng: np.random.Generator, /) -> Self:
        """Return the scene with that tile on the cell, a little askew, replacing any other."""

    def take(self, cell: Cell) -> Self:
        """Return the scene without a tile on the cell."""
        return replace(self, tiles={at: laid for at, laid in self.tiles.items() if at != cell})

    def with_hand(self, hand: Hand | None) -> Self:
        """Return the scene with that hand over it, or with no hand."""
        return replace(self, hand=hand)

    def with_nudge(self, nudge: Nudge) -> Self:
        """Return the scene on a board that is pushed like that."""
        return replace(self, nudge=nudge)


AnyScene = TypeVar("AnyScene", bound=DrawnScene[Any])


@dataclass(frozen=True)
class Scene(DrawnScene[HexCell]):
    """A table of La Strada."""

    board: HexBoard = _BOARD
    layout: Layout = _LAYOUT
    cubes: Mapping[HexCell, tuple[Cube, ...]] = field(default_factory=dict)
    markers: Mapping[Color, Marker] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.layout.rings != self.board.rings:
            raise ValueError(f"a layout of {self.layout.rings} rings on a board of {self.board.rings}")

    def contents(self, cell: Cell) -> Contents:
        """Return what is on the cell."""
        assert isinstance(cell, HexCell)
        laid = self.tiles.get(cell)
        merchants = Merchants.of({color: self.count(cell, color) for color in Color})
        return Contents(laid.tile if laid else None, merchants)

    def count(self, cell: HexCell, color: Color) -> int:
        """Return how many cubes of that colour are on the cell."""
        return sum(cube.color is color for cube in self.cubes.get(cell, ()))

    def lay(self, cell: Cell, tile: Tile, rng: np.random.Generator) -> Self:
        """Return the scene with the tile on the cell, as people lay it.

        Which tile of its kind it is, and the rotation of a tile without edges, are left to chance.
        """
        assert isinstance(cell, HexCell)
        x, y = np.clip(rng.normal(0, 0.018, 2), -0.04, 0.04)
        turn = float(np.clip(rng.normal(0, 0.02), -0.05, 0.05))
        if not isinstance(tile, Road):
            turn += int(rng.integers(6)) * math.pi / 3
        lying = {other.look for at, other in self.tiles.items() if other.tile == tile and at != cell}
        all_looks = range(LOOKS if isinstance(tile, Road | Settlement) else 1)
        looks = [look for look in all_looks if look not in lying or isinstance(tile, Road)] or list(all_looks)
        laid = LaidTile(tile, float(x), float(y), turn, looks[int(rng.integers(len(looks)))])
        return replace(self, tiles={**self.tiles, cell: laid})

    def put(self, cell: HexCell, color: Color, rng: np.random.Generator) -> Scene:
        """Return the scene with one more cube on the cell. The others make room for it if they must."""
        others = self.cubes.get(cell, ())
        feet = joined([(cube.x, cube.y, cube.turn) for cube in others], rng)
        colors = [*(cube.color for cube in others), color]
        cubes = tuple(Cube(color, *foot) for color, foot in zip(colors, feet, strict=True))
        return replace(self, cubes={**self.cubes, cell: cubes})

    def remove(self, cell: HexCell, color: Color) -> Scene:
        """Return the scene without the cell's last cube of that colour; unchanged if there is none."""
        lying = list(self.cubes.get(cell, ()))
        for cube in reversed(lying):
            if cube.color is color:
                lying.remove(cube)
                break
        rest = {at: cubes for at, cubes in self.cubes.items() if at != cell}
        return replace(self, cubes={**rest, cell: tuple(lying)} if lying else rest)

    def move_marker(self, color: Color, track_field: int | None, rng: np.random.Generator) -> Scene:
        """Return the scene with the colour's marker on that field of its day track; with None, it is off the board."""
        rest = {other: marker for other, marker in self.markers.items() if other is not color}
        if track_field is None:
            return replace(self, markers=rest)
        x, y = np.clip(rng.normal(0, 0.08, 2), -0.2, 0.2)
        return replace(self, markers={**rest, color: Marker(track_field, float(x), float(y))})

    def truth(
        self,
        terrain: Mapping[HexCell, Terrain],
        sites: frozenset[HexCell],
        occluded: frozenset[Cell] = frozenset(),
        occluded_tracks: frozenset[Color] = frozenset(),
    ) -> Reading:
        """Return what a perfect reader would say. `terrain` and `sites` are those of the pieces as taught."""
        origin = self.layout.origin()
        cells: dict[Cell, CellReading] = {}
        for cell in self.board.cells:
            lies = cell in self.tiles or cell in self.cubes
            contents = self.contents(cell) if lies else BARE
            cells[cell] = CellReading(contents, terrain[origin[cell]], origin[cell] in sites)
        tracks: dict[PlayerColor, int | None] = {
            color: self.markers[color].field if color in self.markers else None for color in Color
        }
        return Reading(self.board, cells, tracks, occluded, occluded_tracks)
