"""The logbook's folder, and what keeps the logbook from being written, by the code under which people are told
(companion.words).
"""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from companion.board import BadInputError


@dataclass(frozen=True, slots=True)
class Trouble:
    """`code` is full, read-only, locked, damaged, slow, pictures or failed; the game goes on meanwhile."""

    code: str


#: SQLite's primary result codes (https://www.sqlite.org/rescode.html) -> our code.
_CODES = {
    **dict.fromkeys((sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN), "read-only"),
    **dict.fromkeys((sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED), "locked"),
    **dict.fromkeys((sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB), "damaged"),
    sqlite3.SQLITE_FULL: "full",
}

_ERRNOS = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), "full"),
    **dict.fromkeys((errno.EROFS, errno.EACCES, errno.EPERM), "read-only"),
}


def code_of(error: BaseException) -> str:
    """Return the code of an error of SQLite or of the file system."""
    if isinstance(error, sqlite3.ProgrammingError | sqlite3.InterfaceError | sqlite3.IntegrityError):
        return "failed"
    if isinstance(error, sqlite3.Error):
        number = getattr(error, "sqlite_errorcode", None)
        if number is None:  # raised by ourselves, or by the module about what it found
            return "damaged" if isinstance(error, sqlite3.DatabaseError) else "failed"
        if number & 0xFF in _CODES:
            return _CODES[number & 0xFF]
        # "no such table", "malformed database schema": the file holds something other than what was written.
        return "damaged" if number & 0xFF in (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_MISMATCH) else "failed"
    return _ERRNOS.get(error.errno or 0, "failed") if isinstance(error, OSError) else "failed"


#: The variable that names the folder to every command and to the service.
VARIABLE = "STRADA_DATA"


def data_folder(named: Path | None = None, environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of the logbook: the one named, else that of STRADA_DATA, else `strada` among the user's data.

    The last follows the XDG base directories: XDG_DATA_HOME, else ~/.local/share. Raises BadInputError without a home.
    """
    if named is not None:
        return named
    if folder := environment.get(VARIABLE):
        return Path(folder)
    shared = environment.get("XDG_DATA_HOME", "")
    if Path(shared).is_absolute():
        return Path(shared) / "strada"
    home = environment.get("HOME", "")
    if not Path(home).is_absolute():
        raise BadInputError(f"there is no home folder to keep the logbook in; name one with {VARIABLE}")
    return Path(home) / ".local" / "share" / "strada"
