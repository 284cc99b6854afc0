"""What else is installed on a Pi: the screen, the name in the network, port 80."""

import re
import shutil
import subprocess
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.test_systemd import README, needs_systemd

FOLDER = Path(__file__).parents[1] / "systemd"
KIOSK = FOLDER / "strada-kiosk.service"
AVAHI = FOLDER / "avahi" / "strada.service"
SYSCTL = FOLDER / "80-strada.conf"


def guides_port() -> int:
    (settings,) = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)
    port: int = tomllib.loads(settings)["web"]["port"]
    return port


def test_name_screen_and_kernel_know_the_port_that_the_guide_sets() -> None:
    port = guides_port()
    assert ET.fromstring(AVAHI.read_text()).findtext("service/port") == str(port)
    assert f"\nnet.ipv4.ip_unprivileged_port_start = {port}\n" in SYSCTL.read_text()
    assert port == 80, "http://strada.local has no number"
    assert set(re.findall(r"http://localhost\S*", KIOSK.read_text())) == {"http://localhost/", "http://localhost/tv"}


def test_the_screen_shows_a_page_that_there_is_once_it_answers() -> None:
    text = KIOSK.read_text()
    assert text.index("ExecStartPre=/usr/bin/curl") < text.index("ExecStart=/usr/bin/cage")
    assert "--kiosk" in text


@pytest.mark.parametrize("path", [KIOSK, AVAHI, SYSCTL], ids=lambda path: path.name)
def test_the_guide_installs_it(path: Path) -> None:
    assert f"sudo cp /opt/strada/{path.relative_to(FOLDER.parent)} /etc/" in README


def test_the_guide_makes_the_screens_user() -> None:
    (user,) = re.findall(r"^User=(.*)$", KIOSK.read_text(), re.MULTILINE)
    (home,) = re.findall(r"--user-data-dir=(\S+)", KIOSK.read_text())
    assert re.search(rf"useradd --system --home-dir {home} .* {user}\n", README)


@needs_systemd
def test_systemd_finds_no_fault_in_the_screens_unit(tmp_path: Path) -> None:
    copy = tmp_path / KIOSK.name
    program = shutil.which("true") or "/bin/true"
    copy.write_text(re.sub(r"(?<==)/usr/bin/\w+", program, KIOSK.read_text()))
    command = ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", str(copy)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
