"""A drawn table that anybody may touch: lay, take, put a merchant, reach over it, switch a lamp on."""

from __future__ import annotations

import math
import queue
from collections.abc import Callable
from typing import Generic

import numpy as np

from companion.board import Cell, Reading, Tile
from companion.virtual_table.any_scene import AnyScene, DrawnCamera
from companion.virtual_table.scene import Hand

#: A visitor's hand, from the lower edge.
_OVER_THE_BOARD = Hand(0.0, -1.0, math.pi / 2, look=3)


class OpenTable(Generic[AnyScene]):
    """What visitors do may be asked for by any thread; it happens when the thread that owns the table comes by."""

    def __init__(self, camera: DrawnCamera[AnyScene], scene: AnyScene, rng: np.random.Generator) -> None:
        self._eye, self._scene, self._rng = camera, scene, rng
        self._asked: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._light, self._has_lamp = camera.light, False

    @property
    def scene(self) -> AnyScene:
        """What lies on the table now."""
        return self._scene

    def truth(self) -> Reading:
        """Return what a perfect reader would say of a picture taken now."""
        return self._eye.truth(self._scene)

    def lies(self) -> Reading:
        """Return what truly lies there, covered or not."""
        return self._eye.truth(self._scene.with_hand(None))

    def lay(self, cell: Cell, tile: Tile) -> None:
        """Lay a tile there, instead of any other."""
        self._change(lambda scene: scene.lay(cell, tile, self._rng))

    def take(self, cell: Cell) -> None:
        """Take the tile there away."""
        self._change(lambda scene: scene.take(cell))

    def cover(self, is_covered: bool) -> None:
        """Hold a hand over the middle of the board, or take it away."""
        self._change(lambda scene: scene.with_hand(_OVER_THE_BOARD if is_covered else None))

    def switch_lamp(self, is_on: bool) -> None:
        """Switch another lamp on, or off again."""

        def switch() -> None:
            if is_on != self._has_lamp:
                self._has_lamp = is_on
                self._eye.shine(self._light.with_a_lamp() if is_on else self._light)

        self._asked.put(switch)

    def _change(self, changed: Callable[[AnyScene], AnyScene]) -> None:
        def change() -> None:
            self._scene = changed(self._scene)

        self._asked.put(change)

    def _do_what_was_asked(self) -> None:
        while True:
            try:
                self._asked.get_nowait()()
            except queue.Empty:
                return
