"""Drawing on pixels: antialiased shapes, noise, pasting a patch under a mask. Points are (right, down) in pixels."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

Image = NDArray[np.uint8]
Points = NDArray[np.float64]

#: Blue, green, red, 0 to 255.
Bgr = tuple[float, float, float]

#: The corners of a square of side 2 around the origin.
SQUARE: Points = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float64)

#: OpenCV draws antialiased shapes at sixteenths of a pixel.
_SHIFT = 4


def _fixed(points: ArrayLike) -> NDArray[np.int32]:
    return np.round(np.asarray(points, np.float64) * (1 << _SHIFT)).astype(np.int32)


def fill(image: Image, points: ArrayLike, color: Bgr | float) -> None:
    """Fill a polygon, points (n, 2)."""
    cv2.fillPoly(image, [_fixed(points)], _scalar(color), cv2.LINE_AA, _SHIFT)


def line(image: Image, points: ArrayLike, color: Bgr | float, width_px: float, closed: bool = False) -> None:
    """Draw a line through points (n, 2), at least a pixel wide."""
    cv2.polylines(image, [_fixed(points)], closed, _scalar(color), max(1, round(width_px)), cv2.LINE_AA, _SHIFT)


def disc(image: Image, centre: Sequence[float], radius_px: float, color: Bgr | float) -> None:
    """Fill a circle."""
    x, y = _fixed(centre)
    cv2.circle(image, (int(x), int(y)), max(1, round(radius_px * 16)), _scalar(color), -1, cv2.LINE_AA, _SHIFT)


def ring(image: Image, centre: Sequence[float], radius_px: float, color: Bgr | float, width_px: float) -> None:
    """Draw a circle's outline."""
    x, y = _fixed(centre)
    cv2.circle(
        image, (int(x), int(y)), round(radius_px * 16), _scalar(color), max(1, round(width_px)), cv2.LINE_AA, _SHIFT
    )


def _scalar(color: Bgr | float) -> Sequence[float]:
    return color if isinstance(color, tuple) else (color,)


def shade(color: Bgr, factor: float) -> Bgr:
    """Return the colour made brighter or darker.

    >>> shade((10, 100, 200), 1.5)
    (15.0, 150.0, 255.0)
    """
    blue, green, red = (min(255.0, max(0.0, channel * factor)) for channel in color)
    return blue, green, red


def mix(one: Bgr, other: Bgr, share: float) -> Bgr:
    """Return a colour between two, `one` at share 0."""
    blue, green, red = (a + (b - a) * share for a, b in zip(one, other, strict=True))
    return blue, green, red


def varied(color: Bgr, rng: np.random.Generator, spread: float) -> Bgr:
    """Return the colour with its brightness and each channel off by about `spread` (a share)."""
    whole = rng.normal(1, spread)
    blue, green, red = (float(np.clip(channel * whole * rng.normal(1, spread * 0.4), 0, 255)) for channel in color)
    return blue, green, red


def flat(height: int, width: int, color: Bgr) -> Image:
    """Return an image of one colour."""
    return np.full((height, width, 3), np.round(color), np.uint8)


def fractal(
    rng: np.random.Generator, height: int, width: int, grain_px: tuple[float, float], octaves: int = 4
) -> NDArray[np.float32]:
    """Return smooth noise, about -1 to 1; `grain_px` is the size of its largest blots (right, down)."""
    total = np.zeros((height, width), np.float32)
    for octave in range(octaves):
        columns = max(2, math.ceil(width / grain_px[0] * 2**octave) + 1)
        rows = max(2, math.ceil(height / grain_px[1] * 2**octave) + 1)
        coarse = rng.standard_normal((min(rows, height), min(columns, width)), np.float32)
        total += np.asarray(cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)) * np.float32(
            0.5**octave
        )
    return np.clip(total / 2, -1, 1).astype(np.float32)


def mottle(image: Image, noise: NDArray[np.float32], strength: float) -> Image:
    """Return the image with its brightness varied by the noise."""
    return np.clip(image * (1 + strength * noise[..., None]), 0, 255).astype(np.uint8)


def mottled(
    rng: np.random.Generator, size: tuple[int, int], color: Bgr, grain_px: float, strength: float, octaves: int = 4
) -> Image:
    """Return an image of that size (height, width) and colour, with its brightness varied by blots of `grain_px`."""
    return mottle(flat(*size, color), fractal(rng, *size, (grain_px, grain_px), octaves), strength)


def turned(points: ArrayLike, turn: float) -> Points:
    """Return points (n, 2) turned by `turn` radians around the origin, clockwise as seen on the screen."""
    c, s = math.cos(turn), math.sin(turn)
    return np.asarray(np.asarray(points, np.float64) @ np.array([[c, s], [-s, c]]), np.float64)


def stamp(
    image: Image, patch: Image, mask: Image, centre: Sequence[float], turn: float = 0.0, *, scale: float = 1.0
) -> None:
    """Paste the patch's middle at `centre` under its mask, turned (radians, clockwise) and scaled."""
    height, width = patch.shape[:2]
    reach = math.hypot(height, width) / 2 * scale + 2
    left, top = max(0, math.floor(centre[0] - reach)), max(0, math.floor(centre[1] - reach))
    right = min(image.shape[1], math.ceil(centre[0] + reach) + 1)
    bottom = min(image.shape[0], math.ceil(centre[1] + reach) + 1)
    if right <= left or bottom <= top:
        return
    c, s = math.cos(turn) * scale, math.sin(turn) * scale
    middle_x, middle_y = (width - 1) / 2, (height - 1) / 2
    affine = np.array(
        [
            [c, -s, centre[0] - left - c * middle_x + s * middle_y],
            [s, c, centre[1] - top - s * middle_x - c * middle_y],
        ]
    )
    size = (right - left, bottom - top)
    pasted = cv2.warpAffine(patch, affine, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    under = cv2.warpAffine(mask, affine, size, flags=cv2.INTER_LINEAR, borderValue=0)
    blend(image[top:bottom, left:right], np.asarray(pasted, np.uint8), np.asarray(under, np.uint8))


def blend(image: Image, over: Image, mask: Image) -> None:
    """Lay `over` on the image in place, by the shares in the mask (one channel, 0 to 255)."""
    left, top, width, height = cv2.boundingRect(mask)
    within = slice(top, top + height), slice(left, left + width)
    share = mask[within].astype(np.uint16)[..., None]
    sums = over[within] * share + image[within] * (255 - share) + 127
    # This divides by 255, exactly for every sum that a pixel can have, up to 255 * 255 + 127.
    image[within] = ((sums + 1 + (sums >> 8)) >> 8).astype(np.uint8)


def lettering(text: str, height_px: float, font: int, weight: float = 0.1) -> Image:
    """Return a mask of the text, cropped to its ink, its capitals about `height_px` high."""
    big = max(4.0, height_px * 3) / 22
    thick = max(1, round(weight * height_px * 3))
    (width, tall), base = cv2.getTextSize(text, font, big, thick)
    mask = np.zeros((tall + base + 4 * thick, width + 4 * thick), np.uint8)
    cv2.putText(mask, text, (2 * thick, tall + 2 * thick), font, big, (255,), thick, cv2.LINE_AA)
    rows, columns = np.nonzero(mask.max(axis=1))[0], np.nonzero(mask.max(axis=0))[0]
    mask = mask[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    size = (max(1, mask.shape[1] // 3), max(1, mask.shape[0] // 3))
    return np.asarray(cv2.resize(mask, size, interpolation=cv2.INTER_AREA), np.uint8)


def write(
    image: Image,
    text: str,
    height_px: float,
    color: Bgr,
    centre: Sequence[float],
    turn: float = 0.0,
    *,
    font: int = cv2.FONT_HERSHEY_TRIPLEX,
    weight: float = 0.11,
) -> None:
    """Write the text with its middle at `centre`, turned (radians, clockwise), in OpenCV's `font`."""
    mask = lettering(text, height_px, font, weight)
    stamp(image, flat(mask.shape[0], mask.shape[1], color), mask, centre, turn)
