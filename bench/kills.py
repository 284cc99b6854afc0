"""kill -9 at random moments of a running game: all that was announced is in the logbook, and every game goes on.

A copy of the logbook that each kill leaves is also damaged: its write-ahead log is cut off, or changed at random. Some
of the killed companions find no room on the disk: everything that they announced before they said so must be there.

python -m bench.kills --kills 300 --full 60
"""

from __future__ import annotations

import argparse
import json
import pickle
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from bench.bars import Bar, told
from bench.killed import check_of
from bench.made_up import People, Press
from companion.events import StandingChanged
from companion.logbook import Logbook, Resumed
from companion.logbook.ledger import Entry, Ledger
from companion.logbook.opening import FILE, open_to_write, opened_to_read, read_newest
from companion.logbook.rows import Rows
from companion.session import Session
from companion.session.state import State

#: How soon a game must go on after its companion was started.
RESUMED_S = 2.0

#: A running game is killed after this time at the latest; this share of games is killed while starting.
LIFE_S, EARLY_SHARE = 0.5, 0.1

#: On a full disk no file may grow beyond a limit in this range: an evening of 60 presses takes more.
FULL_BYTES = (60_000, 250_000)

#: How many presses an evening has; the next begins in another folder.
EVENING = 150


@dataclass(frozen=True)
class Evening:
    """The presses of a made-up evening, and what comes of them if nobody pulls the plug."""

    presses: tuple[Press, ...]
    events: tuple[int, ...]
    states: tuple[State, ...]

    def has_state(self, press: int, resumed: Resumed | None) -> bool:
        """Whether the game stands as it did after that press, or after one of the next few, which changed little."""
        state = State() if resumed is None else resumed.state
        return state in self.states[press : press + 5]

    @classmethod
    def of(cls, seed: int, count: int) -> Evening:
        """Play an evening of that many presses."""
        session, presses, events, states = Session(), [], [], []
        for press in People(seed).presses(session, count):
            reading, command = press
            told_now = session.see(reading) + session.obey(command)
            presses.append(press)
            events += [check_of(event) for event in told_now if not isinstance(event, StandingChanged)]
            states.append(session.state)
        return cls(tuple(presses), tuple(events), tuple(states))


@dataclass
class Kills:
    """What came of it. `lost` counts announced events that are not in the logbook; `astray` lists what differs.

    `damaged` counts damaged copies; `gone_back` of them resumed at an earlier press than the last, and said so.
    """

    kills: int = 0
    early: int = 0
    announced: int = 0
    lost: int = 0
    damaged: int = 0
    gone_back: int = 0
    troubled: int = 0
    astray: list[str] = field(default_factory=list)
    resumed_s: list[float] = field(default_factory=list)
    opened_ms: list[float] = field(default_factory=list)

    def play(
        self, evening: Evening, folder: Path, most: int, rng: random.Random, most_bytes: int | None = None
    ) -> None:
        """Kill the companion of one evening that many times, or until the evening is over."""
        script = folder.with_suffix(".script")
        script.write_bytes(pickle.dumps(evening.presses))
        log = Log(folder)
        for _ in range(most):
            is_early = rng.random() < EARLY_SHARE
            heard, safe, is_over = self._run(folder, script, rng.random() * LIFE_S, is_early, most_bytes)
            self.kills, self.early = self.kills + (not is_over), self.early + is_early
            self.announced += len(heard)
            if most_bytes is None:
                self._damage(evening, folder, rng)
            if (folder / FILE).exists():
                self._compare(evening, log, heard, safe)
            if is_over:
                break
        if log.last:
            again = Log(folder)
            again.read_on()
            if again != log:
                self.astray.append("what had been read of the logbook was another later")

    def _run(
        self, folder: Path, script: Path, life_s: float, is_early: bool, most_bytes: int | None
    ) -> tuple[list[int], int, bool]:
        """Run the companion for that long; return what it announced, how much of that before it reported trouble, and
        whether the evening came to its end."""
        began_s = time.time()
        limit = [] if most_bytes is None else [str(most_bytes)]
        command = [sys.executable, "-m", "bench.killed", str(folder), str(script), *limit]
        quiet = subprocess.DEVNULL if limit else None  # a full disk is logged at length
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=quiet, text=True) as child:
            assert child.stdout is not None
            plug = threading.Timer(life_s, child.kill)  # SIGKILL
            if is_early:
                plug.start()
            lines = []
            for line in child.stdout:
                if not line.endswith("\n"):
                    break  # half a line was not announced
                lines.append(line.split())
                if lines[-1][0] == "up" and not is_early:
                    self.resumed_s.append(float(lines[-1][1]) - began_s)
                    plug.start()
            plug.cancel()
        if child.returncode not in (0, -9):
            self.astray.append(f"the companion ended with {child.returncode}")
        words = [word for word, _ in lines]
        until_trouble = words[: words.index("trouble")] if "trouble" in words else words
        self.troubled += "trouble" in words
        if "trouble" in words and most_bytes is None:
            self.astray.append("trouble without a reason")
        heard = [int(number) for word, number in lines if word == "event"]
        return heard, until_trouble.count("event"), "end" in words

    def _compare(self, evening: Evening, log: Log, heard: Sequence[int], safe: int) -> None:
        """Resume, and compare the logbook with the evening as it should be."""
        began_s = time.perf_counter()
        with Logbook(log.folder) as logbook:
            resumed = logbook.resume()
            self.opened_ms.append(1000 * (time.perf_counter() - began_s))
            if logbook.note or logbook.trouble:
                self.astray.append(f"{logbook.note} {logbook.trouble}")
        at = len(log.checks)
        press = log.read_on()
        if (*log.checks[at:],) != evening.events[at : len(log.checks)] or tuple(heard) != evening.events[at:][
            : len(heard)
        ]:
            self.astray.append(f"after {at} events another evening")
        self.lost += max(0, at + safe - len(log.checks))
        if press is not None and not evening.has_state(press, resumed):
            self.astray.append(f"after press {press} another state")

    def _damage(self, evening: Evening, folder: Path, rng: random.Random) -> None:
        """Damage a copy of what the kill left, and resume: at the last press, or at an earlier one with a note."""
        wal = folder / f"{FILE}-wal"
        if not wal.exists() or not wal.stat().st_size:
            return
        copy = folder.with_name("damaged")
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("*.lock", "*-shm", "pictures"))
        damaged(copy / wal.name, rng)
        self.damaged += 1
        try:
            with Logbook(copy) as logbook:
                resumed, note, trouble = logbook.resume(), logbook.note, logbook.trouble
        except Exception as error:
            self.astray.append(f"damaged: {error!r}")
            return
        self.gone_back += bool(note)
        rows, whole, press = _rows(copy), _rows(folder), _press(copy)
        # An entry that was not noted yet when the plug was pulled was not announced either.
        is_silent = len(rows) < read_newest(folder) and not note
        if trouble or rows != whole[: len(rows)] or is_silent:
            self.astray.append(f"damaged: {len(rows)} of {len(whole)} events, {note!r}, {trouble}")
        if press is not None and not evening.has_state(press, resumed):
            self.astray.append(f"damaged: after press {press} another state")


def damaged(path: Path, rng: random.Random) -> None:
    """Cut the file off, change a few bits of it, or overwrite a part of it."""
    content = bytearray(path.read_bytes())
    at = rng.randrange(len(content))
    match rng.randrange(3):
        case 0:
            del content[at:]
        case 1:
            for _ in range(rng.randint(1, 20)):
                content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        case _:
            content[at : at + 4096] = rng.randbytes(min(4096, len(content) - at))
    path.write_bytes(content)


@dataclass
class Log:
    """The events written down in a folder; each reading goes on from where the one before ended."""

    folder: Path
    checks: list[int] = field(default_factory=list)
    last: int = 0

    def read_on(self) -> int | None:
        """Read what is new; return the press of the last event, None if there is none."""
        with opened_to_read(self.folder) as connection:
            for found in Rows(connection).events(after=self.last):
                self.last = found.number
                if not isinstance(found.event, StandingChanged):
                    self.checks.append(check_of(found.event))
        return _press(self.folder)


def _press(folder: Path) -> int | None:
    with opened_to_read(folder) as connection:
        newest = connection.execute("SELECT who FROM events ORDER BY id DESC LIMIT 1").fetchone()
    return None if newest is None else int(newest[0])


def _rows(folder: Path) -> list[tuple[int, str]]:
    with opened_to_read(folder) as connection:
        return connection.execute("SELECT id, event FROM events ORDER BY id").fetchall()


def kill(kills: int, seed: int = 1, presses: int = EVENING, *, is_full: bool = False, report: bool = False) -> Kills:
    """Kill the companion that many times, evening after evening; `is_full`: on disks without room for a whole one."""
    found, rng = Kills(), random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="strada-kills-") as place:
        evening = 0
        while found.kills < kills:
            evening += 1
            folder, most_bytes = Path(place) / f"{evening}", rng.randint(*FULL_BYTES) if is_full else None
            found.play(Evening.of(seed + evening, presses), folder, kills - found.kills, rng, most_bytes)
            if report:
                print(f"evening {evening}: {found.kills} kills, {found.announced} events announced", flush=True)
    return found


def main() -> None:
    """Print a line an evening, the bars, and the figures as one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, help="not needed: the evenings are made up")
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--full", type=int, default=60, help="kills on a full disk")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    found = kill(arguments.kills, arguments.seed, report=True)
    full = kill(arguments.full, arguments.seed + 1000, 60, is_full=True, report=True)
    for line in (*found.astray, *full.astray):
        print(f"astray: {line}")
    resumed_s, opened_ms = sorted(found.resumed_s), sorted(found.opened_ms)
    bars = [
        Bar("events announced and lost", found.lost, 0, "events"),
        Bar("games that did not go on as they stood", len(found.astray), 0, "games"),
        Bar("full disk: events lost without a word, games astray", full.lost + len(full.astray), 0, "of them"),
        Bar("from start-up to the game", resumed_s[-1], RESUMED_S, "s"),
    ]
    figures = {
        "kills": found.kills,
        "while_starting": found.early,
        "announced": found.announced,
        "lost": found.lost,
        "astray": len(found.astray),
        "damaged": {"tried": found.damaged, "gone_back_and_said_so": found.gone_back},
        "full": {"kills": full.kills, "told_of_trouble": full.troubled, "announced": full.announced, "lost": full.lost},
        "up_s": {
            "median": round(resumed_s[len(resumed_s) // 2], 3),
            "p95": round(resumed_s[len(resumed_s) * 95 // 100], 3),
            "most": round(resumed_s[-1], 3),
        },
        "opened_ms": {"median": round(opened_ms[len(opened_ms) // 2], 1), "most": round(opened_ms[-1], 1)},
        "record_ms": recorded(arguments.seed),
    }
    print(json.dumps({**figures, "bars": told(bars)}))


def recorded(seed: int, presses: int = 150) -> dict[str, float]:
    """Return how long it takes to write an entry, in milliseconds: waiting time, and processor time."""
    evening, session, waited, worked = Evening.of(seed, presses), Session(), [], []
    with tempfile.TemporaryDirectory(prefix="strada-kills-") as place:
        with Logbook(Path(place) / "waited") as logbook:
            for reading, command in evening.presses:
                events = session.see(reading) + session.obey(command)
                began_s = time.perf_counter()
                logbook.record(events, session.state)
                waited.append(1000 * (time.perf_counter() - began_s))
        session = Session()
        with closing(open_to_write(Path(place) / "worked").connection) as connection:
            ledger = Ledger(connection)
            for reading, command in evening.presses:
                entry = Entry(session.see(reading) + session.obey(command), session.state, "")
                began_s = time.thread_time()
                ledger.write(entry)
                worked.append(1000 * (time.thread_time() - began_s))
    waited, worked = sorted(waited), sorted(worked)
    return {
        "median": round(waited[len(waited) // 2], 2),
        "p95": round(waited[len(waited) * 95 // 100], 2),
        "processor_median": round(worked[len(worked) // 2], 2),
    }


if __name__ == "__main__":
    main()
