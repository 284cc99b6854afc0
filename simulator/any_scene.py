"""What hands do at a drawn table of either kind, and the camera over it.

Anybody may touch such a table: lay and take things, add a merchant, reach over it, switch on a lamp. Its photographs
are written as files, each a JPEG with its truth beside it (tables/FORMAT.md).
"""

from __future__ import annotations

import json
import math
import queue
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Generic

import numpy as np

from companion.board import Cell, Reading, Tile, reading_to_json
from companion.system.pictures import jpeg
from simulator.camera import DrawnCamera
from simulator.paint import Image
from simulator.scene import AnyScene, Hand

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


#: A visitor's hand, from the lower edge.
_OVER_THE_BOARD = Hand(0.0, -1.0, math.pi / 2, look=3)


class OpenTable(Generic[AnyScene]):
    """Any thread may ask for what visitors do; it happens when the thread that owns the table comes by."""

    def __init__(self, camera: DrawnCamera[AnyScene, Any], scene: AnyScene, rng: np.random.Generator) -> None:
        self._eye, self._scene, self._rng = camera, scene, rng
        self._asked: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._light, self._has_lamp = camera.light, False

    @property
    def scene(self) -> AnyScene:
        """Everything on the table now."""
        return self._scene

    def truth(self) -> Reading:
        """Return what a perfect reader would say of a picture taken now."""
        return self._eye.truth(self._scene)

    def lies(self) -> Reading:
        """Return what is truly there, covered or not."""
        return self._eye.truth(self._scene.with_hand(None))

    def lay(self, cell: Cell, tile: Tile) -> None:
        """Lay a tile there, instead of any other."""
        self._change(lambda scene: scene.lay(cell, tile, self._rng))

    def take(self, cell: Cell) -> None:
        """Take away the tile there."""
        self._change(lambda scene: scene.take(cell))

    def cover(self, is_covered: bool) -> None:
        """Hold a hand over the middle of the board, or take it away."""
        self._change(lambda scene: scene.with_hand(_OVER_THE_BOARD if is_covered else None))

    def switch_lamp(self, is_on: bool) -> None:
        """Switch on another lamp, or switch it off again."""

        def switch() -> None:
            if is_on != self._has_lamp:
                self._has_lamp = is_on
                self._eye.shine(self._light.with_a_lamp() if is_on else self._light)

        self._asked.put(switch)

    def _change(self, changed: Callable[[AnyScene], AnyScene]) -> None:
        self._asked.put(lambda: self._scened(changed(self._scene)))

    def _scened(self, scene: AnyScene) -> None:
        self._scene = scene

    def _do_what_was_asked(self) -> None:
        with suppress(queue.Empty):
            while True:
                self._asked.get_nowait()()
