"""What leaves the house in a bug report: text without names, addresses, PINs and places, numbers as they are.

What is known to be somebody's is taken out wherever it is, and so is whatever looks as if it were.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

#: What stands where something was taken out.
OUT = "[...]"

#: What looks like somebody's, whoever that is: web and mail addresses, IPv4, IPv6 and MAC, names of machines in a
#: network, folders of people's own, keys.
_LOOKS = re.compile(
    r"""
    \b[a-z][a-z0-9+.-]*://\S+
    | \b[\w.+-]+@[\w.-]+\w
    | \b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b
    | (?<![\w:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?:%\w+)?(?![\w:])
    | \b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b
    | \b[\w-]+(?:\.[\w-]+)*\.(?:local|lan|home|internal|arpa|box|org|com|net|de|ch|at|fr|it|eu|io)\b
    | (?:/home|/root|/run/user|/media|/mnt|/srv|/run/media|/Users)(?:/[^\s'",;:()]*)?
    | \b(?:AGE-SECRET-KEY-|age1|ssh-(?:rsa|ed25519)\s)\S+
    """,
    re.IGNORECASE | re.VERBOSE,
)

#: Six digits may be a keeper's PIN, with or without a space in their middle.
_PIN = re.compile(r"(?<![\d.])\d{3}[\s\u202f]?\d{3}(?![\d.])")

#: A time of day looks like an IPv6 address, and stays.
_TIME = re.compile(r"\d{1,2}:\d\d(:\d\d)?")

#: Of a name with fewer letters nobody is known, and each sentence would lose words.
LEAST_LETTERS = 2


class Scrubber:
    """Takes known names out of texts, and all that looks like somebody's."""

    def __init__(self, names: Iterable[str]) -> None:
        """`names`: of players, keepers, tables, machines, networks, users."""
        forms = {form for name in names for form in _forms(name) if len(form) >= LEAST_LETTERS}
        words = "|".join(re.escape(each) for each in sorted(forms, key=len, reverse=True))
        self._known = re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE) if words else None

    def text(self, text: str, *, may_hold_pins: bool = True) -> str:
        """Return the text without them, in printable characters."""
        known = self._known.sub(OUT, text) if self._known else text
        plain = "".join(c if c.isprintable() or c == "\n" else "?" for c in known)
        plain = _PIN.sub(OUT, plain) if may_hold_pins else plain
        return _LOOKS.sub(lambda found: found[0] if _TIME.fullmatch(found[0]) else OUT, plain)

    def value(self, value: Any) -> Any:
        """Return a value of JSON with each text in it scrubbed; the keys are ours."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {key: self.value(each) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(each) for each in value]
        return value


def _forms(name: str) -> Iterable[str]:
    """Yield the name as it is written, as a repr has it, and as JSON and a URL escape it."""
    bare = name.strip()
    for form in (bare, unicodedata.normalize("NFC", bare), unicodedata.normalize("NFD", bare)):
        yield form
        yield " ".join(form.split())
        yield repr(form)[1:-1]
        yield json.dumps(form)[1:-1]
        yield quote(form)
