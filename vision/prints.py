"""The fine print of the bare board's cells, by which pieces are recognised: trees and tufts, not light."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import HexBoard
from vision.flatten import Floats
from vision.samples import SAMPLE_SIDE_PX, halved, hexagon, samples

#: Print finer than this, in cell sides, is compared.
_FINE_CELLS = 0.2


def fine_print(half: Floats, board: HexBoard) -> NDArray[np.float32]:
    """Return each cell's fine print in halved tones, (cells, pixels), of mean 0 and length 1."""
    grey = cv2.transform(half, np.full((1, 3), 1 / 3, np.float32))
    fine = np.asarray(grey - cv2.GaussianBlur(grey, (0, 0), _FINE_CELLS * SAMPLE_SIDE_PX), dtype=np.float32)
    pixels = samples(fine, board).reshape(len(board.cells), -1).take(np.flatnonzero(hexagon(0.2)), axis=1)
    pixels = pixels - pixels.mean(axis=1, keepdims=True)
    lengths = np.sqrt((pixels * pixels).sum(axis=1, keepdims=True))
    return np.asarray(pixels / np.maximum(lengths, 1e-6), dtype=np.float32)


def turned_prints(tone: Floats, board: HexBoard) -> NDArray[np.float32]:
    """Return the fine print of a flat picture's tones with the whole board turned by 0 to 5 sixths."""
    half = halved(tone)
    middle = ((len(half) - 1) / 2, (len(half) - 1) / 2)
    size = (len(half), len(half))
    turned = (
        cv2.warpAffine(half, cv2.getRotationMatrix2D(middle, 60 * sixths, 1), size).astype(np.float32, copy=False)
        for sixths in range(6)
    )
    return np.array([fine_print(picture, board) for picture in turned])
