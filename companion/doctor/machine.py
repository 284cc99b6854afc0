"""The machine as the checks see it, and what they say about it.

They see files under /proc, /sys, /dev and /etc, commands, the clock, and the user. They say how serious something is,
and a code with facts whose sentences are looked up per language.
"""

from __future__ import annotations

import enum
import grp
import os
import pwd
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

#: How long a command may take.
COMMAND_S = 5.0

#: The user that the service runs as.
SERVICE_USER = "strada"


@dataclass(frozen=True, slots=True)
class Ran:
    """A command that ended: its exit status, and what it wrote."""

    status: int
    output: str


@dataclass(frozen=True, slots=True)
class Account:
    """A user of this machine."""

    name: str
    uid: int
    gids: frozenset[int] = frozenset()

    @property
    def is_root(self) -> bool:
        """Whether permissions do not matter to this user."""
        return self.uid == 0


def run(command: Sequence[str], timeout_s: float = COMMAND_S) -> Ran | None:
    """Run the command in the C locale; None if there is no such command, or it did not end in time."""
    environment = {**os.environ, "LC_ALL": "C", "SYSTEMD_PAGER": "", "SYSTEMD_COLORS": "0"}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=timeout_s, check=False, env=environment
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return Ran(done.returncode, done.stdout)


def caller() -> Account:
    """Return the user that runs this process."""
    uid = os.geteuid()
    try:
        name = pwd.getpwuid(uid).pw_name
    except KeyError:
        name = str(uid)
    return Account(name, uid, frozenset({os.getegid(), *os.getgroups()}))


def account(name: str) -> Account | None:
    """Return the user of that name; None if there is none."""
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        return None
    return Account(name, entry.pw_uid, frozenset({*os.getgrouplist(name, entry.pw_gid)}))


def group_name(gid: int) -> str:
    """Return the group's name, or its number if it has none."""
    try:
        return grp.getgrgid(gid).gr_name
    except KeyError:
        return str(gid)


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine that is examined. `service` is the user the service runs as, None if there is no such user."""

    root: Path = Path("/")
    run: Callable[[Sequence[str]], Ran | None] = run
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    caller: Account = field(default_factory=caller)
    service: Account | None = field(default_factory=lambda: account(SERVICE_USER))

    @property
    def player(self) -> Account:
        """The user the companion runs as: the service's user if there is one, else the caller."""
        return self.service or self.caller

    def at(self, path: str | Path) -> Path:
        """Return that absolute path under `root`; one that `find` has found stays as it is."""
        return Path(path) if Path(path).is_relative_to(self.root) else self.root / str(path).lstrip("/")

    def read(self, path: str | Path) -> str | None:
        """Return the stripped text of a file; None if it does not exist or cannot be read."""
        try:
            return self.at(path).read_bytes().decode(errors="replace").strip("\0 \n\t")
        except OSError:
            return None

    def find(self, folder: str, pattern: str) -> list[Path]:
        """Return the files in the folder that match that pattern, sorted by name."""
        return sorted(self.at(folder).glob(pattern))

    @property
    def pi(self) -> str:
        """Which Raspberry Pi this is; "" for another machine."""
        model = self.read("/proc/device-tree/model") or ""
        return model if "Raspberry Pi" in model else ""

    @property
    def has_systemd(self) -> bool:
        """Whether systemd runs this machine, as sd_booted(3) tells."""
        return self.at("/run/systemd/system").is_dir()


#: Numbers are written the way each language writes them, texts as they are.
Fact = str | int | float


class Grade(enum.StrEnum):
    """How serious it is."""

    OK = "ok"
    NOTE = "note"  #: worth knowing, nothing must be done
    TODO = "todo"  #: something must be done
    UNKNOWN = "unknown"  #: this machine cannot tell


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a check; `code` names its sentences in companion.words.machine, `facts` go into them."""

    grade: Grade
    code: str
    facts: Mapping[str, Fact] = field(default_factory=dict)


def ok(code: str, **facts: Fact) -> Finding:
    """Find that there is nothing to do."""
    return Finding(Grade.OK, code, facts)


def note(code: str, **facts: Fact) -> Finding:
    """Find something worth knowing."""
    return Finding(Grade.NOTE, code, facts)


def todo(code: str, **facts: Fact) -> Finding:
    """Find that something must be done."""
    return Finding(Grade.TODO, code, facts)


def unknown(code: str, **facts: Fact) -> Finding:
    """Find that there is no way to tell."""
    return Finding(Grade.UNKNOWN, code, facts)
