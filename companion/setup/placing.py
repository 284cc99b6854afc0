"""A phone's photograph in which the board is not found automatically: people point to its four corner cells.

A phone can be held any way up, so people may take another corner for the first one, as long as all are in their order
round the board. The colours of a board of hexagons show how it is turned. Those of a board of squares do not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration import BoardView, Doubtful, SquareView, TableFolder, align_square, corners_sought, locate
from calibration.view import homography_between
from companion.board import BadInputError, Board, Cell, HexBoard, SquareBoard, by_hexagon, by_square
from companion.setup.draft import Draft
from companion.setup.finding import Point
from companion.setup.photos import (
    OTHER_BOARD,
    Matrix,
    is_upright,
    laid_over,
    other_board,
    place_between,
    shrunk,
    warped,
)
from companion.setup.square_draft import SquareDraft
from companion.setup.store import Finished, StoredTable
from vision.light.flatten import Image

#: The longer side of a photograph that waits for its corners, at most, in pixels: as large as phones' pages send them.
_LONGEST_PX = 2400
#: The colours decide the turn, whatever people said, if they correlate this well, and this much better than in any
#: other turn. On drawn boards of hexagons right turns have 0.6, and others 0.1 at most. On squares, which are all
#: alike, none has over 0.3.
_ALIKE, _CLEARLY = 0.4, 0.2

#: Where the corner cells are shown before anybody says where they are, from the picture's middle, as shares of its
#: shorter side.
_CORNERS = ((-0.26, -0.38), (0.26, -0.38), (0.26, 0.38), (-0.26, 0.38))
_SQUARE_CORNERS = ((-0.3, -0.3), (0.3, -0.3), (0.3, 0.3), (-0.3, 0.3))
_Points = NDArray[np.float64]


def kept(photo: Image) -> Image:
    """Return a photograph in the size in which it waits for its corners."""
    return shrunk(photo, _LONGEST_PX)[0]


@dataclass(frozen=True, slots=True)
class Placed:
    """A photograph as it would look from where another was taken; `is_seen`: the board's lines gave the place."""

    image: Image
    is_seen: bool


def placed(photo: Image, corners: Mapping[Cell, Point], ground: Image, view: BoardView | SquareView) -> Placed:
    """Return the photograph as it would look from where `ground` was taken, in which the board is where `view` has it.

    `corners` are the middles of the four corner cells in the photograph, in pixels, each off by a third of a cell's
    side at most. Raises BadInputError if no board can be there.
    """
    place = _Place.of(photo, corners, ground, view)
    return Placed(warped(photo, place.matrix, ground), place.is_seen)


@dataclass(frozen=True, slots=True)
class _Place:
    """The map from a photograph's pixels to another's; whether the board's lines gave it, and its colours the turn."""

    matrix: Matrix
    is_seen: bool
    is_turn_told: bool

    @classmethod
    def of(cls, photo: Image, corners: Mapping[Cell, Point], ground: Image, view: BoardView | SquareView) -> _Place:
        """Return it; raises BadInputError if no board can be there."""
        board = view.board
        centres = np.array([cell.centre for cell in board.cells], np.float64)
        there, is_seen = _in_photo(photo, corners, board, centres)
        turns = 4 if isinstance(board, SquareBoard) else 6
        turned = [view.to_image(centres @ _turn(2 * math.pi * k / turns).T) for k in range(turns)]
        seen, bare = _colours(photo, there), [_colours(ground, points) for points in turned]
        if not seen.any():
            raise _no_board()  # one colour all over
        alike = [float(np.corrcoef(seen.ravel(), each.ravel())[0, 1]) for each in bare]
        best, second = (int(k) for k in np.argsort(alike)[:-3:-1])
        is_told = alike[best] > max(_ALIKE, alike[second] + _CLEARLY)
        matrix = homography_between(there, turned[best if is_told else 0])
        if matrix is None or not is_upright(matrix, photo.shape[1], photo.shape[0]):
            raise _no_board()
        return cls(matrix, is_seen, is_told)


def _sought(photo: Image, ground: Image, view: BoardView | SquareView) -> Placed | None:
    """Return the photograph laid over the other by the board that is found in it automatically; None if none is."""
    corners = corners_sought(photo, view.board) if isinstance(view, BoardView) else None
    if corners is None:
        return None
    try:
        place = _Place.of(photo, dict(corners.items()), ground, view)
    except BadInputError:
        return None
    return Placed(warped(photo, place.matrix, ground), place.is_seen) if place.is_turn_told else None


def corners_before(tables: Sequence[StoredTable], board: Board, width: int, height: int) -> Mapping[Cell, Point]:
    """Return where the corner cells of the first of those tables are in a picture of that size, else `anywhere`."""
    for table in tables[:1]:
        try:
            setup = TableFolder.open(table.path).setup
        except BadInputError:
            break
        if setup.size_px == (width, height) and setup.board == board:
            return setup.clicks
    return anywhere(board, width, height)


def anywhere(board: Board, width: int, height: int) -> Mapping[Cell, Point]:
    """Return where the corner cells may be in a picture of that size, while nothing is known."""
    shares = _SQUARE_CORNERS if isinstance(board, SquareBoard) else _CORNERS
    places = [(width / 2 + x * min(width, height), height / 2 + y * min(width, height)) for x, y in shares]
    return dict(zip(board.corners, places, strict=True))


def laid_over_or_none(photo: Image, seen: Image) -> Image | None:
    """Return the photograph as the camera would have taken it; None if the camera sees another board."""
    try:
        return laid_over(photo, seen)
    except BadInputError as error:
        if error.code != OTHER_BOARD:
            raise
        return None


def taught_by_hand(draft: Draft | SquareDraft, photo: Image) -> Draft | SquareDraft:
    """Return the draft with a phone's photograph of pieces, laid over the empty board's.

    Raises BadInputError, with `OTHER_BOARD` if the board is not found in it.
    """
    try:
        return _taught(draft, Placed(laid_over(photo, draft.ground.image), False))
    except BadInputError as error:
        laid = _sought(photo, draft.ground.image, draft.ground.view) if error.code == OTHER_BOARD else None
        if laid is None:
            raise
    return _taught(draft, laid)


def taught_from_corners(draft: Draft | SquareDraft, photo: Image, corners: Mapping[Cell, Point]) -> Draft | SquareDraft:
    """Return the same for a photograph on whose corner cells people have put the four marks."""
    return _taught(draft, placed(photo, corners, draft.ground.image, draft.ground.view))


def is_seen_by(table: TableFolder, seen: Image) -> bool:
    """Whether the camera that took `seen` sees the table's board, wherever the table was photographed from."""
    try:
        _place_in(table, seen)
    except BadInputError as error:
        if error.code != OTHER_BOARD:
            raise
        return False
    return True


def table_seen_from(table: TableFolder, name: str, seen: Image) -> Finished:
    """Return a table that was photographed with a phone as the camera that took `seen` sees it.

    Raises BadInputError if the camera sees another board, or only part of it, or if the table's folder is damaged.
    """
    setup, (empty, truth) = table.setup, table.load_empty()
    place = _place_in(table, seen)
    clicks = cv2.perspectiveTransform(np.array([list(setup.clicks.values())], np.float64), place)[0]
    if (clicks < 0).any() or (clicks > (seen.shape[1] - 1, seen.shape[0] - 1)).any():
        raise other_board()
    shown = [(warped(image, place, seen), lies) for image, lies in table.load_teaches()]
    return Finished(
        name,
        {cell: (float(x), float(y)) for cell, (x, y) in zip(setup.clicks, clicks, strict=True)},
        setup.fiducials,
        setup.tracks,
        warped(empty, place, seen),
        truth,
        shown,
        {},
    )


def _place_in(table: TableFolder, seen: Image) -> Matrix:
    """Return the map from pixels of a table's empty board to those of a picture that shows it from elsewhere.

    If the print alone is not enough, the board is looked for in the picture. Raises BadInputError if it is another
    board.
    """
    empty = table.load_empty()[0]
    try:
        return place_between(empty, seen)
    except BadInputError as error:
        board = table.setup.board
        if error.code != OTHER_BOARD or not isinstance(board, HexBoard):
            raise
        corners = corners_sought(seen, board)
        if corners is None:
            raise
    view = locate(seen, corners, board.rings)
    place = None if isinstance(view, Doubtful) else _Place.of(empty, table.setup.clicks, seen, view)
    if place is None or not place.is_turn_told:
        raise other_board()
    return place.matrix


def _taught(draft: Draft | SquareDraft, laid: Placed) -> Draft | SquareDraft:
    try:
        return draft.taught(laid.image, is_there=laid.is_seen)
    except BadInputError as error:
        if error.code != "board-lost":
            raise
        raise BadInputError(str(error), OTHER_BOARD) from None


def _in_photo(photo: Image, corners: Mapping[Cell, Point], board: Board, centres: _Points) -> tuple[_Points, bool]:
    """Return where the cells' middles are in the photograph, and whether the board's lines say so, not only marks."""
    lacking = [str(cell) for cell in board.corners if cell not in corners]
    if lacking:
        raise BadInputError(f"no mark on {', '.join(lacking)}; put all four on the corner cells", "corners")
    told = homography_between([cell.centre for cell in corners], list(corners.values()))
    if told is None:
        raise _no_board()
    try:
        if isinstance(board, SquareBoard):
            return np.asarray(align_square(photo, by_square(corners), board).to_image(centres), np.float64), True
        view = locate(photo, by_hexagon(corners), board.rings, confirmed=True)
        if not isinstance(view, Doubtful):
            return np.asarray(view.to_image(centres), np.float64), True
    except BadInputError as error:
        if error.code == "corner-outside":
            raise
    return np.asarray(cv2.perspectiveTransform(centres[None], told)[0], np.float64), False


def _colours(image: Image, points: _Points) -> _Points:
    """Return the cells' mean colours (N, 3) as logarithms, without what all have in common, as light differs."""
    across = float(np.median(np.linalg.norm(np.diff(points, axis=0), axis=1)))
    size = max(3, round(across / 2) | 1)
    blurred = cv2.blur(image, (size, size))
    rows = np.clip(np.round(points[:, 1]).astype(int), 0, image.shape[0] - 1)
    columns = np.clip(np.round(points[:, 0]).astype(int), 0, image.shape[1] - 1)
    logs = np.log(blurred[rows, columns].astype(np.float64) + 4.0)
    return np.asarray(logs - np.median(logs, axis=0), np.float64)


def _turn(angle: float) -> Matrix:
    return np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])


def _no_board() -> BadInputError:
    return BadInputError("there is no board between those marks; put them on the corner cells", "no-board")
