"""Each cell's surroundings as a small square of even tones, all cells at once.

Tones are light as the eye counts it (the 1/2.2th power) with the day's gain taken out; 1 is white paper.
A sample is (SAMPLE_PX, SAMPLE_PX, 3), the cell's centre in its middle pixel, SAMPLE_SIDE_PX to a cell side.
"""

from __future__ import annotations

import math
from functools import cache

import cv2
import numpy as np

from companion.board import HexBoard
from vision.light.flatten import GAMMA, SIDE_PX, Floats, Mask, inside_hexagon

SAMPLE_SIDE_PX = 12
SAMPLE_PX = 2 * SAMPLE_SIDE_PX + 1

#: How many halved pixels are taken at a time.
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
def hexagon(inset_cells: float) -> Mask:
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
