"""Jumps of the light: how high each edge is, and all of them put together into one picture of light."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.light.flatten import Floats, Mask, Numbers
from vision.light.straight import JUMP, Edge

#: The band on each side of an edge that belongs to it, in cell sides; less than half of a narrow bar.
_BAND_CELLS = 0.65
#: The penumbras that are tried, and how far aside a line may be, in cell sides.
_PENUMBRAS, _ASIDES = (0.04, 0.25, 0.5, 0.8, 1.1), (-0.1, -0.05, 0.0, 0.05, 0.1)
#: An edge's height is measured at this distance along it, in cell sides, and is within these shares of the whole
#: edge's.
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
        """The numbers less their mean over their step along the edge, because light is uneven along it."""
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
    # First all straight bands are cleared, then filled: both jump where two edges cross.
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
    # The differences do not tell the mean, so it stays 0.
    factors[0, 0] = np.inf
    return np.asarray(factors, dtype=np.float32)
