"""What is wrong, told in one line."""

from __future__ import annotations

#: A complaint is told in no more characters than this.
MOST_SAID = 1000


def one_line(complaint: str) -> str:
    """Return it in one line that a terminal can only show: names that files say may hold commands, or be endless."""
    line = "".join(letter if letter.isprintable() else "?" for letter in " ".join(complaint.split()))
    return line if len(line) <= MOST_SAID else f"{line[:MOST_SAID]} ..."
