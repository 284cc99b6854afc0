"""A hub installed for real, in a fresh Debian system of each suite, which is then booted with its own systemd.

`install.sh --hub` runs twice while nothing runs, as in an image, and again once the system is booted. An organiser
makes an account with the code from the journal, and a drawn table joins with a pairing code and is played at. The hub
is killed, updated and taken back. Its database goes a step forward and is brought back from its copy. Last, it is
removed.

sudo python -m bench.install_hub --suites bookworm
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.bars import Bar, told
from bench.install import CHECKOUT, INSTALLER, MOST_EXPOSURE, _bring_checkout, _files, _told, _until
from bench.roots import Booted, Found, Root, missing_here

UNIT, SERVICE, HUB, TABLE = "strada-hub.service", "strada-hub", "http://127.0.0.1:8700", "http://127.0.0.1:8000"
DATABASE = ("runuser", "-u", "postgres", "--", "psql", "-XAt", "--dbname=strada_hub", "-c")
COPY = "/var/lib/strada-hub/before.dump"

#: A step of the database that a later version might bring.
STEP = '''"""Tried."""
import sqlalchemy as sa
from alembic import op
revision = "9999"
down_revision = "{before}"
branch_labels = None
depends_on = None
def upgrade() -> None:
    """A table more."""
    op.create_table("tried", sa.Column("n", sa.Integer, primary_key=True))
'''

#: How people bring back the earlier database; docs/hub.md has the same line.
BRING_BACK = f"cat {COPY} | runuser -u postgres -- pg_restore --clean --create --dbname=postgres"

#: A program that signs in, makes a pairing code and prints it.
_PAIR = """
import http.client, json, sys
def post(path, body, cookie=""):
    asking = http.client.HTTPConnection("127.0.0.1", 8700, timeout=20)
    own = {"Content-Type": "application/json", "X-Strada": "1", "Origin": "http://127.0.0.1:8700", "Cookie": cookie}
    asking.request("POST", path, json.dumps(body), own)
    answer = asking.getresponse()
    return answer.status, json.loads(answer.read()), (answer.headers["Set-Cookie"] or "").partition(";")[0]
status, said, cookie = post("/welcome", {"name": "Oda", "password": "correct horse", "code": sys.argv[1]})
assert status == 201, said
status, said, _ = post("/organise/code", {}, cookie)
assert status == 201, said
print(said["code"])
"""


def installed(suite: str, folder: Path, mirror: str, made: Path | None = None) -> Found:
    """Install, use, disturb and remove a hub in a system of that suite; `made` is one that is there already."""
    found = Found(suite)
    with found.whole():
        _tried(found, suite, folder, mirror, made)
    return found


def _tried(found: Found, suite: str, folder: Path, mirror: str, made: Path | None) -> None:
    with found.step("the system is made"):
        if made is not None:
            shutil.rmtree(made / CHECKOUT.lstrip("/"), ignore_errors=True)
        root = Root(made) if made is not None else Root.made(suite, folder / suite, mirror)
        _bring_checkout(root)
    _install(found, root)
    with root.booted() as system:
        found.took("it boots, and the hub with it", system.booted_s)
        _until(lambda: bool(system.ask(f"{HUB}/")), system)
        _look(found, system)
        _join(found, system)
        _disturb(found, system)
        _update(found, system, root)
        _go_forward(found, system, root)
        _remove(found, system, root)


def _install(found: Found, root: Root) -> None:
    """Install twice while nothing runs: PostgreSQL is started for it, and the second time changes nothing."""
    with found.step("the installer, first time"):
        done = root.run(INSTALLER, "--hub")
    found.show(done.stdout + _told(done.stderr))
    found.expect(done.returncode == 0, f"the installer ended with {done.returncode}: {done.stderr}")
    before = _ours(root)
    with found.step("the installer, second time"):
        again = root.run(INSTALLER, "--hub")
    found.expect("Nothing was changed." in again.stdout, f"the second time changed something: {again.stdout}")
    found.expect(_ours(root) == before, "the second time touched a file")


def _ours(root: Root) -> set[tuple[str, tuple[int, int, int]]]:
    """Return the files of the system, except PostgreSQL's own, which it writes whenever it starts."""
    return {each for each in _files(root.folder) if not each[0].startswith("var/lib/postgresql")}


def _look(found: Found, system: Booted) -> None:
    """Look at the unit as this suite's systemd sees it, and at what runs."""
    found.expect(system.shown(UNIT, "ActiveState") == "active", "the hub did not start with the machine")
    verified = system.run("systemd-analyze", "verify", "--man=no", f"/etc/systemd/system/{UNIT}")
    ours = [line for line in verified.stderr.splitlines() if "strada" in line]
    found.expect(verified.returncode == 0 and not ours, f"systemd-analyze verify: {ours or verified.stderr}")
    said = system.run("systemd-analyze", "security", "--no-pager", UNIT).stdout
    score = re.findall(r"exposure level for \S+: ([\d.]+)", said)
    found.figures["exposure"] = float(score[0]) if score else 10.0
    found.expect(_brokers(system) == [SERVICE], f"brokers run as {_brokers(system)}")
    found.expect(system.shown("mosquitto.service", "ActiveState") != "active", "Debian's own broker runs beside it")
    who = system.run("stat", "-c", "%U %a", "/var/lib/strada-hub", "/etc/strada/hub.toml").stdout.split("\n")
    found.expect(who[:2] == ["strada-hub 700", "root 640"], f"rights: {who}")
    status = system.run("cat", f"/proc/{system.shown(UNIT, 'MainPID')}/status").stdout
    found.figures["memory_mb"] = round(int((re.findall(r"VmRSS:\s+(\d+)", status) or ["0"])[0]) / 1000)


def _brokers(system: Booted) -> list[str]:
    """Return the user as whom each Mosquitto runs."""
    script = 'for p in /proc/[0-9]*; do [ "$(cat $p/comm 2>/dev/null)" != mosquitto ] || stat -c %U $p; done'
    return system.run("sh", "-c", script).stdout.split()


def _join(found: Found, system: Booted) -> None:
    """Make an account with the code from the journal; a drawn table joins with a pairing code."""
    said = system.run("journalctl", "--output=cat", "-u", UNIT).stdout
    codes = re.findall(r"with the code (\S+)", said)
    found.expect(len(codes) >= 1, f"the journal has no code: {said[-300:]}")
    paired = system.run("python3", "-I", "-c", _PAIR, codes[-1] if codes else "")
    found.expect(paired.returncode == 0, f"no account was made: {paired.stderr[-300:]}")
    settings = f'[hub]\naddress = "{HUB}"\ncode = "{paired.stdout.strip()}"\nname = "By the window"\n'
    system.run("sh", "-c", f"mkdir -p /root/table && printf '%s' '{settings}' >/root/table.toml")
    words = "/opt/strada-hub/.venv/bin/strada run --settings /root/table.toml --data /root/table --camera virtual"
    system.run("systemd-run", "--unit=table", "--", *words.split())
    with found.step("a drawn table joins, and tells of its game"):
        _until(lambda: _events(system) > 0, system)
    found.expect(_events(system) > 0, "no event of the table came")
    headers = {"Origin": TABLE, "X_Strada": "1", "Content_Type": "application/json"}
    system.ask(f"{TABLE}/commands/faster", "{}", **headers)


def _events(system: Booted) -> int:
    said = system.run(*DATABASE, "SELECT count(*) FROM events WHERE event IS NOT NULL").stdout.strip()
    return int(said) if said.isdecimal() else 0


def _goes_on(found: Found, system: Booted, what: str) -> None:
    """Check that the hub runs, has what it had, and hears more."""
    _until(lambda: bool(system.ask(f"{HUB}/")), system)
    found.expect(system.shown(UNIT, "ActiveState") == "active", f"{what}: the hub does not run")
    before = _events(system)
    found.expect(before >= int(found.figures.get("events", 0)), f"{what}: events are gone")
    with found.step(f"{what}, until the table's next event is there"):
        _until(lambda: _events(system) > before, system)
    found.figures["events"] = _events(system)
    found.expect(found.figures["events"] > before, f"{what}: no further event came")
    once = "SELECT count(*) = count(DISTINCT n) AND count(*) = max(n) FROM events"
    found.expect(system.run(*DATABASE, once).stdout.strip() == "t", f"{what}: the table's events are not 1, 2, 3 ...")


def _disturb(found: Found, system: Booted) -> None:
    """Kill the hub, and PostgreSQL; neither loses anything."""
    before = system.shown(UNIT, "MainPID")
    system.run("systemctl", "kill", "--signal=SIGKILL", UNIT)
    _until(lambda: system.shown(UNIT, "MainPID") not in ("0", before), system)
    _goes_on(found, system, "killed")
    found.expect(_brokers(system) == [SERVICE], f"after a kill brokers run as {_brokers(system)}")
    system.run("systemctl", "kill", "--signal=SIGKILL", "postgresql@*")
    system.run("sh", "-c", "sleep 1; systemctl start 'postgresql@*' postgresql; systemctl restart postgresql")
    _goes_on(found, system, "PostgreSQL was killed")
    began_s = time.monotonic()
    system.run("systemctl", "stop", UNIT)
    found.figures["stop_s"] = round(time.monotonic() - began_s, 1)
    found.expect(system.shown(UNIT, "Result") == "success", "a stop is not a success")
    found.expect(not _brokers(system), "its broker stays behind")
    system.run("systemctl", "start", UNIT)
    _goes_on(found, system, "stopped and started")


def _update(found: Found, system: Booted, root: Root) -> None:
    """Install over the running hub, which changes nothing; then let another version run, go back, and forward again."""
    before = _runs(root)
    with found.step("the installer, while it runs"):
        done = system.run(INSTALLER, "--hub")
    found.expect("Nothing was changed." in done.stdout, f"it changed something: {done.stdout}{done.stderr}")
    newer = _another(root)
    for name, runs in (("gone back to the former version", before), ("and to the newer one again", newer)):
        with found.step(name):
            done = system.run(INSTALLER, "--hub", "--former")
        found.expect(done.returncode == 0, f"{name}: it ended with {done.returncode}: {done.stderr}")
        found.expect(_runs(root) == runs, f"{name}: {_runs(root)} runs")
        _goes_on(found, system, name)


def _runs(root: Root) -> str:
    return (root.folder / "opt/strada-hub/.venv").readlink().name


def _another(root: Root) -> str:
    """Let another version run, as an update does; it is a copy of this one, as a booted system has no network."""
    opt = root.folder / "opt/strada-hub"
    runs = (opt / ".venv").readlink()
    newer = runs.with_name("venv-000000000000")
    here = root.folder / str(runs).lstrip("/"), root.folder / str(newer).lstrip("/")
    subprocess.run(["cp", "-a", *map(str, here)], check=True, timeout=300)
    for script in (here[1] / "bin").iterdir():
        if script.is_file() and not script.is_symlink() and str(runs).encode() in (content := script.read_bytes()):
            script.write_bytes(content.replace(str(runs).encode(), str(newer).encode()))
    for name, to in ((".venv", newer), (".venv.former", runs)):
        (opt / name).unlink(missing_ok=True)
        (opt / name).symlink_to(to)
    return newer.name


def _go_forward(found: Found, system: Booted, root: Root) -> None:
    """Let the database go a step forward: it is copied first, going back is refused, and the copy makes it possible."""
    newer, before = _runs(root), system.run(*DATABASE, "SELECT version_num FROM alembic_version").stdout.strip()
    steps = next((root.folder / f"opt/strada-hub/{newer}").glob("lib/python3*/site-packages/hub/migrations/versions"))
    (steps / "v9999_tried.py").write_text(STEP.format(before=before))
    script = f". {INSTALLER}; hub_places; scratch=$(mktemp -d); copy_database; changes=1; start_hub; settle"
    with found.step("its database goes a step forward"):
        done = system.run("bash", "-c", script)
    found.show(done.stdout + done.stderr)
    found.expect("copied to" in done.stdout, f"the database was not copied before: {done.stdout}{done.stderr}")
    _goes_on(found, system, "with a newer database")
    refused = system.run(INSTALLER, "--hub", "--former")
    found.show(refused.stderr)
    is_said = refused.returncode == 1 and "9999" in refused.stderr and len(refused.stderr.splitlines()) == 1
    found.expect(is_said, f"going back was not refused: {refused.returncode} {refused.stderr}")
    found.expect(_runs(root) == newer, "a refusal changed what runs")
    system.run("systemctl", "stop", UNIT)
    back = system.run("sh", "-c", BRING_BACK)
    found.expect(back.returncode == 0, f"the copy was not brought back: {back.stderr}")
    found.figures["events"] = _events(system)
    done = system.run(INSTALLER, "--hub", "--former")
    found.expect(done.returncode == 0, f"after the copy was brought back: {done.returncode}: {done.stderr}")
    _goes_on(found, system, "the database of before, with what the table tells again")


def _remove(found: Found, system: Booted, root: Root) -> None:
    """Remove it while it runs, and then all that it kept."""
    system.run("systemctl", "stop", "table")
    with found.step("it is removed"):
        done = system.run(INSTALLER, "--hub", "--remove")
    found.show(done.stdout + done.stderr)
    found.expect(done.returncode == 0, f"--remove ended with {done.returncode}")
    found.expect(_events(system) > 0, "--remove deleted the database")
    found.expect(system.ask(f"{HUB}/") is None, "it still answers")
    again = system.run(INSTALLER, "--hub", "--remove").stdout
    found.expect("Nothing was changed." in again, f"removing twice changed something: {again}")
    done = system.run(INSTALLER, "--hub", "--remove", "--purge", "--yes")
    found.show(done.stdout + done.stderr)
    names = system.run("sh", "-c", "runuser -u postgres -- psql -XAtlc ''; getent passwd strada-hub").stdout
    found.expect("strada" not in names, f"--purge left {names}")
    ours = r"^(root/strada|root/table)"
    left = sorted(path for path, _ in _files(root.folder) if "strada" in path and not re.match(ours, path))
    found.expect(not left, f"left behind: {', '.join(left[:5])}")


def main() -> None:
    """Print each step's seconds, the bars, and the figures as one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, help="not needed: the table is drawn")
    parser.add_argument("--suites", nargs="+", default=["bookworm", "trixie"])
    parser.add_argument("--mirror", default="http://deb.debian.org/debian")
    parser.add_argument("--made", type=Path, help="a system that is there already, in that folder, instead of new ones")
    arguments = parser.parse_args()
    if missing := missing_here():
        print(f"strada: {missing}", file=sys.stderr)
        sys.exit(2)
    with tempfile.TemporaryDirectory(prefix="strada-install-") as folder:
        place, suites = Path(folder), arguments.suites[:1] if arguments.made else arguments.suites
        every = [installed(suite, place, arguments.mirror, arguments.made) for suite in suites]
    bars = [
        Bar("what is not as it should be", sum(len(found.wrong) for found in every), 0, "things"),
        Bar(f"exposure of {UNIT}", max(found.figures.get("exposure", 10.0) for found in every), MOST_EXPOSURE, "of 10"),
    ]
    figures: dict[str, Any] = {
        each.suite: {"seconds": each.seconds, **each.figures, "wrong": each.wrong} for each in every
    }
    print(json.dumps({"suites": figures, "bars": told(bars)}))


if __name__ == "__main__":
    main()
