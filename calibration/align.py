"""From four rough clicks to a view of the board, or a refusal that says why."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from calibration.coarse import coarse_view
from calibration.edges import HEXAGONS, EdgeLook, edge_offsets, sharp_share
from calibration.framing import refuse_cut_off
from calibration.grid import GridEdges, grid_edges
from calibration.lens import CalibratedLens, Lens
from calibration.refine import refine
from calibration.refusals import no_board, refuse_foreign_lens, refuse_outside
from calibration.view import BoardView
from companion.board import BadInputError, Color, HexBoard, HexCell

Point = tuple[float, float]
Tracks = Mapping[Color, tuple[Point, Point]]

#: How far the grid's edges are looked for, in cell sides: first what a coarse view may be off by, then less, so
#: that texture beside an edge is not taken for it. The last fits settle.
_FIRST_REACHES = (0.15, 0.15, 0.15)
_LAST_REACHES = (0.08, 0.08, 0.08, 0.07, 0.07, 0.07)

#: An edge is where it should be if it stands out most within this distance of its place, in cell sides, of all
#: places within _LOOK_CELLS. By chance a fifth of the edges would.
_HIT_CELLS, _LOOK_CELLS = 0.06, 0.3
#: The share of rim edges that must be where they should be. On the shared tables it is 0.88 to 1.0, in pictures
#: without a board at most 0.32. The rim counts because every printing shows it; lines between cells some leave out.
_RIM_SHARE = 0.5
#: ... and the share on four of the board's six sides, so that half a board beside the clicks is not taken for one.
_SIDE_SHARE, _SIDES = 0.4, 4


def align(
    image: NDArray[np.uint8],
    clicks: Mapping[HexCell, Point],
    rings: int = 6,
    tracks: Tracks | None = None,
    lens: CalibratedLens | None = None,
) -> BoardView:
    """Return where the board lies in a picture (H, W, 3), blue-green-red, from rough clicks on cells' centres.

    Clicks may be off by a third of a cell's side; four are needed, best on the corner cells. `tracks`: fields 0 and
    10 of each day track, in cell sides; they too must be in the picture. `lens`: where the camera's was calibrated;
    else it is estimated from the board's lines.

    Raises BadInputError where the picture shows no board there, or lacks a cell or a day track, or is not of the size
    for which the lens was calibrated.
    """
    _check_clicks(image, clicks, rings)
    height, width = image.shape[:2]
    if lens is not None:
        refuse_foreign_lens((lens.width_px, lens.height_px), (width, height))
    try:
        coarse = coarse_view(image, clicks, rings, lens or Lens(width, height))
        fits = {look: _fine(image, coarse, look) for look in HEXAGONS}
    except np.linalg.LinAlgError:
        raise no_board("no camera sees a board so, or two clicks are swapped") from None
    look, view = max(fits.items(), key=lambda fit: sharp_share(image, fit[1], fit[0]))
    _refuse_unlikely(image, view, look)
    refuse_cut_off(view, tracks or {})
    return view


def _fine(image: NDArray[np.uint8], view: BoardView, look: EdgeLook) -> BoardView:
    view = refine(image, view, look, _FIRST_REACHES, lens_terms=1)
    return refine(image, view, look, _LAST_REACHES, lens_terms=2)


def _check_clicks(image: NDArray[np.uint8], clicks: Mapping[HexCell, Point], rings: int) -> None:
    height, width = image.shape[:2]
    if len(clicks) < 4:
        raise BadInputError(f"{len(clicks)} clicks; click the centres of the four corner cells", "corners")
    for cell, click in clicks.items():
        if cell.rings != rings:
            raise BadInputError(f"the click on {cell} is for a board of {cell.rings} rings, not {rings}")
        refuse_outside(cell, click, (width, height))
    centres = np.array([cell.centre for cell in clicks])
    if np.linalg.svd(centres - centres.mean(axis=0), compute_uv=False)[1] < 1.0:
        names = ", ".join(map(str, clicks))
        raise BadInputError(f"the clicked cells {names} lie in a line; click the corner cells", "corners")


def _refuse_unlikely(image: NDArray[np.uint8], view: BoardView, look: EdgeLook) -> None:
    """Raise BadInputError unless the rim is seen where the view says, and nowhere else a cell or two away."""
    if not view.is_plausible:
        raise no_board("what fits best is no view that a camera could have")
    share, sides = _rim_shares(image, view, look)
    if share >= _SIDE_SHARE:
        elsewhere = {cell: _rim_shares(image, _shifted(view, cell), look)[0] for cell in _steps(view.rings)}
        better = max(elsewhere, key=lambda cell: elsewhere[cell])
        if elsewhere[better] > share + 0.12:
            steps = "one cell" if better.distance(HexCell(0, 0, view.rings)) == 1 else "two cells"
            raise no_board(f"the board's rim fits better {steps} beside them")
    if share < _RIM_SHARE or sum(side >= _SIDE_SHARE for side in sides) < _SIDES:
        raise no_board(f"only {share:.0%} of the board's rim is seen where it should be")


def _rim(rings: int) -> GridEdges:
    edges = grid_edges(rings)
    return GridEdges(edges.ends[edges.is_rim], edges.is_rim[edges.is_rim], edges.orientation[edges.is_rim])


def _rim_shares(image: NDArray[np.uint8], view: BoardView, look: EdgeLook) -> tuple[float, list[float]]:
    """Return the share of the rim's edges that are where they should be: of all, and of each of the six sides."""
    rim = _rim(view.rings)
    offsets = edge_offsets(image, view, rim, look, _LOOK_CELLS * view.side_px)
    hit = offsets.hits(_HIT_CELLS * view.side_px)
    middles = rim.middles
    # The board's corners lie at multiples of 60 degrees, its sides between them.
    side = np.floor(np.degrees(np.arctan2(middles[:, 1], middles[:, 0])) / 60).astype(int) % 6
    shares = [
        float(hit[chosen].mean()) if chosen.any() else 0.0
        for chosen in ((side == number) & offsets.seen for number in range(6))
    ]
    return (float(hit[offsets.seen].mean()) if offsets.seen.any() else 0.0), shares


def _steps(rings: int) -> list[HexCell]:
    """Return the cells one or two steps from the centre: by so much a person may miscount."""
    centre = HexCell(0, 0, rings)
    return [cell for cell in HexBoard(max(rings, 2)).cells if 1 <= cell.distance(centre) <= 2]


def _shifted(view: BoardView, cell: HexCell) -> BoardView:
    """Return the view of a board whose centre lay where this one has the cell."""
    x, y = cell.centre
    return view.moved(np.asarray(view.homography) @ np.array([[1, 0, x], [0, 1, y], [0, 0, 1]]), view.residual_px)
