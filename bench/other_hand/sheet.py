"""A sheet of paper to draw on: pixels as floats, places in millimetres, y down; noise, and colours in CIE LCh."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

#: Red, green, blue, 0 to 255.
Rgb = tuple[float, float, float]
Field = NDArray[np.float32]
Points = NDArray[np.float64]

#: OpenCV draws antialiased shapes at sixteenths of a pixel.
_SHIFT = 4


def lch(light: float, chroma: float, hue: float) -> Rgb:
    """Return a colour from lightness (0 to 100), chroma and hue (degrees), clipped to what a screen can show."""
    a, b = chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue))
    lab = np.array([[[light, a, b]]], np.float32)
    red, green, blue = np.clip(cv2.cvtColor(lab, cv2.COLOR_Lab2RGB)[0, 0] * 255, 0, 255).tolist()
    return red, green, blue


def lab_of(color: Rgb) -> Field:
    """Return a colour's lightness, a and b."""
    return np.asarray(cv2.cvtColor(np.array([[color]], np.float32) / 255, cv2.COLOR_RGB2Lab)[0, 0], np.float32)


def apart(one: Rgb, other: Rgb) -> float:
    """Return how different two colours look (CIE 1976)."""
    return float(np.linalg.norm(lab_of(one) - lab_of(other)))


def shade(color: Rgb, factor: float) -> Rgb:
    """Return the colour made brighter or darker."""
    red, green, blue = (min(255.0, channel * factor) for channel in color)
    return red, green, blue


def blend(one: Rgb, other: Rgb, share: float) -> Rgb:
    """Return a colour between two, `one` at share 0."""
    red, green, blue = (a + (b - a) * share for a, b in zip(one, other, strict=True))
    return red, green, blue


def ink_on(color: Rgb) -> Rgb:
    """Return dark or bright ink, whichever is seen on that colour."""
    return (34.0, 28.0, 30.0) if lab_of(color)[0] > 55 else (240.0, 236.0, 224.0)


class Sheet:
    """A rectangle of paper from (left, top), `pixels` (h, w, 3) red, green, blue, at `ppm` pixels per millimetre."""

    def __init__(self, left: float, top: float, width: float, height: float, ppm: float, color: Rgb) -> None:
        self.left, self.top, self.ppm = left, top, ppm
        self.shape = round(height * ppm), round(width * ppm)
        self.pixels: Field = np.ones((*self.shape, 3), np.float32) * np.array(color, np.float32)

    def places(self) -> tuple[Field, Field]:
        """Return x and y of each pixel's middle, in millimetres."""
        rows, columns = np.mgrid[0 : self.shape[0], 0 : self.shape[1]].astype(np.float32)
        return self.left + (columns + 0.5) / self.ppm, self.top + (rows + 0.5) / self.ppm

    def noise(self, rng: np.random.Generator, wave: float, octaves: int = 3) -> Field:
        """Return smooth noise of deviation 1; its largest blots measure `wave` mm."""
        total = np.zeros(self.shape, np.float32)
        for octave in range(octaves):
            step = max(1.0, wave * self.ppm / 2**octave)
            size = [math.ceil(side / step) + 3 for side in self.shape]
            coarse = rng.standard_normal(size, np.float32)
            whole = (round(size[1] * step), round(size[0] * step))
            large = cv2.resize(coarse, whole, interpolation=cv2.INTER_CUBIC)
            total += large[: self.shape[0], : self.shape[1]] * 0.55**octave
        return np.asarray(total / max(1e-6, float(total.std())), np.float32)

    def lay(self, color: Rgb | Field, share: ArrayLike) -> None:
        """Lay a colour, or a picture (h, w, 3), over the sheet by shares (h, w)."""
        weight = np.clip(np.asarray(share, np.float32), 0, 1)[..., None]
        self.pixels += weight * (np.asarray(color, np.float32) - self.pixels)

    def polygon(self, points: ArrayLike, color: Rgb, opacity: float = 1.0) -> None:
        """Fill a polygon (n, 2)."""
        self._ink(points, 0, color, opacity)

    def line(
        self, points: ArrayLike, color: Rgb, width: float, opacity: float = 1.0, *, is_closed: bool = False
    ) -> None:
        """Draw a line through points (n, 2), at least a pixel wide."""
        self._ink(points, max(1, round(width * self.ppm)), color, opacity, is_closed=is_closed)

    def disc(self, x: float, y: float, radius: float, color: Rgb, opacity: float = 1.0) -> None:
        """Fill a circle."""
        self.polygon(around(max(8, round(radius * 5)), radius, x, y), color, opacity)

    def ring(self, x: float, y: float, radius: float, color: Rgb, width: float, opacity: float = 1.0) -> None:
        """Draw a circle's outline."""
        self.line(around(max(12, round(radius * 5)), radius, x, y), color, width, opacity, is_closed=True)

    def write(self, text: str, x: float, y: float, height: float, color: Rgb, weight: float = 0.16) -> None:
        """Write the text with its middle there, its capitals `height` mm high."""
        big, thick = height * self.ppm / 22, max(1, round(height * weight * self.ppm))
        (wide, tall), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_TRIPLEX, big, thick)
        mask = np.zeros(self.shape, np.uint8)
        at = (round((x - self.left) * self.ppm - wide / 2), round((y - self.top) * self.ppm + tall / 2))
        cv2.putText(mask, text, at, cv2.FONT_HERSHEY_TRIPLEX, big, (255,), thick, cv2.LINE_AA)
        self.lay(color, mask.astype(np.float32) / 255)

    def _ink(self, points: ArrayLike, thick: int, color: Rgb, opacity: float, *, is_closed: bool = True) -> None:
        """Lay a colour over a polygon, or along a line that is `thick` pixels wide, if that is not 0."""
        at = (np.asarray(points, np.float64) - (self.left, self.top)) * self.ppm - 0.5
        fixed = np.rint(at * (1 << _SHIFT)).astype(np.int32)
        left, top, wide, tall = cv2.boundingRect(fixed)
        reach = thick // 2 + 3
        low_x, high_x = max((left >> _SHIFT) - reach, 0), min(((left + wide) >> _SHIFT) + reach, self.shape[1])
        low_y, high_y = max((top >> _SHIFT) - reach, 0), min(((top + tall) >> _SHIFT) + reach, self.shape[0])
        if high_x <= low_x or high_y <= low_y:
            return
        mask = np.zeros((high_y - low_y, high_x - low_x), np.uint8)
        fixed -= np.array((low_x << _SHIFT, low_y << _SHIFT), np.int32)
        if thick:
            cv2.polylines(mask, [fixed], is_closed, (255,), thick, cv2.LINE_AA, _SHIFT)
        else:
            cv2.fillPoly(mask, [fixed], (255,), cv2.LINE_AA, _SHIFT)
        view = self.pixels[low_y:high_y, low_x:high_x]
        share = mask.astype(np.float32)[..., None] * np.float32(opacity / 255)
        view += share * (np.array(color, np.float32) - view)


def around(count: int, radius: float, x: float = 0.0, y: float = 0.0, start: float = 0.0) -> Points:
    """Return the corners (count, 2) of a regular polygon, the first one above its middle, turned by `start` radians."""
    return _unit(count, start) * radius + (x, y)


@lru_cache(maxsize=256)
def _unit(count: int, start: float) -> Points:
    angles = start + np.arange(count) * 2 * math.pi / count
    return np.stack([np.sin(angles), -np.cos(angles)], axis=1)


def box(x: float, y: float, width: float, height: float, turn: float = 0.0) -> Points:
    """Return the corners of a rectangle around (x, y), turned by `turn` radians."""
    corners = np.array([(-width, -height), (width, -height), (width, height), (-width, height)]) / 2
    return np.asarray(corners @ turned(turn) + (x, y), np.float64)


def turned(angle: float) -> Points:
    """Return the matrix (2, 2) by which points, as rows, are turned by that angle (radians, clockwise as seen)."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, s], [-s, c]])


def scattered(rng: np.random.Generator, count: int, reach: float, least: float) -> Sequence[tuple[float, float]]:
    """Return up to that many places within `reach` of (0, 0), each at least `least` from every other."""
    found: list[tuple[float, float]] = []
    for _ in range(count * 12):
        x, y = rng.uniform(-reach, reach, 2).tolist()
        if math.hypot(x, y) <= reach and all(math.hypot(x - a, y - b) >= least for a, b in found):
            found.append((x, y))
            if len(found) == count:
                break
    return sorted(found, key=lambda place: place[1])
