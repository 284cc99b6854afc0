"""Drawn tables of Silk Road written as a table's folder (docs/table-folder.md, `side`)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from companion.board import Section
from companion.virtual_table.photographs import write_json, write_photograph
from companion.virtual_table.square_camera import SquareCamera
from companion.virtual_table.square_dealing import SquareSetup, square_camera, square_setup


def write_square_table(
    folder: Path, seed: int, sets: Mapping[str, tuple[Section, ...]] | None = None
) -> tuple[SquareCamera, SquareSetup]:
    """Write table.json and setup/ into the folder; return the camera and what was drawn.

    `sets` are the players' sections, in the order of their seats; None: the made-up ones. Raises OSError where it
    cannot be written.
    """
    camera = square_camera(seed, sets)
    setup = square_setup(camera, seed)
    (folder / "setup").mkdir(parents=True, exist_ok=True)
    write_photograph(folder / "setup" / "empty.jpg", camera, setup.empty)
    for number, scene in enumerate(setup.teach, 1):
        write_photograph(folder / "setup" / ("teach.jpg" if number == 1 else f"teach-{number}.jpg"), camera, scene)
    centres = {str(cell): [round(x, 2), round(y, 2)] for cell, (x, y) in camera.centres().items()}
    write_json(folder / "setup" / "centres.json", centres)
    table = {
        "image": {"width": camera.view.width, "height": camera.view.height},
        "side": camera.art.board.side,
        "clicks": {str(cell): list(click) for cell, click in setup.clicks.items()},
        "fiducials": None,
    }
    write_json(folder / "table.json", table)
    return camera, setup
