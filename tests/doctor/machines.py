"""A machine for the doctor to look at: a folder in place of /proc, /sys and /dev, and made-up commands."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from companion.doctor import Account, Machine, Ran

NOW = datetime(2027, 3, 1, 20, 0, tzinfo=UTC)
PI = "Raspberry Pi 4 Model B Rev 1.5"
ADA = Account("ada", 4711, frozenset({4711}))
STRADA = Account("strada", 997, frozenset({997}))


@dataclass
class Fake:
    """A made-up machine: files are written to it, commands are given answers, and `machine` is the result."""

    root: Path
    now: datetime = NOW
    caller: Account = ADA
    service: Account | None = None
    answers: dict[str, Ran] = field(default_factory=dict)
    asked: list[Sequence[str]] = field(default_factory=list)

    def write(self, path: str, text: str = "") -> Path:
        """Put that text into the file."""
        there = self.root / path.lstrip("/")
        there.parent.mkdir(parents=True, exist_ok=True)
        there.write_text(text)
        return there

    def says(self, command: str, said: str, status: int = 0) -> None:
        """Let the command of that name, or of that name with an option ("systemctl --value"), answer this."""
        self.answers[command] = Ran(status, said)

    def be_pi(self) -> None:
        """Make it a Raspberry Pi."""
        self.write("/proc/device-tree/model", f"{PI}\0")

    @property
    def machine(self) -> Machine:
        return Machine(self.root, self._run, lambda: self.now, self.caller, self.service)

    def _run(self, command: Sequence[str]) -> Ran | None:
        self.asked.append(command)
        named = [self.answers.get(f"{command[0]} {option}") for option in command[1:]]
        return next((answer for answer in named if answer), self.answers.get(command[0]))
