"""The power fails after each acknowledged turn: whatever the disk then holds is opened, and nothing may be lost.

Each evening is played once in a process of its own (bench.taped), which records every write, synced or not. Then, at
every acknowledgement, four disks are made from the tape (bench.disk). One has only the synced writes and one has all of
them; both are cut right then. One has some writes, drawn by lot, and some of them torn, and one has its last write
torn; both are cut anywhere before the next acknowledgement. Our own code opens each. Everything acknowledged must be
there and nothing else, with the database sound, the game as it stood, no word of damage, and every picture that is
there whole.

Then a whole logbook is cut off, or damaged in its header or its pages, a thousand times (bench.torn).

python -m bench.powercut --turns 1500
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
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path

from bench.bars import Bar, told
from bench.disk import Disk, Image, Operation, Sync, Tape, in_memory
from bench.killed import IMAGE
from bench.kills import Evening, Log
from bench.torn import FOR_NOTHING, torn
from companion.board import BadInputError
from companion.events import Loss
from companion.logbook import Logbook, Resumed
from companion.logbook.archive import opened_archive
from companion.logbook.opening import FILE, opened_to_read
from companion.logbook.schema import connected, must_be_sound

#: How many presses an evening has; each begins in a folder of its own.
EVENING = 150

#: After this many turns the kernel has written back what nobody synced: it waits for 30 s at most.
SETTLED_TURNS = 30

#: How many of an evening's disks that went astray are reported in words.
MOST_TOLD = 20

#: The longest that recording an evening may take.
PATIENCE_S = 300.0

#: The longest that closing a logbook may take: SQLite then copies its log into the file, and waits for the disk.
CLOSED_S = 300.0


@dataclass(frozen=True)
class Played:
    """An evening as it was made up, as it was written, and the rows of its events: number, who, event."""

    made_up: Evening
    tape: Tape
    rows: list[tuple[int, str, str]]


@dataclass
class Cuts:
    """The result: `lost` counts acknowledged events that are gone, `astray` has sentences on anything else wrong."""

    cuts: int = 0
    disks: Counter[str] = field(default_factory=Counter)
    operations: Counter[str] = field(default_factory=Counter)
    written_bytes: int = 0
    lost: int = 0
    damaged: int = 0
    pictures: int = 0
    gone_pictures: int = 0
    astray: list[str] = field(default_factory=list)

    def replay(self, evening: Played, place: Path, rng: random.Random, most: int) -> None:
        """Cut the power after each of the first `most` acknowledgements of that evening."""
        tape = evening.tape
        disk, at, lengths = Disk(), 0, [length for _, length in tape.acknowledged]
        acknowledged = tape.acknowledged[:most]
        for number, (press, length) in enumerate(acknowledged):
            while at < length:
                self._do(disk, tape, at)
                at += 1
            if number >= SETTLED_TURNS:
                disk.settle(lengths[number - SETTLED_TURNS])
            self.cuts += 1
            following = lengths[number + 1] if number + 1 < len(lengths) else len(tape.operations)
            for kind, image in _disks(disk, tape, length, following, rng):
                self.disks[kind] += 1
                # Each has a place of its own: a logbook that is still being closed removes any log of that name.
                folder = place / f"cut-{self.cuts}-{kind.replace(' ', '-')}"
                self._open(evening, press, image, folder, f"press {press}, {kind}")
                shutil.rmtree(folder, ignore_errors=True)

    def _do(self, disk: Disk, tape: Tape, at: int) -> None:
        operation = tape.operations[at]
        self.operations[type(operation).__name__.lower()] += 1
        self.written_bytes += len(getattr(operation, "content", b""))
        disk.do(operation)

    def _open(self, evening: Played, press: int, image: Image, folder: Path, where: str) -> None:
        """Open what is left, and compare it with the evening."""
        image.lay(folder)
        try:
            note, resumed = self._resumed(folder)
            rows = _rows(folder)
            self.lost += max(0, sum(int(who) <= press for _, who, _ in evening.rows) - len(rows))
            if note is not None:
                self.damaged += 1
                self.astray.append(f"{where}: {note}")
            if rows != evening.rows[: len(rows)]:
                self.astray.append(f"{where}: another evening")
            at = int(rows[-1][1]) if rows else -1
            if at < press or not evening.made_up.has_state(at, resumed):
                self.astray.append(f"{where}: up at press {at} in another state")
            self._look_at_pictures(folder, where)
        except Exception as error:
            self.astray.append(f"{where}: {error!r}")

    def _resumed(self, folder: Path) -> tuple[Loss | None, Resumed | None]:
        logbook = Logbook(folder, encode=bytes)
        trouble, note, resumed = logbook.trouble, logbook.note, logbook.resume()
        logbook.close(CLOSED_S)
        if logbook._thread.is_alive():
            raise TimeoutError(f"the logbook was not closed within {CLOSED_S:g} s: this says nothing of that disk")
        if trouble is not None:
            raise RuntimeError(f"{trouble}")
        with closing(connected(folder / FILE, CLOSED_S)) as connection:
            must_be_sound(connection)
        return note, resumed

    def _look_at_pictures(self, folder: Path, where: str) -> None:
        """Check that each picture that the logbook names is whole, or gone."""
        with opened_archive(folder) as archive:
            for game in archive.games():
                photos = archive.photos(game.number)
                self.gone_pictures += game.pictures - len(photos)
                for photo in photos:
                    self.pictures += 1
                    if photo.path.read_bytes() != IMAGE or not _reads(photo.path.with_suffix(".json")):
                        self.astray.append(f"{where}: picture {photo.number} is not whole")


def _rows(folder: Path) -> list[tuple[int, str, str]]:
    with opened_to_read(folder) as connection:
        return connection.execute("SELECT id, who, event FROM events ORDER BY id").fetchall()


def _reads(path: Path) -> bool:
    try:
        return bool(json.loads(path.read_bytes())["centres"])
    except (OSError, ValueError, KeyError):
        return False


def _disks(disk: Disk, tape: Tape, length: int, following: int, rng: random.Random) -> Iterator[tuple[str, Image]]:
    """Yield what the cut may leave right after that length of the tape, and somewhere before the following one."""
    yield "synced alone", disk.synced()
    yield "all written", disk.whole()
    for kind in ("some of it", "the last torn"):
        later = disk.copy()
        for operation in tape.operations[length : rng.randint(length, following)]:
            later.do(operation)
        yield kind, later.scattered(rng) if kind == "some of it" else later.torn(rng)


def recorded(evening: Evening, place: Path) -> Played:
    """Play the evening in a process of its own, and record every write."""
    folder, script, out = place / "played", place / "script", place / "tape"
    shutil.rmtree(folder, ignore_errors=True)
    script.write_bytes(pickle.dumps(evening.presses))
    command = [sys.executable, "-m", "bench.taped", str(folder), str(script), str(out)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    if done.returncode:
        raise RuntimeError(f"the evening was not recorded: {done.stderr.strip().splitlines()[-1:]}")
    log = Log(folder)
    log.read_on()
    if (*log.checks,) != evening.events:
        raise RuntimeError("another evening was played than was made up")
    return Played(evening, pickle.loads(out.read_bytes()), _rows(folder))


def cut(turns: int, seed: int = 1, presses: int = EVENING, *, is_synced: bool = True, report: bool = False) -> Cuts:
    """Cut the power after that many acknowledged turns; without `is_synced` the disk forgets that anything was."""
    found, rng, number, told_so_far = Cuts(), random.Random(seed), 0, 0
    with tempfile.TemporaryDirectory(prefix="strada-powercut-", dir=in_memory()) as place:
        while found.cuts < turns:
            number += 1
            began_s = time.monotonic()
            evening = recorded(Evening.of(seed + number, presses), Path(place))
            if not is_synced:
                evening.tape.operations = [_unsynced(each) for each in evening.tape.operations]
            found.replay(evening, Path(place), rng, turns - found.cuts)
            if report:
                seconds = time.monotonic() - began_s
                print(f"evening {number}: {found.cuts} cuts, {len(found.astray)} astray, {seconds:.0f} s", flush=True)
                for line in found.astray[told_so_far:][:MOST_TOLD]:
                    print(f"astray: {line}", flush=True)
                told_so_far = len(found.astray)
    return found


def _unsynced(operation: Operation) -> Operation:
    return Sync(0) if isinstance(operation, Sync) else operation


def main() -> None:
    """Print a line an evening, the bars, and the figures as one line of JSON; status 1 if a bar breaks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, help="not needed: the evenings are made up")
    parser.add_argument("--turns", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--torn", type=int, default=1000, help="how often a whole file is cut off or damaged")
    arguments = parser.parse_args()
    try:
        found = cut(arguments.turns, arguments.seed, report=True)
    except BadInputError as error:
        parser.exit(2, f"{parser.prog}: {error}\n")
    began_s = time.monotonic()
    damage = torn(arguments.torn, arguments.seed)
    print(f"{arguments.torn} torn files in {time.monotonic() - began_s:.0f} s: lost events are {damage.lost}")
    for line in damage.told[:MOST_TOLD]:
        print(f"torn: {line}")
    bars = [
        Bar("acknowledged events that are gone", found.lost, 0, "events"),
        Bar("databases damaged", found.damaged, 0, "of them"),
        Bar("whatever else was not as it stood", len(found.astray), 0, "disks"),
        Bar("events lost from a torn file that were on no torn page", damage.lost[FOR_NOTHING], 0, "events"),
        Bar("games that do not go on after that", damage.silent, 0, "games"),
    ]
    figures = {
        "cuts": found.cuts,
        "disks": dict(found.disks),
        "operations": dict(found.operations),
        "written_bytes": found.written_bytes,
        "lost": found.lost,
        "damaged": found.damaged,
        "astray": len(found.astray),
        "torn": asdict(damage),
        "pictures": {"whole": found.pictures, "gone": found.gone_pictures},
    }
    print(json.dumps({**figures, "bars": told(bars)}))
    sys.exit(0 if all(bar.holds for bar in bars) else 1)


if __name__ == "__main__":
    main()
