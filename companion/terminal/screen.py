"""The whole terminal, borrowed: it shows pages, gives keys, and is returned as it was."""

from __future__ import annotations

import os
import re
import select
import signal
import termios
from collections.abc import Sequence
from contextlib import suppress
from enum import Enum, auto
from types import FrameType
from typing import Any, TextIO

#: A key that sends several characters sends them at once; an Escape alone for this long is the key Esc.
ESCAPE_S = 0.05

_SEQUENCE = re.compile(rb"\x1b(?:\[[0-9;]*|O)?([A-Za-z~])")
_HALF_A_SEQUENCE = re.compile(rb"\x1b(?:\[[0-9;]*|O)?")

#: The terminal's second page without a cursor, and the way back to the first.
_TAKE, _GIVE_BACK = "\x1b[?1049h\x1b[?25l", "\x1b[0m\x1b[?25h\x1b[?1049l"


class Key(Enum):
    """What a key asks for."""

    ON = auto()
    BACK = auto()
    PAGE_ON = auto()
    PAGE_BACK = auto()
    FIRST = auto()
    LAST = auto()
    QUIT = auto()


#: Escape sequences by their last letter, or by the number before a tilde; then single characters.
_LETTERS = {b"C": Key.ON, b"B": Key.ON, b"D": Key.BACK, b"A": Key.BACK, b"H": Key.FIRST, b"F": Key.LAST}
_NUMBERS = {b"1": Key.FIRST, b"7": Key.FIRST, b"4": Key.LAST, b"8": Key.LAST, b"5": Key.PAGE_BACK, b"6": Key.PAGE_ON}
_CHARACTERS = {
    b"l": Key.ON, b"j": Key.ON, b" ": Key.ON, b"\r": Key.ON, b"\n": Key.ON,
    b"h": Key.BACK, b"k": Key.BACK, b"\x7f": Key.BACK, b"\b": Key.BACK,
    b"g": Key.FIRST, b"G": Key.LAST,
    b"q": Key.QUIT, b"Q": Key.QUIT, b"\x03": Key.QUIT, b"\x04": Key.QUIT,
}  # fmt: skip


class Screen:
    """The terminal at both ends, `keys` and `out`, while a `with` lasts. Belongs to the main thread.

    Keys are not echoed, and none of them is a signal; SIGTERM and SIGHUP end the `with` as Ctrl-C does elsewhere.
    """

    def __init__(self, keys: TextIO, out: TextIO) -> None:
        self._keys, self._out = keys.fileno(), out
        self._typed = b""
        self._before: list[Any] = []
        self._signals: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Screen:
        self._before = termios.tcgetattr(self._keys)
        for number in (signal.SIGTERM, signal.SIGHUP):
            self._signals[number] = signal.signal(number, _leave)
        try:
            mode = termios.tcgetattr(self._keys)
            mode[3] &= ~(termios.ECHO | termios.ICANON | termios.ISIG | termios.IEXTEN)
            mode[6][termios.VMIN], mode[6][termios.VTIME] = 1, 0
            termios.tcsetattr(self._keys, termios.TCSADRAIN, mode)
            self._write(_TAKE)
        except BaseException:
            self._give_back()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self._give_back()

    @property
    def size(self) -> tuple[int, int]:
        """How many columns and lines the terminal has now."""
        with suppress(OSError):
            columns, lines = os.get_terminal_size(self._out.fileno())
            return columns or 80, lines or 24
        return 80, 24

    def show(self, lines: Sequence[str]) -> None:
        """Show the page; it has as many lines as the terminal."""
        self._write("\x1b[H" + "\r\n".join(f"{line}\x1b[0m\x1b[K" for line in lines))

    def key(self, timeout_s: float) -> Key | None:
        """Return the next key that asks for something; None if none came in time. A closed terminal quits."""
        if not self._typed and not self._read(timeout_s):
            return None
        while _HALF_A_SEQUENCE.fullmatch(self._typed) and self._read(ESCAPE_S):
            continue
        if match := _SEQUENCE.match(self._typed):
            sequence, self._typed = match[0], self._typed[match.end() :]
            number = re.match(rb"\x1b\[(\d*)", sequence)
            return _NUMBERS.get(number[1]) if match[1] == b"~" and number else _LETTERS.get(match[1])
        character, self._typed = self._typed[:1], self._typed[1:]
        if character == b"\x1b":
            self._typed = b""
            return Key.QUIT
        return _CHARACTERS.get(character)

    def _read(self, timeout_s: float) -> bool:
        """Wait for a key; return whether one came."""
        try:
            if not select.select([self._keys], [], [], timeout_s)[0]:
                return False
            typed = os.read(self._keys, 64)
        except OSError:  # the terminal is gone
            typed = b""
        self._typed += typed or b"\x04"
        return True

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()

    def _give_back(self) -> None:
        with suppress(OSError, ValueError):
            self._write(_GIVE_BACK)
        with suppress(termios.error):
            termios.tcsetattr(self._keys, termios.TCSADRAIN, self._before)
        for number, handler in self._signals.items():
            signal.signal(number, handler)


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
