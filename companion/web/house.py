"""What the pages stand on: what they show, whom they ask, and how many may watch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from companion.board import Reading
from companion.commands import Command, StartGame
from companion.scoreboard import Scoreboard
from companion.web.keepers import Keepers
from companion.web.parts import Painter
from companion.web.stream import Streams


@dataclass(frozen=True, slots=True)
class Limits:
    """How many event streams at once: in all, and from one address (a browser allows itself six a host)."""

    streams: int = 100
    streams_per_address: int = 6


@dataclass(frozen=True, slots=True)
class Picture:
    """A JPEG of what the camera saw, and which one of its pictures it is."""

    jpeg: bytes
    number: int


@dataclass(frozen=True, slots=True)
class Download:
    """A text of JSON, and the name of the file that a browser makes of it."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Wifi:
    """The Wi-Fi that the table has opened itself: its name and its password."""

    name: str
    password: str


class TableControls(Protocol):
    """What can be asked of a table that plays by itself."""

    @property
    def is_paused(self) -> bool:
        """Whether the table stands still."""

    @property
    def speed(self) -> float:
        """How much faster than at first it plays."""

    def pause(self) -> bool:
        """Stop or go on; return whether the table now stands still."""

    def hurry(self) -> float:
        """Go on to the next speed, from the last to the first; return it."""


class SafeMode(Protocol):
    """Whether camera and pins are left out, since starts with them failed."""

    @property
    def is_on(self) -> bool:
        """Whether they are."""

    @property
    def has_button(self) -> bool:
        """Whether the table has a button to hold; without one the PIN is shown for a while after each start."""

    def leave(self) -> None:
        """Take them up again; where they are in use it does nothing."""


@dataclass(frozen=True, slots=True)
class House:
    """What the pages need, each page its part of it.

    `submit` hands a command on with who gives it. `reading` is what was seen last, `game` what would be dealt next;
    None where there is none yet.
    """

    scoreboard: Scoreboard
    submit: Callable[[Command, str], bool]
    picture: Callable[[], Picture | None]
    record: Callable[[], Download | None]
    table: TableControls | None
    painter: Painter
    streams: Streams
    keepers: Keepers
    reading: Callable[[], Reading | None]
    game: Callable[[], StartGame | None]

    @property
    def has_camera(self) -> bool:
        """Whether there are pictures to be seen: a game that is kept by hand has none of what was read."""
        return self.picture() is not None or not self.scoreboard.latest.eye.picture
