"""Bodies that stand on the table, drawn into the picture: cubes, markers, a mug; and the shadows they throw."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike

from simulator.paint import Bgr, Image, Points, fill, line, shade
from simulator.scene import CUBE_CELLS
from simulator.view import View

#: A marker's profile: (radius, height) in cell sides, from its foot to its top: a peg with a rounded head.
MARKER_PROFILE = ((0.3, 0.0), (0.29, 0.22), (0.27, 0.5), (0.22, 0.58), (0.12, 0.62), (0.0, 0.63))

#: From board points (n, 3), height last, to points of the table: the push of the board.
Placing = Callable[[ArrayLike], Points]


@dataclass(frozen=True, slots=True)
class Lamp:
    """The lamp: a body of height h throws its shadow h * `cast` cell sides (right, down) away.

    `tone` is the share of the light that reaches a face turned away, 0 to 1.
    """

    cast: tuple[float, float]
    tone: float = 0.55

    def on_face(self, normal: Points) -> float:
        """Return how bright a face with that normal (right, down, up) is, 1 for one that looks straight up."""
        towards = np.array([-self.cast[0], -self.cast[1], 1.0])
        towards /= float(np.linalg.norm(towards))
        return self.tone + (1 - self.tone) * max(0.0, float(normal @ towards)) / float(towards[2])


@dataclass(frozen=True, slots=True)
class Stage:
    """A picture to draw bodies into, seen by a camera and lit by a lamp; `place` takes board points to the table."""

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
    """Draw a body of revolution standing at `centre`; `profile` is (radius, height) from its foot up, cell sides."""
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
    """Return so many points (n, 2) of the unit circle, the first at that angle."""
    angles = start + np.arange(steps) * math.tau / steps
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def _area(face: Points) -> float:
    """Return twice the signed area of a quadrangle: above zero if the face looks at the camera."""
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = face.tolist()
    return float((cx - ax) * (dy - by) - (dx - bx) * (cy - ay))


def _hull(points: Points) -> Points:
    return np.asarray(cv2.convexHull(points.astype(np.float32)), np.float64).reshape(-1, 2)
