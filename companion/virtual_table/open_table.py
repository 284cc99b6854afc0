"""A drawn table that anybody may touch: lay, take, put a merchant, reach over it, switch a lamp on."""

from __future__ import annotations

import math
import queue
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from companion.board import Color, HexCell, Layout, Reading, Tile
from companion.virtual_table.camera import VirtualCamera
from companion.virtual_table.scene import Hand, Scene

#: A visitor's hand, from the lower edge.
_OVER_THE_BOARD = Hand(0.0, -1.0, math.pi / 2, look=3)


class OpenTable:
    """What visitors do may be asked for by any thread; it happens when the thread that owns the table comes by."""

    def __init__(self, camera: VirtualCamera, rng: np.random.Generator) -> None:
        self.camera = camera
        self._rng = rng
        self._asked: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._scene = Scene(camera.art.board, Layout(rings=camera.art.board.rings))
        self._light, self._has_lamp = camera.light, False

    @property
    def scene(self) -> Scene:
        """What lies on the table now."""
        return self._scene

    def truth(self) -> Reading:
        """Return what a perfect reader would say of a picture taken now."""
        return self.camera.truth(self._scene)

    def lay(self, cell: HexCell, tile: Tile) -> None:
        """Lay a tile there, instead of any other."""
        self._change(lambda scene: scene.lay(cell, tile, self._rng))

    def take(self, cell: HexCell) -> None:
        """Take the tile there away."""
        self._change(lambda scene: scene.take(cell))

    def put(self, cell: HexCell, color: Color) -> None:
        """Put a merchant there."""
        self._change(lambda scene: scene.put(cell, color, self._rng))

    def remove(self, cell: HexCell, color: Color) -> None:
        """Take a merchant away."""
        self._change(lambda scene: scene.remove(cell, color))

    def move_marker(self, color: Color, track_field: int | None) -> None:
        """Put the colour's day-track marker on a field; None: off the board."""
        self._change(lambda scene: scene.move_marker(color, track_field, self._rng))

    def cover(self, is_covered: bool) -> None:
        """Hold a hand over the middle of the board, or take it away."""
        self._change(lambda scene: replace(scene, hand=_OVER_THE_BOARD if is_covered else None))

    def switch_lamp(self, is_on: bool) -> None:
        """Switch another lamp on, or off again."""

        def switch() -> None:
            if is_on != self._has_lamp:
                self._has_lamp = is_on
                self.camera.shine(self._light.with_a_lamp() if is_on else self._light)

        self._asked.put(switch)

    def _change(self, changed: Callable[[Scene], Scene]) -> None:
        def change() -> None:
            self._scene = changed(self._scene)

        self._asked.put(change)

    def _do_what_was_asked(self) -> None:
        while True:
            try:
                self._asked.get_nowait()()
            except queue.Empty:
                return
