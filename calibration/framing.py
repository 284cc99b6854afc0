"""Whether the picture holds the whole board, and if not, where to move the camera.

Also what is refused for any board: a click beside the picture, no grid near the clicks.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from calibration.lens import Points
from calibration.view import BoardView
from companion.board import BadInputError, Color, HexCell, SquareCell
from companion.board.notation import LAST_FIELD

Point = tuple[float, float]

#: Fields of a day track; the outermost are given, the others evenly between them.
TRACK_FIELDS = LAST_FIELD + 1
#: Half a field of a day track, in cell sides: it and its marker must be in the picture, not its centre alone.
_FIELD_CELLS = 0.6


def track_fields(ends: tuple[Point, Point]) -> Points:
    """Return the centres (11, 2) of a day track's fields 0 to 10, in cell sides, from those of fields 0 and 10."""
    return np.linspace(*ends, TRACK_FIELDS)


def refuse_cut_off(view: BoardView, tracks: Mapping[Color, tuple[Point, Point]]) -> None:
    """Raise BadInputError if a cell or a day track is outside the picture: which, and where to move the camera."""
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * _FIELD_CELLS
    outlines = {f"cell {cell}": np.array(cell.outline) for cell in view.board.cells}
    for color, ends in tracks.items():
        fields = track_fields(ends)
        outlines[f"the {color} day track"] = (fields[:, None] + square).reshape(-1, 2)
    width, height = view.size_px
    lacking, sides = [], set()
    for name, outline in outlines.items():
        x, y = view.to_image(outline).T
        beyond = {"left": x < 0, "right": x > width - 1, "up": y < 0, "down": y > height - 1}
        cut_off = {side for side, outside in beyond.items() if outside.any()}
        if cut_off:
            lacking.append(name)
            sides |= cut_off
    if lacking:
        wrong = f"{_listed(lacking)} outside the picture; {_remedy(sides)}, and photograph again"
        raise BadInputError(wrong, "cut-off")


def _listed(names: list[str]) -> str:
    if len(names) == 1:
        return f"{names[0]} lies in part or whole"
    if len(names) <= 3:
        return f"{', '.join(names[:-1])} and {names[-1]} lie in part or whole"
    return f"{names[0]}, {names[1]} and {len(names) - 2} more lie in part or whole"


def _remedy(sides: set[str]) -> str:
    """Return where the camera must go: towards the cut-off part; away from the board if opposite sides are cut off."""
    if {"left", "right"} <= sides or {"up", "down"} <= sides:
        return "move the camera farther away from the board"
    words = {
        "left": "to the left",
        "right": "to the right",
        "up": "up (towards the picture's top)",
        "down": "down (towards the picture's bottom)",
    }
    return "move the camera " + " and ".join(words[side] for side in ("left", "right", "up", "down") if side in sides)


def refuse_outside(cell: HexCell | SquareCell, click: Point, image: NDArray[np.uint8]) -> None:
    """Raise BadInputError if the click on that cell (right, down) is beside the picture."""
    (x, y), (height, width) = click, image.shape[:2]
    if not (0 <= x <= width - 1 and 0 <= y <= height - 1):
        raise BadInputError(
            f"the click on {cell} at ({x:g}, {y:g}) lies outside the picture of {width} x {height} pixels; "
            "click the cell's centre in this picture",
            "corner-outside",
            cell=cell,
        )


def no_board(why: str) -> BadInputError:
    """Return the error for a picture that shows no board near the clicks."""
    return BadInputError(
        f"no board grid found near the clicks: {why}; "
        "photograph the whole board from above and click the centres of its corner cells",
        "no-board",
    )
