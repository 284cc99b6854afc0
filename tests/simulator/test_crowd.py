"""Merchants side by side: none on another, and on their tile as long as there is room."""

import math
from itertools import combinations

import cv2
import numpy as np
import pytest

from companion.board import Color, HexCell, Settlement, SettlementType
from simulator import Scene
from simulator.scene import CUBE_CELLS, Foot, joined

CELL = HexCell(0, 0)


def crowd(count: int, seed: int) -> tuple[Foot, ...]:
    rng = np.random.default_rng(seed)
    feet: tuple[Foot, ...] = ()
    for _ in range(count):
        feet = joined(feet, rng)
    return feet


def square(foot: Foot) -> cv2.typing.RotatedRect:
    return (foot[0], foot[1]), (CUBE_CELLS, CUBE_CELLS), math.degrees(foot[2])


def overlap(one: Foot, other: Foot) -> float:
    """The area that two cubes' feet share, found by OpenCV."""
    kind, corners = cv2.rotatedRectangleIntersection(square(one), square(other))
    return 0.0 if kind == cv2.INTERSECT_NONE else float(cv2.contourArea(cv2.convexHull(corners)))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("count", [2, 4, 6, 9, 12, 24])
def test_no_cube_stands_on_another(count: int, seed: int) -> None:
    feet = crowd(count, seed)
    assert len(feet) == count
    assert max(overlap(one, other) for one, other in combinations(feet, 2)) < 1e-9


@pytest.mark.parametrize("seed", range(8))
def test_six_leave_ground_between_them_to_be_counted_by(seed: int) -> None:
    wider = [(x, y, turn) for x, y, turn in crowd(6, seed)]
    gaps = [math.hypot(a[0] - b[0], a[1] - b[1]) for a, b in combinations(wider, 2)]
    assert min(gaps) > 1.1 * CUBE_CELLS


@pytest.mark.parametrize(("count", "over"), [(6, 0.0), (12, 0.25 * CUBE_CELLS)])
def test_they_stay_on_the_tile_or_stand_over_its_rim_by_less_than_a_quarter(count: int, over: float) -> None:
    for seed in range(8):
        corners = np.vstack([cv2.boxPoints(square(foot)) for foot in crowd(count, seed)])
        rims = [corners @ (math.cos(k * math.pi / 3), math.sin(k * math.pi / 3)) for k in range(6)]
        assert np.max(rims) <= math.sqrt(3) / 2 + over + 0.03, "a little askew they may be"


def test_who_makes_room_keeps_his_colour_and_who_goes_leaves_the_others_alone() -> None:
    rng = np.random.default_rng(2)
    scene = Scene().lay(CELL, Settlement(SettlementType.CITY), rng)
    for color in (Color.RED, Color.BLACK):
        for _ in range(5):
            scene = scene.put(CELL, color, rng)
    assert [cube.color for cube in scene.cubes[CELL]] == [Color.RED] * 5 + [Color.BLACK] * 5
    fewer = scene.remove(CELL, Color.RED)
    assert fewer.contents(CELL).merchants.counts == {Color.RED: 4, Color.BLACK: 5}
    assert set(fewer.cubes[CELL]) < set(scene.cubes[CELL])
