"""A camera over a drawn table that takes no pictures, which is quick: for tests in which nobody looks at them."""

import numpy as np

from companion.games.silk_road.position import made_up_sets
from simulator import VirtualCamera, virtual_camera
from simulator.paint import Image
from simulator.square_camera import SquareCamera, square_camera


class _Dark:
    """Knows what lies on the table, and shows none of it."""

    def picture(self, scene: object, grain: bool = True) -> Image:
        return np.zeros((1, 1, 3), np.uint8)


class DarkCamera(_Dark, VirtualCamera): ...


class DarkSquareCamera(_Dark, SquareCamera): ...


def dark_camera(seed: int) -> DarkCamera:
    drawn = virtual_camera(seed, width=164, height=123)
    return DarkCamera(drawn.art, drawn.view, drawn.light, seed)


def dark_square_camera(seed: int) -> DarkSquareCamera:
    drawn = square_camera(seed, made_up_sets(), width=164, height=123)
    return DarkSquareCamera(drawn.art, drawn.view, drawn.light, seed)
