"""The access point as others need it: its name, its password, and the machine's address in it.

Whoever keeps it says so in a small file in memory, for as long as it is open: the companion, which may not ask
NetworkManager for passwords, shows it to those at the table.
"""

from __future__ import annotations

import json
import os
import secrets
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

#: Where it is said; systemd/strada-network.service makes the folder, and takes it away with itself.
PLACE = Path("/run/strada-network/access-point.json")

#: Letters and digits that nobody takes for one another when he types them from a screen.
PLAIN = "abcdefghijkmnpqrstuvwxyz23456789"

#: What NetworkManager itself gives to those who share a connection.
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
    """Say that the point is open, to the folder's group; None: that none is. Raises OSError where it cannot be said."""
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
    """Return the point that is said to be open; None where none is, or where that may not be known."""
    with suppress(OSError, ValueError, TypeError):
        values = json.loads(place.read_text(encoding="utf-8"))
        if isinstance(values, dict) and all(isinstance(value, str) for value in values.values()):
            return AccessPoint(**values)
    return None
