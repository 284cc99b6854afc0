"""The light on each place: the gain by which a flat picture differs from a known look; hard shadows, bars of sun.

Light is measured against what is known to be there, patch by patch: the cells, and the same lattice continued on the
frame, whose print never changes. A patch that changed or is covered shows another colour or another texture. It counts
little, and its gain comes from its neighbours. So the gain is smooth; if the light jumps, as at a hard shadow's edge,
the jump is taken out first. Nothing here knows an absolute colour.

An edge of light through a patch is not smooth. There the ratio of the picture to the look is taken pixel by pixel. If
the print below still shows, the ratio is that of the light; anything that changed on the board shows its own print or
tint and is left out. Medians over more than a road's strip keep the edges of light and lose anything narrower. An edge
counts if it is sharp and long and does not just stop: straight ones are followed under tiles and hands too, others as
far as they are seen. All jumps are put together into one picture of light by integration (B. K. P. Horn, Determining
lightness from an image, 1974).

Edges without two sides are left out: a shadow's edge goes all round it or to the picture's end, but that of a mere
patch stops.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from companion.board import HexBoard
from vision.light.flatten import SIDE_PX, Floats, Image, Mask, extent_cells, hexagon, linear, size_of
from vision.light.jumps import Crests, Edge, crests, drawn, measured, straight_edges

#: How far to each side of an edge, in pixels, its sides are looked up.
_ASIDE_PX = 4
#: An edge has two sides if it has them on this share of its length.
_LEAST_SHARE = 0.5


class Sides:
    """The regions into which edges, and places that are not seen, divide a picture."""

    def __init__(self, points: Crests, edges: Sequence[Edge], is_light: Mask, side_px: float, gap_px: int = 1) -> None:
        """`gap_px`: an edge still divides across a gap of up to twice this many pixels."""
        between = np.zeros(is_light.shape, np.uint8)
        between[points.rows, points.columns] = 1
        middle = (np.array(is_light.shape[::-1]) - 1) / 2
        for edge in edges:
            start, end = (np.rint(edge.point(at) * side_px + middle).astype(int) for at in (edge.start, edge.end))
            cv2.line(between, start.tolist(), end.tolist(), 1)
        between = np.where(is_light, cv2.dilate(between, np.ones((2 * gap_px + 1,) * 2, np.uint8)), 1).astype(np.uint8)
        self._regions = cv2.connectedComponents(1 - between, connectivity=4)[1]
        self._middle, self._side_px = middle, side_px

    def of(self, edge: Edge) -> bool:
        """Return whether a straight edge has two sides."""
        along = np.arange(edge.start, edge.end, 1.5 / self._side_px)
        x, y = edge.point(along[:, None]).T * self._side_px + self._middle[:, None]
        rows, columns = len(self._regions), self._regions.shape[1]
        inside = (x >= 0) & (y >= 0) & (x <= columns - 1) & (y <= rows - 1)
        differ, known = self._differ(y[inside], x[inside], *edge.normal)
        return bool(differ.sum() > _LEAST_SHARE * max(int(known.sum()), 1))

    def of_lines(self, points: Crests, line: NDArray[np.int32], count: int, least_share: float = _LEAST_SHARE) -> Mask:
        """Return which lines have two sides on that share of them, given the line to which each crest belongs."""
        differ, known = self._differ(points.rows, points.columns, np.cos(points.angles), np.sin(points.angles))
        most = np.maximum(np.bincount(line, known, count), 1)
        return np.asarray(np.bincount(line, differ, count) > least_share * most)

    def _differ(
        self, rows: NDArray[Any], columns: NDArray[Any], across: ArrayLike, below: ArrayLike
    ) -> tuple[Mask, Mask]:
        """Return where the regions on both sides differ, and where both are known."""
        sides = []
        for aside in (-_ASIDE_PX, _ASIDE_PX):
            row = np.clip(np.rint(rows + aside * np.asarray(below)), 0, len(self._regions) - 1).astype(int)
            column = np.clip(np.rint(columns + aside * np.asarray(across)), 0, self._regions.shape[1] - 1).astype(int)
            sides.append(self._regions[row, column])
        known = (sides[0] > 0) & (sides[1] > 0)
        return known & (sides[0] != sides[1]), known


#: Edges are looked for at one part in `_SMALL` of the flat picture's size, and drawn at one part in `_DRAWN`.
_SMALL, _DRAWN = 4, 2
_SMALL_SIDE_PX, _DRAWN_SIDE_PX = SIDE_PX / _SMALL, SIDE_PX / _DRAWN
#: The width of the medians, in cell sides: well over two strips' (0.4), little over a narrow bar's.
_MEDIAN_CELLS = 1.4
#: The same once the changes on the board are filled in.
_DRAWN_MEDIAN_CELLS = 0.9
#: Medians are taken of bytes: at most this many levels to a unit of the logarithm, for the range between these shares
#: of the pixels and this much beyond.
_LEVELS, _RANGE, _BEYOND_RANGE = 80.0, (0.02, 0.98), 0.8
#: Tints change no faster than over this many cell sides, unless something changed on the board.
_TINT_CELLS = 5.0
#: Edges shorter than this, in cell sides, are not a shadow's.
_LONG_CELLS = 5.0
#: At first sight an edge may have gaps of up to twice this many pixels, and needs two sides on this share of it.
_PARTED_PX, _PARTED_SHARE = 2, 0.3
#: How far the ratio may be from its median and still be that of the light: the first or, if that is more, this many
#: times what is usual in the picture. No pixel counts as farther off than the third, and the mean is taken over this
#: many cell sides.
_STRANGE, _STRANGE_TIMES, _STRANGE_MOST, _STRANGE_CELLS = 0.12, 2.0, 0.6, 0.8
#: This near an edge, in cell sides, the light of both its sides counts as usual.
_BESIDE_CELLS = 0.4
#: From how far around the light is filled in where it is not seen, in cell sides.
_FILL_CELLS = 0.8
#: Edges that are not straight count if they jump by this much and are seen on this share of their length; this much to
#: each side, in cell sides, belongs to them.
_BENT_JUMP, _SEEN_SHARE, _BAND_CELLS = 0.2, 0.6, 0.6
#: The tint of the jumps is within these limits.
_TINTS = (0.6, 1.5)


def shadow_logs(logs: Floats, look_logs: Floats) -> Floats | None:
    """Return the logarithm of the light's jumps, (size, size, 3), up to a smooth gain; None if there are none."""
    first = _SMALL // 2
    thin = _mean(cv2.subtract(logs[first::_SMALL, first::_SMALL], look_logs[first::_SMALL, first::_SMALL]))
    if not _has_long_edge(median_filtered(thin, _SMALL_SIDE_PX)):
        return None
    halved = _resized(cv2.subtract(logs, look_logs), len(logs) // _DRAWN)
    ratio = _resized(halved, len(thin))
    plane = _mean(ratio)
    is_light, filling = _visible_light(ratio, plane)
    points = crests(median_filtered(np.where(is_light, plane, filling), _SMALL_SIDE_PX))
    straight = straight_edges(points, is_light, _SMALL_SIDE_PX)
    sides = Sides(points, straight, is_light, _SMALL_SIDE_PX)
    measures = [measured(edge, plane, is_light, _SMALL_SIDE_PX) for edge in straight if sides.of(edge)]
    jumps = [jump for jump in measures if jump is not None]
    is_bent = _bent(points, is_light, sides)
    size_px = len(halved)
    if is_bent.any():
        finer = np.where(_grown(is_light, size_px), _mean(halved), _resized(filling, size_px))
        light = median_filtered(finer, _DRAWN_SIDE_PX, _DRAWN_MEDIAN_CELLS)
    elif jumps:
        light = np.zeros((size_px, size_px), np.float32)
    else:
        return None
    shadows = drawn(jumps, light, _grown(is_bent, size_px), _DRAWN_SIDE_PX)
    tint = _tint(_resized(shadows, len(thin)), ratio, is_light)
    return np.asarray(cv2.merge([_resized(shadows * share, len(logs)) for share in tint]), dtype=np.float32)


def _resized(picture: NDArray[Any], size_px: int) -> Floats:
    way = cv2.INTER_AREA if size_px < len(picture) else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(picture, (size_px, size_px), interpolation=way), dtype=np.float32)


def _grown(mask: Mask, size_px: int) -> Mask:
    return cv2.resize(mask.astype(np.uint8), (size_px, size_px), interpolation=cv2.INTER_NEAREST) > 0


def _mean(picture: NDArray[Any]) -> Floats:
    return np.asarray(cv2.transform(picture, np.full((1, 3), 1 / 3, np.float32)), dtype=np.float32)


def median_filtered(plane: Floats, side_px: float, width_cells: float = _MEDIAN_CELLS) -> Floats:
    """Return medians over squares of this width, to about an 80th of a unit of the logarithm."""
    least, most = np.quantile(plane[::4, ::4], _RANGE)
    middle, levels = float(least + most) / 2, min(_LEVELS, 255 / (float(most - least) + _BEYOND_RANGE))
    bytes_of = np.clip((plane - middle) * levels + 128, 0, 255).astype(np.uint8)
    medians = cv2.medianBlur(bytes_of, round(width_cells * side_px) | 1).astype(np.float32)
    return np.asarray((medians - 128) / levels + middle, dtype=np.float32)


def _has_long_edge(light: Floats) -> bool:
    """Return whether the light jumps along any line that is as long as a shadow's and may have two sides.

    Changes on the board are not left out yet: they may interrupt a shadow's edge, and make edges of their own.
    """
    points = crests(light)
    if len(points.rows) < _LONG_CELLS * _SMALL_SIDE_PX:
        return False
    count, labels, stats = _lines(points, light.shape)
    is_long = _long(stats)
    if not is_long.any():
        return False
    sides = Sides(points, (), np.ones(light.shape, dtype=bool), _SMALL_SIDE_PX, _PARTED_PX)
    return bool((is_long & sides.of_lines(points, labels[points.rows, points.columns], count, _PARTED_SHARE)).any())


def _lines(points: Crests, shape: tuple[int, ...]) -> tuple[int, NDArray[np.int32], NDArray[np.int32]]:
    """Return how many lines crests make, their labels (0: none), and OpenCV's figures for each."""
    lines = np.zeros(shape, np.uint8)
    lines[points.rows, points.columns] = 1
    count, labels, stats, _ = cv2.connectedComponentsWithStats(cv2.dilate(lines, np.ones((3, 3), np.uint8)))
    return count, np.asarray(labels, np.int32), np.asarray(stats, np.int32)


def _long(stats: NDArray[np.int32]) -> Mask:
    """Return which of OpenCV's components are long; the first is the background."""
    reach = np.hypot(stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT])
    reach[0] = 0
    return np.asarray(reach > _LONG_CELLS * _SMALL_SIDE_PX)


def _visible_light(ratio: Floats, plane: Floats) -> tuple[Mask, Floats]:
    """Return where a ratio (`plane`: its mean over the channels) is only light, and the light there and around."""
    tint = ratio - plane[..., None]
    halves = [np.ascontiguousarray(tint[::2, ::2, channel]) for channel in range(3)]
    usual = [_resized(median_filtered(half, _SMALL_SIDE_PX / 2, _TINT_CELLS), len(plane)) for half in halves]
    light = median_filtered(plane, _SMALL_SIDE_PX)
    # At an edge, anything between the light of its two sides is light.
    around = np.ones((2 * round(_BESIDE_CELLS * _SMALL_SIDE_PX) + 1,) * 2, np.uint8)
    even = ratio - np.dstack(usual)
    blue, green, red = cv2.split(even)
    above = cv2.max(cv2.max(blue, green), red) - cv2.dilate(light, around)
    below = cv2.erode(light, around) - cv2.min(cv2.min(blue, green), red)
    off = np.maximum(np.maximum(above, below), 0)
    width_px = round(_STRANGE_CELLS * _SMALL_SIDE_PX) | 1
    strange = cv2.blur(np.minimum(off, _STRANGE_MOST), (width_px, width_px))
    usual_off = np.partition(strange.ravel(), strange.size // 2)[strange.size // 2]
    most = max(_STRANGE, _STRANGE_TIMES * float(usual_off))
    is_light = cv2.erode((strange < most).astype(np.uint8), np.ones((3, 3), np.uint8))
    weight, sigma = is_light.astype(np.float32), _FILL_CELLS * _SMALL_SIDE_PX
    total = cv2.GaussianBlur(weight, (0, 0), sigma)
    # Far from everything that is seen, the picture's own value is as good as any.
    filling = (cv2.GaussianBlur(plane * weight, (0, 0), sigma) + 1e-3 * plane) / (total + 1e-3)
    return is_light > 0, np.asarray(filling, dtype=np.float32)


def _bent(points: Crests, is_light: Mask, sides: Sides) -> Mask:
    """Return the bands along long edges of any shape that have two sides and are seen nearly all along."""
    points = points.among(points.strengths > _BENT_JUMP)
    count, labels, stats = _lines(points, is_light.shape)
    line = labels[points.rows, points.columns]
    visible = np.bincount(line, is_light[points.rows, points.columns], count)
    length = np.bincount(line, minlength=count)
    kept = (_long(stats) & (visible > _SEEN_SHARE * length) & sides.of_lines(points, line, count))[line]
    band = np.zeros(is_light.shape, np.uint8)
    band[points.rows[kept], points.columns[kept]] = 1
    width_px = 2 * round(_BAND_CELLS * _SMALL_SIDE_PX) + 1
    return cv2.dilate(band, np.ones((width_px, width_px), np.uint8)) > 0


def _tint(shadows: Floats, ratio: Floats, is_light: Mask) -> Floats:
    """Return how much each channel jumps if light jumps by 1: daylight in a shadow is bluer than the sun."""
    width_px = round(2 * _SMALL_SIDE_PX) | 1

    def sharp(picture: Floats) -> Floats:
        return np.asarray(picture - cv2.blur(picture, (width_px, width_px)), dtype=np.float32)[is_light]

    jumps, shown = sharp(shadows), sharp(ratio)
    tint = (jumps @ shown) / max(float(jumps @ jumps), 1e-6)
    return np.asarray(np.clip(tint / max(float(tint.mean()), 1e-3), *_TINTS), dtype=np.float32)


#: Light added before a logarithm is taken, so that black pixels stay finite: about the sensor's noise in the dark.
FLOOR = 0.004
#: How far inside the flat picture the middles of the frame's outermost patches are, in cell sides.
_INSIDE_CELLS = 1.1
#: How much the patch's own gain and its neighbours' count, by distance in cells.
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
#: This share of a patch's pixels are its darkest.
_DARKEST_SHARE = 0.1


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
    """Return for each patch the nearest 37 patches (itself first) and their weights."""
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
    """Return the weights (coarse pixels, patches) that spread one value per patch over the plane."""
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
    """Return the indices (patches, pixels), among all flat pixels, of those that represent each patch."""
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
    """Return one value per patch, (patches, channels), spread smoothly over a flat picture of that extent."""
    steps, size = round(2 * extent * _COARSE), size_of(extent)
    coarse = (_interpolation(rings, extent) @ values.astype(np.float32)).reshape(steps, steps, -1)
    return np.asarray(cv2.resize(coarse, (size, size), interpolation=cv2.INTER_LINEAR), dtype=np.float32)


def smoothed(values: Floats, trust: Floats, rings: int, extent: float) -> Floats:
    """Return for each patch the trusted, weighted median of its own value and its neighbours', (patches, channels)."""
    order, weights = _near(rings, extent)
    around = np.ascontiguousarray(values.T).take(order, axis=1)
    # A patch with no trusted neighbour falls back to whatever is near.
    weighed = weights * trust[order] + 1e-4 * weights
    # Places in the flattened arrays: rows of neighbours, sorted by their values.
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


def patch_darks(picture: Floats, rings: int) -> Floats:
    """Return the value below which the darkest tenth of each patch's pixels are, (patches, channels)."""
    return np.asarray(np.quantile(_patches(picture, rings), _DARKEST_SHARE, axis=-1), dtype=np.float32)


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
