"""How a workshop lies: found by its rim and what is seen of its art, turned and pushed aside, cubes or not."""

import cv2
import numpy as np
import pytest

from companion.board import Color
from vision.flatten import SIDE_PX, Floats, plane
from vision.lying import WorkshopFaces
from vision.masks import hexagon

GROUND, MARK, ART, TOP = (
    np.array(tone, np.float32) for tone in ((0.5, 0.6, 0.4), (0.3, 0.3, 0.3), (0.9, 0.9, 0.9), (0.3, 0.33, 0.36))
)


def face() -> Floats:
    """A mark with a house on it, its chimney on one side."""
    x, y = plane(SIDE_PX)
    drawn = np.tile(GROUND, (*x.shape, 1))
    drawn[np.hypot(x, y) < 0.62] = MARK
    drawn[(np.abs(x) < 0.25) & (np.abs(y) < 0.12)] = ART
    drawn[(x > 0.15) & (x < 0.25) & (y > -0.4) & (y <= 0)] = ART
    return np.asarray(cv2.blur(drawn, (3, 3)), dtype=np.float32)


def moved(picture: Floats, degrees: float, right: int, down: int) -> Floats:
    motion = cv2.getRotationMatrix2D((SIDE_PX, SIDE_PX), degrees, 1)
    motion[:, 2] += np.array((right, down))
    size = picture.shape[1::-1]
    return np.asarray(cv2.warpAffine(picture, motion, size, borderMode=cv2.BORDER_REPLICATE), dtype=np.float32)


@pytest.mark.parametrize(("degrees", "right", "down"), [(0.0, 0, 0), (100.0, 3, -2), (203.0, -4, 4), (331.0, 1, 5)])
def test_a_workshops_look_is_found_as_it_lies_beside_cubes_of_its_colour(degrees: float, right: int, down: int) -> None:
    lies = moved(face(), degrees, right, down)
    seen = lies * 0.9 + np.random.default_rng(3).normal(0, 0.01, lies.shape).astype(np.float32)
    x, y = plane(SIDE_PX)
    covered = (np.abs(x - 0.3) < 0.2) & (np.abs(y - 0.3) < 0.2)
    seen[covered] = TOP
    look = WorkshopFaces({Color.GREY: [face()]}).as_it_lies(np.asarray(seen, dtype=np.float32), Color.GREY)
    assert look is not None
    off = np.abs(look - lies).max(axis=2)[hexagon(SIDE_PX, 0.2)]
    assert float(off.mean()) < 0.02, "its art lies where it lay"
    assert float(np.quantile(off, 0.97)) < 0.2


def test_a_workshop_that_was_never_taught_has_no_look() -> None:
    assert WorkshopFaces({Color.GREY: [face()]}).as_it_lies(face(), Color.RED) is None
