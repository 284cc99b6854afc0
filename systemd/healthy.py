"""Whether the service is well, for the trial of a new version (trial.sh); with the system's own Python, and no more.

`healthy.py now SETTINGS` prints what the service answers at /health, on one line. `healthy.py watch SETTINGS BEFORE`
waits until it has been well for a minute without a break, by one and the same process. If it is not, one line says
why. BEFORE is what the previous version answered: what was wrong already need not be right now.
"""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

#: How long it must be well, how long it may take until then, and how often it is asked.
WELL_S, PATIENCE_S, EVERY_S = 60.0, 180.0, 2.0

#: How long an answer may take, and how long one may be.
ANSWER_S, MOST_BYTES = 5.0, 64 * 1024

#: What the service says of itself, each part on its own.
PARTS = ("loop", "camera", "logbook")

Health = dict[str, Any]


def address(settings: Path) -> tuple[str, int]:
    """Return where this machine reaches the service, by its settings."""
    try:
        web = tomllib.loads(settings.read_text("utf-8")).get("web", {})
        host, port = str(web.get("host", "")), int(web.get("port", 80))
    except (OSError, ValueError, TypeError, AttributeError):
        host, port = "", 80
    anywhere = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1", "[::]": "::1"}
    return anywhere.get(host, host).strip("[]"), port


def answered(host: str, port: int) -> Health | None:
    """Return what the service says of itself; None if it says nothing."""
    connection = http.client.HTTPConnection(host, port, timeout=ANSWER_S)
    try:
        connection.request("GET", "/health")
        said = json.loads(connection.getresponse().read(MOST_BYTES))
    except (OSError, ValueError, RecursionError, http.client.HTTPException):
        return None
    finally:
        connection.close()
    return said if isinstance(said, dict) else None


def process() -> str:
    """Return the number of the service's process; "0" if there is none."""
    command = ["systemctl", "show", "--value", "--property=MainPID", "strada.service"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=ANSWER_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return "0"
    return done.stdout.strip() or "0"


def wrong(now: Health | None, before: Health | None) -> str:
    """Return what is wrong, in a few words; "" if it is well, or no worse than the previous version was."""
    if now is None:
        return "it does not answer"
    mode, was = now.get("mode"), (before or {}).get("mode")
    if mode in ("safe", "asks") and was not in (mode, None):
        return "it leaves out camera and pins" if mode == "safe" else "it does not know its table any more"
    if mode == "safe" and was is None:
        return "it leaves out camera and pins"
    if now.get("ok") is True or mode == "asks":  # nothing is played, and no logbook is opened, until somebody chooses
        return ""
    if before is not None and before.get("ok") is not True and all(now.get(p) == before.get(p) for p in PARTS):
        return ""
    parts = [f"{part} {now.get(part)}" for part in PARTS if now.get(part) not in ("ok", "runs", None)]
    return f"it is not well ({', '.join(parts) or 'it does not say why'})"


def watch(
    before: Health | None,
    ask: Callable[[], Health | None],
    process: Callable[[], str],
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], object] = time.sleep,
) -> str:
    """Return "" once it was well for a minute without a break; else what is wrong.

    It has some time to become well. A process that ends is not given another chance.
    """
    first, began_s, since_s = "0", clock(), None
    while True:
        number = process()
        if first == "0":
            first = number
        elif number != first:
            return "it ended by itself"
        trouble = wrong(ask(), before) if number != "0" else "it does not run"
        now_s = clock()
        if trouble:
            since_s = None
        elif since_s is None:
            since_s = now_s
        elif now_s - since_s >= WELL_S:
            return ""
        if since_s is None and now_s - began_s >= PATIENCE_S:
            return trouble
        sleep(EVERY_S)


def main() -> int:
    """Print what was asked for."""
    what, settings, *rest = sys.argv[1:]
    host, port = address(Path(settings))
    if what == "now":
        said = answered(host, port)
        print("" if said is None else json.dumps(said))
        return 0
    try:
        known = json.loads(rest[0]) if rest and rest[0] else None
    except ValueError:
        known = None
    trouble = watch(known if isinstance(known, dict) else None, lambda: answered(host, port), process)
    if trouble:
        print("".join(c for c in trouble if c.isprintable() and c not in '"\\')[:200])
    return 1 if trouble else 0


if __name__ == "__main__":
    sys.exit(main())
