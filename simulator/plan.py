"""What a player at a drawn table is going to do, how long things take there, and its output: pictures and presses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TypeVar

import numpy as np

from companion.board import Cell, Contents, PlayerColor
from simulator.paint import Image

#: The table's button: `deal` (the settlements are there, the game begins) or `done` (the player's turn is over).
Press = str

#: The contents of the cells that somebody touches, in the order in which they lay them.
Lying = Mapping[Cell, Contents]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a player is going to do: what will be on the cells they touch, in the order in which they lay it.

    `wrong`, if not None, is what they lay at first. `marker` is the field their day-track marker goes to; None: it
    stays. An empty `right` is a turn in which they save their days, or pass.
    """

    player: PlayerColor
    right: Lying
    wrong: Lying | None
    marker: int | None = None


Some = TypeVar("Some")


def one_of(some: Sequence[Some], rng: np.random.Generator) -> Some:
    """Return one of them, each as likely; there must be one."""
    return some[int(rng.integers(len(some)))]


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture, height x width x 3, BGR; `taken_s` is its time on the table's clock. No small one comes with it."""

    image: Image
    taken_s: float
    small: None = None


@dataclass(frozen=True, slots=True)
class Pace:
    """How long things take, in seconds."""

    reach_s: float = 0.35
    lay_s: float = 0.45
    settle_s: float = 0.8
    think_s: float = 2.5
    patience_s: float = 12.0
    rest_s: float = 15.0

    def hurried(self, speed: float) -> Pace:
        """Return a pace that many times faster; the wait for an answer does not depend on the players, and stays."""
        times = {each.name: getattr(self, each.name) / speed for each in fields(self) if each.name != "patience_s"}
        return replace(self, **times)
