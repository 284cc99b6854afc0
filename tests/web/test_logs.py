"""What guests cause is logged, but they can neither flood the log nor write what they like into it."""

import logging
from types import TracebackType

import pytest

from companion.web.security import EACH_S, MOST_SAID, Sparing, printable
from tests.clock import Clock


def record(text: str, error: Exception | None = None) -> logging.LogRecord:
    return logging.LogRecord("web", logging.ERROR, "", 0, text, (), None if error is None else raised(error))


def raised(error: Exception) -> tuple[type[Exception], Exception, TracebackType | None]:
    try:
        raise error
    except Exception as caught:
        return type(caught), caught, caught.__traceback__


def test_a_fault_is_logged_once_a_minute_and_then_says_how_many_there_were(clock: Clock) -> None:
    sparing = Sparing(clock)
    assert sparing.filter(record("/a", ValueError("x")))
    assert not any(sparing.filter(record(f"/{number}", ValueError("y"))) for number in range(100))
    clock.now_s += EACH_S
    later = record("/b", ValueError("z"))
    assert sparing.filter(later)
    assert later.getMessage() == "/b (and 100 more like it since)"


def test_another_fault_is_logged_meanwhile() -> None:
    sparing = Sparing(Clock())
    assert sparing.filter(record("/a", ValueError("x")))
    assert sparing.filter(record("/a", KeyError("x")))
    assert sparing.filter(record("no room"))


def test_what_a_guest_sends_steers_no_terminal_and_begins_no_line() -> None:
    bad = record("on /\x1b[31m\nNov 25 strada: all is well", ValueError("\x1b[2J\nforged"))
    assert Sparing(Clock()).filter(bad)
    said = logging.Formatter().format(bad)
    assert "\x1b" not in said
    assert "\nNov" not in said
    assert "\nforged" not in said
    assert said.splitlines()[-1] == r"ValueError: \x1b[2J\nforged"


@pytest.mark.parametrize(
    ("text", "shown"), [("Grün", "Grün"), ("a\tb", r"a\tb"), ("x" * 9999, "x" * MOST_SAID + "...")]
)
def test_what_is_logged_is_printable_and_not_endless(text: str, shown: str) -> None:
    assert printable(text) == shown
