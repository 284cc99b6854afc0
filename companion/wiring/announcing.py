"""What the scoreboard shows while there is no loop: that it is got ready for, or that a table is waited for."""

from __future__ import annotations

from companion.scoreboard import Notice, Snapshot, Words
from companion.words import LANGUAGES, Voice


def getting_ready() -> Snapshot:
    """Return what is shown while the companion learns what the pieces look like on its table."""
    words = {}
    for language in LANGUAGES:
        title, sentence = Voice(language=language).getting_ready()
        words[language] = Words(Notice("start", title, (sentence,)))
    return Snapshot(words=words).saying(words["en"])


def without_table(*codes: str) -> Snapshot:
    """Return what is shown while the companion waits for a table; `codes`, of TROUBLES, say what is wrong."""
    words = {}
    for language in LANGUAGES:
        voice = Voice(language=language)
        words[language] = Words(warning=" · ".join(voice.trouble(code) for code in codes))
    return Snapshot(words=words).saying(words["en"])
