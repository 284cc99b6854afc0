"""The machine's own health: its disk, its temperature, its power and its clock.

The disk that holds the games must have room, take what is written and keep it through a power cut, and its card must be
healthy. The clock must be set, be kept right, and not be behind what was already written.
"""

from __future__ import annotations

import os
import tempfile
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from companion.doctor.machine import Finding, Machine, note, ok, todo, unknown
from companion.system.durable import Mount, mount_of, mounts

#: Below the first there may be no room for an evening with its pictures (some 30 MB), below the second for a few
#: evenings.
LEAST_BYTES, FEW_BYTES = 100 * 10**6, 500 * 10**6

#: What is written as a test, and how long a healthy card may take to store it: a commit of the logbook waits as long.
TRIAL_BYTES, SLOW_S = 64 * 1024, 1.0

#: File systems in memory.
IN_MEMORY = {"tmpfs", "ramfs", "rootfs"}

#: eMMC's estimate of the life it has used, in steps of 10 %: 0x0b is more than all of it (JEDEC JESD84-B51, EXT_CSD
#: 268, 269).
WORN, WORN_OUT = 9, 11


def _mounted(machine: Machine) -> list[Mount]:
    return mounts(machine.read("/proc/self/mountinfo") or "")


def there(folder: Path) -> Path:
    """Return the folder, or the nearest existing one above it: where it would be made."""
    path = folder.absolute()
    while not path.exists() and path != path.parent:
        path = path.parent
    return path


def room(folder: Path) -> Finding:
    """Check how much room there is for games."""
    status = os.statvfs(there(folder))
    free = status.f_bavail * status.f_frsize
    if status.f_files and status.f_favail == 0:
        return todo("room-files", folder=str(folder))
    if free < LEAST_BYTES:
        return todo("room-none", free=round(free / 10**6), folder=str(folder))
    if free < FEW_BYTES:
        return note("room-little", free=round(free / 10**6), folder=str(folder))
    return ok("room", free=round(free / 10**9, 1), folder=str(folder))


def writing(folder: Path) -> Finding:
    """Write a small file where the games are kept, wait until the disk has it, and delete it."""
    place = there(folder)
    try:
        began_s = time.monotonic()
        # The file has a name in the folder only if the file system does not support unnamed files (O_TMPFILE).
        with tempfile.TemporaryFile(dir=place, prefix=".strada-doctor-") as file:
            file.write(os.urandom(TRIAL_BYTES))
            file.flush()
            os.fsync(file.fileno())
        took_s = time.monotonic() - began_s
    except PermissionError:
        return unknown("hidden", folder=str(place))
    except OSError as error:
        if os.statvfs(place).f_flag & os.ST_RDONLY:
            return todo("writing-read-only", folder=str(place))
        return todo("writing-fails", folder=str(place), why=error.strerror or str(error))
    took = round(took_s * 1000)
    return note("writing-slow", milliseconds=took) if took_s > SLOW_S else ok("writing", milliseconds=took)


def keeping(machine: Machine, folder: Path) -> Finding:
    """Check whether files written there survive a power cut: not in memory, nor on a read-only system's overlay."""
    among = _mounted(machine)
    root, place = mount_of(Path("/"), among), mount_of(there(folder), among)
    if root is None or place is None:
        return unknown("keeping-unknown")
    if _is_in_memory(place, among):
        return todo("keeping-memory", folder=str(folder))
    if "ro" in place.options:
        return todo("keeping-read-only", folder=str(folder), point=str(place.point))
    if "ro" in root.options or _is_in_memory(root, among):
        return ok("keeping-read-only-root", folder=str(folder))
    return ok("keeping", folder=str(folder), kind=place.kind)


def _is_in_memory(mount: Mount, among: list[Mount]) -> bool:
    if mount.kind == "overlay":
        upper = next((each.removeprefix("upperdir=") for each in mount.options if each.startswith("upperdir=")), "")
        below = mount_of(Path(upper), among) if upper else None
        # Raspberry Pi OS's own read-only mode is Debian's overlayroot, whose writes stay in memory.
        return mount.source == "overlayroot" or (below is not None and below.kind in IN_MEMORY)
    return mount.kind in IN_MEMORY


def card(machine: Machine, folder: Path) -> Finding:
    """Check what is known about the health of the card or drive."""
    place = mount_of(there(folder), _mounted(machine))
    name = Path(place.source).name if place is not None and place.source.startswith("/dev/") else ""
    if name == "root":  # the kernel's own name for the device it booted from
        name = next((each.source.removeprefix("/dev/") for each in _mounted(machine) if "mmcblk" in each.source), "")
    errors = machine.read(f"/sys/fs/ext4/{name}/errors_count") if name else None
    if errors is not None and errors.isdecimal() and int(errors) > 0:
        return todo("card-errors", device=name, errors=int(errors))
    base = name.rpartition("p")[0] if name.startswith("mmcblk") else ""
    used = (machine.read(f"/sys/block/{base}/device/life_time") or "").split() if base else []
    worn = max((int(each, 16) for each in used if each.startswith("0x")), default=0)
    if worn >= WORN_OUT:
        return todo("card-worn-out", device=base)
    if worn >= WORN:
        return note("card-worn", device=base, used=worn * 10)
    if worn > 0:
        return ok("card-life", device=base, used=worn * 10)
    return ok("card-sound", device=name) if errors is not None else unknown("card-unknown")


#: A Pi slows down from 80 degrees on, and reports it at 85 (config.txt's temp_limit).
WARM_C, HOT_C = 70.0, 80.0

#: The bits of `get_throttled` for now; the same for any time since the start are 16 higher (Raspberry Pi's
#: documentation of vcgencmd).
UNDER_VOLTAGE, CAPPED, THROTTLED, SOFT_LIMIT = 1 << 0, 1 << 1, 1 << 2, 1 << 3
SINCE_START = 16


def processor_c(machine: Machine) -> float | None:
    """Return how warm the processor is, in degrees Celsius; None if no sensor says."""
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


#: No companion that has this check is older, so an earlier time is wrong: a Pi without a clock of its own starts in
#: 1970, or at the time when it was last switched off.
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
    """Whether the network sets the clock, as far as systemd knows; chrony and ntpd report it through the kernel."""
    if machine.at("/run/systemd/timesync/synchronized").exists():
        return True
    ran = machine.run(["timedatectl", "show", "--property=NTPSynchronized", "--value"])
    return ran is not None and ran.status == 0 and ran.output.strip() == "yes"
