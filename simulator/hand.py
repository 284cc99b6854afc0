"""A forearm with a hand, as a sprite: its picture, the part it covers, and how high it is for its shadow.

Also the sprite over a picture, with its shadow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from simulator.paint import Bgr, Image, Points, fill, fractal, stamp
from simulator.scene import Hand, Nudge
from simulator.solids import Lamp
from simulator.view import View, pushed

#: Pixels of the sprite for one cell side; it is scaled to the picture when drawn.
SPRITE_PX = 26.0
#: The sprite's size in cell sides, and where in it the tip of the middle finger is; the arm extends to the right.
_LONG, _BROAD, _TIP = 34.0, 11.0, 1.0

_SKIN: tuple[Bgr, ...] = ((128, 158, 214), (150, 182, 232), (84, 116, 172), (60, 84, 124))
_SLEEVE: tuple[Bgr, ...] = ((130, 78, 42), (62, 62, 66), (60, 60, 150), (86, 110, 66), (178, 186, 190))

#: Bones of a right hand that points to the left, fingers a little spread: x, y, radius at both ends, in cell sides.
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


#: How far a hand is above the table, in cell sides: its shadow falls that much farther away.
_HAND_CELLS = 1.6


def with_hand(picture: Image, view: View, hand: Hand, lamp: Lamp) -> Image:
    """Return the picture with that hand over the table, and its shadow."""
    sprite, at, turn, scale = _arm(view, hand)
    result = picture.copy()
    shadow = np.zeros(picture.shape[:2], np.uint8)
    cast = np.array(lamp.cast) * _HAND_CELLS * scale * SPRITE_PX
    stamp_mask(shadow, sprite, (at[0] + float(cast[0]), at[1] + float(cast[1])), turn, scale)
    darken(result, np.asarray(cv2.convertScaleAbs(shadow, alpha=0.5), np.uint8), scale * SPRITE_PX * 0.3)
    stamp(result, sprite.image, sprite.mask, _middle(sprite, at, turn, scale), turn, scale=scale)
    return result


def covered_by(view: View, hand: Hand | None) -> Image:
    """Return a picture's mask (height, width) that is 255 where the hand covers the table."""
    covered = np.zeros((view.height, view.width), np.uint8)
    if hand is not None:
        stamp_mask(covered, *_arm(view, hand))
    return covered


def _arm(view: View, hand: Hand) -> tuple[Sprite, tuple[float, float], float, float]:
    """Return the arm's sprite, its fingertip's place in the picture, its turn, and its scale."""
    tip, beyond = view.project([(hand.x, hand.y), (hand.x + 1, hand.y)])
    # A hand hovers: it is nearer to the camera than the board by its height.
    scale = float(np.hypot(*(beyond - tip))) / SPRITE_PX * (1 + _HAND_CELLS / view.camera[2])
    return arm(hand.look), (float(tip[0]), float(tip[1])), hand.coming_from, scale


def covered_share(covered: Image, view: View, outline: Points, nudge: Nudge) -> float:
    """Return how much of the area in the outline (n, 2) of the board is covered; 1 if it leaves the picture."""
    outline_px = view.project(pushed(outline, nudge))
    left, top = np.floor(outline_px.min(axis=0)).astype(int)
    right, bottom = np.ceil(outline_px.max(axis=0)).astype(int) + 1
    if left < 0 or top < 0 or right > view.width or bottom > view.height:
        return 1.0
    inside = np.zeros((bottom - top, right - left), np.uint8)
    fill(inside, outline_px - (left, top), 255)
    area = inside > 127
    return float((covered[top:bottom, left:right][area] > 100).mean())


def stamp_mask(covered: Image, sprite: Sprite, at: tuple[float, float], turn: float, scale: float) -> None:
    """Mark in place (255) what the sprite covers, its fingertip at that pixel."""
    height, width = sprite.mask.shape
    layer = np.zeros((*covered.shape, 3), np.uint8)
    white = np.full((height, width, 3), 255, np.uint8)
    stamp(layer, white, sprite.mask, _middle(sprite, at, turn, scale), turn, scale=scale)
    np.maximum(covered, layer[..., 0], out=covered)


def _middle(sprite: Sprite, at: tuple[float, float], turn: float, scale: float) -> tuple[float, float]:
    """Return the place of the sprite's middle when its tip is at `at`."""
    height, width = sprite.mask.shape
    x, y = ((width - 1) / 2 - sprite.tip[0]) * scale, ((height - 1) / 2 - sprite.tip[1]) * scale
    c, s = math.cos(turn), math.sin(turn)
    return at[0] + c * x - s * y, at[1] + s * x + c * y


def darken(image: Image, shadows: Image, soft_px: float) -> None:
    """Darken the image in place where the shadows (0 none, 255 black) fall, softened."""
    soft = cv2.GaussianBlur(shadows, (0, 0), max(0.6, soft_px))
    kept = cv2.merge([255 - np.asarray(soft, np.uint8)] * 3)
    cv2.multiply(image, kept, image, 1 / 255)
