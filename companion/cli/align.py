"""`strada align`: finds the board in a photograph.

`strada lens`: calibrates a camera's lens from photographs of a printed ChArUco board.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import cv2
import numpy as np
from numpy.typing import NDArray

from calibration import (
    BoardView,
    Doubtful,
    SquareView,
    TableSetup,
    align_square,
    load_photo,
    locate,
    read_clicks,
)
from calibration.lens import LensCalibration, calibrate_lens, charuco_sheet
from calibration.table import LENS_NUMBERS, read_without_lens
from companion.board import BadInputError, Board, Cell, SquareBoard, by_hexagon, by_square
from companion.cli.options import PATH, write_whole
from vision.overlay import draw_doubt, draw_grid

#: The exit status if a person has to say which of two grids is the board's.
_IN_DOUBT = 1


@click.command("align")
@click.argument("photo", type=PATH)
@click.option(
    "--clicks",
    "clicks_file",
    required=True,
    type=PATH,
    help="A table.json, or any JSON file with `clicks` and `rings`, or `side` for a square board.",
)
@click.option("--rings", type=int, default=None, help="Rings of cells round the centre; the file's unless given.")
@click.option("--overlay", type=PATH, default=None, help="Write the grid drawn over the photo.")
@click.option(
    "--take",
    type=click.Choice(["clicked", "beside"]),
    default=None,
    help="Where the board may lie beside the clicks: take the grid as clicked, or the one beside.",
)
def align_command(photo: Path, clicks_file: Path, rings: int | None, overlay: Path | None, take: str | None) -> None:
    """Find the board in PHOTO and print the centres of its cells, in pixels, as one line of JSON.

    If it may just as well lie some cells beside the clicks, both grids are printed, and the exit status is 1.
    """
    clicks, setup, board = read_clicks(clicks_file, rings)
    image = load_photo(photo, setup.size_px if setup else None)
    tracks = setup.tracks if setup else {}
    try:
        view = _located(image, clicks, board, setup)
        if take == "beside" and not isinstance(view, Doubtful):
            raise BadInputError("--take beside: the board is found as clicked, and nowhere else; leave --take out")
        if take and isinstance(view, Doubtful):
            view = view.taken(take == "beside", tracks)
    except BadInputError as error:
        raise BadInputError(f"{photo}: {error}") from None
    if isinstance(view, Doubtful):
        if overlay:
            _write(overlay, draw_doubt(image, view))
        both = {"clicked": _printed(view.clicked), "beside": _printed(view.beside)}
        print(json.dumps({"doubt": {"cells": view.steps, "way": view.way, "why": view.why.value}, **both}))
        look = "look at both with --overlay, " if overlay is None else f"look at {overlay}, "
        print(f"strada: {photo}: {view}; {look}then add --take clicked or --take beside", file=sys.stderr)
        sys.exit(_IN_DOUBT)
    if overlay:
        _write(overlay, draw_grid(image, view, tracks))
    print(json.dumps(_printed(view)))


def _located(
    image: NDArray[np.uint8], clicks: Mapping[Cell, tuple[float, float]], board: Board, setup: TableSetup | None
) -> BoardView | SquareView | Doubtful:
    """Return the board's place, or the two places that it may have."""
    lens, tracks = (setup.lens, setup.tracks) if setup else (None, None)
    if isinstance(board, SquareBoard):
        return align_square(image, by_square(clicks), board, lens)
    confirmed = setup is not None and setup.confirmed
    return locate(image, by_hexagon(clicks), board.rings, tracks, lens, confirmed=confirmed)


def _printed(view: BoardView | SquareView) -> dict[str, Any]:
    centres = {str(cell): [round(x, 2), round(y, 2)] for cell, (x, y) in view.centres_px.items()}
    return {"centres": centres, "residual_px": round(view.residual_px, 3)}


def _write(path: Path, drawn: NDArray[np.uint8]) -> None:
    encoded, content = cv2.imencode(".png", drawn)
    try:
        if not encoded:
            raise OSError(0, "the picture could not be encoded")
        path.write_bytes(content.tobytes())
    except OSError as error:
        raise BadInputError(f"cannot write {path}: {error.strerror}; name a file in a folder that exists") from None


@click.command("lens")
@click.argument("photos", nargs=-1, type=PATH, metavar="PHOTO...")
@click.option("--table", type=PATH, default=None, help="Write the lens into this table's folder.")
@click.option("--sheet", type=PATH, default=None, help="Write the board to print, a PNG; no more.")
def lens_command(photos: tuple[Path, ...], table: Path | None, sheet: Path | None) -> None:
    """Calibrate the camera's lens from six PHOTOs or more of the printed ChArUco board; print it as one line of JSON.

    Print the sheet at any size, lay it flat, and photograph it with the camera mode of the table: from above and tilted
    to every side, large, and near the picture's corners too.
    """
    if sheet is not None:
        if photos or table:
            raise BadInputError(f"--sheet {sheet} writes the board to print; calibrate in a command of its own")
        _write(sheet, charuco_sheet())
        return
    path = None if table is None else table / "table.json"
    says, size_px = ({}, None) if path is None else read_without_lens(path)
    calibration = calibrate_lens({str(photo): load_photo(photo) for photo in photos}, size_px)
    lens = _lens_json(calibration)
    if path is not None:
        write_whole(path, _lines({**says, "lens": lens}))
    rms_px = round(calibration.rms_px, 3)
    quality = {"reprojection_px": rms_px, "photos": calibration.photos, "corners": calibration.corners}
    print(json.dumps({"lens": lens, **quality}))


def _lens_json(calibration: LensCalibration) -> dict[str, Any]:
    lens = calibration.lens
    # A ten-thousandth of a pixel, distortion half a picture away included, is less than any camera shows.
    numbers = {name: round(getattr(lens, name), 4 if name in ("fx", "fy", "cx", "cy") else 7) for name in LENS_NUMBERS}
    return {"width": lens.width_px, "height": lens.height_px, **numbers}


def _lines(says: dict[str, Any]) -> str:
    """Return the JSON object with a line for each of its keys, as people write table.json."""
    lines = [f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in says.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"
