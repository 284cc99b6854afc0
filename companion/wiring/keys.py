"""What signs the keepers' sessions: a key that only this companion knows, kept so that a restart sends nobody away."""

from __future__ import annotations

import logging
import os
import secrets
from pathlib import Path

#: How long it is, and what it is called among the data.
KEY_BYTES, KEY = 32, "keeper.key"

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
    key, fresh = secrets.token_bytes(KEY_BYTES), path.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    file = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(file, "wb") as opened:
        opened.write(key)
        opened.flush()
        os.fsync(file)
    fresh.replace(path)
    return key
