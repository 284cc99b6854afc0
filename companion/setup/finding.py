"""Where the board is in a photograph: how well that fits, with the lines to draw, and whether it still does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from calibration import (
    BoardLost,
    BoardView,
    Doubtful,
    Fiducials,
    Follower,
    SquareView,
    TableFolder,
    align,
    align_square,
)
from calibration.grid import grid_edges
from calibration.seeking import find_markers
from calibration.view import AnyView
from companion.board import QUARTERS, BadInputError, HexCell, SquareBoard, by_hexagon, by_square
from vision.board.layout import teach_look
from vision.light.flatten import Image, extent_cells, extent_of, flatten, from_above
from vision.light.gain import gain_logs, logarithm_of
from vision.square.fitting import brightness, tones_from_above

Point = tuple[float, float]

#: A grid that is this near to the lines seen, in cell sides, is found well, or well enough: six pieces of cardboard are
#: 0.015 to 0.02 sides off any regular grid (calibration/refine.py).
_WELL, _FAIRLY = 0.03, 0.06
#: The markers of the printed sheet.
FIDUCIALS = Fiducials("DICT_4X4_50", (0, 1, 2, 3))
#: Fewer markers than this say nothing.
_LEAST_MARKERS = 3
#: A stored table fits while camera and board have moved by less than this, in sides of hexagonal cells or quarters of
#: those of square ones, and the light has changed by fewer stops than this.
_MOVED_FAR, _OTHER_LIGHT = 3.0, 1.5


class Fit(StrEnum):
    """How well a grid fits, like a traffic light."""

    GOOD = "good"
    FAIR = "fair"
    POOR = "poor"


def fit_of(view: BoardView | SquareView) -> Fit:
    """Return how well the board is found: how far the lines seen are from it, relative to the size of a cell."""
    off = view.residual_px / view.side_px
    return Fit.GOOD if off <= _WELL else Fit.FAIR if off <= _FAIRLY else Fit.POOR


def lines_px(view: BoardView | SquareView) -> NDArray[np.float64]:
    """Return the cells' edges as they should be seen, (edges, 2 ends, 2)."""
    return view.to_image(grid_edges(view.board).ends.reshape(-1, 2)).reshape(-1, 2, 2)


@dataclass(frozen=True)
class Asked:
    """Two places where the board may be; a person must say which. `clicks` are the corners that they pointed to."""

    clicks: Mapping[HexCell, Point]
    doubt: Doubtful

    def taken(self, is_beside: bool) -> tuple[Mapping[HexCell, Point], BoardView]:
        """Return the corners and the board that a person chose; for the grid beside, these are its own corners.

        Raises BadInputError if part of that grid is outside the picture.
        """
        view = self.doubt.taken(is_beside, {})
        return {cell: view.centres_px[cell] for cell in self.clicks} if is_beside else self.clicks, view


def markers_in(image: Image) -> Fiducials | None:
    """Return the printed markers that lie on the frame; None if fewer than three are seen."""
    marks = find_markers(image, FIDUCIALS)
    return Fiducials(FIDUCIALS.dictionary, tuple(sorted(marks))) if len(marks) >= _LEAST_MARKERS else None


class Misfit(StrEnum):
    """Why a stored table is not the one that the camera sees."""

    SIZE = "size"
    LOST = "lost"
    MOVED = "moved"
    BRIGHTER = "brighter"
    DARKER = "darker"


@dataclass(frozen=True, slots=True)
class StillFits:
    """Whether a stored table is the one that the camera sees.

    `misfit` is what is wrong, None if nothing is; `why` is the same in English, for a log. `moved_cells` is how far the
    board moved in the picture, in sides of its cells, `stops` how many times its light has doubled; both are None if
    the board was not found.
    """

    fits: bool
    why: str = ""
    residual_px: float | None = None
    moved_cells: float | None = None
    stops: float | None = None
    misfit: Misfit | None = None


def still_fits(table: TableFolder, image: Image) -> StillFits:
    """Return whether the live picture (H, W, 3) shows the stored table, whatever lies on it.

    Raises BadInputError if the table's own photographs are missing or wrong.
    """
    setup = table.setup
    height, width = image.shape[:2]
    if (width, height) != setup.size_px:
        size = f"{setup.size_px[0]} x {setup.size_px[1]}"
        why = f"The camera gives {width} x {height} pixels, the table was set up with {size}."
        return StillFits(False, why, misfit=Misfit.SIZE)
    empty, _ = table.load_empty()
    view = stored_view(table, empty)
    found = Follower.of(empty, view, setup.tracks, setup.fiducials).follow(image)
    if isinstance(found, BoardLost):
        return StillFits(False, found.why, misfit=Misfit.LOST)
    reach = [cell.centre for cell in setup.board.corners]
    side = QUARTERS if isinstance(view, SquareView) else 1
    moved_px = np.linalg.norm(found.to_image(reach) - view.to_image(reach), axis=1).max()
    moved, stops = moved_px / (side * view.side_px), _stops(table, empty, view, image, found)
    misfit, why = None, ""
    if moved * side > _MOVED_FAR:
        misfit, why = Misfit.MOVED, "The camera or the board was moved far."
    elif abs(stops) > _OTHER_LIGHT:
        misfit = Misfit.BRIGHTER if stops > 0 else Misfit.DARKER
        why = f"The light is much {misfit} than when the table was set up."
    return StillFits(misfit is None, why, found.residual_px, float(moved), stops, misfit)


def stored_view(table: TableFolder, empty: Image) -> BoardView | SquareView:
    """Return where the board is in the empty photograph of a stored table, by the corners that people pointed to."""
    setup = table.setup
    if isinstance(setup.board, SquareBoard):
        return align_square(empty, by_square(setup.clicks), setup.board, setup.lens)
    clicks, rings = by_hexagon(setup.clicks), setup.board.rings
    return align(empty, clicks, rings, setup.tracks, setup.lens, confirmed=setup.confirmed)


def _stops(
    table: TableFolder, empty: Image, view: BoardView | SquareView, image: Image, found: BoardView | SquareView
) -> float:
    """Return how many times the light in the picture has doubled since the empty board's."""
    if isinstance(view, SquareView):
        assert isinstance(found, SquareView)
        return brightness(tones_from_above(image, found), tones_from_above(empty, view), view.board)
    _, truth = table.load_empty()
    extent = extent_of(view.rings, table.setup.tracks)
    look = teach_look(flatten(empty, view, extent), truth)
    logs = logarithm_of(from_above(image, found, extent_cells(look.logs)))
    return float(np.median(gain_logs(logs, look.logs, view.rings)[::16, ::16]) / np.log(2))


def view_of_next(
    image: Image, taken: Sequence[object], most: int, follower: Follower[AnyView], *, is_there: bool = False
) -> AnyView:
    """Return where the board is in one more photograph of pieces, after those that were taken.

    `is_there`: its lines have shown already that it is where it was. Raises BadInputError if there are too many
    photographs, if this one's size is not the set-up's, or if the board is not found in it.
    """
    if len(taken) >= most:
        wrong = f"there are {most} photographs already; take one back, or go on"
        raise BadInputError(wrong, "enough-photographs", count=most)
    (height, width), size_px = image.shape[:2], follower.view.size_px
    if (width, height) != size_px:
        raise BadInputError(
            f"the photograph has {width} x {height} pixels, the empty board's {size_px[0]} x {size_px[1]}; "
            "leave the camera's mode as it is during the set-up, or begin again",
            "other-size",
            size=f"{width} x {height}",
            right=f"{size_px[0]} x {size_px[1]}",
        )
    view = follower.follow(image)
    if isinstance(view, BoardLost) and is_there:
        return follower.view
    if isinstance(view, BoardLost):
        wrong = f"{view.why}; leave board and camera as they were on the empty board's photograph"
        raise BadInputError(wrong, "board-lost")
    return view
