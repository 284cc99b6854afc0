"""Contact sheets: each wrong cell as it was photographed, as it was read and as it is, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.comparing import CellError, in_words
from calibration import BoardView
from companion.board import CellReading, HexBoard, Reading
from vision.overlay import draw

#: How far a card reaches each way, in cell sides (a cell and half of each neighbour), and how large a cell side
#: becomes.
_REACH_CELLS, _SIDE_PX = 1.5, 64
_COLUMNS = 3
_LINE_PX, _MARGIN_PX = 16, 4

Image = NDArray[np.uint8]


def card(image: Image, view: BoardView, board: HexBoard, error: CellError, where: str) -> Image:
    """Return the cell three times: the photograph, with what was read drawn over it, with the truth drawn over it."""
    x, y = error.cell.centre
    reach = _REACH_CELLS
    places = view.flatten_map(_SIDE_PX, x - reach, y - reach, x + reach, y + reach)

    def crop(picture: Image) -> Image:
        return np.asarray(cv2.remap(picture, places, np.zeros(0, np.float32), cv2.INTER_LINEAR), dtype=np.uint8)

    def with_drawn(said: CellReading) -> Image:
        return crop(draw(image, view, Reading(board, {error.cell: said})))

    pictures = [crop(image), with_drawn(error.read), with_drawn(error.truth)]
    words = [
        f"{where} {error.cell}: photograph, read, truth",
        f"read {in_words(error.read)}",
        f"is {in_words(error.truth)}",
    ]
    framed = []
    for picture in pictures:
        height, width = picture.shape[:2]
        frame = np.full((height + 2 * _MARGIN_PX, width + 2 * _MARGIN_PX, 3), 255, np.uint8)
        frame[_MARGIN_PX:-_MARGIN_PX, _MARGIN_PX:-_MARGIN_PX] = picture
        framed.append(frame)
    strip = np.hstack(framed)
    label = np.full((_LINE_PX * len(words) + _MARGIN_PX, strip.shape[1], 3), 255, np.uint8)
    for k, line in enumerate(words):
        at = (_MARGIN_PX, _LINE_PX * k + 12)
        cv2.putText(label, line, at, cv2.FONT_HERSHEY_SIMPLEX, 0.38, (0, 0, 0), 1, cv2.LINE_AA)
    return np.asarray(np.vstack([strip, label]), dtype=np.uint8)


def write_sheet(path: Path, cards: Sequence[Image]) -> None:
    """Write all cards as one PNG; without cards there is no file."""
    if not cards:
        return
    filled = [*cards, *[np.full_like(cards[0], 255)] * (-len(cards) % _COLUMNS)]
    rows = [np.hstack(filled[k : k + _COLUMNS]) for k in range(0, len(filled), _COLUMNS)]
    path.parent.mkdir(parents=True, exist_ok=True)
    if not cv2.imwrite(str(path), np.vstack(rows)):
        raise OSError(f"{path} could not be written")
