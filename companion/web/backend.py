"""What the pages show, whom they ask, and how many people may watch."""

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
    """How many event streams are open at once: in all, and from one address (a browser allows itself six per host)."""

    streams: int = 100
    streams_per_address: int = 6


@dataclass(frozen=True, slots=True)
class Picture:
    """A JPEG of what the camera saw, and the number of that picture."""

    jpeg: bytes
    number: int


@dataclass(frozen=True, slots=True)
class Download:
    """JSON text, and the name of the file that a browser saves it as."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Wifi:
    """The Wi-Fi that the table itself has opened: its name and its password."""

    name: str
    password: str


@dataclass(frozen=True, slots=True)
class Trust:
    """What phones must trust before they can use TLS: the authority's name, its certificate in PEM, and the port.

    `fingerprint` is its SHA-256: hexadecimal digits in pairs, with colons between them.
    """

    name: str
    certificate: bytes
    fingerprint: str
    port: int

    @property
    def mark(self) -> str:
        """How the fingerprint begins: short enough to compare across a room, too long to be matched by chance."""
        return self.fingerprint[:23].replace(":", " ")

    @property
    def rest(self) -> str:
        """The rest of the fingerprint."""
        return self.fingerprint[24:].replace(":", " ")


class TableControls(Protocol):
    """What a table that plays by itself can be asked to do."""

    @property
    def is_paused(self) -> bool:
        """Whether the table is paused."""

    @property
    def speed(self) -> float:
        """How many times as fast as at first it plays."""

    def pause(self) -> bool:
        """Stop or go on. Return whether the table is now paused."""

    def hurry(self) -> float:
        """Change to the next speed, from the last one to the first. Return it."""


@dataclass(frozen=True, slots=True)
class Health:
    """How the companion is, in words for programs. Nothing in it names anybody.

    `mode` is "live", "drawn", "by-hand", "asks" or "safe"; `loop` is "runs", "starts" or "hangs". `camera` and
    `logbook` are "ok" or a code from TROUBLES that says what is wrong; None if there is no camera, or nothing is known
    yet.
    """

    mode: str
    loop: str
    camera: str | None
    logbook: str | None
    version: str

    @property
    def is_well(self) -> bool:
        """Whether the companion does its job."""
        return self.loop == "runs" and self.has_pictures is not False and self.logbook in ("ok", None)

    @property
    def has_pictures(self) -> bool | None:
        """Whether pictures arrive, even if somebody hides the board in them; None without a camera."""
        return None if self.camera is None else self.camera in ("ok", "out-of-sight")


class Monitor(Protocol):
    """Knows how the companion is. Any thread may call it."""

    def health(self) -> Health:
        """Return how it is, at once, whatever hangs."""

    def figures(self, watching: int) -> bytes:
        """Return what is measured, in the text format of Prometheus; `watching` is how many scoreboards are open."""


class Beginning(Protocol):
    """What this companion is for now: "drawn", "table" or "hand"; None while nobody has chosen."""

    @property
    def now(self) -> str | None:
        """Which of them was chosen."""

    @property
    def game(self) -> str:
        """Which game is played, by its name in companion.games.GAMES."""

    def choose(self, what: str, game: str = "") -> bool:
        """Change to that, which ends these pages. Return False if nothing changes. Raises BadInputError."""


class SafeMode(Protocol):
    """Whether camera and pins are left out because starts with them failed."""

    @property
    def is_on(self) -> bool:
        """Whether they are left out."""

    @property
    def has_button(self) -> bool:
        """Whether the table has a button to hold. Without one, the PIN is shown for a while after each start."""

    def leave(self) -> None:
        """Use camera and pins again. If they are in use, do nothing."""


class ClockSwitch(Protocol):
    """The turn clock as the pages use it. Any thread may call it."""

    def now_s(self) -> float:
        """Return the time that it shows."""

    def switch(self, is_on: bool) -> None:
        """Show it on every screen, or on none."""


@dataclass(frozen=True, slots=True)
class OfHub:
    """Which hub a table belongs to, what the table is called there ("": no hub), and how the connection is.

    `is_connected`. `refusal` is why the hub's broker does not let the table in. `held` is how many events the hub has.
    """

    called: str = ""
    address: str = ""
    is_connected: bool = False
    refusal: str = ""
    held: int | None = None


class HubLink(Protocol):
    """Belongs to a hub or to none. Any thread may call it."""

    def now(self) -> OfHub:
        """Return which hub that is, and how the connection is."""

    def join(self, address: str, code: str) -> OfHub:
        """Join the hub at that address. Raises BadInputError if the hub does not accept the table."""

    def leave(self) -> None:
        """Leave the hub."""


class Updates(Protocol):
    """Asks another program to look for signed updates, or to install one. Any thread may call it."""

    @property
    def offered(self) -> str:
        """The version that a keeper may agree to; "" for none."""

    @property
    def is_waiting(self) -> bool:
        """Whether something was asked for and is not done yet."""

    def ask_to_look(self) -> None:
        """Ask for a look. Raises OSError."""

    def ask_to_install(self, version: str) -> None:
        """Ask for that version. Raises OSError, and BadInputError if it is not on offer."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check of `strada doctor` found: a code of companion.words.machine, its facts, and whether to fix it."""

    check: str
    code: str
    facts: Mapping[str, str | int | float]
    is_to_do: bool = False


def nothing() -> None:
    """Return None, for what is not there yet or never will be."""


@dataclass(frozen=True, slots=True)
class Backend:
    """What the pages show and whom they ask: everything that `create_app` needs, a part for each page.

    `submit` takes a command and who gives it, and returns whether there was room for it. `picture` gives the newest
    picture with the reading drawn over it, `reading` what was read in it, `record` the game so far, and `game` what
    would be dealt next; each gives None while there is none yet. `table` controls a table that plays by itself, and
    `hands` is what visitors do there; `forgets_games` is set if its games are gone when it ends. A game kept by hand
    has no camera. `keepers` admits those who know the PIN. `address` is where others on the local network can join, or
    "", and `wifi` is the network that the table itself has opened for them. `logbook` is the logbook's folder, `forget`
    deletes one of its games, or only that game's pictures, and `note` records what is said about people, and by whom.
    After a loss `last_copy` may hold more, and `bring_back` makes it the logbook. `wizard` sets a table up, only for
    practice if `is_practice`, and `panel` tries its lamps and button. `safe_mode` is given if the companion may be in
    safe mode. `turn_clock` counts how long turns take. `upkeep` is what a keeper should know about copies off the
    machine and newer versions. `monitor` tells programs how the companion is, and `has_open_figures` lets programs
    elsewhere ask, too. `trust` is what phones must trust if the table uses TLS with a certificate of its own.
    `beginning` is given if a keeper may choose what to do. `hub` is given if events are kept, and lets the table belong
    to a hub. `updates` is given if the settings say where to look for updates, and which key signs them.
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
