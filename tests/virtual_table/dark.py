"""A camera over a drawn table that takes no pictures, which is quick: for tests in which nobody looks at them."""

import numpy as np

from companion.virtual_table import Scene, VirtualCamera, virtual_camera
from companion.virtual_table.paint import Image


class DarkCamera(VirtualCamera):
    """Knows what lies on the table, and shows none of it."""

    def picture(self, scene: Scene, grain: bool = True) -> Image:
        return np.zeros((1, 1, 3), np.uint8)


def dark_camera(seed: int) -> DarkCamera:
    drawn = virtual_camera(seed, width=164, height=123)
    return DarkCamera(drawn.art, drawn.view, drawn.light, seed)
