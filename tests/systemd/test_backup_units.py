"""The units of the nightly copy: what they start, what they may, and what systemd itself says of them."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from companion.cli import group

ROOT = Path(__file__).parents[2]
SERVICE, TIMER = (ROOT / "systemd" / f"strada-backup.{kind}" for kind in ("service", "timer"))

#: systemd's own scale is from 0 (nothing is exposed) to 10, times ten for its option: the unit has 0.2.
MOST_EXPOSURE = 10

needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is not there: apt install systemd"
)


def told(unit: Path, name: str) -> list[str]:
    """What the unit assigns to that name, in order."""
    return re.findall(rf"^{name}=(.*)$", unit.read_text(), re.MULTILINE)


def test_it_copies_the_logbook_of_the_companions_own_service() -> None:
    (started,) = told(SERVICE, "ExecStart")
    (running,) = told(ROOT / "systemd" / "strada.service", "ExecStart")
    program, name, *arguments = started.split()
    assert program == running.split()[0]
    assert (name, arguments) == ("backup", ["--nightly", "--data", "/var/lib/strada"])
    command = group.get_command(None, name)
    assert set(arguments[:2]) <= {option for parameter in command.params for option in parameter.opts}
    for key in ("User", "Group", "StateDirectory", "StateDirectoryMode", "UMask"):
        assert told(SERVICE, key) == told(ROOT / "systemd" / "strada.service", key)


def test_before_the_first_game_it_does_not_fail() -> None:
    assert told(SERVICE, "ConditionPathExists") == ["/var/lib/strada/logbook.sqlite"]


def test_a_table_that_was_off_at_night_is_copied_when_it_is_on() -> None:
    assert told(TIMER, "Persistent") == ["yes"]
    assert told(TIMER, "OnCalendar") == ["*-*-* 04:30:00"]
    # Without a network the clock goes on from where it stood at the wall: half past four hardly ever comes.
    assert told(TIMER, "OnBootSec") == ["20min"]
    assert told(TIMER, "WantedBy") == ["timers.target"]


@pytest.fixture
def units(tmp_path: Path) -> list[str]:
    """The units with a program that there is on this machine."""
    started = told(SERVICE, "ExecStart")[0].split()[0]
    for unit in (SERVICE, TIMER):
        (tmp_path / unit.name).write_text(unit.read_text().replace(started, shutil.which("true") or "/bin/true"))
    return [str(tmp_path / unit.name) for unit in (SERVICE, TIMER)]


def analyzed(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["systemd-analyze", *arguments], capture_output=True, text=True, timeout=60, check=False)


@needs_systemd
def test_systemd_finds_no_fault_in_the_units(units: list[str]) -> None:
    done = analyzed("verify", "--man=no", "--recursive-errors=no", *units)
    assert (done.returncode, done.stderr) == (0, "")


@needs_systemd
def test_systemd_finds_next_to_nothing_exposed(units: list[str]) -> None:
    done = analyzed("security", "--offline=true", "--no-pager", f"--threshold={MOST_EXPOSURE}", units[0])
    if "unrecognized option" in done.stderr:
        pytest.skip("this systemd-analyze is older than 250 and cannot look at a file")
    assert done.returncode == 0, done.stdout.splitlines()[-1:]
