"""What the logbook's tests share: people who play with one, commands as they are typed, and a look at its file."""

import gzip
import sqlite3
from contextlib import closing
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from click.testing import CliRunner, Result

from bench.killed import Snap
from bench.made_up import People
from companion.board import Reading, Workshop
from companion.cli import group
from companion.commands import Command, Done
from companion.events import Event
from companion.logbook import Logbook
from companion.logbook.archive import LoggedGame, opened_archive
from companion.logbook.opening import FILE, opened_to_read
from companion.logbook.rows import Rows
from companion.session import Session
from companion.session.state import State
from tests.once import filled
from tests.session.tabletop import BLACK, GAME, RED, Tabletop, at, black_builds

FIXTURES = Path(__file__).parent / "fixtures"


class PowerCutError(BaseException):
    """The power fails."""


@dataclass
class Play:
    """A session, its people, and everything that was announced."""

    people: People = field(default_factory=lambda: People(4))
    session: Session = field(default_factory=Session)
    announced: list[Event] = field(default_factory=list)

    def on(self, logbook: Logbook, presses: int, *, is_pictured: bool = False, who: str = "") -> None:
        """Play on, with everything written down before the next press."""
        for reading, command in self.people.presses(self.session, presses):
            events = self.session.see(reading) + self.session.obey(command)
            logbook.record(events, self.session.state, Snap(reading) if is_pictured else None, who)
            self.announced += events

    def copy(self) -> "Play":
        """Return a copy that goes on as this one would, and leaves this one unchanged."""
        return Play(deepcopy(self.people), Session(state=self.session.state), [*self.announced])


class Table:
    """A table with a logbook; its pictures are numbered."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.folder, self.session, self.table = folder, Session(), Tabletop()
        self.logbook = Logbook(folder, **{"encode": bytes, **settings})
        self.shot = 0

    def press(self, command: Command, reading: Reading | None = None) -> None:
        shown = reading or self.table.seen()
        self.shot += 1
        events = self.session.see(shown) + self.session.obey(command)
        self.logbook.record(events, self.session.state, Snap(shown, b"%d" % self.shot))

    def deal(self) -> Self:
        """Deal with press 1, place the workshops with presses 2 and 3."""
        self.press(GAME)
        for color, cell in ((BLACK, at(1)), (RED, at(-2))):
            self.table.lay(cell, Workshop(color))
            self.press(Done())
        return self

    def built(self) -> Self:
        """Let Black take their first turn."""
        black_builds(self.table)
        self.press(Done())
        return self

    def closed(self) -> Path:
        self.logbook.close()
        assert self.logbook.trouble is None
        return self.folder


def played(folder: Path, presses: int, play: Play | None = None) -> Play:
    """Open the logbook in that folder, play on with it, and close it."""
    if play is None:
        return filled(folder, ("presses", presses), lambda folder: played(folder, presses, Play())).copy()
    with Logbook(folder) as logbook:
        play.on(logbook, presses)
    return play


def state_of(logbook: Logbook) -> State:
    """Return the state from which its game goes on."""
    resumed = logbook.resume()
    assert resumed is not None
    return resumed.state


def resumed(folder: Path) -> State:
    """Open the logbook, from which nothing is lost; return the state from which its game goes on."""
    with Logbook(folder, encode=bytes) as logbook:
        assert (logbook.note, logbook.trouble) == (None, None)
        return state_of(logbook)


def unpacked(version: int, folder: Path) -> Path:
    """Fill the folder with the logbook that was written by the first code of that version."""
    folder.mkdir(exist_ok=True)
    (folder / FILE).write_bytes(gzip.decompress((FIXTURES / f"version-{version}.sqlite.gz").read_bytes()))
    return folder


def listed(folder: Path) -> tuple[LoggedGame, ...]:
    with opened_archive(folder) as archive:
        return archive.games()


def written(folder: Path) -> list[Event]:
    with opened_to_read(folder) as connection:
        return [told.event for told in Rows(connection).events()]


def asked(folder: Path, query: str) -> list[tuple[object, ...]]:
    with opened_to_read(folder) as connection:
        return connection.execute(query).fetchall()


def change(folder: Path, script: str) -> None:
    """Change the file behind the logbook's back, as a fault of the disk would."""
    with closing(sqlite3.connect(folder / FILE)) as connection:
        connection.executescript(script)


def strada(*arguments: object) -> Result:
    return CliRunner().invoke(group, [str(argument) for argument in arguments])
