"""A made-up printing of the game: its colours and signs, and what its six board pieces show."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace

import cv2
import numpy as np

from companion.board import Board, Color, HexBoard, HexCell, Layout, SettlementType, Terrain
from simulator.paint import Bgr, varied

#: Sites on the starting piece, the centre's included, and on each other piece (tables/FORMAT.md).
START_SITES, PIECE_SITES = 4, 3

#: Half the frame's width, as a multiple of how far the cells reach, on a board of six rings.
_FRAME_SHARE = 1.279
#: Even with few rings, a day track's eleven fields need this much, to have room for a marker and a number each.
_LEAST_FRAME_HALF = 11.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Printing(ABC):
    """One printing of a game and the table that it lies on, of a kind and a colour; `seed` seeds all its grain."""

    board: Board
    frame: Bgr
    seam: Bgr
    table: str
    table_color: Bgr
    seed: int

    @property
    @abstractmethod
    def frame_half(self) -> float:
        """Half the frame's width, in units of the board's plane."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Art(Printing):
    """A printing of La Strada. Colours are blue, green, red; lengths in cell sides.

    `terrain` and `sites` say what the pieces show in the places where they were when taught. `sides` are the colours
    whose day tracks are at the bottom, right, top and left.
    """

    board: HexBoard
    terrain: Mapping[HexCell, Terrain]
    sites: frozenset[HexCell]
    land: Mapping[Terrain, Bgr]
    road: Mapping[Color, Bgr]
    wood: Mapping[Color, Bgr]
    ground: Mapping[SettlementType, Bgr]
    roof: Bgr
    wall: Bgr
    site: Bgr
    ink: Bgr
    tree: str
    field: str
    title: str
    sides: tuple[Color, Color, Color, Color]
    fiducials: bool

    @classmethod
    def made(cls, rng: np.random.Generator, rings: int = 6, fiducials: bool | None = None) -> Art:
        """Return a random printing. `fiducials`: whether there are markers on the frame's corners (None: by chance)."""
        board = HexBoard(rings)
        terrain = _terrain(board, rng)
        dark_frame = rng.random() < 0.5
        frame = (62, 105, 152) if dark_frame else (150, 192, 214)
        table, table_color = TABLES[int(rng.integers(len(TABLES)))]
        order = rng.permutation(len(Color))
        colors = [list(Color)[k] for k in order]
        return cls(
            board=board,
            terrain=terrain,
            sites=_sites(board, rng),
            land={kind: varied(_LAND[kind], rng, 0.05) for kind in Terrain},
            road={color: varied(_PAINTS[color][0], rng, 0.04) for color in Color},
            wood={color: varied(_PAINTS[color][1], rng, 0.04) for color in Color},
            ground={kind: varied(_GROUND[kind], rng, 0.04) for kind in SettlementType},
            roof=varied((52, 62, 172), rng, 0.08),
            wall=varied((214, 224, 232), rng, 0.03),
            site=varied((148, 148, 150), rng, 0.06),
            frame=varied(frame, rng, 0.04),
            ink=(30, 34, 40),
            seam=(196, 204, 206) if rng.random() < 0.3 else (30, 50, 72),
            tree="fir" if rng.random() < 0.5 else "round",
            field="square" if rng.random() < 0.5 else "disc",
            table=table,
            table_color=varied(table_color, rng, 0.04),
            title="La Strada",
            sides=(colors[0], colors[1], colors[2], colors[3]),
            fiducials=bool(rng.random() < 0.5) if fiducials is None else fiducials,
            seed=int(rng.integers(1 << 31)),
        )

    @property
    def frame_half(self) -> float:
        return frame_half(self.board.rings)

    def track_field(self, color: Color, number: int) -> tuple[float, float]:
        """Return the middle of a day track's field in the board plane. Its player sees field 0 on the left."""
        along = (number - 5) / 5 * 0.551 * self.frame_half
        away = 0.8815 * self.frame_half
        return ((along, away), (away, -along), (-along, -away), (-away, along))[self.sides.index(color)]

    def facing(self, one: Color, other: Color) -> Art:
        """Return this printing with its frame put together so that the two colours' day tracks face each other."""
        sides = list(self.sides)
        across, now = (sides.index(one) + 2) % len(sides), sides.index(other)
        sides[across], sides[now] = sides[now], sides[across]
        return replace(self, sides=(sides[0], sides[1], sides[2], sides[3]))

    def terrain_as_laid(self, layout: Layout) -> Mapping[HexCell, Terrain]:
        """Return every cell's terrain with the pieces in that layout."""
        return {cell: self.terrain[origin] for cell, origin in layout.origin().items()}

    def sites_as_laid(self, layout: Layout) -> frozenset[HexCell]:
        """Return the settlement sites with the pieces in that layout."""
        return frozenset(cell for cell, origin in layout.origin().items() if origin in self.sites)


def frame_half(rings: int) -> float:
    """Return half the width of the frame around a board with that many rings, in cell sides."""
    return max(_FRAME_SHARE * math.sqrt(3) * (rings + 0.5), _LEAST_FRAME_HALF)


_LAND: Mapping[Terrain, Bgr] = {
    Terrain.PLAIN: (92, 188, 194),
    Terrain.FOREST: (62, 118, 88),
    Terrain.HILL: (74, 122, 176),
}
#: Each player's colour as printed on road tiles, and as painted on wood.
_PAINTS: Mapping[Color, tuple[Bgr, Bgr]] = {
    Color.BLACK: ((44, 42, 44), (52, 50, 52)),
    Color.GREY: ((164, 164, 164), (158, 156, 156)),
    Color.YELLOW: ((46, 162, 222), (38, 160, 232)),
    Color.RED: ((44, 44, 158), (46, 40, 178)),
}
_GROUND: Mapping[SettlementType, Bgr] = {
    SettlementType.CITY: (124, 160, 178),
    SettlementType.TOWN: (104, 158, 184),
    SettlementType.VILLAGE: (100, 190, 192),
    SettlementType.HAMLET: (96, 188, 188),
}
#: The surface under the board: kind and colour.
TABLES: tuple[tuple[str, Bgr], ...] = (
    ("planks", (74, 124, 176)),
    ("planks", (44, 70, 104)),
    ("planks", (120, 168, 200)),
    ("paint", (206, 216, 222)),
    ("cloth", (84, 98, 58)),
)


def _terrain(board: HexBoard, rng: np.random.Generator) -> Mapping[HexCell, Terrain]:
    """Put clumps of forest and hill on the plain, where two smooth random landscapes are highest."""
    size = 4 * board.rings + 8

    def landscape() -> Mapping[HexCell, float]:
        rough = rng.standard_normal((size, size)).astype(np.float32)
        smooth = np.asarray(cv2.GaussianBlur(rough, (0, 0), 2.2))
        return {
            cell: float(smooth[round(cell.centre[1] + size / 2), round(cell.centre[0] + size / 2)])
            for cell in board.cells
        }

    woods, heights = landscape(), landscape()
    by_height = sorted(board.cells, key=lambda cell: heights[cell])
    # Shares as on the shared tables: about a fifth is hill, a quarter forest.
    hills = set(by_height[: round(len(by_height) * rng.uniform(0.18, 0.24))])
    rest = sorted((cell for cell in board.cells if cell not in hills), key=lambda cell: woods[cell])
    forest = set(rest[: round(len(board.cells) * rng.uniform(0.22, 0.3))])
    return {
        cell: Terrain.HILL if cell in hills else Terrain.FOREST if cell in forest else Terrain.PLAIN
        for cell in board.cells
    }


def _sites(board: HexBoard, rng: np.random.Generator) -> frozenset[HexCell]:
    """Spread sites over each piece, none next to another on the same piece if it is large enough for that."""
    pieces = {slot: [cell for cell in board.cells if _slot(cell) == slot] for slot in range(6)}
    sites: list[HexCell] = []
    for slot, cells in pieces.items():
        wanted = START_SITES if slot == 0 else PIECE_SITES
        mine: list[HexCell] = []
        for apart in (3, 2, 1):
            for k in rng.permutation(len(cells)):
                far = all(cells[k].distance(other) >= apart for other in mine)
                if len(mine) < wanted and far and all(cells[k].distance(other) >= min(apart, 2) for other in sites):
                    mine.append(cells[k])
        sites += mine
    return frozenset(sites)


def _slot(cell: HexCell) -> int:
    """Return the slot that covers the cell; the centre belongs to slot 0."""
    for slot in range(6):
        turned_back = cell.turned(-slot)
        if turned_back.q >= 1 and turned_back.r >= 0:
            return slot
    return 0
