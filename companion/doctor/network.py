"""The scoreboard's port, and whether phones can reach it."""

from __future__ import annotations

import errno
import http.client
import re
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from companion.doctor.finding import Finding, note, ok, todo, unknown
from companion.doctor.machine import Account, Machine
from companion.doctor.service import talks_to
from companion.settings import WebSettings
from companion.system import SERVER

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

    `own_wifi` names the table's own Wi-Fi while it is open; `hidden` is the folder that tells of it, if the caller may
    not look into it.
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
