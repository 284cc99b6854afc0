"""How the companion is doing, for programs that watch it: what /health says, and what /metrics tells Prometheus.

Names and units follow Prometheus' own conventions (https://prometheus.io/docs/practices/naming/). What this machine
cannot tell is left out. Keepers are told about copies off the machine and newer versions, in the doctor's own words.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily, InfoMetricFamily, Metric, StateSetMetricFamily
from prometheus_client.registry import Collector

from companion import events
from companion.board import Reading
from companion.doctor import Grade
from companion.doctor.books import away, newer, unsought, update
from companion.doctor.health import processor_c, there
from companion.doctor.machine import Machine
from companion.settings import Settings, UpdatesSettings
from companion.system.news import own_version
from companion.updates.outcome import NOTE
from companion.web import Health
from companion.web.backend import Finding

if TYPE_CHECKING:
    from companion.service.parts import Logbook
    from companion.updates.desk import Desk

#: The modes, and those in which a camera looks at the table.
MODES, SEEING = ("live", "drawn", "by-hand", "asks", "safe"), ("live", "drawn")

#: A loop that has not gone round for this long hangs, and systemd ends it then; the slowest reading takes a few
#: seconds.
HUNG_S = 15.0

#: The bounds of the histogram of read times: a desk's 0.1 s, a Pi's second, and what nobody should wait for.
READ_S = (0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)

#: What counts as which verdict.
VERDICTS: dict[type[events.Event], str] = {
    events.WorkshopPlaced: "legal",
    events.TurnTaken: "legal",
    events.MoveRefused: "illegal",
    events.MoveUnclear: "unclear",
    events.MoveAccepted: "accepted",
}


class Monitor:
    """Knows how the companion is doing, and counts. The loop's thread tells it what happens; any thread may ask.

    `mode` is one of MODES, `folder` where the data are kept, None for nowhere.
    """

    def __init__(
        self,
        mode: Callable[[], str],
        folder: Path | None,
        machine: Machine | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._mode, self._folder, self._machine, self._clock = mode, folder, machine or Machine(), clock
        self._version = version("strada")
        self._beaten_s: float | None = None
        self._camera: str | None = None
        self._logbook: Logbook | None = None
        # When a count began is left out: Prometheus does without, and each would have a line of its own.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._counted = CollectorRegistry()
        self._read_s = Histogram(
            "strada_read_seconds", "How long it took to read a picture.", buckets=READ_S, registry=self._counted
        )
        self._cells = Counter("strada_cells_read", "Cells that were looked at.", registry=self._counted)
        self._unclear = Counter(
            "strada_cells_unclear", "Cells that were seen and not understood.", registry=self._counted
        )
        self._verdicts = Counter("strada_verdicts", "Verdicts on moves.", ["verdict"], registry=self._counted)
        for verdict in VERDICTS.values():
            self._verdicts.labels(verdict)
        ProcessCollector(registry=self._counted)

    # What the loop's thread tells.

    def starts(self, logbook: Logbook | None = None) -> None:
        """Note that the loop is about to begin, and which logbook keeps what happens there."""
        self._beaten_s, self._camera, self._logbook = None, None, logbook

    def beat(self) -> None:
        """Note that the loop goes round."""
        self._beaten_s = self._clock()

    def sees(self, trouble: str = "ok") -> None:
        """Note that pictures come, or why none do, by a code of TROUBLES."""
        self._camera = trouble

    def read(self, reading: Reading, seconds: float) -> None:
        """Count a reading, and how long it took."""
        if self._mode() in SEEING:
            self.sees()
            self._read_s.observe(seconds)
            self._cells.inc(len(reading.cells))
            self._unclear.inc(len(reading.unclear))

    def hear(self, happened: Sequence[events.Event]) -> None:
        """Count verdicts."""
        for event in happened:
            if (verdict := VERDICTS.get(type(event))) is not None:
                self._verdicts.labels(verdict).inc()

    # What others ask.

    def health(self) -> Health:
        """Return how it is doing, from memory alone, so that it waits for no disk and no camera."""
        mode, beaten_s, logbook = self._mode(), self._beaten_s, self._logbook
        hangs = beaten_s is not None and self._clock() - beaten_s > HUNG_S
        trouble = None if logbook is None else logbook.trouble
        return Health(
            mode,
            "hangs" if hangs else "starts" if beaten_s is None else "runs",
            self._camera if mode in SEEING else None,
            None if logbook is None else "ok" if trouble is None else trouble.code,
            self._version,
        )

    def figures(self, watching: int) -> bytes:
        """Return what was counted, and how it is doing now; `watching` is how many scoreboards are open."""
        return generate_latest(_Now(lambda: self._now(watching))) + generate_latest(self._counted)

    def _now(self, watching: int) -> Iterator[Metric]:
        health = self.health()
        about = {"version": health.version, "python": platform.python_version()}
        yield InfoMetricFamily("strada_build", "Which Strada this is.", about)
        yield StateSetMetricFamily("strada_mode", "How it runs.", {each: each == health.mode for each in MODES})
        rows: list[tuple[str, str, float | None]] = [
            ("strada_loop_up", "Whether the loop goes round that judges the game.", health.loop == "runs"),
            ("strada_camera_up", "Whether pictures come from the camera.", health.has_pictures),
            ("strada_logbook_up", "Whether what happens is written down.", _is_ok(health.logbook)),
            ("strada_clients", "Scoreboards that are open.", watching),
            ("strada_temperature_celsius", "How warm the processor is.", processor_c(self._machine)),
            *_disk(self._folder),
        ]
        for name, said, value in rows:
            if value is not None:
                yield GaugeMetricFamily(name, said, value=float(value))


def upkeep_of(settings: Settings, folder: Path | None, desk: Desk | None = None, ended: Path = NOTE) -> list[Finding]:
    """Return what the settings asked for: when the last copy off the machine was made, or what went wrong; a newer
    version that is out; how the last update ended, unless it stayed. Only small files are read: nobody else is asked.
    """
    if folder is None:
        return []
    upkeep = []
    if settings.backup.to:
        upkeep.append(("away", away(settings.backup.to, folder, datetime.now(UTC))))
    is_offered = desk is not None and desk.offered != ""
    if settings.updates.feed and not is_offered:
        upkeep.append(("news", newer(settings.updates.feed, folder, own_version())))
    if desk is not None and (why := desk.last_look().why):
        upkeep.append(("update", unsought(why)))
    upkeep.append(("update", update(ended, own_version())))
    told = [(check, each) for check, each in upkeep if check == "away" or each.grade is not Grade.OK]
    return [Finding(check, each.code, each.facts, each.grade is Grade.TODO) for check, each in told]


#: The unit that does what a keeper asks for: without it, nobody would.
UNIT = Path("/etc/systemd/system/strada-update.path")


def desk_of(settings: UpdatesSettings, folder: Path | None, unit: Path = UNIT) -> Desk | None:
    """Return where a keeper asks for updates; None if nobody would hear it: if the settings name no place or no key, or
    if the data in `folder` are not the service's.
    """
    if not settings.feed or not settings.key or folder is None or not unit.exists():
        return None
    # The code that knows signatures is loaded only if there is a key.
    from companion.updates import desk  # noqa: PLC0415
    from companion.updates.release import architecture  # noqa: PLC0415

    if folder / desk.FOLDER.name != desk.FOLDER:
        return None
    return desk.Desk(desk.FOLDER, settings.feed, settings.key, own_version(), architecture())


class _Now(Collector):
    """What is measured when it is asked for."""

    def __init__(self, look: Callable[[], Iterator[Metric]]) -> None:
        self._look = look

    def collect(self) -> Iterator[Metric]:
        """Yield it."""
        return self._look()


def _is_ok(word: str | None) -> bool | None:
    return None if word is None else word == "ok"


def _disk(folder: Path | None) -> list[tuple[str, str, float | None]]:
    """Return the room on the disk that keeps the games; nothing if none does, or if it cannot be asked."""
    if folder is None:
        return []
    try:
        status = os.statvfs(there(folder))
    except OSError:
        return []
    return [
        ("strada_disk_free_bytes", "Room for games on the disk.", status.f_bavail * status.f_frsize),
        ("strada_disk_size_bytes", "The size of that disk.", status.f_blocks * status.f_frsize),
    ]
