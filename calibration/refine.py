"""Refinement of a view by the picture itself: every edge of the grid shows how far off the view is.

Before that, four rough clicks become a view good to a pixel or two: patches of the grid are slid over the picture.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.grid import EdgeLook, EdgeOffsets, Floats, GridEdges, edge_offsets, grid_edges
from calibration.lens import AnyLens, Lens, Points
from calibration.view import AnyView, BoardView, PlaneView, homography_between
from companion.board import HexBoard, HexCell

Array = NDArray[np.float64]

#: How far an edge may be from the fitted grid, in cell sides, and still count in full. Six pieces of cardboard are
#: never quite regular: on the shared tables cells are 0.015 to 0.02 sides (rms) from any regular grid.
SPREAD_CELLS = 0.042
#: How far outside its printed place the rim may be seen, in cell sides (cardboard has a visible side, and a shadow).
_RIM_SPREAD_CELLS = 0.03
#: A held view weighs as much as this many edges: little against the 400 of a board in full view, everything if none is
#: seen.
_HOLDS = 24
#: How strong a lens is believed to be before the picture is examined.
_K1_SPREAD, _K2_SPREAD = 0.15, 0.03


def refine(
    image: NDArray[np.uint8],
    view: AnyView,
    look: EdgeLook,
    reaches_cells: tuple[float, ...],
    *,
    lens_terms: int = 0,
    held: bool = False,
    spread_cells: float = SPREAD_CELLS,
) -> AnyView:
    """Return the view fitted to the edges of the grid in a picture (H, W, 3), one fit for each reach, in cell sides.

    Raises LinAlgError if the fits run away.

    `lens_terms`: 0 keeps the lens, 1 fits k1, 2 fits k1 and k2; a calibrated lens is always kept. `held`: the given
    view is good already, and should stay if the grid is hidden. `spread_cells`: how far an edge may be from the fitted
    grid and still count in full.
    """
    edges = grid_edges(view.board)
    lens_terms = lens_terms if isinstance(view.lens, Lens) else 0
    # Coarser steps are enough for a view that is already good, and take half the time: the difference is 0.03 to 0.06
    # px.
    step_px = 1.0 if held else None
    held_at = view.to_image(_hold_points(view.reach_cells)) if held else None
    for reach in reaches_cells:
        if not view.is_plausible:
            raise np.linalg.LinAlgError("no camera could have this view")
        offsets = edge_offsets(image, view, edges, look, reach * view.side_px, step_px=step_px)
        view = _fitted(view, edges, offsets, lens_terms, held_at, spread_cells)
    return view


def _hold_points(reach_cells: float) -> Points:
    """Return points round the board (24, 2) at which a held view is held: about where the frame's print is."""
    angles = np.linspace(0, 2 * np.pi, _HOLDS, endpoint=False)
    return np.asarray(np.stack([np.cos(angles), np.sin(angles)], axis=1) * reach_cells)


def _parameters(view: PlaneView) -> Array:
    return np.array([*np.asarray(view.homography).ravel()[:8], view.lens.k1, view.lens.k2])


def _with_parameters(view: AnyView, p: Array, residual_px: float) -> AnyView:
    """Return the view with the homography of p[:8] and the lens of p[8:], except that a calibrated lens stays."""
    lens = Lens(*view.size_px, float(p[8]), float(p[9])) if isinstance(view.lens, Lens) else view.lens
    return view.moved(np.append(p[:8], 1.0).reshape(3, 3), residual_px, lens)


def _jacobian(view: PlaneView, points_cells: Points, count: int) -> Array:
    """Return how points (N, 2) move in the picture with each of the first `count` parameters: (N, 2, count)."""
    p = _parameters(view)
    base = view.to_image(points_cells)
    steps = 1e-6 * np.maximum(1.0, np.abs(p[:count]))
    # All nudges of the homography at once, through one lens.
    nudged = np.append(p[:8] + np.diag(steps[:8]), np.ones((8, 1)), axis=1).reshape(8, 3, 3)
    straight = points_cells @ nudged[:, :, :2].transpose(0, 2, 1) + nudged[:, None, :, 2]
    moved_px = list(view.lens.distort(straight[..., :2] / straight[..., 2:]))
    for i in range(8, count):
        bent = p.copy()
        bent[i] += steps[i]
        moved_px.append(_with_parameters(view, bent, 0.0).to_image(points_cells))
    return (np.stack(moved_px, axis=2) - base[..., None]) / steps


def _fitted(
    view: AnyView,
    edges: GridEdges,
    offsets: EdgeOffsets,
    lens_terms: int,
    held_at: Points | None,
    spread_cells: float,
) -> AnyView:
    """Return the view after one robust least-squares step (Gauss-Newton; weights of Geman and McClure)."""
    count = 8 + lens_terms
    p = _parameters(view)
    # The last unknown is how far outside its place the whole rim is seen. Rim edges' normals all point inward.
    along = np.einsum("nic,ni->nc", _jacobian(view, edges.middles, count), offsets.normals)
    jacobian = np.column_stack([along, edges.is_rim.astype(float)])
    scale = np.linalg.norm(jacobian, axis=0)
    jacobian = jacobian / scale
    spread = spread_cells * view.side_px
    prior_weight = np.zeros(count + 1)
    prior_mean = np.zeros(count + 1)
    for i, believed in ((8, _K1_SPREAD), (9, _K2_SPREAD)):
        if i < count:
            prior_weight[i] = (spread / (believed * scale[i])) ** 2
            prior_mean[i] = -p[i] * scale[i]
    prior_weight[-1] = (spread / (_RIM_SPREAD_CELLS * view.side_px * scale[-1])) ** 2
    fixed, fixed_pull = np.diag(prior_weight + 1e-9), prior_weight * prior_mean
    if held_at is not None:
        holds = _hold_points(view.reach_cells)
        pull = np.pad(_jacobian(view, holds, count).reshape(-1, count), ((0, 0), (0, 1))) / scale
        fixed += pull.T @ pull
        fixed_pull += pull.T @ (held_at - view.to_image(holds)).ravel()
    change = np.zeros(count + 1)
    weight = offsets.weight
    for _ in range(12):
        residual = offsets.offset_px - jacobian @ change
        weight = offsets.weight / (1 + (residual / spread) ** 2) ** 2
        normal = jacobian.T @ (weight[:, None] * jacobian) + fixed
        change = np.linalg.solve(normal, jacobian.T @ (weight * offsets.offset_px) + fixed_pull)
    residual = offsets.offset_px - jacobian @ change
    p[:count] += change[:count] / scale[:count]
    return _with_parameters(view, p, float(np.sqrt(np.sum(weight * residual**2) / max(weight.sum(), 1e-9))))


#: A cell's side in the small picture that is searched.
_SIDE_PX = 18.0
#: A patch holds the edges within this many cell sides of its middle: two rings of cells round it.
_PATCH_CELLS = 3.4


def coarse_view(
    image: NDArray[np.uint8], clicks: Mapping[HexCell, tuple[float, float]], rings: int, lens: AnyLens
) -> BoardView:
    """Return the view whose grid the picture shows near the clicks; raises LinAlgError if no view fits."""
    corners = np.array([cell.centre for cell in clicks])
    view = view_through(BoardView.of(HexBoard(rings), lens, np.eye(3)), corners, list(clicks.values()))
    if not view.is_plausible:
        raise np.linalg.LinAlgError("no camera could have this view")
    maps, scale = _maps(image, view)
    # A neighbouring grid line of the same direction is half a cell's width away, 0.87 sides: stay well below.
    for reach in (0.36, 0.18):
        shifts = _patch_shifts(maps, view, corners, reach, scale)
        view = view_through(view, corners, view.to_image(corners) + shifts)
    return _slid(maps, view, scale, (0.45, 0.3, 0.2))


def slid(image: NDArray[np.uint8], view: BoardView, reaches_cells: tuple[float, ...]) -> BoardView:
    """Return the view, near this one, whose grid the picture shows; raises LinAlgError if none fits.

    Patches of the grid round each cell are slid over the picture, once for each reach, in cell sides.
    """
    if not view.is_plausible:
        raise np.linalg.LinAlgError("no camera could have this view")
    maps, scale = _maps(image, view)
    return _slid(maps, view, scale, reaches_cells)


def _maps(image: NDArray[np.uint8], view: BoardView) -> tuple[list[Floats], float]:
    """Return how much edges stand out in a smaller copy of the picture, and the scale of that copy."""
    scale = min(1.0, _SIDE_PX / view.side_px)
    return _edge_maps(shrunk_logs(image, scale), view, grid_edges(view.board), scale), scale


def shrunk_logs(image: NDArray[np.uint8], scale: float) -> Floats:
    """Return the picture made smaller and smoothed a little, as logarithms, so that light is merely added."""
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    smooth = cv2.GaussianBlur(small, (0, 0), 0.7).astype(np.float32)
    # Anything darker than 12 of 255 is noise.
    return np.asarray(cv2.log(smooth + np.float32(12)), np.float32)


def _slid(maps: list[Floats], view: BoardView, scale: float, reaches_cells: tuple[float, ...]) -> BoardView:
    centres = np.array([cell.centre for cell in view.board.cells])
    for reach in reaches_cells:
        shifts = _patch_shifts(maps, view, centres, reach, scale)
        view = view_through(view, centres, view.to_image(centres) + shifts, robust=True)
    return view


def view_through(view: AnyView, points_cells: ArrayLike, points_px: ArrayLike, robust: bool = False) -> AnyView:
    """Return the view through the same lens that shows points (N, 2) of the board at these pixels (N, 2).

    Raises LinAlgError if there is none.
    """
    homography = homography_between(points_cells, view.lens.undistort(points_px), cv2.RANSAC if robust else 0)
    if homography is None:
        raise np.linalg.LinAlgError("no homography through these points")
    return view.moved(homography)


def line_kernel(direction: Points, length_px: float) -> Floats:
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
        mean = cv2.filter2D(picture, -1, line_kernel(direction, 0.7 * _SIDE_PX), borderType=cv2.BORDER_REPLICATE)
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
        # One channel at a time, and no mean over such a short axis: this takes a third of the time for the same
        # numbers.
        usual = np.array([1.48 * np.median(inside[..., channel]) + 1e-4 for channel in range(3)], np.float32)
        for orientation, response in enumerate(responses):
            blue, green, red = cv2.split((response / usual) ** 2)
            energy[orientation] += share * ((blue + green + red) / np.float32(3))
    return [np.asarray(strength / (strength + 3), np.float32) for strength in energy]


def _patch_shifts(maps: list[Floats], view: BoardView, middles: Points, reach_cells: float, scale: float) -> Points:
    """Return how many pixels of the full picture each patch (N,) should best be shifted by, (N, 2)."""
    edges = grid_edges(view.board)
    reach = math.ceil(reach_cells * view.side_px * scale)
    grid = np.arange(-reach, reach + 1)
    shifts = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)
    at = (view.to_image(edges.middles) + 0.5) * scale - 0.5
    responses = np.zeros((len(at), len(shifts)), np.float32)
    for orientation, energy in enumerate(maps):
        chosen = np.flatnonzero(edges.orientation == orientation)
        points = (at[chosen][:, None] + shifts[None]).astype(np.float32)
        x, y = points[..., 0], points[..., 1]
        responses[chosen] = cv2.remap(energy, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    # Far shifts cost a little, so that an empty patch stays where it is.
    against = 0.1 * np.sum(shifts**2, axis=1) / reach**2
    best = []
    for middle in middles:
        patch = np.linalg.norm(edges.middles - middle, axis=1) < _PATCH_CELLS
        best.append(shifts[np.argmax(responses[patch].mean(axis=0) - against)])
    return np.array(best, dtype=np.float64) / scale
