"""2,000 turns in one process: the whole companion at its drawn table, pixels and pages included, and what it keeps.

The players do not think, and the table waits for no camera. Everything else is as at home. All the while visitors come:
they follow the scoreboard, open its pages, and go. After each hundred turns, when the visitors have gone, memory,
threads, open files and connections are counted. At the end the companion is closed, and they are counted again. The
kernel says how much was written to the disk (/proc/self/io), per turn and per hour of play.

python -m bench.soak --turns 2000
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import re
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

from bench.bars import Bar, told
from companion.events import Event, TurnTaken, WorkshopPlaced
from companion.games.contract import Position
from companion.logbook.backup import copy_tonight, packed
from companion.logbook.opening import FILE
from companion.settings import CameraSettings, LogbookSettings, Settings, WebSettings
from companion.wiring import Companion, modes
from companion.wiring.drawn import DrawnTable
from companion.wiring.machine import keep_little
from simulator.played import PlayedTable

#: How much memory may grow between the first hundred turns and the last.
GROWTH_PERCENT = 5.0

#: How many turns there are between two counts, and between two visits.
COUNTED_TURNS, VISITED_TURNS = 100, 20

#: An hour of play, at one turn a minute: the photographed evenings have 39 and 30.
HOUR_TURNS = 60

#: How much may be written in an hour of play: a card of 32 GB that can be written over a thousand times, and writes a
#: hundred bytes for each of ours, lasts five thousand hours. How much the database may grow in a turn: a gigabyte is
#: fifty thousand turns.
WRITTEN_MB_AN_HOUR, DATABASE_KB_A_TURN = 60.0, 20.0

#: The pictures' limit, which is reached early, so that old ones make way most of the time.
PICTURES_MB = 100

#: How much faster than people the players are, how soon they press again, and how long the table waits for a picture.
SPEED, PATIENCE_S, FRAME_S = 1000.0, 3.0, 0.02

#: How many may read the database at once: visitors of pages, a backup, the nightly copy.
READERS = 4

#: The longest that a turn may take, and an answer; and how long until everything that visitors leave behind is gone.
TURN_S, ANSWER_S, GONE_S = 120.0, 20.0, 30.0


class QuickTable(DrawnTable):
    """A drawn table whose players do not think."""

    def attach(self, table: PlayedTable[Any]) -> None:
        """Take over this table, and make everybody there hurry."""
        super().attach(table)
        table.pace = replace(table.pace.hurried(SPEED), patience_s=PATIENCE_S)
        table._period_s = FRAME_S

    def quiet_s(self) -> float:
        """Return how long presses do not count after a verdict: no time, as nobody here presses by mistake."""
        return 0.0


@dataclass(frozen=True, slots=True)
class Count:
    """The process at one moment; `descriptors` are those of the database.

    SQLite keeps the one of a reader that has gone for the next reader, as closing it would release the writer's locks
    (https://www.sqlite.org/src/file/src/os_unix.c). So there are as many as there ever were readers at once.
    """

    turns: int
    memory_mb: float
    threads: tuple[str, ...]
    files: tuple[str, ...]
    descriptors: int
    connections: int
    written_bytes: int
    database_bytes: int
    pictures_bytes: int


@dataclass
class Turns:
    """The number of turns taken; whoever waits for one is notified."""

    taken: int = 0
    changed: threading.Condition = field(default_factory=threading.Condition)

    def hear(self, events: Sequence[Event]) -> None:
        """Count the turns among the events."""
        with self.changed:
            self.taken += sum(isinstance(event, TurnTaken | WorkshopPlaced) for event in events)
            self.changed.notify_all()

    def _is_past(self, turns: int) -> bool:
        return self.taken > turns

    def wait_for(self, turns: int) -> None:
        """Wait until that many were taken; raises RuntimeError if no more come."""
        with self.changed:
            while self.taken < turns:
                before = self.taken
                if not self.changed.wait_for(partial(self._is_past, before), TURN_S):
                    raise RuntimeError(f"after turn {before} nothing came any more for {TURN_S:g} s")


@contextmanager
def played(folder: Path) -> Iterator[tuple[Companion, Turns]]:
    """Let a companion play at its drawn table, its data in the folder, until the end of `with`."""
    turns = Turns()

    class Table(QuickTable):
        def witness(self, events: Sequence[Event], position: Position | None) -> None:
            super().witness(events, position)
            turns.hear(events)

    settings = Settings(
        web=WebSettings(port=0, streams=20),
        camera=CameraSettings(frames_per_s=30.0),
        logbook=LogbookSettings(folder=str(folder), pictures_mb=PICTURES_MB),
    )
    with patch.object(modes, "DrawnTable", Table):
        companion = Companion(settings)
    thread = threading.Thread(target=companion.run, name="loop")
    thread.start()
    try:
        yield companion, turns
    finally:
        companion.close()
        thread.join(ANSWER_S)


def visit(address: str) -> None:
    """Follow the scoreboard until its first event, look at all the pages, and go."""
    with closing(urllib.request.urlopen(f"{address}events", timeout=ANSWER_S)) as stream:
        next(line for line in stream if line.startswith(b"data: {"))
        for page in ("", "tv", "games", "statistics", "camera.jpg", "record.json", "games/1", "rulings/latest"):
            with suppress(urllib.error.HTTPError), urllib.request.urlopen(address + page, timeout=ANSWER_S) as answer:
                answer.read()


def memory_mb() -> float:
    """Return how much of the machine's memory the process has now (RSS)."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6


def count(turns: int, folder: Path, memory: Sequence[float] = ()) -> Count:
    """Count what the process has now; memory, which comes and goes with each picture, as the median of moments."""
    files = _open_files()
    written = re.search(r"^write_bytes: (\d+)", Path("/proc/self/io").read_text(), re.MULTILINE)
    sizes = {path: path.stat().st_size for path in folder.rglob("*") if path.is_file()}
    return Count(
        turns,
        median(memory or [memory_mb()]),
        tuple(sorted(thread.name for thread in threading.enumerate())),
        tuple(sorted(file for file in files if not file.startswith("socket") and not file.endswith(f"/{FILE}"))),
        sum(file.endswith(f"/{FILE}") for file in files),
        sum(file.startswith("socket") for file in files),
        int(written[1]) if written else 0,
        sizes.get(folder / FILE, 0),
        sum(size for path, size in sizes.items() if "pictures" in path.parts),
    )


def _open_files() -> list[str]:
    found = []
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # the one that lists them
            found.append(re.sub(r"\d+", "N", str(descriptor.readlink())))
    return found


def counted_alone(turns: int, folder: Path, expected: int | None, memory: Sequence[float] = ()) -> Count:
    """Count once the visitors' connections are gone, or at the latest after a while."""
    until_s = time.monotonic() + GONE_S
    while True:
        found = count(turns, folder, memory)
        if expected is None or found.connections <= expected or time.monotonic() > until_s:
            return found
        time.sleep(0.5)


def soak(turns: int, place: Path, *, report: bool = False) -> tuple[Count, list[Count], Count]:
    """Play that many turns; return the counts before, after each hundred and after the end."""
    keep_little()  # as `strada run` does
    folder = place / "data"
    before, counts, memory = count(0, place), list[Count](), list[float]()
    with played(folder) as (companion, taken):
        address = companion.addresses[0]
        taken.wait_for(1)
        idle = counted_alone(0, folder, None).connections
        for number in range(VISITED_TURNS, turns + 1, VISITED_TURNS):
            taken.wait_for(number)
            memory.append(memory_mb())
            visit(address)
            if number % COUNTED_TURNS == 0:
                with packed(folder) as chunks:
                    sum(map(len, chunks))
                copy_tonight(folder)
                counts.append(counted_alone(number, folder, idle, memory[-COUNTED_TURNS // VISITED_TURNS :]))
                if report:
                    _tell(counts[-1])
    return before, counts, counted_alone(turns, place, before.connections)


def _tell(found: Count) -> None:
    print(
        f"{found.turns:>5} turns: {found.memory_mb:.1f} MB, {len(found.threads)} threads, {len(found.files)} files, "
        f"{found.connections} connections, database {found.database_bytes / found.turns / 1000:.1f} kB a turn, "
        f"written {found.written_bytes / found.turns / 1000:.0f} kB a turn, "
        f"pictures {found.pictures_bytes / 1e6:.0f} MB",
        flush=True,
    )


def figures_of(before: Count, counts: Sequence[Count], after: Count) -> tuple[list[Bar], dict[str, Any]]:
    """Return the bars and the figures."""
    first, last = counts[0], counts[-1]
    growth = 100 * (last.memory_mb / first.memory_mb - 1)
    left = [name for name in after.threads if name not in before.threads]
    turns = last.turns - first.turns or 1
    written = (last.written_bytes - first.written_bytes) / turns
    hourly_mb, database_kb = written * HOUR_TURNS / 1e6, last.database_bytes / last.turns / 1000
    bars = [
        Bar(f"memory after {last.turns} turns, above that after {first.turns}", growth, GROWTH_PERCENT),
        Bar("threads more than after the first hundred", len(last.threads) - len(first.threads), 0, "threads"),
        Bar("files more than after the first hundred", len(last.files) - len(first.files), 0, "files"),
        Bar(
            "descriptors of the database: the writer's, and readers' at a time",
            last.descriptors,
            READERS + 1,
            "of them",
        ),
        Bar("connections more than after the first hundred", last.connections - first.connections, 0, "connections"),
        Bar("threads left over at the end", len(left), 0, "threads"),
        Bar("files left over at the end", len(after.files) - len(before.files), 0, "files"),
        Bar("connections left over at the end", after.connections - before.connections, 0, "connections"),
        Bar("pictures, of their bound", last.pictures_bytes / 1024**2, PICTURES_MB, "MB"),
        Bar("written in an hour of play", hourly_mb, WRITTEN_MB_AN_HOUR, "MB"),
        Bar("the database, by turn", database_kb, DATABASE_KB_A_TURN, "kB"),
    ]
    figures = {
        "turns": last.turns,
        "memory_mb": {"first": round(first.memory_mb, 1), "last": round(last.memory_mb, 1)},
        "most_mb": round(max(each.memory_mb for each in counts), 1),
        "threads": len(last.threads),
        "files": len(last.files),
        "descriptors": last.descriptors,
        "left_over": {"threads": left, "files": sorted(set(after.files) - set(before.files))},
        "database_kb_a_turn": round(database_kb, 2),
        "written_kb_a_turn": round(written / 1000, 1),
        "written_mb_an_hour": round(hourly_mb, 1),
        "hour_turns": HOUR_TURNS,
    }
    return bars, figures


def main() -> None:
    """Print a line for each hundred turns, the bars, and the figures as one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, help="not needed: the table is drawn")
    parser.add_argument("--turns", type=int, default=2000)
    arguments = parser.parse_args()
    if arguments.turns < COUNTED_TURNS:
        parser.error(f"--turns is {arguments.turns}; it should be {COUNTED_TURNS} or more")
    began_s = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="strada-soak-", dir=os.environ.get("TMPDIR")) as place:
        bars, figures = figures_of(*soak(arguments.turns, Path(place), report=True))
    print(f"{(time.monotonic() - began_s) / 60:.0f} minutes", file=sys.stderr)
    print(json.dumps({**figures, "bars": told(bars)}))


if __name__ == "__main__":
    main()
