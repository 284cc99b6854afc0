"""Connections to SQLite files that may be damaged."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any


class _Connection(sqlite3.Connection):
    """A connection that says of a damaged file what it is.

    What SQLite has to say may quote the file, and what is quoted may be no text: Python then raises UnicodeDecodeError.
    """

    def execute(self, *query: Any) -> sqlite3.Cursor:
        try:
            return super().execute(*query)
        except UnicodeDecodeError:
            raise sqlite3.DatabaseError("malformed database schema, in bytes that are no text") from None


def connected(path: Path, timeout_s: float = 5.0, *, is_read_only: bool = False) -> sqlite3.Connection:
    """Return a connection in autocommit mode, which any thread may use; raises sqlite3.Error."""
    uri = f"{path.resolve().as_uri()}?mode={'ro' if is_read_only else 'rwc'}"
    return sqlite3.connect(
        uri, timeout=timeout_s, isolation_level=None, check_same_thread=False, factory=_Connection, uri=True
    )
