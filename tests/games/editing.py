"""Edits that make a record malformed."""

from collections.abc import Callable
from typing import Any

Json = dict[str, Any]


def change(*path: str | int, to: object) -> Callable[[Json], None]:
    """Return an edit that sets the value at the end of the path."""

    def edit(record: Any) -> None:
        for step in path[:-1]:
            record = record[step]
        record[path[-1]] = to

    return edit


def without(*path: str | int) -> Callable[[Json], None]:
    """Return an edit that removes the value at the end of the path."""

    def edit(record: Any) -> None:
        for step in path[:-1]:
            record = record[step]
        del record[path[-1]]

    return edit
