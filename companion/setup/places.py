"""What the set-up's page is told of a photograph of either board: its name, and places in its pixels."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

from calibration import BoardView, SquareView
from companion.setup.finding import FoundBoard
from vision.light.flatten import Image


def photo_name(image: Image) -> str:
    """Return a name that another photograph has not."""
    return f"{zlib.crc32(image[::16, ::16].tobytes()):08x}"


def found_places(found: FoundBoard, view: BoardView | SquareView) -> dict[str, Any]:
    """Return how well the board was found, and where its lines and cells lie."""
    return {
        "residual_px": round(found.residual_px, 2),
        "fit": found.fit.value,
        "lines": np.round(found.lines_px, 1).reshape(-1, 4).tolist(),
        "cells": outlines(view),
    }


def outlines(view: BoardView | SquareView) -> dict[str, list[float]]:
    """Return each cell's outline as a flat list of its corners, in pixels."""
    cells = view.board.cells
    corners = view.to_image(np.array([cell.outline for cell in cells]))
    return {
        str(cell): outline
        for cell, outline in zip(cells, np.round(corners, 1).reshape(len(cells), -1).tolist(), strict=True)
    }
