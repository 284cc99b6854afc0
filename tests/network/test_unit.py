"""What is installed for the table's own Wi-Fi: the unit, and what polkit grants its user."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from companion.cli import COMMANDS
from companion.network import PLACE, keeping, manager

FOLDER = Path(__file__).parents[2] / "systemd"
UNIT = FOLDER / "strada-network.service"
RULES = FOLDER / "polkit" / "80-strada-network.rules"

#: systemd's scale is from 0 to 10, times ten for its option: the unit has 0.8.
MOST_EXPOSURE = 10

needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is not there: apt install systemd"
)


def told(name: str) -> str:
    """What the unit assigns to that name."""
    (value,) = re.findall(rf"^{name}=(.*)$", UNIT.read_text(), re.MULTILINE)
    return str(value)


def test_what_is_started_is_a_command() -> None:
    _, name, what = told("ExecStart").split()
    assert (name in COMMANDS, what) == (True, "watch")


def test_the_watchdog_hears_of_every_look_even_where_networkmanager_is_slow() -> None:
    slowest_s = keeping.EVERY_S + 5 * (manager.ASK_S + manager.SPARE_S) + manager.OPEN_S + manager.SPARE_S
    assert int(told("WatchdogSec")) > slowest_s


def test_the_folder_in_which_it_tells_is_made_for_it_and_read_by_the_companion() -> None:
    assert PLACE.parent == Path("/run") / told("RuntimeDirectory")
    assert (told("RuntimeDirectoryMode"), told("Group")) == ("0750", "strada")
    companion = (FOLDER / "strada.service").read_text()
    assert "\nGroup=strada\n" in companion


def test_it_is_neither_root_nor_the_companion_and_sees_none_of_its_files() -> None:
    assert told("User") == "strada-network"
    assert "-/var/lib/strada" in told("InaccessiblePaths").split()


def test_polkit_grants_that_user_what_it_needs_and_no_more() -> None:
    rules = RULES.read_text()
    assert re.findall(r'subject\.user === "([\w-]+)"', rules) == [told("User")]
    assert {each.rpartition("NetworkManager.")[2] for each in re.findall(r'"(org\.[\w.-]+)"', rules)} == {
        "network-control",
        "settings.modify.system",
        "wifi.share.protected",
    }


def test_what_polkit_cannot_narrow_down_is_said_where_people_look() -> None:
    docs = FOLDER.parent / "docs"
    assert "settings.modify.system" in (docs / "network.md").read_text()
    assert "every Wi-Fi that the Pi knows" in (docs / "threats.md").read_text()
    assert (told("IPAddressDeny"), "AF_INET" in told("RestrictAddressFamilies").split()) == ("any", False)


def analyzed(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    copy = tmp_path / UNIT.name
    copy.write_text(UNIT.read_text().replace(told("ExecStart").split()[0], shutil.which("true") or "/bin/true"))
    command = ["systemd-analyze", *arguments, str(copy)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@needs_systemd
def test_systemd_finds_no_fault_in_the_unit(tmp_path: Path) -> None:
    done = analyzed(tmp_path, "verify", "--man=no", "--recursive-errors=no")
    assert (done.returncode, done.stderr) == (0, "")


@needs_systemd
def test_systemd_finds_little_exposed(tmp_path: Path) -> None:
    done = analyzed(tmp_path, "security", "--offline=true", "--no-pager", f"--threshold={MOST_EXPOSURE}")
    if "unrecognized option" in done.stderr:
        pytest.skip("this systemd-analyze is older than 250 and cannot look at a file")
    assert done.returncode == 0, done.stdout.splitlines()[-1:]
