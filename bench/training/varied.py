"""The differences between two looks at one cell: another printing's colours, its place, the light on it.

Patches are tones (n, PATCH_PX, PATCH_PX, 3), B G R.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.tiles.exemplars import Array
from vision.tiles.patches import PATCH_CELLS, PATCH_PX

#: How often a printing is recoloured at all when it may be, its colours swapped, its light and dark swapped.
_RECOLOURED, _SWAPPED, _NEGATIVE = 0.85, 0.5, 0.12
#: Tones stay between these before they are bent.
_DARKEST, _BRIGHTEST = 0.01, 1.6
#: How often a cell has an edge of light across it, a bar in place of an edge, haze, a lamp's glare, and is blurred.
_EDGED, _BARRED, _HAZY, _GLARING, _BLURRED = 0.35, 0.35, 0.25, 0.1, 0.5
#: How much light haze adds at most, and glare in its middle; from where on glare is less, in cell sides.
_HAZE, _GLARE, _GLARE_CELLS = 0.09, (0.06, 0.28), (0.5, 2.5)
#: How far it is blurred, in cell sides.
_BLURS = (0.02, 0.055)
#: Spreads of the light's logarithm: of all of it, of its tint, and from the middle to a cell side away.
_GAIN, _TINT, _SLOPE = 0.08, 0.028, 0.08
#: An edge of shadow leaves exp(-0.7) of the light, one of sun brings exp(0.45).
_DEEPEST, _SUNNIEST = -0.7, 0.45


@dataclass(frozen=True, eq=False)
class Places:
    """Where a picture's pixels are, in cell sides to the right and down, (h, w) each."""

    right: NDArray[np.float64]
    down: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Recolouring:
    """Another printing of the same drawings: one change of colour for all of a table's pictures.

    Tones times `mixing`, light and dark swapped where `is_negative`, to the power of `bent`, times `gain`.
    """

    mixing: Array
    is_negative: bool
    bent: Array
    gain: Array

    @classmethod
    def none(cls) -> Recolouring:
        """Return the one that changes nothing."""
        return cls(np.eye(3, dtype=np.float32), False, np.ones(3, np.float32), np.ones(3, np.float32))

    @classmethod
    def drawn(cls, rng: np.random.Generator, strength: float) -> Recolouring:
        """Return some recolouring; now and then it changes nothing."""
        if rng.random() >= _RECOLOURED:
            return cls.none()
        mixing = np.eye(3) + rng.normal(0, 0.35 * strength, (3, 3))
        if rng.random() < _SWAPPED:
            mixing = mixing[rng.permutation(3)]
        sums = mixing.sum(axis=1, keepdims=True)
        mixing = mixing / np.maximum(np.abs(sums), 0.35) * np.sign(sums + 1e-6)
        bent = math.exp(rng.normal(0, 0.25)) * np.exp(rng.normal(0, 0.1, 3))
        gain = rng.uniform(0.55, 1.15) * np.exp(rng.normal(0, 0.06, 3))
        is_negative = bool(rng.random() < _NEGATIVE)
        return cls(mixing.astype(np.float32), is_negative, bent.astype(np.float32), gain.astype(np.float32))

    def of(self, tones: Array) -> Array:
        """Return tones (..., 3) in the other printing's colours."""
        mixed = tones @ self.mixing.T
        if self.is_negative:
            mixed = np.float32(1.1) - mixed
        return np.asarray(np.clip(mixed, _DARKEST, _BRIGHTEST) ** self.bent * self.gain, dtype=np.float32)


def motions(count: int, rng: np.random.Generator, shift_cells: float, turn: float, scale: float) -> Array:
    """Return affine motions (count, 2, 3) of a patch's pixels: shifts, turns (radians) and scales of these spreads."""
    middle = (PATCH_PX - 1) / 2
    angles = np.clip(rng.normal(0, turn, count), -2 * turn, 2 * turn)
    scales, shifts = 1 + rng.normal(0, scale, count), rng.normal(0, shift_cells * PATCH_PX / PATCH_CELLS, (count, 2))
    found = np.empty((count, 2, 3), np.float32)
    for motion, angle, size, shift in zip(found, angles, scales, shifts, strict=True):
        motion[:] = cv2.getRotationMatrix2D((middle, middle), math.degrees(angle), size)
        motion[:, 2] += shift
    return found


def moved(patches: Array, by: Array) -> Array:
    """Return patches (n, PATCH_PX, PATCH_PX, 3 or 4), each moved by its own motion, (n, 2, 3)."""
    found = np.empty_like(patches)
    for patch, motion, to in zip(patches, by, found, strict=True):
        cv2.warpAffine(patch, motion, (PATCH_PX, PATCH_PX), to, cv2.INTER_LINEAR, cv2.BORDER_REPLICATE)
    return found


def lit(patches: Array, rng: np.random.Generator, places: Places | None = None) -> Array:
    """Return patches as photographs show them: gain, tint, gradients, edges of light, haze, blur and noise.

    `places` are how far to the right and down each pixel is, in cell sides; None: those of a patch.
    """
    count, at = len(patches), _PATCH if places is None else places
    logs = rng.normal(0, _GAIN, (count, 1, 1, 1)) + rng.normal(0, _TINT, (count, 1, 1, 3))
    slopes = rng.normal(0, _SLOPE, (count, 2, 1, 1))
    logs = logs + (slopes[:, 0] * at.right + slopes[:, 1] * at.down)[..., None] + _edges(count, at, rng)
    found = patches * np.exp(logs).astype(np.float32)
    found += (rng.uniform(0, _HAZE, count) * (rng.random(count) < _HAZY)).astype(np.float32)[:, None, None, None]
    found += _glare(count, at, rng)[..., None]
    blur_px = rng.uniform(*_BLURS) / abs(float(at.right[0, 1] - at.right[0, 0]))
    for one in np.flatnonzero(rng.random(count) < _BLURRED / 2):
        found[one] = cv2.GaussianBlur(found[one], (0, 0), blur_px, borderType=cv2.BORDER_REPLICATE)
    noise = rng.standard_normal(found.shape, dtype=np.float32)
    return np.asarray(found + noise * rng.uniform(0.003, 0.035, (count, 1, 1, 1)).astype(np.float32), np.float32)


def _glare(count: int, at: Places, rng: np.random.Generator) -> Array:
    """Return the light that a lamp's mirror image adds to each patch, about a point on it or beside it."""
    right, down = rng.uniform(-1.2, 1.2, (2, count, 1, 1))
    wide = rng.uniform(*_GLARE_CELLS, (count, 1, 1))
    light = rng.uniform(*_GLARE, (count, 1, 1)) * (rng.random((count, 1, 1)) < _GLARING)
    away = ((at.right - right) ** 2 + (at.down - down) ** 2) / wide**2
    return np.asarray(light * np.exp(-0.5 * away), np.float32)


def _edges(count: int, at: Places, rng: np.random.Generator) -> Array:
    """Return the logarithm of the light on each patch that an edge of shadow, or a bar, leaves."""
    angles, offs = rng.uniform(0, math.tau, (count, 1, 1)), rng.uniform(-0.9, 0.9, (count, 1, 1))
    soft = np.exp(rng.uniform(math.log(0.03), math.log(0.6), (count, 1, 1)))
    along = np.cos(angles) * at.right + np.sin(angles) * at.down - offs
    is_bar, wide = rng.random((count, 1, 1)) < _BARRED, rng.uniform(0.3, 1.0, (count, 1, 1))
    share = np.clip(np.where(is_bar, wide - np.abs(along), along) / soft + 0.5, 0, 1)
    depth = rng.uniform(_DEEPEST, _SUNNIEST, (count, 1)) + rng.normal(0, 0.06, (count, 3))
    depth *= rng.random((count, 1)) < _EDGED
    return np.asarray(share[..., None] * depth[:, None, None, :], dtype=np.float32)


_STEPS = (np.arange(PATCH_PX) - (PATCH_PX - 1) / 2) * (PATCH_CELLS / PATCH_PX)
_PATCH = Places(*np.meshgrid(_STEPS, _STEPS))
