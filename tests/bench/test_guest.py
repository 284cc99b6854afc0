"""What the bench makes of what a guest system says."""

import pytest

from bench.guest import found_in
from bench.inside.checks import MARK, Checks


def test_what_a_guest_found_is_found_among_what_its_kernel_says(capsys: pytest.CaptureFixture[str]) -> None:
    checks = Checks(figures={"versions": {"linux": "6.12"}})
    checks.expect(True, "this holds")
    checks.expect(False, "and this does not")
    checks.tell()
    said = [*capsys.readouterr().out.splitlines(), "[   12.3] reboot: Power down"]
    found = {"checks": 2, "wrong": ["and this does not"], "versions": {"linux": "6.12"}}
    assert found_in(said) == found


def test_a_guest_that_ends_before_it_has_found_anything_is_a_fault() -> None:
    with pytest.raises(RuntimeError, match="Kernel panic"):
        found_in(["holds: the first check", "Kernel panic - not syncing", f"half a line {MARK}"])


def test_a_step_that_raises_is_a_check_that_does_not_hold_and_the_next_one_runs() -> None:
    def breaks(checks: Checks) -> None:
        raise OSError("no such pin")

    def works(checks: Checks) -> None:
        checks.expect(True, "it works")

    checks = Checks()
    for step in (breaks, works):
        checks.run(step)
    assert (checks.count, checks.wrong) == (2, ["breaks ends without an error (no such pin)"])
