"""`strada lens`: a camera's lens from photographs of a printed ChArUco board."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import cv2

from calibration import load_photo
from calibration.lens import LensCalibration, calibrate_lens, charuco_sheet
from calibration.table import LENS_NUMBERS, read_without_lens
from companion.board import BadInputError
from companion.cli.writing import write_whole


@click.command()
@click.argument("photos", nargs=-1, type=click.Path(path_type=Path), metavar="PHOTO...")
@click.option("--table", type=click.Path(path_type=Path), default=None, help="Write the lens into this table's folder.")
@click.option(
    "--sheet", type=click.Path(path_type=Path), default=None, help="Write the board to print, a PNG; no more."
)
def command(photos: tuple[Path, ...], table: Path | None, sheet: Path | None) -> None:
    """Calibrate the camera's lens from six PHOTOs or more of the printed ChArUco board; print it as one line of JSON.

    Print the sheet at any size, lay it flat, and photograph it with the camera mode of the table: from above and tilted
    to every side, large, and near the picture's corners too.
    """
    if sheet is not None:
        if photos or table:
            raise BadInputError(f"--sheet {sheet} writes the board to print; calibrate in a command of its own")
        _write_sheet(sheet)
        return
    path = None if table is None else table / "table.json"
    says, size_px = ({}, None) if path is None else read_without_lens(path)
    found = calibrate_lens({str(photo): load_photo(photo) for photo in photos}, size_px)
    lens = _lens_json(found)
    if path is not None:
        write_whole(path, _lines({**says, "lens": lens}))
    told = {"reprojection_px": round(found.rms_px, 3), "photos": found.photos, "corners": found.corners}
    print(json.dumps({"lens": lens, **told}))


def _write_sheet(path: Path) -> None:
    _, content = cv2.imencode(".png", charuco_sheet())
    try:
        path.write_bytes(content.tobytes())
    except OSError as error:
        raise BadInputError(f"cannot write {path}: {error.strerror}; name a file in a folder that exists") from None


def _lens_json(found: LensCalibration) -> dict[str, Any]:
    lens = found.lens
    # A ten-thousandth of a pixel, and of the distortion half a picture away, is less than any camera shows.
    numbers = {name: round(getattr(lens, name), 4 if name in ("fx", "fy", "cx", "cy") else 7) for name in LENS_NUMBERS}
    return {"width": lens.width_px, "height": lens.height_px, **numbers}


def _lines(says: dict[str, Any]) -> str:
    """Return the JSON object with a line for each of its keys, as people write table.json."""
    lines = [f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in says.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"
