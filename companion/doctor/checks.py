"""All checks, in the order in which they are read: first those about what keeps a companion from starting.

They run one after the other, each within its time limit.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from companion.doctor import books, devices, health, service
from companion.doctor.machine import Finding, Grade, Machine, ok, todo, unknown
from companion.settings import Settings
from companion.system.news import own_version
from companion.updates.outcome import NOTE

#: How long a check may take unless it says otherwise.
LIMIT_S = 10.0


@dataclass(frozen=True, slots=True)
class Check:
    """A check by its name; one that does not end within `limit_s` is given up, and its finding is `late`."""

    name: str
    look: Callable[[], Finding]
    limit_s: float = LIMIT_S
    late: Finding | None = None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The subject of the checks, and the edges that they need.

    `settings` were read from `file` (None: there is none) with the finding `read`; `folder` is the logbook's, None for
    a drawn table, which keeps none. `eye` opens the camera; `pins` opens the pins and says whether they are real.
    `table` learns the table that is played on, and tests it. `own_wifi` and `hidden` are service.network's.
    """

    settings: Settings
    file: Path | None
    read: Finding
    folder: Path | None
    eye: Callable[[ExitStack], devices.Eye]
    pins: Callable[[], bool]
    addresses: Callable[[], tuple[str, ...]]
    table: Callable[[], devices.TableTest | None]
    own_wifi: str = ""
    hidden: Path | None = None
    machine: Machine = field(default_factory=Machine)


def checks(of: Surroundings) -> tuple[Check, ...]:
    """Return the checks; none has run yet."""
    machine, settings = of.machine, of.settings
    looked_at: list[books.Books] = []
    eye, panel = settings.camera, settings.panel
    needed = service.devices_of(machine, eye.kind, eye.index, panel.pins)

    def logbook() -> Finding:
        if of.folder is None:
            return ok("logbook-drawn")
        looked_at.append(books.logbook(machine, of.folder))
        return looked_at[0].finding

    def camera() -> Finding:
        process = None if of.folder is None else books.holder(machine, of.folder) or service.running(machine)
        return devices.camera(eye, of.eye, process)

    def now() -> Finding:
        return health.clock(machine, looked_at[0].newest if looked_at else None)

    about_disk: tuple[Check, ...] = ()
    about_copies: tuple[Check, ...] = ()
    folder = of.folder
    if folder is not None:
        about_disk = (
            Check("room", lambda: health.room(folder)),
            Check("writing", lambda: health.writing(folder), late=todo("writing-late", folder=str(folder))),
            Check("keeping", lambda: health.keeping(machine, folder)),
            Check("card", lambda: health.card(machine, folder)),
        )
        about_copies = (
            Check("copies", lambda: books.copies(folder)),
            Check("away", lambda: books.away(settings.backup.to, folder, machine.now())),
            Check("news", lambda: books.newer(settings.updates.feed, folder, own_version())),
        )
    return (
        Check("settings", lambda: of.read),
        Check("rights", lambda: service.rights(machine, folder, of.file, needed)),
        Check("service", lambda: service.service(machine, folder)),
        *about_disk,
        Check("logbook", logbook, limit_s=60.0),
        *about_copies,
        Check("update", lambda: books.update(machine.at(NOTE), own_version())),
        Check("clock", now),
        Check("camera", camera, limit_s=90.0),
        Check("table", lambda: devices.table(eye.kind, of.table), limit_s=180.0),
        Check("pins", lambda: devices.pins(machine, panel, of.pins), limit_s=30.0),
        Check("heat", lambda: health.temperature(machine)),
        Check("power", lambda: health.power(machine)),
        Check("port", lambda: service.port(machine, settings.web)),
        Check("network", lambda: service.network(machine, settings.web, of.addresses, of.own_wifi, of.hidden)),
    )


def examine(checks: Iterable[Check]) -> Iterator[tuple[Check, Finding]]:
    """Yield each check with its finding, as soon as there is one.

    A check that fails itself is a finding, too, and the others still run.
    """
    for check in checks:
        yield check, _run(check)


def _run(check: Check) -> Finding:
    """Run the check on a thread of its own: a disk or a driver that hangs blocks its caller for ever."""
    findings: list[Finding] = []

    def look() -> None:
        try:
            findings.append(check.look())
        except Exception as error:  # whatever it is: on a sick machine, the other checks must go on
            findings.append(unknown("failed", why=f"{type(error).__name__}: {error}"))

    thread = threading.Thread(target=look, name=f"check-{check.name}", daemon=True)
    thread.start()
    thread.join(check.limit_s)
    if findings:
        return findings[0]
    return check.late or Finding(Grade.UNKNOWN, "late", {"limit": check.limit_s})
