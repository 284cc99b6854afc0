"""kill -9 at random moments of a whole companion at its drawn table: pixels, reader, referee, logbook and pages.

Its pages announce the game's record so far. That record must be the beginning of the record with which the companion
comes up again. The page must show that game at once, long before the reader has learnt how the pieces look.

python -m bench.plugs --kills 300
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.bars import Bar, told
from companion.logbook.archive import opened_archive
from companion.records.giving import record_of

#: How soon a game must be shown after its companion was started.
RESUMED_S = 2.0

#: How long a companion lives at most after the first picture that it read; this share is killed before that.
LIFE_S, EARLY_SHARE = 8.0, 0.1

#: The longest that a companion may take to come up, and a request to be answered.
PATIENCE_S, ANSWER_S = 120.0, 10.0

#: How often the record is asked for.
POLL_S = 0.05


@dataclass
class Plugs:
    """The result; `astray` are sentences on games that did not go on as they were announced."""

    kills: int = 0
    early: int = 0
    moves: int = 0
    astray: list[str] = field(default_factory=list)
    shown_s: list[float] = field(default_factory=list)
    read_s: list[float] = field(default_factory=list)


@dataclass
class Running:
    """A companion in a process of its own, on a port that it chose."""

    process: subprocess.Popen[str]
    address: str

    def record(self) -> list[Any]:
        """Return the moves announced so far, none before a deal."""
        try:
            return list(json.loads(self._get("/record.json"))["moves"])
        except OSError:
            return []

    def page(self) -> str:
        """Return the scoreboard's page."""
        return self._get("/").decode()

    def _get(self, path: str) -> bytes:
        with urllib.request.urlopen(self.address + path, timeout=ANSWER_S) as answer:
            return bytes(answer.read())

    def hurry(self) -> None:
        """Let the players play as fast as they can."""
        headers = {"Origin": self.address, "X-Strada": "1", "Content-Type": "application/json"}
        for _ in range(2):
            request = urllib.request.Request(self.address + "/commands/faster", b"{}", headers)
            urllib.request.urlopen(request, timeout=ANSWER_S).close()


@contextlib.contextmanager
def running(folder: Path, seed: int) -> Iterator[Running]:
    """Start a companion on the drawn table of that seed, its logbook in the folder; killed at the end."""
    settings = folder / "settings.toml"
    settings.write_text(f'[logbook]\nfolder = "{folder / "logbook"}"\n[web]\nport = 0\n', encoding="utf-8")
    command = [sys.executable, "-m", "companion", "run", "--settings", str(settings), "--seed", str(seed)]
    command.append("--no-safe-mode")  # pulling the plug in the first minute, again and again, leads there
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = next((found[0] for line in process.stdout if (found := re.search(r"http://[^/\s]+", line))), None)
            if address is None:
                raise RuntimeError(f"the companion did not start; it ended with {process.wait(ANSWER_S)}")
            yield Running(process, address)
        finally:
            process.kill()  # SIGKILL


def pull(kills: int, seed: int = 1, *, report: bool = False) -> Plugs:
    """Kill the companion that many times in a row, at one table."""
    found, rng, announced = Plugs(), random.Random(seed), list[Any]()
    with tempfile.TemporaryDirectory(prefix="strada-plugs-") as place:
        folder = Path(place)
        while found.kills < kills:
            announced = _live(found, folder, seed, announced, rng)
            if report and found.kills % 10 == 0:
                print(f"{found.kills} kills, {found.moves} moves announced, {len(found.astray)} astray", flush=True)
    return found


def _live(found: Plugs, folder: Path, seed: int, announced: list[Any], rng: random.Random) -> list[Any]:
    """Start, compare with the moves announced before, play for a while, kill; return those announced now."""
    began_s = time.monotonic()
    with running(folder, seed) as companion:
        up = _until(lambda: 'class="player' in companion.page()) if announced else None
        if up is not None:
            found.shown_s.append(time.monotonic() - began_s)
        is_early = rng.random() < EARLY_SHARE
        if is_early:
            time.sleep(rng.random())
            found.early += 1
        else:
            companion.hurry()
            record = _until(companion.record) or []
            found.read_s.append(time.monotonic() - began_s)
            if announced and not goes_on(announced, record, folder / "logbook"):
                found.astray.append(f"kill {found.kills}: {len(announced)} moves announced, up with {len(record)}")
            until_s = time.monotonic() + rng.random() * LIFE_S
            while time.monotonic() < until_s:
                record = companion.record()
                time.sleep(POLL_S)
            found.moves += max(0, len(record) - len(announced))
            announced = record
        found.kills += 1
    return announced


def goes_on(announced: list[Any], record: list[Any], folder: Path) -> bool:
    """Whether nothing that was announced is missing; once a game is over, the table is dealt again."""
    if _begins(record, announced):
        return True
    with opened_archive(folder) as archive:
        kept = [json.loads(record_of(archive, game)) for game in archive.games() if game.outcome == "over"]
    return any(_begins(game["moves"], announced) for game in kept)


def _begins(record: list[Any], announced: list[Any]) -> bool:
    return record[: len(announced)] == announced


def _until(asked: Any) -> Any:
    """Return the first answer that is not empty; None after a while."""
    until_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < until_s:
        if answer := asked():
            return answer
        time.sleep(POLL_S)
    return None


def main() -> None:
    """Print a line every ten kills, the bars, and the figures as one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, help="not needed: the table is drawn")
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    found = pull(arguments.kills, arguments.seed, report=True)
    for line in found.astray:
        print(f"astray: {line}")
    shown_s, read_s = sorted(found.shown_s) or [0.0], sorted(found.read_s) or [0.0]
    bars = [
        Bar("games that did not go on as they were announced", len(found.astray), 0, "games"),
        Bar("from start-up to the game on the page (slowest)", shown_s[-1], RESUMED_S, "s"),
    ]
    late = [round(seconds, 2) for seconds in shown_s if seconds > RESUMED_S]
    print(f"later than {RESUMED_S:g} s: {late or 'none'} of {len(shown_s)} start-ups")
    figures = {
        "kills": found.kills,
        "while_starting": found.early,
        "moves_announced": found.moves,
        "astray": len(found.astray),
        "shown_s": {"median": round(shown_s[len(shown_s) // 2], 2), "most": round(shown_s[-1], 2)},
        "reading_again_s": {"median": round(read_s[len(read_s) // 2], 2), "most": round(read_s[-1], 2)},
    }
    print(json.dumps({**figures, "bars": told(bars)}))


if __name__ == "__main__":
    main()
