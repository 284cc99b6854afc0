"""kill -9 at random moments of a running game: what was announced is in the logbook, and every game goes on.

python -m bench.kills --kills 300
"""

from __future__ import annotations

import argparse
import json
import pickle
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.bars import Bar, told
from bench.killed import check_of
from bench.made_up import People, Press
from companion.events import StandingChanged
from companion.logbook import Logbook
from companion.logbook.opening import opened_to_read
from companion.logbook.rows import Rows
from companion.session import Session
from companion.session.state import State

#: A game must go on so soon after its companion was started.
RESUMED_S = 2.0

#: After so long at the latest a running game is killed; a few are killed while they start.
LIFE_S, EARLY_SHARE = 0.5, 0.1

#: How many presses an evening has; the next begins in another folder.
EVENING = 300


@dataclass(frozen=True)
class Evening:
    """The presses of a made-up evening, and what comes of them where nobody pulls the plug."""

    presses: tuple[Press, ...]
    events: tuple[int, ...]
    states: tuple[State, ...]

    @classmethod
    def of(cls, seed: int, count: int) -> Evening:
        """Play an evening of so many presses."""
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
    """What came of it. `lost` are events that were announced and are not in the logbook, `astray` what differs."""

    kills: int = 0
    early: int = 0
    announced: int = 0
    lost: int = 0
    astray: list[str] = field(default_factory=list)
    resumed_s: list[float] = field(default_factory=list)
    opened_ms: list[float] = field(default_factory=list)

    def play(self, evening: Evening, folder: Path, most: int, rng: random.Random) -> None:
        """Kill the companion of one evening so many times, or until the evening is over."""
        script = folder.with_suffix(".script")
        script.write_bytes(pickle.dumps(evening.presses))
        at = 0
        for _ in range(most):
            is_early = rng.random() < EARLY_SHARE
            heard, is_over = self._run(folder, script, rng.random() * LIFE_S, is_early)
            self.kills, self.early = self.kills + (not is_over), self.early + is_early
            self.announced += len(heard)
            at = self._compared(evening, folder, at, heard)
            if is_over:
                return

    def _run(self, folder: Path, script: Path, life_s: float, is_early: bool) -> tuple[list[int], bool]:
        """Run the companion for so long; return what it announced, and whether the evening came to its end."""
        began_s = time.time()
        command = [sys.executable, "-m", "bench.killed", str(folder), str(script)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            plug = threading.Timer(life_s, child.kill)  # SIGKILL
            if is_early:
                plug.start()
            lines = []
            for line in child.stdout:
                if line.endswith("\n"):  # half a line was not announced
                    lines.append(line.split())
                if lines and lines[-1][0] == "up" and not is_early:
                    self.resumed_s.append(float(lines[-1][1]) - began_s)
                    plug.start()
            plug.cancel()
        if child.returncode not in (0, -9):
            self.astray.append(f"the companion ended with {child.returncode}")
        return [int(number) for word, number in lines if word == "event"], ["end"] in [line[:1] for line in lines]

    def _compared(self, evening: Evening, folder: Path, at: int, heard: Sequence[int]) -> int:
        """Compare the logbook with the evening as it should be; return how many of its events are written down."""
        if not (folder / "logbook.sqlite").exists():
            return 0
        began_s = time.perf_counter()
        with Logbook(folder) as logbook:
            resumed = logbook.resume()
            self.opened_ms.append(1000 * (time.perf_counter() - began_s))
            if logbook.note or logbook.trouble:
                self.astray.append(f"{logbook.note} {logbook.trouble}")
        with opened_to_read(folder) as connection:
            log = [found for found in Rows(connection).events() if not isinstance(found.event, StandingChanged)]
            newest = connection.execute("SELECT who FROM events ORDER BY id DESC LIMIT 1").fetchone()
        written = tuple(check_of(found.event) for found in log)
        if written != evening.events[: len(written)] or tuple(heard) != evening.events[at : at + len(heard)]:
            self.astray.append(f"after {at} events another evening")
        self.lost += max(0, at + len(heard) - len(written))
        if newest is not None:
            press = int(newest[0])
            state = resumed.state if resumed is not None else State()
            if all(state != known for known in evening.states[press : press + 5]):
                self.astray.append(f"after press {press} another state")
        return len(written)


def kill(kills: int, seed: int = 1, presses: int = EVENING, report: bool = False) -> Kills:
    """Kill the companion so many times, evening after evening."""
    found, rng = Kills(), random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="strada-kills-") as place:
        evening = 0
        while found.kills < kills:
            evening += 1
            found.play(Evening.of(seed + evening, presses), Path(place) / f"{evening}", kills - found.kills, rng)
            if report:
                print(f"evening {evening}: {found.kills} kills, {found.announced} events announced", flush=True)
    return found


def main() -> None:
    """Print a line an evening, the bars, and the figures as one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, help="not needed: the evenings are made up")
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    found = kill(arguments.kills, arguments.seed, report=True)
    for line in found.astray:
        print(f"astray: {line}")
    resumed_s, opened_ms = sorted(found.resumed_s), sorted(found.opened_ms)
    bars = [
        Bar("events announced and lost", found.lost, 0, "events"),
        Bar("games that did not go on as they stood", len(found.astray), 0, "games"),
        Bar("from start-up to the game", resumed_s[-1], RESUMED_S, "s"),
    ]
    figures = {
        "kills": found.kills,
        "while_starting": found.early,
        "announced": found.announced,
        "lost": found.lost,
        "astray": len(found.astray),
        "up_s": {"median": round(resumed_s[len(resumed_s) // 2], 3), "most": round(resumed_s[-1], 3)},
        "opened_ms": {"median": round(opened_ms[len(opened_ms) // 2], 1), "most": round(opened_ms[-1], 1)},
    }
    print(json.dumps({**figures, "bars": told(bars)}))


if __name__ == "__main__":
    main()
