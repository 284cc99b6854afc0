"""Spoilt samples: bytes, JSON and names, always the same for one seed."""

from __future__ import annotations

import json
import random
import string
from collections.abc import Callable, Sequence
from typing import Any

#: Texts that programs trip over.
NASTY = (
    "", " ", "\0", "..", "../../etc/passwd", "/etc/passwd", "a/b", "%00", "%", "%zz", "\\", "'", '"', "<script>",
    "{{7*7}}", "{0}", "%(x)s", "é", "\u202e", "\ud800", "\U0001f4a9", "x" * 3000, "-1", "0", "1e999", "NaN", "null",
    "true", "9" * 40, "0x10", "1_000", "٣", "'; DROP TABLE games; --", "\r\nX-Evil: 1", "G7", "Z99",
    "9" * 5000, "\x1b[31m", "\nNov 25 a line of somebody else", "~", "~nobody-is-called-that/x", "http://[::1",
)  # fmt: skip
NUMBERS: tuple[Any, ...] = (
    0, -1, 1, 2, 10, 255, 65536, 2**31, 2**63, -(2**63), 10**40, 0.5, -0.0, 1e308, float("inf"), float("nan"),
)  # fmt: skip

#: Stands for a number of this many digits: Python writes no number that it would not read.
ENDLESS, DIGITS = "@endless@", 5000

#: How deep a value that replaces another is at most; and how deep it is now and then.
_DEEP, _ABYSS = 3, 2000


class Mutator:
    """A spoiler of samples, with one random generator."""

    def __init__(self, rng: random.Random, words: Sequence[str] = ()) -> None:
        self.rng, self._words = rng, (*NASTY, *words)

    def word(self) -> str:
        """Return a nasty text, or a random one."""
        if self.rng.random() < 0.8:
            return self.rng.choice(self._words)
        return "".join(self.rng.choices(string.printable + "äß€", k=self.rng.randrange(20)))

    def value(self, depth: int = _DEEP) -> Any:
        """Return any JSON value."""
        kinds = 6 if depth else 4
        match self.rng.randrange(kinds):
            case 0:
                return self.rng.choice((None, True, False))
            case 1:
                return self.rng.choice((*NUMBERS, ENDLESS))
            case 2 | 3:
                return self.word()
            case 4:
                return [self.value(depth - 1) for _ in range(self.rng.randrange(4))]
            case _:
                return {self.word(): self.value(depth - 1) for _ in range(self.rng.randrange(4))}

    def tree(self, value: Any) -> Any:
        """Return the JSON value with one to three things wrong in it."""
        for _ in range(self.rng.choice((1, 1, 1, 2, 3))):
            value = self._wrong(value)
        return value

    def _wrong(self, value: Any) -> Any:
        """Return the value with one thing wrong: here, or somewhere within."""
        if isinstance(value, dict) and value and self.rng.random() < 0.85:
            key = self.rng.choice(list(value))
            changes: list[Callable[[], dict[Any, Any]]] = [
                lambda: {name: it for name, it in value.items() if name != key},
                lambda: {**value, self.word(): self.value()},
                lambda: {(self.word() if name == key else name): it for name, it in value.items()},
            ]
            if self.rng.random() < 0.7:
                return {**value, key: self._wrong(value[key])}
            return self.rng.choice(changes)()
        if isinstance(value, list) and value and self.rng.random() < 0.85:
            at = self.rng.randrange(len(value))
            match self.rng.randrange(6):
                case 0:
                    return value[:at] + value[at + 1 :]
                case 1:
                    return value[:at] + [value[at]] * self.rng.choice((2, 3, 50)) + value[at + 1 :]
                case 2:
                    return [*value[:at], self.value(), *value[at:]]
                case _:
                    return [*value[:at], self._wrong(value[at]), *value[at + 1 :]]
        if isinstance(value, int | float) and not isinstance(value, bool) and self.rng.random() < 0.5:
            return self.rng.choice((value + 1, value - 1, -value, value * 1000, float(value)))
        return self.value()

    def text(self, value: Any) -> bytes:
        """Return the JSON value as text, now and then as one that no encoder would write."""
        match self.rng.randrange(12):
            case 0:
                return b"[" * _ABYSS + b"]" * _ABYSS
            case 1:
                return self.damaged(_encoded(value))
            case 2 if isinstance(value, dict) and value:
                name = next(iter(value))
                return _encoded(value)[:-1] + b", " + _encoded({name: self.value()})[1:]
            case 3:
                return b"\xef\xbb\xbf" + _encoded(value)
            case _:
                return _encoded(value)

    def damaged(self, content: bytes) -> bytes:
        """Return the bytes with some flipped, cut out, doubled, put in or cut off."""
        damaged = bytearray(content)
        for _ in range(self.rng.choice((1, 1, 2, 5, 20))):
            at = self.rng.randrange(len(damaged) + 1)
            many = self.rng.choice((1, 1, 2, 8, 100))
            match self.rng.randrange(6):
                case 0 if at < len(damaged):
                    damaged[at] ^= 1 << self.rng.randrange(8)
                case 1:
                    del damaged[at : at + many]
                case 2:
                    damaged[at:at] = damaged[at : at + many]
                case 3:
                    damaged[at : at + many] = self.rng.randbytes(many)
                case 4:
                    damaged[at:at] = self.word().encode("utf-8", "surrogatepass")
                case _ if self.rng.random() < 0.3:
                    del damaged[at:]
        return bytes(damaged)


def _encoded(value: Any) -> bytes:
    return json.dumps(value).replace(f'"{ENDLESS}"', "9" * DIGITS).encode()
