"""What hands do at a drawn table of either kind, and the camera over it."""

from __future__ import annotations

from typing import Protocol, Self, TypeVar

import numpy as np

from companion.board import Board, Cell, Contents, Reading, Tile
from companion.virtual_table.light import Light
from companion.virtual_table.paint import Image
from companion.virtual_table.scene import Hand, Nudge


class DrawnScene(Protocol):
    """Everything on the table. Each change makes a new scene."""

    @property
    def board(self) -> Board:
        """The board that lies there."""

    @property
    def nudge(self) -> Nudge:
        """How far the board was pushed."""

    def contents(self, cell: Cell) -> Contents:
        """Return what lies on the cell."""

    def lay(self, cell: Cell, tile: Tile, rng: np.random.Generator, /) -> Self:
        """Return the scene with a tile there, a little askew, instead of any other."""

    def take(self, cell: Cell) -> Self:
        """Return the scene without a tile there."""

    def with_hand(self, hand: Hand | None) -> Self:
        """Return the scene with that hand over it, or with none."""

    def with_nudge(self, nudge: Nudge) -> Self:
        """Return the scene on a board that was pushed so."""


AnyScene = TypeVar("AnyScene", bound=DrawnScene)
Shown_contra = TypeVar("Shown_contra", contravariant=True)


class DrawnCamera(Protocol[Shown_contra]):
    """A camera over a drawn table."""

    light: Light

    def picture(self, scene: Shown_contra) -> Image:
        """Return a picture of the scene, height x width x 3, BGR."""

    def truth(self, scene: Shown_contra) -> Reading:
        """Return what a perfect reader would say of a picture of this scene."""

    def shine(self, light: Light) -> None:
        """Let that light fall on the table from now on."""
