"""A table is set up: from photographs to a folder that the reader is taught from."""

from companion.board import BadInputError


class UnusableTableError(BadInputError):
    """A table's folder cannot be learnt from: something is missing there, or damaged."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "table-damaged")
