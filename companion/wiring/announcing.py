"""What the scoreboard shows while there is no loop: that it is got ready for, or that a table is waited for."""

from __future__ import annotations

from companion.scoreboard import Notice, Snapshot, Words
from companion.wording import LANGUAGES, Voice


def getting_ready() -> Snapshot:
    """Return what is shown while the companion learns what the pieces look like on its table."""
    words = {}
    for language in LANGUAGES:
        title, sentence = Voice(language=language).getting_ready()
        words[language] = Words(Notice("start", title, (sentence,)))
    return Snapshot(words=words).saying(words["en"])


def without_table(code: str = "") -> Snapshot:
    """Return what is shown while the companion waits for a table; `code`, one of TROUBLES, says why it must."""
    words = {}
    for language in LANGUAGES:
        words[language] = Words(warning=Voice(language=language).trouble(code) if code else "")
    return Snapshot(words=words).saying(words["en"])
