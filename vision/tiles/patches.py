"""Cells as the learnt nets see them: square patches, cut from a fine flat picture and turned by sixths.

The embedding takes a patch evened out and cut to the cell, with how near it is to the tones of cubes. Two cells are
also compared by their own tones, without any net.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import HexCell
from vision.light.flatten import FINE_PX, GAMMA, SIDE_PX, Floats, Image, inside_hexagon
from vision.light.gain import logarithm_of
from vision.tiles.opinion import COLORS

#: A patch's width in cell sides, so that it reaches an eighth of a side beyond the cell's corners, and in pixels.
PATCH_CELLS, PATCH_PX = 2.25, 72
#: The level of tone 1.0; light brighter than 1.27 times that is cut off.
WHITE = 200.0

Levels = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Pose:
    """How a tile lies in its cell: how far off the middle, in cell sides, and how many degrees clockwise it is turned.

    A patch that is cut in this pose shows the tile straight and in the middle.
    """

    right: float = 0.0
    down: float = 0.0
    degrees: float = 0.0

    def middle(self, cell: HexCell) -> tuple[float, float]:
        """Return where the middle of a tile on that cell is, in cell sides from the board's."""
        right, down = cell.centre
        return right + self.right, down + self.down


#: A tile that lies as it should.
STRAIGHT = Pose()


def levels_of(tone: Floats) -> Levels:
    """Return a picture of tones as levels, 1.0 being 200."""
    return np.asarray(cv2.convertScaleAbs(np.clip(tone, 0, 255 / WHITE), alpha=WHITE), dtype=np.uint8)


def evened(fine: Image, gain: Floats) -> Levels:
    """Return a fine flat picture as levels of tones, its light taken out.

    `fine` is as photographed (size, size, 3), `gain` the logarithm of the light on it, at any scale.
    """
    factors = cv2.exp(gain * np.float32(-1 / GAMMA))
    factors = cv2.resize(factors, fine.shape[1::-1], interpolation=cv2.INTER_LINEAR)
    tones = cv2.LUT(fine, _TONES)
    return np.asarray(cv2.convertScaleAbs(cv2.multiply(tones, factors, dst=tones)), dtype=np.uint8)


#: For each level as photographed, its tone times WHITE.
_TONES = (np.exp(logarithm_of(np.arange(256, dtype=np.uint8)) / np.float32(GAMMA)) * np.float32(WHITE)).astype(
    np.float32
)


def finer(flat: Floats) -> Floats:
    """Return a flat picture at the scale of fine ones, but no sharper than it was."""
    size = len(flat) * FINE_PX // SIDE_PX
    return np.asarray(cv2.resize(flat, (size, size), interpolation=cv2.INTER_LINEAR), dtype=np.float32)


def cut(levels: Levels, cells: Sequence[HexCell], turns: Sequence[int] = (0,)) -> Floats:
    """Return the patches (cells, turns, PATCH_PX, PATCH_PX, 3) of a fine flat picture, as tones.

    Turn k shows the cell turned by k sixths anticlockwise, as edge 0 becomes edge k.
    """
    return in_tones(cut_levels(levels, cells, turns))


def cut_levels(
    levels: Levels, cells: Sequence[HexCell], turns: Sequence[int] = (0,), poses: Mapping[HexCell, Pose] = {}
) -> Levels:
    """Return the same patches of a picture of any levels, (size, size) or (size, size, channels), as levels.

    `poses`: how the cells' tiles lie; those left out lie straight.
    """
    patches = np.empty((len(cells), len(turns), PATCH_PX, PATCH_PX, *levels.shape[2:]), np.uint8)
    for of_cell, cell in zip(patches, cells, strict=True):
        pose = poses.get(cell, STRAIGHT)
        right, down = (value * FINE_PX + len(levels) / 2 for value in pose.middle(cell))
        for patch, turn in zip(of_cell, turns, strict=True):
            cut_about(levels, (right, down), PATCH_CELLS / PATCH_PX * FINE_PX, turn + pose.degrees / 60, patch)
    return patches


def in_turns(patch: Levels, turns: Sequence[int]) -> Levels:
    """Return a patch turned about its middle, (turns, ...), as `cut_levels` would have cut it; its corners are lost."""
    patches = np.empty((len(turns), *patch.shape), np.uint8)
    for turned, turn in zip(patches, turns, strict=True):
        cut_about(patch, ((PATCH_PX - 1) / 2,) * 2, 1.0, turn, turned)
    return patches


def cut_about(
    picture: Levels | Floats, at: tuple[float, float], scale: float, turn: float, patch: Levels | Floats
) -> None:
    """Cut a patch out round a point, turned by sixths; its pixels are `scale` of the picture's apart."""
    cos, sin = (scale * one(math.radians(60 * turn)) for one in (math.cos, math.sin))
    (right, down), middle = at, (PATCH_PX - 1) / 2
    motion = np.array([[cos, -sin, right - (cos - sin) * middle], [sin, cos, down - (sin + cos) * middle]], np.float64)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    cv2.warpAffine(picture, motion, (PATCH_PX, PATCH_PX), patch, flags, cv2.BORDER_REPLICATE)


class Net:
    """A learnt net. Any thread may ask it: a game and a table being set up meanwhile wait for each other.

    OpenCV's own net is changed by each input, so two threads would get each other's outputs.
    """

    def __init__(self, path: Path) -> None:
        self._net, self._lock = cv2.dnn.readNetFromONNX(str(path)), threading.Lock()

    def __call__(self, inputs: Floats, outputs: Sequence[str] = ()) -> tuple[Floats, ...]:
        """Return the outputs with those names, or the last one if none is named."""
        with self._lock:
            self._net.setInput(inputs)
            made = self._net.forward(list(outputs)) if outputs else (self._net.forward(),)
            return tuple(np.array(one, np.float32) for one in made)


@cache
def loaded(path: Path) -> Net:
    """Return a learnt net that takes patches."""
    return Net(path)


def in_tones(patches: Levels) -> Floats:
    """Return patches of levels as tones."""
    return np.asarray(patches / np.float32(WHITE), dtype=np.float32)


def in_levels(patches: Floats) -> Levels:
    """Return patches of tones as levels."""
    return np.asarray(np.clip(np.rint(patches * np.float32(WHITE)), 0, 255), dtype=np.uint8)


#: Channels that the embedding takes (`for_embedding`), and the shape of what it takes, each of them `folded`.
TAKEN = 3 + len(COLORS) + 1
FOLDED = (4 * TAKEN, PATCH_PX // 2, PATCH_PX // 2)
#: How near a tone is to a cube's top: spreads of its tint and of its brightness, for pictures whose tones spread by the
#: third. The last stands for a colour that was not taught; no tone is near it.
TINT_SPREAD, BRIGHTNESS_SPREAD, USUAL_SPREAD, NO_TONE = 0.07, 0.2, 0.15, -9.0
#: How far beyond the hexagon the nets look, in cell sides.
RIM = 0.12
#: Tones are compared this far inside the hexagon, on this share of the cell. This much of a difference may be light, in
#: spreads of the table's tones; one pixel in this many is enough to find the light.
_PLAIN_RIM, _KEPT, _MOST_LIGHT, _SKIPPED = -0.08, 0.7, 0.4, 3

Array = Floats


def measured(pixels: Array) -> tuple[Array, float]:
    """Return the mean (3,) and the spread of a table's tones (n, 3), with which its patches are evened out."""
    return pixels.mean(axis=0), float(pixels.std()) + 0.02


def for_embedding(patches: Array, mean: Array, spread: float, cubes: Array, hidden: Array | None = None) -> Array:
    """Return what the embedding takes, (n, *FOLDED): patches of tones, evened out and cut to their cells.

    Its channels are three tones, how near each pixel is to the tone of each colour's cubes, and the share of it that
    was hidden and painted over: `hidden` (n, PATCH_PX, PATCH_PX); None: nothing was. All are `folded`.
    """
    tones = np.ascontiguousarray(folded(patches.transpose(3, 0, 1, 2)))
    inputs = np.empty((TAKEN, *tones.shape[1:]), np.float32)
    np.subtract(tones, mean.astype(np.float32)[:, None, None, None, None], out=inputs[:3])
    inputs[:3] /= np.float32(spread)
    inputs[3:-1] = _near(tones.reshape(3, -1), cubes, spread).reshape(-1, *tones.shape[1:])
    inputs[-1] = 0 if hidden is None else folded(hidden)
    inputs *= folded(inside(RIM))
    return np.ascontiguousarray(inputs.swapaxes(0, 1)).reshape(len(patches), -1, *tones.shape[3:])


def folded(pixels: Array) -> Array:
    """Return pictures (..., height, width) as four that are half as large, (..., 4, height / 2, width / 2).

    They hold the pixels of even rows and columns, even rows and odd columns, odd and even, odd and odd. A convolution
    in steps of two pixels becomes one in steps of one, which OpenCV does twice as fast.
    """
    *others, height, width = pixels.shape
    split = np.moveaxis(pixels.reshape(*others, height // 2, 2, width // 2, 2), (-3, -1), (-4, -3))
    return split.reshape(*others, 4, height // 2, width // 2)


def plain(inputs: Array) -> Array:
    """Return the tones of the embedding's input, at half the scale, of the cell's own pixels: (n, pixels, 3)."""
    tones = inputs[:, :12].reshape(len(inputs), 3, 4, -1).mean(axis=2)
    return np.ascontiguousarray(tones[..., _plain_places()].swapaxes(1, 2))


@cache
def _plain_places() -> NDArray[np.int64]:
    return np.flatnonzero(inside(_PLAIN_RIM)[::2, ::2])


def apart(shown: Array, expected: Array) -> Array:
    """Return how far apart the tones of two cells (n, pixels, 3) are on the part where they are nearest, (n,).

    Light that differs equally everywhere is taken out, within limits; the farthest part may be cubes.
    """
    off = shown - expected
    off -= np.clip(np.median(off[:, ::_SKIPPED], axis=1, keepdims=True), -_MOST_LIGHT, _MOST_LIGHT)
    amounts = np.abs(off).mean(axis=2)
    kept = round(_KEPT * amounts.shape[1])
    return np.asarray(np.partition(amounts, kept, axis=1)[:, :kept].mean(axis=1), np.float32)


def _near(planes: Array, cubes: Array, spread: float) -> Array:
    """Return how near each pixel of tones (3, pixels) is to each colour's tops, (colours, pixels), 0 to 1.

    Light may vary a little. All squares are multiplied out into a sum of five terms, which is one product of matrices.
    """
    scale = spread / USUAL_SPREAD
    of_tint, of_brightness = (-0.5 / (one * scale) ** 2 for one in (TINT_SPREAD, BRIGHTNESS_SPREAD))
    # What differs in brightness alone differs as much in all three tones, and must not count twice.
    of_brightness -= 3 * of_tint
    tops, means = cubes.astype(np.float64), cubes.mean(axis=1, dtype=np.float64)[:, None]
    factors = np.hstack(
        [
            np.tile([of_tint, of_brightness], (len(cubes), 1)),
            -2 * (of_tint * tops + of_brightness * means / 3),
            of_tint * (tops**2).sum(axis=1, keepdims=True) + of_brightness * means**2,
        ]
    )
    mean = planes.sum(axis=0) / np.float32(3)
    terms = np.vstack([np.einsum("cn,cn->n", planes, planes), mean * mean, planes, np.ones_like(mean)])
    return np.asarray(cv2.exp(factors.astype(np.float32) @ terms), np.float32)


@cache
def inside(rim_cells: float) -> Array:
    """Return which of a patch's pixels are in the cell or up to this far beyond it, (PATCH_PX, PATCH_PX): 1 or 0."""
    steps = (np.arange(PATCH_PX) - (PATCH_PX - 1) / 2) * (PATCH_CELLS / PATCH_PX)
    x, y = np.meshgrid(steps, steps)
    return inside_hexagon(x, y, -rim_cells).astype(np.float32)
