"""A Wi-Fi of the table's own if no known network answers: opened and closed through NetworkManager's `nmcli`.

NetworkManager owns the access point's profile. The name and password are kept only there, readable by root, and are
changed there (`nmcli connection modify strada-access-point ...`).

While the access point is open, a small file in memory holds what others need to know: its name, its password, and the
machine's address in it. The companion, which may not ask NetworkManager for passwords, shows it at the table.
"""

from __future__ import annotations

import enum
import json
import logging
import os
import re
import secrets
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
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
    """NetworkManager did not do what it was asked to; the message says why in its own words, in English."""


@dataclass(frozen=True, slots=True)
class Done:
    """A command that ended: exit status, output, complaint."""

    status: int
    output: str
    complaint: str = ""


#: Runs a command with a time limit in seconds; raises OSError or subprocess.TimeoutExpired.
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
    """Queries NetworkManager, and gives it orders. Raises NetworkError if it does not answer or refuses."""

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
            # It opens on request, never because no other network was found at boot.
            *("autoconnect", "no", "ssid", point.name, "mode", "ap", "802-11-wireless.band", "bg"),
            *("802-11-wireless-security.key-mgmt", "wpa-psk", "802-11-wireless-security.proto", "rsn"),
            *("802-11-wireless-security.pairwise", "ccmp", "802-11-wireless-security.group", "ccmp"),
            # As an access point the Pi's Wi-Fi cannot protect management frames: if it tries, phones are refused
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


#: Where the access point is published; systemd/strada-network.service makes the folder, and deletes it when it ends.
PLACE = Path("/run/strada-network/access-point.json")

#: Letters and digits that people do not confuse when they type them from a screen.
PLAIN = "abcdefghijkmnpqrstuvwxyz23456789"

#: The address that NetworkManager itself gives a machine that shares its connection.
ADDRESS = "10.42.0.1"


@dataclass(frozen=True, slots=True)
class AccessPoint:
    """A Wi-Fi that this machine opens: the name that phones list, the password (WPA2), the machine's address in it."""

    name: str
    password: str
    address: str = ADDRESS


def made_up() -> AccessPoint:
    """Return a new one, named like "Strada-4f2a", so that two tables in one room differ, with a 60-bit password."""
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


#: How long a known network may take to answer after the start; a lost router may just be starting again.
START_S, LOST_S = 60.0, 180.0

#: An access point that nobody has used for UNUSED_S closes for LOOK_S, to see whether a known network is back.
UNUSED_S, LOOK_S = 600.0, 45.0

#: An access point that failed to open is tried again after this long.
AGAIN_S = 60.0

#: How often to look.
EVERY_S = 5.0


class Deed(enum.Enum):
    """What to do next."""

    NOTHING = enum.auto()
    OPEN = enum.auto()
    CLOSE = enum.auto()


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known between two looks; times are the clock's.

    `alone_s`: since when there has been no network (None: there is one), which may last for `patience_s`; `unused_s`:
    since when the access point has been open and unused (None: used, or not open).
    """

    alone_s: float | None = None
    patience_s: float = START_S
    unused_s: float | None = None


def decide(before: Standing, state: NetworkState, now_s: float) -> tuple[Standing, Deed]:
    """Return what is known now, and what to do.

    An access point stays open while phones are in it, or if that cannot be known.
    """
    if state.device:
        if state.guests is None or state.guests > 0:
            return Standing(), Deed.NOTHING
        unused_s = now_s if before.unused_s is None else before.unused_s
        if now_s - unused_s < UNUSED_S:
            return Standing(unused_s=unused_s), Deed.NOTHING
        return Standing(alone_s=now_s, patience_s=LOOK_S), Deed.CLOSE
    if state.link:
        return Standing(patience_s=LOST_S), Deed.NOTHING
    alone_s = now_s if before.alone_s is None else before.alone_s
    if now_s - alone_s < before.patience_s or not state.has_wifi:
        return replace(before, alone_s=alone_s, unused_s=None), Deed.NOTHING
    return Standing(alone_s=now_s, patience_s=AGAIN_S), Deed.OPEN


def keep(
    manager: Manager,
    publish: Callable[[AccessPoint | None], object],
    wait: Callable[[float], bool],
    clock: Callable[[], float] = time.monotonic,
    beat: Callable[[str], object] = lambda state: None,
) -> None:
    """Look again and again, and do what is needed, until `wait`, which is given seconds, returns True.

    `publish` is given the access point while it is open; `beat` gets the connection's state at each look. If
    NetworkManager refuses, that is logged once and tried again.
    """
    keeper = _Keeper(manager, publish, clock, beat)
    while True:
        keeper.look()
        if wait(EVERY_S):
            break
    keeper.leave()


@dataclass
class _Keeper:
    manager: Manager
    publish: Callable[[AccessPoint | None], object]
    clock: Callable[[], float]
    beat: Callable[[str], object]
    standing: Standing = field(default_factory=Standing)
    is_shown: bool = False
    complaint: str = ""

    def look(self) -> None:
        """Look once, and do what is needed."""
        state = "NetworkManager does not answer"
        try:
            now = self.manager.look()
            self.standing, deed = decide(self.standing, now, self.clock())
            if deed is Deed.OPEN:
                _log.info("no known network answers: the table opens a Wi-Fi of its own")
                self.manager.open()
                now = self.manager.look()
            elif deed is Deed.CLOSE:
                _log.info("nobody uses the table's Wi-Fi: looking for a known network")
                self.manager.close()
                now = replace(now, device="")
            self._show(now)
            state = _state(now)
            if now.device or now.link:
                self.complaint = ""
        except OSError as error:
            if str(error) != self.complaint:
                _log.warning("%s", error)
            self.complaint = str(error)
        self.beat(state)

    def leave(self) -> None:
        """Close what is open, so that no access point is left without a keeper."""
        if self.is_shown:
            try:
                self.publish(None)
                self.manager.close()
            except OSError as error:
                _log.warning("%s", error)

    def _show(self, state: NetworkState) -> None:
        """Tell others while it is open; name and password may be changed while it is closed."""
        if state.device and not self.is_shown:
            self.publish(self.manager.point())
        elif not state.device and self.is_shown:
            self.publish(None)
        self.is_shown = bool(state.device)


def _state(state: NetworkState) -> str:
    """Return the state in words, for `systemctl status`."""
    if state.device:
        return "the table's own Wi-Fi is open"
    if state.link:
        return f"in the network {state.link}"
    return "in no network yet" if state.has_wifi else "in no network, and there is no Wi-Fi, or it is switched off"
