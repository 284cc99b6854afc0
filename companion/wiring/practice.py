"""The set-up to practise, where the table is a drawn one: its real steps, on drawn photographs of another table."""

from __future__ import annotations

import shutil
import tempfile
import threading
import weakref
from pathlib import Path
from typing import TYPE_CHECKING

from companion.board import SquareBoard
from companion.setup.store import Store
from companion.setup.wizard import Use, Wizard

if TYPE_CHECKING:
    from vision.light.flatten import Image


class Practice:
    """A set-up that nothing comes of: its table is gone when the companion ends. Any thread may call.

    The camera first looks at an empty board; once that was found, at one with pieces that teach, photograph by
    photograph. The table's printing is that of another seed than the one that is played at. `forget` deletes it now.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed + 1
        place = Path(tempfile.mkdtemp(prefix="strada-practice-"))
        self.forget = weakref.finalize(self, shutil.rmtree, place, ignore_errors=True)
        self.wizard = Wizard(Store(place), self._picture, lambda path: Use.PRACTICE, lambda: place, is_fixed=False)
        self._lock = threading.Lock()
        self._drawn: dict[bool, tuple[Image, ...]] = {}

    def _picture(self) -> Image:
        now = self.wizard.now
        is_square = isinstance(now.board, SquareBoard)
        with self._lock:  # whoever comes meanwhile waits for the same drawing
            if is_square not in self._drawn:
                self._drawn[is_square] = _square(self._seed) if is_square else _hexagonal(self._seed)
        empty, *shown = self._drawn[is_square]
        return empty if now.draft is None else shown[min(len(now.draft.lessons), len(shown) - 1)]


# What draws is loaded once somebody looks.
# ruff: noqa: PLC0415
def _hexagonal(seed: int) -> tuple[Image, ...]:
    from simulator.setup import made_setup, virtual_camera

    setup = made_setup(virtual_camera(seed), seed)
    return tuple(map(setup.camera.picture, (setup.empty, setup.teach)))


def _square(seed: int) -> tuple[Image, ...]:
    from simulator.square_camera import square_camera, square_setup

    camera = square_camera(seed)
    setup = square_setup(camera, seed)
    return tuple(map(camera.picture, (setup.empty, *setup.teach)))
