"""The pages with everything that can be behind them: at a real table, and at a drawn one."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
from flask import Flask

from companion.board import BadInputError, CellReading, Color, Contents, Reading, Road, Terrain
from companion.commands import StartGame
from companion.games.contract import Player
from companion.logbook.backup import LastCopy
from companion.setup.store import Store
from companion.setup.wizard import Wizard
from companion.web import Backend, Download, Health, Keepers, Limits, OfHub, Picture, Trust, Wifi
from companion.web.backend import Finding
from tests.web.playing import BOARD, Table, game, showing
from tests.web.test_hands import Fingers

PIN = "471102"
C4 = BOARD.cell("C4")
ROAD = Contents(Road(Color.RED, Terrain.PLAIN, (1, 3)))
OTHER_ROAD = Contents(Road(Color.RED, Terrain.PLAIN, (1, 4)))
#: A reading in which one cell was not understood.
READING = Reading(
    BOARD, {C4: CellReading(ROAD, Terrain.PLAIN, False, 0.5, (OTHER_ROAD, ROAD))}, unclear=frozenset({C4})
)
LAST = StartGame((Player("Ada", Color.BLACK), Player("Bo", Color.RED)), "standard", {"hints": True})

MARK = "5F:3A:91:C2:0B:7E:44:D1:" + ":".join(["A9"] * 24)
WELL = Health("live", "runs", "ok", "ok", "1.2.3")

#: What only a drawn table has.
DRAWN = {"table", "hands", "is_practice"}


@dataclass
class Lamps:
    """Lamps and buzzer that note what they showed, and a button that was pressed three times."""

    parts: tuple[str, ...] = ("legal", "illegal", "turn-red")
    shown: list[str] = field(default_factory=list)
    listened: int = 0

    def listen(self) -> int:
        self.listened += 1
        return 3

    def show(self, part: str) -> None:
        self.shown.append(part)


@dataclass
class Safe:
    """Safe mode, and how often it was left."""

    is_on: bool = True
    has_button: bool = False
    left: int = 0

    def leave(self) -> None:
        self.left += 1


@dataclass
class Choice:
    """What is being done, and what was chosen instead."""

    now: str | None = "table"
    game: str = "la-strada"
    chosen: list[tuple[str, str]] = field(default_factory=list)

    def choose(self, what: str, game: str = "") -> bool:
        if what not in ("drawn", "table", "hand"):
            raise BadInputError(f"what is {what}")
        if game not in ("", "la-strada", "silk-road"):
            raise BadInputError(f"game is {game}")
        self.chosen.append((what, game))
        return what != self.now


@dataclass
class Watch:
    """A turn clock that stands at 100 s, and notes how it was switched."""

    switched: list[bool] = field(default_factory=list)

    def now_s(self) -> float:
        return 100.0

    def switch(self, is_on: bool) -> None:
        self.switched.append(is_on)


@dataclass
class Nurse:
    """Says about the companion what it was told to say."""

    says: Health = WELL

    def health(self) -> Health:
        return self.says

    def figures(self, watching: int) -> bytes:
        return b"strada_clients %d\n" % watching


@dataclass
class Link:
    """Belongs to a hub, or to none, and notes which it joined."""

    is_member: bool = True
    joined: list[tuple[str, str]] = field(default_factory=list)

    def now(self) -> OfHub:
        return OfHub("Club", "127.0.0.1:8701", is_connected=True, held=7) if self.is_member else OfHub()

    def join(self, address: str, code: str) -> OfHub:
        self.joined.append((address, code))
        return OfHub("Club")

    def leave(self) -> None:
        self.joined.append(("", ""))


@dataclass
class Waiting:
    """Offers an update, and notes what was asked for."""

    offered: str = "9.1.0"
    is_waiting: bool = False
    is_full: bool = False
    asked: list[str] = field(default_factory=list)

    def ask_to_look(self) -> None:
        self._note("look")

    def ask_to_install(self, version: str) -> None:
        if version != self.offered:
            raise BadInputError("it is not on offer")
        self._note(version)

    def _note(self, what: str) -> None:
        if self.is_full:
            raise OSError(28, "No space left on device")
        self.asked.append(what)


@dataclass(frozen=True)
class Whole:
    """An application with all its ports, its table, and everything that anybody has changed there."""

    app: Flask
    table: Table
    changes: Callable[[], tuple[Any, ...]]


def whole(book: Path, is_drawn: bool) -> Whole:
    """Return the pages with a logbook and everything else, every port of the backend wired."""
    table, fingers, lamps, safe, choice = showing(game()), Fingers(), Lamps(), Safe(), Choice()
    watch, link, updates = Watch(), Link(), Waiting()
    noise = np.random.default_rng(1).integers(0, 255, (308, 410, 3), np.uint8)
    wizard = Wizard(Store(book.parent / "tables"), lambda: noise)
    table.shown = Picture(b"\xff\xd8 a picture", 7)
    table.game = Download("strada.json", "{}")
    noted: list[tuple[object, ...]] = []
    ports: dict[str, Any] = {
        "table": table,
        "hands": fingers,
        "has_camera": True,
        "forgets_games": True,
        "keepers": Keepers(PIN, b"k" * 32, clock=lambda: 0.0),  # this is good at any time
        "reading": lambda: READING,
        "game": lambda: LAST,
        "logbook": lambda: book,
        "last_copy": lambda: LastCopy(
            book / "0001-2026-11-24.sqlite", "2026-11-24T21:00:00.000Z", frozenset({1}), frozenset({3}), frozenset({2})
        ),
        "bring_back": lambda copy: noted.append((copy,)),
        "forget": lambda game, pictures_only: noted.append((game, pictures_only)),
        "note": lambda note, by: noted.append((note, by)),
        "wizard": wizard,
        "is_practice": True,
        "panel": lamps,
        "safe_mode": safe,
        "turn_clock": watch,
        "address": lambda: "http://192.168.1.5:8000/",
        "wifi": lambda: Wifi("Strada-4f2a", "kdm7-2xqa-9dhe"),
        "upkeep": lambda: [Finding("away", "away-absent", {"place": "STRADA", "made": "2026-11-22 04:30"}, True)],
        "trust": lambda: Trust("Strada strada 4f2a", b"-----BEGIN CERTIFICATE-----", MARK, 8443),
        "monitor": Nurse(),
        "has_open_figures": True,
        "beginning": choice,
        "hub": link,
        "updates": updates,
        "limits": Limits(20, 20),
        "trusted_hosts": ("localhost", "127.0.0.1"),
    }
    wanted = {each.name for each in fields(Backend)} - {"scoreboard", "submit", "picture", "record"}
    assert wanted == ports.keys(), "every port is wired here, so that every route is tried"
    if not is_drawn:
        ports = {name: port for name, port in ports.items() if name not in DRAWN}

    def changes() -> tuple[Any, ...]:
        return (
            *table.asked, *fingers.done, *lamps.shown, *watch.switched, *choice.chosen, *noted, *link.joined,
            *updates.asked, table.is_paused, table.speed, fingers.is_paused, wizard.now.version, safe.left,
            table.scoreboard.latest.is_teaching,
        )  # fmt: skip

    return Whole(table.pages(**ports), table, changes)
