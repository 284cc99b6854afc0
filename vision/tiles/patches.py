"""Cells as the learnt nets see them: square patches, cut from a fine flat picture and turned by sixths."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import HexCell
from vision.light.flatten import FINE_PX, GAMMA, SIDE_PX, Floats, Image
from vision.light.gain import logarithm_of

#: A patch's width in cell sides, an eighth of a side beyond the cell's corners, and its width in pixels.
PATCH_CELLS, PATCH_PX = 2.25, 72
#: The level of tone 1.0; light brighter than 1.27 times that is cut off.
WHITE = 200.0

Levels = NDArray[np.uint8]


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


def cut_levels(levels: Levels, cells: Sequence[HexCell], turns: Sequence[int] = (0,)) -> Levels:
    """Return the same patches of a picture of any levels, (size, size) or (size, size, channels), as levels."""
    patches = np.empty((len(cells), len(turns), PATCH_PX, PATCH_PX, *levels.shape[2:]), np.uint8)
    for of_cell, cell in zip(patches, cells, strict=True):
        right, down = (value * FINE_PX + len(levels) / 2 for value in cell.centre)
        for patch, turn in zip(of_cell, turns, strict=True):
            cut_about(levels, (right, down), PATCH_CELLS / PATCH_PX * FINE_PX, turn, patch)
    return patches


def in_turns(patch: Levels, turns: Sequence[int]) -> Levels:
    """Return a patch turned about its middle, (turns, ...), as `cut_levels` would have cut it; its corners are lost."""
    patches = np.empty((len(turns), *patch.shape), np.uint8)
    for turned, turn in zip(patches, turns, strict=True):
        cut_about(patch, ((PATCH_PX - 1) / 2,) * 2, 1.0, turn, turned)
    return patches


def cut_about(
    picture: Levels | Floats, at: tuple[float, float], scale: float, turn: int, patch: Levels | Floats
) -> None:
    """Cut a patch out about a point; its pixels are `scale` of the picture's apart."""
    cos, sin = (scale * one(math.radians(60 * turn)) for one in (math.cos, math.sin))
    (right, down), middle = at, (PATCH_PX - 1) / 2
    motion = np.array([[cos, -sin, right - (cos - sin) * middle], [sin, cos, down - (sin + cos) * middle]], np.float64)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    cv2.warpAffine(picture, motion, (PATCH_PX, PATCH_PX), patch, flags, cv2.BORDER_REPLICATE)


class Net:
    """A learnt net. Any thread may ask it: who plays and who sets a table up meanwhile wait for one another.

    OpenCV's own is changed by each input, so two threads would get each other's outputs.
    """

    def __init__(self, path: Path) -> None:
        self._net, self._lock = cv2.dnn.readNetFromONNX(str(path)), threading.Lock()

    def __call__(self, inputs: Floats, outputs: Sequence[str] = ()) -> tuple[Floats, ...]:
        """Return the outputs of those names; the last one where none is named."""
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
