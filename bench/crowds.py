"""The companion with a stopwatch in it, and crowds of scoreboards that watch it from other processes."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from statistics import median
from typing import Any
from unittest.mock import patch

from companion.events import StandingChanged
from companion.logbook import Logbook
from companion.scoreboard import Scoreboard
from companion.service import Service
from companion.settings import Settings
from companion.wiring import Companion
from companion.wiring.drawn import SPEEDS, DrawnTable

#: How many may watch.
WATCHERS = 100

#: How long the table may take to reach its third verdict.
PATIENCE_S = 120.0


class Stopwatch:
    """When things happened, by the machine's monotonic clock. The loop's thread writes it, and others read it."""

    def __init__(self) -> None:
        self.told_s: dict[int, float] = {}
        self.verdicts: set[int] = set()
        self.disk_s: list[float] = []
        self.frames_s: list[float] = []

    def mean_frames_per_s(self, start_s: float, end_s: float) -> float:
        """Return how many frames the loop took per second."""
        return sum(start_s <= at_s < end_s for at_s in self.frames_s) / (end_s - start_s)

    def interval_ms(self, start_s: float, end_s: float) -> float:
        """Return the median time between two frames."""
        inside = [at_s for at_s in self.frames_s if start_s <= at_s < end_s]
        return 1000 * median(after - before for before, after in pairwise(inside))


@contextmanager
def running(watch: Stopwatch, host: str = "127.0.0.1") -> Iterator[Companion]:
    """Run a companion on its drawn table, at its fastest, in the middle of a game."""
    with (
        patch("companion.wiring.running.Service", _timed_service(watch)),
        patch("companion.wiring.modes.DrawnTable", _timed_table(watch)),
        patch("companion.wiring.current_game.Logbook", _timed_logbook(watch)),
    ):
        settings = Settings()
        companion = Companion(replace(settings, web=replace(settings.web, host=host, port=0, streams=WATCHERS)))
        thread = threading.Thread(target=companion.run)
        thread.start()
        try:
            for _ in SPEEDS[1:]:
                ask(companion, "POST", "/commands/faster")
            deadline_s = time.monotonic() + PATIENCE_S
            while len(watch.verdicts) < 3:
                if time.monotonic() > deadline_s:
                    raise SystemExit("the drawn table came to no verdict")
                time.sleep(0.2)
            yield companion
        finally:
            companion.close()
            thread.join(timeout=20)


def _timed_service(watch: Stopwatch) -> type[Service]:
    class TimedService(Service):
        """News is published at the end of a step; its time is the moment at which the loop had judged it."""

        #: When this step's news was judged; 0 if there was none.
        _judged_s = 0.0

        def step(self) -> None:
            self._judged_s = 0.0
            before = self._board.latest
            super().step()
            now = self._board.latest
            if self._judged_s and now.number > before.number:
                watch.told_s[now.number] = self._judged_s
                if now.notice != before.notice:
                    watch.verdicts.add(now.number)

        def _tell(self, events: Sequence[Any], by: str) -> None:
            if any(not isinstance(event, StandingChanged) for event in events):
                self._judged_s = time.monotonic()
            super()._tell(events, by)

        @property
        def _board(self) -> Scoreboard:
            return self._display._scoreboard

    return TimedService


def _timed_logbook(watch: Stopwatch) -> type[Logbook]:
    class TimedLogbook(Logbook):
        def record(self, *what: Any, **more: Any) -> None:
            started_s = time.monotonic()
            super().record(*what, **more)
            watch.disk_s.append(time.monotonic() - started_s)

    return TimedLogbook


def _timed_table(watch: Stopwatch) -> type[DrawnTable]:
    class TimedTable(DrawnTable):
        def frame(self, timeout_s: float) -> Any:
            frame = super().frame(timeout_s)
            watch.frames_s.append(time.monotonic())
            return frame

    return TimedTable


def ask(companion: Companion, method: str, path: str) -> tuple[int, float]:
    """Return the answer's status and how many seconds it took."""
    port = companion.ports[0]
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    started_s = time.monotonic()
    connection.request(method, path, headers={"X-Strada": "1", "Origin": f"http://127.0.0.1:{port}"})
    answer = connection.getresponse()
    if answer.status == 200 and "event-stream" in (answer.getheader("Content-Type") or ""):
        answer.readline()
    else:
        answer.read()
    took_s = time.monotonic() - started_s
    connection.close()
    return answer.status, took_s


class Crowd:
    """Scoreboards of one kind, in a process of their own."""

    def __init__(self, companion: Companion, kind: str, count: int, network: str, host: str = "127.0.0.1") -> None:
        words = [sys.executable, "-m", "bench.watching", kind, str(count), host, str(companion.ports[0]), network]
        link = "far" if kind == "vanished" else ""
        if link:
            words = ["unshare", "--net", *words, link]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if link:
            time.sleep(1.0)  # until unshare has made its namespace
            _run(f"ip link add near type veth peer name {link} netns {self._process.pid}")
            _run(f"ip address add {host}/24 dev near")
            _run("ip link set near up")

    def up(self) -> list[str]:
        """Wait until all are answered; return the answers' status lines."""
        line = self._read()
        assert line.startswith("up "), line
        statuses: list[str] = json.loads(line.removeprefix("up "))
        return statuses

    def say(self, word: str) -> None:
        """Send it a word."""
        assert self._process.stdin is not None
        self._process.stdin.write(word + "\n")
        self._process.stdin.flush()

    def end(self) -> list[tuple[int, int, float]]:
        """End it; return what arrived, and when."""
        self.say("end")
        arrived = [(who, number, at_s) for who, number, at_s in json.loads(self._read())]
        self._process.wait(timeout=20)
        return arrived

    def _read(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()


def _run(line: str) -> None:
    subprocess.run(line.split(), check=True, timeout=10)


def late_ms(watch: Stopwatch, arrived: Sequence[tuple[int, int, float]], start_s: float, end_s: float) -> list[float]:
    """Return how late each verdict of that time reached each scoreboard, in ms.

    A scoreboard that got a newer snapshot instead counts as having it at that moment.
    """
    by_watcher: dict[int, list[tuple[int, float]]] = {}
    for who, number, at_s in arrived:
        by_watcher.setdefault(who, []).append((number, at_s))
    late = []
    for verdict in sorted(watch.verdicts):
        told_s = watch.told_s[verdict]
        if not start_s <= told_s < end_s - 1:
            continue
        for seen in by_watcher.values():
            at_s = next((at_s for number, at_s in seen if number >= verdict), float("inf"))
            late.append(1000 * (at_s - told_s))
    return late
