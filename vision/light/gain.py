"""The light on each place: the gain by which a flat picture differs from a known look.

Light is measured against what is known to be there, patch by patch: the cells, and the same lattice continued on the
frame, whose print never changes. A patch that changed or is covered shows another colour or another texture. It counts
little, and its gain comes from its neighbours. So the gain is smooth; if the light jumps, as at a hard shadow's edge,
`vision.light.shadows` first takes the jump out. Nothing here knows an absolute colour.
"""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import HexBoard
from vision.light.flatten import SIDE_PX, Floats, Image, extent_cells, hexagon, linear, size_of
from vision.light.shadows import shadow_logs

#: Light added before a logarithm is taken, so that black pixels stay finite: about the sensor's noise in the dark.
FLOOR = 0.004
#: How far inside the flat picture the middles of the frame's outermost patches are, in cell sides.
_INSIDE_CELLS = 1.1
#: How much a neighbour's gain counts beside the patch's own, by distance in cells.
_NEIGHBOUR_WEIGHTS = (1.5, 1.0, 0.5, 0.15)
#: A patch counts half if its texture differs from the look by this much (spread of its logarithm).
_HALF_WEIGHT_SPREAD = 0.2
#: A patch counts half if the tint of its light differs from that of the whole picture by this much.
_HALF_WEIGHT_TINT = 0.15
#: Steps of the coarse grid on which gains are interpolated, per cell side, and the reach of a patch's gain in it.
_COARSE = 2
_REACH_CELLS = 1.1
#: Patches are sampled in steps of this many pixels; medians need no more.
_STRIDE = 2


@cache
def patch_centres(rings: int, extent: float) -> NDArray[np.float64]:
    """Return the centres (patches, 2) where light is measured: the board's cells first, then the frame's patches."""
    board = HexBoard(rings)
    wide, reach = HexBoard(rings + 2).cells, extent - _INSIDE_CELLS
    on_board = [cell.centre for cell in board.cells]
    beyond = [
        cell.centre
        for cell in wide
        if max(abs(cell.q), abs(cell.r), abs(cell.q + cell.r)) > rings and max(map(abs, cell.centre)) < reach
    ]
    return np.array(on_board + beyond)


@cache
def _near(rings: int, extent: float) -> tuple[NDArray[np.int64], Floats]:
    """For each patch the nearest 37 patches (its own first) and their weights."""
    centres = patch_centres(rings, extent)
    steps = np.rint(np.linalg.norm(centres[:, None] - centres[None], axis=2) / np.sqrt(3) + 0.1)
    order = np.argsort(steps, axis=1, kind="stable")[:, :37]
    near = np.take_along_axis(steps, order, axis=1)
    weights = np.zeros(near.shape, np.float32)
    for step, weight in enumerate(_NEIGHBOUR_WEIGHTS):
        weights[near == step] = weight
    return order, weights


@cache
def _interpolation(rings: int, extent: float) -> Floats:
    """Weights (coarse pixels, patches) that spread one value a patch over the plane."""
    centres = patch_centres(rings, extent)
    steps = round(2 * extent * _COARSE)
    axis = (np.arange(steps) + 0.5) / _COARSE - extent
    x, y = np.meshgrid(axis, axis)
    squared = (x.reshape(-1, 1) - centres[None, :, 0]) ** 2 + (y.reshape(-1, 1) - centres[None, :, 1]) ** 2
    squared -= squared.min(axis=1, keepdims=True)
    weights = np.exp(-squared / (2 * _REACH_CELLS**2))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), dtype=np.float32)


@cache
def _sample_places(rings: int, extent: float) -> NDArray[np.int64]:
    """Indices (patches, pixels) among all flat pixels of the pixels that represent each patch."""
    inside = hexagon(SIDE_PX, 0.12)
    inside = inside & (np.add.outer(np.arange(len(inside)), np.arange(len(inside))) % _STRIDE == 0)
    inside[1::2] = False
    rows, columns = np.nonzero(inside)
    middle = np.rint((patch_centres(rings, extent) + extent) * SIDE_PX).astype(np.int64)
    row = middle[:, 1:] + rows - SIDE_PX
    column = middle[:, :1] + columns - SIDE_PX
    size = size_of(extent)
    return np.asarray(np.clip(row, 0, size - 1) * size + np.clip(column, 0, size - 1))


def spread(values: Floats, rings: int, extent: float) -> Floats:
    """Return one value a patch, (patches, channels), spread smoothly over a flat picture of that extent."""
    steps, size = round(2 * extent * _COARSE), size_of(extent)
    coarse = (_interpolation(rings, extent) @ values.astype(np.float32)).reshape(steps, steps, -1)
    return np.asarray(cv2.resize(coarse, (size, size), interpolation=cv2.INTER_LINEAR), dtype=np.float32)


def smoothed(values: Floats, trust: Floats, rings: int, extent: float) -> Floats:
    """Return for each patch the trusted, weighted median of its own value and its neighbours', (patches, channels)."""
    order, weights = _near(rings, extent)
    around = np.ascontiguousarray(values.T).take(order, axis=1)
    # A patch with no trusted neighbour falls back to whatever is near.
    weighed = weights * trust[order] + 1e-4 * weights
    # Places in the flattened arrays, in rows of neighbours by their values.
    ranks = np.argsort(around, axis=-1) + np.arange(len(order))[:, None] * order.shape[1]
    mass = np.cumsum(weighed.take(ranks), axis=-1)
    middle = (mass >= mass[..., -1:] / 2).argmax(axis=-1)
    chosen = np.take_along_axis(ranks, middle[..., None], axis=-1)[..., 0]
    medians = np.take_along_axis(around.reshape(len(around), -1), chosen, axis=-1)
    return np.ascontiguousarray(medians.T, dtype=np.float32)


def logarithm(flat: Floats) -> Floats:
    """Return the logarithm of light, finite everywhere."""
    return np.asarray(cv2.log(flat + np.float32(FLOOR)), dtype=np.float32)


def logarithm_of(levels: Image) -> Floats:
    """Return the same logarithm of a picture's levels as photographed, (H, W, 3)."""
    return np.asarray(cv2.LUT(levels, _LOGS), dtype=np.float32)


_LOGS = logarithm(linear(np.arange(256, dtype=np.uint8)))


def patch_medians(picture: Floats, rings: int) -> Floats:
    """Return the median over each patch, (patches, channels); the board's cells come first."""
    return _medians(_patches(picture, rings))


def _patches(picture: Floats, rings: int) -> Floats:
    """Return the pixels that represent each patch, (patches, channels, pixels): medians are found fastest in rows."""
    pixels = picture.reshape(-1, 3).take(_sample_places(rings, extent_cells(picture)), axis=0)
    return np.ascontiguousarray(pixels.transpose(0, 2, 1))


def _medians(values: Floats) -> Floats:
    """Return the medians over the last axis; this sorts the values in place."""
    values.sort(axis=-1)
    count = values.shape[-1]
    return np.asarray((values[..., (count - 1) // 2] + values[..., count // 2]) / 2, dtype=np.float32)


def gain_logs(logs: Floats, look_logs: Floats, rings: int) -> Floats:
    """Return the logarithm of the gain by which a flat picture is brighter than a known look, pixel by pixel."""
    shadows = shadow_logs(logs, look_logs)
    if shadows is None:
        return _smooth_gain_logs(logs, look_logs, rings)
    even = cv2.subtract(logs, shadows).astype(np.float32, copy=False)
    return cv2.add(shadows, _smooth_gain_logs(even, look_logs, rings)).astype(np.float32, copy=False)


def _smooth_gain_logs(logs: Floats, look_logs: Floats, rings: int) -> Floats:
    """Return the same for smooth light."""
    ratios = _patches(logs, rings) - _patches(look_logs, rings)
    medians = _medians(ratios)
    ratios -= medians[..., None]
    texture = _medians(np.abs(ratios, out=ratios).reshape(len(ratios), -1)) * 1.48
    tint = medians - medians.mean(axis=1, keepdims=True)
    tint_off = np.linalg.norm(tint - np.median(tint, axis=0), axis=1)
    trust = 1 / (1 + (texture / _HALF_WEIGHT_SPREAD) ** 4) / (1 + (tint_off / _HALF_WEIGHT_TINT) ** 4)
    extent = extent_cells(logs)
    return spread(smoothed(medians, trust.astype(np.float32), rings, extent), rings, extent)
