"""Jumps of the light, and the straight edges among them, as lamps, windows and furniture cast them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.light.flatten import Floats, Mask, Numbers

#: Light jumps if its logarithm changes by this much over twice this many pixels. `_SHARP_PX` farther on, to either
#: side, it must grow by less than the share `_SHARP` of that, or the light is merely uneven.
JUMP, JUMP_PX = 0.1, 2
_SHARP_PX, _SHARP = 6, 0.5
#: Directions and offsets are voted for in steps of this many degrees and cell sides.
_DEGREES, _STEP_CELLS = 3, 0.25
#: An edge's places are at most this far from its line, and this many degrees off its direction.
_ASIDE_CELLS, _ASKEW_DEGREES = 0.4, 14.0
#: An edge shows on this many cell sides of its line, on this share of where light is seen there, and without a gap
#: longer than this. Places where no light is seen, tiles and hands, are no gap.
_LEAST_CELLS, _LEAST_SHARE, _GAP_CELLS = 7.0, 0.6, 2.5
#: An edge that ends no farther than this from the end of the picture goes on beyond it.
_END_CELLS = 3.0
#: Fewer places than this make no line, and no more edges than this are looked for.
_FEW, _MOST = 16, 14
#: The length of one place along a line, in cell sides.
_PLACE_CELLS = 0.5


@dataclass(frozen=True)
class Crests:
    """Where light jumps: pixels (`rows`, `columns`), the way to more light (radians, right, down), and how much."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    angles: Floats
    strengths: Floats

    def among(self, kept: Mask) -> Crests:
        """Return those that are kept, (crests,)."""
        return Crests(self.rows[kept], self.columns[kept], self.angles[kept], self.strengths[kept])


@dataclass(frozen=True)
class Edge:
    """A straight edge: the points with `normal` . point = `offset`, from `start` to `end` along it.

    All in cell sides from the picture's middle (right, down). The normal, of length 1, points to more light.
    """

    normal: tuple[float, float]
    offset: float
    start: float
    end: float

    @property
    def along(self) -> tuple[float, float]:
        """The direction in which `start` comes before `end`."""
        return -self.normal[1], self.normal[0]

    def beyond(self, x: Floats, y: Floats) -> Floats:
        """Return how far points are beyond the line, on the side with more light."""
        return np.asarray(x * self.normal[0] + y * self.normal[1] - self.offset, dtype=np.float32)

    def places(self, x: Floats, y: Floats) -> Floats:
        """Return how far along the line points are."""
        return np.asarray(x * self.along[0] + y * self.along[1], dtype=np.float32)

    def point(self, along_cells: ArrayLike) -> Numbers:
        """Return the points (..., 2) of the line that far along it."""
        return np.asarray(
            np.array(self.normal) * self.offset + np.asarray(along_cells) * np.array(self.along), dtype=np.float64
        )


def crests(light: Floats) -> Crests:
    """Return where the light of a picture (logarithms, one channel) jumps most, along the direction of the jump."""
    smooth = cv2.GaussianBlur(light, (0, 0), 1.0).astype(np.float32)
    right, down = np.zeros_like(smooth), np.zeros_like(smooth)
    right[:, JUMP_PX:-JUMP_PX] = smooth[:, 2 * JUMP_PX :] - smooth[:, : -2 * JUMP_PX]
    down[JUMP_PX:-JUMP_PX] = smooth[2 * JUMP_PX :] - smooth[: -2 * JUMP_PX]
    strength = np.asarray(cv2.magnitude(right, down), dtype=np.float32)
    rows, columns = np.nonzero(strength > JUMP)
    at = strength[rows, columns]
    across, below = right[rows, columns] / at, down[rows, columns] / at
    if not len(rows):
        return Crests(rows, columns, at, at)

    def beside(steps_px: float) -> Floats:
        """How much the light grows, in the same direction, that far away."""
        place = (columns + steps_px * across).astype(np.float32), (rows + steps_px * below).astype(np.float32)
        grown = [
            cv2.remap(one, *place, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)[:, 0] for one in (right, down)
        ]
        return np.asarray(grown[0] * across + grown[1] * below, dtype=np.float32)

    kept = (at >= beside(-1)) & (at >= beside(1))
    kept &= np.maximum(beside(-_SHARP_PX), beside(_SHARP_PX)) < _SHARP * at
    return Crests(rows[kept], columns[kept], np.arctan2(below, across)[kept].astype(np.float32), at[kept])


def straight_edges(points: Crests, is_light: Mask, side_px: float) -> list[Edge]:
    """Return the straight edges on which crests are, in a picture with `side_px` pixels to a cell side.

    `is_light` is where the light is seen: an edge must show there, and may continue in between.
    """
    points = points.among(is_light[points.rows, points.columns])
    height, width = is_light.shape
    places = _Places(
        (points.columns - (width - 1) / 2) / side_px, (points.rows - (height - 1) / 2) / side_px, points.angles
    )
    left = np.ones(len(points.rows), dtype=bool)
    edges: list[Edge] = []
    while len(edges) < _MOST and left.sum() > _FEW:
        line, members, near = places.line(places.likeliest(left), left)
        left &= ~near
        if line is not None:
            edges += _parts(line, places.x[members], places.y[members], is_light, side_px)
    return edges


@dataclass(frozen=True)
class _Places:
    """Crests in cell sides from the picture's middle."""

    x: Numbers
    y: Numbers
    angles: Floats

    def likeliest(self, left: Mask) -> tuple[float, float]:
        """Return the angle of the normal and the offset that most of the remaining crests agree on."""
        turns = 360 // _DEGREES
        angle = self.angles[left]
        offset = np.rint((self.x[left] * np.cos(angle) + self.y[left] * np.sin(angle)) / _STEP_CELLS).astype(int)
        first = int(offset.min())
        count = int(offset.max()) - first + 1
        turn = np.rint(np.degrees(angle) / _DEGREES).astype(int) % turns
        votes = np.bincount(turn * count + offset - first, minlength=turns * count).reshape(turns, count)
        ringed = np.vstack([votes[-3:], votes, votes[:3]]).astype(np.float32)
        smooth = cv2.GaussianBlur(ringed, (0, 0), 1.2)[3:-3]
        row, column = np.unravel_index(int(smooth.argmax()), smooth.shape)
        return math.radians(float(row) * _DEGREES), float(column + first) * _STEP_CELLS

    def line(self, first: tuple[float, float], left: Mask) -> tuple[Edge | None, Mask, Mask]:
        """Return the line through those near a first guess (None: too few), which these are, and all beside it."""
        turn, offset = first
        members = near = left
        for reach in (2.0, 1.0, 0.6):
            askew = np.abs((self.angles - turn + math.pi) % (2 * math.pi) - math.pi)
            aside = np.abs(self.x * math.cos(turn) + self.y * math.sin(turn) - offset)
            near = left & (aside < 2 * _ASIDE_CELLS) & (askew < math.radians(2 * _ASKEW_DEGREES))
            members = left & (aside < reach * _ASIDE_CELLS) & (askew < math.radians(_ASKEW_DEGREES * max(reach, 1.0)))
            if members.sum() < _FEW:
                return None, members, near if near.any() else left
            turn, offset = self._fitted(members, turn)
        return Edge((math.cos(turn), math.sin(turn)), offset, 0.0, 0.0), members, near

    def _fitted(self, members: Mask, turn: float) -> tuple[float, float]:
        """Return the line of least squares, with its normal to the same side as `turn`."""
        x, y = self.x[members], self.y[members]
        _, axes = np.linalg.eigh(np.cov(np.stack([x, y])))
        normal = axes[:, 0] if axes[0, 0] * math.cos(turn) + axes[1, 0] * math.sin(turn) > 0 else -axes[:, 0]
        return math.atan2(normal[1], normal[0]), float(normal[0] * x.mean() + normal[1] * y.mean())


def _parts(line: Edge, x: Numbers, y: Numbers, is_light: Mask, side_px: float) -> list[Edge]:
    """Return the parts of a line on which an edge shows nearly all along, wherever light is seen."""
    height, width = is_light.shape
    shown = np.unique(np.floor((x * line.along[0] + y * line.along[1]) / _PLACE_CELLS).astype(int))
    reach = math.hypot(width, height) / side_px / 2
    places = np.arange(math.floor(-reach / _PLACE_CELLS), math.ceil(reach / _PLACE_CELLS) + 1)
    points = line.point((places[:, None] + 0.5) * _PLACE_CELLS)
    columns = np.rint(points[:, 0] * side_px + (width - 1) / 2).astype(int)
    rows = np.rint(points[:, 1] * side_px + (height - 1) / 2).astype(int)
    inside = (columns >= 0) & (rows >= 0) & (columns < width) & (rows < height)
    if not inside.any():
        return []
    first, last = places[inside][0], places[inside][-1]
    visible = np.zeros(len(places), bool)
    visible[inside] = is_light[rows[inside], columns[inside]]
    # An edge ends only where it should be seen and is not.
    missed = np.cumsum(visible & ~np.isin(places, shown))
    gaps = np.diff(missed[shown - places[0]]) * _PLACE_CELLS
    parts = []
    for run in np.split(shown, np.flatnonzero(gaps > _GAP_CELLS) + 1):
        within = (places >= run[0]) & (places <= run[-1])
        if len(run) * _PLACE_CELLS < _LEAST_CELLS or len(run) < _LEAST_SHARE * int((visible & within).sum()):
            continue
        start = -2 * reach if (run[0] - first) * _PLACE_CELLS < _END_CELLS else float(run[0] * _PLACE_CELLS)
        end = 2 * reach if (last - run[-1]) * _PLACE_CELLS < _END_CELLS else float((run[-1] + 1) * _PLACE_CELLS)
        parts.append(Edge(line.normal, line.offset, start, end))
    return parts
