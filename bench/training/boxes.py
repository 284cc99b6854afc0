"""Wooden cubes in a simple light: boxes that stand on a flat scene, cast shadows and show the faces the camera sees.

A scene is linear light (size, size, 3), B G R, of a flat piece of the board, PHOTO_PX to a cell side, with the point
(0, 0) in its middle. Points are (right, down) in cell sides, heights in cell sides above the board.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.training.lamps import Lamp, Light, Point

#: A scene's pixels to a cell side, as the cameras at hand see it.
PHOTO_PX = 36
#: Polygons are drawn with this many bits after the binary point.
_SHIFT = 4
#: How much light is lost where wood and board meet, in any light, and of the light that comes from everywhere; and how
#: far around that, in pixels.
_DIRT, _UNSEEN, _DIRT_PX = 0.08, 0.35, 3.0
#: The least share of light that is left: no shadow is quite black.
_DARKEST = 0.02
#: A cube's shadow is as soft as that of something about this high, in its sides.
_EDGE = 0.7
#: How much of the light below is thrown back up to a face that looks down.
_BOUNCE = 0.8
#: How much of the paint is rubbed off the edges of cubes that are worn through.
_RUBBED = 0.8
#: Bare wood, where paint is worn off.
_WOOD = np.array([0.2, 0.33, 0.46], np.float32)
#: The faces of a box, by its corners.
_FACES = ((0, 1, 2, 3), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7), (4, 5, 6, 7))
#: The axis that each face is across.
_AXES = (2, 1, 0, 1, 0, 2)

Window = tuple[slice, slice]


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
    """A cube: its eight corners (8, 3), lower four first, its colour's place, and its faces, edges and corners.

    All of these are flat, with their points (n, 3) in order, as the edges are taken off. `shade` is the seed of its
    wood and paint.
    """

    corners: Point
    color: int
    faces: Sequence[Point]
    shade: int = 0

    @classmethod
    def lying(
        cls,
        lying: Mapping[str, Any],
        side: float,
        middle: tuple[float, float, float],
        color: int,
        bevel: float = 0.0,
        shade: int = 0,
    ) -> Box:
        """Return a cube about a middle, leaned by `tilt` and then turned by `rot` degrees, `scale` times its side."""
        half = side * lying["scale"] / 2
        tilt, turn = math.radians(lying["tilt"]), math.radians(lying["rot"])
        lean = np.array([[math.cos(tilt), 0, -math.sin(tilt)], [0, 1, 0], [math.sin(tilt), 0, math.cos(tilt)]])
        # The angle is anticlockwise; down is the second coordinate here.
        turned = np.array([[math.cos(turn), -math.sin(turn), 0], [math.sin(turn), math.cos(turn), 0], [0, 0, 1]])
        corners, *faces = (part * half @ lean @ turned + middle for part in _parts(round(bevel / half, 2)))
        return cls(corners, color, faces, shade)

    def far(self, eye: Eye) -> float:
        """Return how far it is from the point below the camera."""
        return float(np.linalg.norm(self.corners[:, :2].mean(axis=0) - eye.below))

    @property
    def height(self) -> float:
        """How high its middle is."""
        return float(self.corners[:, 2].mean())


@cache
def _parts(bevel: float) -> tuple[Point, ...]:
    """Return the corners of a cube about the middle, of side 2, and its parts: faces, and edges and corners if any."""
    square = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    corners = np.array([(x, y, z) for z in (-1, 1) for x, y in square], np.float64)
    inner = 1 - bevel
    # Where each corner is cut, on the face of each axis: (8, 3, 3).
    cut = np.where(np.eye(3, dtype=bool), corners[:, None], corners[:, None] * inner)
    parts = [cut[list(face), axis] for face, axis in zip(_FACES, _AXES, strict=True)]
    if bevel:
        for first, second in ((a, b) for a in range(8) for b in range(a)):
            along = np.flatnonzero(corners[first] != corners[second])
            if len(along) == 1:
                one, other = (axis for axis in range(3) if axis != along[0])
                parts.append(cut[[first, second, second, first], [one, one, other, other]])
        parts += list(cut)
    return (corners, *parts)


@dataclass(frozen=True, eq=False)
class Wood:
    """The wood and paint of a table's cubes.

    `side` is a cube's side, `bevel` how wide a strip its edges lose, `inks` (colours, 3) are their colours, `grain`
    (colours,) how strong the wood's grain is in each, `wear` how much paint is gone at the edges, `roughness` how dull
    they are, 0 to 1.
    """

    side: float
    bevel: float
    inks: Light
    grain: Point
    wear: float
    roughness: float


def shade(
    scene: Light, boxes: Iterable[Box], lamps: Sequence[Lamp], side: float, tile_height: float, soft_px: float
) -> None:
    """Take away the light that cubes of one size keep from a scene with tiles of that height.

    Shadows are at least that soft.
    """
    size, boxes = len(scene), list(boxes)
    lost = np.zeros_like(scene)
    for lamp in lamps:
        shadows = np.zeros((size, size), np.float32)
        for box in boxes:
            corners = box.corners
            lowest = corners[:, 2].min()
            # A cube on another cube casts its shadow on the tile, not at its own height.
            floor = lowest if lowest < side * 0.6 else tile_height
            outline = (corners[:, :2] - lamp.ahead(corners[:, 2:] - floor)).astype(np.float32)
            fill(shadows, cv2.convexHull(outline)[:, 0])
        edge_px = math.hypot(soft_px, lamp.softness(_EDGE * side) * PHOTO_PX)
        lost += lamp.share * cv2.GaussianBlur(shadows, (0, 0), edge_px)[..., None]
    scene *= np.maximum(1 - lost, _DARKEST)
    unseen = _DIRT + _UNSEEN * float(np.mean(_everywhere(lamps)))
    for box in boxes:
        base = cv2.convexHull(box.corners[:, :2].astype(np.float32))[:, 0]
        near = window_at(base.mean(axis=0), size, 0.8)
        dirt = np.zeros(scene[near].shape[:2], np.float32)
        fill(dirt, base, size, near)
        scene[near] *= 1 - unseen * cv2.GaussianBlur(dirt, (0, 0), _DIRT_PX)[..., None]


def stand(
    scene: Light,
    boxes: Sequence[Box],
    wood: Wood,
    eye: Eye,
    lamps: Sequence[Lamp],
    soft_px: float,
) -> None:
    """Draw cubes on a scene, later ones in front of earlier ones, that much softer than what is printed there."""
    drawn, cover = scene.copy(), np.zeros(scene.shape[:2], np.float32)
    for box in boxes:
        _draw(drawn, cover, box, wood, eye, lamps)
    soft = cv2.GaussianBlur(np.dstack([drawn * cover[..., None], cover]), (0, 0), max(soft_px, 0.1))
    scene *= 1 - soft[..., 3:]
    scene += soft[..., :3]


def _draw(scene: Light, cover: Light, box: Box, wood: Wood, eye: Eye, lamps: Sequence[Lamp]) -> None:
    """Draw the faces of a cube that the camera sees, each as bright as the lamps make it, and where it is."""
    size, seen = len(scene), eye.seen(box.corners)
    near = window_at(seen.mean(axis=0), size, 0.8)
    part, rng = scene[near], np.random.default_rng(box.shade)
    ink = wood.inks[box.color] * rng.uniform(0.82, 1.18) * np.exp(rng.normal(0, 0.02, 3))
    camera, inside = np.array([*eye.below, eye.height]), box.corners.mean(axis=0)
    bounced = part.mean(axis=(0, 1))
    grain = cv2.GaussianBlur(rng.standard_normal(part.shape[:2]).astype(np.float32), (0, 0), 3.0, sigmaY=0.8) * 3
    painted = ink.astype(np.float32) * np.exp(wood.grain[box.color] * grain * 0.6)[..., None]
    for place, points in enumerate(box.faces):
        normal = np.cross(points[1] - points[0], points[2] - points[0])
        normal /= np.linalg.norm(normal)
        middle = points.mean(axis=0)
        if normal @ (middle - inside) < 0:
            normal = -normal
        to_camera = (camera - middle) / np.linalg.norm(camera - middle)
        if normal @ to_camera <= 0:
            continue
        falling = _falling(normal, lamps) + bounced * np.float32((0.5 - 0.5 * normal[2]) * _BOUNCE)
        mirrored = sum((lamp.gloss(normal, to_camera, wood.roughness) for lamp in lamps), np.zeros(3, np.float32))
        mask = np.zeros(part.shape[:2], np.float32)
        fill(mask, eye.seen(points), size, near)
        # Paint is rubbed off the edges.
        rubbed = wood.wear * _RUBBED if place >= len(_FACES) else 0.0
        colours = painted * (1 - rubbed) + _WOOD * np.float32(rubbed)
        part += mask[..., None] * (colours * falling + mirrored - part)
        cover[near] = np.maximum(cover[near], mask)


def _everywhere(lamps: Sequence[Lamp]) -> Light:
    """Return how much of the light on the board comes from no lamp."""
    return 1 - sum((lamp.share for lamp in lamps), np.zeros(3, np.float32))


def _falling(normal: Point, lamps: Sequence[Lamp]) -> Light:
    """Return how much light falls on a face; the board gets 1."""
    found = _everywhere(lamps) * np.float32(0.5 + 0.5 * normal[2])
    for lamp in lamps:
        found = found + lamp.share * np.float32(max(0.0, normal @ lamp.towards) / lamp.towards[2])
    return found


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
