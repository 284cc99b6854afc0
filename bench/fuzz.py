"""Anything at all, sent to a companion's port and to every command that reads files: refused in a sentence, or done.

There must be no answer of 500 or above, except 503 with Retry-After if too much is waiting, and 501 for an unknown
transfer coding. There must be no traceback, no hang over a second, and no changed file outside the given folder. The
same seed makes the same samples. `--only drawn:123` sends one alone.

python -m bench.fuzz --tenth
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from bench.bars import Bar, told
from bench.fuzzed_files import Files, quiet
from bench.fuzzed_requests import FIRST, HANG_S, RECKONING_S, Answered, Wire, request_of, right_request, try_request
from bench.watching_writes import ASTRAY

#: How many requests and files, and each companion's share of the requests.
REQUESTS, FILES = 100_000, 10_000
SHARES = {"drawn": 0.7, "table": 0.3}

#: The longest that a companion may take to start or to end.
PATIENCE_S = 120.0

#: The most that guests may write to the log, however long they try: a few kinds of faults, each once a minute.
MOST_LOG_BYTES = 1_000_000

#: The most memory that a reader of files may need: this stops one that reads an endless device.
MOST_BYTES = 4 * 1024**3

#: Beyond this many faults, only their number is printed.
MOST_TOLD = 20


@dataclass
class Found:
    """The result."""

    requests: int = 0
    files: int = 0
    answered: Answered = field(default_factory=Answered)
    ends: Counter[str] = field(default_factory=Counter)
    slowest_file_s: float = 0.0
    faults: list[str] = field(default_factory=list)
    astray: list[str] = field(default_factory=list)
    tracebacks: int = 0


def fuzz_requests(found: Found, count: int, seed: int, kind: str, only: int | None = None) -> None:
    """Send that many requests to a companion of that kind."""
    with tempfile.TemporaryDirectory(prefix="strada-fuzz-") as place:
        folder = Path(place)
        errors = folder / "stderr"
        paths = ":".join(str(Path(each or ".").resolve()) for each in ("", *sys.path))
        environment = {
            "PATH": "/usr/bin:/bin", "PYTHONPATH": paths, "HOME": str(folder / "home"), "TMPDIR": str(folder),
            "OMP_NUM_THREADS": "1", "PYTHONFAULTHANDLER": "1", "PYTHONDONTWRITEBYTECODE": "1",
        }  # fmt: skip
        (folder / "cwd").mkdir()
        command = [sys.executable, "-m", "bench.fuzzed_server", str(folder), kind]
        with (
            errors.open("wb") as log,
            subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, cwd=folder / "cwd", env=environment
            ) as process,
        ):
            try:
                assert process.stdout is not None
                line = process.stdout.readline()
                if not line:
                    raise RuntimeError(f"the companion did not start: {errors.read_text()[-2000:]}")
                about = json.loads(line)
                _send(found, process, about, count, seed, kind, only)
            finally:
                _end(found, process, kind)
        _look_at_log(found, errors.read_text(errors="replace"), kind)
        if left := [path.name for path in (folder / "cwd").iterdir()]:
            found.astray.append(f"{kind}: in the working directory: {left}")


def _send(
    found: Found, process: subprocess.Popen[bytes], about: dict[str, object], count: int, seed: int, kind: str,
    only: int | None,
) -> None:  # fmt: skip
    port, routes = about["port"], about["routes"]
    assert isinstance(port, int)
    assert isinstance(routes, list)
    wire, began_s = Wire(port), time.monotonic()
    host = f"127.0.0.1:{port}"
    for path in FIRST[kind]:
        while not (said := wire.exchange(right_request(path, host))[0]).startswith((b"HTTP/1.1 200", b"HTTP/1.1 202")):
            if time.monotonic() - began_s > PATIENCE_S:
                raise RuntimeError(f"{kind}: {path} was not done: {said[-300:]!r}")
            time.sleep(0.2)
    for number in range(count) if only is None else (only,):
        rng = random.Random(f"{seed}/{kind}/{number}")
        sent = request_of(rng, [(rule, methods) for rule, methods in routes], host)
        fault = try_request(wire, found.answered, sent)
        found.requests += 1
        if fault or only is not None:
            _note(found, f"{kind}:{number} {fault or 'nothing wrong'}: {sent.content[:600]!r}", is_fault=bool(fault))
        if process.poll() is not None:
            found.faults.append(f"{kind}:{number} the companion ended with {process.returncode}")
            return
        if number % 10_000 == 9_999:
            print(f"{kind}: {number + 1} requests in {time.monotonic() - began_s:.0f} s", flush=True)
    wire.close()


def _end(found: Found, process: subprocess.Popen[bytes], kind: str) -> None:
    assert process.stdin is not None
    process.stdin.close()
    try:
        status = process.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        found.faults.append(f"{kind}: the companion did not end")
        return
    if status != 0:
        found.faults.append(f"{kind}: the companion ended with {status}")


def _look_at_log(found: Found, log: str, kind: str) -> None:
    lines = log.split("\n")
    steering = [line for line in lines if not line.replace("\t", " ").isprintable()]
    found.faults += [f"{kind}: a line in the log that steers a terminal: {line[:200]!r}" for line in steering]
    said = sum(len(line) for line in lines if not line.startswith(ASTRAY))
    if said > MOST_LOG_BYTES:
        found.faults.append(f"{kind}: {said} bytes in the log")
    found.astray += [f"{kind}: {line}" for line in lines if line.startswith(ASTRAY)]
    # Faults that guests cause are logged without the word Traceback.
    traces = [
        number
        for number, line in enumerate(lines)
        if line.startswith('  File "') and not lines[number - 1].startswith("  ")
    ]
    found.tracebacks += len(traces)
    for number in traces[:MOST_TOLD]:
        print("\n".join(lines[max(0, number - 1) : number + 30]))


def fuzz_files(found: Found, count: int, seed: int, shared: Path, only: int | None = None) -> None:
    """Give that many files to the commands that read them."""
    with tempfile.TemporaryDirectory(prefix="strada-fuzz-") as place:
        files, began_s = Files(Path(place), shared), time.monotonic()
        for number in range(count) if only is None else (only,):
            with quiet(Path(place) / "stderr"):
                tried = files.tried(random.Random(f"{seed}/files/{number}"))
            found.files += 1
            found.ends[f"{tried.what}: {tried.end}"] += 1
            if tried.most_s > HANG_S:
                found.answered.reckoned_s = max(found.answered.reckoned_s, tried.seconds)
            else:
                found.slowest_file_s = max(found.slowest_file_s, tried.seconds)
            if tried.fault or only is not None:
                kept = files.keep(tried, number) if tried.fault else ""
                _note(found, f"files:{number} {tried.what}: {tried.fault or tried.end} {kept}", bool(tried.fault))
            if number % 1000 == 999:
                print(f"{number + 1} files in {time.monotonic() - began_s:.0f} s", flush=True)
        found.astray += files.astray


def _note(found: Found, told_of: str, is_fault: bool) -> None:
    if is_fault:
        found.faults.append(told_of)
    if len(found.faults) <= MOST_TOLD:
        print(told_of, flush=True)


def main() -> None:
    """Print what goes wrong as it happens, the bars, and the figures as one line of JSON; status 1 if a bar breaks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared"), help="the folder with records/")
    parser.add_argument("--tenth", action="store_true", help="a tenth of all, as CI does")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="one sample alone: drawn:NUMBER, table:NUMBER or files:NUMBER")
    arguments = parser.parse_args()
    share = 10 if arguments.tenth else 1
    what, _, number = (arguments.only or "").partition(":")
    only = int(number) if number else None
    found = Found()
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, resource.RLIM_INFINITY))
    for kind, part in SHARES.items():
        if what in ("", kind):
            fuzz_requests(found, round(REQUESTS * part) // share, arguments.seed, kind, only)
    if what in ("", "files"):
        fuzz_files(found, FILES // share, arguments.seed, arguments.shared, only)
    for line in found.astray[:MOST_TOLD]:
        print(f"outside the folder: {line}")
    bars = [
        Bar("requests and files with a fault, a traceback or a hang", len(found.faults), 0, "samples"),
        Bar("tracebacks in the companions' logs", found.tracebacks, 0, "tracebacks"),
        Bar("files changed outside the folder", len(found.astray), 0, "files"),
        Bar("the longest silence before or in an answer", found.answered.slowest_s, HANG_S, "s"),
        Bar("the slowest board or pieces looked at, or game packed", found.answered.reckoned_s, RECKONING_S, "s"),
        Bar("the slowest file", found.slowest_file_s, HANG_S, "s"),
    ]
    figures = {
        "requests": found.requests,
        "files": found.files,
        "statuses": dict(sorted(found.answered.statuses.items())),
        "ends": dict(sorted(found.ends.items())),
    }
    bar_figures = told(bars)
    print(json.dumps({**figures, "bars": bar_figures}))
    sys.exit(0 if all(bar.holds for bar in bars) else 1)


if __name__ == "__main__":
    main()
