"""One check after the other: none holds up the others, however it fails."""

import threading

import pytest

from companion.doctor import Check, Finding, Grade, examine
from companion.doctor.finding import ok, todo


def test_checks_are_looked_at_in_order_as_they_are_asked_for() -> None:
    looked: list[str] = []

    def look(name: str) -> Finding:
        looked.append(name)
        return ok(name)

    found = examine([Check("room", lambda: look("room")), Check("clock", lambda: look("clock"))])
    assert next(found)[1] == ok("room")
    assert looked == ["room"]
    assert next(found)[1] == ok("clock")


def test_a_check_that_hangs_is_given_up() -> None:
    never = threading.Event()
    hangs = todo("writing-late", folder="/srv")

    def hang() -> Finding:
        never.wait(60)
        return ok("card-sound")

    checks = [
        Check("card", hang, limit_s=0.05),
        Check("writing", hang, limit_s=0.05, late=hangs),
        Check("clock", lambda: ok("clock-kept")),
    ]
    found = [finding for _, finding in examine(checks)]
    never.set()
    assert found == [Finding(Grade.UNKNOWN, "late", {"limit": 0.05}), hangs, ok("clock-kept")]


@pytest.mark.parametrize("error", [ZeroDivisionError("x"), OSError(5, "Input/output error")])
def test_a_check_that_fails_itself_cannot_tell(error: Exception) -> None:
    def look() -> Finding:
        raise error

    ((_, finding),) = examine([Check("room", look)])
    assert (finding.grade, finding.code) == ("unknown", "failed")
    assert type(error).__name__ in str(finding.facts["why"])
