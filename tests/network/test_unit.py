"""What is installed for the table's own Wi-Fi: the unit, and what polkit grants its user."""

import re
from pathlib import Path

from companion import network
from companion.cli import COMMANDS
from companion.network import PLACE
from tests.systemd import units
from tests.systemd.units import FOLDER

RULES = FOLDER / "polkit" / "80-strada-network.rules"


def told(name: str) -> str:
    """Return what the unit assigns to that name."""
    (value,) = units.told("strada-network.service", name)
    return value


def test_what_is_started_is_a_command() -> None:
    _, name, what = told("ExecStart").split()
    assert (name in COMMANDS, what) == (True, "watch")


def test_the_watchdog_hears_of_every_look_even_where_networkmanager_is_slow() -> None:
    slowest_s = network.EVERY_S + 5 * (network.ASK_S + network.SPARE_S) + network.OPEN_S + network.SPARE_S
    assert int(told("WatchdogSec")) > slowest_s


def test_the_folder_in_which_it_tells_is_made_for_it_and_read_by_the_companion() -> None:
    assert PLACE.parent == Path("/run") / told("RuntimeDirectory")
    assert (told("RuntimeDirectoryMode"), told("Group")) == ("0750", "strada")
    assert units.told("strada.service", "Group") == ["strada"]


def test_it_is_neither_root_nor_the_companion_and_sees_none_of_its_files() -> None:
    assert told("User") == "strada-network"
    assert "-/var/lib/strada" in told("InaccessiblePaths").split()


def test_polkit_grants_that_user_what_it_needs_and_no_more() -> None:
    rules = RULES.read_text()
    assert re.findall(r'subject\.user === "([\w-]+)"', rules) == [told("User")]
    granted = {each.rpartition("NetworkManager.")[2] for each in re.findall(r'"(org\.[\w.-]+)"', rules)}
    assert granted == {"network-control", "settings.modify.system", "wifi.share.protected"}


def test_what_polkit_cannot_narrow_down_is_said_where_people_look() -> None:
    docs = FOLDER.parent / "docs"
    assert "settings.modify.system" in (docs / "network.md").read_text()
    assert "every Wi-Fi that the Pi knows" in (docs / "threats.md").read_text()
    assert (told("IPAddressDeny"), "AF_INET" in told("RestrictAddressFamilies").split()) == ("any", False)
