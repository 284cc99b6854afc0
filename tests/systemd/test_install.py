"""The installer: its options, what it writes, what it leaves alone; bench/install.py runs it for real."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from companion.network import PROFILE
from companion.settings import settings_from
from tests.systemd.units import assigned

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "systemd"
INSTALLER = FOLDER / "install.sh"
REMOVAL = FOLDER / "removal.sh"
DELETE = f"nmcli connection delete {PROFILE}"
PROGRAM = FOLDER / "program.sh"
SOURCED = (PROGRAM, FOLDER / "starting.sh", FOLDER / "trial.sh", REMOVAL, FOLDER / "hub.sh")
UNITS = sorted(path for kind in ("service", "timer", "path") for path in FOLDER.glob(f"*.{kind}"))
UNIT = (FOLDER / "strada.service").read_text()

#: In place of apt and dpkg: packages in "had" are installed, those in "offered" can be.
PACKAGES = """
is_installed() { [[ " $had " == *" $1 "* ]]; }
is_offered() { [[ " $offered " == *" $1 "* ]]; }
apt-get() { echo "apt-get $*" >>"$scratch/calls"; [[ $1 == update ]] || echo "$failing" >&2; [[ -z $failing ]]; }
"""


def in_bash(folder: Path, script: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a script with the installer's functions, and with all its places in that folder."""
    places = {"PROGRAM": "opt", "DATA": "games", "SETTINGS": "settings.toml", "COMMAND": "strada", "UNITS": "units"}
    assigned = {name: str(folder / place) for name, place in places.items()} | {"scratch": str(folder)} | variables
    lines = [f". {INSTALLER}", *(f"{name}='{value}'" for name, value in assigned.items()), script]
    return run("bash", "-c", "\n".join(lines))


def printed(folder: Path, script: str, **variables: str) -> str:
    """Run such a script, which must succeed; return what it prints."""
    done = in_bash(folder, script, **variables)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run(*command: str, **how: Any) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, with nobody to ask; `python3` is the Python that runs the tests."""
    environment = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    how |= {"env": environment, "stdin": subprocess.DEVNULL}
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, **how)


def calls(folder: Path) -> list[str]:
    """Return what was called in place of the real commands."""
    return (folder / "calls").read_text().splitlines()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--pi"], "'--pi' is no option"),
        (["--camera"], "--camera needs a kind"),
        (["--camera", "drone"], "--camera is 'drone'; it should be picamera2, usb or virtual"),
        (["--purge"], "--purge goes with --remove"),
        (["--remove", "--yes"], "--yes goes with --purge"),
        (["--remove", "--kiosk"], "--remove takes no --camera, no --kiosk and no --former"),
        (["--remove", "--former"], "--remove takes no --camera, no --kiosk and no --former"),
        (["--former", "--kiosk"], "--former takes no --camera and no --kiosk"),
        (["--trial", "--former"], "--trial goes alone"),
        (["--hub", "--kiosk"], "--hub takes no --camera and no --kiosk"),
    ],
)
def test_options_that_cannot_be_used_are_one_line(options: list[str], said: str) -> None:
    done = run(str(INSTALLER), *options)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert said in done.stderr


def test_help_names_every_option() -> None:
    done = run(str(INSTALLER), "--help")
    assert done.returncode == 0
    known = set(re.findall(r"^ +(--[a-z]+)\)", INSTALLER.read_text(), re.MULTILINE))
    assert known == {"--camera", "--kiosk", "--hub", "--former", "--trial", "--remove", "--purge", "--yes"}
    assert all(re.search(rf"^  {option}\b", done.stdout, re.MULTILINE) for option in known)


@pytest.mark.parametrize("options", [[], ["--former"], ["--trial"], ["--remove"], ["--hub"], ["--remove", "--hub"]])
def test_without_root_nothing_is_begun(options: list[str]) -> None:
    with tempfile.TemporaryDirectory() as public:  # whoever runs the tests, the user nobody can read it
        Path(public).chmod(0o755)
        copies = [shutil.copy(script, public) for script in (INSTALLER, *SOURCED)]
        how: dict[str, Any] = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        done = run(copies[0], *options, **how)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "strada: this changes the system: run it with sudo\n"


@pytest.mark.parametrize(("camera", "pins"), [("picamera2", "lgpio"), ("usb", "auto"), ("virtual", "auto")])
def test_the_settings_to_begin_with_are_settings(tmp_path: Path, camera: str, pins: str) -> None:
    done = in_bash(tmp_path, f"settings {camera} {pins}", DATA="/var/lib/strada")
    settings = settings_from(tomllib.loads(done.stdout))
    assert (settings.camera.kind, settings.panel.pins) == (camera, pins)
    assert settings.web.host == "0.0.0.0"
    assert f"\nWorkingDirectory={settings.logbook.folder}\n" in UNIT
    assert settings.web.port == 80, "http://strada.local has no number"
    assert f"\nnet.ipv4.ip_unprivileged_port_start = {settings.web.port}\n" in (FOLDER / "80-strada.conf").read_text()


def test_a_pi_with_its_packages_gets_its_camera_and_its_pins(tmp_path: Path) -> None:
    pi = "is_pi() { true; }\n" + PACKAGES
    done = in_bash(tmp_path, f"{pi} install_settings", had="python3-lgpio python3-picamera2")
    assert "camera picamera2, pins lgpio" in done.stdout
    (tmp_path / "settings.toml").unlink()
    assert "camera virtual, pins auto" in in_bash(tmp_path, f"{pi} install_settings", had="").stdout
    (tmp_path / "settings.toml").unlink()
    assert "camera usb, pins auto" in in_bash(tmp_path, f"{pi} install_settings", had="", camera="usb").stdout


@pytest.mark.parametrize("step", ["install_settings", "install_hub_settings"])
def test_settings_that_are_there_stay_as_they_are(tmp_path: Path, step: str) -> None:
    (tmp_path / "settings.toml").write_text("[web]\nport = 8080\n")
    done = in_bash(tmp_path, step, camera="usb")
    assert "as they were" in done.stdout
    assert (tmp_path / "settings.toml").read_text() == "[web]\nport = 8080\n"


def test_what_is_missing_is_installed_and_what_only_a_pi_has_is_named(tmp_path: Path) -> None:
    basic = "avahi-daemon ca-certificates python3-numpy python3-venv"
    script = PACKAGES + "is_pi() { true; }\ninstall_packages"
    done = in_bash(tmp_path, script, had="ca-certificates dnsmasq-base iw", offered=basic, failing="")
    assert "this system has no libcamera-ipa python3-lgpio python3-picamera2" in done.stdout
    (line,) = (line for line in calls(tmp_path) if " install " in line)
    assert line.endswith(" avahi-daemon python3-numpy python3-venv")


def test_a_pi_gets_what_its_camera_module_wants_though_it_is_only_recommended(tmp_path: Path) -> None:
    had = "avahi-daemon ca-certificates python3-numpy python3-venv dnsmasq-base iw"
    pi = "libcamera-ipa python3-lgpio python3-picamera2"
    script = PACKAGES + "is_pi() { true; }\ninstall_packages"
    done = in_bash(tmp_path, script, had=had, offered=pi, failing="")
    assert "this system has no" not in done.stdout
    (line,) = (line for line in calls(tmp_path) if " install " in line)
    assert "--no-install-recommends" in line
    assert line.endswith(f" {pi}")


def test_where_nothing_is_missing_apt_is_not_asked(tmp_path: Path) -> None:
    had = "avahi-daemon ca-certificates python3-numpy python3-venv dnsmasq-base iw"
    done = in_bash(tmp_path, PACKAGES + "is_pi() { false; }\ninstall_packages", had=had, offered="", failing="")
    assert done.stdout == "packages:  as they were\n"
    assert not (tmp_path / "calls").exists()


@pytest.mark.parametrize(
    ("failing", "said"),
    [
        ("E: Failed to fetch http://deb.debian.org/ Temporary failure resolving deb.debian.org",
         "the network is not reached; connect this machine and run it again"),
        ("E: You do not have enough free space in /var/cache.", "E: You do not have enough free space in /var/cache."),
    ],
    ids=["no network", "any other reason"],
)  # fmt: skip
def test_where_apt_fails_one_sentence_says_why(tmp_path: Path, failing: str, said: str) -> None:
    had, offered = "ca-certificates avahi-daemon dnsmasq-base iw", "python3-numpy python3-venv"
    script = PACKAGES + "is_pi() { false; }\ninstall_packages"
    done = in_bash(tmp_path, script, had=had, offered=offered, failing=failing)
    assert done.returncode == 1
    assert done.stderr == f"strada: apt cannot install python3-numpy python3-venv: {said}\n"


def test_a_file_is_put_only_where_it_is_not_there_as_it_should_be(tmp_path: Path) -> None:
    (tmp_path / "new").write_text("as it should be")
    put = 'if put "$scratch/new" "$scratch/there/file" 600; then echo put; else echo left; fi'
    assert in_bash(tmp_path, f"{put}\n{put}").stdout == "put\nleft\n"
    assert (tmp_path / "there" / "file").read_text() == "as it should be"
    assert oct((tmp_path / "there" / "file").stat().st_mode)[-3:] == "600"
    assert [path.name for path in (tmp_path / "there").iterdir()] == ["file"]


@pytest.mark.parametrize("kiosk", ["", "yes"])
def test_every_unit_is_installed_and_enabled_and_the_screens_only_on_demand(tmp_path: Path, kiosk: str) -> None:
    printed(tmp_path, f"install_units {ROOT}", kiosk=kiosk)
    wanted = {unit.name for unit in UNITS if kiosk or unit.name != "strada-kiosk.service"}
    assert {path.name for path in (tmp_path / "units").iterdir() if path.is_file()} == wanted
    for unit in UNITS:
        target = re.search(r"^WantedBy=(.*)$", unit.read_text(), re.MULTILINE)
        link = tmp_path / "units" / f"{target[1]}.wants" / unit.name if target else None
        assert link is None or link.is_symlink() == (unit.name in wanted)
    assert in_bash(tmp_path, f"install_units {ROOT}", kiosk=kiosk).stdout == "units:     as they were\n"


def test_a_unit_that_somebody_disabled_stays_so(tmp_path: Path) -> None:
    in_bash(tmp_path, f"install_units {ROOT}")
    unit = tmp_path / "units" / "strada-network.service"
    link = tmp_path / "units" / "multi-user.target.wants" / unit.name
    link.unlink()
    unit.write_text("of an older version")
    assert "enabled none" in in_bash(tmp_path, f"install_units {ROOT}").stdout
    assert not link.exists()
    assert unit.read_bytes() == (FOLDER / unit.name).read_bytes()


@pytest.mark.parametrize(("settings", "port"), [("[web]\nport = 8080\n", ":8080"), ("[web]\n", ""), ("damaged", "")])
def test_name_and_screen_know_the_port_of_the_settings(tmp_path: Path, settings: str, port: str) -> None:
    (tmp_path / "settings.toml").write_text(settings)
    places = {name: str(tmp_path / name) for name in ("AVAHI", "SYSCTL", "POLKIT")}
    script = f"is_booted() {{ false; }}\ninstall_names {ROOT}; install_units {ROOT}"
    printed(tmp_path, script, kiosk="yes", **places)
    assert ET.fromstring((tmp_path / "AVAHI").read_text()).findtext("service/port") == (port[1:] or "80")
    screen = (tmp_path / "units" / "strada-kiosk.service").read_text()
    assert set(re.findall(r"http://localhost\S*", screen)) == {f"http://localhost{port}/", f"http://localhost{port}/tv"}


def test_what_the_units_refer_to_is_installed(tmp_path: Path) -> None:
    printed(tmp_path, f"install_guides {ROOT}")
    for unit in UNITS:
        for named in re.findall(r"^Documentation=file:///opt/strada/(.*)$", unit.read_text(), re.MULTILINE):
            assert (tmp_path / "opt" / named).is_file(), f"{unit.name}: {named}"
    assert os.access(tmp_path / "opt" / "systemd" / "install.sh", os.X_OK)
    assert in_bash(tmp_path, f"install_guides {ROOT}").stdout == "guides:    as they were\n"


def test_the_installed_installer_explains_itself_and_installs_nothing(tmp_path: Path) -> None:
    in_bash(tmp_path, f"install_guides {ROOT}")
    copy = tmp_path / "opt" / "systemd" / "install.sh"
    assert "--remove" in run(str(copy), "--help").stdout
    done = in_bash(tmp_path, f"check_sources {copy.parents[1]}")
    assert "is no checkout of Strada" in done.stderr


def test_users_are_those_of_the_units() -> None:
    made = set(re.findall(r"make_user (\S+)", INSTALLER.read_text()))
    named = {user for unit in UNITS for user in re.findall(r"^User=(.*)$", unit.read_text(), re.MULTILINE)}
    assert made == named


def test_the_program_is_made_of_all_that_its_package_says() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = {name.rstrip("*") for name in project["tool"]["setuptools"]["packages"]["find"]["include"]}
    needed = packages | {project["project"]["readme"], "pyproject.toml"}
    (sources,) = re.findall(r"^SOURCES=\((.*)\)$", INSTALLER.read_text(), re.MULTILINE)
    # The units and the lock are in systemd/, so an older version that is brought back has its own.
    assert set(sources.split()) == needed | {"LICENSE", "systemd"}
    assert all((ROOT / source).exists() for source in sources.split())


@pytest.mark.long
def test_a_program_is_another_one_once_a_source_is_another(tmp_path: Path) -> None:
    source = tmp_path / "companion" / "__init__.py"
    source.parent.mkdir()
    source.write_text("")
    fingerprint = f"SOURCES=(companion); fingerprint {tmp_path}"
    first = in_bash(tmp_path, fingerprint).stdout
    assert re.fullmatch(r"[0-9a-f]{12}\n", first)
    (source.parent / "__pycache__").mkdir()
    (source.parent / "__pycache__" / "left.pyc").write_text("of a run")
    assert in_bash(tmp_path, fingerprint).stdout == first
    source.write_text("changed = True\n")
    assert in_bash(tmp_path, fingerprint).stdout != first


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (0, "wi-fi:     its name and password are forgotten\n"),
        (10, ""),
        (8, f"wi-fi:     NetworkManager does not answer; if it kept a password: sudo {DELETE}\n"),
    ],
    ids=["there", "not there", "NetworkManager does not run"],
)
def test_the_tables_own_wi_fi_is_forgotten_with_its_password(tmp_path: Path, status: int, said: str) -> None:
    """It is done by a command, as the profile belongs to NetworkManager."""
    nmcli = tmp_path / "nmcli"
    nmcli.write_text(f'#!/bin/sh\necho "$*" >>{tmp_path}/calls\nexit {status}\n')
    nmcli.chmod(0o755)
    done = in_bash(tmp_path, "forget_wi_fi", NMCLI=str(nmcli))
    assert (done.returncode, done.stdout) == (0, said)
    assert (tmp_path / "calls").read_text() == f"{DELETE}\n".replace("nmcli", "--wait 10")


def test_where_there_is_no_networkmanager_nothing_is_forgotten(tmp_path: Path) -> None:
    done = in_bash(tmp_path, "forget_wi_fi", NMCLI=str(tmp_path / "nowhere"))
    assert (done.returncode, done.stdout) == (0, "")
    assert assigned("PROFILE") == PROFILE
    assert re.search(r"^remove_all\(\) \{.*?^    forget_wi_fi$.*?^\}", REMOVAL.read_text(), re.MULTILINE | re.DOTALL)


def test_games_are_deleted_only_if_somebody_says_so(tmp_path: Path) -> None:
    done = in_bash(tmp_path, "may_purge; echo purged")
    assert (done.returncode, done.stdout) == (1, "")
    assert "deletes all games" in done.stderr
    assert in_bash(tmp_path, "may_purge; echo purged", yes="yes").stdout == "purged\n"


@pytest.mark.long
@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not there: apt install shellcheck")
@pytest.mark.parametrize(
    "scripts",
    [(INSTALLER, *SOURCED), tuple(FOLDER.glob("deb/p*")), tuple(FOLDER.glob("image/*.sh"))],
    ids=["the installer", "what dpkg runs", "the card"],
)
def test_shellcheck_finds_no_fault(scripts: tuple[Path, ...]) -> None:
    assert scripts
    done = run("shellcheck", "--external-sources", *map(str, scripts))
    assert (done.returncode, done.stdout) == (0, "")
