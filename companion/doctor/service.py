"""The service: installed, running, and how often it failed."""

from __future__ import annotations

from contextlib import suppress
from ipaddress import ip_address, ip_network
from pathlib import Path

from companion.doctor.finding import Finding, note, ok, todo, unknown
from companion.doctor.machine import Machine

UNIT = "strada.service"
ASKED = ("LoadState", "ActiveState", "SubState", "NRestarts", "Result", "ExecMainStatus", "UnitFileState")

#: Where the companion counts failed starts, and after how many it leaves camera and pins out.
STARTS, MOST_FAILED = "starts.failed", 3

#: The exit status of a companion whose settings cannot be used.
BAD_INPUT = "2"


def failed_starts(folder: Path) -> int:
    """Return how many of the last starts in a row failed, as the companion counts them (companion.wiring.starts)."""
    with suppress(OSError, ValueError):
        return int((folder / STARTS).read_text("ascii"))
    return 0


def service(machine: Machine, folder: Path | None = None) -> Finding:
    """Look how systemd has the service, and whether its last starts, counted in the folder, failed."""
    if folder is not None and failed_starts(folder) >= MOST_FAILED:
        return todo("service-safe", failed=MOST_FAILED)
    if not machine.has_systemd:
        return unknown("service-no-systemd")
    ran = machine.run(["systemctl", "show", UNIT, f"--property={','.join(ASKED)}"])
    if ran is None or ran.status != 0:
        return unknown("service-unknown")
    is_so = dict(line.partition("=")[::2] for line in ran.said.splitlines())
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
    """Return the service's process, which any user may know; None where it does not run."""
    ran = machine.run(["systemctl", "show", UNIT, "--property=MainPID", "--value"]) if machine.has_systemd else None
    said = "" if ran is None or ran.status != 0 else ran.said.strip()
    return int(said) if said.isdecimal() and said != "0" else None


def talks_to(machine: Machine, address: str) -> bool:
    """Whether the service's unit lets it talk to machines of that address's network; True where there is no unit.

    What is allowed goes before what is denied (systemd.resource-control(5)).
    """
    for name, is_so in (("IPAddressAllow", True), ("IPAddressDeny", False)):
        command = ["systemctl", "show", UNIT, f"--property={name}", "--value"]
        ran = machine.run(command) if machine.has_systemd else None
        with suppress(ValueError):  # a name, or what is no list of networks
            if ran is not None and any(ip_address(address) in ip_network(each) for each in ran.said.split()):
                return is_so
    return True
