"""What a drawn table gives out, its pictures and presses, and how long things take at it."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from companion.virtual_table.paint import Image


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture, height x width x 3, BGR; `taken_s` is when, on the table's clock. No small one comes with it."""

    image: Image
    taken_s: float
    small: None = None


@dataclass(frozen=True, slots=True)
class Press:
    """The table's button: `deal` (the settlements lie, the game begins) or `done` (the player in turn is finished)."""

    button: str


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
        """Return the pace that many times faster; how long players wait for an answer is not theirs, and stays."""
        times = {each.name: getattr(self, each.name) / speed for each in fields(self) if each.name != "patience_s"}
        return replace(self, **times)
