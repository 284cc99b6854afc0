"""The camera's place: from the board plane to the picture and back, perspective and lens included."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from simulator.art import frame_half
from simulator.paint import Points
from simulator.scene import Nudge

#: A Raspberry Pi camera's focal length as a share of its picture's width.
_FOCAL_SHARE = 0.8


@dataclass(frozen=True, slots=True)
class View:
    """A camera over the table. Lengths are in cell sides, angles in radians; height is above the board plane.

    The board plane's points are (right, down). Up from the table is negative z, so that the axes are right-handed.
    """

    width: int
    height: int
    focal_px: float
    middle_px: tuple[float, float]
    bend: tuple[float, float]
    turn: tuple[float, float, float]
    move: tuple[float, float, float]

    @classmethod
    def made(cls, rng: np.random.Generator, rings: int = 6, width: int = 1640, height: int = 1232) -> View:
        """Return a camera that sees the whole frame; with six rings, a cell side is about 36 px of 1640."""
        focal = _FOCAL_SHARE * width
        distance = focal / (36 * width / 1640) * (frame_half(rings) / frame_half(6))
        tilt, roll = rng.normal(0, 0.028, 2)
        turn = (float(np.clip(tilt, -0.06, 0.06)), float(np.clip(roll, -0.06, 0.06)), float(rng.normal(0, 0.025)))
        x, y = rng.normal(0, 0.012, 2) * distance
        return cls(
            width,
            height,
            focal,
            (width / 2 + float(rng.normal(0, 0.003)) * width, height / 2 + float(rng.normal(0, 0.003)) * width),
            (float(rng.uniform(-0.06, 0.03)), float(rng.uniform(-0.01, 0.01))),
            turn,
            (float(x), float(y), float(distance * rng.uniform(0.99, 1.02))),
        )

    def project(self, points: ArrayLike) -> Points:
        """Return where points (n, 2) of the board plane, or (n, 3) with their height above it, are in the picture."""
        given = np.asarray(points, np.float64)
        raised = np.zeros((len(given), 3))
        raised[:, :2] = given[:, :2]
        if given.shape[1] == 3:
            raised[:, 2] = -given[:, 2]
        pixels, _ = cv2.projectPoints(raised, np.array(self.turn), np.array(self.move), self._matrix, self._lens)
        return np.asarray(pixels, np.float64).reshape(-1, 2)

    def on_table(self, pixels: ArrayLike) -> Points:
        """Return the points (n, 2) of the board plane that are seen at these pixels (n, 2)."""
        straight = cv2.undistortPoints(np.asarray(pixels, np.float64).reshape(-1, 1, 2), self._matrix, self._lens)
        rays = np.column_stack([np.asarray(straight).reshape(-1, 2), np.ones(len(straight))])
        rotation = np.asarray(cv2.Rodrigues(np.array(self.turn))[0])
        rays, start = rays @ rotation, -np.array(self.move) @ rotation
        return np.asarray((start - rays * (start[2] / rays[:, 2])[:, None])[:, :2])

    @property
    def camera(self) -> tuple[float, float, float]:
        """The camera's place: right, down, and height above the board plane."""
        x, y, z = -np.array(self.move) @ np.asarray(cv2.Rodrigues(np.array(self.turn))[0])
        return float(x), float(y), -float(z)

    def nudged(self, rng: np.random.Generator, px: float = 4.0) -> View:
        """Return the camera after a knock: the picture moves by a few pixels and turns slightly."""
        x, y = rng.uniform(-px, px, 2) / self.focal_px * self.move[2]
        turn = (self.turn[0], self.turn[1], self.turn[2] + float(rng.normal(0, 0.002)))
        return replace(self, turn=turn, move=(self.move[0] + float(x), self.move[1] + float(y), self.move[2]))

    @property
    def _matrix(self) -> NDArray[np.float64]:
        x, y = self.middle_px
        return np.array([[self.focal_px, 0, x], [0, self.focal_px, y], [0, 0, 1]])

    @property
    def _lens(self) -> NDArray[np.float64]:
        return np.array([*self.bend, 0, 0])


def pushed(points: ArrayLike, nudge: Nudge) -> Points:
    """Return points (n, 2 or 3) of the board where a push has moved them; heights stay the same."""
    given = np.array(points, np.float64)
    c, s = math.cos(nudge.turn), math.sin(nudge.turn)
    given[:, :2] = given[:, :2] @ np.array([[c, s], [-s, c]]) + (nudge.x, nudge.y)
    return given


def pulled(points: Points, nudge: Nudge) -> Points:
    """Return points (n, 2) of the table in the plane of a board that was pushed: the inverse of `pushed`."""
    c, s = math.cos(nudge.turn), math.sin(nudge.turn)
    return np.asarray((points - np.array((nudge.x, nudge.y))) @ np.array([[c, -s], [s, c]]), np.float64)
