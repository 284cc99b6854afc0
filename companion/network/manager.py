"""NetworkManager, asked and told through its command `nmcli`.

The profile of the access point is NetworkManager's own. Only there are name and password kept, readable for root, and
they are changed there (`nmcli connection modify strada-access-point ...`).

For as long as the access point is open, what others need of it is in a small file in memory: its name, its password,
and the machine's address in it. The companion, which may not ask NetworkManager for passwords, shows it at the table.
"""

from __future__ import annotations

import json
import logging
import os
import re
import secrets
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

#: The profile's name.
PROFILE = "strada-access-point"

#: How long nmcli may wait for NetworkManager, and how long we wait for nmcli; a connection may take long to come up.
ASK_S, OPEN_S, SPARE_S = 10, 45, 5

#: nmcli's exit status if there is no such profile.
MISSING = 10

#: The kinds of network connections; bridges of containers and the like do not count.
LINKS = ("wifi", "ethernet")

_log = logging.getLogger(__name__)


class NetworkError(OSError):
    """NetworkManager does not do what was asked; the message says why in its own words, in English."""


@dataclass(frozen=True, slots=True)
class Done:
    """A command that ended: exit status, output, complaint."""

    status: int
    output: str
    complaint: str = ""


#: Runs a command and gives it so many seconds; raises OSError or subprocess.TimeoutExpired.
Run = Callable[[Sequence[str], float], Done]


@dataclass(frozen=True, slots=True)
class NetworkState:
    """How this machine is connected: `link` names a network that is not its own access point, "" for none.

    `has_wifi`: there is Wi-Fi that could be used. `device` is the one with the open access point, "" if it is closed;
    `guests` are the phones in it, None if their number is not known.
    """

    link: str = ""
    has_wifi: bool = False
    device: str = ""
    guests: int | None = None


def run(command: Sequence[str], timeout_s: float) -> Done:
    """Run the command in the C locale."""
    environment = {**os.environ, "LC_ALL": "C"}
    done = subprocess.run(
        command, capture_output=True, text=True, errors="replace", timeout=timeout_s, check=False, env=environment
    )
    return Done(done.returncode, done.stdout, done.stderr)


class Manager:
    """Asks NetworkManager, and tells it. Raises NetworkError if it does not answer or refuses."""

    def __init__(self, run: Run = run) -> None:
        self._run = run

    def look(self) -> NetworkState:
        """Return how this machine is connected."""
        link = device = ""
        has_wifi = False
        for name, kind, state, connection in self._rows("device", "status", fields="DEVICE,TYPE,STATE,CONNECTION"):
            if kind not in LINKS:
                continue
            has_wifi |= kind == "wifi" and state not in ("unavailable", "unmanaged")
            if state.startswith("connected") and "externally" not in state:
                if connection == PROFILE:
                    device = name
                else:
                    link = link or connection
        return NetworkState(link, has_wifi, device, self._guests(device) if device else None)

    def point(self) -> AccessPoint:
        """Return the access point as its profile has it; the profile is made if there is none."""
        fields = "802-11-wireless.ssid,802-11-wireless-security.psk,ipv4.addresses"
        asked = ("-s", "-g", fields, "connection", "show", PROFILE)
        done = self._done(asked, ASK_S)
        if done.status == MISSING:
            self._make(made_up())
            done = self._done(asked, ASK_S)
        lines = self._granted(done).output.splitlines()
        name, password, address = [_plain(line) for line in [*lines, "", "", ""][:3]]
        if not name or not password:
            raise NetworkError(f"the password of {PROFILE} may not be read; ask again with sudo")
        return AccessPoint(name, password, address.split("/")[0] or ADDRESS)

    def open(self) -> None:
        """Open the access point; the Wi-Fi leaves whatever else it was connected to."""
        self.point()
        self._granted(self._done(("connection", "up", PROFILE), OPEN_S))

    def close(self) -> None:
        """Close the access point: NetworkManager returns to a network that it knows, if it sees one."""
        self._granted(self._done(("connection", "down", PROFILE), ASK_S))

    def _make(self, point: AccessPoint) -> None:
        added = (
            *("connection", "add", "type", "wifi", "con-name", PROFILE, "ifname", "*"),
            # It opens on request, never because a start found nothing else.
            *("autoconnect", "no", "ssid", point.name, "mode", "ap", "802-11-wireless.band", "bg"),
            *("802-11-wireless-security.key-mgmt", "wpa-psk", "802-11-wireless-security.proto", "rsn"),
            *("802-11-wireless-security.pairwise", "ccmp", "802-11-wireless-security.group", "ccmp"),
            # As an access point the Pi's Wi-Fi cannot protect management frames: with them phones are refused
            # (raspberrypi/linux#3619, #7247). So it is WPA2, not WPA3.
            *("802-11-wireless-security.pmf", "disable", "802-11-wireless-security.psk", point.password),
            *("ipv4.method", "shared", "ipv4.addresses", f"{point.address}/24", "ipv6.method", "disabled"),
        )
        done = self._done(added, ASK_S)
        if done.status != 0:  # a read-only system keeps nothing: it is made again after each start
            self._granted(self._done((*added[:2], "save", "no", *added[2:]), ASK_S))

    def _guests(self, device: str) -> int | None:
        """Return the number of phones in the access point on that device."""
        try:
            done = self._run(["iw", "dev", device, "station", "dump"], ASK_S)
        except (OSError, subprocess.TimeoutExpired):
            return None
        return len(re.findall(r"^Station ", done.output, re.MULTILINE)) if done.status == 0 else None

    def _rows(self, *words: str, fields: str) -> list[list[str]]:
        output = self._granted(self._done(("-t", "-f", fields, *words), ASK_S)).output
        count = fields.count(",") + 1
        rows = [[_plain(cell) for cell in re.split(r"(?<!\\):", line)] for line in output.splitlines()]
        return [row for row in rows if len(row) == count]

    def _done(self, words: Sequence[str], wait_s: int) -> Done:
        try:
            return self._run(["nmcli", "-w", str(wait_s), *words], wait_s + SPARE_S)
        except FileNotFoundError:
            raise NetworkError("there is no nmcli; sudo apt install network-manager") from None
        except (OSError, subprocess.TimeoutExpired):
            raise NetworkError(f"nmcli did not end within {wait_s + SPARE_S} s") from None

    def _granted(self, done: Done) -> Done:
        if done.status != 0:
            why = " ".join((done.complaint or done.output).split()).removeprefix("Error: ")
            if re.search("privileges|not authorized", why, re.IGNORECASE):
                why = f"{why.rstrip('.')}; ask again with sudo"
            raise NetworkError(why or f"nmcli ended with status {done.status}")
        return done


def _plain(cell: str) -> str:
    r"""Return a cell of nmcli's terse output, unescaped.

    >>> _plain(r"Club\: red\\blue")
    'Club: red\\blue'
    """
    return re.sub(r"\\(.)", r"\1", cell)


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
