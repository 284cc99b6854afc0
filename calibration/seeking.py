"""Looks for a board of hexagons in a picture by itself, where nobody said where its corners are.

Its cells' edges are a pattern that comes again at every cell. So the pattern of some cells about the picture's middle
is looked for first, in every turn and size; then it is followed from cell to cell, as far as a board reaches; at last
it is seen which cells have borders round them, as those beyond the board have none.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.grid import HEXAGONS, Floats, GridEdges, edge_offsets, hex_edges
from calibration.lens import Lens, Points
from calibration.refine import line_kernel, shrunk_logs, slid
from calibration.view import BoardView
from companion.board import HexBoard, HexCell

#: A cell's side is such a share of the picture's shorter side: in the middle of all that is tried, which are so many
#: to both sides, each larger by such a share. The middle one is so long in the small picture that is looked at.
_SIDE_SHARE, _SIZES, _LARGER, _SIDE_PX = 0.027, 11, 0.04, 12.0
#: Turns are tried in such steps of degrees: six corners are alike, so that the top row is never farther than 30 off.
_TURN, _MOST_TURNED = 2.5, 30.0
#: Edges stand out along so many directions, and half as much where two colours meet as where a line is drawn.
_DIRECTIONS, _STEP_SHARE = 12, 0.5
#: The pattern is that of all edges within so many cell sides; its place within one cell is tried in so many steps.
_PATTERN_CELLS, _STEPS = 6.0, 12
#: So many of the likeliest patterns are followed, none that is seen less than this; of two that differ by less, in
#: degrees and in size, the likelier.
_FOLLOWED, _LEAST, _SAME_TURN, _SAME_SIZE = 4, 0.02, 4.0, 0.06
#: From some rings of cells to all of them, each time sliding so far, in cell sides.
_GROWING = ((2, (0.3, 0.2)), (3, (0.3, 0.2)), (4, (0.3, 0.2)))
#: All cells are slid so often at most, as the board's middle may have been another cell.
_LAST_REACHES, _ROUNDS = (0.35, 0.25, 0.2), 3
#: The board's middle is so many cells at most from where its pattern was found.
_FARTHEST = 5
#: An edge is near its place, or seen there, if it stands out most within this of it, of all places that near, in cell
#: sides.
_NEAR_CELLS, _HIT_CELLS, _LOOK_CELLS = 0.12, 0.08, 0.3
#: By chance such a share of edges seems to be near; the rim's count more, as nothing else is like it.
_BY_CHANCE, _RIM_COUNTS = 0.4, 2.0
#: A board has such shares of its cells' borders and of its rim seen: many borders, or nearly all of the rim.
_ENOUGH = ((0.5, 0.4), (0.25, 0.6))


def corners_sought(image: NDArray[np.uint8], board: HexBoard) -> Mapping[HexCell, tuple[float, float]] | None:
    """Return where the corner cells seem to be in a picture (H, W, 3), in pixels; None if no board is seen.

    The board's top row is taken to be the one that is turned least against the picture's.
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
    """Yield the likeliest patterns of cells about the picture's middle, those first that are seen best."""
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
    """Return how much an edge along each direction stands out at each pixel of a small picture, beside the others."""
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
    """Return the middles (N, 2) and the directions (N,) of the edges of cells about one."""
    edges, _ = hex_edges(HexBoard(math.ceil(_PATTERN_CELLS)).cells)
    near = np.linalg.norm(edges.middles, axis=1) < _PATTERN_CELLS
    along = edges.ends[near, 1] - edges.ends[near, 0]
    return edges.middles[near], np.arctan2(along[:, 1], along[:, 0])


def _followed(image: NDArray[np.uint8], pattern: _Pattern, board: HexBoard) -> BoardView | None:
    """Return the board that has this pattern, None if there seems to be none; raises LinAlgError if no view fits."""
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
    """The likeliest place of a board whose cells are where a view has them, and if enough of it is seen there."""

    view: BoardView
    is_board: bool

    @classmethod
    def of(cls, image: NDArray[np.uint8], view: BoardView) -> _Seen:
        """Return it: the board's middle may be another cell than the view's."""
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
    """Return the edges of all cells that a board may have whose middle is off, and the cells beside each (N, 2, 2)."""
    edges, sides = hex_edges(HexBoard(rings + _FARTHEST).cells)
    return edges, np.array([[(cell.q, cell.r) for cell in both] for both in sides])


def _steps_between(places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many cells such differences (..., 2) of q and r are."""
    return np.asarray((np.abs(places).sum(axis=-1) + np.abs(places.sum(axis=-1))) // 2)
