"""Strada installed for real, in a fresh Debian system of each suite, which is then booted with its own systemd.

The installer runs twice. The service comes up by itself under its hardening, and a drawn game is played through port
80. It is killed, it hangs, the former version takes its place and gives it back, it is stopped, and it is removed
again. Its games must still be there. Then it comes as a package, and is updated by signed ones (packaged.py).

sudo python -m bench.install --suites bookworm trixie [--arm64]

`--arm64` does the same in systems for a Raspberry Pi's processor, slowly, by emulation, and compares what is read there
with what a system for this machine's processor reads (`bench.alike`).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Set
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from bench import instructions
from bench.alike import DRAWN, read_alike
from bench.bars import Bar, told
from bench.packaged import Trial
from bench.plugs import goes_on
from bench.roots import ARM64, Booted, Found, Root, bear_with, is_emulated, missing_here, why_again
from companion.doctor import Grade
from companion.logbook.archive import opened_archive
from companion.records.giving import record_of
from companion.terminal import printable
from companion.words.doctor import DoctorVoice

#: The most that the unit may be exposed, on systemd's own scale from 0 to 10; the most seconds until it stops, and
#: until a hang ends.
MOST_EXPOSURE, STOP_S, HANG_S = 2.5, 2.0, 30.0

#: How many moves are played before it is killed, and each time after it has come up again.
MOVES, MORE_MOVES = 6, 2

#: The longest that a game may take to get that far.
PATIENCE_S = 180.0

CHECKOUT = "/root/strada"
INSTALLER = f"{CHECKOUT}/systemd/install.sh"
DATA = "var/lib/strada"
#: The doctor must find this to do: once booted, the system has no network, and nothing else may be wrong with it.
TO_DO = {"network"}
#: And may find this where the processor is emulated: the service answers later than the doctor waits.
TO_DO_SLOWLY = {"port"}
ADDRESS = "http://127.0.0.1"
STRADA = ("runuser", "-u", "strada", "--", "strada")

#: These change whenever anything runs, and are not the installer's doing: logs, caches, lists of packages.
_FLEETING = re.compile(r"^(var/(log|cache|lib/apt|lib/systemd|tmp)|tmp|run|proc|sys|dev|root/\.cache)(/|$)|\.pyc$")


class Asked(Protocol):
    """A system in which commands are run."""

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command in it, as root."""


def installed(suite: str, folder: Path, mirror: str, architecture: str = "") -> Found:
    """Install, play, disturb and remove Strada in a system of that suite and architecture ("": this machine's)."""
    found = Found(f"{suite} {architecture}".strip())
    with found.whole():
        _tried(found, suite, folder, mirror, architecture)
    return found


def _tried(found: Found, suite: str, folder: Path, mirror: str, architecture: str) -> None:
    with found.step("the system is made"):
        root = Root.made(suite, folder / suite, mirror, architecture)
        _bring_checkout(root)
    _install(found, root)
    if architecture:
        _compare(found, root, Root.made(suite, folder / f"{suite}-here", mirror))
    _update(found, root)
    with root.booted() as system:
        found.took("it boots, and the service with it", system.booted_s)
        if system.is_emulated and not system.starts_services():
            found.show("Under this qemu, this systemd starts no services: the rest is left to make bench-card.")
            return
        sees_apart = bear_with(system) if system.is_emulated else True
        _look(found, system, sees_apart)
        announced = _play(found, system, root)
        _install_again(found, system, root)
        _go_back(found, system, root)
        _stop(found, system)
        _remove(found, system, root, announced)
        if not system.is_emulated:
            Trial(found, system, root, _moves).run(folder / f"{suite}-packages")


def _bring_checkout(root: Root) -> None:
    """Copy all committed files into the system."""
    target = root.folder / CHECKOUT.lstrip("/")
    target.mkdir(parents=True)
    here = Path(__file__).resolve().parents[1]
    with subprocess.Popen(["git", "-C", str(here), "archive", "HEAD"], stdout=subprocess.PIPE) as archive:
        subprocess.run(["tar", "-x", "-C", str(target)], stdin=archive.stdout, check=True)


def _install(found: Found, root: Root) -> None:
    """Install twice while nothing runs, as in an image: the second time changes nothing at all."""
    with found.step("the installer, first time"):
        done = root.run(INSTALLER)
    found.show(done.stdout + _told(done.stderr))
    found.expect(done.returncode == 0, f"the installer ended with {done.returncode}")
    before = _files(root.folder)
    with found.step("the installer, second time"):
        again = root.run(INSTALLER)
    found.expect("Nothing was changed." in again.stdout, f"the second time changed something: {again.stdout}")
    changed = {path for path, _ in before ^ _files(root.folder)}
    found.expect(not changed, f"the second time touched {', '.join(sorted(changed)[:5])}")
    asked = "import numpy, cv2, sys; print(numpy.__version__, cv2.__version__, numpy.__file__, sys.version.split()[0])"
    numpy, opencv, place, python = root.run("/opt/strada/.venv/bin/python", "-c", asked).stdout.split()
    found.expect(place.startswith("/usr/lib/python3/"), f"numpy is {place}, and not the system's")
    found.figures |= {"python": python, "numpy": numpy, "opencv": opencv}


def _compare(found: Found, root: Root, peer: Root) -> None:
    """Install in a system of this machine's processor too, and read the same photographs in both."""
    _bring_checkout(peer)
    done = peer.run(INSTALLER)
    found.expect(done.returncode == 0, f"the installer ended with {done.returncode} in the system to compare with")
    with found.step("a drawn table is read in both"):
        alike = read_alike(root, peer)
    found.figures |= alike.figures
    for sentence in alike.wrong:
        found.expect(False, sentence)
    if missing := instructions.missing_here():
        found.show(missing)
        return
    with found.step("its instructions are counted"):
        millions = instructions.counted(root, DRAWN)
    found.figures |= {"millions of instructions": millions, "reckoned_s": instructions.reckoned(millions)}


def _update(found: Found, root: Root) -> None:
    """Install another state of the program over it: the new one runs, and the old one is kept."""
    before = _programs(root)["runs"]
    _change(root)
    with found.step("an update"):
        done = root.run(INSTALLER)
    found.expect(done.returncode == 0, f"the update ended with {done.returncode}: {done.stderr}")
    after = _programs(root)
    kept = after == {"runs": after["runs"], "former": before, "there": {after["runs"], before}}
    found.expect(kept and after["runs"] != before, f"{before} was updated, and now there are {after}")


def _programs(root: Root) -> dict[str, Any]:
    """Return the names of the program that runs, of the former one if there is one, and of all that are there."""
    opt = root.folder / "opt/strada"
    links = {"runs": opt / ".venv", "former": opt / ".venv.former"}
    named = {what: link.readlink().name for what, link in links.items() if link.is_symlink()}
    return named | {"there": {path.name for path in opt.glob("venv-*")}}


def _change(root: Root) -> None:
    """Make the checkout another state of the program."""
    source = root.folder / CHECKOUT.lstrip("/") / "companion" / "__init__.py"
    source.write_text(source.read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")


def _look(found: Found, system: Booted, sees_apart: bool) -> None:
    """Look at the units as this suite's systemd sees them, and ask the doctor.

    `sees_apart`: services see only the files that they are given.
    """
    found.expect(system.shown("strada", "ActiveState") == "active", "the service did not start with the machine")
    bus = ("test", "-S", "/run/dbus/system_bus_socket")
    inside = ("nsenter", "--target", system.shown("strada", "MainPID"), "--mount")
    found.expect(system.run(*bus).returncode == 0, "this system has no bus, so nothing is hidden from the service")
    if sees_apart:
        found.expect(system.run(*inside, *bus).returncode == 1, "the service sees the system's bus")
    else:
        found.show("Under this qemu, services cannot have a view of the files of their own: ours runs without.")
    units = system.run("sh", "-c", "ls /etc/systemd/system/strada*").stdout.split()
    with found.step("systemd looks at the units"):
        verified = system.run("systemd-analyze", "verify", "--man=no", *units)
        for unit in units:
            if unit.endswith(".service") and (sees_apart or not unit.endswith("/strada.service")):
                said = system.run("systemd-analyze", "security", "--no-pager", Path(unit).name).stdout
                score = re.findall(r"exposure level for \S+: ([\d.]+)", said)
                found.figures[f"exposure of {Path(unit).name}"] = float(score[0]) if score else None
    ours = [line for line in verified.stderr.splitlines() if "strada" in line]
    found.expect(verified.returncode == 0 and not ours, f"systemd-analyze verify: {ours or verified.stderr}")
    with found.step("the doctor"):
        ask_doctor(found, system, TO_DO_SLOWLY if system.is_emulated else set())


def ask_doctor(found: Found, system: Asked, perhaps: Set[str] = frozenset()) -> None:
    """Ask the doctor in words, and in German as JSON: the only thing to do is about the network, missing by design.

    `perhaps` are further checks that may find something to do.
    """
    doctor = (*STRADA, "doctor", "--settings", "/etc/strada/strada.toml")
    said = system.run(*doctor)
    found.show(said.stdout + said.stderr)
    found.figures["doctor"] = said.returncode
    found.expect(said.returncode == 1, f"the doctor ended with {said.returncode}, though there is no network")
    told = system.run(*doctor, "--json", "--lang", "de").stdout
    try:
        checks = json.loads(told)["checks"]
    except (ValueError, LookupError):
        found.expect(False, f"the doctor's --json is {told[:200]!r}")
        return
    to_do = {check["check"]: check["found"] for check in checks if check["grade"] == Grade.TODO}
    found.expect(set(to_do) - perhaps == TO_DO, f"the doctor finds to do: {to_do}")
    voice = DoctorVoice(language="de")
    for check in checks:
        words = printable(voice.found(check["code"], check["facts"]))
        found.expect(check["found"] == words, f"the doctor says in German: {check['found']}")


def _play(found: Found, system: Booted, root: Root) -> list[Any]:
    """Play a drawn game through the pages; kill the service, and hang it; return the moves announced."""
    with found.step(f"a drawn game of {MOVES} moves"):
        announced = _moves(system, MOVES)
    found.expect(len(announced) >= MOVES, f"only {len(announced)} moves were played")
    for name, signal, restarts in (("killed", "SIGKILL", 1), ("hung", "SIGSTOP", 2)):
        before = system.shown("strada", "MainPID")
        with found.step(f"{name}, until it is started again"):
            system.run("systemctl", "kill", f"--signal={signal}", "strada")
            _until(partial(_is_another, system, before), system)
        with found.step(f"{name}, from there until it is ready"):
            _until(lambda: system.shown("strada", "ActiveState") == "active", system)
        found.expect(system.shown("strada", "NRestarts") == str(restarts), f"{name}: it was not started again once")
        record = _moves(system, 1)
        held = goes_on(announced, record, root.folder / DATA)
        found.expect(held, f"{name}: {len(announced)} moves were announced, {len(record)} are there")
        announced = _moves(system, len(record) + MORE_MOVES)
    found.figures["moves"] = len(announced)
    _read_journal(found, system)
    return announced


def _is_another(system: Booted, before: str) -> bool:
    return system.shown("strada", "MainPID") not in ("0", before)


def _moves(system: Booted, least: int) -> list[Any]:
    """Hurry the players; return the moves announced once there are enough, or after a while whatever there is."""
    headers = {"Origin": ADDRESS, "X_Strada": "1", "Content_Type": "application/json"}
    system.ask(f"{ADDRESS}/commands/faster", "{}", **headers)

    def moves() -> list[Any]:
        record = system.ask(f"{ADDRESS}/record.json")
        return list(json.loads(record)["moves"]) if record else []

    _until(lambda: len(moves()) >= least, system)
    return moves()


def _read_journal(found: Found, system: Booted) -> None:
    """Look for personal data in what the service logged: names and addresses, the keeper's PIN."""
    said = system.run("journalctl", "--output=cat", "_SYSTEMD_UNIT=strada.service").stdout
    found.show(said)
    settings = system.run("cat", "/etc/strada/strada.toml").stdout
    for name in re.findall(r'name = "(\w+)"', settings):
        found.expect(not re.search(rf"\b{name}\b", said), f"the journal names {name}, a player")
    found.figures["lines in the journal"] = len(said.splitlines())


def _install_again(found: Found, system: Booted, root: Root) -> None:
    """Install while it runs, and without a network: nothing changes, and nobody's game is cut off."""
    before = system.runs_as("strada")
    with found.step("the installer, while it runs and without a network"):
        done = system.run(INSTALLER)
    found.expect("Nothing was changed." in done.stdout, f"it changed something: {done.stdout}{done.stderr}")
    _change(root)
    with found.step("an update without a network"):
        done = system.run(INSTALLER)
    found.show(done.stderr)
    is_said = done.returncode == 1 and len(done.stderr.splitlines()) == 1 and "network is not reached" in done.stderr
    found.expect(is_said, f"an update without a network ended with {done.returncode}: {done.stderr}")
    left = _programs(root)["there"]
    found.expect(len(left) == 2, f"after an update without a network there are {' and '.join(sorted(left))}")
    why = why_again(before, system.runs_as("strada"))
    found.expect(not why, f"the service is another process after it: {why}")


def _go_back(found: Found, system: Booted, root: Root) -> None:
    """Go back to the former version, and forward again, without a network: each runs, in the same game."""
    for name in ("gone back to the former version", "and to the newer one again"):
        before, announced = _programs(root), _moves(system, 1)
        with found.step(name):
            done = system.run(INSTALLER, "--former")
        found.expect(done.returncode == 0, f"{name}: it ended with {done.returncode}: {done.stderr}")
        swapped = {"runs": before["former"], "former": before["runs"], "there": before["there"]}
        found.expect(_programs(root) == swapped, f"{name}: there are {_programs(root)}")
        found.expect(system.shown("strada", "ActiveState") == "active", f"{name}: the service does not run")
        record = _moves(system, 1)
        held = goes_on(announced, record, root.folder / DATA)
        found.expect(held, f"{name}: {len(announced)} moves were announced, {len(record)} are there")


def _stop(found: Found, system: Booted) -> None:
    began_s = time.monotonic()
    system.run("systemctl", "stop", "strada")
    found.figures["stop_s"] = round(time.monotonic() - began_s, 2)
    found.expect(system.shown("strada", "Result") == "success", "a stop is not a success")


def _remove(found: Found, system: Booted, root: Root, announced: list[Any]) -> None:
    """Remove it while it runs: nothing of it is left but games, tables and settings."""
    system.run("systemctl", "start", "strada")
    with found.step("it is removed"):
        done = system.run(INSTALLER, "--remove")
    found.show(done.stdout + done.stderr)
    found.expect(done.returncode == 0, f"--remove ended with {done.returncode}")
    ours = r"^(var/lib/strada|etc/strada|root/strada)(/|$)"
    left = sorted(path for path, _ in _files(root.folder) if "strada" in path and not re.match(ours, path))
    found.expect(not left, f"left behind: {', '.join(left[:5])}")
    found.expect(system.ask(f"{ADDRESS}/") is None, "it still answers on port 80")
    found.expect((root.folder / "etc/strada/strada.toml").is_file(), "the settings are gone")
    with opened_archive(root.folder / DATA) as archive:
        kept = [json.loads(record_of(archive, game))["moves"] for game in archive.games()]
    found.expect(any(moves[: len(announced)] == announced for moves in kept), "the game is not in the logbook any more")
    again = system.run(INSTALLER, "--remove").stdout
    found.expect("Nothing was changed." in again, f"removing twice changed something: {again}")


def _files(folder: Path) -> set[tuple[str, tuple[int, int, int]]]:
    """Return every file of the system with its permissions, size and time of change, except for fleeting ones."""
    files = set()
    for place, folders, names in os.walk(folder):
        inside = os.path.relpath(place, folder)
        folders[:] = [each for each in folders if not _FLEETING.search(f"{inside}/{each}".removeprefix("./"))]
        for name in names:
            path, stat = f"{inside}/{name}".removeprefix("./"), Path(place, name).lstat()
            if not _FLEETING.search(path):
                files.add((path, (stat.st_mode, stat.st_size, stat.st_mtime_ns)))
    return files


def _told(text: str) -> str:
    """Return the text without the lines of nspawn itself."""
    return "".join(f"{line}\n" for line in text.splitlines() if "/run/systemd/nspawn" not in line)


def _until(holds: Callable[[], bool], system: Booted) -> None:
    """Wait for a while until the condition holds."""
    until_s = time.monotonic() + system.patience * PATIENCE_S
    while not holds() and time.monotonic() < until_s:
        time.sleep(0.2)


def main() -> None:
    """Print each step's seconds, the bars, and the figures as one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, help="not needed: the table is drawn")
    parser.add_argument("--suites", nargs="+", default=["bookworm", "trixie"])
    parser.add_argument("--mirror", default="http://deb.debian.org/debian")
    parser.add_argument("--arm64", action="store_true", help="systems for a Raspberry Pi's processor")
    arguments = parser.parse_args()
    architecture = ARM64 if arguments.arm64 else ""
    if missing := missing_here(architecture):
        print(f"strada: {missing}", file=sys.stderr)
        sys.exit(2)
    with tempfile.TemporaryDirectory(prefix="strada-install-") as folder:
        every = [installed(suite, Path(folder), arguments.mirror, architecture) for suite in arguments.suites]
    bars = told(_bars(every, is_emulated(architecture)))
    print(json.dumps({"suites": {each.suite: _figures(each) for each in every}, "bars": bars}))


def _bars(every: list[Found], is_slow: bool) -> list[Bar]:
    """Return the bars; those of time only if the processor is not emulated."""
    unit = "exposure of strada.service"
    exposures = [found.figures[unit] or 10.0 for found in every if unit in found.figures]
    bars = [Bar("what is not as it should be", sum(len(found.wrong) for found in every), 0, "things")]
    if exposures:
        bars.append(Bar(f"{unit} (systemd-analyze security)", max(exposures), MOST_EXPOSURE, "of 10"))
    if is_slow:
        return bars
    hangs = [found.seconds.get("hung, until it is started again", 1e9) for found in every]
    return [
        *bars,
        Bar("from a hang until the service is started again", max(hangs), HANG_S, "s"),
        Bar("a stop", max(found.figures.get("stop_s", 1e9) for found in every), STOP_S, "s"),
    ]


def _figures(found: Found) -> dict[str, Any]:
    return {"seconds": found.seconds, **found.figures, "wrong": found.wrong}


if __name__ == "__main__":
    main()
