"""A table that cannot be played on, and how long it may take to find out."""

from __future__ import annotations

from companion.board import BadInputError

#: How long learning a table, and opening the logbook, may take on a slow machine before it counts as a hang.
LEARN_S = 90.0

#: What is said where the table that was chosen cannot be used: a code of TROUBLES.
UNUSABLE = "unusable"


class UnusableTableError(BadInputError):
    """A table's folder cannot be learnt from: something is missing there, or damaged."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "table-damaged")
