"""`install.sh --hub`: its settings, user, database and unit, what it leaves alone, and what it removes again."""

import os
import re
import tomllib
from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

from bench.install_hub import BRING_BACK
from hub.settings import hub_settings_from
from tests.systemd.test_install import FOLDER, PACKAGES, ROOT, calls, in_bash, printed
from tests.systemd.test_lock import applies, on_each_machine, pins_of

UNIT = FOLDER / "hub" / "strada-hub.service"
HUB_PINS = pins_of((FOLDER / "requirements-hub.lock").read_text())
PINS = pins_of((FOLDER / "requirements.lock").read_text())

#: In place of PostgreSQL and of the system's users: "there" lists what is known already.
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


def test_the_hubs_settings_are_settings_and_name_a_database_without_a_password(tmp_path: Path) -> None:
    settings = hub_settings_from(tomllib.loads(printed(tmp_path, "hub_settings", DATA="/var/lib/strada-hub")))
    url = make_url(settings.database.url)
    assert (url.get_backend_name(), url.username, url.password, url.database) == (
        "postgresql", "strada-hub", None, "strada_hub",
    )  # fmt: skip
    assert settings.web.host == "0.0.0.0"
    assert f"\nWorkingDirectory={settings.folder}\n" in UNIT.read_text()
    assert settings.home_assistant.host == ""


@pytest.mark.parametrize(("said", "port"), [("5432", 5432), ("5433", 5433), ("", 5432)])
def test_the_hub_asks_for_its_database_at_the_port_that_debian_gave_postgresql(
    tmp_path: Path, said: str, port: int
) -> None:
    text = printed(tmp_path, "answer() { echo $said; }; hub_settings", said=said)
    url = make_url(hub_settings_from(tomllib.loads(text)).database.url)
    assert (url.port, url.query["port"]) == (None, str(port))


def test_new_settings_are_not_for_everybody(tmp_path: Path) -> None:
    printed(tmp_path, f"{WITHOUT_A_SYSTEM}\ninstall_hub_settings")
    assert oct((tmp_path / "settings.toml").stat().st_mode)[-3:] == "640"


@pytest.mark.parametrize(
    ("there", "made"),
    [("", "the role strada-hub the database strada_hub"), ("role", "the database strada_hub"), ("role database", "")],
)
def test_the_database_is_made_once(tmp_path: Path, there: str, made: str) -> None:
    said = printed(tmp_path, f"{WITHOUT_A_SYSTEM}\ninstall_database", there=there, down="")
    assert (f"made {made}" if made else "as it was") in said
    done_to = [call for call in calls(tmp_path) if call.startswith("create")]
    assert len(done_to) == made.count("the ")


@pytest.mark.long
def test_without_postgresql_one_sentence_says_so(tmp_path: Path) -> None:
    done = in_bash(tmp_path, f"{WITHOUT_A_SYSTEM}\ninstall_database", there="", down="yes")
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "systemctl start postgresql" in done.stderr


#: In place of Debian's PostgreSQL: a cluster that runs as long as the file `up` exists.
CLUSTER = """
is_booted() { "$booted"; }
pg_lsclusters() { echo '15 main 5432 down postgres /var/lib/postgresql/15/main /var/log/postgresql.log'; }
pg_ctlcluster() {
    echo "$*" >>"$scratch/calls"
    case $* in *' start') touch "$scratch/up" ;; *) rm -f "$scratch/up" ;; esac
}
runuser() { [[ -e $scratch/up ]] && echo 1; }
"""


def test_in_a_system_that_does_not_run_the_database_is_started_for_as_long_as_it_takes(tmp_path: Path) -> None:
    printed(tmp_path, f"{CLUSTER}\ninstall_database; rest_database", booted="false")
    assert calls(tmp_path) == [f"--skip-systemctl-redirect 15 main {word}" for word in ("start", "stop")]


@pytest.mark.parametrize(("booted", "up"), [("true", False), ("false", True), ("true", True)])
def test_a_database_that_runs_or_belongs_to_systemd_is_left_alone(tmp_path: Path, booted: str, up: bool) -> None:
    if up:
        (tmp_path / "up").touch()
    done = in_bash(tmp_path, f"{CLUSTER}\nwake_database; printf '%s' \"$woken\"", booted=booted)
    assert (done.returncode, done.stdout) == (0, "")
    assert not (tmp_path / "calls").exists()


#: In place of the database, which is at this step (none: it is empty).
AT = """
is_booted() { false; }
runuser() {
    case "$*" in
        *alembic_version*) [[ -z $step ]] || echo "$step" ;;
        *pg_dump*) [[ -z $full ]] && echo copied ;;
    esac
}
make_user() { false; }
"""


def versions(folder: Path, program: str, *steps: str) -> None:
    """Install a program that starts and has those steps of the database."""
    venv = folder / "opt" / program
    place = venv / "lib" / "python3.11" / "site-packages" / "hub" / "migrations" / "versions"
    place.mkdir(parents=True)
    for before, step in zip(("", *steps), steps, strict=False):
        down = f'"{before}"' if before else "None"
        (place / f"v{step}.py").write_text(f'revision = "{step}"\ndown_revision = {down}\n')
    (venv / "bin").mkdir()
    (venv / "bin" / "strada").write_text("#!/bin/sh\ntrue\n")
    (venv / "bin" / "strada").chmod(0o755)
    (venv / "guides" / "systemd" / "hub").mkdir(parents=True)
    (venv / "guides" / "systemd" / "hub" / UNIT.name).write_text(f"[Unit]\nDescription={program}\n")


def runs(folder: Path, program: str, former: str = "") -> None:
    for name, to in ((".venv", program), (".venv.former", former)):
        if to:
            (folder / "opt" / name).symlink_to(folder / "opt" / to)


@pytest.mark.parametrize(("at", "is_copied"), [("0004", True), ("0005", False), ("", False), ("0007", False)])
def test_a_database_that_goes_a_step_forward_is_copied_before(tmp_path: Path, at: str, is_copied: bool) -> None:
    versions(tmp_path, "venv-2", "0003", "0004", "0005")
    runs(tmp_path, "venv-2")
    (tmp_path / "games").mkdir()
    said = printed(tmp_path, f"{AT}\ncopy_database", step=at, full="")
    copy = tmp_path / "games" / "before.dump"
    assert copy.exists() == is_copied == ("copied to" in said)
    if is_copied:
        assert copy.read_text() == "copied\n"
        assert oct(copy.stat().st_mode)[-3:] == "600"


def test_where_it_cannot_be_copied_nothing_goes_forward(tmp_path: Path) -> None:
    versions(tmp_path, "venv-2", "0004", "0005")
    runs(tmp_path, "venv-2")
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "before.dump").write_text("the copy of before")
    done = in_bash(tmp_path, f"{AT}\ncopy_database", step="0004", full="yes")
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    assert (tmp_path / "games" / "before.dump").read_text() == "the copy of before"


@pytest.mark.parametrize(("at", "goes"), [("0004", True), ("", True), ("0005", False)])
def test_a_hub_goes_back_to_a_version_that_knows_its_database_and_to_no_other(
    tmp_path: Path, at: str, goes: bool
) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root goes back")
    versions(tmp_path, "venv-1", "0003", "0004")
    versions(tmp_path, "venv-2", "0003", "0004", "0005")
    runs(tmp_path, "venv-2", "venv-1")
    done = in_bash(tmp_path, f"{AT}\ngo_back_hub", step=at)
    assert (done.returncode == 0) == goes, done.stderr
    now, former = ((tmp_path / "opt" / name).readlink().name for name in (".venv", ".venv.former"))
    assert (now, former) == (("venv-1", "venv-2") if goes else ("venv-2", "venv-1"))
    if goes:
        assert "Description=venv-1" in (tmp_path / "units" / UNIT.name).read_text()
        assert {path.name for path in (tmp_path / "opt").glob("venv-*")} == {"venv-1", "venv-2"}
    else:
        assert len(done.stderr.splitlines()) == 1
        assert "0005" in done.stderr
        assert not (tmp_path / "units").exists()


def test_the_document_says_how_to_bring_a_copy_back_as_it_was_tried() -> None:
    tried = BRING_BACK.replace("runuser -u postgres --", "sudo -u postgres").replace("cat ", "sudo cat ")
    assert f"\n{tried}\n" in (ROOT / "docs" / "hub.md").read_text()


def test_broker_and_database_come_from_debian_and_nothing_for_a_pi_does(tmp_path: Path) -> None:
    script = PACKAGES + "is_pi() { true; }\nhub_places; PROGRAM=$scratch/opt; install_packages"
    offered = "ca-certificates mosquitto postgresql python3-numpy python3-venv"
    printed(tmp_path, script, had="", offered=offered, failing="")
    (line,) = (line for line in calls(tmp_path) if " install " in line)
    assert line.endswith(f" {offered}")


@pytest.mark.parametrize("booted", ["true", "false"])
@pytest.mark.parametrize(("enabled", "rests"), [("true", True), ("false", False)])
def test_a_broker_that_came_along_is_stopped_and_starts_with_no_machine(
    tmp_path: Path, enabled: str, rests: bool, booted: str
) -> None:
    script = f"""
        is_booted() {{ {booted}; }}
        systemctl() {{ echo "$*" >>"$scratch/calls"; [[ $* != *is-enabled* ]] || {enabled}; }}
        rest_broker
    """
    assert in_bash(tmp_path, script).returncode == 0
    assert any("disable mosquitto" in call for call in calls(tmp_path)) == rests
    assert any("stop mosquitto" in call for call in calls(tmp_path)) == (rests and booted == "true")


def test_a_broker_that_was_there_before_is_left(tmp_path: Path) -> None:
    steps = ("install_program", "install_hub_user", "install_database", "install_hub_settings", "install_hub_unit",
             "start_hub", "install_packages")  # fmt: skip
    quiet = "\n".join(f"{step}() {{ :; }}" for step in steps)
    for there, rested in (("true", ""), ("false", "rested\n")):
        script = f"is_installed() {{ {there}; }}\nrest_broker() {{ echo rested; }}\n{quiet}\ninstall_hub {ROOT}"
        assert in_bash(tmp_path, script).stdout == rested


def test_the_unit_is_installed_and_enabled_and_no_other_one(tmp_path: Path) -> None:
    printed(tmp_path, f"install_hub_unit {ROOT}")
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


@on_each_machine
def test_what_the_hub_needs_is_locked_and_the_rest_is_as_for_a_table(machine: dict[str, str]) -> None:
    ours = {pin.name: (pin.version, pin.hashes) for pin in HUB_PINS if applies(pin.requirement, machine)}
    table = {pin.name: (pin.version, pin.hashes) for pin in PINS if applies(pin.requirement, machine)}
    assert table.items() <= ours.items(), "run make lock"
    assert {"alembic", "argon2-cffi", "openskill", "ortools", "psycopg", "sqlalchemy"} <= ours.keys()
    assert all(hashes for _, hashes in ours.values())
    assert "numpy" not in ours
