"""A forearm with a hand, as a sprite: its picture, where it covers, and how high it is for its shadow."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.virtual_table.paint import Bgr, Image, fractal

#: Pixels of the sprite for one cell side; scaled to the picture when drawn.
SPRITE_PX = 26.0
#: The sprite's size in cell sides, and where in it the tip of the middle finger is; the arm runs to the right.
_LONG, _BROAD, _TIP = 34.0, 11.0, 1.0

_SKIN: tuple[Bgr, ...] = ((128, 158, 214), (150, 182, 232), (84, 116, 172), (60, 84, 124))
_SLEEVE: tuple[Bgr, ...] = ((130, 78, 42), (62, 62, 66), (60, 60, 150), (86, 110, 66), (178, 186, 190))

#: Bones of a right hand reaching to the left, fingers a little spread: x, y, radius at both ends, in cell sides.
_BONES = (
    (1.0, 0.0, 0.36, 3.1, 0.1, 0.43),
    (3.1, 0.1, 0.43, 6.2, 0.3, 0.60),
    (1.5, -1.25, 0.34, 3.4, -0.85, 0.41),
    (3.4, -0.85, 0.41, 6.2, -0.55, 0.58),
    (1.6, 1.2, 0.34, 3.5, 1.05, 0.41),
    (3.5, 1.05, 0.41, 6.3, 1.0, 0.58),
    (2.9, 2.45, 0.29, 4.5, 2.1, 0.36),
    (4.5, 2.1, 0.36, 6.7, 1.6, 0.56),
    (3.9, -2.95, 0.38, 5.6, -2.5, 0.5),
    (5.6, -2.5, 0.5, 8.2, -1.2, 0.85),
    (6.4, -0.5, 0.8, 8.9, -0.35, 1.0),
    (6.4, 0.5, 0.8, 8.9, 0.35, 1.0),
    (6.7, 1.3, 0.7, 8.9, 0.7, 0.95),
    (8.6, 0.0, 1.25, 11.4, 0.05, 1.12),
    (11.4, 0.05, 1.12, 16.0, 0.1, 1.5),
)
_SLEEVE_BONES = ((11.6, 0.05, 1.62, 20.0, 0.2, 2.05), (20.0, 0.2, 2.05, 33.0, 0.6, 2.6))


@dataclass(frozen=True, slots=True)
class Sprite:
    """A picture of `SPRITE_PX` pixels a cell side; `mask` is 255 where it covers; `tip` is the fingertip's pixel."""

    image: Image
    mask: Image
    tip: tuple[float, float]


@lru_cache(maxsize=4)
def arm(look: int) -> Sprite:
    """Return the arm of that look, fingers to the left, lit from the upper left."""
    rng = np.random.default_rng((look, 7))
    skin, sleeve = _SKIN[int(rng.integers(len(_SKIN)))], _SLEEVE[int(rng.integers(len(_SLEEVE)))]
    height, width = round(_BROAD * SPRITE_PX), round(_LONG * SPRITE_PX)
    x = np.arange(width, dtype=np.float32)[None, :] / np.float32(SPRITE_PX)
    y = (np.arange(height, dtype=np.float32)[:, None] / np.float32(SPRITE_PX)) - np.float32(_BROAD / 2)
    mirror = -1.0 if rng.random() < 0.5 else 1.0
    flesh = _bulk(x, y * np.float32(mirror), _BONES, 0.22)
    folds = fractal(rng, height, width, (SPRITE_PX * 1.2, SPRITE_PX * 3.0), 3) * np.float32(0.16)
    cloth = _bulk(x, y * np.float32(mirror), _SLEEVE_BONES, 0.1)
    cloth = np.where(cloth > 0, cloth + folds, cloth).astype(np.float32)
    pores = fractal(rng, height, width, (SPRITE_PX * 1.5, SPRITE_PX * 1.5), 4)
    over = cloth > 0
    tall = np.where(over, cloth + np.float32(0.25), flesh).astype(np.float32)
    light = _lit(tall)
    # Finger tips and knuckles are redder; nails are left out at this size.
    red = np.exp(-((x - 2.0) ** 2) / 3.0) * 0.05 + pores * 0.025
    paint = np.where(over[..., None], np.array(sleeve, np.float32), np.array(skin, np.float32))
    tint = np.stack([1 - red * 1.4, 1 - red, 1 + red * 0.4], axis=-1)
    paint = np.where(over[..., None], paint * (1 + pores[..., None] * 0.05), paint * tint)
    image = np.clip(paint * light[..., None], 0, 255).astype(np.uint8)
    covered = np.clip((np.maximum(flesh, cloth)) * SPRITE_PX * 2.0, 0, 1) * 255
    mask = np.asarray(cv2.GaussianBlur(covered.astype(np.float32), (0, 0), 0.7)).astype(np.uint8)
    return Sprite(image, mask, (_TIP * SPRITE_PX - 0.3 * SPRITE_PX, height / 2))


def _bulk(
    x: NDArray[np.float32], y: NDArray[np.float32], bones: tuple[tuple[float, ...], ...], smooth: float
) -> NDArray[np.float32]:
    """Return the height above the middle plane of round limbs along the bones; below zero outside them."""
    total: NDArray[np.float32] = np.full((y.shape[0], x.shape[1]), -1.0, np.float32)
    for x0, y0, r0, x1, y1, r1 in bones:
        along = np.clip(((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / ((x1 - x0) ** 2 + (y1 - y0) ** 2), 0, 1)
        distance = np.hypot(x - (x0 + along * (x1 - x0)), y - (y0 + along * (y1 - y0)))
        radius = r0 + along * (r1 - r0)
        inside = np.clip(radius**2 - distance**2, 0, None)
        limb = np.where(distance < radius, np.sqrt(inside), radius - distance).astype(np.float32)
        # A soft maximum joins fingers and palm without a crease.
        larger, smaller = np.maximum(total, limb), np.minimum(total, limb)
        total = (larger + np.where(smaller > 0, smooth * np.exp((smaller - larger) / 0.25), 0)).astype(np.float32)
    return total


def _lit(tall: NDArray[np.float32]) -> NDArray[np.float32]:
    soft = np.asarray(cv2.GaussianBlur(np.clip(tall, 0, None), (0, 0), 1.6))
    down, right = np.gradient(soft * np.float32(SPRITE_PX * 0.8))
    length = np.sqrt(right**2 + down**2 + 1)
    towards = np.array([-0.35, -0.45, 0.82], np.float32)
    dot = (-right * towards[0] - down * towards[1] + towards[2]) / length
    return np.asarray(0.5 + 0.62 * np.clip(dot, 0, 1), np.float32)
