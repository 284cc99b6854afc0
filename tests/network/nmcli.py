"""A made-up NetworkManager: it answers `nmcli` and `iw` as the real programs do, and notes what was asked."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field

from companion.network import MISSING, PROFILE, Done


@dataclass
class FakeManager:
    """Wi-Fi `wlan0`, a wired port `eth0` and a container's bridge; `known` is the known network that is in range."""

    known: str = ""
    cable: str = ""
    has_wifi: bool = True
    guests: int | None = 0
    profile: dict[str, str] = field(default_factory=dict)
    is_open: bool = False
    is_read_only: bool = False
    is_running: bool = True
    refuses: str = ""
    asked: list[list[str]] = field(default_factory=list)

    @property
    def told(self) -> list[list[str]]:
        """What was changed, as the words after nmcli's own options."""
        return [words[3:] for words in self.asked if words[0] == "nmcli" and words[3] == "connection"]

    def run(self, command: Sequence[str], timeout_s: float) -> Done:
        words = list(command)
        self.asked.append(words)
        if words[0] == "iw":
            assert words == ["iw", "dev", "wlan0", "station", "dump"]
            if self.guests is None:
                raise FileNotFoundError("iw")
            station = "Station 02:00:00:00:00:0{} (on wlan0)\n\tinactive time:\t10 ms\n"
            return Done(0, "".join(station.format(number) for number in range(self.guests)))
        assert words[0] == "nmcli"
        assert float(words[2]) < timeout_s, "nmcli gives up before it is given up"
        if not self.is_running:
            return Done(8, "", "Error: NetworkManager is not running.")
        return self._answer(words[3:])

    def _answer(self, words: list[str]) -> Done:
        match words:
            case ["-t", "-f", "DEVICE,TYPE,STATE,CONNECTION", "device", "status"]:
                return Done(0, self._devices())
            case ["-s", "-g", fields, "connection", "show", name]:
                assert name == PROFILE
                if not self.profile:
                    return Done(MISSING, "", f"Error: {PROFILE} - no such connection profile.")
                return Done(0, "".join(f"{self.profile[each]}\n" for each in fields.split(",")))
            case ["connection", "add", "type", "wifi", *_] if not self.is_read_only:
                return self._add(words[4:])
            case ["connection", "add", "save", "no", "type", "wifi", *_]:
                return self._add(words[6:])
            case ["connection", "add", *_]:
                return Done(1, "", "Error: Failed to add profile: Read-only file system")
            case ["connection", "up", name]:
                assert name == PROFILE
                if self.refuses:
                    return Done(4, "", f"Error: Connection activation failed: {self.refuses}")
                self.is_open = True
                return Done(0, "Connection successfully activated\n")
            case ["connection", "down", name]:
                assert name == PROFILE
                if not self.is_open:
                    said = f"Error: '{PROFILE}' is not an active connection.\nError: no active connection provided."
                    return Done(MISSING, "", said)
                self.is_open = False
                return Done(0, "")
            case _:
                raise subprocess.TimeoutExpired(words, 1)

    def _add(self, words: list[str]) -> Done:
        given = dict(zip(words[::2], words[1::2], strict=True))
        assert given["con-name"] == PROFILE
        self.profile = {
            "802-11-wireless.ssid": given["ssid"],
            "802-11-wireless-security.psk": given["802-11-wireless-security.psk"],
            "ipv4.addresses": given["ipv4.addresses"],
        }
        return Done(0, f"Connection '{PROFILE}' successfully added.\n")

    def _devices(self) -> str:
        connected = PROFILE if self.is_open else self.known.replace(":", "\\:")
        wifi = f"connected:{connected}" if connected else "disconnected:" if self.has_wifi else "unavailable:"
        wired = f"connected:{self.cable}" if self.cable else "unavailable:"
        return (
            f"wlan0:wifi:{wifi}\neth0:ethernet:{wired}\nlo:loopback:connected (externally):lo\n"
            "docker0:bridge:connected (externally):docker0\nveth1:ethernet:connected (externally):veth1\n"
            "p2p-dev-wlan0:wifi-p2p:disconnected:\n"
        )
