"""What else is installed on a Pi: the screen, the name in the network, port 80."""

import re
import xml.etree.ElementTree as ET

from tests.systemd.units import FOLDER, INSTALLER

KIOSK = FOLDER / "strada-kiosk.service"
AVAHI = FOLDER / "avahi" / "strada.service"
SYSCTL = FOLDER / "80-strada.conf"


def test_the_screen_asks_this_machine_for_the_port_that_the_name_and_the_kernel_know() -> None:
    assert set(re.findall(r"http://localhost\S*", KIOSK.read_text())) == {"http://localhost/", "http://localhost/tv"}
    assert ET.fromstring(AVAHI.read_text()).findtext("service/port") == "80", "which no address names"
    assert "\nnet.ipv4.ip_unprivileged_port_start = 80\n" in SYSCTL.read_text()


def test_the_screen_shows_a_page_that_there_is_once_it_answers() -> None:
    text = KIOSK.read_text()
    assert text.index("ExecStartPre=/usr/bin/curl") < text.index("ExecStart=/usr/bin/cage")
    assert "--kiosk" in text


def test_the_screen_asks_nobody_else() -> None:
    assert "\nIPAddressDeny=any\nIPAddressAllow=localhost\n" in KIOSK.read_text()


def test_the_installer_makes_the_screens_user_with_its_folder() -> None:
    (user,) = re.findall(r"^User=(.*)$", KIOSK.read_text(), re.MULTILINE)
    (home,) = re.findall(r"--user-data-dir=(\S+)", KIOSK.read_text())
    assert f'make_user {user} "$KIOSK_DATA" video render input' in INSTALLER
    assert f"\nKIOSK_DATA={home}\n" in INSTALLER


def test_what_the_screen_starts_is_installed() -> None:
    programs = set(re.findall(r"(?<=[= ])/usr/bin/(\w+)", KIOSK.read_text()))
    assert programs == {"curl", "cage", "chromium"}
    (packages,) = re.findall(r"^KIOSK_PACKAGES=\((.*)\)$", INSTALLER, re.MULTILINE)
    assert programs <= {*packages.split(), "chromium"}
    assert "wanted+=(chromium)" in INSTALLER
