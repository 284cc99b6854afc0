"""Photographs of a board that mirrors a lamp."""

import numpy as np

from calibration import BoardView
from vision.light.flatten import Image, levels, linear
from vision.light.glare import Glare


def places(image: Image, view: BoardView) -> np.ndarray:
    """Return where on the board plane each pixel is, (H, W, 2)."""
    rows, columns = image.shape[:2]
    return view.to_board(np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), axis=-1))


def lit(image: Image, view: BoardView, lamp: Glare, strength: float = 1.0) -> Image:
    """Return the photograph with a lamp of that strength where the camera sees it mirrored on a board in this view."""
    added = np.float32(strength) * lamp.at(places(image, view)).astype(np.float32)
    return levels(np.minimum(linear(image) + added, 1))
