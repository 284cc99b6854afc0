"""The service: installed, running, and how often it failed."""

from __future__ import annotations

from companion.doctor.finding import Finding, note, ok, todo, unknown
from companion.doctor.machine import Machine

UNIT = "strada.service"
ASKED = ("LoadState", "ActiveState", "SubState", "NRestarts", "Result", "ExecMainStatus", "UnitFileState")

#: The exit status of a companion whose settings cannot be used.
BAD_INPUT = "2"


def service(machine: Machine) -> Finding:
    """Look how systemd has the service."""
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
