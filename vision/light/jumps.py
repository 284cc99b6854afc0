"""Jumps of the light: the straight edges among them, how high each is, and all of them as one picture of light.

Lamps, windows and furniture cast straight ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.light.flatten import Floats, Mask, Numbers

#: Light jumps if its logarithm changes by this much over twice this many pixels. `_SHARP_PX` farther on, to either
#: side, it must grow by less than the share `_SHARP` of that, or the light is merely uneven.
JUMP, JUMP_PX = 0.1, 2
_SHARP_PX, _SHARP = 6, 0.5
#: Directions and offsets are voted for in steps of this many degrees and cell sides.
_DEGREES, _VOTE_CELLS = 3, 0.25
#: An edge's places are at most this far from its line, and this many degrees off its direction.
_ASIDE_CELLS, _ASKEW_DEGREES = 0.4, 14.0
#: An edge shows on this many cell sides of its line, on this share of where light is seen there, and without a gap
#: longer than this. Places where no light is seen, tiles and hands, do not count as a gap.
_LEAST_CELLS, _LEAST_SHARE, _GAP_CELLS = 7.0, 0.6, 2.5
#: An edge that ends no farther than this from the end of the picture is taken to go on beyond it.
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
        """Return how much the light grows, in the same direction, that far away."""
        place = (columns + steps_px * across).astype(np.float32), (rows + steps_px * below).astype(np.float32)
        grown = [
            cv2.remap(one, *place, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)[:, 0] for one in (right, down)
        ]
        return np.asarray(grown[0] * across + grown[1] * below, dtype=np.float32)

    kept = (at >= beside(-1)) & (at >= beside(1))
    kept &= np.maximum(beside(-_SHARP_PX), beside(_SHARP_PX)) < _SHARP * at
    return Crests(rows[kept], columns[kept], np.arctan2(below, across)[kept].astype(np.float32), at[kept])


def straight_edges(points: Crests, is_light: Mask, side_px: float) -> list[Edge]:
    """Return the straight edges that crests lie on, in a picture with `side_px` pixels to a cell side.

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
        offset = np.rint((self.x[left] * np.cos(angle) + self.y[left] * np.sin(angle)) / _VOTE_CELLS).astype(int)
        first = int(offset.min())
        count = int(offset.max()) - first + 1
        turn = np.rint(np.degrees(angle) / _DEGREES).astype(int) % turns
        votes = np.bincount(turn * count + offset - first, minlength=turns * count).reshape(turns, count)
        ringed = np.vstack([votes[-3:], votes, votes[:3]]).astype(np.float32)
        smooth = cv2.GaussianBlur(ringed, (0, 0), 1.2)[3:-3]
        row, column = np.unravel_index(int(smooth.argmax()), smooth.shape)
        return math.radians(float(row) * _DEGREES), float(column + first) * _VOTE_CELLS

    def line(self, first: tuple[float, float], left: Mask) -> tuple[Edge | None, Mask, Mask]:
        """Return the line through those near a first guess (None: too few), which these are, and all near it."""
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


#: The band on each side of an edge that belongs to it, in cell sides; less than half of a narrow bar.
_BAND_CELLS = 0.65
#: The penumbras that are tried, and how far aside a line may be, in cell sides.
_PENUMBRAS, _ASIDES = (0.04, 0.25, 0.5, 0.8, 1.1), (-0.1, -0.05, 0.0, 0.05, 0.1)
#: An edge's height is measured at intervals of this length along it, in cell sides, and kept within these shares of the
#: whole edge's.
_STEP_CELLS, _HEIGHTS = 1.5, (0.5, 1.6)
#: A height needs at least this much evidence (the sum of squares of the share of light), an edge this many heights.
_LEAST_EVIDENCE, _LEAST_HEIGHTS = 1.5, 3


@dataclass(frozen=True)
class Jump:
    """A straight edge with its heights (logarithms) at places along it, and how wide its penumbra is in cell sides."""

    edge: Edge
    places: Numbers
    heights: Numbers
    penumbra: float


def places(size_px: int, side_px: float) -> tuple[Floats, Floats]:
    """Return each pixel's place (right, down), in cell sides from the picture's middle."""
    axis = ((np.arange(size_px) - (size_px - 1) / 2) / side_px).astype(np.float32)
    x, y = np.meshgrid(axis, axis)
    return x, y


def measured(edge: Edge, plane: Floats, is_light: Mask, side_px: float) -> Jump | None:
    """Return an edge's jump in a picture (logarithms, one channel), from where light is seen; None if there is none.

    The penumbra and the exact place of the edge are those that leave the least unexplained.
    """
    x, y = places(len(plane), side_px)
    beyond, along = edge.beyond(x, y), edge.places(x, y)
    near = is_light & (np.abs(beyond) < _BAND_CELLS) & (along >= edge.start) & (along <= edge.end)
    if not near.any():
        return None
    beyond, values = beyond[near], plane[near]
    steps = np.floor(along[near] / _STEP_CELLS).astype(int)
    first = int(steps.min())
    steps -= first
    count = np.bincount(steps)

    def alone(numbers: Floats) -> Numbers:
        """Return the numbers less their mean over their step along the edge, because light is uneven along it."""
        means = np.bincount(steps, numbers) / np.maximum(count, 1)
        return np.asarray(numbers - means[steps], dtype=np.float64)

    values_alone = alone(values)
    best, least = None, np.inf
    for penumbra in _PENUMBRAS:
        for aside in _ASIDES:
            # No edge is sharper than a pixel.
            share = alone(np.clip((beyond - aside) / max(penumbra, 1 / side_px) + 0.5, 0, 1))
            power = float(share @ share)
            if power < _LEAST_EVIDENCE * _LEAST_HEIGHTS:
                continue
            height = float(share @ values_alone) / power
            left = float(np.abs(values_alone - height * share).sum())
            if left < least:
                best, least = (penumbra, aside, share, height), left
    if best is None or best[3] < JUMP:
        return None
    penumbra, aside, share, height = best
    evidence = np.bincount(steps, share * share)
    known = np.flatnonzero(evidence > _LEAST_EVIDENCE)
    if len(known) < _LEAST_HEIGHTS:
        return None
    heights = np.bincount(steps, share * values_alone)[known] / evidence[known]
    middles = np.asarray((first + known + 0.5) * _STEP_CELLS, dtype=np.float64)
    low, high = (share_of_all * height for share_of_all in _HEIGHTS)
    return Jump(replace(edge, offset=edge.offset + aside), middles, np.clip(heights, low, high), penumbra)


def drawn(jumps: Sequence[Jump], light: Floats, is_bent: Mask, side_px: float) -> Floats:
    """Return a picture of light, of one channel, that jumps where the given one does, and nowhere else.

    Straight edges are drawn as measured. Along the others (`is_bent`, those and their bands) it follows the given
    picture.
    """
    right = np.where(is_bent[:, 1:] & is_bent[:, :-1], light[:, 1:] - light[:, :-1], np.float32(0))
    down = np.where(is_bent[1:] & is_bent[:-1], light[1:] - light[:-1], np.float32(0))
    x, y = places(len(light), side_px)
    bands = [_band(jump, x, y, 1 / side_px) for jump in jumps]
    # First all straight bands are cleared, then filled: where two edges cross, both jump.
    for (in_right, _), (in_down, _) in bands:
        right[in_right], down[in_down] = 0, 0
    for (in_right, more_right), (in_down, more_down) in bands:
        right[in_right] += more_right
        down[in_down] += more_down
    return _integrated(right, down)


#: Pixels of a picture, rows and columns, and how much light grows from each to its neighbour.
Growth = tuple[tuple[NDArray[np.int64], NDArray[np.int64]], Floats]


def _band(jump: Jump, x: Floats, y: Floats, step_cells: float) -> tuple[Growth, Growth]:
    """Return how much light grows in a jump's band, to the right and down; the pixels at (x, y) are that far apart."""
    edge, size = jump.edge, len(x)
    rows, columns = np.nonzero(np.abs(edge.beyond(x, y)) < _BAND_CELLS)
    along = edge.places(x[rows, columns], y[rows, columns])
    within = (along >= edge.start) & (along <= edge.end)
    rows, columns, along = rows[within], columns[within], along[within]
    beyond = edge.beyond(x[rows, columns], y[rows, columns])
    height = np.interp(along, jump.places, jump.heights)
    width = max(jump.penumbra, step_cells)
    here, on_right, below = (
        np.clip((beyond + aside * step_cells) / width + 0.5, 0, 1) for aside in (0.0, *edge.normal)
    )
    inside = (columns < size - 1, on_right), (rows < size - 1, below)
    right, down = (
        ((rows[has], columns[has]), (height * (there - here))[has].astype(np.float32)) for has, there in inside
    )
    return right, down


def _integrated(right: Floats, down: Floats) -> Floats:
    """Return the picture whose differences to the right (rows, columns - 1) and down are nearest to the given ones."""
    rows, columns = len(right), down.shape[1]
    sources = np.zeros((rows, columns), np.float32)
    sources[:, :-1] += right
    sources[:, 1:] -= right
    sources[:-1] += down
    sources[1:] -= down
    return np.asarray(cv2.idct(cv2.dct(sources) / _laplacian(rows, columns)), dtype=np.float32)


@cache
def _laplacian(rows: int, columns: int) -> Floats:
    """Return the factor by which second differences multiply each wave of a cosine transform."""
    down, right = (2 * np.cos(np.pi * np.arange(count) / count) - 2 for count in (rows, columns))
    factors = down[:, None] + right[None]
    # The differences do not give the mean, so it stays 0.
    factors[0, 0] = np.inf
    return np.asarray(factors, dtype=np.float32)
