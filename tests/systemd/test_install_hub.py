"""`install.sh --hub`: its settings, user, database and unit, what it leaves alone, and what it removes again."""

import re
import tomllib
from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

from hub.settings import hub_settings_from
from tests.systemd.test_install import FOLDER, PACKAGES, ROOT, in_bash, run
from tests.systemd.test_lock import applies, on_each_machine, pins_of
from tests.systemd.test_systemd import analyzed, needs_systemd

UNIT = FOLDER / "hub" / "strada-hub.service"
HUB_PINS = pins_of((FOLDER / "requirements-hub.lock").read_text())
PINS = pins_of((FOLDER / "requirements.lock").read_text())

#: In place of PostgreSQL and of the system's users: "there" is what is known already.
WITHOUT_A_SYSTEM = """
is_booted() { false; }
getent() { false; }
chgrp() { :; }
runuser() {
    shift 3
    echo "$*" >>"$scratch/calls"
    case "$*" in
        *'SELECT 1') [[ -z $down ]] || return 2; echo 1 ;;
        *pg_roles*) [[ " $there " != *' role '* ]] || echo 1 ;;
        *pg_database*) [[ " $there " != *' database '* ]] || echo 1 ;;
    esac
}
"""


def calls(folder: Path) -> list[str]:
    return (folder / "calls").read_text().splitlines()


def test_the_hubs_settings_are_settings_and_name_a_database_without_a_password(tmp_path: Path) -> None:
    done = in_bash(tmp_path, "hub_settings", DATA="/var/lib/strada-hub")
    settings = hub_settings_from(tomllib.loads(done.stdout))
    url = make_url(settings.database.url)
    assert (url.get_backend_name(), url.username, url.password, url.database) == (
        "postgresql", "strada-hub", None, "strada_hub",
    )  # fmt: skip
    assert settings.web.host == "0.0.0.0"
    assert f"\nWorkingDirectory={settings.folder}\n" in UNIT.read_text()
    assert settings.home_assistant.host == ""


def test_settings_that_are_there_stay_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("[hub]\n")
    done = in_bash(tmp_path, "install_hub_settings")
    assert "as they were" in done.stdout
    assert (tmp_path / "settings.toml").read_text() == "[hub]\n"


def test_new_settings_are_not_for_everybody(tmp_path: Path) -> None:
    done = in_bash(tmp_path, f"{WITHOUT_A_SYSTEM}\ninstall_hub_settings")
    assert done.returncode == 0, done.stderr
    assert oct((tmp_path / "settings.toml").stat().st_mode)[-3:] == "640"


@pytest.mark.parametrize(
    ("there", "made"),
    [("", "the role strada-hub the database strada_hub"), ("role", "the database strada_hub"), ("role database", "")],
)
def test_the_database_is_made_once(tmp_path: Path, there: str, made: str) -> None:
    done = in_bash(tmp_path, f"{WITHOUT_A_SYSTEM}\ninstall_database", there=there, down="")
    assert done.returncode == 0, done.stderr
    assert (f"made {made}" if made else "as it was") in done.stdout
    done_to = [call for call in calls(tmp_path) if call.startswith("create")]
    assert len(done_to) == made.count("the ")


def test_without_postgresql_one_sentence_says_so(tmp_path: Path) -> None:
    done = in_bash(tmp_path, f"{WITHOUT_A_SYSTEM}\ninstall_database", there="", down="yes")
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "systemctl start postgresql" in done.stderr


def test_broker_and_database_are_debians_and_nothing_is_of_a_pi(tmp_path: Path) -> None:
    script = PACKAGES + "is_pi() { true; }\nhub_places; PROGRAM=$scratch/opt; install_packages"
    done = in_bash(tmp_path, script, had="", offered="ca-certificates mosquitto postgresql python3-numpy python3-venv",
                   failing="")  # fmt: skip
    assert done.returncode == 0, done.stderr
    (line,) = (line for line in calls(tmp_path) if " install " in line)
    assert line.endswith(" ca-certificates mosquitto postgresql python3-numpy python3-venv")


@pytest.mark.parametrize(("enabled", "stops"), [("true", True), ("false", False)])
def test_a_broker_that_came_along_is_stopped(tmp_path: Path, enabled: str, stops: bool) -> None:
    script = f"""
        is_booted() {{ true; }}
        systemctl() {{ echo "$*" >>"$scratch/calls"; [[ $* != *is-enabled* ]] || {enabled}; }}
        rest_broker
    """
    assert in_bash(tmp_path, script).returncode == 0
    assert any("disable --now mosquitto" in call for call in calls(tmp_path)) == stops


def test_a_broker_that_was_there_before_is_left(tmp_path: Path) -> None:
    steps = ("install_program", "install_hub_user", "install_database", "install_hub_settings", "install_hub_unit",
             "start_hub", "install_packages")  # fmt: skip
    quiet = "\n".join(f"{step}() {{ :; }}" for step in steps)
    for there, rested in (("true", ""), ("false", "rested\n")):
        script = f"is_installed() {{ {there}; }}\nrest_broker() {{ echo rested; }}\n{quiet}\ninstall_hub {ROOT}"
        assert in_bash(tmp_path, script).stdout == rested


def test_the_unit_is_installed_and_enabled_and_no_other_one(tmp_path: Path) -> None:
    done = in_bash(tmp_path, f"install_hub_unit {ROOT}")
    assert done.returncode == 0, done.stderr
    units = tmp_path / "units"
    assert [path.name for path in units.iterdir() if path.is_file()] == ["strada-hub.service"]
    assert (units / "multi-user.target.wants" / "strada-hub.service").is_symlink()
    assert in_bash(tmp_path, f"install_hub_unit {ROOT}").stdout == "units:     as they were\n"


def test_a_table_and_a_hub_on_one_machine_leave_each_other_alone(tmp_path: Path) -> None:
    in_bash(tmp_path, f"install_units {ROOT}; install_hub_unit {ROOT}")
    script = f"{WITHOUT_A_SYSTEM}\nuserdel() {{ :; }}\n"
    removed = in_bash(tmp_path, f"{script} remove_hub", NMCLI="/none")
    if "sudo" not in removed.stderr:
        assert {path.name for path in (tmp_path / "units").glob("*.service")} == {
            unit.name for unit in FOLDER.glob("*.service") if unit.name != "strada-kiosk.service"
        }
        assert "stays" in removed.stdout
        in_bash(tmp_path, f"install_hub_unit {ROOT}")
        places = {name: str(tmp_path / name) for name in ("SYSCTL", "AVAHI", "POLKIT", "KIOSK_DATA")}
        in_bash(tmp_path, f"{script} remove_all", NMCLI="/none", **places)
        assert [path.name for path in (tmp_path / "units").glob("*.service")] == ["strada-hub.service"]


def test_what_the_unit_runs_and_names_is_where_the_installer_puts_it() -> None:
    unit, script = UNIT.read_text(), (FOLDER / "hub.sh").read_text()
    assert "\nPROGRAM=/opt/strada-hub\n" in script.replace("    ", "")
    assert "\nExecStart=/opt/strada-hub/.venv/bin/strada hub --settings /etc/strada/hub.toml\n" in unit
    assert "\n    SETTINGS=/etc/strada/hub.toml\n" in script
    assert set(re.findall(r"make_user (\S+)", script)) == set(re.findall(r"^User=(.*)$", unit, re.MULTILINE))
    assert (ROOT / "docs" / "hub.md").is_file()


@on_each_machine
def test_what_the_hub_needs_is_locked_and_the_rest_is_as_for_a_table(machine: dict[str, str]) -> None:
    ours = {pin.name: (pin.version, pin.hashes) for pin in HUB_PINS if applies(pin.requirement, machine)}
    table = {pin.name: (pin.version, pin.hashes) for pin in PINS if applies(pin.requirement, machine)}
    assert table.items() <= ours.items(), "run make lock"
    assert {"alembic", "argon2-cffi", "openskill", "ortools", "psycopg", "sqlalchemy"} <= ours.keys()
    assert all(hashes for _, hashes in ours.values())
    assert "numpy" not in ours


@needs_systemd
def test_systemd_finds_no_fault_in_the_hubs_unit(tmp_path: Path) -> None:
    text = re.sub(r"^(Exec\w+=)\S+", r"\1/usr/bin/true", UNIT.read_text(), flags=re.MULTILINE)
    (tmp_path / UNIT.name).write_text(text)
    done = analyzed("verify", "--man=no", "--recursive-errors=no", tmp_path / UNIT.name)
    assert (done.returncode, done.stderr) == (0, "")


def test_help_says_what_it_is() -> None:
    assert "--hub" in run(str(FOLDER / "install.sh"), "--help").stdout
