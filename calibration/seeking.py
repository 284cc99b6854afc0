"""The search for a board of hexagons in a picture when nobody has said where its corners are.

Printed markers on the frame's corners show at once where the board is, if most of them are seen. Without markers, the
cells' edges are a pattern that repeats at every cell. The pattern of a few cells round the picture's middle is looked
for first, in every turn and size. It is then followed from cell to cell, as far as a board reaches. The last step finds
which cells have borders round them: those beyond the board have none.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Generic, cast

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.grid import HEXAGONS, Floats, GridEdges, edge_offsets, hex_edges
from calibration.lens import Lens, Points
from calibration.refine import line_kernel, shrunk_logs, slid
from calibration.table import Fiducials
from calibration.view import AnyView, BoardView, homography_between
from companion.board import HexBoard, HexCell

#: How far from its expected place a marker is looked for, in cell sides. If the board is pushed by 30 px (a side is 36)
#: and turned by 3 degrees, its farthest corner moves by 1.9.
_ABOUT_CELLS = 2.5
#: A marker is usually where it was, so it is first looked for this near.
_AT_ONCE_CELLS = 0.5
#: The least length of a marker's outline, as a share of the longer side of a picture (OpenCV's default), and of the
#: larger and the smaller part that is cut out round one marker, where its outline is 0.9 and 2.4. Anything smaller
#: there is grain.
_LEAST_OF_PICTURE, _LEAST_OF_PART, _LEAST_AT_ONCE = 0.03, 0.4, 1.05
#: The corners of markers that stayed in place agree with a view within this, in cell sides: 1.8 px of 36.
_AGREE_CELLS = 0.05
#: This many markers must agree: with two, one that was pushed aside would not be noticed.
_ENOUGH_MARKERS = 3


@dataclass(frozen=True)
class Markers(Generic[AnyView]):
    """The markers as they were when the board was aligned: each number's four corners (4, 2), in cell sides.

    `view` is where the board was then.
    """

    fiducials: Fiducials
    view: AnyView
    corners_cells: Mapping[int, Points]

    @classmethod
    def of(cls, image: NDArray[np.uint8], view: AnyView, fiducials: Fiducials) -> Markers[AnyView]:
        """Return the markers seen in the picture (H, W, 3) of the board in that view."""
        corners_px = find_markers(image, fiducials)
        return cls(fiducials, view, {number: view.to_board(corners) for number, corners in corners_px.items()})

    def seen_near(self, image: NDArray[np.uint8], near: AnyView) -> Mapping[int, Points]:
        """Return the markers seen at or near their places in `near`: by number, where `view` has their corners."""
        corners_px, side_px = {}, near.side_px
        for number, cells in self.corners_cells.items():
            at = near.to_image(cells)
            for reach, least in ((_AT_ONCE_CELLS, _LEAST_AT_ONCE), (_ABOUT_CELLS, _LEAST_OF_PART)):
                part, first = _round(image, at, reach * side_px)
                corners = find_markers(part, self.fiducials, least).get(number) if part.size else None
                if corners is not None:
                    corners_px[number] = corners + first
                    break
        if not corners_px:
            return {}
        lie = self.view.to_board(np.concatenate(list(corners_px.values()))).reshape(-1, 4, 2)
        return dict(zip(corners_px, lie, strict=True))

    def pushed(self, lie: Mapping[int, Points]) -> AnyView | None:
        """Return the view of a pushed board, if three markers or more agree on the push.

        All of them must agree, or all but one, which may have been moved on the frame. Only pushes are tried: an
        arbitrary motion of the camera has eight numbers, and would explain moved markers too.
        """
        for count in (len(lie), len(lie) - 1):
            for chosen in combinations(lie, count) if count >= _ENOUGH_MARKERS else ():
                before = np.concatenate([self.corners_cells[number] for number in chosen])
                after = np.concatenate([lie[number] for number in chosen])
                push = _rigid(before, after)
                off = before @ push[:2, :2].T + push[:2, 2] - after
                if np.linalg.norm(off, axis=1).max() < _AGREE_CELLS:
                    return self._moved(push)
        return None

    def about(self, lie: Mapping[int, Points]) -> AnyView | None:
        """Return roughly where the board is, however it and the camera moved; None with fewer than two markers."""
        if len(lie) < 2:
            return None
        before = np.concatenate([self.corners_cells[number] for number in lie])
        motion = homography_between(before, np.concatenate(list(lie.values())))
        return None if motion is None else self._moved(motion)

    def seen_anywhere(self, image: NDArray[np.uint8]) -> Mapping[int, Points]:
        """Return the markers seen anywhere in the picture, placed as by `seen_near`."""
        # At half its size a picture is searched in an eighth of the time; small markers need the full size.
        for shrunk in (2, 1):
            height, width = image.shape[:2]
            small = cv2.resize(image, (width // shrunk, height // shrunk), interpolation=cv2.INTER_AREA)
            corners_px = find_markers(small.astype(np.uint8, copy=False), self.fiducials)
            lie = {
                number: self.view.to_board((corners + 0.5) * shrunk - 0.5)
                for number, corners in corners_px.items()
                if number in self.corners_cells
            }
            if len(lie) > 1:
                return lie
        return {}

    def _moved(self, motion: NDArray[np.float64]) -> AnyView | None:
        homography = np.asarray(self.view.homography) @ motion
        if abs(homography[2, 2]) < 1e-12:
            return None
        view = self.view.moved(homography)
        return view if view.is_plausible else None


def _rigid(before: Points, after: Points) -> NDArray[np.float64]:
    """Return the turn and shift (3, 3) that bring points (N, 2) nearest to their later places (least squares)."""
    middle, there = before.mean(axis=0), after.mean(axis=0)
    p, q = before - middle, after - there
    turn = np.arctan2((p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0]).sum(), (p * q).sum())
    c, s = np.cos(turn), np.sin(turn)
    motion = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    motion[:2, 2] = there - motion[:2, :2] @ middle
    return motion


def find_markers(
    image: NDArray[np.uint8], fiducials: Fiducials, least: float = _LEAST_OF_PICTURE
) -> Mapping[int, Points]:
    """Return each of the table's markers seen in the picture (H, W, 3): its four corners (4, 2) in pixels.

    `least`: the least length of a marker's outline, as a share of the picture's longer side.
    """
    gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    corners, seen_numbers, _ = _detector(fiducials.dictionary, least).detectMarkers(gray)
    # OpenCV's types do not say that it returns None if it finds nothing.
    numbers = cast("NDArray[np.int32] | None", seen_numbers)
    if numbers is None:
        return {}
    markers = zip(map(int, numbers.ravel()), corners, strict=True)
    return {number: np.asarray(outline[0], np.float64) for number, outline in markers if number in fiducials.ids}


@cache
def _detector(dictionary: str, least: float) -> cv2.aruco.ArucoDetector:
    settings = cv2.aruco.DetectorParameters()
    settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    settings.minMarkerPerimeterRate = least
    return cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, dictionary)), settings)


def _round(image: NDArray[np.uint8], points_px: Points, reach_px: float) -> tuple[NDArray[np.uint8], Points]:
    """Return the part of a picture within reach of the points (N, 2), and its first pixel's place (right, down)."""
    height, width = image.shape[:2]
    first = np.clip(np.floor(points_px.min(axis=0) - reach_px), 0, (width, height)).astype(int)
    last = np.clip(np.ceil(points_px.max(axis=0) + reach_px) + 1, 0, (width, height)).astype(int)
    part = image[first[1] : last[1], first[0] : last[0]]
    return np.ascontiguousarray(part), first.astype(np.float64)


#: The sizes that are tried: in the middle one, a cell's side is this share of the picture's shorter side. This many are
#: larger and as many smaller, in steps of this share. In the small picture that is searched, a side of the middle size
#: has this many pixels.
_SIDE_SHARE, _SIZES, _LARGER, _SIDE_PX = 0.027, 11, 0.04, 12.0
#: Turns are tried in steps of this many degrees. The six corners are alike, so the top row is never more than 30 off.
_TURN, _MOST_TURNED = 2.5, 30.0
#: Edges are looked for along this many directions. They count half as much where two colours meet as where a line is
#: drawn.
_DIRECTIONS, _STEP_SHARE = 12, 0.5
#: The pattern is that of all edges within this many cell sides. Its place within one cell is tried in this many steps.
_PATTERN_CELLS, _STEPS = 6.0, 12
#: This many of the likeliest patterns are followed, but none that is seen less well than this. Of two that differ by
#: less than this in degrees and in size, only the likelier is followed.
_FOLLOWED, _LEAST, _SAME_TURN, _SAME_SIZE = 4, 0.02, 4.0, 0.06
#: The view grows from a few rings of cells to all of them. Each time, patches slide this far, in cell sides.
_GROWING = ((2, (0.3, 0.2)), (3, (0.3, 0.2)), (4, (0.3, 0.2)))
#: Then all cells slide this far, this many times at most, as the board's middle may have been another cell.
_LAST_REACHES, _ROUNDS = (0.35, 0.25, 0.2), 3
#: The board's middle is at most this many cells from where its pattern was found.
_FARTHEST = 5
#: An edge is looked for within the third distance, in cell sides. It is near its place if it stands out most within the
#: first of it, and is seen there if within the second.
_NEAR_CELLS, _HIT_CELLS, _LOOK_CELLS = 0.12, 0.08, 0.3
#: By chance this share of edges seems to be near. The rim's edges count this much more, as nothing else is like a rim.
_BY_CHANCE, _RIM_COUNTS = 0.4, 2.0
#: It is a board if these shares of its cells' borders and of its rim are seen: many borders, or more of the rim.
_ENOUGH = ((0.5, 0.4), (0.25, 0.6))


def corners_sought(image: NDArray[np.uint8], board: HexBoard) -> Mapping[HexCell, tuple[float, float]] | None:
    """Return where the corner cells seem to be in a picture (H, W, 3), in pixels; None if no board is seen.

    The board's top row is taken to be the one that is turned least against the picture's top.
    """
    for pattern in _patterns(image):
        try:
            view = _followed(image, pattern, board)
        except np.linalg.LinAlgError:
            continue
        if view is not None:
            places = view.to_image([cell.centre for cell in board.corners]).tolist()
            return {cell: (x, y) for cell, (x, y) in zip(board.corners, places, strict=True)}
    return None


@dataclass(frozen=True, slots=True)
class _Pattern:
    """Where some cells' edges may be: how well they are seen, their turn in degrees, a side and a middle in pixels."""

    value: float
    turn: float
    side_px: float
    middle_px: tuple[float, float]

    def view(self, image: NDArray[np.uint8], rings: int) -> BoardView:
        """Return the view from straight above with that pattern."""
        height, width = image.shape[:2]
        place = np.eye(3)
        place[:2, :2], place[:2, 2] = _turned(self.turn) * self.side_px, self.middle_px
        return BoardView.of(HexBoard(rings), Lens(width, height), place)


def _turned(degrees: float) -> Points:
    turn = math.radians(degrees)
    return np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])


def _patterns(image: NDArray[np.uint8]) -> Iterator[_Pattern]:
    """Yield the likeliest patterns of cells round the picture's middle, the best seen first."""
    scale = _SIDE_PX / (_SIDE_SHARE * min(image.shape[:2]))
    edges = _edges_by_direction(image, scale)
    height, width = edges.shape[1:]
    middle = np.array([width / 2, height / 2])
    points, angles = _pattern()
    # Steps along the two ways to neighbouring cells.
    ways = np.array([[math.sqrt(3), 0.0], [math.sqrt(3) / 2, 1.5]]) / _STEPS
    steps = np.array([[right, down] for right in range(_STEPS) for down in range(_STEPS)]) @ ways
    patterns = []
    for turn in np.arange(-_MOST_TURNED, _MOST_TURNED, _TURN):
        direction = np.rint((angles + math.radians(turn)) / (math.pi / _DIRECTIONS)).astype(int) % _DIRECTIONS
        for size in range(-_SIZES, _SIZES + 1):
            side = _SIDE_PX * math.exp(size * _LARGER)
            at, off = (points @ _turned(turn).T * side + middle, steps @ _turned(turn).T * side)
            places = np.rint(at[None] + off[:, None]).astype(int)
            x, y = (np.clip(places[..., axis], 0, most - 1) for axis, most in ((0, width), (1, height)))
            values = edges[direction[None], y, x].mean(axis=1)
            best = int(values.argmax())
            right, down = ((middle + off[best] + 0.5) / scale - 0.5).tolist()
            patterns.append(_Pattern(float(values[best]), float(turn), side / scale, (right, down)))
    told: list[_Pattern] = []
    for one in sorted(patterns, key=lambda pattern: -pattern.value):
        if len(told) == _FOLLOWED or one.value < _LEAST:
            return
        if not any(_are_same(one, other) for other in told):
            told.append(one)
            yield one


def _are_same(one: _Pattern, other: _Pattern) -> bool:
    far = abs(one.turn - other.turn) % 60
    return min(far, 60 - far) < _SAME_TURN and abs(math.log(one.side_px / other.side_px)) < _SAME_SIZE


def _edges_by_direction(image: NDArray[np.uint8], scale: float) -> Floats:
    """Return how much an edge along each direction stands out at each pixel of a small picture, against the others."""
    picture = shrunk_logs(image, scale)
    height, width = picture.shape[:2]
    lines, steps = [], []
    for direction in range(_DIRECTIONS):
        angle = math.pi * direction / _DIRECTIONS
        along = np.array([math.cos(angle), math.sin(angle)])
        across = np.array([-along[1], along[0]]) * 1.5
        mean = cv2.filter2D(picture, -1, line_kernel(along, 0.7 * _SIDE_PX), borderType=cv2.BORDER_REPLICATE)
        sides = [
            cv2.warpAffine(
                mean, np.array([[1, 0, x], [0, 1, y]]), (width, height), borderMode=cv2.BORDER_REPLICATE
            )
            for x, y in (across, -across)
        ]  # fmt: skip
        lines.append(mean - (sides[0] + sides[1]) / 2)
        steps.append(sides[0] - sides[1])
    energy = np.zeros((_DIRECTIONS, height, width), np.float32)
    for responses, share in ((lines, 1.0), (steps, _STEP_SHARE)):
        usual = 1.48 * np.median(np.abs([one[::2, ::2] for one in responses]), axis=(0, 1, 2)) + 1e-4
        for direction, response in enumerate(responses):
            energy[direction] += share * np.square(response / usual.astype(np.float32)).mean(axis=2)
    energy /= energy + 3
    energy -= energy.mean(axis=0)
    return np.array([cv2.GaussianBlur(one, (0, 0), 0.1 * _SIDE_PX) for one in energy], np.float32)


@cache
def _pattern() -> tuple[Points, NDArray[np.float64]]:
    """Return the middles (N, 2) and the directions (N,) of the edges of the cells round one."""
    edges, _ = hex_edges(HexBoard(math.ceil(_PATTERN_CELLS)).cells)
    near = np.linalg.norm(edges.middles, axis=1) < _PATTERN_CELLS
    along = edges.ends[near, 1] - edges.ends[near, 0]
    return edges.middles[near], np.arctan2(along[:, 1], along[:, 0])


def _followed(image: NDArray[np.uint8], pattern: _Pattern, board: HexBoard) -> BoardView | None:
    """Return the board that has this pattern, or None if there seems to be none; raises LinAlgError if no view fits."""
    view = pattern.view(image, _GROWING[0][0])
    for rings, reaches in _GROWING:
        view = slid(image, _with_rings(view, min(rings, board.rings)), reaches)
    view = _with_rings(view, board.rings)
    for _ in range(_ROUNDS):
        view = slid(image, view, _LAST_REACHES)
        place = _Seen.of(image, view)
        view = place.view
        if place.is_board:
            return view
    return None


def _with_rings(view: BoardView, rings: int) -> BoardView:
    return BoardView.of(HexBoard(rings), view.lens, view.homography)


@dataclass(frozen=True, slots=True)
class _Seen:
    """The likeliest place of a board whose cells are where a view has them, and whether enough of it is seen there."""

    view: BoardView
    is_board: bool

    @classmethod
    def of(cls, image: NDArray[np.uint8], view: BoardView) -> _Seen:
        """Return the likeliest place: the board's middle may be another cell than the view's."""
        edges, places = _lattice(view.rings)
        best = -math.inf, HexCell(0, 0), False
        for look in HEXAGONS:
            offsets = edge_offsets(image, view, edges, look, _LOOK_CELLS * view.side_px)
            near, hit = (offsets.hits(within * view.side_px) for within in (_NEAR_CELLS, _HIT_CELLS))
            for middle in HexBoard(_FARTHEST).cells:
                on = _steps_between(places - (middle.q, middle.r)) <= view.rings
                borders, rim = on.all(axis=1), (on[:, 0] != on[:, 1]) & offsets.in_picture
                if not offsets.in_picture[borders].all() or not rim.any():
                    continue
                value = (near[borders] - _BY_CHANCE).sum() + _RIM_COUNTS * (near[rim] - _BY_CHANCE).sum()
                if value > best[0]:
                    shares = hit[borders].mean(), hit[rim].mean()
                    is_board = any(shares[0] >= least and shares[1] >= of_rim for least, of_rim in _ENOUGH)
                    best = float(value), middle, is_board
        shift = np.eye(3)
        shift[:2, 2] = best[1].centre
        return cls(view.moved(np.asarray(view.homography) @ shift), best[2])


@cache
def _lattice(rings: int) -> tuple[GridEdges, NDArray[np.int64]]:
    """Return the edges of all cells that a board whose middle is off may have, and each edge's two cells (N, 2, 2)."""
    edges, sides = hex_edges(HexBoard(rings + _FARTHEST).cells)
    return edges, np.array([[(cell.q, cell.r) for cell in both] for both in sides])


def _steps_between(places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many steps from cell to cell these differences (..., 2) of q and r are."""
    return np.asarray((np.abs(places).sum(axis=-1) + np.abs(places.sum(axis=-1))) // 2)
