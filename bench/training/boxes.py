"""Wooden cubes in a simple light: boxes that stand on a flat scene, cast shadows and show the faces the camera sees.

A scene is linear light (size, size, 3), B G R, of a flat piece of the board, PHOTO_PX to a cell side, with the point
(0, 0) in its middle. Points are (right, down) in cell sides, heights in cell sides above the board.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

#: A scene's pixels to a cell side, as the cameras at hand see it.
PHOTO_PX = 36
#: Polygons are drawn with this many bits behind the point.
_SHIFT = 4
#: Light from lower than this, as a share of its length, casts no longer shadows.
_LOWEST = 0.3
#: How much light is lost where wood and board meet, and how far around, in pixels.
_DIRT, _DIRT_PX = 0.12, 3.0
#: How much of the light below comes back up to a face that looks down.
_BOUNCE = 0.8
#: Bare wood, where paint is worn off.
_WOOD = np.array([0.2, 0.33, 0.46], np.float32)
#: The faces of a box, by its corners.
_FACES = ((0, 1, 2, 3), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7), (4, 5, 6, 7))

Light = NDArray[np.float32]
Point = NDArray[np.float64]
Window = tuple[slice, slice]


@dataclass(frozen=True, eq=False)
class Lamp:
    """Where light comes from: `towards` it (right, down, up) of length 1.

    `share` is how much of all light on the board is its own, `soft_px` how soft its shadows are.
    """

    towards: Point
    share: float
    soft_px: float

    def ahead(self, heights: Point | float) -> Point:
        """Return how far ahead of its shadow something of that height is, (right, down), towards the lamp."""
        return np.asarray(heights * self.towards[:2] / max(self.towards[2], _LOWEST))


@dataclass(frozen=True, eq=False)
class Eye:
    """A camera straight above the point `below` it, at that height."""

    below: Point
    height: float

    def seen(self, points: Point) -> Point:
        """Return where points (n, 3) appear on the board plane, (n, 2)."""
        factor = self.height / (self.height - points[:, 2:])
        return np.asarray(self.below + (points[:, :2] - self.below) * factor)


@dataclass(frozen=True, eq=False)
class Box:
    """A cube: its eight corners (8, 3), lower four first, and its colour's place."""

    corners: Point
    color: int

    @classmethod
    def lying(cls, lying: Mapping[str, Any], side: float, middle: tuple[float, float, float], color: int) -> Box:
        """Return a cube about a middle, leaned by `tilt` and then turned by `rot` degrees, `scale` times its side."""
        half = side * lying["scale"] / 2
        unit = np.array([(x, y, z) for z in (-1, 1) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]) * half
        tilt, turn = math.radians(lying["tilt"]), math.radians(lying["rot"])
        leaned = unit @ np.array([[math.cos(tilt), 0, -math.sin(tilt)], [0, 1, 0], [math.sin(tilt), 0, math.cos(tilt)]])
        # The angle is anticlockwise; down is the second coordinate here.
        turned = leaned @ np.array(
            [[math.cos(turn), -math.sin(turn), 0], [math.sin(turn), math.cos(turn), 0], [0, 0, 1]]
        )
        return cls(turned + middle, color)

    def far(self, eye: Eye) -> float:
        """Return how far from below the camera it is."""
        return float(np.linalg.norm(self.corners[:, :2].mean(axis=0) - eye.below))

    @property
    def height(self) -> float:
        """How high its middle is."""
        return float(self.corners[:, 2].mean())


@dataclass(frozen=True, eq=False)
class Wood:
    """The wood and paint of a table's cubes.

    `side` is a cube's, `inks` (colours, 3) are their colours, `grain` (colours,) how strong the wood's grain is in
    each, `wear` how much paint is gone at the edges.
    """

    side: float
    inks: Light
    grain: Point
    wear: float


def shade(scene: Light, boxes: Iterable[Box], lamp: Lamp, side: float, tile_height: float) -> None:
    """Take away the light that cubes of one side keep from a scene with tiles of that height."""
    size = len(scene)
    shadows = np.zeros((size, size), np.float32)
    for box in boxes:
        corners = box.corners
        lowest = corners[:, 2].min()
        # A cube on another cube casts its shadow on the tile, not on the board in its own height.
        floor = lowest if lowest < side * 0.6 else tile_height
        fill(shadows, cv2.convexHull((corners[:, :2] - lamp.ahead(corners[:, 2:] - floor)).astype(np.float32))[:, 0])
        base = cv2.convexHull(corners[:, :2].astype(np.float32))[:, 0]
        near = window_at(base.mean(axis=0), size, 0.8)
        dirt = np.zeros(scene[near].shape[:2], np.float32)
        fill(dirt, base, size, near)
        scene[near] *= 1 - _DIRT * cv2.GaussianBlur(dirt, (0, 0), _DIRT_PX)[..., None]
    if shadows.any():
        scene *= 1 - lamp.share * cv2.GaussianBlur(shadows, (0, 0), lamp.soft_px)[..., None]


def draw(scene: Light, box: Box, wood: Wood, eye: Eye, lamps: Sequence[Lamp], rng: np.random.Generator) -> None:
    """Draw the faces of a cube that the camera sees, each as bright as the lamps make it."""
    size, seen = len(scene), eye.seen(box.corners)
    near = window_at(seen.mean(axis=0), size, 0.8)
    part = scene[near]
    ink = wood.inks[box.color] * rng.uniform(0.82, 1.18) * np.exp(rng.normal(0, 0.02, 3))
    camera = np.array([*eye.below, eye.height])
    bounced = float(part.mean())
    for face in map(list, _FACES):
        points = box.corners[face]
        normal = np.cross(points[1] - points[0], points[2] - points[0])
        normal /= np.linalg.norm(normal)
        if normal @ (points.mean(axis=0) - box.corners.mean(axis=0)) < 0:
            normal = -normal
        if normal @ (camera - points.mean(axis=0)) <= 0:
            continue
        falling = _falling(normal, lamps) + bounced * (0.5 - 0.5 * normal[2]) * _BOUNCE
        mask = np.zeros(part.shape[:2], np.float32)
        fill(mask, seen[face], size, near)
        grain = cv2.GaussianBlur(rng.standard_normal(part.shape[:2]).astype(np.float32), (0, 0), 3.0, sigmaY=0.8) * 3
        painted = (ink * falling).astype(np.float32) * np.exp(wood.grain[box.color] * grain * 0.6)[..., None]
        part += mask[..., None] * (painted - part)
        if wood.wear:
            worn = np.zeros(part.shape[:2], np.float32)
            cv2.polylines(worn, [_pixels(seen[face], size, near)], True, 1.0, 1, cv2.LINE_AA, _SHIFT)
            part += worn[..., None] * 0.5 * wood.wear * (_WOOD * np.float32(falling) - part)


def _falling(normal: Point, lamps: Sequence[Lamp]) -> float:
    """Return how much light falls on a face; the board gets 1."""
    direct = sum(lamp.share * max(0.0, float(normal @ lamp.towards)) / float(lamp.towards[2]) for lamp in lamps)
    even = 1 - sum(lamp.share for lamp in lamps)
    return direct + even * (0.5 + 0.5 * float(normal[2]))


def fill(mask: Light, corners: NDArray[Any], size: int | None = None, near: Window | None = None) -> None:
    """Fill a convex polygon with 1: in a mask of a scene of that size, or of a window in it."""
    points = _pixels(corners, len(mask) if size is None else size, near)
    cv2.fillConvexPoly(mask, points, 1.0, cv2.LINE_AA, _SHIFT)


def window_at(point: Sequence[float] | Point | Light, size: int, reach: float) -> Window:
    """Return the rows and columns of a scene within that many cell sides of a point."""
    column, row = (round(float(value) * PHOTO_PX + (size - 1) / 2) for value in point)
    px = math.ceil(reach * PHOTO_PX)
    return slice(max(row - px, 0), max(row + px + 1, 1)), slice(max(column - px, 0), max(column + px + 1, 1))


def _pixels(points: NDArray[Any], size: int, near: Window | None) -> NDArray[np.int32]:
    """Return points in sixteenths of a scene's pixels, or of those of a window in it."""
    places = np.asarray(points, np.float64) * PHOTO_PX + (size - 1) / 2
    if near is not None:
        places = places - (near[1].start, near[0].start)
    return np.asarray(np.round(places * 2**_SHIFT), dtype=np.int32)
