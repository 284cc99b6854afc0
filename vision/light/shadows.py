"""Hard shadows and bars of sun: jumps of the light along long edges, by which a flat picture differs from its look.

Smooth light is measured patch by patch (`vision.light.gain`), but an edge of light through a patch is not smooth. So
the ratio of the picture to the look is taken here pixel by pixel. If the print below still shows, the ratio is that of
the light; anything that changed on the board shows its own print or tint and is left out. Medians over more than a
road's strip keep the edges of light and lose anything narrower. An edge counts if it is sharp and long and does not
just stop: straight ones are followed under tiles and hands too, others as far as they are seen. All jumps are put
together into one picture of light by integration (B. K. P. Horn, Determining lightness from an image, 1974).

Edges without two sides are left out: a shadow's edge goes all round it or to the picture's end, but that of a mere
patch stops.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.light.flatten import SIDE_PX, Floats, Mask
from vision.light.jumps import drawn, measured
from vision.light.straight import Crests, Edge, crests, straight_edges

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
#: At first sight an edge may be parted by twice this many pixels, and needs two sides on this share of it.
_PARTED_PX, _PARTED_SHARE = 2, 0.3
#: How far the ratio may be from its median, within this many cell sides, and still be that of the light: at least the
#: first, and this many times what is usual in the picture.
_STRANGE, _STRANGE_TIMES, _STRANGE_MOST, _STRANGE_CELLS = 0.12, 2.0, 0.6, 0.8
#: This near an edge, in cell sides, the light of both its sides is usual.
_BESIDE_CELLS = 0.4
#: How far the light counts around a place where it is not seen.
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
    if not _has_long_edge(_median(thin, _SMALL_SIDE_PX)):
        return None
    halved = _resized(cv2.subtract(logs, look_logs), len(logs) // _DRAWN)
    ratio = _resized(halved, len(thin))
    plane = _mean(ratio)
    is_light, filling = _visible_light(ratio, plane)
    points = crests(_median(np.where(is_light, plane, filling), _SMALL_SIDE_PX))
    straight = straight_edges(points, is_light, _SMALL_SIDE_PX)
    sides = Sides(points, straight, is_light, _SMALL_SIDE_PX)
    measures = [measured(edge, plane, is_light, _SMALL_SIDE_PX) for edge in straight if sides.of(edge)]
    jumps = [jump for jump in measures if jump is not None]
    is_bent = _bent(points, is_light, sides)
    size_px = len(halved)
    if is_bent.any():
        finer = np.where(_grown(is_light, size_px), _mean(halved), _resized(filling, size_px))
        light = _median(finer, _DRAWN_SIDE_PX, _DRAWN_MEDIAN_CELLS)
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


def _median(plane: Floats, side_px: float, width_cells: float = _MEDIAN_CELLS) -> Floats:
    """Return medians over squares so wide, to about the 80th part of the logarithm."""
    least, most = np.quantile(plane[::4, ::4], _RANGE)
    middle, levels = float(least + most) / 2, min(_LEVELS, 255 / (float(most - least) + _BEYOND_RANGE))
    bytes_of = np.clip((plane - middle) * levels + 128, 0, 255).astype(np.uint8)
    medians = cv2.medianBlur(bytes_of, round(width_cells * side_px) | 1).astype(np.float32)
    return np.asarray((medians - 128) / levels + middle, dtype=np.float32)


def _has_long_edge(light: Floats) -> bool:
    """Return whether the light jumps along any line that is as long as a shadow's and may have two sides.

    Changes on the board are not left out yet: they may part a shadow's edge, and make edges of their own.
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
    """Return which of OpenCV's parts are long; the first is their surroundings."""
    reach = np.hypot(stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT])
    reach[0] = 0
    return np.asarray(reach > _LONG_CELLS * _SMALL_SIDE_PX)


def _visible_light(ratio: Floats, plane: Floats) -> tuple[Mask, Floats]:
    """Return where a ratio (`plane`: its mean over the channels) is only light, and the light there and around."""
    tint = ratio - plane[..., None]
    halves = [np.ascontiguousarray(tint[::2, ::2, channel]) for channel in range(3)]
    usual = [_resized(_median(half, _SMALL_SIDE_PX / 2, _TINT_CELLS), len(plane)) for half in halves]
    light = _median(plane, _SMALL_SIDE_PX)
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
