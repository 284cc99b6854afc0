"""What signs the keepers' sessions: a key that only this companion knows, kept so that a restart sends nobody away.

The sessions that were signed out of are kept beside it, so that a restart lets nobody in again either.
"""

from __future__ import annotations

import logging
import os
import secrets
import threading
from pathlib import Path

from companion.system.durable import write_whole

#: How long it is, and what it is called among the data.
KEY_BYTES, KEY = 32, "keeper.key"
#: Where the sessions that were signed out of stand, a line each, and how many: they end by themselves within a day.
ENDED, MOST_ENDED = "keeper.ended", 500

_log = logging.getLogger(__name__)


def kept_key(folder: Path) -> bytes:
    """Return the folder's key, made if there is none. Where it cannot be kept it is good until the companion ends.

    Nobody else may read it; one that others can read is replaced, and every keeper signs in anew.
    """
    path = folder / KEY
    try:
        folder.mkdir(parents=True, exist_ok=True)
        key = _read(path)
        return key if key is not None else _made(path)
    except OSError as error:
        _log.warning("%s cannot be kept (%s): after a restart keepers sign in anew", path, error.strerror or error)
        return secrets.token_bytes(KEY_BYTES)


class KeptEnded:
    """The sessions that were signed out of, in the folder; in memory alone where it cannot be written.

    Any thread may call it.
    """

    def __init__(self, folder: Path) -> None:
        self._path, self._lock = folder / ENDED, threading.Lock()
        try:
            lines = self._path.read_text(encoding="ascii", errors="ignore").splitlines()
        except OSError:
            lines = []
        self._numbers = dict.fromkeys(lines[-MOST_ENDED:])

    def __contains__(self, number: str) -> bool:
        return number in self._numbers

    def add(self, number: str) -> None:
        """Keep the number; of too many the oldest go."""
        with self._lock:
            kept = list({**self._numbers, number: None})[-MOST_ENDED:]
            self._numbers = dict.fromkeys(kept)
            try:
                write_whole(self._path, "".join(f"{line}\n" for line in kept).encode("ascii"))
            except OSError as error:
                _log.warning("%s cannot be written (%s): a restart forgets who signed out", self._path, error.strerror)


def _read(path: Path) -> bytes | None:
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    with os.fdopen(file, "rb") as opened:
        is_private = os.fstat(file).st_mode & 0o077 == 0
        key = opened.read(KEY_BYTES + 1)
    return key if is_private and len(key) == KEY_BYTES else None


def _made(path: Path) -> bytes:
    """Write a new key in place of whatever is there."""
    key = secrets.token_bytes(KEY_BYTES)
    write_whole(path, key, mode=0o600)
    return key
