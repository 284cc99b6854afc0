"""The access point as others need it: its name, its password, and the machine's address in it.

Its keeper writes them to a small file in memory for as long as it is open: the companion, which may not ask
NetworkManager for passwords, shows them to people at the table.
"""

from __future__ import annotations

import json
import os
import secrets
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

#: The file's place; systemd/strada-network.service makes the folder, and deletes it when it ends.
PLACE = Path("/run/strada-network/access-point.json")

#: Letters and digits that people do not confuse when they type them from a screen.
PLAIN = "abcdefghijkmnpqrstuvwxyz23456789"

#: The address that NetworkManager itself gives to those who share a connection.
ADDRESS = "10.42.0.1"


@dataclass(frozen=True, slots=True)
class AccessPoint:
    """A Wi-Fi that this machine opens: the name that phones list, the password (WPA2), the machine's address in it."""

    name: str
    password: str
    address: str = ADDRESS


def made_up() -> AccessPoint:
    """Return a new one: "Strada-4f2a", so that two tables in one room differ, with 60 bits of password."""
    letters = ["".join(secrets.choice(PLAIN) for _ in range(4)) for _ in range(4)]
    return AccessPoint(f"Strada-{letters[0]}", "-".join(letters[1:]))


def publish(point: AccessPoint | None, place: Path = PLACE) -> None:
    """Tell the folder's group that the point is open; None: that none is. Raises OSError if that cannot be written."""
    if point is None:
        place.unlink(missing_ok=True)
        return
    fresh = place.with_suffix(".fresh")
    fresh.unlink(missing_ok=True)
    file = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o640)
    with os.fdopen(file, "w", encoding="utf-8") as opened:
        json.dump(asdict(point), opened)
    fresh.replace(place)


def published(place: Path = PLACE) -> AccessPoint | None:
    """Return the point that is published as open; None if none is, or if this user may not know."""
    with suppress(OSError, ValueError, TypeError):
        values = json.loads(place.read_text(encoding="utf-8"))
        if isinstance(values, dict) and all(isinstance(value, str) for value in values.values()):
            return AccessPoint(**values)
    return None
