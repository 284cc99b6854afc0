"""The service: whether it is installed and running, and how often it failed.

Also whether the user that runs it may use what the companion needs (its folder, its settings, camera and pins), whether
the scoreboard's port is free, and whether phones can reach it.
"""

from __future__ import annotations

import errno
import http.client
import os
import re
import socket
import stat
from collections.abc import Callable
from contextlib import suppress
from ipaddress import ip_address, ip_network
from pathlib import Path

from companion.doctor.health import there
from companion.doctor.machine import Account, Finding, Machine, group_name, note, ok, todo, unknown
from companion.settings import WebSettings
from companion.system import SERVER

UNIT = "strada.service"
ASKED = ("LoadState", "ActiveState", "SubState", "NRestarts", "Result", "ExecMainStatus", "UnitFileState")

#: The file in which the companion counts failed starts, and the number after which it leaves camera and pins out.
STARTS, MOST_FAILED = "starts.failed", 3

#: The exit status of a companion whose settings cannot be used.
BAD_INPUT = "2"


def failed_starts(folder: Path) -> int:
    """Return how many of the last starts in a row failed, as the companion counts them (companion.wiring.machine)."""
    with suppress(OSError, ValueError):
        return int((folder / STARTS).read_text("ascii"))
    return 0


def service(machine: Machine, folder: Path | None = None) -> Finding:
    """Check what systemd says about the service, and whether its last starts, counted in the folder, failed."""
    if folder is not None and failed_starts(folder) >= MOST_FAILED:
        return todo("service-safe", failed=MOST_FAILED)
    if not machine.has_systemd:
        return unknown("service-no-systemd")
    ran = machine.run(["systemctl", "show", UNIT, f"--property={','.join(ASKED)}"])
    if ran is None or ran.status != 0:
        return unknown("service-unknown")
    is_so = dict(line.partition("=")[::2] for line in ran.output.splitlines())
    if is_so.get("LoadState") != "loaded":
        return note("service-none")
    active, restarts = is_so.get("ActiveState", ""), int(is_so.get("NRestarts") or 0)
    if active == "failed":
        if is_so.get("Result") == "exit-code" and is_so.get("ExecMainStatus") == BAD_INPUT:
            return todo("service-bad-input")
        return todo("service-failed", result=is_so.get("Result", ""), restarts=restarts)
    if is_so.get("SubState") == "auto-restart":
        return todo("service-restarting", restarts=restarts)
    if active in ("active", "activating", "reloading"):
        return note("service-restarted", restarts=restarts) if restarts else ok("service")
    return note("service-stopped") if is_so.get("UnitFileState") == "enabled" else note("service-disabled")


def running(machine: Machine) -> int | None:
    """Return the service's process, which any user may know; None if it is not running."""
    ran = machine.run(["systemctl", "show", UNIT, "--property=MainPID", "--value"]) if machine.has_systemd else None
    pid = "" if ran is None or ran.status != 0 else ran.output.strip()
    return int(pid) if pid.isdecimal() and pid != "0" else None


def talks_to(machine: Machine, address: str) -> bool:
    """Whether the service's unit lets it talk to machines of that address's network; True if there is no unit.

    Addresses that are allowed take precedence over denied ones (systemd.resource-control(5)).
    """
    for name, is_so in (("IPAddressAllow", True), ("IPAddressDeny", False)):
        command = ["systemctl", "show", UNIT, f"--property={name}", "--value"]
        ran = machine.run(command) if machine.has_systemd else None
        with suppress(ValueError):  # a name, or not a list of networks
            if ran is not None and any(ip_address(address) in ip_network(each) for each in ran.output.split()):
                return is_so
    return True


#: The service's unit, as it is installed: groups that it adds need not be the user's own.
UNIT_FILE = "/etc/systemd/system/strada.service"

#: The folders that the unit hides from the service (ProtectHome=).
HIDDEN = ("/home", "/root", "/run/user")

#: The files that the companion writes in its folder; a backup, say, may be there and belong to somebody else.
OURS = (
    *("logbook.*", "keeper.*", "starts.*", "settings.*", "backup.*", "updates.*"),
    *("pictures", "pictures/game-*", "tables", "tables/*"),
)

_READ, _WRITE, _ENTER = 4, 2, 1


def rights(machine: Machine, folder: Path | None, settings: Path | None, devices: list[str]) -> Finding:
    """Check whether the user may read the settings, write the folder (None: no need), and use the devices (paths)."""
    who = machine.player
    try:
        return (
            _of_settings(who, settings)
            or (None if folder is None else _of_folder(machine, who, folder))
            or _of_devices(machine, who, devices)
            or ok("rights", user=who.name)
        )
    except PermissionError as error:
        return unknown("hidden", folder=str(error.filename))


def may(who: Account, path: Path, what: int) -> bool:
    """Whether the user may do that with the file, by owner, group and others; raises OSError if there is none."""
    status = path.stat()
    if who.is_root:
        return True
    shift = 6 if status.st_uid == who.uid else 3 if status.st_gid in who.gids else 0
    return (status.st_mode >> shift) & what == what


def _reaches(who: Account, path: Path) -> bool:
    return all(may(who, above, _ENTER) for above in path.absolute().parents)


def _of_settings(who: Account, settings: Path | None) -> Finding | None:
    if settings is None or not settings.exists() or (_reaches(who, settings) and may(who, settings, _READ)):
        return None
    return todo("rights-settings", user=who.name, file=str(settings))


def _of_folder(machine: Machine, who: Account, folder: Path) -> Finding | None:
    if machine.read(UNIT_FILE) is not None and any(Path(each) in folder.absolute().parents for each in HIDDEN):
        return todo("rights-home", folder=str(folder))
    place = there(folder)
    if not (_reaches(who, place) and may(who, place, _WRITE | _ENTER)):
        return todo("rights-folder", user=who.name, folder=str(folder))
    if place != folder.absolute():
        return None
    if stat.S_IMODE(place.stat().st_mode) & stat.S_IWOTH:
        return todo("rights-open", folder=str(folder))
    ours = [each for pattern in OURS for each in place.glob(pattern)]
    foreign = next((each for each in ours if not may(who, each, _READ | _WRITE)), None)
    return None if foreign is None else todo("rights-file", user=who.name, file=str(foreign), folder=str(folder))


def _of_devices(machine: Machine, who: Account, devices: list[str]) -> Finding | None:
    added = _added_groups(machine)
    for device in devices:
        path = machine.at(device)
        if path.exists() and not may(who, path, _READ | _WRITE):
            group = group_name(path.stat().st_gid)
            is_of_group = (path.stat().st_mode >> 3) & (_READ | _WRITE) == _READ | _WRITE
            if not (is_of_group and group in added):
                return todo("rights-device", user=who.name, device=device, group=group)
    return None


def _added_groups(machine: Machine) -> set[str]:
    lines = (machine.read(UNIT_FILE) or "").splitlines()
    named = [line.removeprefix("SupplementaryGroups=") for line in lines if line.startswith("SupplementaryGroups=")]
    return set(" ".join(named).split())


def devices_of(machine: Machine, camera: str, index: int, pins: str) -> list[str]:
    """Return the devices that this kind of camera and of pins needs, if they exist."""
    paths: list[str] = []
    if pins == "lgpio" or (pins == "auto" and machine.pi):
        paths += [f"/dev/{path.name}" for path in machine.find("/dev", "gpiochip*")]
    if camera == "usb":
        paths.append(f"/dev/video{index}")
    if camera == "picamera2":
        paths += [f"/dev/{path.relative_to(machine.at('/dev'))}" for path in machine.find("/dev", "media*")]
        paths += [f"/dev/dma_heap/{path.name}" for path in machine.find("/dev/dma_heap", "*")]
    return [each for each in paths if os.path.lexists(machine.at(each))]


#: How long the server that has the port may take to answer.
ANSWER_S = 2.0
#: A listening socket, as /proc/net/tcp writes it.
LISTENS = "0A"


def port(machine: Machine, settings: WebSettings) -> Finding:
    """Check whether the scoreboard can be served at that port, or who has it."""
    number = settings.port
    who, least = machine.player, machine.read("/proc/sys/net/ipv4/ip_unprivileged_port_start") or "1024"
    if 0 < number < int(least) and not _may_bind_low(machine, who):
        return todo("port-low", port=str(number), user=who.name, least=least)
    try:
        _bind(settings.host, number)
    except PermissionError:  # the caller may not, but the user that runs the companion may
        return ok("port", port=str(number))
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            return _taken(machine, number)
        return todo("port-host", host=settings.host, why=error.strerror or str(error))
    return ok("port", port=str(number))


def _may_bind_low(machine: Machine, who: Account) -> bool:
    unit = machine.read("/etc/systemd/system/strada.service") or ""
    return who.is_root or "AmbientCapabilities=CAP_NET_BIND_SERVICE" in unit


def _bind(host: str, number: int) -> None:
    family, *_, address = socket.getaddrinfo(host, number, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    with socket.socket(family, socket.SOCK_STREAM) as door:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        door.bind(address)


def _taken(machine: Machine, number: int) -> Finding:
    if _server(number) == SERVER:
        return ok("port-ours", port=str(number))
    if name := _listener(machine, number):
        return todo("port-taken-by", port=str(number), program=name)
    return todo("port-taken", port=str(number))


def _server(number: int) -> str:
    """Return what serves web pages there; "" if nothing does."""
    with suppress(OSError, http.client.HTTPException):
        connection = http.client.HTTPConnection("127.0.0.1", number, timeout=ANSWER_S)
        try:
            connection.request("HEAD", "/")
            return connection.getresponse().headers.get("Server", "")
        finally:
            connection.close()
    return ""


def _listener(machine: Machine, number: int) -> str:
    """Return the program that listens there; "" if the caller may not know."""
    inodes = set()
    for name in ("tcp", "tcp6"):
        for line in (machine.read(f"/proc/net/{name}") or "").splitlines()[1:]:
            words = line.split()
            if len(words) > 9 and words[3] == LISTENS and int(words[1].rpartition(":")[2], 16) == number:
                inodes.add(f"socket:[{words[9]}]")
    for folder in machine.find("/proc", "[0-9]*"):
        with suppress(OSError):
            if any(str(each.readlink()) in inodes for each in (folder / "fd").iterdir()):
                return f"{(folder / 'comm').read_text().strip()} ({folder.name})"
    return ""


def network(
    machine: Machine,
    settings: WebSettings,
    addresses: Callable[[], tuple[str, ...]],
    own_wifi: str = "",
    hidden: Path | None = None,
) -> Finding:
    """Check whether others can reach the scoreboard.

    `own_wifi` names the table's own Wi-Fi while it is open; `hidden` is the folder with the file that says so, if the
    caller may not look into it.
    """
    if re.fullmatch(r"127\..*|localhost|::1|\[::1\]", settings.host):
        return note("network-alone")
    if own_wifi:
        return ok("network-own", name=own_wifi)
    hosts = addresses() if settings.host in ("0.0.0.0", "::", "") else (settings.host,)
    if not hosts and hidden is not None:
        return unknown("hidden", folder=str(hidden))
    if not hosts:
        return todo("network-off" if _is_wifi_off(machine) else "network-none")
    if not talks_to(machine, hosts[0]):
        return todo("network-public", address=hosts[0])
    number = "" if settings.port == 80 else f":{settings.port}"
    return ok("network", address=f"http://{hosts[0]}{number}/")


def _is_wifi_off(machine: Machine) -> bool:
    """Whether Wi-Fi is switched off, as on a Pi until its country is set (the kernel's rfkill, sysfs-class-rfkill)."""
    return any(
        machine.read(each / "type") == "wlan" and "1" in (machine.read(each / "soft"), machine.read(each / "hard"))
        for each in machine.find("/sys/class/rfkill", "rfkill*")
    )
