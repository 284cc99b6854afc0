"""From four rough clicks to a view of the board, or two if its place is in doubt, or a refusal that says why."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from calibration.doubt import Doubtful, Evidence, beside_words
from calibration.grid import HEXAGONS, SQUARES, EdgeLook, GridEdges, edge_offsets, grid_edges, sharp_share
from calibration.lens import AnyLens, CalibratedLens, Lens
from calibration.refine import SPREAD_CELLS, coarse_view, refine, view_through
from calibration.view import AnyView, BoardView, SquareView, no_board, refuse_cut_off, refuse_outside
from companion.board import QUARTERS, BadInputError, Color, HexCell, SquareBoard, SquareCell

_log = logging.getLogger(__name__)

Point = tuple[float, float]
Tracks = Mapping[Color, tuple[Point, Point]]
#: Fits, one after the other: how far the grid's edges are looked for, in cell sides; how many terms of the lens are
#: fitted; how far an edge may be from the fitted grid and still count in full.
Fits = tuple[tuple[tuple[float, ...], int, float], ...]

#: First as far as a coarse view may be off, then less, so that texture beside an edge is not taken for the edge. The
#: last fits settle.
_LAST_REACHES = (0.08, 0.08, 0.08, 0.07, 0.07, 0.07)
_HEXAGON_FITS: Fits = (((0.15, 0.15, 0.15), 1, SPREAD_CELLS), (_LAST_REACHES, 2, SPREAD_CELLS))
#: In quarters of a square's side: first as far as clicks and lens may be off, then less.
_SQUARE_FITS: Fits = (
    ((0.6, 0.6, 0.5, 0.4, 0.3), 1, 0.3),
    ((0.2, 0.15, 0.15), 1, SPREAD_CELLS),
    ((0.1, 0.1, 0.08, 0.08), 2, SPREAD_CELLS),
)
#: How many times a better place is looked for from the last one found, each time up to two cells away.
_HOPS = 2
#: An edge of a square board's rim is where it should be if, of all places within the look's reach, it stands out most
#: this near to its own (both in quarters). That must be so for this share of the rim, and for this share on each side.
_HIT, _LOOK = 0.22, 0.5
_RIM_SHARE, _SIDE_SHARE = 0.7, 0.5


def align(
    image: NDArray[np.uint8],
    clicks: Mapping[HexCell, Point],
    rings: int = 6,
    tracks: Tracks | None = None,
    lens: CalibratedLens | None = None,
    *,
    confirmed: bool = False,
    as_clicked: bool = False,
) -> BoardView:
    """Return where the board is, as `locate` does; raises BadInputError also if that is in doubt.

    `as_clicked`: if it is in doubt, take the board to be as clicked, and say so in the log. This is for tables that are
    already set up: the person who clicked could see both places then, and still can (`strada align`).
    """
    board = locate(image, clicks, rings, tracks, lens, confirmed=confirmed)
    if not isinstance(board, Doubtful):
        return board
    if as_clicked:
        _log.warning("%s; it is taken to lie as clicked", board)
        return board.taken(is_beside=False, tracks=tracks or {})
    raise BadInputError(
        f"{board}; look at both with `strada align PHOTO --clicks FILE --overlay OUT.png`, then move the clicks, "
        'or say "clicks_confirmed": true in table.json',
        "board-doubtful",
    )


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

    It returns two places if the board may just as well be some cells away from the clicks; `confirmed`: a person said
    that it is not.

    Clicks may be off by a third of a cell's side; four are needed, best on the corner cells. `tracks`: fields 0 and 10
    of each day track, in cell sides; they too must be in the picture. `lens`: the camera's, if it was calibrated;
    otherwise it is estimated from the board's lines.

    Raises BadInputError if the picture shows no board there, or lacks a cell or a day track, or is of another size than
    the lens was calibrated for.
    """
    _check_clicks(image, clicks, rings)
    look, view = _fitted(image, lens, lambda lens: coarse_view(image, clicks, rings, lens), HEXAGONS, _HEXAGON_FITS)
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
    lacking = [str(cell) for cell in board.corners if cell not in clicks]
    if lacking:
        raise BadInputError(f"no click on {', '.join(lacking)}; click the middles of the four corner cells", "corners")
    for cell, click in clicks.items():
        if cell not in board:
            raise BadInputError(f"the click on {cell} is for a board of {cell.side} cells a side, not {board.side}")
        refuse_outside(cell, click, image)

    def through_clicks(lens: AnyLens) -> SquareView:
        centres = [cell.centre for cell in clicks]
        return view_through(SquareView.of(board, lens, np.eye(3)), centres, list(clicks.values()))

    look, view = _fitted(image, lens, through_clicks, SQUARES, _SQUARE_FITS)
    _refuse_unlikely(image, view, look)
    return view


def _fitted(
    image: NDArray[np.uint8],
    lens: CalibratedLens | None,
    start: Callable[[AnyLens], AnyView],
    looks: Iterable[EdgeLook],
    fits: Fits,
) -> tuple[EdgeLook, AnyView]:
    """Return the look by which most edges are seen sharply, and its view, fitted from where `start` has the board."""
    height, width = image.shape[:2]
    if lens is not None and (lens.width_px, lens.height_px) != (width, height):
        raise BadInputError(
            f"the picture has {width} x {height} pixels, the lens was calibrated with {lens.width_px} x "
            f"{lens.height_px}; photograph with the camera mode of the calibration, or calibrate again"
        )
    views = {}
    try:
        rough = start(lens or Lens(width, height))
        for look in looks:
            view = rough
            for reaches, lens_terms, spread in fits:
                view = refine(image, view, look, reaches, lens_terms=lens_terms, spread_cells=spread)
            views[look] = view
    except np.linalg.LinAlgError:
        raise no_board("no camera sees a board so, or two clicks are swapped") from None
    look, view = max(views.items(), key=lambda fit: sharp_share(image, fit[1], fit[0]))
    if not view.is_plausible:
        raise no_board("what fits best is not a view that a camera could have")
    return look, view


def _check_clicks(image: NDArray[np.uint8], clicks: Mapping[HexCell, Point], rings: int) -> None:
    if len(clicks) < 4:
        raise BadInputError(f"{len(clicks)} clicks; click the centres of the four corner cells", "corners")
    for cell, click in clicks.items():
        if cell.rings != rings:
            raise BadInputError(f"the click on {cell} is for a board of {cell.rings} rings, not {rings}")
        refuse_outside(cell, click, image)
    centres = np.array([cell.centre for cell in clicks])
    if np.linalg.svd(centres - centres.mean(axis=0), compute_uv=False)[1] < 1.0:
        names = ", ".join(map(str, clicks))
        raise BadInputError(f"the clicked cells {names} lie in a line; click the corner cells", "corners")


def _doubt(image: NDArray[np.uint8], view: BoardView, look: EdgeLook, evidence: Evidence) -> Doubtful | None:
    """Return the doubt if there is another place where the board may just as well be, else None."""
    middle, best = HexCell(0, 0, view.rings), None
    for _ in range(_HOPS):
        likelier = evidence.beside()
        if likelier is None:
            break
        middle = HexCell(middle.q + likelier[0].q, middle.r + likelier[0].r, view.rings)
        if middle == HexCell(0, 0, view.rings):  # each place seems better from the other
            break
        try:
            shift = np.eye(3)
            shift[:2, 2] = middle.centre
            there = view.moved(np.asarray(view.homography) @ shift, view.residual_px)
            there = refine(image, there, look, _LAST_REACHES, lens_terms=2)
        except np.linalg.LinAlgError:
            break
        evidence = Evidence.of(image, there, look)
        if not there.is_plausible or evidence.refusal() is not None:
            break
        best = Doubtful(view, there, middle, likelier[1])
    return best


def _refuse_unlikely(image: NDArray[np.uint8], view: SquareView, look: EdgeLook) -> None:
    """Raise BadInputError unless the whole board is in the picture and its rim is seen where the view has it."""
    (width, height), half = view.size_px, view.board.half
    x, y = view.to_image(np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half).T
    if x.min() < 0 or y.min() < 0 or x.max() > width - 1 or y.max() > height - 1:
        raise BadInputError(
            "a part of the board lies outside the picture; move the camera until it is whole, and photograph again",
            "cut-off",
        )
    edges = grid_edges(view.board)
    rim = GridEdges(edges.ends[edges.is_rim], edges.is_rim[edges.is_rim], edges.orientation[edges.is_rim])
    hits = edge_offsets(image, view, rim, look, _LOOK * view.side_px).hits(_HIT * view.side_px)
    sides = [hits[np.abs(rim.middles[:, axis] - at) < QUARTERS / 2] for axis in (0, 1) for at in (-half, half)]
    if hits.mean() < _RIM_SHARE or min(float(side.mean()) for side in sides) < _SIDE_SHARE:
        raise no_board(f"only {hits.mean():.0%} of the board's rim is seen where it should be")
