"""The result of a check: how serious it is, and a code with facts whose sentences are looked up per language.

The checks run one after the other, each within its time.
"""

from __future__ import annotations

import enum
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

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


#: How long a check may take unless it says otherwise.
LIMIT_S = 10.0


@dataclass(frozen=True, slots=True)
class Check:
    """A check by its name; one that does not end within `limit_s` is given up, and its finding is `late`."""

    name: str
    look: Callable[[], Finding]
    limit_s: float = LIMIT_S
    late: Finding | None = None


def examine(checks: Iterable[Check]) -> Iterator[tuple[Check, Finding]]:
    """Yield each check with its finding, as soon as there is one.

    A check that itself fails cannot tell: the others still run.
    """
    for check in checks:
        yield check, _run(check)


def _run(check: Check) -> Finding:
    """Run the check on a thread of its own: a disk or a driver that hangs blocks its caller for ever."""
    findings: list[Finding] = []

    def look() -> None:
        try:
            findings.append(check.look())
        except Exception as error:  # whatever it is: on a machine that is ill the other checks go on
            findings.append(unknown("failed", why=f"{type(error).__name__}: {error}"))

    thread = threading.Thread(target=look, name=f"check-{check.name}", daemon=True)
    thread.start()
    thread.join(check.limit_s)
    if findings:
        return findings[0]
    return check.late or Finding(Grade.UNKNOWN, "late", {"limit": check.limit_s})
