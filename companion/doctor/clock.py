"""The clock: set at all, kept right, and not behind what was already written."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from companion.doctor.finding import Finding, note, ok, todo
from companion.doctor.machine import Machine

#: No companion that has this check is older: a Pi without a clock of its own starts in 1970, or where it was switched
#: off last.
FIRST = datetime(2026, 11, 1, tzinfo=UTC)

#: Clocks that are right differ by less from one another.
APART = timedelta(minutes=5)


def clock(machine: Machine, newest: datetime | None) -> Finding:
    """Look at the clock; `newest` is when the logbook's newest event happened, None where there is none."""
    now = machine.now()
    shown = f"{now.astimezone():%Y-%m-%d %H:%M}"
    if now < FIRST:
        return todo("clock-unset", now=shown)
    if newest is not None and newest - now > APART:
        return todo("clock-behind", now=shown, newest=f"{newest.astimezone():%Y-%m-%d %H:%M}")
    is_kept = _is_synchronised(machine)
    own = machine.read("/sys/class/rtc/rtc0/since_epoch") or ""
    has_own = own.isdecimal() and int(own) > FIRST.timestamp()
    if has_own and abs(now.timestamp() - int(own)) > timedelta(days=1).total_seconds():
        return note("clock-differs", now=shown, own=f"{datetime.fromtimestamp(int(own), UTC).astimezone():%Y-%m-%d}")
    if is_kept:
        return ok("clock-kept", now=shown)
    return ok("clock-own", now=shown) if has_own else note("clock-alone", now=shown)


def _is_synchronised(machine: Machine) -> bool:
    """Whether the network sets the clock, as far as systemd knows; chrony and ntpd tell it through the kernel too."""
    if machine.at("/run/systemd/timesync/synchronized").exists():
        return True
    ran = machine.run(["timedatectl", "show", "--property=NTPSynchronized", "--value"])
    return ran is not None and ran.status == 0 and ran.said.strip() == "yes"
