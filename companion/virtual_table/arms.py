"""A hand over a picture: where it covers, and the picture with it and its shadow."""

from __future__ import annotations

import math

import cv2
import numpy as np

from companion.virtual_table.hand import SPRITE_PX, Sprite, arm
from companion.virtual_table.paint import Image, Points, fill, stamp
from companion.virtual_table.scene import Hand, Nudge
from companion.virtual_table.solids import Lamp
from companion.virtual_table.view import View, pushed

#: How far a hand is above the table, in cell sides: its shadow falls that much further.
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
    """The arm's sprite, where its fingertip lies in the picture, its turn, and its scale."""
    tip, beyond = view.project([(hand.x, hand.y), (hand.x + 1, hand.y)])
    # A hand hovers: it is nearer to the camera than the board by its height.
    scale = float(np.hypot(*(beyond - tip))) / SPRITE_PX * (1 + _HAND_CELLS / view.camera[2])
    return arm(hand.look), (float(tip[0]), float(tip[1])), hand.coming_from, scale


def covered_share(covered: Image, view: View, outline: Points, nudge: Nudge) -> float:
    """Return how much of what the outline (n, 2) of the board encloses is covered, 1 where it leaves the picture."""
    seen = view.project(pushed(outline, nudge))
    left, top = np.floor(seen.min(axis=0)).astype(int)
    right, bottom = np.ceil(seen.max(axis=0)).astype(int) + 1
    if left < 0 or top < 0 or right > view.width or bottom > view.height:
        return 1.0
    inside = np.zeros((bottom - top, right - left), np.uint8)
    fill(inside, seen - (left, top), 255)
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
    """Where the sprite's middle lies when its tip is at `at`."""
    height, width = sprite.mask.shape
    x, y = ((width - 1) / 2 - sprite.tip[0]) * scale, ((height - 1) / 2 - sprite.tip[1]) * scale
    c, s = math.cos(turn), math.sin(turn)
    return at[0] + c * x - s * y, at[1] + s * x + c * y


def darken(image: Image, shadows: Image, soft_px: float) -> None:
    """Darken the image in place where the shadows (0 none, 255 black) fall, softened."""
    soft = cv2.GaussianBlur(shadows, (0, 0), max(0.6, soft_px))
    kept = cv2.merge([255 - np.asarray(soft, np.uint8)] * 3)
    cv2.multiply(image, kept, image, 1 / 255)
