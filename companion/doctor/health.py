"""How warm the machine is, whether it gets enough power, and its clock: whether it is set, is kept right, and is not
behind what was already written.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta

from companion.doctor.finding import Finding, note, ok, todo, unknown
from companion.doctor.machine import Machine

#: A Pi slows down from 80 degrees on, and reports it at 85 (config.txt's temp_limit).
WARM_C, HOT_C = 70.0, 80.0

#: The bits of `get_throttled`: now, and since the start 16 higher (Raspberry Pi's documentation of vcgencmd).
UNDER_VOLTAGE, CAPPED, THROTTLED, SOFT_LIMIT = 1 << 0, 1 << 1, 1 << 2, 1 << 3
SINCE_START = 16


def processor_c(machine: Machine) -> float | None:
    """Return how warm the processor is, in degrees Celsius; None where no sensor tells."""
    by_sensor: dict[str, float] = {}
    for folder in machine.find("/sys/class/thermal", "thermal_zone*"):
        with suppress(OSError, ValueError):
            degrees = int((folder / "temp").read_text()) / 1000  # in thousandths
            if 0 < degrees < 150:  # anything else is a sensor that is not there
                by_sensor[(folder / "type").read_text().strip() + folder.name] = degrees
    of_processor = [degrees for kind, degrees in by_sensor.items() if "cpu" in kind or kind.startswith("x86_pkg")]
    return max(of_processor or by_sensor.values(), default=None)


def temperature(machine: Machine) -> Finding:
    """Check how warm the processor is."""
    warm_c = processor_c(machine)
    if warm_c is None:
        return unknown("heat-unknown")
    degrees = round(warm_c)
    if degrees >= HOT_C:
        return todo("heat-hot", degrees=degrees)
    return note("heat-warm", degrees=degrees) if degrees >= WARM_C else ok("heat", degrees=degrees)


def power(machine: Machine) -> Finding:
    """Check whether the Pi's power supply is strong enough, now and since the start."""
    bits = _throttled(machine)
    if bits is None:
        return _alarm(machine)
    if bits & UNDER_VOLTAGE:
        return todo("power-low")
    if bits & UNDER_VOLTAGE << SINCE_START:
        return todo("power-was-low")
    if bits & (CAPPED | THROTTLED | SOFT_LIMIT):
        return note("power-slowed")
    return note("power-was-slowed") if bits >> SINCE_START else ok("power")


def _throttled(machine: Machine) -> int | None:
    """Return the firmware's bits; None if it has none."""
    ran = machine.run(["vcgencmd", "get_throttled"])
    output = ran.output if ran is not None and ran.status == 0 else ""
    if not output.startswith("throttled="):
        paths = machine.find("/sys/devices/platform/soc", "soc:firmware/get_throttled")
        output = f"throttled=0x{machine.read(paths[0])}" if paths else ""
    with suppress(ValueError):
        return int(output.strip().removeprefix("throttled="), 16)
    return None


def _alarm(machine: Machine) -> Finding:
    """Ask the kernel's driver of the Pi's voltage, which only knows the present."""
    for path in machine.find("/sys/class/hwmon", "hwmon*/name"):
        if machine.read(path) == "rpi_volt":
            return todo("power-low") if machine.read(path.with_name("in0_lcrit_alarm")) == "1" else ok("power")
    return unknown("power-unknown" if machine.pi else "power-no-pi")


#: No companion that has this check is older: a Pi without a clock of its own starts in 1970, or when it was last
#: switched off.
FIRST = datetime(2026, 11, 1, tzinfo=UTC)

#: Clocks that are right differ from one another by less than this.
APART = timedelta(minutes=5)


def clock(machine: Machine, newest: datetime | None) -> Finding:
    """Check the clock; `newest` is when the logbook's newest event happened, None if there is none."""
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
    return ran is not None and ran.status == 0 and ran.output.strip() == "yes"
