"""What the pages show, whom they ask, and how many may watch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from companion.board import Reading
from companion.commands import Command, StartGame
from companion.logbook.backup import LastCopy
from companion.logbook.people import Note
from companion.scoreboard import Scoreboard
from companion.web.keepers import Keepers

if TYPE_CHECKING:
    from companion.setup.wizard import Wizard
    from companion.web.hands import Hands
    from companion.web.setup_steps import PanelTest


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


@dataclass(frozen=True, slots=True)
class Trust:
    """What phones must trust to be served under TLS: the authority's name, its certificate in PEM, and the port.

    `fingerprint` is its SHA-256: hexadecimal digits, two and two with a colon between.
    """

    name: str
    certificate: bytes
    fingerprint: str
    port: int

    @property
    def mark(self) -> str:
        """How the fingerprint begins, short enough to compare across a room, and too long to be hit upon."""
        return self.fingerprint[:23].replace(":", " ")

    @property
    def rest(self) -> str:
        """How it goes on."""
        return self.fingerprint[24:].replace(":", " ")


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


@dataclass(frozen=True, slots=True)
class Health:
    """How the companion is, in words for programs; nothing in it names anybody.

    `mode` is "live", "drawn", "by-hand", "asks" or "safe", `loop` "runs", "starts" or "hangs". `camera` and `logbook`
    are "ok" or what is wrong, by codes of TROUBLES; None where there is no camera, or where nothing is known yet.
    """

    mode: str
    loop: str
    camera: str | None
    logbook: str | None
    version: str

    @property
    def is_well(self) -> bool:
        """Whether it does what it is there for."""
        return self.loop == "runs" and self.has_pictures is not False and self.logbook in ("ok", None)

    @property
    def has_pictures(self) -> bool | None:
        """Whether pictures come, also those in which somebody hides the board; None without a camera."""
        return None if self.camera is None else self.camera in ("ok", "out-of-sight")


class Monitor(Protocol):
    """Knows how the companion is. Any thread may call it."""

    def health(self) -> Health:
        """Return how it is; at once, whatever hangs."""

    def figures(self, watching: int) -> bytes:
        """Return what is measured, in the text format of Prometheus; `watching`: so many scoreboards are open."""


class Beginning(Protocol):
    """What is done: "drawn", "table" or "hand", None while nobody has said so."""

    @property
    def now(self) -> str | None:
        """Which of them is done."""

    @property
    def game(self) -> str:
        """Which game is played, by its name in companion.games.GAMES."""

    def choose(self, what: str, game: str = "") -> bool:
        """Do that next, which ends these pages; False where it is done already. Raises BadInputError."""


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


class ClockSwitch(Protocol):
    """The turn clock as pages reach it. Any thread may call it."""

    def now_s(self) -> float:
        """Return the time on it."""

    def switch(self, is_on: bool) -> None:
        """Let every screen show it, or none."""


@dataclass(frozen=True, slots=True)
class OfHub:
    """To which hub a table belongs, what it is called ("": to none), and how it is with it.

    `is_connected`; `refusal` is what its broker said that does not let the table in. `held`: so many events it has.
    """

    called: str = ""
    address: str = ""
    is_connected: bool = False
    refusal: str = ""
    held: int | None = None


class HubLink(Protocol):
    """Belongs to a hub, or to none. Any thread may call it."""

    def now(self) -> OfHub:
        """Return to which, and how it is with it."""

    def join(self, address: str, code: str) -> OfHub:
        """Belong to the hub at that address; raises BadInputError where it does not want the table."""

    def leave(self) -> None:
        """Belong to none."""


class Updates(Protocol):
    """Looks for signed updates, and has one installed; another program does both. Any thread may call it."""

    @property
    def offered(self) -> str:
        """The version that a keeper may say yes to; "" for none."""

    @property
    def is_waiting(self) -> bool:
        """Whether something was asked for and is not done."""

    def ask_to_look(self) -> None:
        """Ask for a look; raises OSError."""

    def ask_to_install(self, version: str) -> None:
        """Ask for that version; raises OSError, and BadInputError if it is not on offer."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check of `strada doctor` finds: a code of companion.words.machine, its facts; whether to mend it."""

    check: str
    code: str
    facts: Mapping[str, str | int | float]
    is_to_do: bool = False


def nothing() -> None:
    """Return None: what is not there yet, or never."""


@dataclass(frozen=True, slots=True)
class Backend:
    """What the pages show and whom they ask: everything that `create_app` needs, each page its part of it.

    `submit` takes a command and who gives it, and tells whether there was room for it. `picture` gives the newest
    picture with the reading drawn over it, `reading` what was read in it, `record` the game as it stands, `game` what
    would be dealt next; each None where there is none yet. `table` controls a table that plays by itself, and `hands`
    is what visitors do there; `forgets_games` where its games are gone when it ends. A game kept by hand has no camera.
    `keepers` lets those in who know the PIN. `address` is the one that others in the local network join at, or "", and
    `wifi` the network that the table has opened for them itself. `logbook` is its folder, `forget` deletes a game of
    it, or its pictures alone, and `note` writes down what is said of people, and by whom. After a loss `last_copy` may
    hold more, and `bring_back` makes it the logbook. `wizard` sets a table up, for practice alone where
    `is_practice`, and `panel` tries its lamps and button. `safe_mode` is there where the companion may be in it.
    `turn_clock` counts how long turns take.
    `upkeep` is what a keeper should know of the copies off the machine, and of newer versions. `monitor`
    tells programs how it is, and `has_open_figures` programs elsewhere too. `trust` is what phones must trust where the
    table is served under TLS with a certificate of its own. `beginning` is there where a keeper may choose what to do.
    `hub` is there where what happens is kept, and lets the table belong to a hub. `updates` is there where the settings
    say where they are looked for, and for which key they are signed.
    """

    scoreboard: Scoreboard
    submit: Callable[[Command, str], bool]
    picture: Callable[[], Picture | None] = nothing
    record: Callable[[], Download | None] = nothing
    table: TableControls | None = None
    hands: Hands | None = None
    has_camera: bool = True
    forgets_games: bool = False
    keepers: Keepers = field(default_factory=Keepers)
    reading: Callable[[], Reading | None] = nothing
    game: Callable[[], StartGame | None] = nothing
    address: Callable[[], str] = str
    wifi: Callable[[], Wifi | None] = nothing
    logbook: Callable[[], Path | None] | None = None
    forget: Callable[[int, bool], None] | None = None
    note: Callable[[Note, str], None] | None = None
    last_copy: Callable[[], LastCopy | None] = nothing
    bring_back: Callable[[LastCopy], None] | None = None
    wizard: Wizard | None = None
    is_practice: bool = False
    panel: PanelTest | None = None
    safe_mode: SafeMode | None = None
    turn_clock: ClockSwitch | None = None
    upkeep: Callable[[], Sequence[Finding]] = tuple
    trust: Callable[[], Trust | None] = nothing
    monitor: Monitor | None = None
    has_open_figures: bool = False
    beginning: Beginning | None = None
    hub: HubLink | None = None
    updates: Updates | None = None
    limits: Limits = field(default_factory=Limits)
    trusted_hosts: Iterable[str] = ("localhost", "127.0.0.1", "[::1]")
