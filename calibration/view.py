"""The place of the board in a picture; whether the whole board is in it, and if not, where to move the camera.

Also what is refused for any board: a click outside the picture, no grid near the clicks.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self, TypeVar, cast

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.lens import AnyLens, Points
from companion.board import QUARTERS, BadInputError, Board, Cell, Color, HexBoard, HexCell, SquareBoard, SquareCell
from companion.board.notation import LAST_FIELD

Matrix = tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]

#: flatten_map is exact on every 16th pixel and linear between them: off by less than 0.02 px.
_COARSE_PX = 16
#: The frame is believed to reach this much farther than the board's corners.
_BEYOND_BOARD = 1.2
#: The frame is looked at from this far beyond hexagonal cells, in cell sides: tiles lie askew, with cubes next to them.
_CLEAR_CELLS = 1.4
#: The same for square cells: tiles are off by up to a quarter of a quarter.
_CLEAR_QUARTERS = 0.3


@dataclass(frozen=True, slots=True)
class FlatMap:
    """A map from straight above (`PlaneView.flatten_map`), kept for every 16th pixel and one beyond."""

    coarse: NDArray[np.float32]

    def part(self, rows: slice, columns: slice) -> NDArray[np.float32]:
        """Return these rows and columns of the map, (rows, columns, 2)."""
        step = _COARSE_PX
        top, left = (one.start or 0 for one in (rows, columns))
        block = self.coarse[top // step : -(-rows.stop // step) + 2, left // step : -(-columns.stop // step) + 2]
        size = (block.shape[1] * step, block.shape[0] * step)
        fine = cv2.resize(block, size, interpolation=cv2.INTER_LINEAR)
        top, left, down, right = top % step + step, left % step + step, rows.stop - top, columns.stop - left
        return np.asarray(fine[top : top + down, left : left + right], dtype=np.float32)


@dataclass(frozen=True, slots=True)
class PlaneView(ABC):
    """A board's plane as one camera sees it, whatever board is in it: board plane <-> picture.

    Origin is the board's middle, (right, down). The unit is called a cell's side: it is one on hexagonal boards, and a
    quarter of one on square boards (companion.board.QUARTERS). Picture: pixels, (right, down), pixel centres at whole
    numbers, as in OpenCV. `homography` takes the board plane to the straight picture, which the lens then bends.
    `residual_px` is how far the grid seen is from this view, as a robust rms.
    """

    board: Board
    lens: AnyLens
    homography: Matrix
    residual_px: float = 0.0

    @classmethod
    def of(cls, board: Board, lens: AnyLens, homography: ArrayLike, residual_px: float = 0.0) -> Self:
        """Return the view with that 3 x 3 matrix, scaled so that its last number is 1."""
        return cls(board, lens, _scaled(homography), residual_px)

    @property
    @abstractmethod
    def reach_cells(self) -> float:
        """How far from its middle the board's cells reach."""

    @property
    @abstractmethod
    def frame_cells(self) -> float:
        """How far from its middle the frame round the cells is believed to reach if nothing else says."""

    @abstractmethod
    def is_clear_of_cells(self, x: Points, y: Points) -> NDArray[np.bool_]:
        """Return which points of the plane are so far beyond the board's cells that nothing on the cells hides them."""

    @property
    def size_px(self) -> tuple[int, int]:
        """The picture's width and height."""
        return self.lens.width_px, self.lens.height_px

    @property
    def side_px(self) -> float:
        """How long a cell's side is in the picture, at the board's centre."""
        middle = self.to_image([[-0.5, 0.0], [0.5, 0.0], [0.0, -0.5], [0.0, 0.5]])
        across, down = middle[1] - middle[0], middle[3] - middle[2]
        return float(np.sqrt(abs(across[0] * down[1] - across[1] * down[0])))

    @property
    def is_plausible(self) -> bool:
        """True if a camera above the table could have this view: all in front of it, not mirrored, of some size."""
        m = np.asarray(self.homography)
        if not (np.isfinite(m).all() and self.lens.is_plausible and 6 <= self.side_px <= min(self.size_px) / 4):
            return False
        reach = self.reach_cells + 1
        corners = np.array([[-reach, -reach, 1], [reach, -reach, 1], [reach, reach, 1], [-reach, reach, 1]])
        # A plane is mirrored if its homography's determinant and depth disagree in sign.
        return bool(np.all(corners @ m[2] > 0.2) and np.linalg.det(m) > 0)

    def to_image(self, points_cells: ArrayLike) -> Points:
        """Return where points (N, 2) of the board plane are seen, in pixels (N, 2)."""
        points = np.asarray(points_cells, dtype=np.float64)
        m = np.asarray(self.homography)
        straight = points @ m[:, :2].T + m[:, 2]
        return self.lens.distort(straight[..., :2] / straight[..., 2:])

    def to_board(self, points_px: ArrayLike) -> Points:
        """Return where the pixels (N, 2) are on the board plane, in cell sides (N, 2)."""
        straight = self.lens.undistort(points_px)
        m = np.linalg.inv(np.asarray(self.homography))
        plane = straight @ m[:, :2].T + m[:, 2]
        return np.asarray(plane[..., :2] / plane[..., 2:])

    def turned_from(self, other: PlaneView) -> float:
        """Return how many degrees this view is turned against the other, clockwise, from -180 to 180."""
        across = [np.diff(view.to_image([[-0.5, 0.0], [0.5, 0.0]]), axis=0)[0] for view in (other, self)]
        before, now = (np.degrees(np.arctan2(down, right)) for right, down in across)
        return float((now - before + 180.0) % 360.0 - 180.0)

    @property
    def centres_px(self) -> Mapping[Cell, tuple[float, float]]:
        """Where each cell's centre is seen."""
        cells: tuple[Cell, ...] = self.board.cells
        centres = self.to_image([cell.centre for cell in cells])
        return {cell: (float(x), float(y)) for cell, (x, y) in zip(cells, centres, strict=True)}

    def moved(self, homography: ArrayLike, residual_px: float = 0.0, lens: AnyLens | None = None) -> Self:
        """Return the view after camera or board moved; `lens`: None for the same lens."""
        return replace(self, homography=_scaled(homography), residual_px=residual_px, lens=lens or self.lens)

    def flatten_map(
        self, side_px: float, left: float, top: float, right: float, bottom: float, shrunk: int = 1
    ) -> NDArray[np.float32]:
        """Return the map (rows, columns, 2) with which `cv2.remap` shows the board from straight above.

        The rectangle is given in cell sides. Pixel (column, row) of the result shows the board point (left + column /
        side_px, top + row / side_px); it has round((right - left) * side_px) columns. `shrunk`: by what factor the
        picture that the map is for has been made smaller.
        """
        columns, rows = round((right - left) * side_px), round((bottom - top) * side_px)
        return self.flat_map(side_px, left, top, right, bottom, shrunk).part(slice(rows), slice(columns))

    def flat_map(
        self, side_px: float, left: float, top: float, right: float, bottom: float, shrunk: int = 1
    ) -> FlatMap:
        """Return the same map in a form whose parts can be had without the rest."""
        columns, rows = round((right - left) * side_px), round((bottom - top) * side_px)
        step = _COARSE_PX
        # cv2.resize puts coarse sample i at fine pixel (i + 0.5) * step - 0.5; one more each side, cut off after.
        nx, ny = -(-columns // step) + 2, -(-rows // step) + 2
        x = left + ((np.arange(nx) - 0.5) * step - 0.5) / side_px
        y = top + ((np.arange(ny) - 0.5) * step - 0.5) / side_px
        grid = np.stack(np.meshgrid(x, y), axis=-1)
        # Pixel x of a picture is at (x + 0.5) / shrunk - 0.5 of the smaller one.
        return FlatMap(((self.to_image(grid) + 0.5) / shrunk - 0.5).astype(np.float32))


@dataclass(frozen=True, slots=True)
class BoardView(PlaneView):
    """A board of hexagons as one camera sees it; the plane's unit is one cell's side."""

    board: HexBoard

    @property
    def rings(self) -> int:
        """How many rings of cells the board has."""
        return self.board.rings

    @property
    def reach_cells(self) -> float:
        """How far from its middle the board's cells reach: to their outermost corners."""
        return float(self.rings * np.sqrt(3) + 1)

    @property
    def frame_cells(self) -> float:
        """How far from its middle the frame round the cells is believed to reach if nothing else says."""
        return self.reach_cells * _BEYOND_BOARD

    def is_clear_of_cells(self, x: Points, y: Points) -> NDArray[np.bool_]:
        # The hexagon through the board's outermost corners; its own corners are on the horizontal axis.
        across = np.maximum(np.abs(y), np.abs(x) * np.sqrt(3) / 2 + np.abs(y) / 2)
        return np.asarray(across > (self.rings + 0.5) * 1.5 + _CLEAR_CELLS - 0.5)


@dataclass(frozen=True, slots=True)
class SquareView(PlaneView):
    """A square board as one camera sees it; the plane's unit is a quarter of a cell's side."""

    board: SquareBoard

    @property
    def reach_cells(self) -> float:
        """How far from its middle the board reaches, to the right and down."""
        return self.board.half

    @property
    def frame_cells(self) -> float:
        """How far from its middle the printed rim is believed to reach: a third of a cell's side beyond the cells."""
        return self.board.half + QUARTERS / 3

    def is_clear_of_cells(self, x: Points, y: Points) -> NDArray[np.bool_]:
        return np.asarray(np.maximum(np.abs(x), np.abs(y)) > self.board.half + _CLEAR_QUARTERS)


#: A view of either kind of board: a function that gets one kind returns the same kind.
AnyView = TypeVar("AnyView", bound=PlaneView)


def homography_between(
    before: ArrayLike, after: ArrayLike, method: int = 0, threshold: float = 3.0
) -> NDArray[np.float64] | None:
    """Return the homography from points (N, 2) to their later places, its last number 1; None if there is none."""
    fitted, _ = cv2.findHomography(np.asarray(before, np.float64), np.asarray(after, np.float64), method, threshold)
    # OpenCV's types do not say that it can return None.
    matrix = cast("NDArray[np.float64] | None", fitted)
    return None if matrix is None or abs(matrix[2, 2]) < 1e-12 else np.asarray(matrix / matrix[2, 2], np.float64)


def _scaled(homography: ArrayLike) -> Matrix:
    """Return the 3 x 3 matrix scaled so that its last number is 1."""
    m = np.asarray(homography, dtype=np.float64)
    m = m / m[2, 2]
    rows = tuple((float(row[0]), float(row[1]), float(row[2])) for row in m)
    return rows[0], rows[1], rows[2]


Point = tuple[float, float]

#: Fields of a day track; the outermost two are given, the others are spaced evenly between them.
TRACK_FIELDS = LAST_FIELD + 1
#: Half a field of a day track, in cell sides: the whole field and its marker must be in the picture, not only its
#: centre.
_FIELD_CELLS = 0.6


def track_fields(ends: tuple[Point, Point]) -> Points:
    """Return the centres (11, 2) of a day track's fields 0 to 10, in cell sides, from those of fields 0 and 10."""
    return np.linspace(*ends, TRACK_FIELDS)


def refuse_cut_off(view: BoardView, tracks: Mapping[Color, tuple[Point, Point]]) -> None:
    """Raise BadInputError if a cell or a day track is cut off, naming it and where to move the camera."""
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * _FIELD_CELLS
    outlines = {f"cell {cell}": np.array(cell.outline) for cell in view.board.cells}
    for color, ends in tracks.items():
        fields = track_fields(ends)
        outlines[f"the {color} day track"] = (fields[:, None] + square).reshape(-1, 2)
    width, height = view.size_px
    lacking, sides = [], set()
    for name, outline in outlines.items():
        x, y = view.to_image(outline).T
        beyond = {"left": x < 0, "right": x > width - 1, "up": y < 0, "down": y > height - 1}
        cut_off = {side for side, outside in beyond.items() if outside.any()}
        if cut_off:
            lacking.append(name)
            sides |= cut_off
    if lacking:
        wrong = f"{_listed(lacking)} outside the picture; {_remedy(sides)}, and photograph again"
        raise BadInputError(wrong, "cut-off")


def _listed(names: list[str]) -> str:
    if len(names) == 1:
        return f"{names[0]} lies in part or whole"
    if len(names) <= 3:
        return f"{', '.join(names[:-1])} and {names[-1]} lie in part or whole"
    return f"{names[0]}, {names[1]} and {len(names) - 2} more lie in part or whole"


def _remedy(sides: set[str]) -> str:
    """Return where the camera must go: towards the cut-off part; away from the board if opposite sides are cut off."""
    if {"left", "right"} <= sides or {"up", "down"} <= sides:
        return "move the camera farther away from the board"
    words = {
        "left": "to the left",
        "right": "to the right",
        "up": "up (towards the picture's top)",
        "down": "down (towards the picture's bottom)",
    }
    return "move the camera " + " and ".join(words[side] for side in ("left", "right", "up", "down") if side in sides)


def refuse_outside(cell: HexCell | SquareCell, click: Point, image: NDArray[np.uint8]) -> None:
    """Raise BadInputError if the click on that cell (right, down) is outside the picture."""
    (x, y), (height, width) = click, image.shape[:2]
    if not (0 <= x <= width - 1 and 0 <= y <= height - 1):
        raise BadInputError(
            f"the click on {cell} at ({x:g}, {y:g}) lies outside the picture of {width} x {height} pixels; "
            "click the cell's centre in this picture",
            "corner-outside",
            cell=cell,
        )


def no_board(why: str) -> BadInputError:
    """Return the error for a picture that shows no board near the clicks."""
    return BadInputError(
        f"no board grid found near the clicks: {why}; "
        "photograph the whole board from above and click the centres of its corner cells",
        "no-board",
    )
