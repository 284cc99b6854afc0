"""Finds a square board in a picture: from rough clicks to a view, or a refusal that says why."""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.framing import no_board, refuse_foreign_lens, refuse_outside
from calibration.grid import SQUARES, EdgeLook, GridEdges, edge_offsets, sharp_share, square_edges
from calibration.lens import CalibratedLens, Lens, Points
from calibration.refine import refine
from calibration.view import SquareView
from companion.board import QUARTERS, BadInputError, SquareBoard, SquareCell

Point = tuple[float, float]

#: How far the grid's edges are looked for, in quarters of a side: first as far as clicks and lens may be off, then
#: less.
_ROUGH_REACHES, _ROUGH_SPREAD = (0.6, 0.6, 0.5, 0.4, 0.3), 0.3
_FIRST_REACHES = (0.2, 0.15, 0.15)
_LAST_REACHES = (0.1, 0.1, 0.08, 0.08)
#: The share of the rim's edges that must stand out exactly where they should, within the look's reach, as in
#: calibration.align; and the share on each side.
_HIT, _LOOK = 0.22, 0.5
_RIM_SHARE, _SIDE_SHARE = 0.7, 0.5


def align_square(
    image: NDArray[np.uint8],
    clicks: Mapping[SquareCell, Point],
    board: SquareBoard,
    lens: CalibratedLens | None = None,
) -> SquareView:
    """Return where the board is in a picture (H, W, 3), blue-green-red, from clicks on its corner cells' middles.

    Clicks may be off by a twelfth of a cell's side. `lens`: the camera's, if it was calibrated; otherwise it is
    estimated from the board's lines. Raises BadInputError if the picture shows no board there, or not all of it.
    """
    height, width = image.shape[:2]
    _check(clicks, board, width, height)
    if lens is not None:
        refuse_foreign_lens((lens.width_px, lens.height_px), (width, height))
    try:
        start = _through(clicks, board, lens or Lens(width, height))
        if not start.is_plausible:
            raise no_board("no camera sees a board so, or two clicks are swapped")
        fits = {look: _fine(image, start, look) for look in SQUARES}
    except np.linalg.LinAlgError:
        raise no_board("no camera sees a board so, or two clicks are swapped") from None
    look, view = max(fits.items(), key=lambda fit: sharp_share(image, fit[1], fit[0]))
    _refuse_unlikely(image, view, look)
    return view


def _check(clicks: Mapping[SquareCell, Point], board: SquareBoard, width: int, height: int) -> None:
    lacking = [str(cell) for cell in board.corners if cell not in clicks]
    if lacking:
        raise BadInputError(f"no click on {', '.join(lacking)}; click the middles of the four corner cells", "corners")
    for cell, click in clicks.items():
        if cell not in board:
            raise BadInputError(f"the click on {cell} is for a board of {cell.side} cells a side, not {board.side}")
        refuse_outside(cell, click, (width, height))


def _through(clicks: Mapping[SquareCell, Point], board: SquareBoard, lens: Lens | CalibratedLens) -> SquareView:
    """Return the view through the clicked middles; raises LinAlgError if there is none."""
    empty = SquareView(board, lens, ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
    places = np.array([cell.centre for cell in clicks])
    homography, _ = cv2.findHomography(places, lens.undistort(list(clicks.values())), 0)
    if homography is None or abs(homography[2, 2]) < 1e-12:
        raise np.linalg.LinAlgError("no homography through these points")
    return empty.seen_through(lens, homography, 0.0)


def _fine(image: NDArray[np.uint8], view: SquareView, look: EdgeLook) -> SquareView:
    view = refine(image, view, look, _ROUGH_REACHES, lens_terms=1, spread_cells=_ROUGH_SPREAD)
    view = refine(image, view, look, _FIRST_REACHES, lens_terms=1)
    return refine(image, view, look, _LAST_REACHES, lens_terms=2)


def _refuse_unlikely(image: NDArray[np.uint8], view: SquareView, look: EdgeLook) -> None:
    """Raise BadInputError unless the whole board is in the picture and its rim is seen where the view has it."""
    if not view.is_plausible:
        raise no_board("what fits best is no view that a camera could have")
    width, height = view.size_px
    x, y = view.to_image(_corners(view.board)).T
    if x.min() < 0 or y.min() < 0 or x.max() > width - 1 or y.max() > height - 1:
        raise BadInputError(
            "a part of the board lies outside the picture; move the camera until it is whole, and photograph again",
            "cut-off",
        )
    edges = square_edges(view.board)
    rim = GridEdges(edges.ends[edges.is_rim], edges.is_rim[edges.is_rim], edges.orientation[edges.is_rim])
    hits = edge_offsets(image, view, rim, look, _LOOK * view.side_px).hits(_HIT * view.side_px)
    middles, half = rim.middles, view.board.half
    sides = [hits[np.abs(middles[:, axis] - at) < QUARTERS / 2] for axis in (0, 1) for at in (-half, half)]
    if hits.mean() < _RIM_SHARE or min(float(side.mean()) for side in sides) < _SIDE_SHARE:
        raise no_board(f"only {hits.mean():.0%} of the board's rim is seen where it should be")


def _corners(board: SquareBoard) -> Points:
    corners: Points = np.array([[-1.0, -1.0], [1, -1], [1, 1], [-1, 1]]) * board.half
    return corners
