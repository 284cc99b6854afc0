"""What strangers did to a companion, done again: each attack with what came of it, in a line.

A whole companion runs in a process of its own, with a drawn table and games in its logbook. Guests come from other
addresses of this machine, 127.0.7.1 and so on. Files and logbooks are given to the commands that read them.

python -m bench.attacks
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from bench.bars import Bar, told
from bench.made_up import People
from companion.logbook import Logbook
from companion.logbook.opening import FILE, opened_to_read
from companion.session import Session
from companion.system.pictures import is_sane

ROOT = Path(__file__).parents[1]

#: A page is answered within this while an attack goes on, and a file is told within it.
MOST_S = 1.0

#: How long an attack goes on that needs time.
HELD_S = 15.0

#: A minute of faults may write no more into the log.
MOST_LOG_BYTES = 100_000

PATIENCE_S = 120.0


@dataclass(frozen=True)
class Target:
    """A running companion: its port, its log, and its process."""

    port: int
    log: Path
    process: subprocess.Popen[bytes]

    def said(self, start: str, *headers: str, address: str = "127.0.7.1", timeout_s: float = 10.0) -> bytes:
        """Return all that is answered to a request from that address, "" where the connection is closed."""
        lines = [start, f"Host: 127.0.0.1:{self.port}", "Connection: close", *headers, "", ""]
        said = b""
        with suppress(ConnectionError, TimeoutError), self.connected(address, timeout_s) as wire:
            wire.sendall("\r\n".join(lines).encode("latin-1"))
            while part := wire.recv(65536):
                said += part
        return said

    def connected(self, address: str, timeout_s: float = 10.0) -> socket.socket:
        """Return a connection from that address."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=timeout_s, source_address=(address, 0))

    def seconds(self, address: str) -> float:
        """Return how long the scoreboard takes for that address; infinity where it is not answered."""
        began_s = time.monotonic()
        said = self.said("GET / HTTP/1.1", address=address)
        return time.monotonic() - began_s if said.startswith(b"HTTP/1.1 200") else float("inf")

    def logged(self) -> str:
        """Return the log so far."""
        return self.log.read_text(errors="replace")


@contextmanager
def companion(folder: Path) -> Iterator[Target]:
    """Run a whole companion in that folder."""
    folder.mkdir()
    log = folder / "log"
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "bench.fuzzed_server", str(folder / "table"), "drawn"]
    (folder / "table").mkdir()
    with (
        log.open("wb") as errors,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, cwd=ROOT, env=environment
        ) as process,
    ):
        assert process.stdout is not None
        assert process.stdin is not None
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"the companion did not start: {log.read_text()[-2000:]}")
        try:
            yield Target(json.loads(line)["port"], log, process)
        finally:
            process.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                process.wait(PATIENCE_S)
            process.kill()


# Guests. Each returns what came of it, and whether it did harm.

Outcome = tuple[str, bool]


def _status(said: bytes) -> str:
    return said[9:12].decode() if said else "no answer"


def numbers_without_end(target: Target) -> Outcome:
    """Numbers of 5,000 digits in paths, a hundred times, with characters that steer a terminal."""
    before = len(target.logged())
    digits = "7" * 5000
    found = set()
    for number in range(101):
        path = f"/games/{digits}" if number % 2 else f"/setup/photo/{digits}/%1b%5b31m%0aNov%2025.jpg"
        found.add(_status(target.said(f"GET {path} HTTP/1.1")))
    log = target.logged()[before:]
    words = f"answered {', '.join(sorted(found))}; {len(log)} bytes in the log"
    return words, bool(found - {"404"}) or len(log) > MOST_LOG_BYTES or "\x1b" in log or "Traceback" in log


def a_page_of_nonsense(target: Target) -> Outcome:
    """A Referer that is no address."""
    status = _status(target.said("GET /rulings/latest HTTP/1.1", "Referer: http://[::1"))
    return f"answered {status}", status not in ("302", "404")


def a_length_without_end(target: Target) -> Outcome:
    """A Content-Length of 5,000 digits; nobody's address may be in the log."""
    said = target.said("POST /keeper/undo HTTP/1.1", f"Content-Length: {'9' * 5000}", address="127.0.7.77")
    is_named = "127.0.7.77" in target.logged()
    words = f"answered {_status(said)}, the address is {'' if is_named else 'not '}in the log"
    return words, _status(said) != "400" or is_named


def half_requests(target: Target) -> Outcome:
    """230 half requests from one address, a byte every 3 s each."""
    with ExitStack() as stack:
        wires = []
        for number in range(230):
            with suppress(OSError):
                wire = stack.enter_context(target.connected("127.0.7.66"))
                wire.sendall(
                    b"GET / HTTP/1.1\r\nX: " if number % 2 else b"POST /x HTTP/1.1\r\nContent-Length: 99\r\n\r\n"
                )
                wires.append(wire)
        slowest, until_s = {"this machine's TV": 0.0, "another phone": 0.0}, time.monotonic() + HELD_S
        next_s = time.monotonic() + 3
        while time.monotonic() < until_s:
            if time.monotonic() > next_s:
                next_s += 3
                for wire in wires:
                    with suppress(OSError):
                        wire.sendall(b"x")
            for who, address in (("this machine's TV", "127.0.0.1"), ("another phone", "127.0.7.2")):
                slowest[who] = max(slowest[who], target.seconds(address))
            time.sleep(0.2)
    words = ", ".join(f"{who} waits {1000 * seconds:.0f} ms at most" for who, seconds in slowest.items())
    return words, max(slowest.values()) > MOST_S


def every_place_taken(target: Target) -> Outcome:
    """Every stream and every connection taken, from many addresses."""
    with ExitStack() as stack:
        for number in range(400):
            with suppress(OSError):
                wire = stack.enter_context(target.connected(f"127.0.8.{number % 200 + 1}"))
                wire.sendall(f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{target.port}\r\n\r\n".encode())
        time.sleep(1)
        seconds = target.seconds("127.0.0.1")
        tv = stack.enter_context(target.connected("127.0.0.1"))
        tv.sendall(f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{target.port}\r\n\r\n".encode())
        status = _status(tv.recv(100))
    words = f"this machine's page takes {1000 * seconds:.0f} ms, its stream is answered {status}"
    return words, seconds > MOST_S or status != "200"


def many_on_a_game(target: Target) -> Outcome:
    """40 clients on the games' pages, again and again."""
    until_s, slowest = time.monotonic() + HELD_S, 0.0
    ends = threading.Event()

    answered = Counter[str]()

    def look(number: int) -> None:
        while not ends.is_set():
            said = target.said(f"GET /games/{number % 3 + 1} HTTP/1.1", address=f"127.0.9.{number + 1}")
            answered[_status(said)] += 1

    threads = [threading.Thread(target=look, args=(number,), daemon=True) for number in range(40)]
    for thread in threads:
        thread.start()
    while time.monotonic() < until_s:
        slowest = max(slowest, target.seconds("127.0.0.1"))
        time.sleep(0.2)
    ends.set()
    for thread in threads:
        thread.join(timeout=30)
    statuses = ", ".join(f"{status} {count} times" for status, count in sorted(answered.items()))
    words = f"the scoreboard takes {1000 * slowest:.0f} ms at most; the pages answered {statuses}"
    return words, slowest > MOST_S or not answered["200"]


GUESTS: tuple[Callable[[Target], Outcome], ...] = (
    numbers_without_end, a_page_of_nonsense, a_length_without_end, half_requests, every_place_taken, many_on_a_game,
)  # fmt: skip


# Files.


def filled_pictures(folder: Path) -> Outcome:
    """JPEGs with 20 MB of fill bytes, whole and cut off."""
    picture = cv2.imencode(".jpg", np.zeros((480, 640, 3), np.uint8))[1].tobytes()
    slowest = 0.0
    for fill in (b"\xff" * 20_000_000, b"\xff\x00" * 10_000_000, b"\xff\xd0" * 10_000_000):
        for content in (picture[:2] + fill + picture[2:], picture[:2] + fill):
            began_s = time.process_time()
            is_sane(content)
            slowest = max(slowest, time.process_time() - began_s)
    return f"told in {1000 * slowest:.0f} ms at most", slowest > MOST_S


def files_without_end(folder: Path) -> Outcome:
    """A pipe, a device and a hole of 8 GB where commands want a record, a photograph, settings."""
    pipe, hole = folder / "pipe", folder / "hole"
    os.mkfifo(pipe)
    with hole.open("wb") as file:
        file.truncate(8 * 1024**3)
    bad = []
    for path in (pipe, Path("/dev/zero"), hole):
        for command in (
            ["referee", path],
            ["replay", path, "--text"],
            ["align", path, "--clicks", path],
            ["doctor", "--settings", path],
        ):
            done = subprocess.run(
                [sys.executable, "-m", "companion", *map(str, command)],
                cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
            )  # fmt: skip
            if "Traceback" in done.stderr or done.returncode not in (1, 2):
                bad.append(f"{command[0]} {path.name}: {done.returncode}")
    return f"refused, but {bad}" if bad else "refused in a sentence each", bool(bad)


def settings_of_nonsense(folder: Path) -> Outcome:
    """Settings with a number of 5,000 digits, with a NUL."""
    bad = folder / "bad.toml"
    words = []
    for text in (f"[web]\nport = {'9' * 5000}", f"[web]\nport = 0x{'f' * 5000}", '[table]\nfolder = "a\\u0000b"'):
        bad.write_text(text)
        done = subprocess.run(
            [sys.executable, "-m", "companion", "run", "--settings", str(bad)],
            cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        words.append((done.returncode, "Traceback" in done.stderr))
    return f"exit statuses {[status for status, _ in words]}", any(word != (2, False) for word in words)


# The logbook.


def _logbook(folder: Path) -> int:
    session = Session()
    with Logbook(folder) as logbook:
        for reading, command in People(5).presses(session, 150):
            logbook.record(session.see(reading) + session.obey(command), session.state)
    return _events(folder)


def _events(folder: Path) -> int:
    with opened_to_read(folder) as connection:
        return int(connection.execute("SELECT count(*) FROM events").fetchone()[0])


def a_logbook_cut_off(folder: Path) -> Outcome:
    """The last pages cut off, one to four of them; a bit flipped in each byte of the header."""
    events = _logbook(folder / "whole")
    content = (folder / "whole" / FILE).read_bytes()
    lost, silent = [0], 0
    for number in range(104):
        harmed = bytearray(content)
        if number < 4:
            del harmed[-4096 * (number + 1) :]
        else:
            harmed[number - 4] ^= 0x10
        place = folder / f"harmed-{number}"
        place.mkdir()
        (place / FILE).write_bytes(harmed)
        with Logbook(place) as logbook:
            silent += logbook.resume() is None
        if number >= 4:
            lost.append(events - _events(place))
        shutil.rmtree(place)
    words = f"of {events} events a damaged header costs {max(lost)}; {silent} of 104 games do not go on"
    return words, max(lost) > 0 or silent > 0


def a_backup_that_smuggles(folder: Path) -> Outcome:
    """A table, a generated column, a heavy index and one that lets no row in, in a backup's database."""
    _logbook(folder / "smuggled")
    bad = []
    for statement in (
        "CREATE TABLE more (x)",
        "ALTER TABLE seats ADD COLUMN much BLOB AS (zeroblob(400000000))",
        "CREATE INDEX heavy ON games (length(zeroblob(400000000)))",
        "CREATE UNIQUE INDEX one ON events (game IS NULL) WHERE id > 100000",
    ):
        copy = folder / "copy.sqlite"
        shutil.copy(folder / "smuggled" / FILE, copy)
        with closing(sqlite3.connect(copy)) as connection:
            connection.execute(statement)
            connection.commit()
        began_s = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-m", "companion", "restore", str(copy), "--data", str(folder / "restored")],
            cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        if done.returncode != 2 or "Traceback" in done.stderr or time.monotonic() - began_s > 10:
            bad.append(statement)
    return f"brought back: {bad}" if bad else "refused", bool(bad)


FILES: tuple[Callable[[Path], Outcome], ...] = (
    filled_pictures, files_without_end, settings_of_nonsense, a_logbook_cut_off, a_backup_that_smuggles,
)  # fmt: skip


def main() -> None:
    """Print a line for each attack, the bar, and the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, help="not needed here: the table is drawn")
    parser.parse_args()
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="strada-attacks-") as place:
        with companion(Path(place) / "companion") as target:
            for attack in GUESTS:
                _tell(found, attack.__name__, attack.__doc__, attack(target))
            alive = target.process.poll() is None
            _tell(found, "afterwards", "The companion after all that.", ("runs" if alive else "has ended", not alive))
        for number, trial in enumerate(FILES):
            folder = Path(place) / f"files-{number}"
            folder.mkdir()
            _tell(found, trial.__name__, trial.__doc__, trial(folder))
    harmful = sum(each["harm"] for each in found.values())
    print(json.dumps({"attacks": found, "bars": told([Bar("attacks that did harm", harmful, 0, "attacks")])}))


def _tell(found: dict[str, Any], name: str, what: str | None, outcome: Outcome) -> None:
    words, is_harm = outcome
    print(
        f"{'HARM' if is_harm else 'fine'}: {(what or name).splitlines()[0]} {words[:1].upper()}{words[1:]}.", flush=True
    )
    found[name] = {"came": words, "harm": is_harm}


if __name__ == "__main__":
    main()
