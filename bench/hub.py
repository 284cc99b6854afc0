"""Five tables report their games to a hub while everything is killed: its log must match each table's, event by event.

Real logbooks, the real outbox, Mosquitto, PostgreSQL (or SQLite), two workers in processes of their own. For a minute
tables, workers, broker and database are killed (kill -9) at random moments, and the network is cut. Then a table comes
back after an hour away. Last, simulated tables each report an event a second, with one worker and with two.

python -m bench.hub --seconds 60 --events 1500 --simulated 1000
"""

from __future__ import annotations

import argparse
import json
import logging
import pickle
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from bench.bars import Bar, told
from bench.hub_load import load
from bench.hub_room import room
from bench.made_up import People, Press
from bench.servers import Cable, PostgreSQL, free_port
from companion.board import BadInputError
from companion.logbook import Logbook
from companion.outbox import Membership, Place, Post
from companion.session import Session
from hub.broker import Broker, Listening
from hub.messages import Journal
from hub.running import keep_access
from hub.store import Store, open_store
from hub.store.opening import url_in
from hub.store.tables import enrol
from tests.hub.telling import log_of, own_log

TABLES, WORKERS = 5, 2

#: The events of a table that was away for an hour on a busy evening, and how soon the hub must have them all.
AWAY_EVENTS, CAUGHT_UP_S = 3000, 10.0

#: From a table's commit to the hub's acknowledgement, 99 of 100 times.
ACKNOWLEDGED_MS = 250.0

#: The most for the room's page with a thousand tables.
USABLE_S, MOST_KB = 2.0, 300.0

#: How long anything still on its way may take once nothing is killed any more.
SETTLED_S = 120.0


@dataclass
class Killed:
    """How often each thing was killed, and what came of it."""

    kills: Counter[str] = field(default_factory=Counter)
    events: int = 0
    missing: int = 0
    different: int = 0
    settled_s: float = 0.0


class Ground:
    """A database, a broker, workers and tables, all of which can be killed."""

    def __init__(self, folder: Path, is_sqlite: bool, stack: ExitStack) -> None:
        self.folder, self._stack = folder, stack
        folder.chmod(0o755)  # PostgreSQL runs as somebody else
        self.postgresql = None if is_sqlite else PostgreSQL(folder / "postgresql")
        if self.postgresql is not None:
            self.postgresql.start()
            stack.callback(self.postgresql.stop)
        self.home = folder / "hub"
        self.home.mkdir()
        self.url = url_in(self.home) if self.postgresql is None else self.postgresql.create("hub")
        self.store: Store = open_store(self.url)
        stack.callback(self.store.close)
        self.broker = Broker(self.store, self.home, Listening("127.0.0.1", free_port()), Journal())
        stack.callback(self.broker.close)
        self.cable = Cable(self.broker.access.port)
        stack.callback(self.cable.close)
        keep_access(self.home, self.broker.access)
        self.settings = folder / "hub.toml"
        self.settings.write_text(f'[hub]\nfolder = "{self.home}"\n[database]\nurl = "{self.url}"\n')
        self.workers: list[subprocess.Popen[bytes]] = []

    def worker(self) -> subprocess.Popen[bytes]:
        """Start one more worker."""
        words = [sys.executable, "-m", "companion", "hub", "--worker", "--settings", str(self.settings)]
        return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def admit(self, name: str) -> Membership:
        """Enrol a table; its messages go through the cable."""
        table, key = enrol(self.store, name)
        self.broker.let_in(table, key)
        folder = self.folder / name
        folder.mkdir()
        membership = Membership(self.store.hub, "bench", table, key, "127.0.0.1", self.cable.port)
        Place(folder).keep(membership)
        return membership


@contextmanager
def ground(is_sqlite: bool) -> Iterator[Ground]:
    """Yield a ground in a temporary folder."""
    place = Path(tempfile.mkdtemp(prefix="strada-hub-"))
    try:
        with ExitStack() as stack:
            yield Ground(place, is_sqlite, stack)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def evening(seed: int, events: int, folder: Path) -> tuple[Press, ...]:
    """Return the presses of a made-up evening of at least that many events, as a logbook counts them."""
    session, presses, count = Session(), list[Press](), 0
    with Logbook(folder) as logbook:
        for press in People(seed).presses(session, 10**6):
            happened = session.see(press[0]) + session.obey(press[1])
            logbook.record(happened, session.state, who=str(len(presses)))
            presses.append(press)
            count += len(happened)
            if count >= events:
                return tuple(presses)
    raise AssertionError


def kill(seconds: float, events: int, seed: int, *, is_sqlite: bool) -> Killed:
    """Kill everything at random for that long while five tables play; then compare every log."""
    chance, found = random.Random(seed), Killed()
    with ground(is_sqlite) as place:
        members: dict[str, Membership] = {}
        tables: dict[str, subprocess.Popen[bytes]] = {}
        begin: dict[str, Callable[[], subprocess.Popen[Any]]] = {}
        for number in range(TABLES):
            name = f"table-{number}"
            presses = evening(seed + number, events, place.folder / f"made-{number}")
            script = place.folder / f"{name}.pickle"
            script.write_bytes(pickle.dumps(presses))
            members[name] = place.admit(name)
            pace_s = 0.9 * seconds / len(presses)
            words = [sys.executable, "-m", "bench.hub_table", str(place.folder / name), str(script), str(pace_s)]
            begin[name] = partial(subprocess.Popen, words, stderr=subprocess.DEVNULL)
            tables[name] = begin[name]()
        workers = [place.worker() for _ in range(WORKERS)]
        try:
            until_s = time.monotonic() + seconds
            while time.monotonic() < until_s:
                time.sleep(chance.uniform(0.3, 1.5))
                what = chance.choice(["table", "table", "worker", "broker", "database", "network"])
                found.kills[what] += 1
                _kill(what, place, tables, workers, begin, chance)
            _settle(place, members, events, found)
            _compare(place, members, found)
        finally:
            for process in (*tables.values(), *workers):
                process.kill()
                process.wait()
    return found


def _kill(
    what: str,
    place: Ground,
    tables: dict[str, subprocess.Popen[bytes]],
    workers: list[subprocess.Popen[bytes]],
    begin: dict[str, Callable[[], subprocess.Popen[bytes]]],
    chance: random.Random,
) -> None:
    match what:
        case "table":
            name = chance.choice(sorted(tables))
            _end(tables[name])
            tables[name] = begin[name]()
        case "worker":
            at = chance.randrange(len(workers))
            _end(workers[at])
            workers[at] = place.worker()
        case "broker":
            with suppress(ProcessLookupError):
                subprocess.run(["kill", "-9", str(place.broker.pid)], check=False, stderr=subprocess.DEVNULL)
        case "database" if place.postgresql is not None:
            place.postgresql.kill()
            time.sleep(chance.uniform(0.0, 1.0))
            place.postgresql.start()
        case "network":
            place.cable.cut()
            time.sleep(chance.uniform(0.0, 1.5))
            place.cable.mend()


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def _settle(place: Ground, members: dict[str, Membership], events: int, found: Killed) -> None:
    """Wait until every table has played to its end, and the hub has as many events."""
    began_s = time.monotonic()
    while time.monotonic() - began_s < SETTLED_S:
        own = {name: _told_yet(place.folder / name) for name in members}
        held = {name: len(log_of(place.store, member.table)) for name, member in members.items()}
        if all(len(own[name]) >= events and held[name] == len(own[name]) for name in members):
            break
        time.sleep(0.5)
    found.settled_s = time.monotonic() - began_s


def _told_yet(folder: Path) -> list[tuple[Any, ...]]:
    """Return a table's own log; nothing if it was killed before it wrote anything and has only just begun again."""
    try:
        return own_log(folder)
    except BadInputError:
        return []


def _compare(place: Ground, members: dict[str, Membership], found: Killed) -> None:
    for name, member in members.items():
        own, held = own_log(place.folder / name), log_of(place.store, member.table)
        found.events += len(own)
        found.missing += max(0, len(own) - len(held))
        found.different += sum(mine != theirs for mine, theirs in zip(own, held, strict=False))
        found.different += max(0, len(held) - len(own))


def catch_up(events: int, seed: int, *, is_sqlite: bool) -> float:
    """Return how many seconds the hub takes to catch up with a table that was away."""
    with ground(is_sqlite) as place:
        member = place.admit("away")
        evening(seed, events, place.folder / "away")
        workers = [place.worker() for _ in range(WORKERS)]
        time.sleep(3)
        began_s = time.monotonic()
        post = Post(Place(place.folder / "away"), lambda: b'{"name":"away","phase":"turn","attention":[]}')
        try:
            while post.held is None or post.held < events:
                time.sleep(0.01)
                assert time.monotonic() - began_s < SETTLED_S, "it never caught up"
            took_s = time.monotonic() - began_s
            assert log_of(place.store, member.table) == own_log(place.folder / "away")
        finally:
            post.close()
            for worker in workers:
                _end(worker)
    return took_s


def simulate(tables: int, seconds: float, workers: int, seed: int, *, is_sqlite: bool) -> dict[str, Any]:
    """Return the figures of that many simulated tables, each of which reports an event a second."""
    with ground(is_sqlite) as place:
        evening(seed, 200, place.folder / "model")
        members = [_member(place, number) for number in range(tables)]
        place.broker.renew()
        begun = [place.worker() for _ in range(workers)]
        time.sleep(3)
        try:
            database = 0 if place.postgresql is None else place.postgresql.pid
            pids = [each.pid for each in begun]
            found = load(members, place.folder / "model", seconds, pids, place.broker.pid, database)
        finally:
            for worker in begun:
                _end(worker)
    return {"workers": workers, **found}


def _member(place: Ground, number: int) -> Membership:
    table, key = enrol(place.store, f"simulated {number}")
    return Membership(place.store.hub, "bench", table, key, "127.0.0.1", place.broker.access.port)


def main() -> None:
    """Print what was killed, the bars, and the figures as one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, help="not needed: the evenings are made up")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--events", type=int, default=1500)
    parser.add_argument("--simulated", type=int, default=1000, help="simulated tables; 0: none")
    parser.add_argument("--sqlite", action="store_true", help="on SQLite instead of PostgreSQL")
    parser.add_argument("--no-kills", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    logging.disable(logging.WARNING)
    is_sqlite, seed = arguments.sqlite, arguments.seed
    figures: dict[str, Any] = {"database": "sqlite" if is_sqlite else "postgresql"}
    bars: list[Bar] = []
    if not arguments.no_kills:
        found = kill(arguments.seconds, arguments.events, seed, is_sqlite=is_sqlite)
        print(f"killed: {dict(found.kills)}; {found.events} events; all there {found.settled_s:.1f} s after the last")
        away_s = catch_up(AWAY_EVENTS, seed + 100, is_sqlite=is_sqlite)
        figures |= {
            "kills": dict(found.kills), "events": found.events, "missing": found.missing,
            "different": found.different, "settled_s": round(found.settled_s, 1), "caught_up_s": round(away_s, 2),
        }  # fmt: skip
        bars += [
            Bar("events that the hub lacks", found.missing, 0, "events"),
            Bar("events that differ, or are there twice", found.different, 0, "events"),
            Bar(f"to catch up {AWAY_EVENTS} events", away_s, CAUGHT_UP_S, "s"),
        ]
    if arguments.simulated:
        figures["simulated"] = []
        for workers in (1, 2):
            one = simulate(arguments.simulated, 30.0, workers, seed, is_sqlite=is_sqlite)
            print(f"simulated, {workers} workers: {one}")
            figures["simulated"].append(one)
            what = f"from commit to acknowledgement with {workers} workers, p99"
            bars.append(Bar(what, one["p99_ms"], ACKNOWLEDGED_MS, "ms"))
    if arguments.simulated and (seen := room(arguments.simulated, seed)) is not None:
        figures["room"] = seen
        bars.append(Bar("the room usable", seen["usable_s"], USABLE_S, "s"))
        bars.append(Bar("the room's page", seen["kb"], MOST_KB, "kB"))
    print(json.dumps({**figures, "bars": told(bars)}))


if __name__ == "__main__":
    main()
