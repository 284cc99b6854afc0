"""What the installer's bench notices in what the doctor says on the installed system."""

import json
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bench.install import ask_doctor
from bench.packaged import Trial
from bench.roots import Booted, Found, Root, why_again
from companion.words.doctor import DoctorVoice


def until(holds: Callable[[], bool]) -> bool:
    """Wait until it holds, for a minute at most; return whether it does."""
    until_s = time.monotonic() + 60
    while not holds() and time.monotonic() < until_s:
        time.sleep(0.01)
    return holds()


class Told:
    """A system whose doctor finds these things to do, and says so in that language."""

    def __init__(self, to_do: Sequence[str], language: str = "de") -> None:
        self.to_do, self.language = to_do, language

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        codes = {"settings": "settings", "network": "network-none", "power": "power"}
        facts = {"file": "/etc/strada/strada.toml"}
        voice = DoctorVoice(language=self.language)
        checks = [
            {
                "check": name,
                "grade": "todo" if name in self.to_do else "ok",
                "code": code,
                "facts": facts,
                "found": voice.found(code, facts),
            }
            for name, code in codes.items()
        ]
        said = json.dumps({"checks": checks}) if "--json" in command else "said"
        return subprocess.CompletedProcess(command, 1 if self.to_do else 0, said, "")


@pytest.mark.parametrize(
    ("to_do", "language", "wrong"),
    [
        (["network"], "de", 0),
        (["network", "power"], "de", 1),
        (["power"], "de", 1),
        ([], "de", 2),
        (["network"], "en", 3),
    ],
    ids=["no network alone", "no power either", "no power, but a network", "nothing", "not in German"],
)
def test_a_missing_network_is_all_that_the_doctor_may_find(to_do: Sequence[str], language: str, wrong: int) -> None:
    found = Found("bookworm")
    ask_doctor(found, Told(to_do, language))
    assert len(found.wrong) == wrong


def test_a_silent_doctor_is_a_fault() -> None:
    class Silent(Told):
        def run(self, *command: str) -> subprocess.CompletedProcess[str]:
            return subprocess.CompletedProcess(command, 2, "", "Traceback")

    found = Found("bookworm")
    ask_doctor(found, Silent([]))
    assert len(found.wrong) == 2


@pytest.mark.parametrize(
    ("after", "why"),
    [
        (("7", 2), ""),
        (("9", 3), "it ended or hung by itself"),
        (("9", 2), "somebody started it again"),
        (("9", 0), "somebody started it again"),
    ],
    ids=["the same one", "a hang on a busy machine", "the installer", "the installer, after which systemd counts anew"],
)
def test_a_hang_on_a_busy_machine_is_not_blamed_on_the_installer(after: tuple[str, int], why: str) -> None:
    assert why_again(("7", 2), after) == why


@dataclass(frozen=True)
class Updating(Booted):
    """A system whose update goes through `states`, one each time it is asked, and says what it did only at the end."""

    states: list[str] = field(default_factory=lambda: ["activating", "inactive"])

    def shown(self, unit: str, name: str) -> str:
        assert (unit, name) == ("strada-update", "ActiveState")
        return self.states.pop(0) if len(self.states) > 1 else self.states[0]

    def run(self, *command: str, timeout_s: float = 300) -> subprocess.CompletedProcess[str]:
        said = "taken back" if self.states == ["inactive"] else ""
        return subprocess.CompletedProcess(command, 0, said, "")


def test_the_journal_of_an_update_is_read_when_it_has_ended(tmp_path: Path) -> None:
    trial = Trial(Found("bookworm"), Updating("1", 0.0), Root(tmp_path), lambda _system, _least: [])
    assert trial.said() == "taken back"


def test_a_suite_that_breaks_off_keeps_its_figures_and_says_why() -> None:
    found = Found("trixie")
    with found.whole():
        found.figures["python"] = "3.13"
        raise subprocess.TimeoutExpired(["debootstrap"], 1200)
    assert found.figures == {"python": "3.13"}
    assert "timed out after 1200 seconds" in found.wrong[0]


def test_a_system_whose_making_takes_too_long_leaves_nothing_behind_that_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, number = tmp_path / "debootstrap", tmp_path / "number"
    program.write_text(f"#!/bin/sh\nsleep 600 &\necho $! >{number}.new; mv {number}.new {number}\nwait\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    wait = subprocess.Popen.wait

    def waited(process: subprocess.Popen[bytes], timeout: float | None = None) -> int:
        if timeout is not None:
            assert until(number.exists)
            raise subprocess.TimeoutExpired("debootstrap", timeout)
        return wait(process)

    monkeypatch.setattr(subprocess.Popen, "wait", waited)
    with pytest.raises(subprocess.TimeoutExpired):
        Root.made("trixie", tmp_path / "system", "http://127.0.0.1:9/")
    state = Path(f"/proc/{number.read_text().strip()}/stat")
    assert until(lambda: not state.exists() or " Z " in state.read_text())
