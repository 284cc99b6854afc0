"""A veil of light over a photograph: what a glossy board mirrors of a window or the room, haze, a smeared lens.

All other light is a factor, and `vision.light.gain` takes it out. A veil is added: dark print brightens by as much as
light print does, so tiles look pale and a dark road on dark ground hardly shows. It is told by what is known to lie
there. Over each part of the board the picture is the known look times a gain, plus the veil, and dark and light print
side by side tell one from the other. Gain and veil are smooth, sums of bells (radial basis functions) whose heights
are found by least squares, again and again, with patches that changed or are covered counting ever less.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.view import BoardView
from companion.board import HexBoard
from vision.light.flatten import SIDE_PX, Floats, Image, extent_cells, hexagon, size_of
from vision.light.gain import FLOOR, patch_centres
from vision.light.glare import without_light

Array = NDArray[np.float64]

#: Pictures are compared at one part in this of their size, so that being off by a pixel hardly counts.
_SMALL = 4
#: How far apart the bells are, and how wide, in cell sides.
_APART_CELLS, _WIDE_CELLS = 4.0, 3.0
#: Roughly how much gains differ over the picture, as a share, and how bright the veil is, compared with the picture.
_UNEVEN, _VEIL = 1.0, 0.6
#: How much a patch's own print counts, compared with its mean: what is not quite in place loses contrast.
_PRINT = 0.1
#: How often patches are weighed, how far they stray at first and at least, as a share; light that no share counts of.
_ROUNDS, _ASTRAY, _LEAST_ASTRAY, _DARK = 6, 0.03, 0.01, 0.02
#: A patch's print is that of the known look if it correlates with it by more than the first; fully from the second on.
_ALIKE = (0.2, 0.7)
#: Where a channel of a patch has this much light or more, the camera may have had all that it can take.
_FULL = 0.93
#: A veil is looked for where print has lost this share of its contrast, on the tenth of the cells that lost most of
#: it. It is believed if patches stray so much less with it (the mean of a logarithm): by 0.5 to 1 where one was added
#: to photographs of tables to choose by, by 0.2 at most where an edge of light, or a picture out of place, made one up.
_FADED, _BELIEVED = 0.12, 0.35
#: A veil this faint is none.
_NONE = 1e-4


@dataclass(frozen=True, eq=False)
class Veil:
    """A veil's light: `heights` (bells, 3), in linear light, of the bells over a board of that extent in that view."""

    heights: Array
    rings: int
    extent: float

    @classmethod
    def seen(cls, logs: Floats, known: Floats, rings: int) -> Veil | None:
        """Return the veil over a flat picture, compared with what is known to lie there; None if there is hardly any.

        Both are logarithms of light (`vision.light.gain.logarithm`). If the known look had a veil that is gone, the
        veil is negative.
        """
        extent = extent_cells(logs)
        shown, look = _patches(logs, rings), _patches(known, rings)
        alike, faded = _contrast(shown, look)
        counted = (alike > _ALIKE[1]) & (np.arange(len(alike)) < len(HexBoard(rings).cells))
        if not counted.any() or np.quantile(np.abs(faded[counted]), 0.9) < _FADED:
            return None
        shown, look = np.exp(shown) - FLOOR, np.exp(look) - FLOOR
        bells = _bells(rings, extent)
        heights, strayed = _fitted(shown, look, alike, bells, _VEIL)
        if _fitted(shown, look, alike, bells, _NONE)[1] - strayed < _BELIEVED:
            return None
        return cls(heights, rings, extent)

    def at(self, places: Array) -> Array:
        """Return the veil's light at places (..., 2), in cell sides: (..., 3)."""
        return np.asarray(_shares(places.reshape(-1, 2), self.rings, self.extent) @ self.heights).reshape(
            *places.shape[:-1], 3
        )

    def taken_off(self, image: Image, view: BoardView) -> Image:
        """Return a photograph (H, W, 3) of the board in this view without the veil."""
        return without_light(image, lambda places: self.at(view.to_board(places)))


def _patches(logs: Floats, rings: int) -> Array:
    """Return a flat picture's logarithms where light is measured, (patches, pixels, 3), made smaller."""
    size = len(logs) // _SMALL
    small = cv2.resize(logs, (size, size), interpolation=cv2.INTER_AREA).reshape(-1, 3)
    return np.asarray(small.take(_places(rings, extent_cells(logs)), axis=0), dtype=np.float64)


@cache
def _places(rings: int, extent: float) -> NDArray[np.int64]:
    """Return the indices (patches, pixels), among a small picture's pixels, of those that represent each patch."""
    size, reach = size_of(extent) // _SMALL, SIDE_PX // _SMALL
    inside = hexagon(SIDE_PX, 0.15)[::_SMALL, ::_SMALL]
    down, right = np.nonzero(inside)
    middle = np.rint((patch_centres(rings, extent) + extent) * SIDE_PX / _SMALL - 0.5).astype(np.int64)
    row, column = middle[:, 1:] + down - reach, middle[:, :1] + right - reach
    return np.asarray(np.clip(row, 0, size - 1) * size + np.clip(column, 0, size - 1))


@cache
def _middles(rings: int, extent: float) -> Array:
    """Return the middles (bells, 2) of the bells: a lattice of triangles over all patches."""
    reach = float(np.abs(patch_centres(rings, extent)).max()) + _APART_CELLS / 2
    steps = np.arange(-(reach // _APART_CELLS + 1), reach // _APART_CELLS + 2) * _APART_CELLS
    row = np.sqrt(3) / 2
    lattice = np.array([(x + _APART_CELLS / 2 * (k % 2), y * row) for k, y in enumerate(steps) for x in steps])
    return np.asarray(lattice[np.abs(lattice).max(axis=1) < reach])


def _shares(places: Array, rings: int, extent: float) -> Array:
    """Return how much of each bell's height places have, (places, bells): they sum up to 1."""
    squared = ((places[:, None] - _middles(rings, extent)) ** 2).sum(axis=-1)
    shares = np.exp(-(squared - squared.min(axis=1, keepdims=True)) / (2 * _WIDE_CELLS**2))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


@cache
def _bells(rings: int, extent: float) -> Array:
    return _shares(patch_centres(rings, extent), rings, extent)


def _contrast(shown: Array, look: Array) -> tuple[Array, Array]:
    """Return how far each patch's print is that of the look, a correlation, and the share of contrast that it lost."""
    off, off_look = (one.mean(axis=2) - one.mean(axis=(1, 2))[:, None] for one in (shown, look))
    both, own, of_look = ((a * b).mean(axis=1) for a, b in ((off, off_look), (off, off), (off_look, off_look)))
    alike = both / np.sqrt(np.maximum(own * of_look, 1e-12))
    return alike, 1 - both / np.maximum(of_look, 1e-9)


def _fitted(shown: Array, look: Array, alike: Array, bells: Array, bright: float) -> tuple[Array, float]:
    """Return the heights (bells, 3) of the veil that fits patches (patches, pixels, 3) best, in linear light.

    The veil is about that `bright`, compared with the picture. With it, say how far patches stray: the mean logarithm.
    """
    means, means_look = shown.mean(axis=1), look.mean(axis=1)
    spread, spread_look = shown.var(axis=1), look.var(axis=1)
    common = (shown * look).mean(axis=1) - means * means_look
    dark, full = shown.max(axis=2).min(axis=1) < _DARK / 10, (shown.max(axis=2) > _FULL).mean(axis=1) > 0.05
    usable, (least, most) = ~(dark | full), _ALIKE
    seen = usable & (alike > least)
    if not seen.any():
        return np.zeros((bells.shape[1], 3)), 0.0
    gain = np.median(means[usable] / np.maximum(means_look[usable], 1e-3), axis=0)
    usual = np.maximum(np.median(means[usable], axis=0), _DARK)
    weight, astray = usable * np.clip((alike - least) / (most - least), 0.05, 1), _ASTRAY
    for _ in range(_ROUNDS):
        relative = weight[:, None] / (astray * (means + _DARK)) ** 2
        found = [
            _balanced(
                bells,
                relative[:, channel],
                (means[:, channel], common[:, channel] * gain[channel]),
                (means_look[:, channel] * gain[channel], spread_look[:, channel] * gain[channel] ** 2),
                bright * usual[channel],
            )
            for channel in range(3)
        ]
        gains, heights = (np.stack(part, axis=1) for part in zip(*found, strict=True))
        gains = bells @ gains * gain
        off = (means - gains * means_look - bells @ heights) ** 2
        off += _PRINT * np.maximum(gains**2 * spread_look - 2 * gains * common + spread, 0)
        strayed = np.sqrt((off / (means + _DARK) ** 2).mean(axis=1))
        astray = max(1.2 * float(np.median(strayed[usable])), _LEAST_ASTRAY)
        weight = usable / (1 + (strayed / (1.5 * astray)) ** 4)
    return heights, float(np.log(strayed[seen] + _LEAST_ASTRAY / 2).mean())


def _balanced(
    bells: Array, weight: Array, shown: tuple[Array, Array], look: tuple[Array, Array], bright: float
) -> tuple[Array, Array]:
    """Return the heights (bells,) of the gain and of the veil that fit weighted patches best, in one channel.

    This is ridge regression: gains are probably much alike, and the veil is about that `bright`. `shown` are means and
    what is common with the look, `look` are means and variances of the look in the picture's usual gain: (patches,).
    """
    count = bells.shape[1]
    (means, common), (expected, spread) = shown, look
    terms = np.hstack([bells * expected[:, None], bells])
    normal, goal = terms.T @ (terms * weight[:, None]), terms.T @ (weight * means)
    normal[:count, :count] += bells.T @ (bells * (_PRINT * weight * spread)[:, None])
    goal[:count] += bells.T @ (_PRINT * weight * common)
    normal[:count, :count] += (np.eye(count) - 1 / count) / _UNEVEN**2 + 1e-9 * np.eye(count)
    normal[count:, count:] += np.eye(count) / bright**2
    found = np.asarray(np.linalg.solve(normal, goal), dtype=np.float64)
    return found[:count], found[count:]
