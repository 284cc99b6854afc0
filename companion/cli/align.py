"""`strada align`: where the board lies in a photograph."""

from __future__ import annotations

import json
from pathlib import Path

import click
import cv2

from calibration import align, align_square, load_photo, read_clicks
from calibration.overlay import draw_grid
from companion.board import BadInputError, SquareBoard


@click.command()
@click.argument("photo", type=click.Path(path_type=Path))
@click.option(
    "--clicks",
    "clicks_file",
    required=True,
    type=click.Path(path_type=Path),
    help="A table.json, or any JSON file with `clicks` and `rings`, or `side` for a square board.",
)
@click.option("--rings", type=int, default=None, help="Rings of cells round the centre; the file's unless given.")
@click.option("--overlay", type=click.Path(path_type=Path), default=None, help="Write the grid drawn over the photo.")
def command(photo: Path, clicks_file: Path, rings: int | None, overlay: Path | None) -> None:
    """Find the board in PHOTO and print the centres of its cells, in pixels, as one line of JSON."""
    clicks, setup, board = read_clicks(clicks_file, rings)
    image = load_photo(photo, setup.size_px if setup else None)
    try:
        lens = setup.lens if setup else None
        view = (
            align_square(image, clicks, board, lens)
            if isinstance(board, SquareBoard)
            else align(image, clicks, board.rings, setup.tracks if setup else None, lens)
        )
    except BadInputError as error:
        raise BadInputError(f"{photo}: {error}") from None
    if overlay:
        tracks = setup.tracks if setup else {}
        encoded, content = cv2.imencode(".png", draw_grid(image, view, tracks))
        try:
            if not encoded:
                raise OSError(0, "the picture could not be encoded")
            overlay.write_bytes(content.tobytes())
        except OSError as error:
            raise BadInputError(
                f"cannot write {overlay}: {error.strerror}; name a file in a folder that exists"
            ) from None
    centres = {str(cell): [round(x, 2), round(y, 2)] for cell, (x, y) in view.centres_px.items()}
    print(json.dumps({"centres": centres, "residual_px": round(view.residual_px, 3)}))
