"""Drawn photographs as files: each a JPEG with its truth beside it (tables/FORMAT.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from companion.board import Reading, reading_to_json
from companion.jpeg import jpeg
from companion.virtual_table.any_scene import AnyScene, DrawnCamera
from companion.virtual_table.paint import Image

#: How good the JPEGs are.
_QUALITY = 92


def truth_json(truth: Reading) -> dict[str, Any]:
    """Return a truth as FORMAT.md writes it: a reading without confidence and without doubts."""
    value = reading_to_json(truth)
    for cell in value["cells"].values():
        del cell["confidence"]
    kept = {key: value[key] for key in ("cells", "tracks", "occluded")}
    return {**kept, "occluded_tracks": value["occluded_tracks"]} if truth.occluded_tracks else kept


def write_photograph(
    path: Path, camera: DrawnCamera[AnyScene], scene: AnyScene, more: Mapping[str, Any] | None = None
) -> Image:
    """Write a JPEG and, beside it, its truth with `more` beside that; return the picture."""
    picture = camera.picture(scene)
    path.write_bytes(jpeg(picture, _QUALITY))
    write_json(path.with_suffix(".json"), {**truth_json(camera.truth(scene)), **(more or {})})
    return picture


def write_json(path: Path, value: object) -> None:
    """Write plain values as JSON."""
    path.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
