"""The differences between two looks at one cell: another printing's colours, and how the cell lies."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from vision.tiles.exemplars import Array
from vision.tiles.patches import PATCH_CELLS, PATCH_PX

#: How often a printing is recoloured at all when it may be, its colours swapped, its light and dark swapped.
_RECOLOURED, _SWAPPED, _NEGATIVE = 0.85, 0.5, 0.12
#: Tones stay between these before they are bent; light and dark are swapped about half of this.
DARKEST, BRIGHTEST, SWAP = 0.01, 1.6, 1.1


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
        """Return a random recolouring; now and then it changes nothing."""
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
            mixed = np.float32(SWAP) - mixed
        return np.asarray(np.clip(mixed, DARKEST, BRIGHTEST) ** self.bent * self.gain, dtype=np.float32)


def numbers_of(colours: Recolouring) -> Array:
    """Return a recolouring as numbers, (3, 6): what is mixed into each channel, 1 if swapped, how bent, the gain."""
    swapped = np.full(3, float(colours.is_negative), np.float32)
    return np.concatenate([colours.mixing, np.stack([swapped, colours.bent, colours.gain], 1)], 1).astype(np.float32)


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
