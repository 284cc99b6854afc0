"""A logbook that is cut off or damaged: only what was on the torn pages may be lost, and the game must go on.

An event whose pages are intact must be in the logbook once it is opened. A torn position is worked out again from the
event that led to it. The game may be set back only if that event is torn too. It then goes on after the last event that
led to a position that is there. Later events are kept, but no longer count, as they would contradict what happens from
then on. SQLite itself says which pages a row is on (dbstat, https://www.sqlite.org/dbstat.html).
"""

from __future__ import annotations

import random
import re
import shutil
import sqlite3
import tempfile
from collections import defaultdict
from collections.abc import Collection
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from bench.disk import SECTOR_BYTES, in_memory
from bench.made_up import People
from companion.logbook import Logbook
from companion.logbook.opening import FILE
from companion.logbook.rows import set_back_in
from companion.logbook.schema import connected
from companion.session import Session

#: The size of a page; within how many at the end the file is cut off; how many pages anywhere are damaged at most.
PAGE_BYTES, MOST_PAGES, MOST_DAMAGED = 4096, 8, 3

#: The header of a SQLite file.
HEADER_BYTES = 100

#: The ways in which files are harmed, in turn.
KINDS = ("cut", "header", "cut and header", "pages")

#: Why an event is lost: it was on a torn page, or for no reason. SET_BACK: it is kept, but no longer counts.
ON_TORN, FOR_NOTHING, SET_BACK = "on a torn page", "for no reason", "none, but set back"

#: The number of a position that an event led to; nobody went on from that of a refused move.
_POSITION = re.compile(r'"(?:after|position)":(\d+)')

Pages = frozenset[int]


@dataclass(frozen=True)
class Whole:
    """A logbook before it is harmed: its events' pages, and the pages needed for a game to go on after an event.

    It needs the event, the position that it led to and its game, or a state with all positions of its game.
    """

    content: bytes
    events: dict[int, Pages]
    places: list[tuple[int, Pages]]

    @classmethod
    def of(cls, folder: Path) -> Whole:
        """Look at the logbook in that folder. Raises sqlite3.Error if this SQLite was built without dbstat."""
        places, games = [], defaultdict[int | None, Pages](Pages)
        with closing(connected(folder / FILE, is_read_only=True)) as connection:
            events, positions, dealt, states = (
                _pages(connection, table) for table in ("events", "positions", "games", "states")
            )
            game_of = dict(connection.execute("SELECT id, game FROM positions").fetchall())
            for position, game in game_of.items():
                games[game] |= positions[position] | dealt[game]
            for event, text in connection.execute("SELECT id, event FROM events WHERE kind != 'MoveRefused'"):
                for position in map(int, _POSITION.findall(text)):
                    places.append((event, events[event] | positions[position] | dealt[game_of[position]]))
            for state, game, event in connection.execute("SELECT id, game, event FROM states"):
                places.append((event, states[state] | games[game]))
        return cls((folder / FILE).read_bytes(), events, places)

    def causes(self, left: bytes, kept: Collection[int], counting: Collection[int]) -> dict[int, str]:
        """Return why each event that no longer counts is lost, given what is left of the file."""
        sound = (
            {1}
            | {
                at // PAGE_BYTES + 1  # the first has no rows
                for at in range(PAGE_BYTES, len(left) - PAGE_BYTES + 1, PAGE_BYTES)
                if left[at : at + PAGE_BYTES] == self.content[at : at + PAGE_BYTES]
            }
        )
        last = max([*counting, *(event for event, pages in self.places if pages <= sound)], default=0)
        return {
            event: SET_BACK if event in kept and event > last else FOR_NOTHING if pages <= sound else ON_TORN
            for event, pages in self.events.items()
            if event not in counting
        }


@dataclass
class Torn:
    """The trials by kind; the lost events by cause, and in words those that were lost for no reason.

    `silent` counts logbooks whose game does not go on.
    """

    trials: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    lost: dict[str, int] = field(default_factory=lambda: dict.fromkeys((ON_TORN, FOR_NOTHING, SET_BACK), 0))
    silent: int = 0
    told: list[str] = field(default_factory=list)


def torn(trials: int, seed: int, presses: int = 200) -> Torn:
    """Damage a logbook of some games that many times, and open it each time."""
    found = Torn()
    with tempfile.TemporaryDirectory(prefix="strada-torn-", dir=in_memory()) as place:
        folder, harmed = Path(place) / "whole", Path(place) / "harmed"
        _play(folder, presses, seed)
        whole = Whole.of(folder)
        for number in range(trials):
            rng, kind = random.Random(f"{seed}/{number}"), KINDS[number % len(KINDS)]
            left = _harmed(whole.content, kind, rng)
            harmed.mkdir()
            (harmed / FILE).write_bytes(left)
            with Logbook(harmed) as logbook:
                found.silent += logbook.resume() is None
            for event, cause in whole.causes(left, *_kept(harmed)).items():
                found.lost[cause] += 1
                if cause == FOR_NOTHING:
                    found.told.append(f"trial {number}, {kind}: event {event} is lost {cause}")
            found.trials[kind] += 1
            shutil.rmtree(harmed)
    return found


def _play(folder: Path, presses: int, seed: int) -> None:
    session = Session()
    with Logbook(folder) as logbook:
        for reading, command in People(seed).presses(session, presses):
            logbook.record(session.see(reading) + session.obey(command), session.state)


def _harmed(content: bytes, kind: str, rng: random.Random) -> bytes:
    """Return the file with its end cut off, bits of its header flipped, or sectors of some pages overwritten."""
    left = bytearray(content)
    if "cut" in kind:
        del left[-rng.randrange(1, MOST_PAGES * PAGE_BYTES) :]
    if "header" in kind:
        for _ in range(rng.choice((1, 1, 3, 20))):
            left[rng.randrange(HEADER_BYTES)] ^= 1 << rng.randrange(8)
    if kind == "pages":
        for _ in range(rng.randint(1, MOST_DAMAGED)):
            page = rng.randrange(1, len(left) // PAGE_BYTES) * PAGE_BYTES
            begin, size = rng.randrange(0, PAGE_BYTES, SECTOR_BYTES), rng.choice((SECTOR_BYTES, PAGE_BYTES))
            end = page + min(PAGE_BYTES, begin + size)
            left[page + begin : end] = rng.choice((bytes, rng.randbytes))(end - page - begin)
    return bytes(left)


def _kept(folder: Path) -> tuple[set[int], set[int]]:
    """Return the numbers of the events that are there, and of those that count."""
    with closing(connected(folder / FILE, is_read_only=True)) as connection:
        kept = {number for (number,) in connection.execute("SELECT id FROM events WHERE kind != 'GameSetBack'")}
        return kept, kept.difference(*set_back_in(connection))


def _pages(connection: sqlite3.Connection, table: str) -> dict[int, Pages]:
    """Return the pages of each row by its number: the leaf that it is on, and the overflow pages with the rest."""
    numbers = [number for (number,) in connection.execute(f"SELECT id FROM {table} ORDER BY id")]
    found: list[set[int]] = []
    leaf = ""
    for path, page, kind, cells in connection.execute(
        "SELECT path, pageno, pagetype, ncell FROM dbstat WHERE name = ? ORDER BY path", (table,)
    ):
        if kind == "leaf":
            leaf, first = path, len(found)
            found += [{page} for _ in range(cells)]
        elif kind == "overflow":  # /00a/003+000000: the first overflow page of cell 3 of that leaf
            found[first + int(path.removeprefix(leaf).partition("+")[0], 16)].add(page)
    return dict(zip(numbers, map(frozenset, found), strict=True))
