"""Whether the board is where it was clicked or some cells away, judged by the cells' borders and the rim."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

import numpy as np
from numpy.typing import NDArray

from calibration.grid import EdgeLook, GridEdges, edge_offsets, hex_edges
from calibration.view import BoardView, Point, refuse_cut_off
from companion.board import Color, HexCell

Flags = NDArray[np.bool_]

#: A person may miscount by this many cells.
_FARTHEST = 2
#: An edge is where it should be if, of all places within _LOOK_CELLS, it stands out most within this distance of its
#: place, in cell sides. By chance alone, a fifth of the edges are.
_HIT_CELLS, _LOOK_CELLS = 0.06, 0.3
#: If this share of the borders between cells is seen, they decide where the board is, and the rim does not count: a
#: broad printed rim has edges of its own next to the cells'. Printed borders are seen at 0.7 to 1.0 of their places
#: even if the grid is one or two cells off, but at no more than 0.3 in pictures without a board.
_BORDERS_SHARE = 0.5
#: A row of cells is missing if the share of its borders that is seen is this much lower than another's. If borders of
#: cells are seen beyond one side of the board, and this much less beyond the opposite one, the board is really farther
#: to that side: a printed rim would show on all sides.
_MISSING, _ASIDE = 0.3, 0.4
#: A place is as good as another even if slightly fewer borders are seen there: half a row of cells' worth.
_AS_GOOD = 0.05
#: If the borders are not seen, the rim must be: at this share of its edges, and also at this share on each of four of
#: the board's six sides, so that half a board next to the clicks is not taken for a whole one. The rim's share is 0.88
#: to 1.0 on the shared tables, and at most 0.32 in pictures without a board.
_RIM_SHARE, _SIDE_SHARE, _SIDES = 0.5, 0.4, 4
#: The rim fits better elsewhere if this much more of it is seen there.
_RIM_BETTER = 0.12
#: If a person said that the board is there, this share of borders or rim will do: no picture without a board shows as
#: much.
_CONFIRMED_SHARE = 0.35


class Why(StrEnum):
    """Why the board's place is in doubt."""

    #: Borders of cells are seen beyond the clicked grid, and fewer at its other end.
    CELLS = "cells"
    #: Few borders of cells are seen at all, and the rim fits better some cells away from the clicks.
    RIM = "rim"


@dataclass(frozen=True, slots=True)
class Doubtful:
    """Two places where the board may be: as it was clicked, or with its middle on the cell `middle` of that grid."""

    clicked: BoardView
    beside: BoardView
    middle: HexCell
    why: Why

    @property
    def steps(self) -> int:
        """How many cells apart the two places are."""
        return self.middle.distance(HexCell(0, 0, self.middle.rings))

    @property
    def way(self) -> str:
        """The direction in the picture from the clicked place to the other: "left", "upper right", "above", ..."""
        return way_of(self.clicked, self.middle)

    def taken(self, is_beside: bool, tracks: Mapping[Color, tuple[Point, Point]]) -> BoardView:
        """Return the view that a person chose; raises BadInputError if the picture lacks part of it."""
        view = self.beside if is_beside else self.clicked
        refuse_cut_off(view, tracks)
        return view

    def __str__(self) -> str:
        """Describe the doubt in English, without a full stop."""
        why = "more of its cells' borders are seen there" if self.why is Why.CELLS else "its rim fits better there"
        return f"the board may lie as clicked, or {beside_words(self.clicked, self.middle)}: {why}"


def way_of(view: BoardView, cell: HexCell) -> str:
    """Return where in the picture a cell is, seen from the board's middle."""
    (x, y), (there_x, there_y) = view.to_image([(0.0, 0.0), cell.centre]).tolist()
    ways = ("right", "lower right", "below", "lower left", "left", "upper left", "above", "upper right")
    return ways[round(math.atan2(there_y - y, there_x - x) / (math.pi / 4)) % 8]


def beside_words(view: BoardView, middle: HexCell) -> str:
    """Return in English how far from the clicks, and in which direction, a board with its middle on that cell is."""
    steps, way = middle.distance(HexCell(0, 0, middle.rings)), way_of(view, middle)
    cells = {1: "one cell", 2: "two cells"}.get(steps, f"{steps} cells")
    return f"{cells} {way} the clicks" if way in ("above", "below") else f"{cells} to the {way} of the clicks"


@cache
def _lattice(rings: int) -> tuple[GridEdges, list[tuple[HexCell, HexCell]]]:
    """Return the edges of all cells of a board that may be up to two steps off, and the cells on their two sides."""
    return hex_edges(_within(rings + _FARTHEST, rings))


@cache
def _on_board(middle: HexCell) -> Flags:
    """Return which cells on the two sides of the lattice's edges (N, 2) belong to a board with that middle."""
    _, sides = _lattice(middle.rings)
    return np.array([[cell.distance(middle) <= middle.rings for cell in both] for both in sides])


def _within(steps: int, rings: int) -> list[HexCell]:
    """Return the cells at most this many steps from the middle."""
    around = range(-steps, steps + 1)
    return [HexCell(q, r, rings) for q in around for r in around if abs(q + r) <= steps]


@dataclass(frozen=True)
class Evidence:
    """Which edges of a view's grid, and of the cells up to two beyond it, are seen in a picture where they should be.

    Of the edges of the grid and beyond, `hit` (N,) marks those that are where they should be, `in_picture` (N,) those
    that are in the picture.
    """

    rings: int
    hit: Flags
    in_picture: Flags

    @classmethod
    def of(cls, image: NDArray[np.uint8], view: BoardView, look: EdgeLook) -> Evidence:
        """Return what a picture (H, W, 3) shows."""
        offsets = edge_offsets(image, view, _lattice(view.rings)[0], look, _LOOK_CELLS * view.side_px)
        return cls(view.rings, offsets.hits(_HIT_CELLS * view.side_px), offsets.in_picture)

    def refusal(self, *, is_confirmed: bool = False) -> str | None:
        """Return why no board is seen as clicked, in English; None if enough is seen, less if a person said so."""
        borders, rim = self._borders(self._middle), self._rim(self._middle)
        if borders >= _BORDERS_SHARE or (is_confirmed and max(borders, rim) >= _CONFIRMED_SHARE):
            return None
        if rim < _RIM_SHARE or sum(side >= _SIDE_SHARE for side in self._sides) < _SIDES:
            return (
                f"only {rim:.0%} of the board's rim is seen where it should be, and {borders:.0%} of its cells' borders"
            )
        return None

    @property
    def may_be_taken(self) -> bool:
        """Whether enough is seen to take the board as clicked if a person says so."""
        return max(self._borders(self._middle), self._rim(self._middle)) > _CONFIRMED_SHARE

    def beside(self) -> tuple[HexCell, Why] | None:
        """Return the likelier middle of the board, and why; None if the clicks are right."""
        if self._borders(self._middle) < _BORDERS_SHARE:
            better = max(self._steps, key=self._rim)
            is_better = self._rim(better) > max(self._rim(self._middle) + _RIM_BETTER, _RIM_SHARE)
            return (better, Why.RIM) if is_better else None
        middles = [middle for middle in self._steps if self._has_cells(middle)]
        if not middles:
            return None
        return max(middles, key=lambda middle: self._borders(middle) + self._rim(middle) / 4), Why.CELLS

    def _has_cells(self, middle: HexCell) -> bool:
        """Return whether cells seem to be where a board with that middle has them but the clicked one does not."""
        if self._borders(middle) < self._borders(self._middle) - _AS_GOOD:
            return False
        own, there, opposite = (
            _on_board(each) for each in (self._middle, middle, HexCell(-middle.q, -middle.r, self.rings))
        )
        gained, lost, across = (self._between(cells) for cells in (there & ~own, own & ~there, opposite & ~own))
        if gained is None or lost is None:
            return False
        is_aside = across is not None and gained > across + _ASIDE and gained > lost - _MISSING
        return gained > lost + _MISSING or is_aside

    @property
    def _middle(self) -> HexCell:
        return HexCell(0, 0, self.rings)

    @property
    def _steps(self) -> list[HexCell]:
        return [cell for cell in _within(_FARTHEST, self.rings) if cell != self._middle]

    def _borders(self, middle: HexCell) -> float:
        """Return the share of the borders between the cells of a board with that middle that is seen."""
        return self._between(_on_board(middle)) or 0.0

    def _rim(self, middle: HexCell) -> float:
        """Return the share of the rim of a board with that middle that is seen."""
        return self._share(self._is_rim(middle)) or 0.0

    def _is_rim(self, middle: HexCell) -> Flags:
        on = _on_board(middle)
        return np.asarray(on[:, 0] != on[:, 1])

    @property
    def _sides(self) -> list[float]:
        """The share of the rim that is seen at each of the six sides."""
        middles = _lattice(self.rings)[0].middles
        # The board's corners are at multiples of 60 degrees, its sides between them.
        side = np.floor(np.degrees(np.arctan2(middles[:, 1], middles[:, 0])) / 60).astype(int) % 6
        return [self._share(self._is_rim(self._middle) & (side == number)) or 0.0 for number in range(6)]

    def _between(self, cells: Flags) -> float | None:
        """Return the share of the borders between two of these cells (N, 2) that is seen."""
        return self._share(np.asarray(cells.all(axis=1)))

    def _share(self, chosen: Flags) -> float | None:
        """Return the share of those edges that are where they should be; None if the picture has none of them."""
        chosen = chosen & self.in_picture
        return float(self.hit[chosen].mean()) if chosen.any() else None
