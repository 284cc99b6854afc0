"""A photograph seen straight from above, in linear light: the board plane at a fixed scale.

A flat picture covers the whole frame: a square of `extent` cell sides to each side of the board's centre. Its pixel
(column i, row j) shows the board-plane point (-extent + i / SIDE_PX, -extent + j / SIDE_PX), in cell sides. The size of
the frame depends on the table; a flat picture's extent follows from its size.

Each cell and its surroundings are also taken as a small square of even tones, a sample, all cells at once. Tones are
light as the eye perceives it (to the power of 1/2.2) with the day's gain taken out; 1 is white paper. A sample is
(SAMPLE_PX, SAMPLE_PX, 3), the cell's centre in its middle pixel, SAMPLE_SIDE_PX to a cell side.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.view import PlaneView, Point
from companion.board import Color, HexBoard, HexCell

Image = NDArray[np.uint8]
Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
Numbers = NDArray[np.float64]
AnyPixel = TypeVar("AnyPixel", np.uint8, np.float32)

#: Flat pixels per cell side. The cameras used so far see 36; 24 halves the noise and still leaves a cube 10 wide.
SIDE_PX = 24
#: The same for the learnt nets, which miss small things in a picture coarser than the camera's.
FINE_PX = 32
#: From a day track's middle line to the end of the flat picture, in cell sides: fields, markers, the frame's border.
_BEYOND_TRACK_CELLS = 1.2
#: Without day tracks: the frame is believed to reach this much farther than the board's corners.
_BEYOND_BOARD = 1.2

_NO_MAP = np.zeros(0, np.float32)
#: A picture's levels are light to the power of 1 / this: sRGB's curve, near enough to undo the camera's own processing.
#: Light adds up only when it is linear.
GAMMA = 2.2
#: From this level on, a camera has nearly all the light that it can take.
_FULL = 250
_LINEAR = (np.arange(256, dtype=np.float32) / 255) ** np.float32(GAMMA)


def extent_of(rings: int, tracks: Mapping[Color, tuple[Point, Point]]) -> float:
    """Return how far the frame of a board reaches from its centre, in cell sides, rounded up to a half.

    `tracks`: fields 0 and 10 of each day track, in cell sides. The result is 14 for the game's own frame.
    """
    board = rings * math.sqrt(3) + 1
    reach = float(np.abs(list(tracks.values())).max()) + _BEYOND_TRACK_CELLS if tracks else board * _BEYOND_BOARD
    return math.ceil(2 * max(reach, board)) / 2


def size_of(extent_cells: float) -> int:
    """Return width and height, in pixels, of a flat picture that reaches this far."""
    return round(2 * extent_cells * SIDE_PX)


def extent_cells(flat: NDArray[Any]) -> float:
    """Return how far from the board's centre a flat picture reaches, in cell sides."""
    return len(flat) / (2 * SIDE_PX)


@dataclass(frozen=True)
class Flat:
    """A photograph seen from above.

    `light` is linear, SIDE_PX to a cell side; `fine` is levels as photographed, FINE_PX to a cell side.
    """

    light: Floats
    fine: Image

    @classmethod
    def of(cls, image: Image, view: PlaneView, extent: float) -> Flat:
        """Return a photograph (H, W, 3) of the board in this view."""
        return cls(flatten(image, view, extent), from_above(image, view, extent, FINE_PX))


def from_above(image: Image, view: PlaneView, extent: float, side_px: int = SIDE_PX) -> Image:
    """Return the board plane as levels (size, size, 3) as photographed, B G R; 0 outside the photograph."""
    return mapped(image, view.flatten_map(side_px, -extent, -extent, extent, extent))


def mapped(image: Image, places: Floats) -> Image:
    """Return a picture's pixels at these places (rows, columns, 2); 0 outside it."""
    flat = cv2.remap(image, places, _NO_MAP, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    return np.asarray(flat, dtype=np.uint8)


def flatten(image: Image, view: PlaneView, extent: float) -> Floats:
    """Return the board plane as linear light (size, size, 3) from 0 to 1, B G R; NaN-free, 0 outside."""
    return linear(from_above(image, view, extent))


def linear(image: Any) -> Floats:
    """Return an 8-bit picture in linear light, 0 to 1."""
    return np.asarray(cv2.LUT(image, _LINEAR), dtype=np.float32).reshape(image.shape)


def levels(light: Floats) -> Image:
    """Return linear light, white being 1, as an 8-bit picture."""
    return np.asarray(np.clip(np.rint(255 * light ** (1 / GAMMA)), 0, 255), dtype=np.uint8)


def to_flat(point_cells: tuple[float, float], extent: float) -> tuple[float, float]:
    """Return where a board-plane point is in a flat picture (column, row), pixel centres at whole numbers."""
    x, y = point_cells
    return (x + extent) * SIDE_PX, (y + extent) * SIDE_PX


def overexposed(seen: Image, cell: HexCell) -> float:
    """Return the share of a cell, in levels seen from above, where a channel has all the light a camera can take."""
    full = np.asarray((window(seen, cell.centre, SIDE_PX) >= _FULL).any(axis=2))
    return float(full[hexagon(SIDE_PX, 0.05)].mean())


@cache
def plane(radius_px: int) -> tuple[Floats, Floats]:
    """Return board-plane offsets (right, down) in cell sides of a square window of pixels round a point."""
    steps = np.arange(-radius_px, radius_px + 1, dtype=np.float32) / SIDE_PX
    x, y = np.meshgrid(steps, steps)
    return x.astype(np.float32), y.astype(np.float32)


def window(flat: NDArray[AnyPixel], point_cells: tuple[float, float], radius_px: int) -> NDArray[AnyPixel]:
    """Return the square window of a flat picture round a board-plane point: a view, cut off at the picture's end."""
    column, row = (round(value) for value in to_flat(point_cells, extent_cells(flat)))
    top, left = max(row - radius_px, 0), max(column - radius_px, 0)
    return flat[top : row + radius_px + 1, left : column + radius_px + 1]


def inside_hexagon(x: NDArray[Any], y: NDArray[Any], inset_cells: float) -> Mask:
    """Return which offsets (right, down; cell sides) are in a pointy-top cell, `inset_cells` smaller on every side."""
    inside = np.ones(x.shape, dtype=bool)
    for edge in range(6):
        angle = math.radians(60 * edge)
        inside &= x * math.cos(angle) - y * math.sin(angle) <= math.sqrt(3) / 2 - inset_cells
    return inside


@cache
def hexagon(radius_px: int, inset_cells: float = 0.0) -> Mask:
    """Return the hexagon of a cell in its window, `inset_cells` smaller on every side."""
    return inside_hexagon(*plane(radius_px), inset_cells)


def corners_of(cell: HexCell) -> Numbers:
    """Return the corners (6, 2) of a cell, in cell sides."""
    angles = np.radians(60 * np.arange(6) + 30)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1) + cell.centre


@cache
def ring(inner_cells: float, outer_cells: float) -> Floats:
    """Return a ring that sums to 1, for `cv2.filter2D` on flat pictures."""
    x, y = plane(math.ceil(outer_cells * SIDE_PX))
    radius = np.hypot(x, y)
    inside = ((radius >= inner_cells) & (radius <= outer_cells)).astype(np.float32)
    return np.asarray(inside / inside.sum(), dtype=np.float32)


def disc(radius_cells: float) -> Floats:
    """Return a disc that sums to 1, for `cv2.filter2D` on flat pictures."""
    return ring(0.0, radius_cells)


SAMPLE_SIDE_PX = 12
SAMPLE_PX = 2 * SAMPLE_SIDE_PX + 1

#: How many rows of halved pixels are made at a time.
_STRIP_PX = 42


def tones(logs: Floats) -> Floats:
    """Return logarithms of light as tones."""
    scaled = np.asarray(logs / np.float32(GAMMA), dtype=np.float32)
    return np.asarray(cv2.exp(scaled, dst=scaled), dtype=np.float32)


def halved(picture: Floats) -> Floats:
    """Return a flat picture at the samples' scale, each pixel the mean of four."""
    half = cv2.resize(picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    return np.asarray(half, dtype=np.float32)


def halved_tones(logs: Floats) -> Floats:
    """Return a flat picture's logarithms as halved tones, at the samples' scale."""
    half = np.empty((len(logs) // 2, logs.shape[1] // 2, 3), np.float32)
    # Strip by strip, because each strip stays in the processor's cache.
    for first in range(0, len(half), _STRIP_PX):
        half[first : first + _STRIP_PX] = halved(tones(logs[2 * first : 2 * (first + _STRIP_PX)]))
    return half


def samples(half: Floats, board: HexBoard) -> Floats:
    """Return the samples (cells, SAMPLE_PX, SAMPLE_PX, channels) of a halved flat picture, interpolated linearly."""
    taken = cv2.remap(half, *_maps(len(half), board), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(taken.reshape(-1, SAMPLE_PX, SAMPLE_PX, *half.shape[2:]), dtype=np.float32)


@cache
def _maps(half_px: int, board: HexBoard) -> tuple[Floats, Floats]:
    x, y = offsets()
    extent = half_px / SIDE_PX
    centres = np.array([cell.centre for cell in board.cells])
    # Two full pixels make one of the halved picture, whose centre is between theirs.
    column = ((centres[:, 0, None, None] + x + extent) * SIDE_PX - 0.5) / 2
    row = ((centres[:, 1, None, None] + y + extent) * SIDE_PX - 0.5) / 2
    shape = (-1, SAMPLE_PX)
    return column.reshape(shape).astype(np.float32), row.reshape(shape).astype(np.float32)


@cache
def offsets() -> tuple[Floats, Floats]:
    """Return each sample pixel's place, in cell sides (right, down) from the cell's centre."""
    steps = np.arange(-SAMPLE_SIDE_PX, SAMPLE_SIDE_PX + 1, dtype=np.float32) / SAMPLE_SIDE_PX
    x, y = np.meshgrid(steps, steps)
    return x.astype(np.float32), y.astype(np.float32)


@cache
def sample_hexagon(inset_cells: float) -> Mask:
    """Return the cell's hexagon in its sample, `inset_cells` smaller on every side."""
    return inside_hexagon(*offsets(), inset_cells)


@cache
def strip_distance(edges: tuple[int, int], aside_cells: float = 0.0) -> Floats:
    """Return each pixel's distance, in cell sides, from the middle line of the road that joins two edges.

    A straight runs through the centre; a bend is an arc of radius 1.5 about the centre of the cell over the edge
    between its two. `aside_cells` moves the line sideways: tiles are never quite straight.
    """
    x, y = offsets()
    a, b = edges
    if b - a == 3:
        angle = math.radians(60 * a)
        return np.asarray(np.abs(x * math.sin(angle) + y * math.cos(angle) - aside_cells), dtype=np.float32)
    between = a + 1 if b - a == 2 else (b + 1) % 6
    angle = math.radians(60 * between)
    centre_x, centre_y = math.sqrt(3) * math.cos(angle), -math.sqrt(3) * math.sin(angle)
    return np.asarray(np.abs(np.hypot(x - centre_x, y - centre_y) - 1.5 - aside_cells), dtype=np.float32)
