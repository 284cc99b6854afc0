"""What made-up printings are drawn on: one cell, finer than the reader sees it, in tones from 0 to 1, B G R.

Points are (right, down) of the cell's middle, in cell sides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.flatten import SIDE_PX as FLAT_SIDE_PX
from vision.patches import Levels, levels_of

#: Pixels to a cell side, and a canvas's width: 1.25 sides to each side of the middle.
SIDE_PX, CANVAS_PX = 40, 100
#: Its width as a flat picture.
_FLAT_PX = CANVAS_PX * FLAT_SIDE_PX // SIDE_PX
#: Where the middle is, in pixels: a flat picture has it half a pixel beyond its own middle (vision/flatten.py).
_MIDDLE_PX = (CANVAS_PX - 1) / 2 + SIDE_PX / FLAT_SIDE_PX / 2
#: OpenCV draws at sixteenths of a pixel.
_SHIFT = 4
_BLUR_PX = 0.8

Tones = NDArray[np.float32]
Ink = NDArray[np.float64]
Point = Sequence[float] | NDArray[np.float64]

_STEPS = ((np.arange(CANVAS_PX) - _MIDDLE_PX) / SIDE_PX).astype(np.float32)
#: How far each pixel is to the right and down.
RIGHT, DOWN = np.meshgrid(_STEPS, _STEPS)
#: How far out each pixel is: the hexagon's edges are at `EDGE`.
OUTWARD = np.max(
    [RIGHT * math.cos(math.radians(60 * edge)) - DOWN * math.sin(math.radians(60 * edge)) for edge in range(6)], axis=0
)
EDGE = math.sqrt(3) / 2


def plain(ink: Ink) -> Tones:
    """Return a canvas of one tone."""
    canvas = np.empty((CANVAS_PX, CANVAS_PX, 3), np.float32)
    canvas[:] = ink
    return canvas


def covered(distance: NDArray[np.floating]) -> Tones:
    """Return how much of each pixel lies where a distance, in cell sides, is above 0; smooth at the rim."""
    return np.asarray(np.clip(distance * SIDE_PX + 0.5, 0, 1), dtype=np.float32)


def painted(canvas: Tones, ink: Ink, share: Tones) -> Tones:
    """Return the canvas with so much of each pixel painted over."""
    return np.asarray(canvas + share[..., None] * (ink.astype(np.float32) - canvas), dtype=np.float32)


def grain(rng: np.random.Generator, size_px: float) -> Tones:
    """Return smooth noise of mean 0 and spread 1."""
    noise = cv2.GaussianBlur(rng.standard_normal((CANVAS_PX, CANVAS_PX)).astype(np.float32), (0, 0), size_px)
    return np.asarray(noise / (noise.std() + 1e-6), dtype=np.float32)


def varied(rng: np.random.Generator, ink: Point, spread: float) -> Ink:
    """Return an ink about as bright and about of that tint."""
    return np.clip(np.asarray(ink) * math.exp(rng.normal(0, spread)) + rng.normal(0, spread * 0.4, 3), 0.02, 1.05)


def at(right: float, down: float) -> NDArray[np.float64]:
    """Return a point."""
    return np.array([right, down])


def towards(angle: float, length: float = 1.0) -> NDArray[np.float64]:
    """Return the point so far away in a direction, in radians clockwise from the right."""
    return np.array([math.cos(angle), math.sin(angle)]) * length


def polygon(canvas: Tones, corners: Sequence[Point] | NDArray[np.float64], ink: Ink) -> None:
    """Fill a polygon."""
    cv2.fillPoly(canvas, [pixels(corners)], ink.tolist(), cv2.LINE_AA, _SHIFT)


def disc(canvas: Tones, centre: Point, radius: float, ink: Ink, line_px: int = -1) -> None:
    """Fill a disc, or draw a ring."""
    column, row = pixels(centre).tolist()
    cv2.circle(canvas, (column, row), _length(radius), ink.tolist(), line_px, cv2.LINE_AA, _SHIFT)


def line(canvas: Tones, start: Point, end: Point, ink: Ink, line_px: int = 2) -> None:
    """Draw a line."""
    first, last = pixels(start).tolist(), pixels(end).tolist()
    cv2.line(canvas, first, last, ink.tolist(), line_px, cv2.LINE_AA, _SHIFT)


def arc(canvas: Tones, centre: Point, radius: float, ink: Ink) -> None:
    """Draw a hill's outline."""
    axes = (_length(radius), _length(radius * 0.6))
    cv2.ellipse(canvas, pixels(centre).tolist(), axes, 0, 180, 360, ink.tolist(), 1, cv2.LINE_AA, _SHIFT)


def pixels(points: Sequence[Point] | Point) -> NDArray[np.int32]:
    """Return points in sixteenths of pixels."""
    places: NDArray[np.float64] = np.asarray(points, np.float64) * SIDE_PX + _MIDDLE_PX
    return np.asarray(np.round(places * 2**_SHIFT), dtype=np.int32)


def _length(cells: float) -> int:
    return int(cells * SIDE_PX * 2**_SHIFT)


def turned(canvas: Tones, sixths: int) -> Tones:
    """Return the canvas turned by so many sixths anticlockwise."""
    return moved(canvas, 60.0 * sixths)


def moved(canvas: Tones, degrees: float = 0.0, scale: float = 1.0, shift: Point = (0.0, 0.0)) -> Tones:
    """Return the canvas turned anticlockwise, scaled, and shifted by so many cell sides."""
    motion = cv2.getRotationMatrix2D((_MIDDLE_PX, _MIDDLE_PX), degrees, scale)
    motion[:, 2] += np.asarray(shift) * SIDE_PX
    size = (CANVAS_PX, CANVAS_PX)
    return np.asarray(
        cv2.warpAffine(canvas, motion, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32
    )


def flat(canvas: Tones) -> Levels:
    """Return the cell as a flat picture of levels, as the reader has them; `vision.patches.cut` takes it."""
    soft = cv2.GaussianBlur(canvas, (0, 0), _BLUR_PX)
    return levels_of(np.asarray(cv2.resize(soft, (_FLAT_PX, _FLAT_PX), interpolation=cv2.INTER_AREA), np.float32))
