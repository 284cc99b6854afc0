"""What parent and child say to one another over their pipe: first the child's words, then the parent's."""

from __future__ import annotations

from dataclasses import dataclass

from hardware.camera.frames import Trouble
from hardware.camera.ring import Sizes


@dataclass(frozen=True, slots=True)
class Loaded:
    """All is imported; the device is being opened."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The device gives pictures of these sizes: make a ring for them."""

    sizes: Sizes


@dataclass(frozen=True, slots=True)
class Attached:
    """The child has the ring."""


@dataclass(frozen=True, slots=True)
class Unsettled:
    """The device gives pictures, but is not settled yet."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A picture lies in that slot, which is the parent's now."""

    slot: int
    taken_s: float


@dataclass(frozen=True, slots=True)
class Lost:
    """There is no picture, for that reason; the child ends."""

    sentence: str
    trouble: Trouble


@dataclass(frozen=True, slots=True)
class Use:
    """Use the ring of that name from now on; all its slots are the child's."""

    name: str
    sizes: Sizes


@dataclass(frozen=True, slots=True)
class Free:
    """That slot is the child's again."""

    slot: int


@dataclass(frozen=True, slots=True)
class Meter:
    """Meter anew."""


@dataclass(frozen=True, slots=True)
class Close:
    """Close the device and end."""
