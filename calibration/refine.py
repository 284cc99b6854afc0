"""Refinement of a view on the picture itself: every edge of the grid says how far off it lies."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.edges import EdgeLook, EdgeOffsets, edge_offsets
from calibration.grid import GridEdges, edges_of
from calibration.lens import Lens, Points
from calibration.view import AnyView, PlaneView

Array = NDArray[np.float64]

#: How far an edge may lie from the fitted grid, in cell sides, and still count in full. Six pieces of cardboard
#: never lie quite regularly: on the shared tables cells lie 0.015 to 0.02 sides (rms) from any regular grid.
_SPREAD_CELLS = 0.042
#: How far the rim may be seen outside its printed place, in cell sides (cardboard has a visible side, and a shadow).
_RIM_SPREAD_CELLS = 0.03
#: A held view weighs as much as so many edges: little beside the 400 of a board in full view, all where none is seen.
_HOLDS = 24
#: What a lens is believed to be before the picture is asked.
_K1_SPREAD, _K2_SPREAD = 0.15, 0.03


def refine(
    image: NDArray[np.uint8],
    view: AnyView,
    look: EdgeLook,
    reaches_cells: tuple[float, ...],
    *,
    lens_terms: int = 0,
    held: bool = False,
    spread_cells: float = _SPREAD_CELLS,
) -> AnyView:
    """Return the view fitted to the edges of the grid in a picture (H, W, 3), one fit for each reach, in cell sides.

    Raises LinAlgError where the fits run away.

    `lens_terms`: 0 keeps the lens, 1 fits k1, 2 fits k1 and k2; a calibrated lens is kept always. `held`: the view
    given is good already, and where the grid is hidden it shall stay. `spread_cells`: how far an edge may lie from the
    fitted grid and still count in full.
    """
    edges = edges_of(view)
    lens_terms = lens_terms if isinstance(view.lens, Lens) else 0
    # Half as fine will do for a view that is good already, and takes half the time: 0.03 to 0.06 px of difference.
    step_px = 1.0 if held else None
    held_at = view.to_image(_hold_points(view.reach_cells)) if held else None
    for reach in reaches_cells:
        if not view.is_plausible:
            raise np.linalg.LinAlgError("no camera could have this view")
        offsets = edge_offsets(image, view, edges, look, reach * view.side_px, step_px=step_px)
        view = _fitted(view, edges, offsets, lens_terms, held_at, spread_cells)
    return view


def _hold_points(reach_cells: float) -> Points:
    """Return points round the board (24, 2) where a held view is held: about where the frame's print lies."""
    angles = np.linspace(0, 2 * np.pi, _HOLDS, endpoint=False)
    points: Points = np.stack([np.cos(angles), np.sin(angles)], axis=1) * reach_cells
    return points


def _parameters(view: PlaneView) -> Array:
    return np.array([*np.asarray(view.homography).ravel()[:8], view.lens.k1, view.lens.k2])


def _with_parameters(view: AnyView, p: Array, residual_px: float) -> AnyView:
    """Return the view with the homography of p[:8], and the lens of p[8:], but for a calibrated one, which stays."""
    lens = Lens(*view.size_px, float(p[8]), float(p[9])) if isinstance(view.lens, Lens) else view.lens
    return view.seen_through(lens, np.append(p[:8], 1.0).reshape(3, 3), residual_px)


def _jacobian(view: PlaneView, points_cells: Points, count: int) -> Array:
    """Return how points (N, 2) move in the picture with each of the first `count` parameters: (N, 2, count)."""
    p = _parameters(view)
    base = view.to_image(points_cells)
    steps = 1e-6 * np.maximum(1.0, np.abs(p[:count]))
    # All nudges of the homography at once, through one lens.
    nudged = np.append(p[:8] + np.diag(steps[:8]), np.ones((8, 1)), axis=1).reshape(8, 3, 3)
    straight = points_cells @ nudged[:, :, :2].transpose(0, 2, 1) + nudged[:, None, :, 2]
    seen = list(view.lens.distort(straight[..., :2] / straight[..., 2:]))
    for i in range(8, count):
        bent = p.copy()
        bent[i] += steps[i]
        seen.append(_with_parameters(view, bent, 0.0).to_image(points_cells))
    return (np.stack(seen, axis=2) - base[..., None]) / steps


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
    # The last unknown: how far outside its place the whole rim is seen. Rim edges' normals all point inward.
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
