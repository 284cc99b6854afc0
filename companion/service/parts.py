"""What the loop is given: eyes, panel and logbook, each by what it must be able to do, and its pace."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from companion.board import Cell, Contents, DealRemarks, PlayerColor, Reading
from companion.events import Event, Loss
from companion.games.contract import Position
from companion.session import State
from hardware.cues import Cue, Glow

#: How long presses are ignored after a verdict: fingers bounce, and two people press at once.
QUIET_S = 2.0


class Frame(Protocol):
    """A picture and when it was taken."""

    @property
    def image(self) -> Any:
        """Height x width x 3, BGR."""

    @property
    def taken_s(self) -> float:
        """On the service's clock."""

    @property
    def small(self) -> Any:
        """The same picture at a low resolution, if the camera gives one; else None."""


class Camera(Protocol):
    """Gives pictures; raises OSError if there is none in time, with a message for people to read."""

    def frame(self, timeout_s: float) -> Frame:
        """Return a new picture."""


class Reader(Protocol):
    """Reads pictures; raises BadInputError for one that shows no board."""

    @property
    def view(self) -> Any:
        """Where the board is in the last picture."""

    @property
    def is_upside_down(self) -> bool:
        """Whether the camera hangs upside down, compared with the set-up."""

    @property
    def outline(self) -> Any:
        """What matters in a picture: the corners (N, 2) of board and day tracks in the last one, in its pixels."""

    @property
    def lost(self) -> str | None:
        """Why the board was not found in the last picture; None if it was."""

    @property
    def remarks(self) -> DealRemarks:
        """What may make the game that began last hard to read."""

    def new_game(self, is_dealt: bool = True, books: Mapping[Cell, Contents] | None = None) -> None:
        """Forget the layout of the board pieces and what lay there.

        `is_dealt`: the next picture shows a deal. `books` is what should be there in the middle of a game.
        """

    def read(self, image: Any, is_again: bool = False) -> Reading:
        """Return what the picture shows. `is_again`: nothing has moved since the one before."""

    def confirmed(self, cells: Mapping[Cell, Contents], by_hand: bool = False) -> None:
        """Take it that cells held this in the last picture (`companion.verdicts`)."""

    def booked(self, books: Mapping[Cell, Contents], colors: Collection[PlayerColor], walking: bool = False) -> None:
        """Take it that the books hold this after the last picture's move, and that only these colours play.

        `walking`: in this game merchants leave the places where they stand.
        """


class Motion(Protocol):
    """What a cheap look at a picture tells."""

    @property
    def is_still(self) -> bool:
        """Whether nothing moved for several pictures."""

    @property
    def has_changed(self) -> bool:
        """Whether anything differs from the picture that was read last."""


class Steadier(Protocol):
    """Looks at every picture, so that only those worth it are read."""

    def look(self, image: Any, small: Any = None) -> Motion:
        """Compare the picture with those before and the last one read; `small` is the same at a quarter of its size."""

    def picture(self, most: int | None = None) -> Any:
        """Return the mean of the pictures that were alike, including the newest, and at most `most` of them."""

    def keep(self, outline: Any = None) -> None:
        """Note that this picture is being read, and which part of it matters from now on."""


class Panel(Protocol):
    """Lamps and buzzer."""

    def play(self, cue: Cue) -> None:
        """Begin the cue."""

    def glow(self, glow: Glow) -> None:
        """Show this under the cues, until another one is asked for."""

    def show_turn(self, color: str | None) -> None:
        """Light one player's turn lamp."""

    def pause(self) -> None:
        """Darken lamps and buzzer while a picture is taken; for a moment at most."""

    def resume(self) -> None:
        """Go on with what was playing."""


@dataclass(frozen=True, slots=True)
class Eyes:
    """What looks at the table. `calm` is called while that rests; `has_pictures`: the pictures are worth keeping."""

    camera: Camera
    reader: Reader
    steadier: Steadier
    calm: Callable[[], None] = lambda: None
    has_pictures: bool = True


@dataclass(frozen=True, slots=True)
class Pace:
    """The loop's time: how long a round takes, and how long after a verdict presses do not count.

    `clock` is in seconds, and never goes back; `beat` is told of every round, `read` of every reading and how many
    seconds it took, `blind` why there was none, by a code of TROUBLES.
    """

    period_s: float = 0.1
    quiet_s: Callable[[], float] = lambda: QUIET_S
    clock: Callable[[], float] = time.monotonic
    beat: Callable[[], None] = lambda: None
    read: Callable[[Reading, float], None] = lambda reading, seconds: None
    blind: Callable[[str], None] = lambda code: None


@dataclass(frozen=True, slots=True)
class ReadPicture:
    """A picture and what the reader read in it; `view` is where the board is. `number` counts pictures."""

    image: Any
    view: Any
    reading: Reading
    number: int


class Trouble(Protocol):
    """Why something cannot be kept."""

    @property
    def code(self) -> str:
        """One of companion.words's TROUBLES."""


class Logbook(Protocol):
    """Keeps what happened."""

    @property
    def note(self) -> Loss | None:
        """What was lost or put right when it was opened last; None for nothing."""

    @property
    def trouble(self) -> Trouble | None:
        """Why nothing can be kept now; None if all is well."""

    def record(self, events: Sequence[Event], state: State, sight: ReadPicture | None = None, who: str = "") -> None:
        """Keep it; returns once it is on the disk, or `trouble` says why it is not."""


#: Told of what happened, with the position that it made (None before the first deal), on the loop's thread.
Witness = Callable[[Sequence[Event], Position | None], None]
