"""The borrowed terminal, on a real pseudo-terminal: keys, pages, and that it is always given back."""

import fcntl
import os
import pty
import select
import signal
import struct
import termios
from collections.abc import Iterator
from contextlib import nullcontext

import pytest

from companion.terminal import Key, Screen

TAKEN, GIVEN_BACK = b"\x1b[?1049h\x1b[?25l", b"\x1b[?25h\x1b[?1049l"


class Terminal:
    """A pseudo-terminal: a person at one end, the program at the other."""

    def __init__(self) -> None:
        self.person, self.program = pty.openpty()
        self.borrowed = Screen(os.fdopen(self.program, closefd=False), os.fdopen(self.program, "w", closefd=False))

    def type(self, keys: bytes) -> None:
        os.write(self.person, keys)

    def shown(self) -> bytes:
        """Return all that was written; it may arrive in pieces."""
        written = b""
        while select.select([self.person], [], [], 0.0 if written.endswith(GIVEN_BACK) else 2.0)[0]:
            written += os.read(self.person, 100_000)
        return written

    @property
    def mode(self) -> list[object]:
        return termios.tcgetattr(self.program)


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    made = Terminal()
    yield made
    os.close(made.program)
    os.close(made.person)


@pytest.mark.parametrize(
    ("typed", "key"),
    [
        (b"\x1b[C", Key.ON), (b"\x1bOC", Key.ON), (b"l", Key.ON), (b" ", Key.ON), (b"\x1b[1;5C", Key.ON),
        (b"\x1b[D", Key.BACK), (b"\x1bOD", Key.BACK), (b"h", Key.BACK), (b"\x7f", Key.BACK),
        (b"\x1b[6~", Key.PAGE_ON), (b"\x1b[5~", Key.PAGE_BACK),
        (b"\x1b[H", Key.FIRST), (b"\x1b[1~", Key.FIRST), (b"\x1bOH", Key.FIRST),
        (b"\x1b[F", Key.LAST), (b"\x1b[4~", Key.LAST), (b"\x1b[8~", Key.LAST),
        (b"q", Key.QUIT), (b"\x1b", Key.QUIT), (b"\x03", Key.QUIT), (b"\x04", Key.QUIT),
    ],
)  # fmt: skip
def test_keys_ask_for_what_they_say(terminal: Terminal, typed: bytes, key: Key) -> None:
    with terminal.borrowed as screen:
        terminal.type(typed)
        assert screen.key(5.0) is key


def test_keys_typed_at_once_are_heard_one_by_one(terminal: Terminal) -> None:
    with terminal.borrowed as screen:
        terminal.type(b"\x1b[C\x1b[C\x1b[Dxl\x1b[15~q")
        heard = [screen.key(5.0) for _ in range(7)]
    assert heard == [Key.ON, Key.ON, Key.BACK, None, Key.ON, None, Key.QUIT]


def test_an_arrow_that_arrives_in_pieces_is_no_escape(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.terminal.canvas.ESCAPE_S", 5.0)
    with terminal.borrowed as screen:
        reads = iter([b"\x1b", b"[", b"C"])
        monkeypatch.setattr("os.read", lambda *_: next(reads))
        terminal.type(b"...")
        assert screen.key(5.0) is Key.ON


def test_the_page_is_as_large_as_the_terminal_is_now(terminal: Terminal) -> None:
    with terminal.borrowed as screen:
        assert screen.size == (80, 24), "a terminal that does not know is taken for a usual one"
        fcntl.ioctl(terminal.person, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 120, 0, 0))
        assert screen.size == (120, 50)


def test_the_wait_for_a_key_ends_in_time(terminal: Terminal) -> None:
    with terminal.borrowed as screen:
        assert screen.key(0.01) is None


def test_a_terminal_that_is_gone_quits(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal.borrowed as screen:
        terminal.type(b"x")
        monkeypatch.setattr("os.read", lambda *_: b"")
        assert screen.key(5.0) is Key.QUIT


@pytest.mark.parametrize("leaving", [None, RuntimeError("a fault"), KeyboardInterrupt()], ids=repr)
def test_the_terminal_is_given_back_as_it_was(terminal: Terminal, leaving: BaseException | None) -> None:
    before, handler = terminal.mode, signal.getsignal(signal.SIGTERM)
    with nullcontext() if leaving is None else pytest.raises(type(leaving)), terminal.borrowed as screen:
        assert terminal.mode != before, "keys are not echoed"
        screen.show(["page"])
        if leaving is not None:
            raise leaving
    shown = terminal.shown()
    assert shown.startswith(TAKEN)
    assert shown.endswith(GIVEN_BACK)
    assert b"page" in shown
    assert (terminal.mode, signal.getsignal(signal.SIGTERM)) == (before, handler)


def test_a_signal_to_end_gives_it_back_too(terminal: Terminal) -> None:
    before = terminal.mode

    def look() -> None:
        with terminal.borrowed as screen:
            os.kill(os.getpid(), signal.SIGTERM)
            screen.key(5.0)

    with pytest.raises(SystemExit) as left:
        look()
    assert left.value.code == 128 + signal.SIGTERM
    assert terminal.shown().endswith(GIVEN_BACK)
    assert terminal.mode == before
