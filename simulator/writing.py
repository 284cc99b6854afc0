"""Drawn tables as files: photographs with their truth beside them, and what teaches a table (tables/FORMAT.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from companion.board import Cell, Reading, reading_to_json
from companion.system.pictures import jpeg
from simulator.camera import DrawnCamera
from simulator.paint import Image
from simulator.scene import AnyScene

#: The quality of the JPEGs.
_QUALITY = 92


def truth_json(truth: Reading) -> dict[str, Any]:
    """Return a truth as FORMAT.md writes it: a reading without confidence and without doubts."""
    value = reading_to_json(truth)
    for cell in value["cells"].values():
        del cell["confidence"]
    kept = {key: value[key] for key in ("cells", "tracks", "occluded")}
    return {**kept, "occluded_tracks": value["occluded_tracks"]} if truth.occluded_tracks else kept


def write_photograph(
    path: Path, camera: DrawnCamera[AnyScene, Any], scene: AnyScene, more: Mapping[str, Any] | None = None
) -> Image:
    """Write a JPEG and, beside it, its truth together with `more`; return the picture."""
    picture = camera.picture(scene)
    path.write_bytes(jpeg(picture, _QUALITY))
    write_json(path.with_suffix(".json"), {**truth_json(camera.truth(scene)), **(more or {})})
    return picture


#: A person's clicks are off by about this many pixels, and by no more than 8 (tables/FORMAT.md).
_CLICK_PX, _MOST_PX = 3.0, 8.0


def clicks(camera: DrawnCamera[Any, Any], rng: np.random.Generator) -> dict[Cell, tuple[float, float]]:
    """Return where a person clicked the corner cells."""
    centres, clicked = camera.centres(), dict[Cell, tuple[float, float]]()
    for cell in camera.art.board.corners:
        off = rng.normal(0, _CLICK_PX, 2)
        off *= min(1.0, _MOST_PX / float(np.hypot(*off)))
        clicked[cell] = (round(centres[cell][0] + float(off[0]), 1), round(centres[cell][1] + float(off[1]), 1))
    return clicked


def write_set_up(
    folder: Path,
    camera: DrawnCamera[AnyScene, Any],
    scenes: Mapping[str, AnyScene],
    clicked: Mapping[Cell, tuple[float, float]],
    more: Mapping[str, Any],
) -> None:
    """Write setup/ with a photograph of each scene, by name, and table.json with `more` of what it says."""
    (folder / "setup").mkdir(parents=True, exist_ok=True)
    for name, scene in scenes.items():
        write_photograph(folder / "setup" / f"{name}.jpg", camera, scene)
    centres = {str(cell): [round(x, 2), round(y, 2)] for cell, (x, y) in camera.centres().items()}
    write_json(folder / "setup" / "centres.json", centres)
    image = {"width": camera.view.width, "height": camera.view.height}
    by_name = {str(cell): list(click) for cell, click in clicked.items()}
    write_json(folder / "table.json", {"image": image, "clicks": by_name, **more})


def write_json(path: Path, value: object) -> None:
    """Write plain values as JSON."""
    path.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
