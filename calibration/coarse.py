"""From four rough clicks to a view good to a pixel or two: patches of the grid are slid over the picture."""

from __future__ import annotations

import math
from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.grid import Floats, GridEdges, grid_edges
from calibration.lens import AnyLens, Points
from calibration.view import BoardView
from companion.board import HexBoard, HexCell

#: A cell's side in the small picture that is searched.
_SIDE_PX = 18.0
#: A patch holds the edges within this many cell sides of its middle: two rings of cells round it.
_PATCH_CELLS = 3.4


def view_from_clicks(clicks: Mapping[HexCell, tuple[float, float]], rings: int, lens: AnyLens) -> BoardView:
    """Return the view through four or more clicked centres."""
    return _view_through(BoardView.of(rings, lens, np.eye(3)), [cell.centre for cell in clicks], list(clicks.values()))


def coarse_view(
    image: NDArray[np.uint8], clicks: Mapping[HexCell, tuple[float, float]], rings: int, lens: AnyLens
) -> BoardView:
    """Return the view whose grid the picture shows near the clicks; raises LinAlgError where no view fits."""
    view = view_from_clicks(clicks, rings, lens)
    if not view.is_plausible:
        raise np.linalg.LinAlgError("no camera could have this view")
    edges = grid_edges(rings)
    scale = min(1.0, _SIDE_PX / view.side_px)
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    smooth = cv2.GaussianBlur(small, (0, 0), 0.7).astype(np.float32)
    # Logarithms, so that light only adds; what is darker than 12 of 255 is noise.
    maps = _edge_maps(np.asarray(cv2.log(smooth + np.float32(12)), np.float32), view, edges, scale)
    corners = np.array([cell.centre for cell in clicks])
    # A neighbouring grid line of the same direction is half a cell's width away, 0.87 sides: stay well below.
    for reach in (0.36, 0.18):
        shifts = _patch_shifts(maps, view, corners, reach, scale)
        view = _view_through(view, corners, view.to_image(corners) + shifts)
    centres = np.array([cell.centre for cell in HexBoard(rings).cells])
    for reach in (0.45, 0.3, 0.2):
        shifts = _patch_shifts(maps, view, centres, reach, scale)
        view = _view_through(view, centres, view.to_image(centres) + shifts, robust=True)
    return view


def _view_through(view: BoardView, points_cells: ArrayLike, points_px: ArrayLike, robust: bool = False) -> BoardView:
    """Return the view through the same lens that shows points (N, 2) of the board at these pixels (N, 2)."""
    board, straight = np.asarray(points_cells, dtype=np.float64), view.lens.undistort(points_px)
    found, _ = cv2.findHomography(board, straight, cv2.RANSAC if robust else 0, 3.0)
    if found is None or abs(found[2, 2]) < 1e-12:
        raise np.linalg.LinAlgError("no homography through these points")
    return view.moved(np.asarray(found, dtype=np.float64), 0.0)


def _line_kernel(direction: Points, length_px: float) -> Floats:
    """Return the kernel that averages along a line through its middle."""
    n = math.ceil(length_px) // 2 * 2 + 3
    kernel = np.zeros((n, n), np.float32)
    for s in np.linspace(-length_px / 2, length_px / 2, 4 * n):
        x, y = (n - 1) / 2 + direction * s
        left, top = math.floor(x), math.floor(y)
        for column, row in ((left, top), (left + 1, top), (left, top + 1), (left + 1, top + 1)):
            kernel[row, column] += (1 - abs(x - column)) * (1 - abs(y - row))
    return np.asarray(kernel / kernel.sum(), np.float32)


def _edge_maps(picture: Floats, view: BoardView, edges: GridEdges, scale: float) -> list[Floats]:
    """Return for each of the three edge directions how much an edge's middle stands out at each pixel, 0 to 1."""
    height, width = picture.shape[:2]
    beside = max(1.5, 0.09 * _SIDE_PX)
    lines, steps = [], []
    for orientation in range(3):
        angle = math.radians(60 * orientation)
        along = np.array([math.sin(angle), math.cos(angle)])  # across the way to the neighbour
        ends = view.to_image([along * -0.5, along * 0.5])
        direction = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
        across = np.array([-direction[1], direction[0]]) * beside
        mean = cv2.filter2D(picture, -1, _line_kernel(direction, 0.7 * _SIDE_PX), borderType=cv2.BORDER_REPLICATE)
        sides = [
            cv2.warpAffine(
                mean,
                np.array([[1, 0, sign * across[0]], [0, 1, sign * across[1]]]),
                (width, height),
                borderMode=cv2.BORDER_REPLICATE,
            )
            for sign in (1, -1)
        ]
        lines.append(mean - (sides[0] + sides[1]) / 2)
        steps.append(sides[0] - sides[1])
    corners = (view.to_image(edges.ends.reshape(-1, 2)) * scale).astype(int)
    left, top = np.clip(corners.min(axis=0), 0, [width - 2, height - 2])
    right, bottom = np.clip(corners.max(axis=0), [left + 1, top + 1], [width, height])
    energy = [np.zeros((height, width), np.float32) for _ in range(3)]
    for responses, share in ((lines, 1.0), (steps, 0.5)):
        inside = np.abs([r[top:bottom, left:right] for r in responses])
        # A channel at a time, and no mean over so short an axis: the same numbers in a third of the time.
        usual = np.array([1.48 * np.median(inside[..., channel]) + 1e-4 for channel in range(3)], np.float32)
        for orientation, response in enumerate(responses):
            blue, green, red = cv2.split((response / usual) ** 2)
            energy[orientation] += share * ((blue + green + red) / np.float32(3))
    return [np.asarray(found / (found + 3), np.float32) for found in energy]


def _patch_shifts(maps: list[Floats], view: BoardView, middles: Points, reach_cells: float, scale: float) -> Points:
    """Return by how many pixels of the full picture each patch (N,) had best be shifted, (N, 2)."""
    edges = grid_edges(view.rings)
    reach = math.ceil(reach_cells * view.side_px * scale)
    grid = np.arange(-reach, reach + 1)
    shifts = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)
    at = (view.to_image(edges.middles) + 0.5) * scale - 0.5
    found = np.zeros((len(at), len(shifts)), np.float32)
    for orientation, energy in enumerate(maps):
        chosen = np.flatnonzero(edges.orientation == orientation)
        points = (at[chosen][:, None] + shifts[None]).astype(np.float32)
        x, y = points[..., 0], points[..., 1]
        found[chosen] = cv2.remap(energy, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    # A little against far shifts, so that an empty patch stays where it is.
    against = 0.1 * np.sum(shifts**2, axis=1) / reach**2
    best = []
    for middle in middles:
        patch = np.linalg.norm(edges.middles - middle, axis=1) < _PATCH_CELLS
        best.append(shifts[np.argmax(found[patch].mean(axis=0) - against)])
    return np.array(best, dtype=np.float64) / scale
