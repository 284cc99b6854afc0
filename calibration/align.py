"""From four rough clicks to a view of the board, to two views if it is in doubt, or to a refusal that says why."""

from __future__ import annotations

import logging
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from calibration.doubt import Doubtful, Evidence, beside_words
from calibration.framing import no_board, refuse_cut_off, refuse_foreign_lens, refuse_outside
from calibration.grid import HEXAGONS, EdgeLook, sharp_share
from calibration.lens import CalibratedLens, Lens
from calibration.refine import coarse_view, refine
from calibration.view import BoardView
from companion.board import BadInputError, Color, HexCell

_log = logging.getLogger(__name__)

Point = tuple[float, float]
Tracks = Mapping[Color, tuple[Point, Point]]

#: How far the grid's edges are looked for, in cell sides: first as far as a coarse view may be off, then less, so that
#: texture beside an edge is not taken for it. The last fits settle.
_FIRST_REACHES = (0.15, 0.15, 0.15)
_LAST_REACHES = (0.08, 0.08, 0.08, 0.07, 0.07, 0.07)
#: How often a better place is looked for from a better place; each is up to two cells from the last.
_HOPS = 2


def align(
    image: NDArray[np.uint8],
    clicks: Mapping[HexCell, Point],
    rings: int = 6,
    tracks: Tracks | None = None,
    lens: CalibratedLens | None = None,
    *,
    confirmed: bool = False,
) -> BoardView:
    """Return where the board is, as `locate` does; raises BadInputError also if that is in doubt."""
    board = locate(image, clicks, rings, tracks, lens, confirmed=confirmed)
    if isinstance(board, Doubtful):
        raise BadInputError(
            f"{board}; look at both with `strada align PHOTO --clicks FILE --overlay OUT.png`, then move the clicks, "
            'or say "clicks_confirmed": true in table.json',
            "board-doubtful",
        )
    return board


def as_clicked(
    image: NDArray[np.uint8],
    clicks: Mapping[HexCell, Point],
    rings: int = 6,
    tracks: Tracks | None = None,
    lens: CalibratedLens | None = None,
    *,
    confirmed: bool = False,
) -> BoardView:
    """Return where the board is, as `locate` does; if that is in doubt, the board as clicked, and the log says so.

    This is for tables that are set up: whoever clicked could see both places then, and can at any time (`strada
    align`).
    """
    board = locate(image, clicks, rings, tracks, lens, confirmed=confirmed)
    if isinstance(board, Doubtful):
        _log.warning("%s; it is taken to lie as clicked", board)
        return board.taken(is_beside=False, tracks=tracks or {})
    return board


def locate(
    image: NDArray[np.uint8],
    clicks: Mapping[HexCell, Point],
    rings: int = 6,
    tracks: Tracks | None = None,
    lens: CalibratedLens | None = None,
    *,
    confirmed: bool = False,
) -> BoardView | Doubtful:
    """Return where the board is in a picture (H, W, 3), blue-green-red, from rough clicks on cells' centres.

    It returns two places if the board may just as well be some cells beside the clicks; `confirmed`: a person said that
    it is not.

    Clicks may be off by a third of a cell's side; four are needed, best on the corner cells. `tracks`: fields 0 and 10
    of each day track, in cell sides; they too must be in the picture. `lens`: the camera's, if it was calibrated;
    otherwise it is estimated from the board's lines.

    Raises BadInputError if the picture shows no board there, or lacks a cell or a day track, or has another size than
    the lens was calibrated for.
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
    if not view.is_plausible:
        raise no_board("what fits best is no view that a camera could have")
    evidence = Evidence.of(image, view, look)
    doubt = None if confirmed else _doubt(image, view, look, evidence)
    if doubt is not None:
        if evidence.may_be_taken:
            return doubt
        raise no_board(f"its grid is seen {beside_words(view, doubt.middle)}")
    if (why := evidence.refusal(is_confirmed=confirmed)) is not None:
        raise no_board(why)
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


def _doubt(image: NDArray[np.uint8], view: BoardView, look: EdgeLook, evidence: Evidence) -> Doubtful | None:
    """Return the board at the other place where it may be, if it is a good one; None if there is none."""
    middle, best = HexCell(0, 0, view.rings), None
    for _ in range(_HOPS):
        likelier = evidence.beside()
        if likelier is None:
            break
        middle = HexCell(middle.q + likelier[0].q, middle.r + likelier[0].r, view.rings)
        if middle == HexCell(0, 0, view.rings):  # each place seems better from the other
            break
        try:
            there = refine(image, _shifted(view, middle), look, _LAST_REACHES, lens_terms=2)
        except np.linalg.LinAlgError:
            break
        evidence = Evidence.of(image, there, look)
        if not there.is_plausible or evidence.refusal() is not None:
            break
        best = Doubtful(view, there, middle, likelier[1])
    return best


def _shifted(view: BoardView, cell: HexCell) -> BoardView:
    """Return the view of a board whose centre is at this one's cell."""
    x, y = cell.centre
    return view.moved(np.asarray(view.homography) @ np.array([[1, 0, x], [0, 1, y], [0, 0, 1]]), view.residual_px)
