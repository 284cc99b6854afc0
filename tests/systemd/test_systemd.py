"""The units of the service, the screen and the nightly copy: what they promise, and what systemd says of each."""

import re
import shutil
import xml.etree.ElementTree as ET
from functools import partial
from ipaddress import ip_address, ip_network
from pathlib import Path

import pytest

from companion.cli import COMMANDS, NOT_NOW, group
from companion.cli.run import AGAIN_S
from companion.doctor.books import TAKES
from companion.network import ADDRESS
from companion.updates.desk import FOLDER as FOLDER_OF_UPDATES
from companion.updates.desk import WANTED
from companion.updates.installing import INSTALL_S
from companion.wiring.machine import MOST_FAILED
from tests.systemd import units
from tests.systemd.units import FOLDER, INSTALLER, analyzed, assigned, needs_systemd

UNIT = FOLDER / "strada.service"
README = (FOLDER / "README.md").read_text()

#: systemd's own scale is from 0 (nothing is exposed) to 10, times ten for its option. The service has 1.5, the backup
#: 0.2, what reaches beyond the house 1.6, the access point 0.8. The screen has 4.3, as compositor and browser need
#: logind's session, and a sandbox that the browser builds itself. What looks for updates has 1.6. What installs them
#: has 6.4, as it is root's and installs a package.
MOST_EXPOSURE = {
    "strada.service": 20,
    "strada-backup.service": 10,
    "strada-outside.service": 20,
    "strada-network.service": 10,
    "strada-kiosk.service": 45,
    "strada-hub.service": 20,
    "strada-fetch.service": 20,
    "strada-update.service": 65,
}
#: The most that any other unit of ours may have.
ELSE = 25

told = partial(units.told, UNIT.name)


def is_command(line: str) -> bool:
    """Return whether this is a command of ours, with options that it has."""
    path, name, *arguments = line.split()
    known = {option for parameter in group.get_command(None, name).params for option in parameter.opts}
    options = {each for each in arguments if each.startswith("--")}
    return Path(path).name == "strada" and name in COMMANDS and options <= known


def test_a_service_that_hangs_or_fails_starts_again_but_not_for_ever() -> None:
    assert told("Type") == ["notify"]
    assert told("Restart") == ["on-failure"]
    assert (told("StartLimitBurst"), told("StartLimitIntervalSec")) == (["10"], ["300"])
    assert int(*told("StartLimitBurst")) > 2 * MOST_FAILED, "safe mode is reached, and can be left and reached again"
    # A part counts as late after half of this, and systemd waits for all of it: 30 seconds with the restart.
    assert 1.5 * int(*told("WatchdogSec")) + int(*told("RestartSec")) <= 30


def test_settings_that_cannot_be_used_wait_for_a_person() -> None:
    assert told("RestartPreventExitStatus") == ["2"]


def test_what_cannot_run_now_is_started_again_for_ever_and_is_never_waited_for_too_long() -> None:
    assert str(NOT_NOW) not in " ".join(told("RestartPreventExitStatus"))
    assert AGAIN_S * int(*told("StartLimitBurst")) >= int(*told("StartLimitIntervalSec"))
    assert int(*told("TimeoutStartSec")) / 2 >= AGAIN_S


def test_neither_a_camera_nor_a_pin_is_waited_for() -> None:
    text = UNIT.read_text()
    assert not re.search(r"^(Requires|Requisite|BindsTo|PartOf|Condition\w*|Assert\w*)=", text, re.MULTILINE)
    assert "dev-video" not in text


@pytest.mark.parametrize("unit", ["strada.service", "strada-backup.service", "strada-outside.service"])
def test_what_is_started_is_a_command_with_its_options(unit: str) -> None:
    lines = units.told(unit, "ExecStart")
    assert lines
    assert [line for line in lines if not is_command(line)] == []


def test_the_user_may_use_pins_and_camera_and_nothing_that_is_not_named() -> None:
    assert (told("User"), told("StateDirectory")) == (["strada"], ["strada"])
    assert told("DevicePolicy") == ["closed"]
    devices = {"char-gpiochip rw", "char-video4linux rw", "char-media rw", "char-dma_heap rw"}
    assert set(told("DeviceAllow")) == devices


#: systemd's words for networks (systemd.resource-control(5)).
WORDS = {
    "any": ["0.0.0.0/0", "::/0"],
    "localhost": ["127.0.0.0/8", "::1/128"],
    "link-local": ["169.254.0.0/16", "fe80::/64"],
}


def may_talk_to(address: str) -> bool:
    """Return whether the unit lets packets from and to that address through; what is allowed beats what is denied."""
    asked = ip_address(address)
    for name, answer in (("IPAddressAllow", True), ("IPAddressDeny", False)):
        for word in " ".join(told(name)).split():
            if any(asked in ip_network(each) for each in WORDS.get(word, [word])):
                return answer
    return True


@pytest.mark.parametrize(
    "phone",
    [
        *("192.168.178.23", "10.20.30.40", "172.20.10.3", "100.72.1.2", "169.254.7.7", "127.0.0.1"),
        *("::1", "fe80::1c2d:3e4f", "fd12:3456:789a::5"),
        ADDRESS,
    ],
)
def test_phones_of_the_house_of_a_hotspot_and_of_the_tables_own_wi_fi_are_let_in(phone: str) -> None:
    assert may_talk_to(phone)


@pytest.mark.parametrize("place", ["1.1.1.1", "131.152.1.1", "172.32.0.1", "2606:4700::1111", "2001:db8::1"])
def test_the_internet_is_out_of_reach_for_whoever_takes_over_the_service(place: str) -> None:
    assert not may_talk_to(place)


def may_reach_the_bus(unit: str) -> bool:
    families = units.told(unit, "RestrictAddressFamilies")
    hidden = " ".join(units.told(unit, "InaccessiblePaths")).split()
    return (not families or "AF_UNIX" in families[0].split()) and "-/run/dbus" not in hidden


def test_only_the_wi_fi_the_screen_and_the_update_reach_the_systems_bus() -> None:
    """They ask NetworkManager, logind and systemd. The whole folder is hidden, as a restarted bus has a new socket."""
    reach = {unit.name for unit in FOLDER.glob("*.service") if may_reach_the_bus(unit.name)}
    assert reach == {"strada-network.service", "strada-kiosk.service", "strada-update.service"}


def test_the_user_is_in_the_groups_of_pins_and_camera_and_no_group_must_be_there() -> None:
    """A unit that names a group that the system lacks, as plain Debian lacks gpio, does not start."""
    assert told("SupplementaryGroups") == []
    assert 'make_user strada "$DATA" gpio video' in INSTALLER


def test_the_pins_library_still_sees_which_pi_it_is_on() -> None:
    assert told("ProcSubset") == [], "/proc/device-tree and /proc/cpuinfo would be hidden"


def test_the_unit_starts_what_is_installed_and_the_guide_knows_both() -> None:
    (line,) = told("ExecStart")
    program, settings = line.split()[0], line.split()[-1]
    assert program == f"{assigned('PROGRAM')}/.venv/bin/strada"
    assert (settings, told("WorkingDirectory")) == (assigned("SETTINGS"), [assigned("DATA")])
    assert f"sudo -u strada strada panel test --settings {settings}" in README
    assert all(f"`{path}`" in README for path in (settings, assigned("DATA"), assigned("PROGRAM")))


# The screen, and the name and port that it asks for.

KIOSK = FOLDER / "strada-kiosk.service"


def test_the_screen_asks_this_machine_for_the_port_that_the_name_and_the_kernel_know() -> None:
    assert set(re.findall(r"http://localhost\S*", KIOSK.read_text())) == {"http://localhost/", "http://localhost/tv"}
    assert ET.fromstring((FOLDER / "avahi" / "strada.service").read_text()).findtext("service/port") == "80", (
        "which no address names"
    )
    assert "\nnet.ipv4.ip_unprivileged_port_start = 80\n" in (FOLDER / "80-strada.conf").read_text()


def test_the_screen_opens_once_the_page_answers() -> None:
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


# The nightly copy.


def test_it_copies_the_logbook_of_the_companions_own_service() -> None:
    (started,) = units.told("strada-backup.service", "ExecStart")
    (running,) = told("ExecStart")
    program, name, *arguments = started.split()
    assert program == running.split()[0]
    assert (name, arguments) == ("backup", ["--nightly", "--data", "/var/lib/strada"])
    for key in ("User", "Group", "StateDirectory", "StateDirectoryMode", "UMask"):
        assert units.told("strada-backup.service", key) == told(key)


def test_before_the_first_game_it_does_not_fail() -> None:
    assert units.told("strada-backup.service", "ConditionPathExists") == ["/var/lib/strada/logbook.sqlite"]


def test_a_table_that_was_off_at_night_is_copied_when_it_is_on() -> None:
    assert units.told("strada-backup.timer", "Persistent") == ["yes"]
    assert units.told("strada-backup.timer", "OnCalendar") == ["*-*-* 04:30:00"]
    # Without a network the clock goes on from where it stopped, so half past four hardly ever comes.
    assert units.told("strada-backup.timer", "OnBootSec") == ["20min"]
    assert units.told("strada-backup.timer", "WantedBy") == ["timers.target"]


# What reaches beyond the house.

OUTSIDE = partial(units.told, "strada-outside.service")


def test_copies_and_news_are_made_by_the_settings_alone_and_one_does_not_keep_the_other() -> None:
    program, settings = f"{assigned('PROGRAM')}/.venv/bin/strada", assigned("SETTINGS")
    assert OUTSIDE("ExecStart") == [
        f"-{program} news --settings {settings}",
        f"-{program} update --look",
        f"{program} backup --away --settings {settings}",
    ]
    for key in ("User", "Group", "StateDirectory", "StateDirectoryMode", "UMask"):
        assert OUTSIDE(key) == told(key)
    assert units.told("strada-outside.timer", "Persistent") == ["yes"]
    assert units.told("strada-outside.timer", "WantedBy") == ["timers.target"]


def test_whoever_takes_over_the_companion_cannot_say_what_goes_out() -> None:
    """They can write the games' folder, which is this user's home as well: nothing there is run or believed."""
    told = dict(each.split("=") for each in OUTSIDE("Environment")[0].split())
    assert told["PYTHONNOUSERSITE"] == "1"
    assert Path(told["RCLONE_CONFIG"]).parent == Path(assigned("SETTINGS")).parent
    assert OUTSIDE("WorkingDirectory") == ["/"]
    assert OUTSIDE("ProtectSystem") == ["strict"]
    assert OUTSIDE("ReadWritePaths") == ["-/media -/mnt -/run/media -/srv"]
    assert not may_talk_to("1.1.1.1"), "the companion itself stays in the house"


def test_a_copy_is_given_its_time_and_the_doctor_knows_how_much() -> None:
    assert OUTSIDE("TimeoutStartSec") == [f"{TAKES.total_seconds():.0f}"]


# Updates, which only root installs.

UPDATE, FETCH = partial(units.told, "strada-update.service"), partial(units.told, "strada-fetch.service")


def test_a_request_lets_who_is_not_root_fetch_and_root_install_without_a_network() -> None:
    assert units.told("strada-update.path", "PathExists") == [f"{FOLDER_OF_UPDATES / WANTED}", "/opt/strada/trial"]
    assert units.told("strada-update.path", "WantedBy") == ["multi-user.target"]
    assert (UPDATE("Wants"), UPDATE("After")) == (["strada-fetch.service"], ["strada-fetch.service"])
    program = f"{assigned('PROGRAM')}/.venv/bin/strada"
    assert UPDATE("ExecStart") == ["-/opt/strada/systemd/install.sh --trial", f"{program} update --install"]
    assert FETCH("ExecStart") == [f"{program} update --fetch"]
    assert (UPDATE("User"), FETCH("User")) == ([], ["strada"])
    assert (UPDATE("IPAddressDeny"), UPDATE("IPAddressAllow")) == (["any"], ["localhost"])
    for key in ("StateDirectory", "StateDirectoryMode", "UMask"):
        assert FETCH(key) == told(key)


def test_an_update_has_the_time_that_its_parts_may_take() -> None:
    assert float(*UPDATE("TimeoutStartSec")) > INSTALL_S
    assert int(assigned("LOCK_S")) < INSTALL_S


# What systemd says.


@needs_systemd
@pytest.mark.parametrize(
    "names",
    [["strada.service"], ["strada-backup.service", "strada-backup.timer"], ["strada-network.service"],
     ["strada-outside.service", "strada-outside.timer"],
     ["strada-update.service", "strada-update.path", "strada-fetch.service"], ["strada-kiosk.service"],
     ["hub/strada-hub.service"]],
    ids=lambda names: names[0],
)  # fmt: skip
def test_systemd_finds_no_fault_in_the_unit(names: list[str], tmp_path: Path) -> None:
    for unit in (FOLDER / name for name in names):  # with a program that this machine has
        text = re.sub(r"^(Exec\w+=)\S+", rf"\1{shutil.which('true')}", unit.read_text(), flags=re.MULTILINE)
        (tmp_path / unit.name).write_text(text)
    done = analyzed("verify", "--man=no", "--recursive-errors=no", *tmp_path.iterdir())
    assert (done.returncode, done.stderr) == (0, "")


@needs_systemd
def test_systemd_finds_a_fault_where_there_is_one(tmp_path: Path) -> None:
    broken = tmp_path / "strada.service"
    broken.write_text(UNIT.read_text().replace("WatchdogSec=", "WatchdogSecs="))
    assert "WatchdogSecs" in analyzed("verify", "--man=no", "--recursive-errors=no", broken).stderr


UNITS = sorted(FOLDER.glob("*.service"))


@needs_systemd
@pytest.mark.parametrize("unit", [*UNITS, FOLDER / "hub" / "strada-hub.service"], ids=lambda path: path.name)
def test_systemd_finds_little_exposed(unit: Path) -> None:
    most = MOST_EXPOSURE.get(unit.name, ELSE)
    done = analyzed("security", "--offline=true", "--no-pager", f"--threshold={most}", unit)
    if "unrecognized option" in done.stderr:
        pytest.skip("this systemd-analyze is older than 250 and cannot look at a file")
    assert done.returncode == 0, done.stdout.splitlines()[-1:]
