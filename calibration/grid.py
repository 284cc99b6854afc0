"""The edges of a board's cells, and how far from its expected place each is seen in a picture.

Printings differ: edges are dark lines, pale lines, steps from one terrain to the next, or not printed at all.
What is looked for is therefore anything that runs along an edge and differs from what lies beside it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.lens import Points
from calibration.view import BoardView, PlaneView, SquareView
from companion.board import QUARTERS, SQUARE_DIRECTIONS, HexBoard, HexCell, SquareBoard

Floats = NDArray[np.float32]

#: Samples along an edge, as parts of its length from its middle: the ends belong to three edges at once.
_ALONG = np.linspace(-0.36, 0.36, 13)
#: cv2.remap takes at most 32767 columns; it is soonest done in long rows.
_REMAPPED = 32766
#: What is darker than this, of 255, is noise, which a logarithm would blow up.
_NOISE_FLOOR = np.float32(12)


@dataclass(frozen=True, slots=True)
class GridEdges:
    """Edges in the board plane: `ends` (N, 2, 2) in cell sides, `is_rim` (N,) for those with no cell beyond."""

    ends: Points
    is_rim: NDArray[np.bool_]
    orientation: NDArray[np.int64]

    @property
    def middles(self) -> Points:
        """The edges' middles (N, 2)."""
        middles: Points = self.ends.mean(axis=1)
        return middles


@cache
def grid_edges(rings: int) -> GridEdges:
    """Return every edge of the board once; the orientation is the edge's number of redblobgames, modulo 3."""
    ends, rim, orientation = [], [], []
    board = HexBoard(rings)
    for cell in board.cells:
        for edge in range(6):
            beyond = cell.neighbour(edge)
            if beyond in board and edge >= 3:
                continue  # the neighbour's edge 0, 1 or 2
            ends.append(edge_ends(cell, edge))
            rim.append(beyond not in board)
            orientation.append(edge % 3)
    return GridEdges(np.array(ends), np.array(rim), np.array(orientation))


def edge_ends(cell: HexCell, edge: int) -> list[list[float]]:
    """Return where an edge of a cell begins and ends, in cell sides."""
    x, y = cell.centre
    # Edge k faces k * 60 degrees, anticlockwise on the screen, where y grows downward.
    corners = [math.radians(60 * edge - 30), math.radians(60 * edge + 30)]
    return [[x + math.cos(a), y - math.sin(a)] for a in corners]


@cache
def square_edges(board: SquareBoard) -> GridEdges:
    """Return every edge of the board's cells once, in quarters; orientation 0 is across, 1 is down."""
    half = QUARTERS / 2
    ends, rim, orientation = [], [], []
    for cell in board.cells:
        x, y = cell.centre
        for direction, (right, down) in enumerate(SQUARE_DIRECTIONS):
            beyond = cell.neighbour(direction)
            if direction % 2 or (beyond in board and direction > 2):
                continue  # no edge but a corner; or an edge that is the neighbour's direction 0 or 2
            a, b = np.array((x, y)) + np.array((right, down)) * half, np.array((down, right)) * half
            # Anticlockwise round the cell, as hexagons' edges: so a rim edge's normal points inward.
            turn = 1 if right else -1
            ends.append([a + turn * b, a - turn * b])
            rim.append(beyond not in board)
            orientation.append(0 if down else 1)
    return GridEdges(np.array(ends), np.array(rim), np.array(orientation))


def edges_of(view: PlaneView) -> GridEdges:
    """Return every edge of the cells of the board that is seen."""
    match view:
        case BoardView(rings=rings):
            return grid_edges(rings)
        case SquareView(board=board):
            return square_edges(board)
        case _:
            raise TypeError(f"{type(view).__name__} is a view of no board with cells")


@dataclass(frozen=True, slots=True)
class EdgeProfiles:
    """The picture across each edge, averaged along it: logarithms, so that light only adds.

    `values` (N, T, 3) at offsets `at_px` (T,) along `normals` (N, 2) from the edges' middles;
    `seen` (N,) is False where part of an edge's profile lies outside the picture.
    """

    values: Floats
    at_px: NDArray[np.float64]
    normals: Points
    seen: NDArray[np.bool_]


def edge_profiles(
    image: NDArray[np.uint8], view: PlaneView, edges: GridEdges, reach_px: float, step_px: float
) -> EdgeProfiles:
    """Return the profiles of a picture (H, W, 3) up to `reach_px` to both sides of each edge."""
    ends = view.to_image(edges.ends.reshape(-1, 2)).reshape(-1, 2, 2)
    along = ends[:, 1] - ends[:, 0]
    normals = np.stack([-along[:, 1], along[:, 0]], axis=1) / np.linalg.norm(along, axis=1)[:, None]
    middles = view.to_image(edges.middles)
    steps = math.ceil(reach_px / step_px)
    at = np.arange(-steps, steps + 1, dtype=np.float64) * step_px
    # (along, edges, across): the picture is averaged over the first.
    starts = middles + along * _ALONG[:, None, None]
    x, y = (
        (starts[..., axis, None] + normals[:, axis, None] * at).astype(np.float32).reshape(len(_ALONG), -1)
        for axis in (0, 1)
    )
    height, width = image.shape[:2]
    mean = np.zeros((1, x.shape[1], 3), np.float32)
    for first in range(0, x.shape[1], _REMAPPED):
        columns = slice(first, first + _REMAPPED)
        sampled = cv2.remap(image, x[:, columns], y[:, columns], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        for row in sampled:
            cv2.accumulate(row[None], mean[:, columns])
    mean = mean.reshape(len(middles), len(at), 3)
    mean /= np.float32(len(_ALONG))
    # Straight lines: what has both ends in the picture lies in it.
    ends_x, ends_y = (axis.reshape(len(_ALONG), -1, len(at))[..., [0, -1]] for axis in (x, y))
    inside = (ends_x >= 0) & (ends_y >= 0) & (ends_x <= width - 1) & (ends_y <= height - 1)
    seen = inside.all(axis=(0, 2))
    values: Floats = cv2.log(mean + np.float32(_NOISE_FLOOR)).astype(np.float32, copy=False)
    return EdgeProfiles(values, at, normals, seen)
