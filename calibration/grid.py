"""The edges of a board's cells, and how far from its expected place each is seen in a picture.

Printings differ: edges are dark lines, pale lines, steps from one terrain to the next, or not printed at all. So
anything that runs along an edge and differs from its surroundings counts as one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.lens import Points
from calibration.view import PlaneView, SquareView
from companion.board import QUARTERS, SQUARE_DIRECTIONS, Board, HexBoard, HexCell

Floats = NDArray[np.float32]

#: Where an edge is sampled, as shares of its length from its middle. The ends are left out: three edges meet there.
_ALONG = np.linspace(-0.36, 0.36, 13)
#: cv2.remap takes at most 32767 columns; it is fastest in long rows.
_REMAPPED = 32766
#: Anything darker than this, of 255, is noise, which a logarithm would blow up.
_NOISE_FLOOR = np.float32(12)


@dataclass(frozen=True, slots=True)
class GridEdges:
    """Edges in the board plane: `ends` (N, 2, 2) in cell sides; `is_rim` (N,) marks those with no cell beyond."""

    ends: Points
    is_rim: NDArray[np.bool_]
    orientation: NDArray[np.int64]

    @property
    def middles(self) -> Points:
        """The edges' middles (N, 2)."""
        return np.asarray(self.ends.mean(axis=1))


def hex_edges(cells: Iterable[HexCell]) -> tuple[GridEdges, list[tuple[HexCell, HexCell]]]:
    """Return every edge of the cells once, in cell sides, and the cells on both sides of each, one of `cells` first.

    The orientation is the edge's number in redblobgames' order, modulo 3.
    """
    inside, ends, sides, orientation = set(cells), [], [], []
    for cell in cells:
        x, y = cell.centre
        for edge in range(6):
            beyond = cell.neighbour(edge)
            if beyond in inside and edge >= 3:
                continue  # the neighbour's edge 0, 1 or 2
            # Edge k faces k * 60 degrees, anticlockwise on the screen, where y grows downward.
            corners = [math.radians(60 * edge - 30), math.radians(60 * edge + 30)]
            ends.append([[x + math.cos(a), y - math.sin(a)] for a in corners])
            sides.append((cell, beyond))
            orientation.append(edge % 3)
    is_rim = np.array([beyond not in inside for _, beyond in sides])
    return GridEdges(np.array(ends), is_rim, np.array(orientation)), sides


@cache
def grid_edges(board: Board) -> GridEdges:
    """Return every edge of the board's cells once; on square boards in quarters, orientation 0 across, 1 down."""
    if isinstance(board, HexBoard):
        return hex_edges(board.cells)[0]
    half = QUARTERS / 2
    ends, rim, orientation = [], [], []
    for cell in board.cells:
        x, y = cell.centre
        for direction, (right, down) in enumerate(SQUARE_DIRECTIONS):
            beyond = cell.neighbour(direction)
            if direction % 2 or (beyond in board and direction > 2):
                continue  # a corner, not an edge; or an edge in the neighbour's direction 0 or 2
            a, b = np.array((x, y)) + np.array((right, down)) * half, np.array((down, right)) * half
            # Anticlockwise round the cell, like hexagons' edges, so that a rim edge's normal points inward.
            turn = 1 if right else -1
            ends.append([a + turn * b, a - turn * b])
            rim.append(beyond not in board)
            orientation.append(0 if down else 1)
    return GridEdges(np.array(ends), np.array(rim), np.array(orientation))


@dataclass(frozen=True, slots=True)
class EdgeProfiles:
    """The picture across each edge, averaged along it, as logarithms, so that light is merely added.

    `values` (N, T, 3) at offsets `at_px` (T,) along `normals` (N, 2) from the edges' middles; `in_picture` (N,) is
    False if part of an edge's profile is outside the picture.
    """

    values: Floats
    at_px: NDArray[np.float64]
    normals: Points
    in_picture: NDArray[np.bool_]


def edge_profiles(
    image: NDArray[np.uint8], view: PlaneView, edges: GridEdges, reach_px: float, step_px: float
) -> EdgeProfiles:
    """Return the profiles of a picture (H, W, 3) up to `reach_px` on both sides of each edge."""
    ends = view.to_image(edges.ends.reshape(-1, 2)).reshape(-1, 2, 2)
    along = ends[:, 1] - ends[:, 0]
    normals = np.stack([-along[:, 1], along[:, 0]], axis=1) / np.linalg.norm(along, axis=1)[:, None]
    middles = view.to_image(edges.middles)
    steps = math.ceil(reach_px / step_px)
    at = np.arange(-steps, steps + 1, dtype=np.float64) * step_px
    # (along, edges, across): the picture is averaged over the first.
    starts = middles + along * _ALONG[:, None, None]
    x, y = (
        (starts[..., axis, None] + normals[:, axis, None] * at).astype(np.float32).reshape(len(_ALONG), -1)
        for axis in (0, 1)
    )
    height, width = image.shape[:2]
    mean = np.zeros((1, x.shape[1], 3), np.float32)
    for first in range(0, x.shape[1], _REMAPPED):
        columns = slice(first, first + _REMAPPED)
        sampled = cv2.remap(image, x[:, columns], y[:, columns], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        for row in sampled:
            cv2.accumulate(row[None], mean[:, columns])
    mean = mean.reshape(len(middles), len(at), 3)
    mean /= np.float32(len(_ALONG))
    # The profiles are straight lines: one with both ends in the picture is all in it.
    ends_x, ends_y = (axis.reshape(len(_ALONG), -1, len(at))[..., [0, -1]] for axis in (x, y))
    inside = (ends_x >= 0) & (ends_y >= 0) & (ends_x <= width - 1) & (ends_y <= height - 1)
    in_picture = inside.all(axis=(0, 2))
    values: Floats = cv2.log(mean + np.float32(_NOISE_FLOOR)).astype(np.float32, copy=False)
    return EdgeProfiles(values, at, normals, in_picture)


Array = NDArray[np.float64]

#: Widths of the filters, in cell sides: a printed line's surroundings, and the scale at which steps are looked for.
_BESIDE_CELLS, _SCALE_CELLS = 0.085, 0.035
#: Broad lines are up to this wide, and this much on each side of them is looked at.
_BROAD_CELLS = 0.16
#: A step from one terrain to the next counts half as much as a line: art is full of steps.
_STEP_SHARE = 0.5
#: An edge is a sharp hit if, of all places within _LOOK_CELLS, it stands out most within _SHARP_CELLS of its own.
_SHARP_CELLS, _LOOK_CELLS = 0.03, 0.3


class EdgeLook(Enum):
    """How a printing shows its cells' edges, as far as that matters for where exactly an edge is.

    LINE: broad printed lines, whose two flanks are steps and must not count. BLEND: fine lines and bare steps from one
    colour to the next, both at their middle. Neither suits the other's boards: BLEND sees a broad line off its middle,
    by 1.7 px on drawn boards, and LINE sees a step up to 2 px off. `clearest_look` chooses.
    """

    LINE = "line"
    BLEND = "blend"
    #: Lines several times as broad, between large cells: square boards may have these as well.
    BROAD = "broad"


#: The looks that a printing of each kind of board may have.
HEXAGONS, SQUARES = (EdgeLook.LINE, EdgeLook.BLEND), tuple(EdgeLook)


@dataclass(frozen=True, slots=True)
class EdgeOffsets:
    """How far each edge is seen from its expected place: `offset_px` (N,) along `normals` (N, 2).

    `weight` (N,) is 0 if nothing stands out or the edge is outside the picture, else at most 1; `in_picture` (N,) is
    False if the edge is outside the picture.
    """

    offset_px: Array
    weight: Array
    in_picture: NDArray[np.bool_]
    normals: Points

    def hits(self, within_px: float) -> NDArray[np.bool_]:
        """Return which edges (N,) are where they should be."""
        return np.asarray((np.abs(self.offset_px) <= within_px) & (self.weight > 0))


def edge_offsets(
    image: NDArray[np.uint8],
    view: PlaneView,
    edges: GridEdges,
    look: EdgeLook,
    reach_px: float,
    *,
    step_px: float | None = None,
) -> EdgeOffsets:
    """Return where, within `reach_px` on both sides, each edge of the grid in a picture (H, W, 3) stands out most."""
    step = step_px or (0.5 if reach_px <= 8 else 1.0)
    # The profiles go beyond the reach, to show how much stands out in this terrain anyway.
    profiles = edge_profiles(image, view, edges, reach_px + 0.3 * view.side_px, step)
    samples = view.side_px / step
    match look:
        case EdgeLook.LINE:
            energy, at = _line_responses(profiles, max(2, round(_BESIDE_CELLS * samples)), 1)
        case EdgeLook.BROAD:
            broad = max(2, round(_BROAD_CELLS * samples))
            energy, at = _line_responses(profiles, broad, broad // 2)
        case EdgeLook.BLEND:
            energy, at = _blend_responses(profiles, samples)
    near = np.flatnonzero(np.abs(at) <= reach_px + 1e-9)
    best = near[0] + np.argmax(energy[:, near[0] : near[-1] + 1], axis=1)
    best = np.clip(best, 1, len(at) - 2)
    row = np.arange(len(energy))
    left, peak, right = energy[row, best - 1], energy[row, best], energy[row, best + 1]
    bend = left - 2 * peak + right
    part = np.divide(0.5 * (left - right), bend, out=np.zeros_like(bend), where=bend < -1e-9)
    offset = at[best] + np.clip(part, -1, 1) * step
    weight = np.clip(peak - 2 * np.median(energy, axis=1), 0, None) / (peak + 6)
    return EdgeOffsets(offset, weight * profiles.in_picture, profiles.in_picture, profiles.normals)


def clearest_look(image: NDArray[np.uint8], view: PlaneView) -> tuple[EdgeLook, float]:
    """Return the look by which most edges are exactly where the view has them, and their share."""
    looks = SQUARES if isinstance(view, SquareView) else HEXAGONS
    shares = {look: sharp_share(image, view, look) for look in looks}
    best = max(shares, key=lambda look: shares[look])
    return best, shares[best]


def sharp_share(image: NDArray[np.uint8], view: PlaneView, look: EdgeLook) -> float:
    """Return the share of all edges that, by that look, stand out most exactly where the view has them."""
    offsets = edge_offsets(image, view, grid_edges(view.board), look, _LOOK_CELLS * view.side_px)
    return float(offsets.hits(_SHARP_CELLS * view.side_px).mean())


def _line_responses(profiles: EdgeProfiles, beside: int, reach: int) -> tuple[Array, Array]:
    """Return how much stands out (N, T') at the offsets (T',): a line, dark or pale, against both its sides.

    All in samples: the line reaches `reach` to both sides of its middle, and is compared with the next `beside` on each
    side.
    """
    v = profiles.values
    total = np.cumsum(np.pad(v, ((0, 0), (1, 0), (0, 0))), axis=1, dtype=np.float64)
    c = np.arange(beside + reach, v.shape[1] - beside - reach)
    first, last = c - reach, c + reach + 1
    middle = (total[:, last] - total[:, first]) / (2 * reach + 1)
    before = (total[:, first] - total[:, first - beside]) / beside
    after = (total[:, last + beside] - total[:, last]) / beside
    line, step = _by_channel(middle - (before + after) / 2), _by_channel(after - before)
    return _energy(line / _usual(line), step / _usual(step)), profiles.at_px[c]


def _blend_responses(profiles: EdgeProfiles, side_samples: float) -> tuple[Array, Array]:
    """Return how much stands out (N, T'), lines and steps alike: a Gaussian's second and first derivative."""
    scale = max(_SCALE_CELLS * side_samples, 1.0)
    half = math.ceil(2.5 * scale)
    x = np.arange(-half, half + 1)
    bell = np.exp(-(x**2) / (2 * scale**2))
    bell /= bell.sum()
    slope, curve = -x / scale * bell, (x**2 / scale**2 - 1) * bell
    curve -= curve.mean()
    inside = slice(half, len(profiles.at_px) - half)
    line, step = (
        _by_channel(cv2.filter2D(profiles.values, -1, kernel[None].astype(np.float32))[:, inside])
        for kernel in (curve, slope)
    )
    # One unit for both, or the two halves of an edge's energy would not add up to a single peak.
    usual = np.sqrt(_usual(line) * _usual(step))
    return _energy(line / usual, step / usual), profiles.at_px[inside]


def _by_channel(values: NDArray[Any]) -> Array:
    """Return (N, T', 3) as (3, N, T'): numpy sums and sorts fastest along long rows."""
    return np.ascontiguousarray(values.transpose(2, 0, 1), dtype=np.float64)


def _usual(response: Array) -> Array:
    """Return each channel's usual size (3, 1, 1) over this whole board: noise and texture differ between tables."""
    sizes = np.abs(response).reshape(len(response), -1)
    return np.asarray(1.48 * np.median(sizes, axis=1)[:, None, None] + 1e-6)


def _energy(line: Array, step: Array) -> Array:
    """Return the energy (N, T') of responses (3, N, T')."""
    return np.asarray(np.mean(line**2, axis=0) + _STEP_SHARE * np.mean(step**2, axis=0))
