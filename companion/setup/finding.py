"""Where the board lies in a photograph: found from four dragged corners, with how well and with the lines to draw."""

from __future__ import annotations

from collections.abc import Mapping
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
    locate,
)
from calibration.fiducials import find_markers
from calibration.grid import grid_edges
from calibration.lens import CalibratedLens
from companion.board import QUARTERS, BadInputError, HexCell, SquareBoard, SquareCell, by_hexagon, by_square
from vision.board.look import teach_look
from vision.light.flatten import Image, extent_cells, extent_of, flatten, from_above
from vision.light.gain import gain_logs, logarithm_of
from vision.square.light import brightness, tones_from_above

Point = tuple[float, float]

#: A grid that lies so near the lines seen, in cell sides, is found well, or well enough: six pieces of cardboard lie
#: 0.015 to 0.02 sides from any regular grid (calibration/refine.py).
_WELL, _FAIRLY = 0.03, 0.06
#: The markers of the printed sheet.
FIDUCIALS = Fiducials("DICT_4X4_50", (0, 1, 2, 3))
#: Fewer markers say nothing.
_LEAST_MARKERS = 3
#: A stored table fits while camera or board moved by less than this, in sides of hexagonal cells or quarters of those
#: of square ones, and light changed by fewer stops.
_MOVED_FAR, _OTHER_LIGHT = 3.0, 1.5


class Fit(StrEnum):
    """How well a grid fits, as a traffic light has it."""

    GOOD = "good"
    FAIR = "fair"
    POOR = "poor"


@dataclass(frozen=True)
class FoundBoard:
    """Where the board lies, and how far the lines that were seen are from it, in pixels (robust rms)."""

    view: BoardView | SquareView

    @property
    def residual_px(self) -> float:
        """Return how far the grid seen lies from the one found, as a robust rms."""
        return self.view.residual_px

    @property
    def fit(self) -> Fit:
        """Return how good that is, in the size of a cell."""
        off = self.residual_px / self.view.side_px
        return Fit.GOOD if off <= _WELL else Fit.FAIR if off <= _FAIRLY else Fit.POOR

    @property
    def lines_px(self) -> NDArray[np.float64]:
        """Return the cells' edges as they should be seen, (edges, 2 ends, 2)."""
        ends = grid_edges(self.view.board).ends
        return np.asarray(self.view.to_image(ends.reshape(-1, 2)).reshape(-1, 2, 2))


def find_board(
    image: Image, corners: Mapping[HexCell, Point], rings: int = 6, lens: CalibratedLens | None = None
) -> FoundBoard:
    """Return the board that lies where a person put the centres of its four corner cells, in pixels.

    Raises BadInputError where no board is seen there, or part of it lies outside the picture, or it is in doubt.
    """
    return FoundBoard(align(image, corners, rings, None, lens))


@dataclass(frozen=True)
class Asked:
    """Two places where the board may lie; which, a person is to say. `clicks` are the corners that they put."""

    clicks: Mapping[HexCell, Point]
    doubt: Doubtful

    def taken(self, is_beside: bool) -> tuple[Mapping[HexCell, Point], FoundBoard]:
        """Return the corners and the board that a person took; the corners of the other one are those it has.

        Raises BadInputError where part of that one lies outside the picture.
        """
        view = self.doubt.taken(is_beside, {})
        clicks = {cell: view.centres_px[cell] for cell in self.clicks} if is_beside else self.clicks
        return clicks, FoundBoard(view)

    @property
    def lines_px(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The edges of both grids, (edges, 2 ends, 2): as clicked, and beside."""
        return FoundBoard(self.doubt.clicked).lines_px, FoundBoard(self.doubt.beside).lines_px


def find_or_ask(image: Image, corners: Mapping[HexCell, Point], rings: int = 6) -> FoundBoard | Asked:
    """Return the board as `find_board` does, or two where it may as well lie some cells beside the corners."""
    found = locate(image, corners, rings)
    return Asked(corners, found) if isinstance(found, Doubtful) else FoundBoard(found)


def find_squares(
    image: Image, corners: Mapping[SquareCell, Point], board: SquareBoard, lens: CalibratedLens | None = None
) -> FoundBoard:
    """Return the square board that lies where a person put the middles of its four corner cells, as `find_board`."""
    return FoundBoard(align_square(image, corners, board, lens))


def markers_in(image: Image) -> Fiducials | None:
    """Return the printed markers that lie on the frame; None where fewer than three are seen."""
    found = find_markers(image, FIDUCIALS)
    return Fiducials(FIDUCIALS.dictionary, tuple(sorted(found))) if len(found) >= _LEAST_MARKERS else None


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

    `misfit` is what is wrong, None where nothing is; `why` is the same in English, for a log. `moved_cells` is how far
    the board moved in the picture, in sides of its cells, `stops` by how many steps of doubled light it is brighter;
    both None where the board was not found.
    """

    fits: bool
    why: str = ""
    residual_px: float | None = None
    moved_cells: float | None = None
    stops: float | None = None
    misfit: Misfit | None = None


def still_fits(table: TableFolder, image: Image) -> StillFits:
    """Return whether the live picture (H, W, 3) shows the stored table, whatever lies on it.

    Raises BadInputError where the table's own photographs are missing or wrong.
    """
    setup = table.setup
    height, width = image.shape[:2]
    if (width, height) != setup.size_px:
        size = f"{setup.size_px[0]} x {setup.size_px[1]}"
        why = f"The camera gives {width} x {height} pixels, the table was set up with {size}."
        return StillFits(False, why, misfit=Misfit.SIZE)
    empty, _ = table.load_empty()
    view = _stored_view(table, empty)
    found = Follower.of(empty, view, setup.tracks, setup.fiducials).follow(image)
    if isinstance(found, BoardLost):
        return StillFits(False, found.why, misfit=Misfit.LOST)
    reach = [cell.centre for cell in setup.board.corners]
    side = QUARTERS if isinstance(view, SquareView) else 1
    moved_px = np.linalg.norm(found.to_image(reach) - view.to_image(reach), axis=1).max()
    moved, stops = moved_px / (side * view.side_px), _stops(table, empty, view, image, found)
    known = float(moved), stops
    if moved * side > _MOVED_FAR:
        return StillFits(False, "The camera or the board was moved far.", found.residual_px, *known, Misfit.MOVED)
    if abs(stops) > _OTHER_LIGHT:
        misfit = Misfit.BRIGHTER if stops > 0 else Misfit.DARKER
        why = f"The light is much {misfit} than when the table was set up."
        return StillFits(False, why, found.residual_px, *known, misfit)
    return StillFits(True, "", found.residual_px, *known)


def _stored_view(table: TableFolder, empty: Image) -> BoardView | SquareView:
    setup = table.setup
    if isinstance(setup.board, SquareBoard):
        return align_square(empty, by_square(setup.clicks), setup.board, setup.lens)
    return align(
        empty, by_hexagon(setup.clicks), setup.board.rings, setup.tracks, setup.lens, confirmed=setup.confirmed
    )


def _stops(
    table: TableFolder, empty: Image, view: BoardView | SquareView, image: Image, found: BoardView | SquareView
) -> float:
    """Return by how many steps of doubled light the picture is brighter than the empty board's."""
    if isinstance(view, SquareView):
        assert isinstance(found, SquareView)
        return brightness(tones_from_above(image, found), tones_from_above(empty, view), view.board)
    _, truth = table.load_empty()
    extent = extent_of(view.rings, table.setup.tracks)
    look = teach_look(flatten(empty, view, extent), truth)
    logs = logarithm_of(from_above(image, found, extent_cells(look.logs)))
    return float(np.median(gain_logs(logs, look.logs, view.rings)[::16, ::16]) / np.log(2))


def refuse_other_size(image: Image, size_px: tuple[int, int]) -> None:
    """Raise BadInputError where a photograph is not of the set-up's size."""
    height, width = image.shape[:2]
    if (width, height) != size_px:
        raise BadInputError(
            f"the photograph has {width} x {height} pixels, the empty board's {size_px[0]} x {size_px[1]}; "
            "leave the camera's mode as it is during the set-up, or begin again",
            "other-size",
            size=f"{width} x {height}",
            right=f"{size_px[0]} x {size_px[1]}",
        )
