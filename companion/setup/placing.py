"""A phone's photograph in which the board is not found by itself: placed by the four corner cells that people point to.

A phone is held any way, so that people may take another corner for the first one, as long as all are in their order
round the board. A board of hexagons tells by its own colours how it is turned. One of squares does not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration import BoardView, Doubtful, SquareView, TableFolder, align_square, locate
from calibration.view import homography_between
from companion.board import BadInputError, Board, Cell, SquareBoard, by_hexagon, by_square
from companion.setup.draft import Draft
from companion.setup.finding import Point
from companion.setup.handheld import OTHER_BOARD, Matrix, is_upright, laid_over, shrunk, warped
from companion.setup.square_draft import SquareDraft
from companion.setup.store import StoredTable
from vision.light.flatten import Image

#: A photograph that waits for its corners has no longer side, in pixels: as large as phones' pages send them.
_LONGEST_PX = 2400
#: The colours speak for another turn than people do if they correlate so well, and so much better than in any other.
#: On drawn boards of hexagons right turns have 0.6, others 0.1 at most. On squares, all alike, none has over 0.3.
_ALIKE, _CLEARLY = 0.4, 0.2

#: Where the corner cells are looked for before anybody said so, as shares of the picture's height from its middle.
_CORNERS = ((-0.26, -0.38), (0.26, -0.38), (0.26, 0.38), (-0.26, 0.38))
_SQUARE_CORNERS = ((-0.3, -0.3), (0.3, -0.3), (0.3, 0.3), (-0.3, 0.3))
_Points = NDArray[np.float64]


def kept(photo: Image) -> Image:
    """Return a photograph as it waits for its corners."""
    return shrunk(photo, _LONGEST_PX)[0]


@dataclass(frozen=True, slots=True)
class Placed:
    """A photograph as it would look from where another was taken; `is_seen`: the board's lines have told the place."""

    image: Image
    is_seen: bool


def placed(photo: Image, corners: Mapping[Cell, Point], ground: Image, view: BoardView | SquareView) -> Placed:
    """Return the photograph as it would look from where `ground` was taken, in which the board is where `view` has it.

    `corners` are the middles of the four corner cells in the photograph, in pixels, each off by a third of a cell's
    side at most. Raises BadInputError where no board can be there.
    """
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
    best = best if alike[best] > max(_ALIKE, alike[second] + _CLEARLY) else 0
    place = homography_between(there, turned[best])
    if place is None or not is_upright(place, photo.shape[1], photo.shape[0]):
        raise _no_board()
    return Placed(warped(photo, place, ground), is_seen)


def corners_before(tables: Sequence[StoredTable], board: Board, width: int, height: int) -> Mapping[Cell, Point]:
    """Return where the corner cells of the first of those tables are in a picture of that size; else anywhere."""
    for table in tables[:1]:
        try:
            setup = TableFolder.open(table.path).setup
        except BadInputError:
            break
        if setup.size_px == (width, height) and setup.board == board:
            return setup.clicks
    return anywhere(board, width, height)


def anywhere(board: Board, width: int, height: int) -> Mapping[Cell, Point]:
    """Return where the corner cells may be in a picture of that size, as long as nothing is known."""
    shares = _SQUARE_CORNERS if isinstance(board, SquareBoard) else _CORNERS
    places = [(width / 2 + x * min(width, height), height / 2 + y * min(width, height)) for x, y in shares]
    return dict(zip(board.corners, places, strict=True))


def laid_over_or_none(photo: Image, seen: Image) -> Image | None:
    """Return the photograph as the camera would have taken it; None where that sees another board."""
    try:
        return laid_over(photo, seen)
    except BadInputError as error:
        if error.code != OTHER_BOARD:
            raise
        return None


def taught_by_hand(draft: Draft | SquareDraft, photo: Image) -> Draft | SquareDraft:
    """Return the draft with a phone's photograph of pieces, laid over the empty board's.

    Raises BadInputError, `OTHER_BOARD` where the board is not found in it.
    """
    return _taught(draft, Placed(laid_over(photo, draft.ground.image), False))


def taught_from_corners(draft: Draft | SquareDraft, photo: Image, corners: Mapping[Cell, Point]) -> Draft | SquareDraft:
    """Return the same where people have put the four marks on its corner cells."""
    return _taught(draft, placed(photo, corners, draft.ground.image, draft.ground.view))


def _taught(draft: Draft | SquareDraft, laid: Placed) -> Draft | SquareDraft:
    try:
        return draft.taught(laid.image, is_there=laid.is_seen)
    except BadInputError as error:
        if error.code != "board-lost":
            raise
        raise BadInputError(str(error), OTHER_BOARD) from None


def _in_photo(photo: Image, corners: Mapping[Cell, Point], board: Board, centres: _Points) -> tuple[_Points, bool]:
    """Return where the cells' middles are in the photograph, and whether the board's lines say so: else marks do."""
    lacking = [str(cell) for cell in board.corners if cell not in corners]
    if lacking:
        raise BadInputError(f"no mark on {', '.join(lacking)}; put all four on the corner cells", "corners")
    told = homography_between([cell.centre for cell in corners], list(corners.values()))
    if told is None:
        raise _no_board()
    try:
        if isinstance(board, SquareBoard):
            return np.asarray(align_square(photo, by_square(corners), board).to_image(centres), np.float64), True
        found = locate(photo, by_hexagon(corners), board.rings, confirmed=True)
        if not isinstance(found, Doubtful):
            return np.asarray(found.to_image(centres), np.float64), True
    except BadInputError as error:
        if error.code == "corner-outside":
            raise
    return np.asarray(cv2.perspectiveTransform(centres[None], told)[0], np.float64), False


def _colours(image: Image, points: _Points) -> _Points:
    """Return the cells' mean colours (N, 3) as logarithms, without what all have in common: light differs."""
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
