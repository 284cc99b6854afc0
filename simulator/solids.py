"""Bodies over the table, drawn into the picture: cubes, markers, a mug, a forearm with a hand; and their shadows.

The hand is a sprite: its picture, the part that it covers, and its height, which its shadow depends on.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from simulator.paint import Bgr, Image, Points, fill, fractal, line, shade, stamp
from simulator.scene import CUBE_CELLS, Hand, Nudge
from simulator.view import View, pushed

#: A marker's profile, (radius, height) in cell sides from foot to top: a peg with a rounded head.
MARKER_PROFILE = ((0.3, 0.0), (0.29, 0.22), (0.27, 0.5), (0.22, 0.58), (0.12, 0.62), (0.0, 0.63))

#: From board points (n, 3), height last, to points of the table: it applies the push of the board.
Placing = Callable[[ArrayLike], Points]


@dataclass(frozen=True, slots=True)
class Lamp:
    """The lamp. A body of height h casts its shadow h * `cast` cell sides (right, down) away.

    `tone` is the share of the light, 0 to 1, that reaches a face turned away.
    """

    cast: tuple[float, float]
    tone: float = 0.55

    def on_face(self, normal: Points) -> float:
        """Return how bright a face with that normal (right, down, up) is; 1 for one that faces straight up."""
        towards = np.array([-self.cast[0], -self.cast[1], 1.0])
        towards /= float(np.linalg.norm(towards))
        return self.tone + (1 - self.tone) * max(0.0, float(normal @ towards)) / float(towards[2])


@dataclass(frozen=True, slots=True)
class Stage:
    """A picture to draw bodies into, seen by a camera and lit by a lamp. `place` takes board points to the table."""

    image: Image
    view: View
    lamp: Lamp
    place: Placing

    def project(self, points: Points) -> Points:
        """Return where points (n, 3) of the board, height last, are in the picture."""
        return self.view.project(self.place(points))


def draw_cube(stage: Stage, centre: tuple[float, float], turn: float, color: Bgr) -> None:
    """Draw a merchant cube standing at `centre` of the board plane."""
    image, lamp = stage.image, stage.lamp
    foot = _circle(4, turn + math.pi / 4) * CUBE_CELLS / math.sqrt(2) + centre
    low, high = (np.column_stack([foot, np.full(4, height)]) for height in (0.0, CUBE_CELLS))
    table = stage.place(np.vstack([low, high]))
    corners_px = stage.view.project(table)
    for k in range(4):
        other = (k + 1) % 4
        face = corners_px[[k, other, other + 4, k + 4]]
        if _area(face) > 0:
            outward = table[k, :2] + table[other, :2] - table[:4, :2].mean(axis=0) * 2
            normal = np.array([*(outward / np.linalg.norm(outward)), 0.0])
            fill(image, face, shade(color, 0.92 * lamp.on_face(normal)))
    top = corners_px[4:]
    fill(image, top, shade(color, 1.06))
    line(image, top, shade(color, 1.22), 1, closed=True)


def cube_shadow(centre: tuple[float, float], turn: float, lamp: Lamp) -> Points:
    """Return the outline (n, 2) of a cube's shadow in the board plane."""
    foot = _circle(4, turn + math.pi / 4) * CUBE_CELLS / math.sqrt(2) + centre
    return _hull(np.vstack([foot, foot + np.array(lamp.cast) * CUBE_CELLS]))


def draw_turned(
    stage: Stage,
    centre: tuple[float, float],
    profile: tuple[tuple[float, float], ...],
    color: Bgr,
    steps: int = 28,
) -> None:
    """Draw a body of revolution standing at `centre`. `profile` is (radius, height) from its foot up, in cell sides."""
    circle = _circle(steps)
    rings = [
        stage.project(np.column_stack([circle * radius + centre, np.full(steps, height)])) for radius, height in profile
    ]
    for below, above, (r0, h0), (r1, h1) in zip(rings, rings[1:], profile, profile[1:], strict=False):
        slope = np.array([h1 - h0, r0 - r1])
        slope = slope / (float(np.linalg.norm(slope)) or 1.0)
        for k in range(steps):
            other = (k + 1) % steps
            face = np.array([below[k], below[other], above[other], above[k]])
            if _area(face) > 0 or slope[1] > 0.3:
                middle = circle[k] + circle[other]
                normal = np.array([*(middle / np.linalg.norm(middle) * slope[0]), slope[1]])
                fill(stage.image, face, shade(color, 1.04 * stage.lamp.on_face(normal)))


def turned_shadow(centre: tuple[float, float], radius: float, height: float, lamp: Lamp) -> Points:
    """Return the outline (n, 2) of the shadow of an upright cylinder in the board plane."""
    foot = _circle(20) * radius + centre
    return _hull(np.vstack([foot, foot + np.array(lamp.cast) * height]))


def _circle(steps: int, start: float = 0.0) -> Points:
    """Return that many points (n, 2) of the unit circle, the first one at that angle."""
    angles = start + np.arange(steps) * math.tau / steps
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def _area(face: Points) -> float:
    """Return twice the signed area of a quadrangle; it is above zero if the face looks at the camera."""
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = face.tolist()
    return float((cx - ax) * (dy - by) - (dx - bx) * (cy - ay))


def _hull(points: Points) -> Points:
    return np.asarray(cv2.convexHull(points.astype(np.float32)), np.float64).reshape(-1, 2)


#: The sprite's pixels per cell side. It is scaled to the picture when drawn.
SPRITE_PX = 26.0
#: The sprite's size in cell sides, and where in it the tip of the middle finger is. The arm extends to the right.
_LONG, _BROAD, _TIP = 34.0, 11.0, 1.0

_SKIN: tuple[Bgr, ...] = ((128, 158, 214), (150, 182, 232), (84, 116, 172), (60, 84, 124))
_SLEEVE: tuple[Bgr, ...] = ((130, 78, 42), (62, 62, 66), (60, 60, 150), (86, 110, 66), (178, 186, 190))

#: Bones of a right hand that points left, fingers a little spread: x, y, radius at both ends, in cell sides.
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
    """A picture with `SPRITE_PX` pixels to a cell side. `mask` is 255 where it covers, `tip` the fingertip's pixel."""

    image: Image
    mask: Image
    tip: tuple[float, float]


@lru_cache(maxsize=4)
def arm(look: int) -> Sprite:
    """Return the arm with that look, its fingers to the left, lit from the upper left."""
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
    # Fingertips and knuckles are redder; nails are left out at this size.
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
    """Return the height of round limbs along the bones above the middle plane; it is below zero outside them."""
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


#: How high above the table a hand is, in cell sides; its shadow is that much farther away.
_HAND_CELLS = 1.6


def with_hand(picture: Image, view: View, hand: Hand, lamp: Lamp) -> Image:
    """Return the picture with that hand and its shadow over the table."""
    sprite, at, turn, scale = _arm(view, hand)
    result = picture.copy()
    shadow = np.zeros(picture.shape[:2], np.uint8)
    cast = np.array(lamp.cast) * _HAND_CELLS * scale * SPRITE_PX
    stamp_mask(shadow, sprite, (at[0] + float(cast[0]), at[1] + float(cast[1])), turn, scale)
    darken(result, np.asarray(cv2.convertScaleAbs(shadow, alpha=0.5), np.uint8), scale * SPRITE_PX * 0.3)
    stamp(result, sprite.image, sprite.mask, _middle(sprite, at, turn, scale), turn, scale=scale)
    return result


def covered_by(view: View, hand: Hand | None) -> Image:
    """Return a mask (height, width) of the picture that is 255 where the hand covers the table."""
    covered = np.zeros((view.height, view.width), np.uint8)
    if hand is not None:
        stamp_mask(covered, *_arm(view, hand))
    return covered


def _arm(view: View, hand: Hand) -> tuple[Sprite, tuple[float, float], float, float]:
    """Return the arm's sprite, its fingertip's place in the picture, its turn, and its scale."""
    tip, beyond = view.project([(hand.x, hand.y), (hand.x + 1, hand.y)])
    # A hand hovers, so it is nearer to the camera than the board is, by its height.
    scale = float(np.hypot(*(beyond - tip))) / SPRITE_PX * (1 + _HAND_CELLS / view.camera[2])
    return arm(hand.look), (float(tip[0]), float(tip[1])), hand.coming_from, scale


def covered_share(covered: Image, view: View, outline: Points, nudge: Nudge) -> float:
    """Return how much of the area in an outline (n, 2) of the board is covered; 1 if it reaches out of the picture."""
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
    """Mark in place (255) what the sprite covers with its fingertip at that pixel."""
    height, width = sprite.mask.shape
    layer = np.zeros((*covered.shape, 3), np.uint8)
    white = np.full((height, width, 3), 255, np.uint8)
    stamp(layer, white, sprite.mask, _middle(sprite, at, turn, scale), turn, scale=scale)
    np.maximum(covered, layer[..., 0], out=covered)


def _middle(sprite: Sprite, at: tuple[float, float], turn: float, scale: float) -> tuple[float, float]:
    """Return where the sprite's middle is when its tip is at `at`."""
    height, width = sprite.mask.shape
    x, y = ((width - 1) / 2 - sprite.tip[0]) * scale, ((height - 1) / 2 - sprite.tip[1]) * scale
    c, s = math.cos(turn), math.sin(turn)
    return at[0] + c * x - s * y, at[1] + s * x + c * y


def darken(image: Image, shadows: Image, soft_px: float) -> None:
    """Darken the image in place where the shadows (0 none, 255 black) fall, softened."""
    soft = cv2.GaussianBlur(shadows, (0, 0), max(0.6, soft_px))
    kept = cv2.merge([255 - np.asarray(soft, np.uint8)] * 3)
    cv2.multiply(image, kept, image, 1 / 255)
