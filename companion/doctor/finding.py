"""What a check found: how grave it is, and a code with facts whose sentences are looked up per language.

The checks run one after the other, each within its time.
"""

from __future__ import annotations

import enum
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

#: Numbers are worded as each language writes them, texts as they are.
Fact = str | int | float


class Grade(enum.StrEnum):
    """How grave it is."""

    OK = "ok"
    NOTE = "note"  #: worth knowing, nothing must be done
    TODO = "todo"  #: something must be done
    UNKNOWN = "unknown"  #: this machine cannot tell


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found; `code` names its sentences in companion.words.machine, `facts` go into them."""

    grade: Grade
    code: str
    facts: Mapping[str, Fact] = field(default_factory=dict)


def ok(code: str, **facts: Fact) -> Finding:
    """Find that nothing is to be done."""
    return Finding(Grade.OK, code, facts)


def note(code: str, **facts: Fact) -> Finding:
    """Find what is worth knowing."""
    return Finding(Grade.NOTE, code, facts)


def todo(code: str, **facts: Fact) -> Finding:
    """Find that something must be done."""
    return Finding(Grade.TODO, code, facts)


def unknown(code: str, **facts: Fact) -> Finding:
    """Find that it cannot be told."""
    return Finding(Grade.UNKNOWN, code, facts)


#: How long a check may take that does not say otherwise.
LIMIT_S = 10.0


@dataclass(frozen=True, slots=True)
class Check:
    """A check by its name; one that does not end within `limit_s` is given up, which is found as `late`."""

    name: str
    look: Callable[[], Finding]
    limit_s: float = LIMIT_S
    late: Finding | None = None


def examine(checks: Iterable[Check]) -> Iterator[tuple[Check, Finding]]:
    """Yield each check with what it found, as soon as it has.

    A check that fails itself is one that cannot tell: the others are wanted all the same.
    """
    for check in checks:
        yield check, _found(check)


def _found(check: Check) -> Finding:
    """Run the check on a thread of its own: a disk or a driver that hangs holds whoever asks it for ever."""
    found: list[Finding] = []

    def look() -> None:
        try:
            found.append(check.look())
        except Exception as error:  # whatever it is: a machine that is ill in an unknown way is looked at further
            found.append(unknown("failed", why=f"{type(error).__name__}: {error}"))

    thread = threading.Thread(target=look, name=f"check-{check.name}", daemon=True)
    thread.start()
    thread.join(check.limit_s)
    if found:
        return found[0]
    return check.late or Finding(Grade.UNKNOWN, "late", {"limit": check.limit_s})
