"""One check after the other, each within its time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from companion.doctor.finding import Finding, Grade, unknown

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
