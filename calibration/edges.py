"""What stands out across the edges of a grid, and how far from its expected place."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.grid import EdgeProfiles, GridEdges, edge_profiles, edges_of
from calibration.lens import Points
from calibration.view import PlaneView, SquareView

Array = NDArray[np.float64]

#: Widths of the filters, in cell sides: a printed line's surroundings, and the scale at which steps are looked for.
_BESIDE_CELLS, _SCALE_CELLS = 0.085, 0.035
#: Broad lines are up to so wide, and so much is looked at beside them.
_BROAD_CELLS = 0.16
#: A step from one terrain to the next counts half as much as a line: art is full of steps.
_STEP_SHARE = 0.5
#: An edge that stands out most within this of its place, of all places within _LOOK_CELLS, is a sharp hit.
_SHARP_CELLS, _LOOK_CELLS = 0.03, 0.3


class EdgeLook(Enum):
    """How a printing shows its cells' edges, as far as it matters for where exactly one is.

    LINE: broad printed lines, whose two flanks are steps and must not count. BLEND: fine lines and bare steps from
    one colour to the next, both at their middle. Neither is right for the other's boards: BLEND sees a broad line
    beside its middle, by 1.7 px on drawn boards, LINE sees a step up to 2 px beside it. `clearest_look` tells.
    """

    LINE = "line"
    BLEND = "blend"
    #: Lines several times as broad as those, between large cells: square boards are asked for these too.
    BROAD = "broad"


#: The looks that each kind of board may have.
HEXAGONS, SQUARES = (EdgeLook.LINE, EdgeLook.BLEND), tuple(EdgeLook)


def looks_of(view: PlaneView) -> tuple[EdgeLook, ...]:
    """Return the looks that a printing of the board may have."""
    return SQUARES if isinstance(view, SquareView) else HEXAGONS


@dataclass(frozen=True, slots=True)
class EdgeOffsets:
    """How far each edge is seen from its expected place: `offset_px` (N,) along `normals` (N, 2).

    `weight` (N,) is 0 where nothing stands out or the edge is outside the picture, else at most 1; `seen` (N,) is
    False for the latter.
    """

    offset_px: Array
    weight: Array
    seen: NDArray[np.bool_]
    normals: Points

    def hits(self, within_px: float) -> NDArray[np.bool_]:
        """Return which edges (N,) are where they should be."""
        found: NDArray[np.bool_] = (np.abs(self.offset_px) <= within_px) & (self.weight > 0)
        return found


def edge_offsets(
    image: NDArray[np.uint8],
    view: PlaneView,
    edges: GridEdges,
    look: EdgeLook,
    reach_px: float,
    *,
    step_px: float | None = None,
) -> EdgeOffsets:
    """Return where, within `reach_px` to both sides, each edge of the grid in a picture (H, W, 3) stands out most."""
    step = step_px or (0.5 if reach_px <= 8 else 1.0)
    # Farther out than the reach: what is there tells how much stands out in this terrain anyway.
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
    return EdgeOffsets(offset, weight * profiles.seen, profiles.seen, profiles.normals)


def clearest_look(image: NDArray[np.uint8], view: PlaneView) -> tuple[EdgeLook, float]:
    """Return the look by which most edges are exactly where the view says, and their share."""
    shares = {look: sharp_share(image, view, look) for look in looks_of(view)}
    best = max(shares, key=lambda look: shares[look])
    return best, shares[best]


def sharp_share(image: NDArray[np.uint8], view: PlaneView, look: EdgeLook) -> float:
    """Return the share of all edges that stand out most exactly where the view says, by that look."""
    offsets = edge_offsets(image, view, edges_of(view), look, _LOOK_CELLS * view.side_px)
    return float(offsets.hits(_SHARP_CELLS * view.side_px).mean())


def _line_responses(profiles: EdgeProfiles, beside: int, reach: int) -> tuple[Array, Array]:
    """Return how much stands out (N, T') at the offsets (T',): a line, dark or pale, against both its sides.

    In samples: the line reaches so far to both sides of its middle, and so much is looked at beside it.
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
    """Return what is (N, T', 3) as (3, N, T'): numpy sums and sorts soonest along long rows."""
    return np.ascontiguousarray(values.transpose(2, 0, 1), dtype=np.float64)


def _usual(response: Array) -> Array:
    """Return each channel's usual size (3, 1, 1) all over this board: noise and texture differ from table to table."""
    sizes = np.abs(response).reshape(len(response), -1)
    usual: Array = 1.48 * np.median(sizes, axis=1)[:, None, None] + 1e-6
    return usual


def _energy(line: Array, step: Array) -> Array:
    """Return it (N, T') of responses (3, N, T')."""
    energy: Array = np.mean(line**2, axis=0) + _STEP_SHARE * np.mean(step**2, axis=0)
    return energy
